#include "viewer/analysis/memory/quota.h"

#include "viewer/analysis/code/account.h"

/* What an account keeps alive. */
static PmOverQuota kept_of(const PmRecording *r, const PmMemoryState *state, guint32 account)
{
    PmOverQuota kept = {.account = account, .at = state->last->at};
    double most = 0;
    for (guint i = 0; i < state->n_parts; i++) {
        const PmMemoryPart *part = &state->parts[i];
        if (pm_recording_account(r, part->chain) != account)
            continue;
        pm_estimate_add(&kept.live, &part->live);
        if (part->live.bytes > most) {
            most = part->live.bytes;
            kept.class_index = part->class_index;
            kept.chain = part->chain;
        }
    }
    kept.share = kept.live.bytes > 0 ? most / kept.live.bytes : 0;
    return kept;
}

static int compare_excess(gconstpointer a, gconstpointer b)
{
    const PmOverQuota *x = a, *y = b;
    const double p = x->live.bytes - (double)x->quota, q = y->live.bytes - (double)y->quota;
    return (p < q) - (p > q);
}

GArray *pm_quota_find(const PmRecording *r, gint64 from, gint64 to)
{
    GArray *over = g_array_new(FALSE, FALSE, sizeof(PmOverQuota));
    const PmAccounts *accounts = pm_recording_accounts(r, NULL);
    g_autoptr(GArray) instants = pm_memory_after_old(r, from, to);
    g_autoptr(PmMemoryState) state = NULL;
    for (guint account = 1; instants->len > 0 && account <= pm_accounts_n(accounts); account++) {
        const gint64 quota = pm_accounts_quota(accounts, account);
        if (quota < 0)
            continue;
        if (!state)
            state = pm_memory_state_new(r, g_array_index(instants, gint64, instants->len - 1));
        PmOverQuota kept = kept_of(r, state, account);
        kept.quota = quota;
        if (pm_estimate_bytes(&kept.live).low > (double)quota)
            g_array_append_val(over, kept);
    }
    g_array_sort(over, compare_excess);
    return over;
}
