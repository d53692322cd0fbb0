#include "viewer/ui/widgets/raster.h"

#include <math.h>

#define HATCH_PERIOD_PX 6
#define HATCH_LINE_PX   2
#define HATCH_TINT      0.28f
#define CROSS_PERIOD_PX 8

PmRaster *pm_raster_new(int width, int height, int scale)
{
    PmRaster *raster = g_new0(PmRaster, 1);

    raster->scale = MAX(scale, 1);
    raster->width = MAX(width, 1) * raster->scale;
    raster->height = MAX(height, 1) * raster->scale;
    raster->pixels = g_new0(guint32, (gsize)raster->width * raster->height);
    return raster;
}

void pm_raster_free(PmRaster *raster)
{
    if (raster) {
        g_free(raster->pixels);
        g_free(raster);
    }
}

static inline guint32 pack(const GdkRGBA *color, float part)
{
    float alpha = color->alpha * part;
    guint32 a = (guint32)(alpha * 255 + .5f), r = (guint32)(color->red * alpha * 255 + .5f),
            g = (guint32)(color->green * alpha * 255 + .5f),
            b = (guint32)(color->blue * alpha * 255 + .5f);

    return a << 24 | r << 16 | g << 8 | b;
}

/* source over destination, both premultiplied */
static inline void over(guint32 *pixel, guint32 source)
{
    guint32 rest = 255 - (source >> 24);

    if (rest == 0 || *pixel == 0) {
        *pixel = source;
        return;
    }
    guint32 even = (*pixel & 0xff00ff) * rest + 0x800080,
            odd = (*pixel >> 8 & 0xff00ff) * rest + 0x800080;
    even = (even + (even >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
    odd = (odd + (odd >> 8 & 0xff00ff)) & 0xff00ff00;
    *pixel = source + (even | odd);
}

typedef enum { FILL, HATCH, CROSS } Pattern;

static inline gboolean is_line(Pattern pattern, int x, int y, int scale)
{
    if (pattern == HATCH)
        return (x + y) % (HATCH_PERIOD_PX * scale) < HATCH_LINE_PX * scale;
    int period = CROSS_PERIOD_PX * scale;
    return (x + y) % period < scale || (x - y + period * 100000) % period < scale;
}

static void column(PmRaster *raster, int x, double y0, double y1, const GdkRGBA *color,
                   Pattern pattern)
{
    if (x < 0 || x >= raster->width)
        return;
    y0 = MAX(y0, 0);
    y1 = MIN(y1, raster->height);
    if (!(y0 < y1))
        return;
    const float tint = pattern == HATCH ? HATCH_TINT : 0;
    guint32 full = pack(color, 1), tinted = pack(color, tint);
    int first = (int)floor(y0), last = (int)ceil(y1) - 1;

    for (int y = first; y <= last; y++) {
        guint32 *pixel = &raster->pixels[(gsize)y * raster->width + x];
        double part = MIN(y1, y + 1) - MAX(y0, y);
        gboolean line = pattern == FILL || is_line(pattern, x, y, raster->scale);
        if (part >= 1)
            over(pixel, line ? full : tinted);
        else
            over(pixel, pack(color, (line ? 1 : tint) * (float)part));
    }
}

void pm_raster_column(PmRaster *raster, int x, double y0, double y1, const GdkRGBA *color)
{
    column(raster, x, y0, y1, color, FILL);
}

void pm_raster_hatch(PmRaster *raster, int x, double y0, double y1, const GdkRGBA *color)
{
    column(raster, x, y0, y1, color, HATCH);
}

void pm_raster_cross(PmRaster *raster, int x, double y0, double y1, const GdkRGBA *color)
{
    column(raster, x, y0, y1, color, CROSS);
}

void pm_raster_snapshot(PmRaster *raster, GtkSnapshot *snapshot, float x, float y)
{
    gsize stride = (gsize)raster->width * 4;
    g_autoptr(GBytes) bytes =
        g_bytes_new_take(g_steal_pointer(&raster->pixels), stride * raster->height);
    g_autoptr(GdkTexture) texture =
        gdk_memory_texture_new(raster->width, raster->height, GDK_MEMORY_DEFAULT, bytes, stride);

    gtk_snapshot_append_texture(snapshot, texture,
                                &GRAPHENE_RECT_INIT(x, y, (float)raster->width / raster->scale,
                                                    (float)raster->height / raster->scale));
}
