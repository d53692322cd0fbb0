#include "viewer/ui/charts/timeline.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/sum.h"
#include "viewer/ui/charts/chart.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/palette.h"

#define EDGE_PX         5
#define DRAG_MIN_PX     4
#define ROW_GAP_PX      6
#define MARKS_PX        8
#define AXIS_PX         22
#define ZOOM_STEP       0.8
#define PAN_STEP        0.1
#define TEXT_BASE_ALPHA 0.9f

struct _PmTimeline {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *pill, *pill_label;

    /* What was read for the columns on the screen. */
    PmCurves *curves;
    gint64 from, to; /* what was visible then */
    double begin,
        step; /* of the columns: ns, and ns of one; columns keep to a grid while one pans */
    gsize n;  /* device columns */
    PmBucket *buckets;
    double *means;
    PmBandLook *looks;
    char **names;
    guint n_bands; /* with the others */
    double parked_top, bands_top;

    /* The picture of it. */
    GskRenderNode *node;
    int node_width, node_height, node_scale, node_lit;
    gboolean node_dark;
    PmSummary *node_summary;

    double pointer_x, pointer_y;
    gboolean pointer_inside;

    gboolean pressed, dragging;
    enum { DRAG_NEW, DRAG_FROM, DRAG_TO } drag;
    gint64 drag_anchor;
    double press_x, press_y;
};

G_DEFINE_FINAL_TYPE(PmTimeline, pm_timeline, GTK_TYPE_WIDGET)

void pm_timeline_rows(int height, PmTimelineRows *ret_rows)
{
    int rest = MAX(height - MARKS_PX - AXIS_PX - ROW_GAP_PX - 4, 40);

    ret_rows->parked_y = 0;
    ret_rows->parked_height = rest * 36 / 100;
    ret_rows->bands_y = ret_rows->parked_height + ROW_GAP_PX;
    ret_rows->bands_height = rest - ret_rows->parked_height;
    ret_rows->marks_y = ret_rows->bands_y + ret_rows->bands_height + 2;
    ret_rows->marks_height = MARKS_PX;
    ret_rows->axis_y = ret_rows->marks_y + MARKS_PX + 2;
}

static PmTimescale timescale(PmTimeline *timeline)
{
    PmTimescale scale = {.width_px = MAX(gtk_widget_get_width(GTK_WIDGET(timeline)), 1)};

    pm_state_get_visible(timeline->state, &scale.from, &scale.to);
    return scale;
}

/* The band of what is hovered or selected; −1 when it is none of this chart's. */
static int band_of(PmTimeline *timeline, gboolean any, PmAspect aspect, guint64 key)
{
    PmCurves *curves = pm_state_get_curves(timeline->state);

    if (!any || !curves || curves->aspect != aspect) {
        return -1;
    }
    return (int)pm_band_order_find(curves->order, key);
}

static int selected_band(PmTimeline *timeline)
{
    const PmSelection *selection = pm_state_get_selection(timeline->state);

    return selection->n > 0 ? band_of(timeline, TRUE, selection->aspects[0], selection->keys[0])
                            : -1;
}

static int lit_band(PmTimeline *timeline)
{
    PmAspect aspect = 0;
    guint64 key = 0;
    gboolean any = pm_state_get_hover(timeline->state, &aspect, &key);
    int hovered = band_of(timeline, any, aspect, key);

    return hovered >= 0 ? hovered : selected_band(timeline);
}

static void forget_data(PmTimeline *timeline)
{
    g_clear_pointer(&timeline->curves, pm_curves_unref);
    g_clear_pointer(&timeline->buckets, g_free);
    g_clear_pointer(&timeline->means, g_free);
    g_clear_pointer(&timeline->looks, g_free);
    g_clear_pointer(&timeline->names, g_strfreev);
    g_clear_pointer(&timeline->node, gsk_render_node_unref);
    timeline->n = 0;
}

static void read_columns(PmTimeline *timeline, gsize first, gsize n)
{
    PmCurves *curves = timeline->curves;
    gint64 from = pm_rounded(timeline->begin + (double)first * timeline->step),
           to = pm_rounded(timeline->begin + (double)(first + n) * timeline->step);

    if (n == 0) {
        return;
    }
    pm_parked_now_read(curves->parked_now, from, to, n, timeline->buckets + first);
    if (curves->bands) {
        pm_bands_read(curves->bands, from, to, n, timeline->means + first * timeline->n_bands);
    } else {
        memset(timeline->means + first * timeline->n_bands, 0,
               n * timeline->n_bands * sizeof *timeline->means);
    }
}

/* While one pans, most columns were there before: they move by whole columns, and only the new ones
 * are read. The picture is off by half a device pixel at most. FALSE when nothing can be kept. */
static gboolean shift_columns(PmTimeline *timeline, const PmTimescale *scale)
{
    double step = (double)(scale->to - scale->from) / (double)timeline->n;

    if (timeline->step <= 0 || fabs(step / timeline->step - 1) > 1e-9) {
        return FALSE;
    }
    double wanted = round(((double)scale->from - timeline->begin) / timeline->step);
    if (fabs(wanted) >= (double)timeline->n) {
        return FALSE;
    }
    gssize shift = (gssize)wanted;
    gsize kept = timeline->n - (gsize)ABS(shift), bands = timeline->n_bands;
    gsize to = shift < 0 ? (gsize)-shift : 0, from = shift > 0 ? (gsize)shift : 0;
    memmove(timeline->buckets + to, timeline->buckets + from, kept * sizeof *timeline->buckets);
    memmove(timeline->means + to * bands, timeline->means + from * bands,
            kept * bands * sizeof *timeline->means);
    timeline->begin += (double)shift * timeline->step;
    if (shift > 0) {
        read_columns(timeline, kept, timeline->n - kept);
    } else {
        read_columns(timeline, 0, timeline->n - kept);
    }
    return TRUE;
}

static void make_looks(PmTimeline *timeline)
{
    PmCurves *curves = timeline->curves;
    gboolean dark = timeline->node_dark;

    for (guint i = 0; i < timeline->n_bands; i++) {
        PmBandLook *look = &timeline->looks[i];
        if (i + 1 == timeline->n_bands) {
            pm_palette_color(PM_COLOR_OTHERS, dark, &look->color);
            timeline->names[i] = g_strdup("others");
            continue;
        }
        const PmBand *band = pm_band_order_get(curves->order, i);
        pm_palette_band(band, dark, &look->color);
        look->hatched = pm_palette_is_hatched(
            pm_category_family(band->category),
            pm_aspect_key_is_pseudo(curves->view->recording, curves->aspect, band->key));
        timeline->names[i] = pm_aspect_key_text(curves->view->recording, curves->aspect, band->key);
    }
}

/* Reads the columns on the screen, when they are not those read last. FALSE when there are none. */
static gboolean read_data(PmTimeline *timeline)
{
    PmCurves *curves = pm_state_get_curves(timeline->state);
    PmTimescale scale = timescale(timeline);
    gboolean dark = pm_state_get_dark(timeline->state);
    gsize n = (gsize)scale.width_px * gtk_widget_get_scale_factor(GTK_WIDGET(timeline));

    if (!curves) {
        forget_data(timeline);
        return FALSE;
    }
    gboolean same = timeline->curves == curves && timeline->n == n && timeline->node_dark == dark;
    if (same && timeline->from == scale.from && timeline->to == scale.to) {
        return TRUE;
    }
    if (!same) {
        pm_curves_ref(curves);
        forget_data(timeline);
        timeline->curves = curves;
        timeline->n = n;
        timeline->node_dark = dark;
        timeline->n_bands = pm_band_order_n(curves->order) + 1;
        timeline->buckets = g_new0(PmBucket, n);
        timeline->means = g_new0(double, n * timeline->n_bands);
        timeline->looks = g_new0(PmBandLook, timeline->n_bands);
        timeline->names = g_new0(char *, timeline->n_bands + 1);
        make_looks(timeline);
    }
    g_clear_pointer(&timeline->node, gsk_render_node_unref);
    if (!same || !shift_columns(timeline, &scale)) {
        timeline->begin = (double)scale.from;
        timeline->step = (double)(scale.to - scale.from) / (double)n;
        read_columns(timeline, 0, n);
    }
    timeline->from = scale.from;
    timeline->to = scale.to;
    guint32 peak = 0;
    for (gsize i = 0; i < n; i++) {
        peak = MAX(peak, timeline->buckets[i].max);
    }
    timeline->parked_top = pm_axis_top(peak);
    timeline->bands_top = pm_axis_top(pm_chart_biggest_sum(timeline->means, n, timeline->n_bands));
    return TRUE;
}

static PangoLayout *small_text(GtkWidget *widget, const char *text)
{
    PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
    PangoAttrList *attrs = pango_attr_list_new();

    pango_attr_list_insert(attrs, pango_attr_scale_new(PANGO_SCALE_SMALL));
    pango_layout_set_attributes(layout, attrs);
    pango_attr_list_unref(attrs);
    return layout;
}

static void append_text(GtkSnapshot *snapshot, PangoLayout *layout, double x, double y,
                        const GdkRGBA *color)
{
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(roundf(x), roundf(y)));
    gtk_snapshot_append_layout(snapshot, layout, color);
    gtk_snapshot_restore(snapshot);
}

static void snapshot_grid(PmTimeline *timeline, GtkSnapshot *snapshot, int y, int width, int height,
                          double top)
{
    gboolean dark = pm_state_get_dark(timeline->state);
    GdkRGBA grid, paper;

    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    pm_palette_color(PM_COLOR_GRID, dark, &grid);
    gtk_snapshot_append_color(snapshot, &paper, &GRAPHENE_RECT_INIT(0, y, width, height));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y, width, 1));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y + height / 2, width, 1));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y + height - 1, width, 1));
}

/* The number at the top of the axis, on a wash of paper so that it reads over anything. */
static void snapshot_top(PmTimeline *timeline, GtkSnapshot *snapshot, int y, double top)
{
    gboolean dark = pm_state_get_dark(timeline->state);
    g_autofree char *text = g_strdup_printf("%.0f", top);
    g_autoptr(PangoLayout) layout = small_text(GTK_WIDGET(timeline), text);
    GdkRGBA ink, wash;
    int width, height;

    pm_palette_color(PM_COLOR_FAINT_INK, dark, &ink);
    pm_palette_color(PM_COLOR_PAPER, dark, &wash);
    wash.alpha = 0.75f;
    pango_layout_get_pixel_size(layout, &width, &height);
    gtk_snapshot_append_color(snapshot, &wash, &GRAPHENE_RECT_INIT(0, y + 1, width + 5, height));
    append_text(snapshot, layout, 3, y + 1, &ink);
}

static void snapshot_gaps(PmTimeline *timeline, PmRaster *raster, const PmTimescale *scale)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    gboolean dark = pm_state_get_dark(timeline->state);
    GdkRGBA color;

    pm_palette_color(PM_COLOR_GAP, dark, &color);
    pm_chart_paint_unknown(raster, recording, scale, &color);
}

static void snapshot_stuck(PmTimeline *timeline, PmRaster *raster, const PmTimescale *scale)
{
    PmSummary *summary = pm_state_get_summary(timeline->state);
    GdkRGBA red;

    if (!summary || summary->n_deadlocks == 0) {
        return;
    }
    gint64 since = summary->deadlocks[0].since;
    for (guint i = 1; i < summary->n_deadlocks; i++) {
        since = MIN(since, summary->deadlocks[i].since);
    }
    pm_palette_color(PM_COLOR_STUCK, pm_state_get_dark(timeline->state), &red);
    red.alpha = 0.45f;
    PmInterval interval = {since, summary->at};
    pm_chart_paint_marks(raster, &interval, 1, scale, &red, PM_MARK_HATCH);
}

static void snapshot_labels(PmTimeline *timeline, GtkSnapshot *snapshot, const PmRaster *size,
                            int y)
{
    int scale = size->scale, lit = lit_band(timeline);

    for (guint i = 0; i < timeline->n_bands; i++) {
        g_autoptr(PangoLayout) layout = small_text(GTK_WIDGET(timeline), timeline->names[i]);
        int width, height;
        double at_x, at_y;
        pango_layout_get_pixel_size(layout, &width, &height);
        if (!pm_chart_place_label(size, timeline->means, timeline->n, timeline->n_bands, i,
                                  timeline->bands_top, (width + 12) * scale, height * scale, &at_x,
                                  &at_y)) {
            continue;
        }
        const GdkRGBA *color = &timeline->looks[i].color;
        float light = 0.2126f * color->red + 0.7152f * color->green + 0.0722f * color->blue;
        GdkRGBA ink = light > 0.45f ? (GdkRGBA){0, 0, 0, TEXT_BASE_ALPHA} : (GdkRGBA){1, 1, 1, 1};
        if (lit >= 0 && (guint)lit != i) {
            pm_palette_color(PM_COLOR_FAINT_INK, pm_state_get_dark(timeline->state), &ink);
        }
        if (timeline->looks[i].hatched) {
            GdkRGBA wash;
            pm_palette_color(PM_COLOR_PAPER, pm_state_get_dark(timeline->state), &wash);
            pm_palette_color(PM_COLOR_INK, pm_state_get_dark(timeline->state), &ink);
            wash.alpha = 0.8f;
            gtk_snapshot_append_color(
                snapshot, &wash,
                &GRAPHENE_RECT_INIT(at_x / scale + 4, y + at_y / scale, width + 4, height));
        }
        append_text(snapshot, layout, at_x / scale + 6, y + at_y / scale, &ink);
    }
}

static void snapshot_axis(PmTimeline *timeline, GtkSnapshot *snapshot, const PmTimelineRows *rows,
                          const PmTimescale *scale)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    gboolean dark = pm_state_get_dark(timeline->state);
    GdkRGBA ink, grid;
    g_autoptr(PangoLayout) probe = small_text(GTK_WIDGET(timeline), "0000000000");
    int probe_width;

    pm_palette_color(PM_COLOR_FAINT_INK, dark, &ink);
    pm_palette_color(PM_COLOR_GRID, dark, &grid);
    pango_layout_get_pixel_size(probe, &probe_width, NULL);
    g_autoptr(GArray) ticks = pm_timescale_ticks(scale, recording, probe_width / 10.0, 36);
    for (guint i = 0; i < ticks->len; i++) {
        const PmTick *tick = &g_array_index(ticks, PmTick, i);
        g_autoptr(PangoLayout) layout = small_text(GTK_WIDGET(timeline), tick->label);
        int width;
        pango_layout_get_pixel_size(layout, &width, NULL);
        double x = floor(tick->x), text_x = x - width / 2.0;
        gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(x, 0, 1, rows->marks_y));
        gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(x, rows->axis_y - 2, 1, 5));
        text_x = CLAMP(text_x, 0, scale->width_px - width);
        append_text(snapshot, layout, text_x, rows->axis_y + 3, &ink);
    }
}

/* An arrow that leaves the chart: these waits still go on. */
static void snapshot_arrow(PmTimeline *timeline, GtkSnapshot *snapshot, int width, int y,
                           int height)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    const PmBucket *last = timeline->n > 0 ? &timeline->buckets[timeline->n - 1] : NULL;

    if (!last || last->last == 0 || timeline->to < recording->duration) {
        return;
    }
    GdkRGBA ink, wash;
    pm_palette_color(PM_COLOR_INK, pm_state_get_dark(timeline->state), &ink);
    pm_palette_color(PM_COLOR_PAPER, pm_state_get_dark(timeline->state), &wash);
    g_autofree char *text = g_strdup_printf("%u →", last->last);
    g_autoptr(PangoLayout) layout = small_text(GTK_WIDGET(timeline), text);
    int text_width, text_height;
    pango_layout_get_pixel_size(layout, &text_width, &text_height);
    double line = y + height * (1 - last->last / timeline->parked_top);
    double text_y = line - text_height - 1 >= y ? line - text_height - 1 : line + 2;
    wash.alpha = 0.75f;
    gtk_snapshot_append_color(
        snapshot, &wash,
        &GRAPHENE_RECT_INIT(width - text_width - 4, text_y, text_width + 4, text_height));
    append_text(snapshot, layout, width - text_width - 2, text_y, &ink);
}

static GskRenderNode *make_node(PmTimeline *timeline, int width, int height, int scale_factor)
{
    GtkSnapshot *snapshot = gtk_snapshot_new();
    PmRecording *recording = pm_state_get_recording(timeline->state);
    gboolean dark = pm_state_get_dark(timeline->state);
    PmTimescale scale = timescale(timeline);
    PmTimelineRows rows;
    GdkRGBA gc;

    pm_timeline_rows(height, &rows);
    snapshot_grid(timeline, snapshot, rows.parked_y, width, rows.parked_height,
                  timeline->parked_top);
    snapshot_grid(timeline, snapshot, rows.bands_y, width, rows.bands_height, timeline->bands_top);
    snapshot_axis(timeline, snapshot, &rows, &scale);

    g_autoptr(PmRaster) parked = pm_raster_new(width, rows.parked_height, scale_factor);
    pm_chart_paint_parked_now(parked, timeline->buckets, timeline->n, timeline->parked_top, dark);
    snapshot_stuck(timeline, parked, &scale);
    snapshot_gaps(timeline, parked, &scale);
    pm_raster_snapshot(parked, snapshot, 0, rows.parked_y);
    snapshot_top(timeline, snapshot, rows.parked_y, timeline->parked_top);
    snapshot_arrow(timeline, snapshot, width, rows.parked_y, rows.parked_height);

    g_autoptr(PmRaster) bands = pm_raster_new(width, rows.bands_height, scale_factor);
    pm_chart_paint_thread_time(bands, timeline->means, timeline->n, timeline->n_bands,
                               timeline->looks, timeline->bands_top, lit_band(timeline), dark);
    snapshot_gaps(timeline, bands, &scale);
    pm_raster_snapshot(bands, snapshot, 0, rows.bands_y);
    snapshot_labels(timeline, snapshot, bands, rows.bands_y);
    snapshot_top(timeline, snapshot, rows.bands_y, timeline->bands_top);

    g_autoptr(PmRaster) marks = pm_raster_new(width, rows.marks_height, scale_factor);
    pm_palette_color(PM_COLOR_GC, dark, &gc);
    pm_chart_paint_marks(marks, recording->gc, recording->n_gc, &scale, &gc, PM_MARK_FILL);
    snapshot_gaps(timeline, marks, &scale);
    pm_raster_snapshot(marks, snapshot, 0, rows.marks_y);
    return gtk_snapshot_free_to_node(snapshot);
}

static void snapshot_range(PmTimeline *timeline, GtkSnapshot *snapshot, const PmTimelineRows *rows)
{
    PmTimescale scale = timescale(timeline);
    gboolean dark = pm_state_get_dark(timeline->state);
    gint64 from, to;
    GdkRGBA accent, shade;

    if (!pm_state_get_range(timeline->state, &from, &to)) {
        return;
    }
    pm_palette_color(PM_COLOR_ACCENT, dark, &accent);
    pm_palette_color(PM_COLOR_PAPER, dark, &shade);
    shade.alpha = 0.55f;
    double x0 = CLAMP(pm_timescale_x(&scale, from), -1, scale.width_px + 1),
           x1 = CLAMP(pm_timescale_x(&scale, to), -1, scale.width_px + 1);
    int height = rows->marks_y + rows->marks_height;
    if (x0 > 0) {
        gtk_snapshot_append_color(snapshot, &shade, &GRAPHENE_RECT_INIT(0, 0, x0, height));
    }
    if (x1 < scale.width_px) {
        gtk_snapshot_append_color(snapshot, &shade,
                                  &GRAPHENE_RECT_INIT(x1, 0, scale.width_px - x1, height));
    }
    gtk_snapshot_append_color(snapshot, &accent,
                              &GRAPHENE_RECT_INIT(x0, height, MAX(x1 - x0, 1), 2));
    GdkRGBA edge = accent;
    edge.alpha = 0.9f;
    gtk_snapshot_append_color(snapshot, &edge, &GRAPHENE_RECT_INIT(floor(x0), 0, 1, height));
    gtk_snapshot_append_color(snapshot, &edge, &GRAPHENE_RECT_INIT(floor(x1), 0, 1, height));
}

static guint band_under(PmTimeline *timeline, double x, double y)
{
    PmTimelineRows rows;
    int factor = gtk_widget_get_scale_factor(GTK_WIDGET(timeline));

    pm_timeline_rows(gtk_widget_get_height(GTK_WIDGET(timeline)), &rows);
    if (!timeline->means || y < rows.bands_y || y >= rows.bands_y + rows.bands_height) {
        return timeline->n_bands;
    }
    PmRaster size = {
        .width = (int)timeline->n, .height = rows.bands_height * factor, .scale = factor};
    return pm_chart_band_at(&size, timeline->means, timeline->n, timeline->n_bands,
                            timeline->bands_top, x * factor, (y - rows.bands_y) * factor);
}

static void snapshot_pointer(PmTimeline *timeline, GtkSnapshot *snapshot,
                             const PmTimelineRows *rows)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    PmTimescale scale = timescale(timeline);
    gboolean dark = pm_state_get_dark(timeline->state);
    int factor = gtk_widget_get_scale_factor(GTK_WIDGET(timeline));
    gsize column = (gsize)MAX(timeline->pointer_x * factor, 0);
    GdkRGBA ink, paper, border;

    if (!timeline->pointer_inside || column >= timeline->n) {
        return;
    }
    pm_palette_color(PM_COLOR_INK, dark, &ink);
    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    pm_palette_color(PM_COLOR_FAINT_INK, dark, &border);
    GdkRGBA hair = ink;
    hair.alpha = 0.5f;
    gtk_snapshot_append_color(snapshot, &hair,
                              &GRAPHENE_RECT_INIT(floor(timeline->pointer_x), 0, 1, rows->marks_y));
    if (timeline->dragging) {
        return; /* the pill speaks */
    }

    gint64 at = pm_timescale_at(&scale, timeline->pointer_x);
    gint64 per_px = (scale.to - scale.from) / MAX((gint64)scale.width_px, 1);
    int digits = 0;
    for (gint64 unit = 1000000000; digits < 9 && per_px < unit; unit /= 10) {
        digits++;
    }
    g_autofree char *clock = pm_label_clock(recording, at, digits);
    const PmBucket *bucket = &timeline->buckets[column];
    GString *text = g_string_new(clock);
    if (bucket->min == bucket->max) {
        g_string_append_printf(text, "   %u waiting", bucket->max);
    } else {
        g_string_append_printf(text, "   %u–%u waiting", bucket->min, bucket->max);
    }
    guint band = band_under(timeline, timeline->pointer_x, timeline->pointer_y);
    if (band < timeline->n_bands) {
        g_autofree char *mean = pm_number_mean(timeline->means[column * timeline->n_bands + band]);
        g_string_append_printf(text, "\n%s   %s %s", timeline->names[band], mean,
                               strcmp(mean, "1") == 0 || strcmp(mean, "1.00") == 0 ? "thread"
                                                                                   : "threads");
    }
    g_autoptr(PangoLayout) layout = small_text(GTK_WIDGET(timeline), text->str);
    g_string_free(text, TRUE);
    int width, height;
    pango_layout_get_pixel_size(layout, &width, &height);
    double x = timeline->pointer_x + 12, y = timeline->pointer_y + 14;
    if (x + width + 12 > scale.width_px) {
        x = MAX(timeline->pointer_x - width - 24, 0);
    }
    y = MIN(y, gtk_widget_get_height(GTK_WIDGET(timeline)) - height - 10);
    graphene_rect_t rect = GRAPHENE_RECT_INIT(floor(x), floor(y), width + 12, height + 8);
    GskRoundedRect outline;
    gsk_rounded_rect_init_from_rect(&outline, &rect, 4);
    paper.alpha = 0.96f;
    gtk_snapshot_push_rounded_clip(snapshot, &outline);
    gtk_snapshot_append_color(snapshot, &paper, &rect);
    gtk_snapshot_pop(snapshot);
    border.alpha = 0.5f;
    gtk_snapshot_append_border(snapshot, &outline, (float[4]){1, 1, 1, 1},
                               (GdkRGBA[4]){border, border, border, border});
    append_text(snapshot, layout, rect.origin.x + 6, rect.origin.y + 4, &ink);
}

static void pm_timeline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmTimeline *timeline = PM_TIMELINE(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget),
        scale = gtk_widget_get_scale_factor(widget), lit = lit_band(timeline);
    PmSummary *summary = pm_state_get_summary(timeline->state);
    PmTimelineRows rows;

    pm_timeline_rows(height, &rows);
    if (!pm_state_get_recording(timeline->state) || width <= 0 || height <= 0) {
        return;
    }
    if (!read_data(timeline)) {
        snapshot_grid(timeline, snapshot, rows.parked_y, width, rows.parked_height, 1);
        snapshot_grid(timeline, snapshot, rows.bands_y, width, rows.bands_height, 1);
        return;
    }
    if (!timeline->node || timeline->node_width != width || timeline->node_height != height ||
        timeline->node_scale != scale || timeline->node_lit != lit ||
        timeline->node_summary != summary) {
        g_clear_pointer(&timeline->node, gsk_render_node_unref);
        timeline->node = make_node(timeline, width, height, scale);
        timeline->node_width = width;
        timeline->node_height = height;
        timeline->node_scale = scale;
        timeline->node_lit = lit;
        timeline->node_summary = summary;
    }
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    if (timeline->node) {
        gtk_snapshot_append_node(snapshot, timeline->node);
    }
    snapshot_range(timeline, snapshot, &rows);
    if (gtk_widget_has_visible_focus(widget)) {
        GdkRGBA accent;
        GskRoundedRect outline;
        pm_palette_color(PM_COLOR_ACCENT, pm_state_get_dark(timeline->state), &accent);
        gsk_rounded_rect_init_from_rect(&outline, &GRAPHENE_RECT_INIT(0, 0, width, height), 2);
        gtk_snapshot_append_border(snapshot, &outline, (float[4]){2, 2, 2, 2},
                                   (GdkRGBA[4]){accent, accent, accent, accent});
    }
    gtk_widget_snapshot_child(widget, timeline->pill, snapshot);
    snapshot_pointer(timeline, snapshot, &rows);
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
    PmTimescale scale = timescale(timeline);
    gint64 from, to;
    int pill_width, pill_height;
    gboolean any = pm_state_get_range(timeline->state, &from, &to);
    gboolean visible = any && to > scale.from && from < scale.to;

    gtk_widget_set_child_visible(timeline->pill, visible);
    if (!visible) {
        return;
    }
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
    PmTimescale scale = timescale(timeline);

    return pm_timeline_scroll(timeline->state, scroll, dx, dy,
                              pm_timescale_at(&scale, timeline->pointer_x), scale.width_px);
}

/* Which edge of the range is under x: DRAG_FROM, DRAG_TO, or DRAG_NEW for none. */
static int edge_at(PmTimeline *timeline, double x)
{
    PmTimescale scale = timescale(timeline);
    gint64 from, to;

    if (!pm_state_get_range(timeline->state, &from, &to)) {
        return DRAG_NEW;
    }
    double to_from = fabs(x - pm_timescale_x(&scale, from)),
           to_to = fabs(x - pm_timescale_x(&scale, to));
    if (MIN(to_from, to_to) > EDGE_PX) {
        return DRAG_NEW;
    }
    return to_from < to_to ? DRAG_FROM : DRAG_TO;
}

static void hover(PmTimeline *timeline)
{
    guint band = timeline->pointer_inside && !timeline->dragging
                     ? band_under(timeline, timeline->pointer_x, timeline->pointer_y)
                     : timeline->n_bands;

    if (timeline->curves && band + 1 < timeline->n_bands) {
        pm_state_set_hover(timeline->state, TRUE, timeline->curves->aspect,
                           pm_band_order_get(timeline->curves->order, band)->key);
    } else {
        pm_state_set_hover(timeline->state, FALSE, 0, 0);
    }
    gtk_widget_set_cursor_from_name(GTK_WIDGET(timeline),
                                    edge_at(timeline, timeline->pointer_x) != DRAG_NEW ? "ew-resize"
                                                                                       : NULL);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

static void motion_cb(GtkEventControllerMotion *motion, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;

    timeline->pointer_x = x;
    timeline->pointer_y = y;
    timeline->pointer_inside = TRUE;
    hover(timeline);
}

static void leave_cb(GtkEventControllerMotion *motion, gpointer data)
{
    PmTimeline *timeline = data;

    timeline->pointer_inside = FALSE;
    hover(timeline);
}

static void drag_begin_cb(GtkGestureDrag *gesture, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;
    PmTimescale scale = timescale(timeline);
    gint64 from, to;

    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    timeline->pressed = TRUE;
    timeline->dragging = FALSE;
    timeline->press_x = x;
    timeline->press_y = y;
    timeline->drag = edge_at(timeline, x);
    timeline->drag_anchor = pm_timescale_at(&scale, x);
    if (timeline->drag != DRAG_NEW && pm_state_get_range(timeline->state, &from, &to)) {
        timeline->drag_anchor = timeline->drag == DRAG_FROM ? to : from;
    }
}

static void drag_update_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmTimeline *timeline = data;
    PmTimescale scale = timescale(timeline);

    if (!timeline->dragging) {
        if (fabs(dx) < DRAG_MIN_PX) {
            return;
        }
        timeline->dragging = TRUE;
        pm_state_begin_drag(timeline->state);
    }
    timeline->pointer_x = timeline->press_x + dx;
    gint64 at = pm_timescale_at(&scale, timeline->press_x + dx);
    pm_state_set_range(timeline->state, MIN(at, timeline->drag_anchor),
                       MAX(at, timeline->drag_anchor));
}

static void drag_end_cb(GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
    PmTimeline *timeline = data;

    timeline->pressed = FALSE;
    if (timeline->dragging) {
        timeline->dragging = FALSE;
        pm_state_end_drag(timeline->state);
    }
}

static void click_cb(GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
    PmTimeline *timeline = data;

    if (fabs(x - timeline->press_x) >= DRAG_MIN_PX || !timeline->curves) {
        return;
    }
    guint band = band_under(timeline, x, y);
    if (band + 1 >= timeline->n_bands) {
        if (n_press == 1) {
            pm_state_set_selection(timeline->state, NULL);
        }
        return;
    }
    pm_state_select_key(timeline->state, timeline->curves->aspect,
                        pm_band_order_get(timeline->curves->order, band)->key);
    if (n_press == 2) {
        pm_state_filter_selection(timeline->state, FALSE);
    }
}

/* Up and Down walk the bands from below to above, so the keyboard selects what a click does. */
static void walk_bands(GtkWidget *widget, const char *action, GVariant *parameter)
{
    PmTimeline *timeline = PM_TIMELINE(widget);
    PmCurves *curves = pm_state_get_curves(timeline->state);
    int n = curves ? (int)pm_band_order_n(curves->order) : 0;

    if (n == 0) {
        return;
    }
    int band = selected_band(timeline);
    gboolean up = g_str_equal(action, "chart.band-up");
    band = band < 0 ? (up ? 0 : n - 1) : CLAMP(band + (up ? 1 : -1), 0, n - 1);
    pm_state_select_key(timeline->state, curves->aspect,
                        pm_band_order_get(curves->order, band)->key);
}

static void describe(PmTimeline *timeline)
{
    PmRecording *recording = pm_state_get_recording(timeline->state);
    gint64 from, to;

    if (!recording) {
        return;
    }
    pm_state_get_visible(timeline->state, &from, &to);
    g_autofree char *from_text = pm_label_clock(recording, from, 3);
    g_autofree char *to_text = pm_label_clock(recording, to, 3);
    PmCurves *curves = pm_state_get_curves(timeline->state);
    g_autofree char *text =
        g_strdup_printf("%s to %s, at most %u threads waiting at once", from_text, to_text,
                        curves ? pm_parked_now_peak(curves->parked_now, from, to) : 0);
    gtk_accessible_update_property(GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   text, -1);
}

static void changed_cb(PmState *state, guint mask, PmTimeline *timeline)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES | PM_CHANGE_DARK)) {
        if (!pm_state_get_recording(state)) {
            forget_data(timeline);
        }
    }
    if (mask & PM_CHANGE_RESULTS) {
        timeline->node_summary = NULL; /* an address may be used again */
        g_clear_pointer(&timeline->node, gsk_render_node_unref);
    }
    if (mask & PM_CHANGE_RANGE) {
        gint64 from, to;
        pm_state_get_range(state, &from, &to);
        g_autofree char *text = pm_label_duration(to - from);
        gtk_label_set_text(GTK_LABEL(timeline->pill_label), text);
    }
    if (mask & (PM_CHANGE_RANGE | PM_CHANGE_VISIBLE | PM_CHANGE_RECORDING)) {
        gtk_widget_queue_allocate(GTK_WIDGET(timeline));
    }
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES | PM_CHANGE_DARK | PM_CHANGE_VISIBLE |
                PM_CHANGE_RANGE | PM_CHANGE_SELECTION | PM_CHANGE_HOVER | PM_CHANGE_RESULTS)) {
        gtk_widget_queue_draw(GTK_WIDGET(timeline));
    }
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_CURVES)) {
        describe(timeline);
    }
}

static void pm_timeline_dispose(GObject *object)
{
    PmTimeline *timeline = PM_TIMELINE(object);

    forget_data(timeline);
    g_clear_pointer(&timeline->pill, gtk_widget_unparent);
    g_clear_object(&timeline->state);
    G_OBJECT_CLASS(pm_timeline_parent_class)->dispose(object);
}

static void pm_timeline_class_init(PmTimelineClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_timeline_dispose;
    widget_class->snapshot = pm_timeline_snapshot;
    widget_class->measure = pm_timeline_measure;
    widget_class->size_allocate = pm_timeline_size_allocate;
    gtk_widget_class_install_action(widget_class, "chart.band-up", NULL, walk_bands);
    gtk_widget_class_install_action(widget_class, "chart.band-down", NULL, walk_bands);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(widget_class, "timeline");
}

static GtkWidget *pill_button(const char *icon, const char *action, const char *name)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);

    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_tooltip_text(button, name);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_focus_on_click(button, FALSE);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    return button;
}

static void pm_timeline_init(PmTimeline *timeline)
{
    GtkWidget *widget = GTK_WIDGET(timeline);
    GtkEventController *controller;
    GtkGesture *gesture;

    gtk_widget_set_focusable(widget, TRUE);
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

    controller = gtk_event_controller_motion_new();
    g_signal_connect(controller, "enter", G_CALLBACK(motion_cb), timeline);
    g_signal_connect(controller, "motion", G_CALLBACK(motion_cb), timeline);
    g_signal_connect(controller, "leave", G_CALLBACK(leave_cb), timeline);
    gtk_widget_add_controller(widget, controller);

    controller = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    g_signal_connect(controller, "scroll", G_CALLBACK(scroll_cb), timeline);
    gtk_widget_add_controller(widget, controller);

    gesture = gtk_gesture_drag_new();
    g_signal_connect(gesture, "drag-begin", G_CALLBACK(drag_begin_cb), timeline);
    g_signal_connect(gesture, "drag-update", G_CALLBACK(drag_update_cb), timeline);
    g_signal_connect(gesture, "drag-end", G_CALLBACK(drag_end_cb), timeline);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(gesture));

    gesture = gtk_gesture_click_new();
    g_signal_connect(gesture, "released", G_CALLBACK(click_cb), timeline);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(gesture));

    pm_keys_bind(widget, PM_KEYS_CHART);
    pm_keys_bind(widget, PM_KEYS_TIME);
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Threads waiting over time", -1);
}

GtkWidget *pm_timeline_new(PmState *state)
{
    PmTimeline *timeline = g_object_new(PM_TYPE_TIMELINE, NULL);

    timeline->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), timeline, 0);
    return GTK_WIDGET(timeline);
}
