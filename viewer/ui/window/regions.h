/* Lays out the window's body: top (bars), charts, and below them the page with the detail pane to
 * its right, or below it if the window is narrow and high enough for both; if neither fits, it is
 * squeezed: the detail pane, when shown, takes the page's place. Heights follow the window's: the
 * page gets what the charts do not need. Signal "squeezed": it is, or is no longer. */
#pragma once

#include <gtk/gtk.h>

#define PM_TYPE_REGIONS (pm_regions_get_type())
G_DECLARE_FINAL_TYPE(PmRegions, pm_regions, PM, REGIONS, GtkWidget)

#define PM_REGIONS_NARROW_PX 1100
#define PM_REGIONS_LOW_PX    420 /* of page and detail pane: too low to stack them */
#define PM_DETAIL_WIDTH_PX   380 /* in a narrow window a third of it */

GtkWidget *pm_regions_new(GtkWidget *top, GtkWidget *charts, GtkWidget *page, GtkWidget *detail);
void pm_regions_show_detail(PmRegions *regions, gboolean shown);
gboolean pm_regions_is_squeezed(PmRegions *regions);
