#include "viewer/ui/charts/lane-strip.h"

#include <math.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/charts/chart.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/palette.h"

/* From the bottom: what is blamed on code first, idle on top. */
static const PmFamily stack[] = {PM_FAMILY_LOCK, PM_FAMILY_RESOURCE, PM_FAMILY_SIGNAL,
                                 PM_FAMILY_JOIN, PM_FAMILY_OTHER,    PM_FAMILY_IDLE};

/* However few of many threads wait for something, it is seen where: so high is none, and the rest
 * is in proportion. What is idle gets what that leaves.
 */
#define LEAST_PX 3

/* From the bottom, where each family's part of a slice begins, and where the last one ends; of
 * `tall` pixels. */
static void stack_edges(const PmLanes *lanes, guint lane, guint slice, double full, float tall,
                        float ret_edges[G_N_ELEMENTS(stack) + 1])
{
    const float scale = (float)(tall / full);
    const float idle = (float)pm_lanes_mean(lanes, lane, slice, PM_FAMILY_IDLE) * scale;
    float waiting = 0, top = 0;

    for (guint i = 0; i < G_N_ELEMENTS(stack); i++)
        waiting += (float)pm_lanes_mean(lanes, lane, slice, stack[i]) * scale;
    waiting -= idle;
    const float more = waiting > 0 ? LEAST_PX / waiting + 1 - LEAST_PX / tall : 1;
    const float left = MAX(tall - waiting * more, 0), less = idle > left ? left / idle : 1;
    ret_edges[0] = 0;
    for (guint i = 0; i < G_N_ELEMENTS(stack); i++) {
        const float part = (float)pm_lanes_mean(lanes, lane, slice, stack[i]) * scale *
                           (stack[i] == PM_FAMILY_IDLE ? less : more);
        top += part > 0 ? MAX(part, 1) : 0; /* the shortest wait stays visible */
        ret_edges[i + 1] = MIN(top, tall);
    }
}

void pm_lane_snapshot(GtkSnapshot *snapshot, const graphene_rect_t *bounds, const PmLanes *lanes,
                      guint lane, double full, gboolean dark)
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
    colors[PM_FAMILY_IDLE].alpha = 0.7f;
    const guint n = lanes->n_slices;
    const float slice_px = bounds->size.width / (float)n;
    g_autofree float *edges = g_new0(float, (n + 1) * (G_N_ELEMENTS(stack) + 1));
    for (guint s = 0; s < n; s++)
        stack_edges(lanes, lane, s, full, bounds->size.height - 1,
                    &edges[s * (G_N_ELEMENTS(stack) + 1)]);
    for (guint i = 0; i < G_N_ELEMENTS(stack); i++) {
        /* Runs of equal height are one node. */
        float run_x = 0, run_top = 0, run_height = 0;
        for (guint s = 0; s <= n; s++) {
            const float *its = &edges[s * (G_N_ELEMENTS(stack) + 1) + i];
            const float height = its[1] - its[0], top = bottom - 1 - its[1];
            if (s < n && run_height > 0 && fabsf(height - run_height) < 0.25f &&
                fabsf(top - run_top) < 0.25f)
                continue;
            /* Whole pixels: else there would be a seam, which looks like a pause. */
            const float x = roundf(bounds->origin.x + (float)s * slice_px);
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

/* Below the lane, so that what is known is seen. */
static void snapshot_unknown(const PmLaneStrip *strip, GtkSnapshot *snapshot,
                             const graphene_rect_t *bounds, const PmTimescale *scale)
{
    const PmRecording *recording = strip->recording;
    GdkRGBA color;

    if (!recording->n_gaps && !recording->n_damage && !recording->n_stopped)
        return;
    g_autoptr(PmRaster) raster =
        pm_raster_new((int)bounds->size.width, (int)bounds->size.height, 1);
    pm_palette_color(PM_COLOR_GAP, strip->dark, &color);
    pm_chart_paint_unknown(raster, recording, scale, &color);
    pm_raster_snapshot(raster, snapshot, bounds->origin.x, bounds->origin.y);
}

/* What the numbers of the row are not about is faint, as in the charts. */
static void snapshot_range(const PmLaneStrip *strip, GtkSnapshot *snapshot,
                           const graphene_rect_t *bounds, const PmTimescale *scale)
{
    const float left = bounds->origin.x, width = bounds->size.width;
    const float begin = CLAMP((float)pm_timescale_x(scale, strip->from), 0, width),
                end = CLAMP((float)pm_timescale_x(scale, strip->to), begin, width);
    GdkRGBA shade;

    pm_palette_color(PM_COLOR_PAPER, strip->dark, &shade);
    shade.alpha = 0.65f;
    if (begin > 0)
        gtk_snapshot_append_color(
            snapshot, &shade,
            &GRAPHENE_RECT_INIT(left, bounds->origin.y, begin, bounds->size.height));
    if (end < width)
        gtk_snapshot_append_color(
            snapshot, &shade,
            &GRAPHENE_RECT_INIT(left + end, bounds->origin.y, width - end, bounds->size.height));
}

static void snapshot_pointed(const PmLaneStrip *strip, GtkSnapshot *snapshot,
                             const graphene_rect_t *bounds, const PmTimescale *scale)
{
    GdkRGBA hair;

    if (strip->pointed < scale->from || strip->pointed > scale->to)
        return;
    pm_palette_color(PM_COLOR_INK, strip->dark, &hair);
    hair.alpha = 0.5f;
    gtk_snapshot_append_color(
        snapshot, &hair,
        &GRAPHENE_RECT_INIT(bounds->origin.x + floorf((float)pm_timescale_x(scale, strip->pointed)),
                            bounds->origin.y, 1, bounds->size.height));
}

void pm_lane_strip_snapshot(const PmLaneStrip *strip, GtkSnapshot *snapshot,
                            const graphene_rect_t *bounds)
{
    const PmTimescale scale = {strip->visible_from, strip->visible_to, bounds->size.width};
    const double begin = pm_timescale_x(&scale, strip->lanes->from),
                 end = pm_timescale_x(&scale, strip->lanes->to);

    gtk_snapshot_push_clip(snapshot, bounds);
    snapshot_unknown(strip, snapshot, bounds, &scale);
    pm_lane_snapshot(snapshot,
                     &GRAPHENE_RECT_INIT(bounds->origin.x + (float)begin, bounds->origin.y,
                                         (float)(end - begin), bounds->size.height),
                     strip->lanes, strip->lane, strip->full, strip->dark);
    snapshot_range(strip, snapshot, bounds, &scale);
    snapshot_pointed(strip, snapshot, bounds, &scale);
    gtk_snapshot_pop(snapshot);
}

char *pm_lane_strip_text_at(const PmLaneStrip *strip, gint64 at)
{
    const PmLanes *lanes = strip->lanes;

    if (at < lanes->from || at > lanes->to)
        return NULL;
    const PmTimescale slices = {lanes->from, lanes->to, lanes->n_slices};
    const guint slice = MIN((guint)pm_timescale_x(&slices, at), lanes->n_slices - 1);
    int digits = 0;
    for (gint64 unit = 1000000000; digits < 9 && (lanes->to - lanes->from) / lanes->n_slices < unit;
         unit /= 10)
        digits++;
    g_autofree char *clock = pm_label_clock(strip->recording, at, digits);
    GString *text = g_string_new(clock);
    guint any = 0;
    g_string_append(text, "  ");
    for (guint i = 0; i < G_N_ELEMENTS(stack); i++) {
        const double threads = pm_lanes_mean(lanes, strip->lane, slice, stack[i]);
        if (threads <= 0)
            continue;
        g_autofree char *mean = pm_number_mean(threads);
        g_string_append_printf(text, "%s%s %s", any++ ? ", " : " ", pm_family_name(stack[i]), mean);
    }
    g_autofree char *all = pm_number_count((gint64)strip->full);
    g_string_append_printf(text, any ? " of %s" : " none of %s", all);
    if (pm_chart_is_unknown(strip->recording, at))
        g_string_append(text, ", as far as is known");
    return g_string_free(text, FALSE);
}
