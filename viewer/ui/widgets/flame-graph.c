#include "viewer/ui/widgets/flame-graph.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define ROW_PX  20 /* of the usual letters */
#define TEXT_PX 40 /* narrower boxes have none; of the usual letters */
#define PAD_PX  4
#define NONE    G_MAXUINT

struct _PmFlameGraph {
    GtkWidget parent_instance;
    PmFlame *flame;
    gboolean dark;
    guint top;              /* takes the whole width */
    guint current, hovered; /* NONE = none is */
    PangoLayout *layout;
};

G_DEFINE_FINAL_TYPE(PmFlameGraph, pm_flame_graph, GTK_TYPE_WIDGET)

enum { MOVED, CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static float row_px(PmFlameGraph *graph)
{
    return roundf((float)(ROW_PX * pm_element_letter_scale(GTK_WIDGET(graph))));
}

static char *name_of(const PmFlame *flame, guint index)
{
    const PmFlameNode *node = &flame->nodes[index];

    if (!index)
        return g_strdup("All waits");
    if (node->method == PM_FLAME_FOLD)
        return node->least_frames < node->n_frames
                   ? g_strdup_printf("⋯ %u–%u library frames", node->least_frames, node->n_frames)
                   : g_strdup_printf("⋯ %u library frames", node->n_frames);
    g_autofree char *name = pm_label_method(flame->view->recording, node->method);
    return pm_text_clean(name);
}

static gboolean is_above(const PmFlame *flame, guint above, guint node)
{
    while (node && node != above)
        node = flame->nodes[node].parent;
    return node == above;
}

/* The box of a node in the widget; FALSE = it is not drawn. */
static gboolean box_of(PmFlameGraph *graph, guint index, graphene_rect_t *ret_box)
{
    const PmFlameNode *node = &graph->flame->nodes[index], *top = &graph->flame->nodes[graph->top];
    const double width = gtk_widget_get_width(GTK_WIDGET(graph));
    const float row = row_px(graph);

    if (is_above(graph->flame, index, graph->top)) {
        *ret_box = GRAPHENE_RECT_INIT(0, (float)node->depth * row, (float)width, row);
        return TRUE;
    }
    const double scale = width / (double)MAX(top->time, 1);
    const double from = (double)(node->begin - top->begin) * scale;
    const double to = from + (double)node->time * scale;
    *ret_box = GRAPHENE_RECT_INIT((float)from, (float)node->depth * row, (float)(to - from), row);
    return node->begin >= top->begin && node->begin + node->time <= top->begin + top->time &&
           to - from >= 1;
}

/* ---- painting ---- */

static gboolean is_pale(const PmFlame *flame, guint index)
{
    const guint32 method = flame->nodes[index].method;

    return !index || method == PM_FLAME_FOLD ||
           pm_label_is_platform(pm_recording_class_of(flame->view->recording, method));
}

static void color_of(PmFlameGraph *graph, guint index, GdkRGBA *ret_fill, GdkRGBA *ret_ink)
{
    const PmFlameNode *node = &graph->flame->nodes[index];
    GdkRGBA paper, fill;

    pm_palette_color(PM_COLOR_PAPER, graph->dark, &paper);
    const PmFamily family = pm_flame_family(node);
    if (family == PM_N_FAMILIES)
        pm_palette_color(PM_COLOR_OTHERS, graph->dark, &fill);
    else
        pm_palette_family(family, node->depth % 2, graph->dark, &fill);
    const float part = is_pale(graph->flame, index) ? 0.22f : 1;
    *ret_fill = (GdkRGBA){paper.red + (fill.red - paper.red) * part,
                          paper.green + (fill.green - paper.green) * part,
                          paper.blue + (fill.blue - paper.blue) * part, 1};
    const float light = 0.299f * ret_fill->red + 0.587f * ret_fill->green + 0.114f * ret_fill->blue;
    *ret_ink = light > 0.45f ? (GdkRGBA){0, 0, 0, 1} : (GdkRGBA){1, 1, 1, 1};
}

static void snapshot_name(PmFlameGraph *graph, GtkSnapshot *snapshot, guint index,
                          const graphene_rect_t *box, const GdkRGBA *ink)
{
    g_autofree char *name = name_of(graph->flame, index);
    int height;

    if (!graph->layout) {
        graph->layout = gtk_widget_create_pango_layout(GTK_WIDGET(graph), NULL);
        pango_layout_set_ellipsize(graph->layout, PANGO_ELLIPSIZE_END);
    }
    pango_layout_set_width(graph->layout,
                           (int)((box->size.width - 2 * PAD_PX) * (float)PANGO_SCALE));
    pango_layout_set_text(graph->layout, name, -1);
    pango_layout_get_pixel_size(graph->layout, NULL, &height);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(
        snapshot,
        &GRAPHENE_POINT_INIT(box->origin.x + PAD_PX,
                             box->origin.y + roundf((box->size.height - (float)height) / 2)));
    gtk_snapshot_append_layout(snapshot, graph->layout, ink);
    gtk_snapshot_restore(snapshot);
}

static void snapshot_outline(PmFlameGraph *graph, GtkSnapshot *snapshot, guint index, PmColor color)
{
    graphene_rect_t box;
    GskRoundedRect rounded;
    GdkRGBA line;

    if (index == NONE || !box_of(graph, index, &box))
        return;
    pm_palette_color(color, graph->dark, &line);
    gsk_rounded_rect_init_from_rect(&rounded, &box, 0);
    gtk_snapshot_append_border(snapshot, &rounded, (float[4]){2, 2, 2, 2},
                               (GdkRGBA[4]){line, line, line, line});
}

static void pm_flame_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmFlameGraph *graph = PM_FLAME_GRAPH(widget);

    if (!graph->flame)
        return;
    const double least = TEXT_PX * pm_element_letter_scale(widget);
    for (guint i = 0; i < graph->flame->n; i++) {
        graphene_rect_t box;
        GdkRGBA fill, ink;
        if (!box_of(graph, i, &box))
            continue;
        color_of(graph, i, &fill, &ink);
        const graphene_rect_t inner = GRAPHENE_RECT_INIT(
            box.origin.x, box.origin.y, MAX(box.size.width - 1, 1), box.size.height - 1);
        gtk_snapshot_append_color(snapshot, &fill, &inner);
        if (box.size.width >= least)
            snapshot_name(graph, snapshot, i, &box, &ink);
    }
    snapshot_outline(graph, snapshot, graph->hovered, PM_COLOR_INK);
    if (gtk_widget_has_focus(widget) || graph->current)
        snapshot_outline(graph, snapshot, graph->current, PM_COLOR_ACCENT);
}

static void pm_flame_graph_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                   int *minimum, int *natural, int *minimum_baseline,
                                   int *natural_baseline)
{
    PmFlameGraph *graph = PM_FLAME_GRAPH(widget);
    const guint depth = graph->flame ? graph->flame->depth : 1;

    *minimum = *natural =
        orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : (int)(row_px(graph) * (float)depth);
}

/* ---- the current box ---- */

/* "lock"; with more than one, each with its part, the biggest first: "mixed (lock 62.0 %, signal
 * 38.0 %)". */
static char *families_of(const PmFlameNode *node)
{
    g_autoptr(GString) parts = g_string_new(NULL);
    const PmFamily most = pm_flame_family(node);
    gboolean told[PM_N_FAMILIES] = {FALSE};
    guint n = 0;

    for (;; n++) {
        guint next = PM_N_FAMILIES;
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            if (!told[f] && node->family[f] > 0 &&
                (next == PM_N_FAMILIES || node->family[f] > node->family[next]))
                next = f;
        if (next == PM_N_FAMILIES)
            break;
        told[next] = TRUE;
        g_autofree char *part = pm_number_percent((double)node->family[next] / (double)node->time);
        g_string_append_printf(parts, "%s%s %s", n ? ", " : "", pm_family_name(next), part);
    }
    const char *word = most < PM_N_FAMILIES ? pm_family_name(most) : "mixed";
    return n > 1 ? g_strdup_printf("%s (%s)", word, parts->str) : g_strdup(word);
}

char *pm_flame_graph_text(PmFlameGraph *graph)
{
    g_return_val_if_fail(PM_IS_FLAME_GRAPH(graph), NULL);
    const guint index = graph->hovered != NONE ? graph->hovered : graph->current;

    if (!graph->flame || index == NONE)
        return NULL;
    const PmFlameNode *node = &graph->flame->nodes[index], *root = &graph->flame->nodes[0];
    g_autofree char *name = name_of(graph->flame, index);
    g_autofree char *percent =
        pm_number_percent(root->time ? (double)node->time / (double)root->time : 0);
    g_autofree char *time = pm_label_duration(node->time);
    g_autofree char *waits = pm_number_plural((gint64)node->waits, "wait", "waits");
    g_autofree char *families = families_of(node);
    return g_strdup_printf("%s: %s, %s in %s, %s", name, percent, time, waits, families);
}

const PmFlameNode *pm_flame_graph_current(PmFlameGraph *graph)
{
    g_return_val_if_fail(PM_IS_FLAME_GRAPH(graph), NULL);
    return graph->flame && graph->current != NONE ? &graph->flame->nodes[graph->current] : NULL;
}

static void moved(PmFlameGraph *graph)
{
    g_autofree char *text = pm_flame_graph_text(graph);

    pm_element_set_name(GTK_WIDGET(graph), text ? text : "Flame graph");
    gtk_widget_queue_draw(GTK_WIDGET(graph));
    g_signal_emit(graph, signals[MOVED], 0);
}

static void set_current(PmFlameGraph *graph, guint index)
{
    graph->current = index;
    graph->hovered = NONE;
    moved(graph);
}

/* The ids of a newer dump's methods are others. */
static gboolean is_same_method(const PmFlame *old, guint of_old, const PmFlame *new, guint of_new)
{
    const gboolean fold = old->nodes[of_old].method == PM_FLAME_FOLD;

    if (old->view->recording == new->view->recording || fold)
        return old->nodes[of_old].method == new->nodes[of_new].method;
    g_autofree char *old_name = name_of(old, of_old), *new_name = name_of(new, of_new);
    return strcmp(old_name, new_name) == 0;
}

/* The node of `new` that is called the same way as `index` of `old`; its nearest caller that is. */
static guint find_again(const PmFlame *old, guint index, const PmFlame *new)
{
    if (!index || !old)
        return 0;
    const guint above = find_again(old, old->nodes[index].parent, new);
    const PmFlameNode *parent = &new->nodes[above];

    if (parent->depth + 1 != old->nodes[index].depth)
        return above;
    for (guint i = 0; i < parent->n_children; i++)
        if (is_same_method(old, index, new, parent->first_child + i))
            return parent->first_child + i;
    return above;
}

void pm_flame_graph_set(PmFlameGraph *graph, PmFlame *flame, gboolean dark)
{
    g_return_if_fail(PM_IS_FLAME_GRAPH(graph));

    graph->top = flame ? find_again(graph->flame, graph->top, flame) : 0;
    graph->current = flame ? find_again(graph->flame, graph->current, flame) : 0;
    graph->hovered = NONE;
    pm_flame_free(graph->flame);
    graph->flame = flame;
    graph->dark = dark;
    gtk_widget_queue_resize(GTK_WIDGET(graph));
    moved(graph);
}

/* The current box takes the whole width; out: what it was zoomed to goes back to its caller. */
static void zoom_by_one(PmFlameGraph *graph, gboolean in)
{
    if (!graph->flame)
        return;
    if (in) {
        graph->top = graph->current;
    } else {
        graph->top = graph->flame->nodes[graph->top].parent;
        graph->current = graph->top;
    }
    moved(graph);
}

/* Up to the caller, down to what it called most, sideways to what else that did. */
static guint next_of(PmFlameGraph *graph, const char *direction)
{
    const PmFlameNode *node = &graph->flame->nodes[graph->current];
    const PmFlameNode *parent = &graph->flame->nodes[node->parent];
    const guint first = parent->first_child, last = first + parent->n_children - 1;

    if (g_str_equal(direction, "up"))
        return node->parent;
    if (g_str_equal(direction, "down"))
        return node->n_children ? node->first_child : graph->current;
    if (!graph->current)
        return 0;
    if (g_str_equal(direction, "left"))
        return MAX(graph->current - 1, first);
    return MIN(graph->current + 1, last);
}

static void step(GtkWidget *widget, const char *action, GVariant *parameter)
{
    PmFlameGraph *graph = PM_FLAME_GRAPH(widget);

    if (!graph->flame)
        return;
    const guint next = next_of(graph, action + strlen("flame."));
    if (is_above(graph->flame, next, graph->top) || is_above(graph->flame, graph->top, next))
        set_current(graph, next);
}

static void zoom(GtkWidget *widget, const char *action, GVariant *parameter)
{
    zoom_by_one(PM_FLAME_GRAPH(widget), g_str_equal(action, "flame.in"));
}

static void choose(GtkWidget *widget, const char *action, GVariant *parameter)
{
    if (PM_FLAME_GRAPH(widget)->flame)
        g_signal_emit(widget, signals[CHOSEN], 0);
}

/* ---- the pointer ---- */

static guint node_at(PmFlameGraph *graph, double x, double y)
{
    for (guint i = 0; graph->flame && i < graph->flame->n; i++) {
        graphene_rect_t box;
        if (box_of(graph, i, &box) &&
            graphene_rect_contains_point(&box, &GRAPHENE_POINT_INIT((float)x, (float)y)))
            return i;
    }
    return NONE;
}

static void hover(PmFlameGraph *graph, guint index)
{
    if (index == graph->hovered)
        return;
    graph->hovered = index;
    moved(graph);
}

static void motion_cb(GtkEventControllerMotion *motion, double x, double y, PmFlameGraph *graph)
{
    hover(graph, pm_element_is_under_menu(GTK_WIDGET(graph)) ? NONE : node_at(graph, x, y));
}

static void leave_cb(GtkEventControllerMotion *motion, PmFlameGraph *graph)
{
    hover(graph, NONE);
}

static void released_cb(GtkGestureClick *click, int n_press, double x, double y,
                        PmFlameGraph *graph)
{
    const guint index = node_at(graph, x, y);

    gtk_widget_grab_focus(GTK_WIDGET(graph));
    if (index == NONE)
        return;
    /* What is above the zoom leads back out. */
    const gboolean out = index != graph->top && is_above(graph->flame, index, graph->top);
    set_current(graph, index);
    if (out || n_press == 2)
        zoom_by_one(graph, TRUE);
    else if (n_press == 1)
        g_signal_emit(graph, signals[CHOSEN], 0);
}

static gboolean query_tooltip_cb(PmFlameGraph *graph, int x, int y, gboolean by_key,
                                 GtkTooltip *tooltip, gpointer data)
{
    g_autofree char *text = by_key ? NULL : pm_flame_graph_text(graph);

    gtk_tooltip_set_text(tooltip, graph->hovered != NONE ? text : NULL);
    return graph->hovered != NONE && text;
}

/* ---- the widget ---- */

static void pm_flame_graph_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    g_clear_object(&PM_FLAME_GRAPH(widget)->layout);
    GTK_WIDGET_CLASS(pm_flame_graph_parent_class)->css_changed(widget, change);
    gtk_widget_queue_resize(widget);
}

static void pm_flame_graph_dispose(GObject *object)
{
    PmFlameGraph *graph = PM_FLAME_GRAPH(object);

    g_clear_object(&graph->layout);
    g_clear_pointer(&graph->flame, pm_flame_free);
    G_OBJECT_CLASS(pm_flame_graph_parent_class)->dispose(object);
}

static void pm_flame_graph_class_init(PmFlameGraphClass *class)
{
    static const char *const steps[] = {"flame.up", "flame.down", "flame.left", "flame.right"};
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_flame_graph_dispose;
    pm_element_class_painted(class, "pm-flame-graph", pm_flame_graph_measure,
                             pm_flame_graph_snapshot);
    widget_class->css_changed = pm_flame_graph_css_changed;
    signals[MOVED] = g_signal_new("moved", PM_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
    signals[CHOSEN] = g_signal_new("chosen", PM_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        gtk_widget_class_install_action(widget_class, steps[i], NULL, step);
    gtk_widget_class_install_action(widget_class, "flame.in", NULL, zoom);
    gtk_widget_class_install_action(widget_class, "flame.out", NULL, zoom);
    gtk_widget_class_install_action(widget_class, "flame.choose", NULL, choose);
}

static void pm_flame_graph_init(PmFlameGraph *graph)
{
    graph->hovered = NONE;
    gtk_widget_set_focusable(GTK_WIDGET(graph), TRUE);
    gtk_widget_set_has_tooltip(GTK_WIDGET(graph), TRUE);
    g_signal_connect(graph, "query-tooltip", G_CALLBACK(query_tooltip_cb), NULL);
    pm_keys_bind(GTK_WIDGET(graph), PM_KEYS_FLAMES);
    pm_element_listen(GTK_WIDGET(graph), gtk_event_controller_motion_new(), graph, "motion",
                      G_CALLBACK(motion_cb), "leave", G_CALLBACK(leave_cb), NULL);
    pm_element_listen(GTK_WIDGET(graph), gtk_gesture_click_new(), graph, "released",
                      G_CALLBACK(released_cb), NULL);
    pm_element_set_name(GTK_WIDGET(graph), "Flame graph");
}

GtkWidget *pm_flame_graph_new(void)
{
    return g_object_new(PM_TYPE_FLAME_GRAPH, NULL);
}
