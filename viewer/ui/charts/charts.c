#include "viewer/ui/charts/charts.h"

#include "viewer/ui/charts/memory-chart.h"
#include "viewer/ui/charts/overview.h"
#include "viewer/ui/charts/timeline-picture.h"
#include "viewer/ui/charts/timeline.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define GUTTER_PX      148 /* with the usual letters */
#define MARGIN_PX      12
#define GAP_PX         6
#define TITLE_GAP_PX   6   /* least, between a title and the top of its axis */
#define TOP_GAP_PX     4   /* between that and the chart */
#define HIGH_WINDOW_PX 750 /* from here on charts and page share what a window is higher */

enum { TITLE_OVERVIEW, TITLE_PARKED, TITLE_BANDS, TITLE_MARKS, N_TITLES };

struct _PmCharts {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *overview, *timeline;
    GtkWidget *titles[N_TITLES];
    int n_lines[N_TITLES]; /* that fit beside the chart */
    guint idle;            /* the source that writes the titles anew */
};

G_DEFINE_FINAL_TYPE(PmCharts, pm_charts, GTK_TYPE_WIDGET)

int pm_charts_height_for(int window_height)
{
    /* A low window has few rows to spare, so there the charts grow with it from their least. */
    int timeline = PM_TIMELINE_MIN_HEIGHT + (window_height - 550) / 2;

    timeline = CLAMP(timeline, PM_TIMELINE_MIN_HEIGHT, PM_TIMELINE_NATURAL_HEIGHT);
    if (window_height > HIGH_WINDOW_PX)
        timeline += (window_height - HIGH_WINDOW_PX) / 3;
    return PM_OVERVIEW_HEIGHT + GAP_PX + timeline;
}

static int gutter_px(PmCharts *charts)
{
    return (int)(GUTTER_PX * pm_element_letter_scale(GTK_WIDGET(charts)));
}

static void pm_charts_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                              int *minimum, int *natural, int *minimum_baseline,
                              int *natural_baseline)
{
    PmCharts *charts = PM_CHARTS(widget);
    int child_minimum, child_natural;

    gtk_widget_measure(charts->timeline, orientation, -1, &child_minimum, &child_natural, NULL,
                       NULL);
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        *minimum = gutter_px(charts) + 2 * MARGIN_PX + child_minimum;
        *natural = gutter_px(charts) + 2 * MARGIN_PX + child_natural;
    } else {
        *minimum = PM_OVERVIEW_HEIGHT + GAP_PX + child_minimum;
        *natural = PM_OVERVIEW_HEIGHT + GAP_PX + child_natural;
    }
    for (int i = 0; i < N_TITLES; i++)
        gtk_widget_measure(charts->titles[i], orientation, -1, NULL, NULL, NULL, NULL);
    gtk_widget_measure(charts->overview, orientation, -1, NULL, NULL, NULL, NULL);
}

static void allocate(GtkWidget *child, int x, int y, int width, int height)
{
    gtk_widget_size_allocate(child, &(GtkAllocation){x, y, width, height}, -1);
}

static void update(PmCharts *charts);

static gboolean update_cb(gpointer data)
{
    PmCharts *charts = data;

    charts->idle = 0;
    update(charts);
    return G_SOURCE_REMOVE;
}

static int line_height(GtkWidget *label, const char *markup)
{
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(label, NULL);
    int height;

    pango_layout_set_markup(layout, markup, -1);
    pango_layout_get_pixel_size(layout, NULL, &height);
    return height;
}

/* Large letters, or a low window: what does not fit beside the chart would lie over the next. */
static void fit_title(PmCharts *charts, int title, int height)
{
    int first = line_height(charts->titles[title], "A"),
        other = MAX(line_height(charts->titles[title], "<small>A</small>"), 1),
        n = height < first ? 1 : 1 + (height - first) / other;

    if (n == charts->n_lines[title])
        return;
    charts->n_lines[title] = n;
    if (!charts->idle) /* not while sizes are given, but before anything else is drawn */
        charts->idle = g_idle_add_full(G_PRIORITY_HIGH_IDLE, update_cb, charts, NULL);
}

static void pm_charts_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    PmCharts *charts = PM_CHARTS(widget);
    int x = MARGIN_PX + gutter_px(charts), chart_width = MAX(width - x - MARGIN_PX, 200),
        y = PM_OVERVIEW_HEIGHT + GAP_PX, timeline_height = height - y;
    int title_width = gutter_px(charts) - 8;
    PmTimelineRows rows;

    pm_timeline_rows(charts->timeline, timeline_height, &rows);
    fit_title(charts, TITLE_PARKED, rows.parked_height);
    fit_title(charts, TITLE_BANDS, rows.bands_height);
    allocate(charts->overview, x, 0, chart_width, PM_OVERVIEW_HEIGHT);
    allocate(charts->timeline, x, y, chart_width, timeline_height);
    allocate(charts->titles[TITLE_OVERVIEW], MARGIN_PX, 0, title_width, PM_OVERVIEW_HEIGHT);
    allocate(charts->titles[TITLE_PARKED], MARGIN_PX, y + rows.parked_y, title_width,
             rows.parked_height);
    allocate(charts->titles[TITLE_BANDS], MARGIN_PX, y + rows.bands_y, title_width,
             rows.bands_height);
    allocate(charts->titles[TITLE_MARKS], MARGIN_PX, y + rows.marks_y - 2, title_width,
             timeline_height - rows.marks_y + 2);
}

static GtkWidget *title_new(GtkWidget *parent, GtkAlign align)
{
    GtkWidget *label = gtk_label_new("");

    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_yalign(GTK_LABEL(label), 0);
    gtk_widget_set_valign(label, align);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(label, "chart-title");
    gtk_widget_set_parent(label, parent);
    return label;
}

/* As many of `lines` under the name as there is room for, up to the first NULL; where there is but
 * one line, `brief` is it, if there is one. */
static void set_title(PmCharts *charts, int title, const char *name, const char *const *lines,
                      const char *brief)
{
    const int n = charts->n_lines[title];
    g_autofree char *first = n == 1 && brief ? g_markup_printf_escaped("<small>%s</small>", brief)
                                             : g_markup_escape_text(name, -1);
    g_autoptr(GString) markup = g_string_new(first);

    for (int i = 0; lines[i] && i + 1 < n; i++) {
        g_autofree char *line = g_markup_printf_escaped("\n<small>%s</small>", lines[i]);
        g_string_append(markup, line);
    }
    gtk_label_set_markup(GTK_LABEL(charts->titles[title]), markup->str);
}

static void set_memory_titles(PmCharts *charts, const PmMemorySeries *memory, gint64 from,
                              gint64 to)
{
    g_autofree char *bounds = NULL, *peak = NULL;
    g_autofree char *rate = pm_memory_chart_rate_text(memory, from, to, &peak);
    g_autofree char *live = pm_memory_chart_live_text(memory, to, &bounds);
    g_autofree char *by = g_strdup_printf("by %s", pm_memory_aspect_name(memory->band_aspect));
    g_autofree char *mean = rate ? g_strconcat(rate, " on average", NULL) : NULL;
    g_autofree char *rate_brief = rate ? g_strconcat("Alloc. ", rate, NULL) : NULL;
    g_autofree char *at_end =
        live ? g_strconcat(live, " at the end", NULL) : g_strdup("not known by thread");
    g_autofree char *live_brief = live ? g_strconcat("Live ", live, NULL) : NULL;

    set_title(charts, TITLE_PARKED, "Allocated", (const char *[]){mean, peak, NULL}, rate_brief);
    set_title(charts, TITLE_BANDS, "Live",
              (const char *[]){at_end, bounds ? bounds : by, bounds ? by : NULL, NULL}, live_brief);
}

/* The parked-now title says what is true at the end of the range and its peak; thread-time its
 * mean. */
static void update(PmCharts *charts)
{
    PmRecording *recording = pm_state_get_recording(charts->state);
    PmCurves *curves = pm_state_get_curves(charts->state);
    PmView *view = pm_state_get_view(charts->state);
    g_autofree char *parked = NULL, *peak = NULL, *parked_brief = NULL, *bands = NULL,
                    *bands_brief = NULL, *by = NULL, *marks = NULL;
    gint64 from, to;

    if (!recording)
        return;
    pm_state_get_range(charts->state, &from, &to);
    if (curves) {
        g_autofree char *most = pm_number_count(pm_parked_now_peak(curves->parked_now, from, to));
        g_autofree char *end = pm_number_count(pm_parked_now_at(curves->parked_now, to));

        const gboolean bound =
            recording->facts.dropped > 0 || (view && view->known < view->to - view->from);
        g_autofree char *marked = pm_number_bound(bound, most);
        peak = g_strdup_printf("peak %s", marked);
        parked = g_strdup_printf("%s at the end", end);
        parked_brief = g_strdup_printf("Parked, %s", peak);
    }
    if (view && view->known > 0) {
        g_autofree char *mean = pm_number_mean((double)view->thread_time / (double)view->known);
        g_autofree char *aspect = g_utf8_strdown(pm_aspect_title(curves ? curves->aspect : 0), -1);

        bands = g_strdup_printf("%s threads", mean);
        bands_brief = g_strdup_printf("Thread-time %s", mean);
        by = g_strdup_printf(
            "by %s%s", aspect,
            curves && curves->bands && pm_bands_are_estimated(curves->bands) ? ", estimated" : "");
    }
    const gboolean outline = !curves && pm_state_get_loading(charts->state)->outline;
    set_title(charts, TITLE_OVERVIEW, pm_overview_title(charts->state),
              (const char *[]){outline ? "outline: means" : NULL, NULL}, NULL);
    const PmMemorySeries *memory = pm_state_get_chart_memory(charts->state);
    if (memory) {
        set_memory_titles(charts, memory, from, to);
    } else {
        set_title(charts, TITLE_PARKED, "Parked now", (const char *[]){peak, parked, NULL},
                  parked_brief);
        set_title(charts, TITLE_BANDS, "Thread-time", (const char *[]){bands, by, NULL},
                  bands_brief);
    }
    marks = g_strdup_printf("<small>GC %u%s%s%s</small>", recording->n_gc,
                            recording->n_gaps > 0 ? " · gaps ╳" : "",
                            recording->n_stopped == 0                      ? ""
                            : pm_state_get_loading(charts->state)->partial ? " · unread ╳"
                                                                           : " · stopped ╳",
                            recording->n_damage > 0 ? " · damage ╳" : "");
    gtk_label_set_markup(GTK_LABEL(charts->titles[TITLE_MARKS]), marks);
}

static void changed_cb(PmState *state, guint mask, PmCharts *charts)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_LOADING | PM_CHANGE_RENEWED | PM_CHANGE_CURVES |
                PM_CHANGE_RESULTS | PM_CHANGE_RANGE | PM_CHANGE_PAGE))
        update(charts);
}

gboolean pm_charts_place_top(PmCharts *charts, gboolean bands, PangoLayout **ret_layout,
                             GdkRectangle *ret_place)
{
    g_return_val_if_fail(PM_IS_CHARTS(charts), FALSE);
    GtkWidget *widget = GTK_WIDGET(charts),
              *title = charts->titles[bands ? TITLE_BANDS : TITLE_PARKED];
    g_autofree char *text = pm_timeline_top_text(PM_TIMELINE(charts->timeline), bands);
    g_autofree char *markup = text ? g_markup_printf_escaped("<small>%s</small>", text) : NULL;
    graphene_rect_t bounds;
    PangoRectangle line;

    if (!text || !gtk_widget_compute_bounds(title, widget, &bounds))
        return FALSE;
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, NULL);
    pango_layout_set_markup(layout, markup, -1);
    pango_layout_get_pixel_size(layout, &ret_place->width, &ret_place->height);
    ret_place->x = MARGIN_PX + gutter_px(charts) - TOP_GAP_PX - ret_place->width;
    ret_place->y = (int)bounds.origin.y;
    pango_layout_line_get_pixel_extents(
        pango_layout_get_line_readonly(gtk_label_get_layout(GTK_LABEL(title)), 0), NULL, &line);
    if (MARGIN_PX + line.width + TITLE_GAP_PX > ret_place->x)
        return FALSE;
    *ret_layout = g_steal_pointer(&layout);
    return TRUE;
}

/* What the axes reach to stands beside the charts, where no curve is under it. The timeline has
 * been drawn by then. */
static void pm_charts_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmCharts *charts = PM_CHARTS(widget);
    GdkRGBA ink;

    GTK_WIDGET_CLASS(pm_charts_parent_class)->snapshot(widget, snapshot);
    pm_palette_color(PM_COLOR_FAINT_INK, pm_state_get_dark(charts->state), &ink);
    for (int bands = 0; bands < 2; bands++) {
        g_autoptr(PangoLayout) layout = NULL;
        GdkRectangle place;
        if (!pm_charts_place_top(charts, bands, &layout, &place))
            continue;
        gtk_snapshot_save(snapshot);
        gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)place.x, (float)place.y));
        gtk_snapshot_append_layout(snapshot, layout, &ink);
        gtk_snapshot_restore(snapshot);
    }
}

static void pm_charts_dispose(GObject *object)
{
    PmCharts *charts = PM_CHARTS(object);

    g_clear_handle_id(&charts->idle, g_source_remove);
    g_clear_pointer(&charts->overview, gtk_widget_unparent);
    g_clear_pointer(&charts->timeline, gtk_widget_unparent);
    for (int i = 0; i < N_TITLES; i++)
        g_clear_pointer(&charts->titles[i], gtk_widget_unparent);
    g_clear_object(&charts->state);
    G_OBJECT_CLASS(pm_charts_parent_class)->dispose(object);
}

static void pm_charts_class_init(PmChartsClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_charts_dispose;
    widget_class->size_allocate = pm_charts_size_allocate;
    pm_element_class_painted(class, "charts", pm_charts_measure, pm_charts_snapshot);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void pm_charts_init(PmCharts *charts)
{
    pm_element_set_name(GTK_WIDGET(charts), "Charts");
}

GtkWidget *pm_charts_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmCharts *charts = g_object_new(PM_TYPE_CHARTS, NULL);

    charts->state = g_object_ref(state);
    for (int i = 0; i < N_TITLES; i++) {
        charts->n_lines[i] = 3;
        charts->titles[i] =
            title_new(GTK_WIDGET(charts), i == TITLE_OVERVIEW ? GTK_ALIGN_CENTER : GTK_ALIGN_START);
    }
    charts->overview = pm_overview_new(state);
    gtk_widget_set_parent(charts->overview, GTK_WIDGET(charts));
    charts->timeline = pm_timeline_new(state);
    gtk_widget_set_parent(charts->timeline, GTK_WIDGET(charts));
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), charts, 0);
    return GTK_WIDGET(charts);
}

GtkWidget *pm_charts_get_timeline(PmCharts *charts)
{
    g_return_val_if_fail(PM_IS_CHARTS(charts), NULL);
    return charts->timeline;
}
