#include "viewer/ui/charts/overview.h"

#include <math.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/charts/chart.h"
#include "viewer/ui/charts/loading-preview.h"
#include "viewer/ui/charts/timeline.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define EDGE_PX     5
#define DRAG_MIN_PX 3

struct _PmOverview {
    GtkWidget parent_instance;
    PmState *state;
    GskRenderNode *node;
    PmCurves *node_curves;
    int node_width, node_height, node_scale;
    double pointer_x, press_x;
    gboolean dragging;
    enum { DRAG_NEW, DRAG_FROM, DRAG_TO, DRAG_MOVE } drag;
    gint64 press_from, press_to;
};

G_DEFINE_FINAL_TYPE(PmOverview, pm_overview, GTK_TYPE_WIDGET)

static PmTimescale timescale(PmOverview *overview)
{
    PmTimescale scale = {.width_px = MAX(gtk_widget_get_width(GTK_WIDGET(overview)), 1)};

    pm_state_get_whole(overview->state, &scale.from, &scale.to);
    return scale;
}

static GskRenderNode *make_node(PmOverview *overview, int width, int height, int scale_factor)
{
    PmCurves *curves = pm_state_get_curves(overview->state);
    PmRecording *recording = pm_state_get_recording(overview->state);
    gboolean dark = pm_state_get_dark(overview->state);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    PmTimescale scale = timescale(overview);
    GdkRGBA paper, grid, gap;

    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    pm_palette_color(PM_COLOR_GRID, dark, &grid);
    pm_palette_color(PM_COLOR_GAP, dark, &gap);
    gtk_snapshot_append_color(snapshot, &paper, &GRAPHENE_RECT_INIT(0, 0, width, height));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, height - 1, width, 1));
    if (curves) {
        g_autoptr(PmRaster) raster = pm_raster_new(width, height, scale_factor);
        g_autofree PmBucket *buckets = g_new0(PmBucket, raster->width);
        pm_strip_read(curves->overview, raster->width, buckets);
        pm_chart_paint_parked_now(raster, buckets, raster->width,
                                  pm_axis_top(curves->overview->peak), dark);
        pm_chart_paint_unknown(raster, recording, &scale, &gap);
        pm_raster_snapshot(raster, snapshot, 0, 0);
    } else if (pm_state_get_loading(overview->state)->outline) {
        g_autoptr(PmRaster) raster = pm_raster_new(width, height, scale_factor);
        pm_loading_preview_paint(raster, pm_state_get_loading(overview->state)->outline, scale.from,
                                 scale.to, dark);
        pm_raster_snapshot(raster, snapshot, 0, 0);
    }
    return gtk_snapshot_free_to_node(snapshot);
}

static void visible_box(PmOverview *overview, double *ret_x0, double *ret_x1)
{
    PmTimescale scale = timescale(overview);
    gint64 from, to;

    pm_state_get_visible(overview->state, &from, &to);
    *ret_x0 = pm_timescale_x(&scale, from);
    *ret_x1 = MAX(pm_timescale_x(&scale, to), *ret_x0 + 2);
}

static void pm_overview_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmOverview *overview = PM_OVERVIEW(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget),
        scale = gtk_widget_get_scale_factor(widget);
    gboolean dark = pm_state_get_dark(overview->state);
    PmCurves *curves = pm_state_get_curves(overview->state);
    double x0, x1;
    gint64 from, to;
    GdkRGBA shade, ink, accent;

    if (!pm_state_get_recording(overview->state) || width <= 0 || height <= 0)
        return;
    if (!overview->node || overview->node_curves != curves || overview->node_width != width ||
        overview->node_height != height || overview->node_scale != scale) {
        g_clear_pointer(&overview->node, gsk_render_node_unref);
        overview->node = make_node(overview, width, height, scale);
        overview->node_curves = curves;
        overview->node_width = width;
        overview->node_height = height;
        overview->node_scale = scale;
    }
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    if (overview->node)
        gtk_snapshot_append_node(snapshot, overview->node);
    PmTimescale whole = timescale(overview);
    if (pm_state_get_range(overview->state, &from, &to)) {
        pm_palette_color(PM_COLOR_ACCENT, dark, &accent);
        double r0 = pm_timescale_x(&whole, from), r1 = pm_timescale_x(&whole, to);
        gtk_snapshot_append_color(snapshot, &accent,
                                  &GRAPHENE_RECT_INIT(r0, height - 3, MAX(r1 - r0, 2), 3));
    }
    visible_box(overview, &x0, &x1);
    if (x0 > 0.5 || x1 < width - 0.5) {
        pm_palette_color(PM_COLOR_PAPER, dark, &shade);
        pm_palette_color(PM_COLOR_INK, dark, &ink);
        shade.alpha = 0.6f;
        gtk_snapshot_append_color(snapshot, &shade, &GRAPHENE_RECT_INIT(0, 0, MAX(x0, 0), height));
        gtk_snapshot_append_color(snapshot, &shade,
                                  &GRAPHENE_RECT_INIT(x1, 0, MAX(width - x1, 0), height));
        GdkRGBA frame = ink;
        frame.alpha = 0.6f;
        GskRoundedRect outline;
        gsk_rounded_rect_init_from_rect(
            &outline, &GRAPHENE_RECT_INIT(floor(x0), 0, ceil(x1 - x0), height), 3);
        gtk_snapshot_append_border(snapshot, &outline, (float[4]){1, 1, 1, 1},
                                   (GdkRGBA[4]){frame, frame, frame, frame});
        /* Handles: what looks as if one could take hold of it. */
        gtk_snapshot_append_color(snapshot, &ink,
                                  &GRAPHENE_RECT_INIT(floor(x0), height / 2 - 6, 3, 12));
        gtk_snapshot_append_color(snapshot, &ink,
                                  &GRAPHENE_RECT_INIT(ceil(x1) - 3, height / 2 - 6, 3, 12));
    }
    pm_palette_snapshot_focus(widget, snapshot, dark);
    gtk_snapshot_pop(snapshot);
}

static void pm_overview_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                int *minimum, int *natural, int *minimum_baseline,
                                int *natural_baseline)
{
    *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : PM_OVERVIEW_HEIGHT;
}

static int part_at(PmOverview *overview, double x)
{
    double x0, x1;
    int width = gtk_widget_get_width(GTK_WIDGET(overview));

    visible_box(overview, &x0, &x1);
    if (x0 <= 0.5 && x1 >= width - 0.5)
        return DRAG_NEW;
    if (fabs(x - x0) <= EDGE_PX || fabs(x - x1) <= EDGE_PX)
        return fabs(x - x0) < fabs(x - x1) ? DRAG_FROM : DRAG_TO;
    return x > x0 && x < x1 ? DRAG_MOVE : DRAG_NEW;
}

static void motion_cb(GtkEventControllerMotion *motion, double x, double y, gpointer data)
{
    static const char *const cursors[] = {[DRAG_NEW] = "crosshair",
                                          [DRAG_FROM] = "ew-resize",
                                          [DRAG_TO] = "ew-resize",
                                          [DRAG_MOVE] = "grab"};
    PmOverview *overview = data;

    overview->pointer_x = x;
    gtk_widget_set_cursor_from_name(GTK_WIDGET(overview), cursors[part_at(overview, x)]);
}

static gboolean scroll_cb(GtkEventControllerScroll *scroll, double dx, double dy, gpointer data)
{
    PmOverview *overview = data;
    PmTimescale scale = timescale(overview);

    return pm_timeline_scroll(overview->state, scroll, dx, dy,
                              pm_timescale_at(&scale, overview->pointer_x), scale.width_px);
}

static void drag_begin_cb(GtkGestureDrag *gesture, double x, double y, gpointer data)
{
    PmOverview *overview = data;

    gtk_widget_grab_focus(GTK_WIDGET(overview));
    overview->press_x = x;
    overview->dragging = FALSE;
    overview->drag = part_at(overview, x);
    pm_state_get_visible(overview->state, &overview->press_from, &overview->press_to);
}

static void drag_update_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmOverview *overview = data;
    PmTimescale scale = timescale(overview);

    if (!overview->dragging && fabs(dx) < DRAG_MIN_PX)
        return;
    if (!overview->dragging) {
        overview->dragging = TRUE;
        pm_state_begin_drag(overview->state);
    }
    gint64 anchor = pm_timescale_at(&scale, overview->press_x),
           at = pm_timescale_at(&scale, overview->press_x + dx);
    gint64 from = overview->press_from, to = overview->press_to;
    switch (overview->drag) {
    case DRAG_NEW:
        from = MIN(anchor, at);
        to = MAX(anchor, at);
        break;
    case DRAG_FROM:
        from = MIN(at, to);
        to = MAX(at, to);
        break;
    case DRAG_TO:
        to = MAX(at, from);
        from = MIN(at, from);
        break;
    case DRAG_MOVE: {
        gint64 delta = (gint64)(dx / scale.width_px * (double)(scale.to - scale.from));
        from += delta;
        to += delta;
        break;
    }
    }
    pm_state_set_visible(overview->state, from, to);
}

static void drag_end_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmOverview *overview = data;

    if (overview->dragging) {
        overview->dragging = FALSE;
        pm_state_end_drag(overview->state);
    }
}

const char *pm_overview_title(PmState *state)
{
    const PmLoading *loading = pm_state_get_loading(state);

    return loading->end_only      ? "Only the end"
           : loading->newest_only ? "The newest"
           : loading->partial     ? "What was read"
                                  : "Whole recording";
}

static void changed_cb(PmState *state, guint mask, PmOverview *overview)
{
    if (mask & PM_CHANGE_LOADING)
        pm_element_set_name(GTK_WIDGET(overview), pm_overview_title(state));
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_LOADING | PM_CHANGE_CURVES | PM_CHANGE_DARK))
        g_clear_pointer(&overview->node, gsk_render_node_unref);
    if (mask & (PM_CHANGE_VISIBLE | PM_CHANGE_RECORDING)) {
        PmRecording *recording = pm_state_get_recording(state);
        gint64 from, to;
        pm_state_get_visible(state, &from, &to);
        if (recording) {
            g_autofree char *from_text = pm_label_clock(recording, from, 3);
            g_autofree char *to_text = pm_label_clock(recording, to, 3);
            g_autofree char *text = g_strdup_printf("%s to %s is shown", from_text, to_text);
            gtk_accessible_update_property(GTK_ACCESSIBLE(overview),
                                           GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
        }
    }
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_LOADING | PM_CHANGE_CURVES | PM_CHANGE_DARK |
                PM_CHANGE_VISIBLE | PM_CHANGE_RANGE))
        gtk_widget_queue_draw(GTK_WIDGET(overview));
}

static void pm_overview_dispose(GObject *object)
{
    PmOverview *overview = PM_OVERVIEW(object);

    g_clear_pointer(&overview->node, gsk_render_node_unref);
    g_clear_object(&overview->state);
    G_OBJECT_CLASS(pm_overview_parent_class)->dispose(object);
}

static void pm_overview_class_init(PmOverviewClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_overview_dispose;
    pm_element_class_painted(class, "overview", pm_overview_measure, pm_overview_snapshot);
}

static void pm_overview_init(PmOverview *overview)
{
    GtkWidget *widget = GTK_WIDGET(overview);

    pm_element_listen(widget, gtk_event_controller_motion_new(), overview, "motion",
                      G_CALLBACK(motion_cb), NULL);
    pm_timeline_listen(widget, scroll_cb, drag_begin_cb, drag_update_cb, drag_end_cb);
    pm_element_set_name(widget, "Whole recording");
}

GtkWidget *pm_overview_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmOverview *overview = g_object_new(PM_TYPE_OVERVIEW, NULL);

    overview->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), overview, 0);
    return GTK_WIDGET(overview);
}
