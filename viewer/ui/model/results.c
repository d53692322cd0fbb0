#include "viewer/ui/model/results.h"

PmResults *pm_results_ref(PmResults *results)
{
    g_atomic_int_inc(&results->ref_count);
    return results;
}

void pm_results_unref(PmResults *results)
{
    if (!results || !g_atomic_int_dec_and_test(&results->ref_count)) {
        return;
    }
    if (results->early) {
        pm_results_unref(results->early);
    } else {
        g_clear_pointer(&results->tree, pm_tree_free);
    }
    g_clear_pointer(&results->findings, pm_findings_free);
    g_clear_pointer(&results->summary, pm_summary_free);
    if (results->view) {
        pm_view_unref(results->view);
    }
    g_free(results);
}

PmCurves *pm_curves_ref(PmCurves *curves)
{
    g_atomic_int_inc(&curves->ref_count);
    return curves;
}

static void parked_now_box_clear(gpointer box)
{
    pm_parked_now_free(*(gpointer *)box);
}

static void order_box_clear(gpointer box)
{
    pm_band_order_free(*(gpointer *)box);
}

void pm_curves_unref(PmCurves *curves)
{
    if (!curves || !g_atomic_int_dec_and_test(&curves->ref_count)) {
        return;
    }
    if (curves->boxes[0]) {
        g_atomic_rc_box_release_full(curves->boxes[0], parked_now_box_clear);
    }
    if (curves->boxes[1]) {
        g_atomic_rc_box_release_full(curves->boxes[1], parked_now_box_clear);
    }
    if (curves->boxes[2]) {
        g_atomic_rc_box_release_full(curves->boxes[2], order_box_clear);
    }
    if (curves->bands) {
        pm_bands_free(curves->bands);
    }
    if (curves->view) {
        pm_view_unref(curves->view);
    }
    g_free(curves);
}
