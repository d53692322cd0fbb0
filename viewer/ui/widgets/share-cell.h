/* A share of the whole in a table: swatch, percentage, bar. Role meter; its label is its text. */
#pragma once

#include <gtk/gtk.h>

#define PM_TYPE_SHARE_CELL (pm_share_cell_get_type())
G_DECLARE_FINAL_TYPE(PmShareCell, pm_share_cell, PM, SHARE_CELL, GtkWidget)

GtkWidget *pm_share_cell_new(void);
/* `share` 0..1 or NAN. `swatch`: the row is in the chart's legend. `color` is copied. */
void pm_share_cell_set(PmShareCell *cell, double share, const GdkRGBA *color, gboolean hatched,
                       gboolean swatch);
