#include "viewer/ui/model/results.h"

PmResults *pm_results_ref(PmResults *results)
{
    g_return_val_if_fail(results, NULL);
    g_atomic_int_inc(&results->ref_count);
    return results;
}

void pm_results_unref(PmResults *results)
{
    if (!results || !g_atomic_int_dec_and_test(&results->ref_count))
        return;
    if (results->early)
        pm_results_unref(results->early);
    else
        g_clear_pointer(&results->tree, pm_tree_free);
    g_clear_pointer(&results->findings, pm_findings_free);
    g_clear_pointer(&results->summary, pm_summary_free);
    if (results->view)
        pm_view_unref(results->view);
    g_free(results);
}

PmCurves *pm_curves_ref(PmCurves *curves)
{
    g_return_val_if_fail(curves, NULL);
    g_atomic_int_inc(&curves->ref_count);
    return curves;
}

static void parked_now_box_clear(gpointer box)
{
    pm_parked_now_unref(*(gpointer *)box);
}

static void strip_box_clear(gpointer box)
{
    g_free(*(gpointer *)box);
}

static void order_box_clear(gpointer box)
{
    pm_band_order_free(*(gpointer *)box);
}

void pm_curves_unref(PmCurves *curves)
{
    if (!curves || !g_atomic_int_dec_and_test(&curves->ref_count))
        return;
    static const GDestroyNotify clear[] = {parked_now_box_clear, strip_box_clear, order_box_clear};
    for (guint i = 0; i < G_N_ELEMENTS(curves->boxes); i++)
        if (curves->boxes[i])
            g_atomic_rc_box_release_full(curves->boxes[i], clear[i]);
    pm_bands_free(curves->bands);
    pm_view_unref(curves->view);
    g_free(curves);
}
