#include "viewer/ui/charts/timeline.h"

#include <math.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/text.h"
#include "viewer/report/unit.h"
#include "viewer/ui/charts/memory-chart.h"
#include "viewer/ui/charts/timeline-picture.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/timescale.h"
#include "viewer/report/unit.h"

#define EDGE_PX     5
#define DRAG_MIN_PX 4
#define ZOOM_STEP   0.8
#define PAN_STEP    0.1

struct _PmTimeline {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *pill, *pill_label;
    GtkWidget *menu; /* of the second button; NULL until first asked for */

    PmTimelinePicture *picture;
    PmTimelinePointer pointer;
    enum { DRAG_NEW, DRAG_FROM, DRAG_TO } drag;
    gint64 drag_anchor;
    double press_x;
};

G_DEFINE_FINAL_TYPE(PmTimeline, pm_timeline, GTK_TYPE_WIDGET)

static void pm_timeline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmTimeline *timeline = PM_TIMELINE(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);

    if (!pm_state_get_recording(timeline->state) || width <= 0 || height <= 0)
        return;
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    if (pm_timeline_picture_snapshot(timeline->picture, snapshot)) {
        gtk_widget_snapshot_child(widget, timeline->pill, snapshot);
        pm_timeline_picture_snapshot_pointer(timeline->picture, snapshot, &timeline->pointer);
    }
    gtk_snapshot_pop(snapshot);
}

static void pm_timeline_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                int *minimum, int *natural, int *minimum_baseline,
                                int *natural_baseline)
{
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        *minimum = 200;
        *natural = 800;
    } else {
        *minimum = PM_TIMELINE_MIN_HEIGHT;
        *natural = PM_TIMELINE_NATURAL_HEIGHT;
    }
    gtk_widget_measure(PM_TIMELINE(widget)->pill, orientation, -1, NULL, NULL, NULL, NULL);
}

/* The pill with the range's duration sits in the middle of what of the range is visible. */
static void pm_timeline_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    PmTimeline *timeline = PM_TIMELINE(widget);
    PmTimescale scale = pm_timeline_picture_scale(timeline->picture);
    gint64 from, to;
    int pill_width, pill_height;
    gboolean any = pm_state_get_range(timeline->state, &from, &to);
    gboolean visible = any && to > scale.from && from < scale.to;

    if (timeline->menu)
        gtk_popover_present(GTK_POPOVER(timeline->menu));
    gtk_widget_set_child_visible(timeline->pill, visible);
    if (!visible)
        return;
    gtk_widget_measure(timeline->pill, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &pill_width, NULL,
                       NULL);
    gtk_widget_measure(timeline->pill, GTK_ORIENTATION_VERTICAL, -1, NULL, &pill_height, NULL,
                       NULL);
    double x0 = CLAMP(pm_timescale_x(&scale, from), 0, width),
           x1 = CLAMP(pm_timescale_x(&scale, to), 0, width);
    int x = CLAMP((int)((x0 + x1 - pill_width) / 2), 0, MAX(width - pill_width, 0));
    gtk_widget_size_allocate(timeline->pill, &(GtkAllocation){x, 2, pill_width, pill_height}, -1);
}

gboolean pm_timeline_scroll(PmState *state, GtkEventControllerScroll *scroll, double dx, double dy,
                            gint64 anchor, double width_px)
{
    g_return_val_if_fail(PM_IS_STATE(state), FALSE);
    GdkModifierType modifiers =
        gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(scroll));
    gboolean wheel = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL;

    if (modifiers & GDK_CONTROL_MASK) {
        double notches = wheel ? dy : dy / 40;
        pm_state_zoom(state, pow(ZOOM_STEP, -notches), anchor);
        return TRUE;
    }
    double delta = fabs(dx) > fabs(dy) ? dx : dy;
    pm_state_pan(state, wheel ? delta * PAN_STEP : delta / MAX(width_px, 1));
    return TRUE;
}

static gboolean scroll_cb(GtkEventControllerScroll *scroll, double dx, double dy, gpointer data)
{
    PmTimeline *timeline = data;
    PmTimescale scale = pm_timeline_picture_scale(timeline->picture);

    return pm_timeline_scroll(timeline->state, scroll, dx, dy,
                              pm_timescale_at(&scale, timeline->pointer.x), scale.width_px);
}

/* Which edge of the range is under x: DRAG_FROM, DRAG_TO, or DRAG_NEW for none. */
static int edge_at(PmTimeline *timeline, double x)
{
    PmTimescale scale = pm_timeline_picture_scale(timeline->picture);
    gint64 from, to;

    if (!pm_state_get_range(timeline->state, &from, &to))
        return DRAG_NEW;
    double to_from = fabs(x - pm_timescale_x(&scale, from)),
           to_to = fabs(x - pm_timescale_x(&scale, to));
    if (MIN(to_from, to_to) > EDGE_PX)
        return DRAG_NEW;
    return to_from < to_to ? DRAG_FROM : DRAG_TO;
}

static void hover(PmTimeline *timeline)
{
    const PmTimelinePointer *pointer = &timeline->pointer;
    PmAspect aspect = 0;
    guint64 key = 0;
    const gboolean any =
        pointer->inside && !pointer->dragging &&
        pm_timeline_picture_band_at(timeline->picture, pointer->x, pointer->y, &aspect, &key);

    pm_state_set_hover(timeline->state, any, aspect, key);
    const PmTimescale scale = pm_timeline_picture_scale(timeline->picture);
    pm_state_set_pointed(timeline->state, pointer->inside && !pointer->dragging
                                              ? pm_timescale_at(&scale, pointer->x)
                                              : G_MININT64);
    gtk_widget_set_cursor_from_name(GTK_WIDGET(timeline),
                                    edge_at(timeline, timeline->pointer.x) != DRAG_NEW ? "ew-resize"
                                                                                       : NULL);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

static void motion_cb(GtkEventControllerMotion *motion, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;

    timeline->pointer.x = x;
    timeline->pointer.y = y;
    timeline->pointer.inside = gtk_widget_contains(GTK_WIDGET(timeline), x, y) &&
                               !pm_element_is_under_menu(GTK_WIDGET(timeline));
    hover(timeline);
}

static void leave_cb(GtkEventControllerMotion *motion, gpointer data)
{
    PmTimeline *timeline = data;

    timeline->pointer.inside = FALSE;
    hover(timeline);
}

static void drag_begin_cb(GtkGestureDrag *gesture, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;
    PmTimescale scale = pm_timeline_picture_scale(timeline->picture);
    gint64 from, to;

    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    timeline->pointer.dragging = FALSE;
    timeline->press_x = x;
    timeline->drag = edge_at(timeline, x);
    timeline->drag_anchor = pm_timescale_at(&scale, x);
    if (timeline->drag != DRAG_NEW && pm_state_get_range(timeline->state, &from, &to))
        timeline->drag_anchor = timeline->drag == DRAG_FROM ? to : from;
}

static void drag_update_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmTimeline *timeline = data;
    PmTimescale scale = pm_timeline_picture_scale(timeline->picture);

    if (!timeline->pointer.dragging) {
        if (fabs(dx) < DRAG_MIN_PX)
            return;
        timeline->pointer.dragging = TRUE;
        pm_state_begin_drag(timeline->state);
    }
    timeline->pointer.x = timeline->press_x + dx;
    gint64 at = pm_timescale_at(&scale, timeline->press_x + dx);
    pm_state_set_range(timeline->state, MIN(at, timeline->drag_anchor),
                       MAX(at, timeline->drag_anchor));
}

static void drag_end_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmTimeline *timeline = data;

    if (timeline->pointer.dragging) {
        timeline->pointer.dragging = FALSE;
        pm_state_end_drag(timeline->state);
    }
}

static void click_cb(GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;
    PmAspect aspect;
    guint64 key;

    if (fabs(x - timeline->press_x) >= DRAG_MIN_PX || !pm_state_get_curves(timeline->state))
        return;
    if (!pm_timeline_picture_band_at(timeline->picture, x, y, &aspect, &key)) {
        if (n_press == 1)
            pm_state_set_selection(timeline->state, NULL);
        return;
    }
    pm_state_select_key(timeline->state, aspect, key);
    if (n_press == 2)
        pm_state_filter_selection(timeline->state, FALSE);
}

/* What can be done with the selected band, if there is one, and with the range. */
static void popup_menu(PmTimeline *timeline, gboolean band, double x, double y)
{
    enum { OF_BAND = 2 };
    static const char *const items[][2] = {{"Only this", "win.filter-in"},
                                           {"All but this", "win.filter-out"},
                                           {"Zoom to the range", "win.zoom-range"},
                                           {"Clear the range", "win.clear-range"},
                                           {"Whole recording", "win.whole"}};
    g_autoptr(GMenu) menu = g_menu_new();

    for (guint i = band ? 0 : OF_BAND; i < G_N_ELEMENTS(items); i++)
        g_menu_append(menu, items[i][0], items[i][1]);
    if (!timeline->menu) {
        timeline->menu = gtk_popover_menu_new_from_model(NULL);
        gtk_popover_set_has_arrow(GTK_POPOVER(timeline->menu), FALSE);
        gtk_widget_set_halign(timeline->menu, GTK_ALIGN_START);
        gtk_widget_set_parent(timeline->menu, GTK_WIDGET(timeline));
    }
    gtk_popover_menu_set_menu_model(GTK_POPOVER_MENU(timeline->menu), G_MENU_MODEL(menu));
    gtk_popover_set_pointing_to(GTK_POPOVER(timeline->menu), &(GdkRectangle){(int)x, (int)y, 1, 1});
    gtk_popover_popup(GTK_POPOVER(timeline->menu));
}

static void secondary_cb(GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;
    PmAspect aspect;
    guint64 key;

    if (!pm_state_get_curves(timeline->state))
        return;
    const gboolean band = pm_timeline_picture_band_at(timeline->picture, x, y, &aspect, &key);
    if (band)
        pm_state_select_key(timeline->state, aspect, key);
    popup_menu(timeline, band, x, y);
}

static void menu_action(GtkWidget *widget, const char *action, GVariant *parameter)
{
    PmTimeline *timeline = PM_TIMELINE(widget);

    if (pm_state_get_curves(timeline->state))
        popup_menu(timeline, pm_timeline_picture_selected_band(timeline->picture) >= 0,
                   gtk_widget_get_width(widget) / 2.0, gtk_widget_get_height(widget) / 2.0);
}

/* Up and Down walk the bands from below to above, so the keyboard selects what a click does. */
static void walk_bands(GtkWidget *widget, const char *action, GVariant *parameter)
{
    PmTimeline *timeline = PM_TIMELINE(widget);
    PmCurves *curves = pm_state_get_curves(timeline->state);
    const PmMemorySeries *memory = pm_state_get_chart_memory(timeline->state);
    int n = memory ? (int)memory->n_bands : curves ? (int)pm_band_order_n(curves->order) : 0;

    if (n == 0)
        return;
    int band = pm_timeline_picture_selected_band(timeline->picture);
    gboolean up = g_str_equal(action, "chart.band-up");
    band = band < 0 ? (up ? 0 : n - 1) : CLAMP(band + (up ? 1 : -1), 0, n - 1);
    if (memory)
        pm_state_select_key(timeline->state, (PmAspect)memory->band_aspect,
                            memory->bands[band].key);
    else
        pm_state_select_key(timeline->state, curves->aspect,
                            pm_band_order_get(curves->order, band)->key);
}

/* "; FutureTask (973) · A.b, join, 29.8 threads; …": each band, the lowest first. */
static void append_bands(GString *text, PmCurves *curves, gint64 from, gint64 to)
{
    const guint n = pm_band_order_n(curves->order);
    g_autofree double *means = g_new0(double, n + 1);

    pm_bands_read(curves->bands, from, to, 1, means);
    for (guint i = 0; i < n; i++) {
        const PmBand *band = pm_band_order_get(curves->order, i);
        g_autofree char *name =
            pm_aspect_key_text(curves->view->recording, curves->aspect, band->key);
        g_autofree char *mean = pm_number_mean(means[i]);
        g_string_append_printf(text, "; %s, %s, %s threads on average", name,
                               pm_family_name(pm_category_family(band->category)), mean);
    }
    if (means[n] > 0) {
        g_autofree char *mean = pm_number_mean(means[n]);
        g_string_append_printf(text, "; others, %s threads on average", mean);
    }
}

/* The chart in words, for who cannot see it. */
static void describe(PmTimeline *timeline)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    gint64 from, to;

    if (!recording)
        return;
    pm_state_get_visible(timeline->state, &from, &to);
    const PmMemorySeries *memory = pm_state_get_chart_memory(timeline->state);
    if (memory) {
        g_autofree char *said = pm_memory_chart_text(memory, from, to);
        g_autofree char *clean = pm_text_clean(said);
        gtk_accessible_update_property(GTK_ACCESSIBLE(timeline),
                                       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, clean, -1);
        return;
    }
    g_autofree char *from_text = pm_label_clock(recording, from, 3);
    g_autofree char *to_text = pm_label_clock(recording, to, 3);
    PmCurves *curves = pm_state_get_curves(timeline->state);
    g_autofree char *threads = pm_unit_count(
        curves ? pm_parked_now_peak(curves->parked_now, from, to) : 0, "thread", "threads");
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%s to %s, at most %s waiting at once", from_text, to_text, threads);
    if (curves && curves->bands)
        append_bands(text, curves, from, to);
    g_autofree char *clean = pm_text_clean(text->str);
    gtk_accessible_update_property(GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   clean, -1);
}

static void changed_cb(PmState *state, guint mask, PmTimeline *timeline)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES | PM_CHANGE_DARK)) {
        if (!pm_state_get_recording(state))
            pm_timeline_picture_forget(timeline->picture);
    }
    if (mask & PM_CHANGE_RESULTS)
        pm_timeline_picture_outdate(timeline->picture);
    if (mask & PM_CHANGE_RANGE) {
        gint64 from, to;
        pm_state_get_range(state, &from, &to);
        g_autofree char *text = pm_label_duration(to - from);
        gtk_label_set_text(GTK_LABEL(timeline->pill_label), text);
    }
    if (mask & (PM_CHANGE_RANGE | PM_CHANGE_VISIBLE | PM_CHANGE_RECORDING))
        gtk_widget_queue_allocate(GTK_WIDGET(timeline));
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES | PM_CHANGE_DARK | PM_CHANGE_VISIBLE |
                PM_CHANGE_RANGE | PM_CHANGE_SELECTION | PM_CHANGE_HOVER | PM_CHANGE_RESULTS |
                PM_CHANGE_PAGE | PM_CHANGE_POINTED))
        gtk_widget_queue_draw(GTK_WIDGET(timeline));
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES | PM_CHANGE_VISIBLE | PM_CHANGE_PAGE))
        describe(timeline);
}

static void pm_timeline_dispose(GObject *object)
{
    PmTimeline *timeline = PM_TIMELINE(object);

    g_clear_pointer(&timeline->picture, pm_timeline_picture_free);
    g_clear_pointer(&timeline->pill, gtk_widget_unparent);
    g_clear_pointer(&timeline->menu, gtk_widget_unparent);
    g_clear_object(&timeline->state);
    G_OBJECT_CLASS(pm_timeline_parent_class)->dispose(object);
}

static void pm_timeline_class_init(PmTimelineClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_timeline_dispose;
    pm_element_class_painted(class, "timeline", pm_timeline_measure, pm_timeline_snapshot);
    widget_class->size_allocate = pm_timeline_size_allocate;
    gtk_widget_class_install_action(widget_class, "chart.band-up", NULL, walk_bands);
    gtk_widget_class_install_action(widget_class, "chart.band-down", NULL, walk_bands);
    gtk_widget_class_install_action(widget_class, "chart.menu", NULL, menu_action);
}

static GtkWidget *pill_button(const char *icon, const char *action, const char *name)
{
    GtkWidget *button = pm_element_icon_button(icon, action, name);

    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_focus_on_click(button, FALSE);
    return button;
}

void pm_timeline_listen(GtkWidget *widget, PmScrollCb scroll, PmDragCb begin, PmDragCb update,
                        PmDragCb end)
{
    gtk_widget_set_focusable(widget, TRUE);
    pm_element_listen(widget,
                      gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES),
                      widget, "scroll", G_CALLBACK(scroll), NULL);
    pm_element_listen(widget, gtk_gesture_drag_new(), widget, "drag-begin", G_CALLBACK(begin),
                      "drag-update", G_CALLBACK(update), "drag-end", G_CALLBACK(end), NULL);
    pm_keys_bind(widget, PM_KEYS_CHART);
    pm_keys_bind(widget, PM_KEYS_TIME);
}

static void pm_timeline_init(PmTimeline *timeline)
{
    GtkWidget *widget = GTK_WIDGET(timeline);
    GtkGesture *secondary = gtk_gesture_click_new();

    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);

    timeline->pill = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(timeline->pill, "range-pill");
    timeline->pill_label = gtk_label_new("");
    gtk_box_append(GTK_BOX(timeline->pill), timeline->pill_label);
    gtk_box_append(GTK_BOX(timeline->pill),
                   pill_button("zoom-fit-best-symbolic", "win.zoom-range", "Zoom to the range"));
    gtk_box_append(GTK_BOX(timeline->pill),
                   pill_button("window-close-symbolic", "win.clear-range", "Clear the range"));
    gtk_widget_set_parent(timeline->pill, widget);

    pm_element_listen(widget, gtk_event_controller_motion_new(), timeline, "enter",
                      G_CALLBACK(motion_cb), "motion", G_CALLBACK(motion_cb), "leave",
                      G_CALLBACK(leave_cb), NULL);
    pm_timeline_listen(widget, scroll_cb, drag_begin_cb, drag_update_cb, drag_end_cb);
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
    pm_element_listen(widget, secondary, timeline, "pressed", G_CALLBACK(secondary_cb), NULL);
    pm_element_listen(widget, gtk_gesture_click_new(), timeline, "released", G_CALLBACK(click_cb),
                      NULL);
    pm_element_set_name(widget, "Threads waiting over time");
}

GtkWidget *pm_timeline_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmTimeline *timeline = g_object_new(PM_TYPE_TIMELINE, NULL);

    timeline->state = g_object_ref(state);
    timeline->picture = pm_timeline_picture_new(GTK_WIDGET(timeline), state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), timeline, 0);
    return GTK_WIDGET(timeline);
}

char *pm_timeline_top_text(PmTimeline *timeline, gboolean bands)
{
    g_return_val_if_fail(PM_IS_TIMELINE(timeline), NULL);
    return pm_timeline_picture_top_text(timeline->picture, bands);
}

const char *pm_timeline_label(PmTimeline *timeline, guint band)
{
    g_return_val_if_fail(PM_IS_TIMELINE(timeline), NULL);
    return pm_timeline_picture_label(timeline->picture, band);
}
