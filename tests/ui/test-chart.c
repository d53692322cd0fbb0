/* The painters against brute force: what each pixel column must show, asked of every pixel. */
#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/ui/charts/chart.h"
#include "viewer/ui/charts/charts.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/charts/lane-strip.h"
#include "viewer/ui/model/strip.h"

#define WIDTH  311
#define HEIGHT 97

static guint alpha_at(const PmRaster *raster, int x, int y)
{
    return raster->pixels[(gsize)y * raster->width + x] >> 24;
}

/* The first painted row from above; height when the column is empty. */
static int first_painted(const PmRaster *raster, int x)
{
    int y = 0;

    while (y < raster->height && alpha_at(raster, x, y) == 0)
        y++;
    return y;
}

static void random_buckets(GRand *rand, PmBucket *buckets, gsize n, guint32 top)
{
    for (gsize i = 0; i < n; i++) {
        guint32 a = g_rand_int_range(rand, 0, (gint32)top + 1),
                b = g_rand_int_range(rand, 0, (gint32)top + 1);
        if (g_rand_int_range(rand, 0, 3) == 0)
            a = b;
        buckets[i].min = MIN(a, b);
        buckets[i].max = MAX(a, b);
        buckets[i].last = b;
        buckets[i].mean = g_rand_double_range(rand, buckets[i].min, buckets[i].max + 1e-9);
    }
}

static void test_every_column_reaches_its_max(void)
{
    GRand *rand = g_rand_new_with_seed(7);

    for (int round = 0; round < 40; round++) {
        PmBucket buckets[WIDTH];
        guint32 top = g_rand_int_range(rand, 1, 4000);
        g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, HEIGHT, 1);
        random_buckets(rand, buckets, WIDTH, top);
        pm_chart_paint_parked_now(raster, buckets, WIDTH, pm_axis_top(top), FALSE);
        for (int x = 0; x < WIDTH; x++) {
            double y = HEIGHT * (1 - buckets[x].max / pm_axis_top(top));
            int painted = first_painted(raster, x);
            if (buckets[x].max == 0)
                continue; /* a join with its neighbour may be there */
            /* Never below the exact max (but for the pixel's rounding), never far above it: only
             * the line that joins the neighbour may rise higher. */
            g_assert_cmpint(painted, <=, (int)ceil(y));
            g_assert_cmpint(painted, <, HEIGHT);
            double before = x > 0 ? HEIGHT * (1 - buckets[x - 1].max / pm_axis_top(top)) : y;
            g_assert_cmpint(painted, >=, (int)floor(MIN(y, before)) - 2);
        }
    }
    g_rand_free(rand);
}

static void test_nothing_is_painted_above_a_still_line(void)
{
    PmBucket buckets[WIDTH];
    g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, HEIGHT, 1);

    for (int x = 0; x < WIDTH; x++)
        buckets[x] = (PmBucket){.min = 5, .max = 5, .last = 5, .mean = 5};
    pm_chart_paint_parked_now(raster, buckets, WIDTH, 10, FALSE);
    for (int x = 0; x < WIDTH; x++) {
        g_assert_cmpint(first_painted(raster, x), ==, HEIGHT / 2);
        g_assert_cmpuint(alpha_at(raster, x, HEIGHT - 1), >, 0);
    }
}

static void test_one_wait_is_seen_under_a_tall_axis(void)
{
    PmBucket buckets[WIDTH] = {0};
    g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, HEIGHT, 1),
                        nothing = pm_raster_new(WIDTH, HEIGHT, 1);

    pm_chart_paint_parked_now(nothing, buckets, WIDTH, 1000000, FALSE);
    buckets[100] = (PmBucket){.min = 0, .max = 1, .last = 0, .mean = 1e-9};
    buckets[200] = (PmBucket){.min = 0, .max = 1000000, .last = 0, .mean = 2};
    pm_chart_paint_parked_now(raster, buckets, WIDTH, 1000000, FALSE);
    gsize row = (gsize)(HEIGHT - 1) * WIDTH;
    g_assert_cmphex(raster->pixels[row + 100], !=, nothing->pixels[row + 100]);
    g_assert_cmphex(raster->pixels[row + 50], ==, nothing->pixels[row + 50]);
    g_assert_cmpint(first_painted(raster, 200), ==, 0);
}

static void make_looks(PmBandLook *looks, guint n)
{
    for (guint i = 0; i < n; i++)
        looks[i] = (PmBandLook){.color = {(i + 1) / 10.f, 1 - (i + 1) / 10.f, i % 2, 1}};
}

static guint32 packed(const GdkRGBA *color)
{
    return 0xff000000u | (guint32)(color->red * 255 + .5f) << 16 |
           (guint32)(color->green * 255 + .5f) << 8 | (guint32)(color->blue * 255 + .5f);
}

/* For every pixel: which band does it lie in by the definition, is it painted so? */
static void test_bands_are_stacked_exactly(void)
{
    enum { BANDS = 9 };
    GRand *rand = g_rand_new_with_seed(11);
    PmBandLook looks[BANDS];

    make_looks(looks, BANDS);
    for (int round = 0; round < 20; round++) {
        g_autofree double *means = g_new0(double, WIDTH *BANDS);
        g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, HEIGHT, 1);
        for (int i = 0; i < WIDTH * BANDS; i++)
            means[i] = g_rand_int_range(rand, 0, 3) ? g_rand_double_range(rand, 0, 8) : 0;
        double top = pm_axis_top(pm_chart_biggest_sum(means, WIDTH, BANDS));
        pm_chart_paint_thread_time(raster, means, WIDTH, BANDS, looks, top, -1, FALSE);
        guint checked = 0;
        for (int x = 0; x < WIDTH; x++) {
            for (int y = 0; y < HEIGHT; y++) {
                double low = (HEIGHT - 1 - y) * top / HEIGHT, high = (HEIGHT - y) * top / HEIGHT;
                double sum = 0;
                for (int band = 0; band < BANDS; band++) {
                    double below = sum;
                    sum += means[x * BANDS + band];
                    /* Inside the band, and not in the pixel of paper at its top. */
                    if (low >= below && high + top / HEIGHT <= sum) {
                        g_assert_cmphex(raster->pixels[y * WIDTH + x], ==,
                                        packed(&looks[band].color));
                        g_assert_cmpuint(
                            pm_chart_band_at(raster, means, WIDTH, BANDS, top, x, y + 0.5), ==,
                            (guint)band);
                        checked++;
                    }
                }
                if (low > sum + top / HEIGHT)
                    g_assert_cmpuint(alpha_at(raster, x, y), ==, 0);
            }
        }
        g_assert_cmpuint(checked, >, 1000);
    }
    g_rand_free(rand);
}

static void test_a_short_wait_has_a_pixel_of_its_colour(void)
{
    enum { BANDS = 3 };
    PmBandLook looks[BANDS];
    double means[WIDTH * BANDS] = {0};
    g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, HEIGHT, 1);

    make_looks(looks, BANDS);
    means[42 * BANDS + 1] = 1e-12;
    pm_chart_paint_thread_time(raster, means, WIDTH, BANDS, looks, 5000, -1, FALSE);
    g_assert_cmphex(raster->pixels[(HEIGHT - 1) * WIDTH + 42], ==, packed(&looks[1].color));
    g_assert_cmphex(raster->pixels[(HEIGHT - 1) * WIDTH + 43], ==, 0);
}

static void test_labels_lie_inside_their_band(void)
{
    enum { BANDS = 2, LABEL_WIDTH = 60, LABEL_HEIGHT = 12 };
    double means[WIDTH * BANDS], x, y;
    PmRaster size = {.width = WIDTH, .height = HEIGHT, .scale = 1};

    for (int i = 0; i < WIDTH; i++) {
        means[i * BANDS] = 2;
        means[i * BANDS + 1] = i > 150 && i < 250 ? 6 : 0.5;
    }
    g_assert_true(
        pm_chart_place_label(&size, means, WIDTH, BANDS, 1, 10, LABEL_WIDTH, LABEL_HEIGHT, &x, &y));
    g_assert_cmpfloat(x, >=, 148);
    g_assert_cmpfloat(x + LABEL_WIDTH, <=, 256);
    g_assert_cmpfloat(y, >=, HEIGHT * 0.2);
    g_assert_cmpfloat(y + LABEL_HEIGHT, <=, HEIGHT * 0.8);
    g_assert_false(
        pm_chart_place_label(&size, means, WIDTH, BANDS, 1, 10, 200, LABEL_HEIGHT, &x, &y));
    for (int i = 3; i < WIDTH; i += 4) /* a comb has no room between its teeth */
        means[i * BANDS + 1] = 0;
    g_assert_false(
        pm_chart_place_label(&size, means, WIDTH, BANDS, 1, 10, LABEL_WIDTH, LABEL_HEIGHT, &x, &y));
}

static void test_marks_are_at_least_a_pixel(void)
{
    PmInterval intervals[] = {{10, 11}, {500000, 500001}, {999999, 1000000}, {600000, 700000}};
    PmTimescale scale = {.from = 0, .to = 1000000, .width_px = WIDTH};
    GdkRGBA color = {1, 0, 0, 1};
    g_autoptr(PmRaster) raster = pm_raster_new(WIDTH, 8, 1);

    for (guint i = 0; i < G_N_ELEMENTS(intervals); i++)
        pm_chart_paint_marks(raster, &intervals[i], 1, &scale, &color, PM_MARK_FILL);
    guint painted = 0;
    for (int x = 0; x < WIDTH; x++)
        painted += alpha_at(raster, x, 3) > 0;
    g_assert_cmpuint(alpha_at(raster, 0, 0), ==, 255);
    g_assert_cmpuint(alpha_at(raster, WIDTH / 2, 0), ==, 255);
    g_assert_cmpuint(alpha_at(raster, WIDTH - 1, 0), ==, 255);
    g_assert_cmpuint(painted, >=, 3 + 31);
    g_assert_cmpuint(painted, <=, 3 + 33);
}

static void test_axis_tops_are_round_and_cover(void)
{
    g_assert_cmpfloat(pm_axis_top(0), ==, 1);
    g_assert_cmpfloat(pm_axis_top(0.2), ==, 1);
    g_assert_cmpfloat(pm_axis_top(NAN), ==, 1);
    g_assert_cmpfloat(pm_axis_top(64), ==, 80);
    for (int value = 1; value < 20000; value++) {
        double top = pm_axis_top(value);
        g_assert_cmpfloat(top, >=, value);
        g_assert_cmpfloat(top, <=, 2 * value);
        g_assert_cmpfloat(top, ==, floor(top));
    }
}

static void test_time_and_pixels_are_inverse(void)
{
    PmTimescale scale = {.from = -5000, .to = 12345678901, .width_px = 1000};

    for (int x = 0; x <= 1000; x++) {
        gint64 at = pm_timescale_at(&scale, x);
        g_assert_cmpfloat_with_epsilon(pm_timescale_x(&scale, at), x, 1e-3);
    }
    g_assert_cmpint(pm_timescale_at(&scale, -5), ==, scale.from);
    g_assert_cmpint(pm_timescale_at(&scale, 2000), ==, scale.to);
}

static void test_ticks_are_round_and_apart(void)
{
    PmRecording recording = {
        .facts = {.begin_unix_ns = G_GINT64_CONSTANT(1795269731123456789), .utc_offset_s = 3600}};
    const double char_px = 7, gap_px = 30;

    for (gint64 width = 1000; width < G_GINT64_CONSTANT(3000000000000000); width *= 3) {
        PmTimescale scale = {.from = 17, .to = 17 + width, .width_px = 1100};
        g_autoptr(GArray) ticks = pm_timescale_ticks(&scale, &recording, char_px, gap_px);
        gint64 step = 0;
        for (guint i = 1; i < ticks->len; i++) {
            const PmTick *a = &g_array_index(ticks, PmTick, i - 1),
                         *b = &g_array_index(ticks, PmTick, i);
            gint64 clock = recording.facts.begin_unix_ns +
                           recording.facts.utc_offset_s * G_GINT64_CONSTANT(1000000000) + b->at;
            g_assert_cmpfloat(b->x - a->x, >=, strlen(b->label) * char_px);
            g_assert_cmpint(step == 0 || step == b->at - a->at, ==, TRUE);
            step = b->at - a->at;
            g_assert_cmpint(clock % step, ==, 0);
            g_assert_cmpstr(a->label, !=, b->label);
        }
        g_assert_cmpuint(ticks->len, <, 40);
    }
}

/* The whole way: painters to nodes, nodes to pixels. No display is needed, only GTK's types. */
static void test_a_raster_becomes_the_same_pixels(void)
{
    GdkRGBA red = {1, 0, 0, 1};
    g_autoptr(PmRaster) raster = pm_raster_new(4, 3, 1);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 6, 6);
    cairo_t *cr = cairo_create(surface);

    pm_raster_column(raster, 2, 1, 3, &red);
    pm_raster_snapshot(raster, snapshot, 1, 2);
    g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
    gsk_render_node_draw(node, cr);
    cairo_surface_flush(surface);
    const guint32 *pixels = (const guint32 *)cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface) / 4;
    for (int y = 0; y < 6; y++) {
        for (int x = 0; x < 6; x++) {
            gboolean in = x == 3 && (y == 3 || y == 4);
            g_assert_cmphex(pixels[y * stride + x], ==, in ? 0xffff0000u : 0u);
        }
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

static void test_a_strip_is_the_series_at_its_resolution(void)
{
    enum { N = PM_STRIP_BUCKETS };
    g_autoptr(PmRecording) r = pm_made_random(23, 30000, 40, 5000000);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmParkedNow) p = pm_parked_now_new(v, NULL);
    g_autofree PmStrip *strip = pm_strip_new(p, v->from, v->to);
    g_autofree PmBucket *exact = g_new(PmBucket, 2 * N), *shown = g_new(PmBucket, 2 * N);
    g_assert_cmpuint(strip->peak, ==, pm_parked_now_peak(p, v->from, v->to));
    for (gsize n = 1; n <= N;
         n *= 2) { /* these cuts are cuts of the strip, but for their rounding */
        pm_parked_now_read(p, v->from, v->to, n, exact);
        pm_strip_read(strip, n, shown);
        guint32 max = 0;
        for (gsize i = 0; i < n; i++) {
            g_assert_cmpfloat(fabs(shown[i].mean - exact[i].mean), <, 0.1);
            if (n == N)
                g_assert_cmpmem(&shown[i].max, sizeof(guint32), &exact[i].max, sizeof(guint32));
            max = MAX(max, shown[i].max);
        }
        g_assert_cmpuint(max, ==, strip->peak);
    }
    static const gsize others[] = {3, 100, 641, 5000, 2 * N};
    for (gsize k = 0; k < G_N_ELEMENTS(others); k++) {
        pm_parked_now_read(p, v->from, v->to, others[k], exact);
        pm_strip_read(strip, others[k], shown);
        for (gsize i = 0; i < others[k]; i++) {
            g_assert_cmpuint(shown[i].min, <=, exact[i].min);
            g_assert_cmpuint(shown[i].max, >=, exact[i].max);
            g_assert_cmpfloat(shown[i].mean, >=, shown[i].min - 1e-6);
            g_assert_cmpfloat(shown[i].mean, <=, shown[i].max + 1e-6);
        }
    }
}

/* A lane of one family and what is idle, drawn: its pixels are looked at. */
enum { SLICES = 48, LANE_PX = 84, TALL_PX = 20 };

static cairo_surface_t *lane_drawn(const float means[SLICES], float idle, double full)
{
    PmLanes lanes = {.from = 0, .to = 1000, .n_slices = SLICES, .n_lanes = 1};
    float of_families[SLICES * PM_N_FAMILIES] = {0}, *lane = of_families;
    GtkSnapshot *snapshot = gtk_snapshot_new();
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, LANE_PX, TALL_PX);
    cairo_t *cr = cairo_create(surface);

    lanes.lanes = &lane;
    for (guint s = 0; s < SLICES; s++) {
        of_families[s * PM_N_FAMILIES + PM_FAMILY_LOCK] = means[s];
        of_families[s * PM_N_FAMILIES + PM_FAMILY_IDLE] = idle;
    }
    pm_lane_snapshot(snapshot, &GRAPHENE_RECT_INIT(0, 0, LANE_PX, TALL_PX), &lanes, 0, full, FALSE);
    g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
    gsk_render_node_draw(node, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    return surface;
}

static gboolean is_lock(cairo_surface_t *surface, int x, int y)
{
    const guint32 *pixels = (const guint32 *)cairo_image_surface_get_data(surface);
    GdkRGBA color;

    pm_palette_family(PM_FAMILY_LOCK, 0, FALSE, &color);
    return pixels[y * (cairo_image_surface_get_stride(surface) / 4) + x] == packed(&color);
}

static guint n_painted(cairo_surface_t *surface, int from, int to)
{
    const guint32 *pixels = (const guint32 *)cairo_image_surface_get_data(surface);
    guint n = 0;

    for (int y = 0; y < TALL_PX - 1; y++)
        for (int x = from; x < to; x++)
            n += pixels[y * (cairo_image_surface_get_stride(surface) / 4) + x] != 0;
    return n;
}

/* Nobody waits there that could be read: that is not to say that nobody did. */
static void test_lanes_are_crossed_where_waits_are_missing(void)
{
    const PmDamage damage = {.begin = 250, .end = 500};
    const PmRecording recording = {.duration = 1000, .n_damage = 1, .damage = &damage};
    float none[SLICES * PM_N_FAMILIES] = {0}, *lane = none;
    PmLanes lanes = {.from = 0, .to = 1000, .n_slices = SLICES, .n_lanes = 1, .lanes = &lane};
    const PmLaneStrip strip = {.lanes = &lanes,
                               .full = 4,
                               .recording = &recording,
                               .visible_to = 1000,
                               .to = 1000,
                               .pointed = G_MININT64};
    GtkSnapshot *snapshot = gtk_snapshot_new();
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, LANE_PX, TALL_PX);
    cairo_t *cr = cairo_create(surface);

    pm_lane_strip_snapshot(&strip, snapshot, &GRAPHENE_RECT_INIT(0, 0, LANE_PX, TALL_PX));
    g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
    gsk_render_node_draw(node, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    g_assert_cmpuint(n_painted(surface, 0, LANE_PX / 4 - 1), ==, 0);
    g_assert_cmpuint(n_painted(surface, LANE_PX / 4 + 1, LANE_PX / 2 - 1), >, 50);
    g_assert_cmpuint(n_painted(surface, LANE_PX / 2 + 1, LANE_PX), ==, 0);
    cairo_surface_destroy(surface);
    g_autofree char *lost = pm_lane_strip_text_at(&strip, 300);
    g_autofree char *whole = pm_lane_strip_text_at(&strip, 600);
    g_assert_true(g_str_has_suffix(lost, "none of 4, as far as is known"));
    g_assert_true(g_str_has_suffix(whole, "none of 4"));
}

/* Slices have no whole pixels; between them is nothing to be seen. */
static void test_a_lane_has_no_seams(void)
{
    float means[SLICES];

    for (guint s = 0; s < SLICES; s++) /* so that there are no runs */
        means[s] = s % 2 ? 1 : 0.9f;
    cairo_surface_t *surface = lane_drawn(means, 0, 1);
    for (int x = 0; x < LANE_PX; x++)
        g_assert_true(is_lock(surface, x, TALL_PX / 2));
    cairo_surface_destroy(surface);
}

static double linear(double part)
{
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* As WCAG 2.1 has it. */
static double luminance(PmColor of, gboolean dark)
{
    GdkRGBA color;

    pm_palette_color(of, dark, &color);
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

static double contrast_to_paper(PmColor of, gboolean dark)
{
    const double paper = luminance(PM_COLOR_PAPER, dark), ink = luminance(of, dark);

    return (MAX(paper, ink) + 0.05) / (MIN(paper, ink) + 0.05);
}

static void test_secondary_text_can_be_read(void)
{
    for (gboolean dark = FALSE; dark <= TRUE; dark++) {
        g_assert_cmpfloat(contrast_to_paper(PM_COLOR_FAINT_INK, dark), >=, 4.5);
        pm_palette_set_high_contrast(TRUE);
        g_assert_cmpfloat(contrast_to_paper(PM_COLOR_FAINT_INK, dark), >=, 10);
        pm_palette_set_high_contrast(FALSE);
    }
}

/* How many pixels high it is there. */
static int height_at(cairo_surface_t *surface, int x)
{
    int n = 0;

    for (int y = 0; y < TALL_PX; y++)
        n += is_lock(surface, x, y);
    return n;
}

/* One thread of a thousand is seen, more are higher, and a pause is none. */
static void test_few_of_many_threads_are_seen_in_a_lane(void)
{
    float means[SLICES];

    for (guint s = 0; s < SLICES; s++)
        means[s] = s < SLICES / 4 ? 1 : s < SLICES / 2 ? 150 : s < 3 * SLICES / 4 ? 0 : 1000;
    cairo_surface_t *surface = lane_drawn(means, 0, 1000);
    g_assert_cmpint(height_at(surface, LANE_PX / 8), ==, 3);
    g_assert_cmpint(height_at(surface, 3 * LANE_PX / 8), ==, 5);
    g_assert_cmpint(height_at(surface, 5 * LANE_PX / 8), ==, 0);
    g_assert_cmpint(height_at(surface, 7 * LANE_PX / 8), ==, TALL_PX - 1);
    cairo_surface_destroy(surface);

    surface = lane_drawn(means, 500, 1000); /* as high where half of the others are idle */
    g_assert_cmpint(height_at(surface, LANE_PX / 8), ==, 3);
    g_assert_cmpint(height_at(surface, 3 * LANE_PX / 8), ==, 5);
    cairo_surface_destroy(surface);
}

/* A higher window has higher charts, up to the biggest screens; the page has the most of it. */
static void test_charts_grow_with_the_window(void)
{
    for (int height = 550; height < 2160; height++) {
        const int charts = pm_charts_height_for(height);
        g_assert_cmpint(charts, <=, pm_charts_height_for(height + 1));
        g_assert_cmpint(charts, <=, height / 2);
    }
    g_assert_cmpint(pm_charts_height_for(1033), >=, pm_charts_height_for(753) + 90);
}

int main(int argc, char **argv)
{
    gtk_init_check(); /* registers the node types; FALSE without a display is fine */
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ui/chart/every-column-reaches-its-max", test_every_column_reaches_its_max);
    g_test_add_func("/ui/chart/nothing-above-a-still-line",
                    test_nothing_is_painted_above_a_still_line);
    g_test_add_func("/ui/chart/one-wait-is-seen-under-a-tall-axis",
                    test_one_wait_is_seen_under_a_tall_axis);
    g_test_add_func("/ui/chart/bands-are-stacked-exactly", test_bands_are_stacked_exactly);
    g_test_add_func("/ui/chart/a-short-wait-has-a-pixel-of-its-colour",
                    test_a_short_wait_has_a_pixel_of_its_colour);
    g_test_add_func("/ui/chart/labels-lie-inside-their-band", test_labels_lie_inside_their_band);
    g_test_add_func("/ui/chart/marks-are-at-least-a-pixel", test_marks_are_at_least_a_pixel);
    g_test_add_func("/ui/chart/axis-tops-are-round-and-cover", test_axis_tops_are_round_and_cover);
    g_test_add_func("/ui/charts/grow-with-the-window", test_charts_grow_with_the_window);
    g_test_add_func("/ui/timescale/time-and-pixels-are-inverse", test_time_and_pixels_are_inverse);
    g_test_add_func("/ui/timescale/ticks-are-round-and-apart", test_ticks_are_round_and_apart);
    g_test_add_func("/ui/strip/is-the-series-at-its-resolution",
                    test_a_strip_is_the_series_at_its_resolution);
    g_test_add_func("/ui/palette/secondary-text-can-be-read", test_secondary_text_can_be_read);
    g_test_add_func("/ui/lane/has-no-seams", test_a_lane_has_no_seams);
    g_test_add_func("/ui/lane/crossed-where-waits-are-missing",
                    test_lanes_are_crossed_where_waits_are_missing);
    g_test_add_func("/ui/lane/few-of-many-threads-are-seen",
                    test_few_of_many_threads_are_seen_in_a_lane);
    g_test_add_func("/ui/raster/becomes-the-same-pixels", test_a_raster_becomes_the_same_pixels);
    return g_test_run();
}
