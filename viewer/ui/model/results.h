/* What is computed for a window, immutable and reference counted: the numbers for its range and
 * filters, and the curves of its charts. Any thread. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/slices/summary.h"
#include "viewer/ui/model/strip.h"

/* Numbers for range ∧ filters, without idle unless requested. Immutable, reference counted.
 * Delivered twice: first only the view and the tree, then with the rest. */
typedef struct PmResults PmResults;
struct PmResults {
    int ref_count;
    PmView *view;
    PmMetrics *metrics; /* of the view; owned by `summary` */
    PmSummary *summary;
    PmFindings *findings;
    PmTree *tree;
    PmResults *early; /* whose tree this is, NULL = its own */
};

PmResults *pm_results_ref(PmResults *results);
void pm_results_unref(PmResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmResults, pm_results_unref)

/* The data of the charts: the filters, over the whole time. Immutable, reference counted. */
typedef struct {
    int ref_count;
    PmAspect aspect; /* of the bands: the first of the tree's */
    PmView *view;
    PmParkedNow *parked_now;
    PmBands *bands;     /* initially NULL, while the rest can already be shown */
    PmBandOrder *order; /* of the whole unfiltered recording; determines the colour of every key */
    PmStrip *overview;  /* the whole unfiltered recording */
    gboolean idle;
    gpointer boxes[3]; /* atomic boxes of parked_now, overview, order, which may outlive it */
} PmCurves;

PmCurves *pm_curves_ref(PmCurves *curves);
void pm_curves_unref(PmCurves *curves);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmCurves, pm_curves_unref)
