#include "viewer/ui/widgets/lane-cell.h"

#include <math.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/timescale.h"

struct _PmLaneCell {
    GtkWidget parent_instance;
    const PmLanes *lanes;
    guint lane;
    double full;
    gboolean dark;
    const PmRecording *recording; /* whose clock is told; NULL = no time is */
    gint64 from, to;              /* what is in the range */
    PmState *state;               /* holds what is pointed at; NULL = nothing is marked */
};

G_DEFINE_FINAL_TYPE(PmLaneCell, pm_lane_cell, GTK_TYPE_WIDGET)

/* From the bottom: what is blamed on code first, idle on top. */
static const PmFamily stack[] = {PM_FAMILY_LOCK, PM_FAMILY_RESOURCE, PM_FAMILY_SIGNAL,
                                 PM_FAMILY_JOIN, PM_FAMILY_OTHER,    PM_FAMILY_IDLE};

static void snapshot_lane(GtkSnapshot *snapshot, const graphene_rect_t *bounds,
                          const PmLanes *lanes, guint lane, double full, gboolean dark)
{
    GdkRGBA colors[PM_N_FAMILIES], track;
    const float bottom = bounds->origin.y + bounds->size.height;

    pm_palette_color(PM_COLOR_GRID, dark, &track);
    gtk_snapshot_append_color(
        snapshot, &track, &GRAPHENE_RECT_INIT(bounds->origin.x, bottom - 1, bounds->size.width, 1));
    if (!lanes || lane >= lanes->n_lanes || !lanes->lanes[lane] || full <= 0)
        return;
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        pm_palette_family(f, 0, dark, &colors[f]);
    colors[PM_FAMILY_IDLE].alpha = 0.45f;
    const guint n = lanes->n_slices;
    const float slice_px = bounds->size.width / (float)n;
    for (guint i = 0; i < G_N_ELEMENTS(stack); i++) {
        /* Runs of equal height are one node. */
        float run_x = 0, run_top = 0, run_height = 0;
        for (guint s = 0; s <= n; s++) {
            float below = 0, height = 0;
            if (s < n) {
                for (guint j = 0; j < i; j++) {
                    const float part = (float)(pm_lanes_mean(lanes, lane, s, stack[j]) / full) *
                                       (bounds->size.height - 1);
                    below += part > 0 ? MAX(part, 1) : 0;
                }
                height = (float)(pm_lanes_mean(lanes, lane, s, stack[i]) / full) *
                         (bounds->size.height - 1);
                /* The shortest wait stays visible. */
                if (height > 0)
                    height = MAX(height, 1);
                below = MIN(below, bounds->size.height - 1);
                height = MIN(height, bounds->size.height - 1 - below);
            }
            const float top = bottom - 1 - below - height;
            if (s < n && run_height > 0 && fabsf(height - run_height) < 0.25f &&
                fabsf(top - run_top) < 0.25f)
                continue;
            const float x = bounds->origin.x + (float)s * slice_px;
            if (run_height > 0)
                gtk_snapshot_append_color(
                    snapshot, &colors[stack[i]],
                    &GRAPHENE_RECT_INIT(run_x, run_top, x - run_x, run_height));
            run_x = x;
            run_top = top;
            run_height = height;
        }
    }
}

static void pm_lane_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                 int *minimum, int *natural, int *minimum_baseline,
                                 int *natural_baseline)
{
    *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 60 : 20;
    *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 120 : 20;
    *minimum_baseline = *natural_baseline = -1;
}

/* What the numbers of the row are not about is faint, as in the charts. */
static void snapshot_range(PmLaneCell *cell, GtkSnapshot *snapshot)
{
    const float width = (float)gtk_widget_get_width(GTK_WIDGET(cell)),
                height = (float)gtk_widget_get_height(GTK_WIDGET(cell));
    const PmTimescale scale = {cell->lanes->from, cell->lanes->to, width};
    const float begin = CLAMP((float)pm_timescale_x(&scale, cell->from), 0, width),
                end = CLAMP((float)pm_timescale_x(&scale, cell->to), begin, width);
    GdkRGBA shade;

    pm_palette_color(PM_COLOR_PAPER, cell->dark, &shade);
    shade.alpha = 0.65f;
    if (begin > 0)
        gtk_snapshot_append_color(snapshot, &shade, &GRAPHENE_RECT_INIT(0, 0, begin, height));
    if (end < width)
        gtk_snapshot_append_color(snapshot, &shade,
                                  &GRAPHENE_RECT_INIT(end, 0, width - end, height));
}

char *pm_lane_cell_text_at(PmLaneCell *cell, double x)
{
    g_return_val_if_fail(PM_IS_LANE_CELL(cell), NULL);
    const int width = gtk_widget_get_width(GTK_WIDGET(cell));
    const PmLanes *lanes = cell->lanes;

    if (!cell->recording || !lanes || width <= 0)
        return NULL;
    const PmTimescale scale = {lanes->from, lanes->to, width};
    const guint slice = MIN((guint)(CLAMP(x / width, 0, 1) * lanes->n_slices), lanes->n_slices - 1);
    int digits = 0;
    for (gint64 unit = 1000000000; digits < 9 && (lanes->to - lanes->from) / lanes->n_slices < unit;
         unit /= 10)
        digits++;
    g_autofree char *clock = pm_label_clock(cell->recording, pm_timescale_at(&scale, x), digits);
    GString *text = g_string_new(clock);
    guint any = 0;
    g_string_append(text, "  ");
    for (guint i = 0; i < G_N_ELEMENTS(stack); i++) {
        const double threads = pm_lanes_mean(lanes, cell->lane, slice, stack[i]);
        if (threads <= 0)
            continue;
        g_autofree char *mean = pm_number_mean(threads);
        g_string_append_printf(text, "%s%s %s", any++ ? ", " : " ", pm_family_name(stack[i]), mean);
    }
    g_autofree char *all = pm_number_count((gint64)cell->full);
    g_string_append_printf(text, any ? " of %s" : " none of %s", all);
    return g_string_free(text, FALSE);
}

/* ---- the instant under the pointer ---- */

static void motion_cb(GtkEventControllerMotion *motion, double x, double y, PmLaneCell *cell)
{
    if (!cell->state || !cell->lanes)
        return;
    const PmTimescale scale = {cell->lanes->from, cell->lanes->to,
                               gtk_widget_get_width(GTK_WIDGET(cell))};
    pm_state_set_pointed(cell->state, pm_timescale_at(&scale, x));
}

static void leave_cb(GtkEventControllerMotion *motion, PmLaneCell *cell)
{
    if (cell->state)
        pm_state_set_pointed(cell->state, G_MININT64);
}

static void changed_cb(PmState *state, guint mask, PmLaneCell *cell)
{
    if (mask & PM_CHANGE_POINTED)
        gtk_widget_queue_draw(GTK_WIDGET(cell));
}

static void snapshot_pointed(PmLaneCell *cell, GtkSnapshot *snapshot)
{
    const gint64 at = pm_state_get_pointed(cell->state);
    const PmTimescale scale = {cell->lanes->from, cell->lanes->to,
                               gtk_widget_get_width(GTK_WIDGET(cell))};
    GdkRGBA hair;

    if (at < scale.from || at > scale.to)
        return;
    pm_palette_color(PM_COLOR_INK, cell->dark, &hair);
    hair.alpha = 0.5f;
    gtk_snapshot_append_color(snapshot, &hair,
                              &GRAPHENE_RECT_INIT(floorf((float)pm_timescale_x(&scale, at)), 0, 1,
                                                  (float)gtk_widget_get_height(GTK_WIDGET(cell))));
}

static gboolean query_tooltip_cb(PmLaneCell *cell, int x, int y, gboolean by_key,
                                 GtkTooltip *tooltip, gpointer data)
{
    g_autofree char *text = by_key ? NULL : pm_lane_cell_text_at(cell, x);

    gtk_tooltip_set_text(tooltip, text);
    return text != NULL;
}

static void pm_lane_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmLaneCell *cell = PM_LANE_CELL(widget);

    snapshot_lane(snapshot,
                  &GRAPHENE_RECT_INIT(0, 1, (float)gtk_widget_get_width(widget),
                                      (float)gtk_widget_get_height(widget) - 2),
                  cell->lanes, cell->lane, cell->full, cell->dark);
    if (cell->recording && cell->lanes)
        snapshot_range(cell, snapshot);
    if (cell->state && cell->lanes)
        snapshot_pointed(cell, snapshot);
}

static void pm_lane_cell_dispose(GObject *object)
{
    g_clear_object(&PM_LANE_CELL(object)->state);
    G_OBJECT_CLASS(pm_lane_cell_parent_class)->dispose(object);
}

static void pm_lane_cell_class_init(PmLaneCellClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_lane_cell_dispose;
    widget_class->measure = pm_lane_cell_measure;
    widget_class->snapshot = pm_lane_cell_snapshot;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(widget_class, "pm-lane");
}

static void pm_lane_cell_init(PmLaneCell *cell)
{
    GtkEventController *motion = gtk_event_controller_motion_new();

    g_signal_connect(cell, "query-tooltip", G_CALLBACK(query_tooltip_cb), NULL);
    g_signal_connect(motion, "motion", G_CALLBACK(motion_cb), cell);
    g_signal_connect(motion, "leave", G_CALLBACK(leave_cb), cell);
    gtk_widget_add_controller(GTK_WIDGET(cell), motion);
}

GtkWidget *pm_lane_cell_new(void)
{
    return g_object_new(PM_TYPE_LANE_CELL, NULL);
}

void pm_lane_cell_set(PmLaneCell *cell, const PmLanes *lanes, guint lane, double full,
                      gboolean dark, const char *label)
{
    g_return_if_fail(PM_IS_LANE_CELL(cell));
    cell->lanes = lanes;
    cell->lane = lane;
    cell->full = full;
    cell->dark = dark;
    pm_element_set_name(GTK_WIDGET(cell), label);
    gtk_widget_queue_draw(GTK_WIDGET(cell));
}

void pm_lane_cell_set_time(PmLaneCell *cell, PmState *state, const PmRecording *recording,
                           gint64 from, gint64 to)
{
    g_return_if_fail(PM_IS_LANE_CELL(cell) && PM_IS_STATE(state));
    if (!cell->state) {
        cell->state = g_object_ref(state);
        g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), cell, 0);
    }
    cell->recording = recording;
    cell->from = from;
    cell->to = to;
    gtk_widget_set_has_tooltip(GTK_WIDGET(cell), recording != NULL);
}
