/* An amount over time in a table, as a filled line: the live data of a row of the Memory page. Role
 * image; its label describes it. */
#pragma once

#include <gtk/gtk.h>

#define PM_TYPE_AMOUNT_CELL (pm_amount_cell_get_type())
G_DECLARE_FINAL_TYPE(PmAmountCell, pm_amount_cell, PM, AMOUNT_CELL, GtkWidget)

GtkWidget *pm_amount_cell_new(void);
/* Copies the values, evenly spaced in time; `full`: the one at full height. */
void pm_amount_cell_set(PmAmountCell *cell, const float *values, guint n, double full,
                        const GdkRGBA *color, gboolean dark, const char *label);
