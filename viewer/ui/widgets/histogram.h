/* A histogram of the durations of a selection's waits over a 1-2-5 scale, with lines at p50, p90,
 * p99. Role image; its label names the percentiles. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/slices/detail.h"

#define PM_TYPE_HISTOGRAM (pm_histogram_get_type())
G_DECLARE_FINAL_TYPE(PmHistogram, pm_histogram, PM, HISTOGRAM, GtkWidget)

GtkWidget *pm_histogram_new(void);
/* What is shown is copied. */
void pm_histogram_set(PmHistogram *histogram, const PmDetail *detail, const GdkRGBA *color,
                      gboolean dark);
