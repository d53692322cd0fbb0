#include "viewer/ui/charts/timeline-picture.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/charts/chart.h"
#include "viewer/ui/charts/memory-chart.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define ROW_GAP_PX      6
#define MARKS_PX        8
#define AXIS_PX         22 /* with the usual letters */
#define TEXT_BASE_ALPHA 0.9f

struct PmTimelinePicture {
    GtkWidget *widget; /* whose size it has; it owns the picture and the state */
    PmState *state;

    /* What was read for the columns on the screen. */
    PmCurves *curves; /* or: */
    PmMemorySeries *memory;
    gint64 from, to; /* what was visible then */
    double begin,
        step; /* of the columns: ns, and ns of one; columns keep to a grid while one pans */
    gsize n;  /* device columns */
    PmBucket *buckets;
    double *means;
    PmBandLook *looks;
    char **names;
    char ***labels; /* of each band its name, then shorter forms that no other band's name has */
    const char **shown; /* of each the one that there is room for; NULL = none */
    guint n_bands;      /* with the others */
    double parked_top, bands_top;

    /* The picture of it. */
    GskRenderNode *node;
    GskRenderNode
        *name_nodes[2]; /* of the bands: on their colours, and on these paled outside a range */
    int node_width, node_height, node_scale, node_lit;
    gboolean node_dark;
    PmSummary *node_summary;
};

void pm_timeline_rows(GtkWidget *timeline, int height, PmTimelineRows *ret_rows)
{
    const int axis = (int)(AXIS_PX * pm_element_letter_scale(timeline)),
              rest = MAX(height - MARKS_PX - axis - ROW_GAP_PX - 4, 40);

    ret_rows->parked_y = 0;
    ret_rows->parked_height = rest * 36 / 100;
    ret_rows->bands_y = ret_rows->parked_height + ROW_GAP_PX;
    ret_rows->bands_height = rest - ret_rows->parked_height;
    ret_rows->marks_y = ret_rows->bands_y + ret_rows->bands_height + 2;
    ret_rows->marks_height = MARKS_PX;
    ret_rows->axis_y = ret_rows->marks_y + MARKS_PX + 2;
}

PmTimescale pm_timeline_picture_scale(PmTimelinePicture *picture)
{
    PmTimescale scale = {.width_px = MAX(gtk_widget_get_width(picture->widget), 1)};

    pm_state_get_visible(picture->state, &scale.from, &scale.to);
    return scale;
}

/* The band of what is hovered or selected; −1 when it is none of this chart's. */
static int band_of(PmTimelinePicture *picture, gboolean any, PmAspect aspect, guint64 key)
{
    PmCurves *curves = pm_state_get_curves(picture->state);
    const PmMemorySeries *memory = pm_state_get_chart_memory(picture->state);

    if (memory) {
        const guint band = any && aspect == (PmAspect)memory->band_aspect
                               ? pm_memory_series_band(memory, key)
                               : memory->n_bands;
        return band < memory->n_bands ? (int)band : -1;
    }
    if (any && curves && curves->aspect == PM_ASPECT_ALIKE && aspect == PM_ASPECT_BLOCKER) {
        aspect = PM_ASPECT_ALIKE;
        key = pm_aspects[aspect].key(curves->view->recording, (guint32)key);
    }
    if (!any || !curves || curves->aspect != aspect)
        return -1;
    return (int)pm_band_order_find(curves->order, key);
}

int pm_timeline_picture_selected_band(PmTimelinePicture *picture)
{
    g_return_val_if_fail(picture, 0);
    const PmSelection *selection = pm_state_get_selection(picture->state);
    const PmMemorySeries *memory = pm_state_get_chart_memory(picture->state);

    for (guint i = 0; memory && i < selection->n; i++)
        if (selection->aspects[i] == (PmAspect)memory->band_aspect)
            return band_of(picture, TRUE, selection->aspects[i], selection->keys[i]);
    return selection->n > 0 ? band_of(picture, TRUE, selection->aspects[0], selection->keys[0])
                            : -1;
}

static int lit_band(PmTimelinePicture *picture)
{
    PmAspect aspect = 0;
    guint64 key = 0;
    gboolean any = pm_state_get_hover(picture->state, &aspect, &key);
    int hovered = band_of(picture, any, aspect, key);

    return hovered >= 0 ? hovered : pm_timeline_picture_selected_band(picture);
}

static void drop_nodes(PmTimelinePicture *picture)
{
    g_clear_pointer(&picture->node, gsk_render_node_unref);
    for (guint i = 0; i < G_N_ELEMENTS(picture->name_nodes); i++)
        g_clear_pointer(&picture->name_nodes[i], gsk_render_node_unref);
}

void pm_timeline_picture_forget(PmTimelinePicture *picture)
{
    g_return_if_fail(picture);
    g_clear_pointer(&picture->curves, pm_curves_unref);
    g_clear_pointer(&picture->memory, pm_memory_series_unref);
    g_clear_pointer(&picture->buckets, g_free);
    g_clear_pointer(&picture->means, g_free);
    g_clear_pointer(&picture->looks, g_free);
    g_clear_pointer(&picture->names, g_strfreev);
    for (guint i = 0; picture->labels && i < picture->n_bands; i++)
        g_strfreev(picture->labels[i]);
    g_clear_pointer(&picture->labels, g_free);
    g_clear_pointer(&picture->shown, g_free);
    drop_nodes(picture);
    picture->n = 0;
}

static void read_columns(PmTimelinePicture *picture, gsize first, gsize n)
{
    PmCurves *curves = picture->curves;
    gint64 from = pm_rounded(picture->begin + (double)first * picture->step),
           to = pm_rounded(picture->begin + (double)(first + n) * picture->step);

    if (n == 0)
        return;
    if (picture->memory) {
        pm_memory_chart_read(picture->memory, from, to, n, picture->buckets + first,
                             picture->means + first * picture->n_bands);
        return;
    }
    pm_parked_now_read(curves->parked_now, from, to, n, picture->buckets + first);
    if (curves->bands) {
        pm_bands_read(curves->bands, from, to, n, picture->means + first * picture->n_bands);
    } else {
        memset(picture->means + first * picture->n_bands, 0,
               n * picture->n_bands * sizeof *picture->means);
    }
}

/* While one pans, most columns were there before: they move by whole columns, and only the new ones
 * are read. The picture is off by half a device pixel at most. FALSE when nothing can be kept. */
static gboolean shift_columns(PmTimelinePicture *picture, const PmTimescale *scale)
{
    double step = (double)(scale->to - scale->from) / (double)picture->n;

    if (picture->step <= 0 || fabs(step / picture->step - 1) > 1e-9)
        return FALSE;
    double wanted = round(((double)scale->from - picture->begin) / picture->step);
    if (fabs(wanted) >= (double)picture->n)
        return FALSE;
    gssize shift = (gssize)wanted;
    gsize kept = picture->n - (gsize)ABS(shift), bands = picture->n_bands;
    gsize to = shift < 0 ? (gsize)-shift : 0, from = shift > 0 ? (gsize)shift : 0;
    memmove(picture->buckets + to, picture->buckets + from, kept * sizeof *picture->buckets);
    memmove(picture->means + to * bands, picture->means + from * bands,
            kept * bands * sizeof *picture->means);
    picture->begin += (double)shift * picture->step;
    if (shift > 0)
        read_columns(picture, kept, picture->n - kept);
    else
        read_columns(picture, 0, picture->n - kept);
    return TRUE;
}

static void make_looks(PmTimelinePicture *picture)
{
    PmCurves *curves = picture->curves;
    gboolean dark = picture->node_dark;

    for (guint i = 0; i < picture->n_bands; i++) {
        PmBandLook *look = &picture->looks[i];
        if (picture->memory) {
            pm_memory_chart_band_color(picture->memory, i, dark, &look->color);
            picture->names[i] = pm_memory_chart_band_name(picture->memory, i);
            continue;
        }
        if (i + 1 == picture->n_bands) {
            pm_palette_color(PM_COLOR_OTHERS, dark, &look->color);
            picture->names[i] = g_strdup("others");
            continue;
        }
        const PmBand *band = pm_band_order_get(curves->order, i);
        pm_palette_band(band, dark, &look->color);
        look->hatched = pm_palette_is_hatched(pm_category_family(band->category),
                                              pm_aspect_key_is_pseudo(curves->aspect, band->key));
        g_autofree char *name =
            pm_aspect_key_text(curves->view->recording, curves->aspect, band->key);
        const gboolean estimated = curves->bands && pm_bands_are_estimated(curves->bands);
        picture->names[i] = g_strconcat(estimated ? "~" : "", name, NULL);
    }
}

static gboolean has_other_band(char **const *forms, guint n, guint band, const char *form)
{
    for (guint i = 0; i < n; i++)
        if (i != band && g_strv_contains((const char *const *)forms[i], form))
            return TRUE;
    return FALSE;
}

static void make_labels(PmTimelinePicture *picture)
{
    const guint n = picture->n_bands;
    g_autofree char ***forms = g_new0(char **, n);

    for (guint i = 0; i < n; i++)
        forms[i] = pm_frame_text_forms(picture->names[i]);
    for (guint i = 0; i < n; i++) {
        g_autoptr(GStrvBuilder) labels = g_strv_builder_new();
        g_strv_builder_add(labels, picture->names[i]);
        for (char **form = forms[i] + 1; *form; form++)
            if (!has_other_band(forms, n, i, *form))
                g_strv_builder_add(labels, *form);
        picture->labels[i] = g_strv_builder_end(labels);
    }
    for (guint i = 0; i < n; i++)
        g_strfreev(forms[i]);
}

/* Reads the columns on the screen, when they are not those read last. FALSE when there are none. */
static gboolean read_data(PmTimelinePicture *picture)
{
    PmMemorySeries *memory = pm_state_get_chart_memory(picture->state);
    PmCurves *curves = memory ? NULL : pm_state_get_curves(picture->state);
    PmTimescale scale = pm_timeline_picture_scale(picture);
    gboolean dark = pm_state_get_dark(picture->state);
    gsize n = (gsize)scale.width_px * gtk_widget_get_scale_factor(picture->widget);

    if (!curves && !memory) {
        pm_timeline_picture_forget(picture);
        return FALSE;
    }
    gboolean same = picture->curves == curves && picture->memory == memory && picture->n == n &&
                    picture->node_dark == dark;
    if (same && picture->from == scale.from && picture->to == scale.to)
        return TRUE;
    if (!same) {
        if (curves)
            pm_curves_ref(curves);
        if (memory)
            pm_memory_series_ref(memory);
        pm_timeline_picture_forget(picture);
        picture->curves = curves;
        picture->memory = memory;
        picture->n = n;
        picture->node_dark = dark;
        picture->n_bands = (memory ? memory->n_bands : pm_band_order_n(curves->order)) + 1;
        picture->buckets = g_new0(PmBucket, n);
        picture->means = g_new0(double, n * picture->n_bands);
        picture->looks = g_new0(PmBandLook, picture->n_bands);
        picture->names = g_new0(char *, picture->n_bands + 1);
        picture->labels = g_new0(char **, picture->n_bands);
        picture->shown = g_new0(const char *, picture->n_bands);
        make_looks(picture);
        make_labels(picture);
    }
    drop_nodes(picture);
    if (!same || !shift_columns(picture, &scale)) {
        picture->begin = (double)scale.from;
        picture->step = (double)(scale.to - scale.from) / (double)n;
        read_columns(picture, 0, n);
    }
    picture->from = scale.from;
    picture->to = scale.to;
    guint32 peak = 0;
    for (gsize i = 0; i < n; i++)
        peak = MAX(peak, picture->buckets[i].max);
    double most = pm_chart_biggest_sum(picture->means, n, picture->n_bands);
    if (memory)
        most = MAX(most, pm_memory_chart_highest(memory, scale.from, scale.to));
    picture->parked_top = memory ? pm_memory_chart_top(peak * 1024.0) / 1024 : pm_axis_top(peak);
    picture->bands_top = memory ? pm_memory_chart_top(most) : pm_axis_top(most);
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

static void snapshot_grid(PmTimelinePicture *picture, GtkSnapshot *snapshot, int y, int width,
                          int height)
{
    gboolean dark = pm_state_get_dark(picture->state);
    GdkRGBA grid, paper;

    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    pm_palette_color(PM_COLOR_GRID, dark, &grid);
    gtk_snapshot_append_color(snapshot, &paper, &GRAPHENE_RECT_INIT(0, y, width, height));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y, width, 1));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y + height / 2, width, 1));
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, y + height - 1, width, 1));
}

static void snapshot_gaps(PmTimelinePicture *picture, PmRaster *raster, const PmTimescale *scale)
{
    PmRecording *recording = pm_state_get_recording(picture->state);
    gboolean dark = pm_state_get_dark(picture->state);
    GdkRGBA color;

    pm_palette_color(PM_COLOR_GAP, dark, &color);
    pm_chart_paint_unknown(raster, recording, scale, &color);
}

static void snapshot_stuck(PmTimelinePicture *picture, PmRaster *raster, const PmTimescale *scale)
{
    PmSummary *summary = pm_state_get_summary(picture->state);
    GdkRGBA red;

    if (!summary || summary->n_deadlocks == 0)
        return;
    gint64 since = summary->deadlocks[0].since;
    for (guint i = 1; i < summary->n_deadlocks; i++)
        since = MIN(since, summary->deadlocks[i].since);
    pm_palette_color(PM_COLOR_STUCK, pm_state_get_dark(picture->state), &red);
    red.alpha = 0.45f;
    PmInterval interval = {since, summary->at};
    pm_chart_paint_marks(raster, &interval, 1, scale, &red, PM_MARK_HATCH);
}

/* `label` laid out and its place in the band; NULL: there is no room. */
static PangoLayout *place_label(PmTimelinePicture *picture, const PmRaster *size, guint band,
                                const char *label, double *ret_x, double *ret_y)
{
    PangoLayout *layout = small_text(picture->widget, label);
    int width, height;

    pango_layout_get_pixel_size(layout, &width, &height);
    if (!pm_chart_place_label(size, picture->means, picture->n, picture->n_bands, band,
                              picture->bands_top, (width + 12) * size->scale, height * size->scale,
                              ret_x, ret_y))
        g_clear_object(&layout);
    return layout;
}

/* The longest label that there is room for: mostly there is none for the shortest. */
static PangoLayout *place_longest(PmTimelinePicture *picture, const PmRaster *size, guint band,
                                  double *ret_x, double *ret_y)
{
    char **labels = picture->labels[band];
    const guint shortest = g_strv_length(labels) - 1;
    PangoLayout *layout = place_label(picture, size, band, labels[shortest], ret_x, ret_y), *longer;

    picture->shown[band] = layout ? labels[shortest] : NULL;
    for (guint i = 0; layout && i < shortest; i++) {
        longer = place_label(picture, size, band, labels[i], ret_x, ret_y);
        if (longer) {
            picture->shown[band] = labels[i];
            g_object_unref(layout);
            return longer;
        }
    }
    return layout;
}

typedef struct {
    PangoLayout *layout; /* NULL = none */
    double x, y;
} PlacedLabel;

static void snapshot_names(PmTimelinePicture *picture, GtkSnapshot *snapshot,
                           const PlacedLabel *labels, int scale, int y, gboolean paled)
{
    int lit = lit_band(picture);

    for (guint i = 0; i < picture->n_bands; i++) {
        const double at_x = labels[i].x, at_y = labels[i].y;
        PangoLayout *layout = labels[i].layout;
        int width, height;
        if (!layout)
            continue;
        pango_layout_get_pixel_size(layout, &width, &height);
        const GdkRGBA *color = &picture->looks[i].color;
        float light = 0.2126f * color->red + 0.7152f * color->green + 0.0722f * color->blue;
        GdkRGBA ink = light > 0.45f ? (GdkRGBA){0, 0, 0, TEXT_BASE_ALPHA} : (GdkRGBA){1, 1, 1, 1};
        if (lit >= 0 && (guint)lit != i)
            pm_palette_color(PM_COLOR_FAINT_INK, pm_state_get_dark(picture->state), &ink);
        if (picture->looks[i].hatched || paled)
            pm_palette_color(PM_COLOR_INK, pm_state_get_dark(picture->state), &ink);
        if (picture->looks[i].hatched) {
            GdkRGBA wash;
            pm_palette_color(PM_COLOR_PAPER, pm_state_get_dark(picture->state), &wash);
            wash.alpha = 0.8f;
            gtk_snapshot_append_color(
                snapshot, &wash,
                &GRAPHENE_RECT_INIT(at_x / scale + 4, y + at_y / scale, width + 4, height));
        }
        append_text(snapshot, layout, at_x / scale + 6, y + at_y / scale, &ink);
    }
}

static void snapshot_axis(PmTimelinePicture *picture, GtkSnapshot *snapshot,
                          const PmTimelineRows *rows, const PmTimescale *scale)
{
    PmRecording *recording = pm_state_get_recording(picture->state);
    gboolean dark = pm_state_get_dark(picture->state);
    GdkRGBA ink, grid;
    g_autoptr(PangoLayout) probe = small_text(picture->widget, "0000000000");
    int probe_width;

    pm_palette_color(PM_COLOR_FAINT_INK, dark, &ink);
    pm_palette_color(PM_COLOR_GRID, dark, &grid);
    pango_layout_get_pixel_size(probe, &probe_width, NULL);
    g_autoptr(GArray) ticks = pm_timescale_ticks(scale, recording, probe_width / 10.0, 36);
    for (guint i = 0; i < ticks->len; i++) {
        const PmTick *tick = &g_array_index(ticks, PmTick, i);
        g_autoptr(PangoLayout) layout = small_text(picture->widget, tick->label);
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
static void snapshot_arrow(PmTimelinePicture *picture, GtkSnapshot *snapshot, int width, int y,
                           int height)
{
    PmRecording *recording = pm_state_get_recording(picture->state);
    const PmBucket *last = picture->n > 0 ? &picture->buckets[picture->n - 1] : NULL;

    if (picture->memory || !last || last->last == 0 || picture->to < recording->duration)
        return;
    GdkRGBA ink, wash;
    pm_palette_color(PM_COLOR_INK, pm_state_get_dark(picture->state), &ink);
    pm_palette_color(PM_COLOR_PAPER, pm_state_get_dark(picture->state), &wash);
    g_autofree char *text = g_strdup_printf("%u →", last->last);
    g_autoptr(PangoLayout) layout = small_text(picture->widget, text);
    int text_width, text_height;
    pango_layout_get_pixel_size(layout, &text_width, &text_height);
    double line = y + height * (1 - last->last / picture->parked_top);
    double text_y = line - text_height - 1 >= y ? line - text_height - 1 : line + 2;
    wash.alpha = 0.75f;
    gtk_snapshot_append_color(
        snapshot, &wash,
        &GRAPHENE_RECT_INIT(width - text_width - 4, text_y, text_width + 4, text_height));
    append_text(snapshot, layout, width - text_width - 2, text_y, &ink);
}

/* Each is NULL where nothing is drawn. */
static void make_nodes(PmTimelinePicture *picture, int width, int height, int scale_factor)
{
    GtkSnapshot *snapshot = gtk_snapshot_new();
    PmRecording *recording = pm_state_get_recording(picture->state);
    gboolean dark = pm_state_get_dark(picture->state);
    PmTimescale scale = pm_timeline_picture_scale(picture);
    PmTimelineRows rows;
    GdkRGBA gc;

    pm_timeline_rows(picture->widget, height, &rows);
    snapshot_grid(picture, snapshot, rows.parked_y, width, rows.parked_height);
    snapshot_grid(picture, snapshot, rows.bands_y, width, rows.bands_height);
    snapshot_axis(picture, snapshot, &rows, &scale);

    g_autoptr(PmRaster) parked = pm_raster_new(width, rows.parked_height, scale_factor);
    pm_chart_paint_parked_now(parked, picture->buckets, picture->n, picture->parked_top, dark);
    if (!picture->memory)
        snapshot_stuck(picture, parked, &scale);
    snapshot_gaps(picture, parked, &scale);
    pm_raster_snapshot(parked, snapshot, 0, rows.parked_y);
    snapshot_arrow(picture, snapshot, width, rows.parked_y, rows.parked_height);

    g_autoptr(PmRaster) bands = pm_raster_new(width, rows.bands_height, scale_factor);
    pm_chart_paint_thread_time(bands, picture->means, picture->n, picture->n_bands, picture->looks,
                               picture->bands_top, lit_band(picture), dark);
    if (picture->memory)
        pm_memory_chart_paint_bounds(bands, picture->memory, picture->begin, picture->step,
                                     picture->n, picture->bands_top, dark);
    snapshot_gaps(picture, bands, &scale);
    pm_raster_snapshot(bands, snapshot, 0, rows.bands_y);

    g_autoptr(PmRaster) marks = pm_raster_new(width, rows.marks_height, scale_factor);
    pm_palette_color(PM_COLOR_GC, dark, &gc);
    pm_chart_paint_marks(marks, recording->gc, recording->n_gc, &scale, &gc, PM_MARK_FILL);
    snapshot_gaps(picture, marks, &scale);
    pm_raster_snapshot(marks, snapshot, 0, rows.marks_y);
    picture->node = gtk_snapshot_free_to_node(snapshot);
    g_autofree PlacedLabel *labels = g_new0(PlacedLabel, picture->n_bands);
    for (guint i = 0; i < picture->n_bands; i++)
        labels[i].layout = place_longest(picture, bands, i, &labels[i].x, &labels[i].y);
    for (guint i = 0; i < G_N_ELEMENTS(picture->name_nodes); i++) {
        snapshot = gtk_snapshot_new();
        snapshot_names(picture, snapshot, labels, bands->scale, rows.bands_y, i > 0);
        picture->name_nodes[i] = gtk_snapshot_free_to_node(snapshot);
    }
    for (guint i = 0; i < picture->n_bands; i++)
        g_clear_object(&labels[i].layout);
}

static void append_names(PmTimelinePicture *picture, GtkSnapshot *snapshot, gboolean paled,
                         double from, double to)
{
    if (!picture->name_nodes[paled] || to <= from)
        return;
    gtk_snapshot_push_clip(
        snapshot, &GRAPHENE_RECT_INIT(from, 0, to - from, gtk_widget_get_height(picture->widget)));
    gtk_snapshot_append_node(snapshot, picture->name_nodes[paled]);
    gtk_snapshot_pop(snapshot);
}

/* What is outside a range is paled; the names of the bands stay readable. */
static void snapshot_range(PmTimelinePicture *picture, GtkSnapshot *snapshot,
                           const PmTimelineRows *rows)
{
    PmTimescale scale = pm_timeline_picture_scale(picture);
    gboolean dark = pm_state_get_dark(picture->state);
    gint64 from, to;
    GdkRGBA accent, shade;

    if (!pm_state_get_range(picture->state, &from, &to)) {
        append_names(picture, snapshot, FALSE, 0, scale.width_px);
        return;
    }
    pm_palette_color(PM_COLOR_ACCENT, dark, &accent);
    pm_palette_color(PM_COLOR_PAPER, dark, &shade);
    shade.alpha = 0.55f;
    double x0 = CLAMP(pm_timescale_x(&scale, from), -1, scale.width_px + 1),
           x1 = CLAMP(pm_timescale_x(&scale, to), -1, scale.width_px + 1);
    int height = rows->marks_y + rows->marks_height;
    if (x0 > 0)
        gtk_snapshot_append_color(snapshot, &shade, &GRAPHENE_RECT_INIT(0, 0, x0, height));
    if (x1 < scale.width_px) {
        gtk_snapshot_append_color(snapshot, &shade,
                                  &GRAPHENE_RECT_INIT(x1, 0, scale.width_px - x1, height));
    }
    append_names(picture, snapshot, TRUE, 0, x0);
    append_names(picture, snapshot, FALSE, MAX(x0, 0), MIN(x1, scale.width_px));
    append_names(picture, snapshot, TRUE, x1, scale.width_px);
    gtk_snapshot_append_color(snapshot, &accent,
                              &GRAPHENE_RECT_INIT(x0, height, MAX(x1 - x0, 1), 2));
    GdkRGBA edge = accent;
    edge.alpha = 0.9f;
    gtk_snapshot_append_color(snapshot, &edge, &GRAPHENE_RECT_INIT(floor(x0), 0, 1, height));
    gtk_snapshot_append_color(snapshot, &edge, &GRAPHENE_RECT_INIT(floor(x1), 0, 1, height));
}

static guint band_under(PmTimelinePicture *picture, double x, double y)
{
    PmTimelineRows rows;
    int factor = gtk_widget_get_scale_factor(picture->widget);

    pm_timeline_rows(picture->widget, gtk_widget_get_height(picture->widget), &rows);
    if (!picture->means || y < rows.bands_y || y >= rows.bands_y + rows.bands_height)
        return picture->n_bands;
    PmRaster size = {
        .width = (int)picture->n, .height = rows.bands_height * factor, .scale = factor};
    return pm_chart_band_at(&size, picture->means, picture->n, picture->n_bands, picture->bands_top,
                            x * factor, (y - rows.bands_y) * factor);
}

/* What is there in a column, and of the band in it (n_bands: none). */
static void append_values(PmTimelinePicture *picture, GString *text, gsize column, guint band,
                          gboolean unknown)
{
    const PmBucket *bucket = &picture->buckets[column];
    const double mean =
        band < picture->n_bands ? picture->means[column * picture->n_bands + band] : 0;

    if (picture->memory) {
        const char *sign = pm_memory_chart_sign(picture->memory);
        g_autofree char *rate = pm_label_bytes((guint64)(bucket->mean * 1024));
        g_autofree char *live = pm_label_bytes((guint64)mean);
        g_string_append_printf(text, "   %s%s/s allocated", sign, rate);
        if (band < picture->n_bands)
            g_string_append_printf(text, "\n%s   %s%s", picture->names[band], sign, live);
        return;
    }
    if (bucket->min == bucket->max)
        g_string_append_printf(text, "   %u waiting", bucket->max);
    else
        g_string_append_printf(text, "   %u–%u waiting", bucket->min, bucket->max);
    if (unknown)
        g_string_append(text, ", as far as is known");
    if (band < picture->n_bands) {
        g_autofree char *threads = pm_number_mean(mean);
        g_string_append_printf(
            text, "\n%s   %s %s", picture->names[band], threads,
            strcmp(threads, "1") == 0 || strcmp(threads, "1.00") == 0 ? "thread" : "threads");
    }
}

void pm_timeline_picture_snapshot_pointer(PmTimelinePicture *picture, GtkSnapshot *snapshot,
                                          const PmTimelinePointer *pointer)
{
    g_return_if_fail(picture);
    PmRecording *recording = pm_state_get_recording(picture->state);
    PmTimescale scale = pm_timeline_picture_scale(picture);
    gboolean dark = pm_state_get_dark(picture->state);
    int factor = gtk_widget_get_scale_factor(picture->widget);
    const gint64 pointed = pm_state_get_pointed(picture->state);
    const double marked = pointed >= scale.from ? pm_timescale_x(&scale, pointed) : -1;
    const double x_px = pointer->inside ? pointer->x : marked;
    gsize column = (gsize)MAX(x_px * factor, 0);
    PmTimelineRows rows;
    GdkRGBA ink, paper, border;

    if (x_px < 0 || column >= picture->n)
        return;
    pm_timeline_rows(picture->widget, gtk_widget_get_height(picture->widget), &rows);
    pm_palette_color(PM_COLOR_INK, dark, &ink);
    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    pm_palette_color(PM_COLOR_FAINT_INK, dark, &border);
    GdkRGBA hair = ink;
    hair.alpha = 0.5f;
    gtk_snapshot_append_color(snapshot, &hair,
                              &GRAPHENE_RECT_INIT(floor(x_px), 0, 1, rows.marks_y));
    if (!pointer->inside || pointer->dragging)
        return; /* the lane speaks, or the pill */

    gint64 at = pm_timescale_at(&scale, pointer->x);
    gint64 per_px = (scale.to - scale.from) / MAX((gint64)scale.width_px, 1);
    int digits = 0;
    for (gint64 unit = 1000000000; digits < 9 && per_px < unit; unit /= 10)
        digits++;
    g_autofree char *clock = pm_label_clock(recording, at, digits);
    GString *text = g_string_new(clock);
    append_values(picture, text, column, band_under(picture, pointer->x, pointer->y),
                  pm_chart_is_unknown(recording, at));
    g_autoptr(PangoLayout) layout = small_text(picture->widget, text->str);
    g_string_free(text, TRUE);
    int width, height;
    pango_layout_get_pixel_size(layout, &width, &height);
    double x = pointer->x + 12, y = pointer->y + 14;
    if (x + width + 12 > scale.width_px)
        x = MAX(pointer->x - width - 24, 0);
    y = MIN(y, gtk_widget_get_height(picture->widget) - height - 10);
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

gboolean pm_timeline_picture_snapshot(PmTimelinePicture *picture, GtkSnapshot *snapshot)
{
    g_return_val_if_fail(picture, FALSE);
    GtkWidget *widget = picture->widget;
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget),
        scale = gtk_widget_get_scale_factor(widget), lit = lit_band(picture);
    PmSummary *summary = pm_state_get_summary(picture->state);
    PmTimelineRows rows;

    pm_timeline_rows(picture->widget, height, &rows);
    if (!read_data(picture)) {
        snapshot_grid(picture, snapshot, rows.parked_y, width, rows.parked_height);
        snapshot_grid(picture, snapshot, rows.bands_y, width, rows.bands_height);
        return FALSE;
    }
    if (!picture->node || picture->node_width != width || picture->node_height != height ||
        picture->node_scale != scale || picture->node_lit != lit ||
        picture->node_summary != summary) {
        drop_nodes(picture);
        make_nodes(picture, width, height, scale);
        picture->node_width = width;
        picture->node_height = height;
        picture->node_scale = scale;
        picture->node_lit = lit;
        picture->node_summary = summary;
    }
    if (picture->node)
        gtk_snapshot_append_node(snapshot, picture->node);
    snapshot_range(picture, snapshot, &rows);
    pm_palette_snapshot_focus(widget, snapshot, pm_state_get_dark(picture->state));
    return TRUE;
}

const char *pm_timeline_picture_label(PmTimelinePicture *picture, guint band)
{
    g_return_val_if_fail(picture, NULL);
    return picture->shown && band < picture->n_bands ? picture->shown[band] : NULL;
}

char *pm_timeline_picture_top_text(PmTimelinePicture *picture, gboolean bands)
{
    g_return_val_if_fail(picture, NULL);
    const double top = bands ? picture->bands_top : picture->parked_top;

    if (!picture->n)
        return NULL;
    if (!picture->memory)
        return pm_number_count((gint64)top);
    g_autofree char *bytes = pm_label_bytes((guint64)(bands ? top : top * 1024));
    return g_strconcat(bytes, bands ? "" : "/s", NULL);
}

gboolean pm_timeline_picture_band_at(PmTimelinePicture *picture, double x, double y,
                                     PmAspect *ret_aspect, guint64 *ret_key)
{
    g_return_val_if_fail(picture, FALSE);
    const guint band = band_under(picture, x, y);

    if (picture->memory && band + 1 < picture->n_bands) {
        *ret_aspect = (PmAspect)picture->memory->band_aspect;
        *ret_key = picture->memory->bands[band].key;
        return *ret_aspect < PM_N_ASPECTS;
    }
    if (!picture->curves || band + 1 >= picture->n_bands)
        return FALSE;
    *ret_aspect = picture->curves->aspect;
    *ret_key = pm_band_order_get(picture->curves->order, band)->key;
    return TRUE;
}

void pm_timeline_picture_outdate(PmTimelinePicture *picture)
{
    g_return_if_fail(picture);
    picture->node_summary = NULL; /* an address may be used again */
    drop_nodes(picture);
}

PmTimelinePicture *pm_timeline_picture_new(GtkWidget *widget, PmState *state)
{
    g_return_val_if_fail(GTK_IS_WIDGET(widget) && PM_IS_STATE(state), NULL);
    PmTimelinePicture *picture = g_new0(PmTimelinePicture, 1);

    picture->widget = widget;
    picture->state = state;
    return picture;
}

void pm_timeline_picture_free(PmTimelinePicture *picture)
{
    if (!picture)
        return;
    pm_timeline_picture_forget(picture);
    g_free(picture);
}
