#include "viewer/ui/widgets/palette.h"

/* light, dark. Checked: contrast ≥ 3 to the paper (idle excepted: hatch and outline), distance
 * ≥ 12.5 (OKLab × 100) between families for normal sight, prot-, deuter- and tritanopia. */
static const guint32 families[PM_N_FAMILIES][2] = {
    [PM_FAMILY_LOCK] = {0xb0400a, 0xe0701d},   [PM_FAMILY_RESOURCE] = {0xad8b00, 0xfcd34d},
    [PM_FAMILY_SIGNAL] = {0x2f7fd8, 0x62b0ff}, [PM_FAMILY_JOIN] = {0x5a1f6e, 0xa04fc0},
    [PM_FAMILY_IDLE] = {0xb4b4b4, 0x5e5c64},   [PM_FAMILY_OTHER] = {0x77767b, 0x9a9996},
};

static const struct {
    guint32 light, dark;
    float light_alpha, dark_alpha;
} colors[PM_N_COLORS] = {
    [PM_COLOR_PAPER] = {0xffffff, 0x1e1e1e, 1, 1},
    [PM_COLOR_INK] = {0x1c1c1f, 0xf2f2f2, 1, 1},
    [PM_COLOR_FAINT_INK] = {0x5e5c64, 0xb5b3ba, 1, 1},
    [PM_COLOR_GRID] = {0x000000, 0xffffff, 0.10, 0.12},
    [PM_COLOR_ENVELOPE] = {0x3d3846, 0xdeddda, 0.28, 0.30},
    [PM_COLOR_STEP] = {0x3d3846, 0xe6e5e9, 1, 1},
    [PM_COLOR_OTHERS] = {0x9a9996, 0x77767b, 1, 1},
    [PM_COLOR_STUCK] = {0xc01c28, 0xff6b6b, 1, 1},
    [PM_COLOR_ACCENT] = {0x1a5fb4, 0x78aeed, 1, 1},
    [PM_COLOR_GC] = {0x3d3846, 0xdeddda, 0.8, 0.75},
    [PM_COLOR_GAP] = {0x5e5c64, 0xb5b3ba, 0.75, 0.75},
};

static void from_hex(guint32 hex, float alpha, GdkRGBA *ret_color)
{
    *ret_color = (GdkRGBA){
        .red = (hex >> 16 & 0xff) / 255.f,
        .green = (hex >> 8 & 0xff) / 255.f,
        .blue = (hex & 0xff) / 255.f,
        .alpha = alpha,
    };
}

void pm_palette_family(PmFamily family, guint step, gboolean dark, GdkRGBA *ret_color)
{
    /* Each step goes a fifth towards the paper's opposite of black or white. */
    float part = 0.22f * MIN(step, PM_PALETTE_STEPS - 1);
    float target = 1;

    from_hex(families[MIN(family, PM_FAMILY_OTHER)][dark ? 1 : 0], 1, ret_color);
    ret_color->red += (target - ret_color->red) * part;
    ret_color->green += (target - ret_color->green) * part;
    ret_color->blue += (target - ret_color->blue) * part;
}

void pm_palette_category(PmCategory category, guint step, gboolean dark, GdkRGBA *ret_color)
{
    pm_palette_family(pm_category_family(category), step, dark, ret_color);
}

void pm_palette_band(const PmBand *band, gboolean dark, GdkRGBA *ret_color)
{
    if (band->others)
        pm_palette_color(PM_COLOR_OTHERS, dark, ret_color);
    else
        pm_palette_category(band->category, band->rank, dark, ret_color);
}

gboolean pm_palette_is_hatched(PmFamily family, gboolean pseudo)
{
    return pseudo || family == PM_FAMILY_IDLE;
}

static gboolean high_contrast;

void pm_palette_set_high_contrast(gboolean high)
{
    high_contrast = high;
}

void pm_palette_color(PmColor color, gboolean dark, GdkRGBA *ret_color)
{
    g_return_if_fail((guint)color < PM_N_COLORS);
    if (high_contrast && color == PM_COLOR_FAINT_INK)
        color = PM_COLOR_INK;
    from_hex(dark ? colors[color].dark : colors[color].light,
             dark ? colors[color].dark_alpha : colors[color].light_alpha, ret_color);
    if (high_contrast && color == PM_COLOR_GRID)
        ret_color->alpha *= 2;
}

/* Diagonal lines, `step_px` apart, one node whatever the size. */
static void snapshot_hatch(GtkSnapshot *snapshot, const graphene_rect_t *rect, const GdkRGBA *color,
                           float step_px)
{
    GdkRGBA clear = *color;
    clear.alpha = 0;
    const GskColorStop stops[] = {
        {0, *color}, {0.3, *color}, {0.38, clear}, {0.92, clear}, {1, *color}};

    /* Anchored to the origin, not to the rect, so that neighbours' lines meet. */
    gtk_snapshot_push_clip(snapshot, rect);
    gtk_snapshot_append_repeating_linear_gradient(
        snapshot, rect, &GRAPHENE_POINT_INIT(0, 0),
        &GRAPHENE_POINT_INIT(step_px * 0.7071f, step_px * 0.7071f), stops, G_N_ELEMENTS(stops));
    gtk_snapshot_pop(snapshot);
}

void pm_palette_snapshot_swatch(GtkSnapshot *snapshot, const graphene_rect_t *rect,
                                const GdkRGBA *color, gboolean hatched)
{
    if (!hatched) {
        gtk_snapshot_append_color(snapshot, color, rect);
        return;
    }
    GskRoundedRect outline;
    const float widths[4] = {1, 1, 1, 1};
    const GdkRGBA borders[4] = {*color, *color, *color, *color};

    snapshot_hatch(snapshot, rect, color, 4);
    gsk_rounded_rect_init_from_rect(&outline, rect, 0);
    gtk_snapshot_append_border(snapshot, &outline, widths, borders);
}

char *pm_palette_hex(const GdkRGBA *color)
{
    return g_strdup_printf("#%02x%02x%02x", (int)(color->red * 255 + .5f),
                           (int)(color->green * 255 + .5f), (int)(color->blue * 255 + .5f));
}

void pm_palette_snapshot_focus(GtkWidget *widget, GtkSnapshot *snapshot, gboolean dark)
{
    GskRoundedRect outline;
    GdkRGBA accent;

    if (!gtk_widget_has_visible_focus(widget))
        return;
    pm_palette_color(PM_COLOR_ACCENT, dark, &accent);
    gsk_rounded_rect_init_from_rect(
        &outline,
        &GRAPHENE_RECT_INIT(0, 0, gtk_widget_get_width(widget), gtk_widget_get_height(widget)), 2);
    gtk_snapshot_append_border(snapshot, &outline, (float[4]){2, 2, 2, 2},
                               (GdkRGBA[4]){accent, accent, accent, accent});
}
