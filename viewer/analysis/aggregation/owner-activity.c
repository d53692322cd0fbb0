#include "viewer/analysis/aggregation/owner-activity.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"

/* Frames that mean an owner does slow work: the innermost frames of its sampled chain. */
static const char *const slow_frames[] = {
    "Thread.sleep",        "SocketInputStream.",
    "SocketOutputStream.", "NioSocketImpl.",
    "SocketDispatcher.",   "Net.poll",
    "FileInputStream.",    "FileOutputStream.",
    "FileDispatcherImpl.", "UnixFileDispatcherImpl.",
    "RandomAccessFile.",   "FileChannelImpl.",
    "ProcessImpl.waitFor", "EPoll.wait",
    "Inet4AddressImpl.",   "Inet6AddressImpl.",
    "MappedMemoryUtils.",
};

static gboolean is_platform(const PmRecording *r, PmFrame frame)
{
    return pm_label_is_platform(pm_recording_class_of(r, frame.method));
}

/* The frame of the slow method as the program calls it, Socket$SocketInputStream.read, not as the
 * JDK carries it out, Net.poll. -1 when the chain does nothing slow. */
static gint slow_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint i = 0; i < MIN(c->n_frames, 8u); i++) {
        g_autofree char *label = pm_label_method(r, c->frames[i].method);
        for (gsize s = 0; s < G_N_ELEMENTS(slow_frames); s++) {
            if (!g_str_has_prefix(label, slow_frames[s]))
                continue;
            guint call = i;
            while (call + 1 < c->n_frames && is_platform(r, c->frames[call + 1]) &&
                   !pm_own_is_on_the_way(r, c->frames[call + 1].method))
                call++;
            return (gint)(call + 1 < c->n_frames ? call : i); /* a thread of the platform's own */
        }
    }
    return -1;
}

gboolean pm_owner_activity_is_slow(const PmRecording *r, guint32 chain)
{
    return slow_frame(r, chain) >= 0;
}

void pm_owner_activity(const PmView *view, guint32 blocker, PmOwnerActivity *ret_doing)
{
    const PmRecording *r = view->recording;
    memset(ret_doing, 0, sizeof *ret_doing);
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->blocker != blocker || sample->at < view->from || sample->at > view->to ||
            !sample->chain || sample->role != PM_SAMPLE_OWNER)
            continue;
        ret_doing->n++;
        gint frame = slow_frame(r, sample->chain);
        if (frame < 0)
            continue;
        const PmChain *chain = &r->chains[sample->chain];
        g_autofree char *label = pm_label_method(r, chain->frames[frame].method);
        g_autofree char *caller = (guint)frame + 1 < chain->n_frames
                                      ? pm_label_frame(r, chain->frames[frame + 1])
                                      : g_strdup("(unknown)");
        char *call = g_strdup_printf("%s < %s", label, caller);
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, call)) + 1;
        ret_doing->n_slow++;
        if (n > ret_doing->n_there) {
            ret_doing->n_there = n;
            pm_owner_activity_clear(ret_doing);
            ret_doing->frame = g_steal_pointer(&label);
            ret_doing->caller = g_steal_pointer(&caller);
        }
        g_hash_table_insert(counts, call, GUINT_TO_POINTER(n));
    }
}

void pm_owner_activity_clear(PmOwnerActivity *doing)
{
    g_free(doing->frame);
    g_free(doing->caller);
}
