/* A horizontal bar divided into coloured parts; the rest up to 100 % stays blank. Role image; its
 * label describes it. */
#pragma once

#include <gtk/gtk.h>

typedef struct {
    double share; /* of the whole bar, 0..1 */
    GdkRGBA color;
    gboolean hatched;
} PmBarPart;

#define PM_TYPE_STACKED_BAR (pm_stacked_bar_get_type())
G_DECLARE_FINAL_TYPE(PmStackedBar, pm_stacked_bar, PM, STACKED_BAR, GtkWidget)

#define PM_STACKED_BAR_MAX 8

GtkWidget *pm_stacked_bar_new(int height_px);
/* `outline` frames the whole bar; parts are copied. */
void pm_stacked_bar_set(PmStackedBar *bar, const PmBarPart *parts, guint n_parts,
                        const GdkRGBA *outline, const char *label);
