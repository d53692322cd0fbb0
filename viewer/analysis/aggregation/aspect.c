#include "viewer/analysis/aggregation/aspect.h"

#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

/* What a key value is, which decides its label. */
enum domain {
    KIND,
    CATEGORY,
    CLASS,
    BLOCKER,
    THREAD,
    GROUP,
    CHAIN,
    SITE,
    WAKE_CAUSE,
    ACCOUNT,
    CAUSE
};

static const struct {
    const char *name, *title;
    enum domain domain;
    gboolean available;
    const char *none; /* text of key 0 */
} aspects[PM_N_ASPECTS] = {
    [PM_ASPECT_KIND] = {"kind", "Kind", KIND, TRUE, ""},
    [PM_ASPECT_CATEGORY] = {"category", "Category", CATEGORY, TRUE, ""},
    [PM_ASPECT_CLASS] = {"class", "Class", CLASS, TRUE, "(none)"},
    [PM_ASPECT_BLOCKER] = {"blocker", "Blocker", BLOCKER, TRUE, "(none)"},
    [PM_ASPECT_THREAD] = {"thread", "Thread", THREAD, TRUE, "(unknown)"},
    [PM_ASPECT_GROUP] = {"group", "Group", GROUP, TRUE, "(unknown)"},
    [PM_ASPECT_CHAIN] = {"chain", "Call chain", CHAIN, TRUE, "(unknown)"},
    [PM_ASPECT_SITE] = {"site", "Site", SITE, TRUE, "(unknown)"},
    [PM_ASPECT_CAUSE] = {"cause", "Cause", CAUSE, TRUE, "(unknown)"},
    [PM_ASPECT_CAUSE_CHAIN] = {"cause-chain", "Cause's chain", CHAIN, TRUE, "(unknown)"},
    [PM_ASPECT_CAUSE_SITE] = {"cause-site", "Cause's site", SITE, TRUE, "(unknown)"},
    [PM_ASPECT_OWNER] = {"owner", "Owner", THREAD, TRUE, "(no owner)"},
    [PM_ASPECT_OWNER_CHAIN] = {"owner-chain", "Owner's chain", CHAIN, TRUE, "(no owner)"},
    [PM_ASPECT_OWNER_SITE] = {"owner-site", "Owner's site", SITE, TRUE, "(no owner)"},
    [PM_ASPECT_WAKER] = {"waker", "Waker", THREAD, TRUE, "(unknown)"},
    [PM_ASPECT_WAKER_CHAIN] = {"waker-chain", "Waker's chain", CHAIN, TRUE, "(unknown)"},
    [PM_ASPECT_WAKER_SITE] = {"waker-site", "Waker's site", SITE, TRUE, "(unknown)"},
    [PM_ASPECT_WAKE_CAUSE] = {"wake-cause", "Wake cause", WAKE_CAUSE, TRUE, "(unknown)"},
    [PM_ASPECT_ACCOUNT] = {"account", "Account", ACCOUNT, TRUE, "(no account)"},
};

static const char *const wake_causes[PM_N_WAKE_CAUSES] = {
    [PM_WAKE_UNKNOWN] = "(unknown)",       [PM_WAKE_RELEASE] = "release",
    [PM_WAKE_PROPAGATION] = "propagation", [PM_WAKE_CANCELLATION] = "cancellation",
    [PM_WAKE_SIGNAL] = "signal",           [PM_WAKE_COMPLETION] = "completion",
    [PM_WAKE_NOTIFY] = "notify",           [PM_WAKE_INTERRUPT] = "interrupt",
    [PM_WAKE_TIME_OUT] = "time-out",       [PM_WAKE_PERMIT] = "permit",
};

static const char *const kinds[PM_N_KINDS] = {
    [PM_KIND_PARK] = "park", [PM_KIND_ENTER] = "synchronized", [PM_KIND_WAIT] = "Object.wait"};

/* Where no thread can be named, the reason is the key: values above every packed frame. */
#define PSEUDO_BASE G_GUINT64_CONSTANT(0xFFFFFFFF00000000)

const char *pm_pseudo_text(guint64 key)
{
    static const char *const texts[PM_N_PSEUDO] = {
        [PM_PSEUDO_TIME_OUT] = "(time-out)",   [PM_PSEUDO_INTERRUPT] = "(interrupt)",
        [PM_PSEUDO_HAND_OVER] = "(hand-over)", [PM_PSEUDO_GC_PAUSE] = "(GC pause)",
        [PM_PSEUDO_ARRIVAL] = "(arrival)",     [PM_PSEUDO_STILL_WAITING] = "(still waiting)",
        [PM_PSEUDO_UNKNOWN] = "(unknown)",
    };
    if (key < PSEUDO_BASE || key - PSEUDO_BASE >= PM_N_PSEUDO)
        return NULL;
    return texts[key - PSEUDO_BASE];
}

guint64 pm_pseudo_key(PmPseudo pseudo)
{
    return PSEUDO_BASE + pseudo;
}

const char *pm_aspect_name(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS ? aspects[aspect].name : "";
}

const char *pm_aspect_title(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS ? aspects[aspect].title : "";
}

gboolean pm_aspect_parse(const char *name, PmAspect *ret_aspect)
{
    for (guint i = 0; i < PM_N_ASPECTS; i++) {
        if (strcmp(name, aspects[i].name) == 0) {
            *ret_aspect = i;
            return TRUE;
        }
    }
    return FALSE;
}

gboolean pm_aspect_available(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS && aspects[aspect].available;
}

/* Why no waker is named. */
static guint64 no_waker(const PmWaits *w, guint32 row)
{
    if ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0)
        return pm_pseudo_key(PM_PSEUDO_STILL_WAITING);
    switch (pm_wait_wake_cause(w, row)) {
    case PM_WAKE_TIME_OUT:
        return pm_pseudo_key(PM_PSEUDO_TIME_OUT);
    case PM_WAKE_INTERRUPT:
        return pm_pseudo_key(PM_PSEUDO_INTERRUPT);
    default:
        return pm_pseudo_key(PM_PSEUDO_UNKNOWN);
    }
}

guint64 pm_aspect_key(const PmRecording *recording, PmAspect aspect, guint32 row)
{
    const PmWaits *w = &recording->waits;
    const PmRecordingPrivate *p = pm_recording_private(recording);

    switch (aspect) {
    case PM_ASPECT_KIND:
        return pm_wait_kind(w, row);
    case PM_ASPECT_CATEGORY:
        return pm_wait_category(w, row);
    case PM_ASPECT_CLASS:
        return recording->blockers[pm_wait_blocker(w, row)].class_index;
    case PM_ASPECT_BLOCKER:
        return pm_wait_blocker(w, row);
    case PM_ASPECT_THREAD:
        return pm_wait_thread(w, row);
    case PM_ASPECT_GROUP:
        return recording->threads[pm_wait_thread(w, row)].group;
    case PM_ASPECT_CHAIN:
        return pm_wait_chain(w, row);
    case PM_ASPECT_SITE:
        return p->chain_site[pm_wait_chain(w, row)];
    case PM_ASPECT_CAUSE:
    case PM_ASPECT_OWNER:
        return pm_wait_owner(w, row);
    case PM_ASPECT_WAKER:
        return pm_wait_waker(w, row) != 0 ? pm_wait_waker(w, row) : no_waker(w, row);
    case PM_ASPECT_WAKER_CHAIN:
        return pm_wait_waker_chain(w, row) != 0 ? pm_wait_waker_chain(w, row) : no_waker(w, row);
    case PM_ASPECT_WAKER_SITE:
        return pm_wait_waker_chain(w, row) != 0 ? p->chain_site[pm_wait_waker_chain(w, row)]
                                                : no_waker(w, row);
    case PM_ASPECT_WAKE_CAUSE:
        return pm_wait_wake_cause(w, row);
    case PM_ASPECT_ACCOUNT:
        return p->chain_account[pm_wait_chain(w, row)];
    case PM_ASPECT_CAUSE_CHAIN:
    case PM_ASPECT_CAUSE_SITE:
    case PM_ASPECT_OWNER_CHAIN:
    case PM_ASPECT_OWNER_SITE:
    case PM_N_ASPECTS:
        break;
    }
    return 0;
}

/* The site and up to two callers: enough to tell chains apart in a row. */
static char *chain_text(const PmRecording *recording, guint32 chain)
{
    const PmChain *c = &recording->chains[chain];
    if (c->n_frames == 0)
        return g_strdup("(unknown)");
    GString *text = g_string_new(NULL);
    for (guint32 i = c->site; i < c->n_frames && i < c->site + 3; i++) {
        g_autofree char *frame = pm_label_frame(recording, c->frames[i]);
        if (i > c->site)
            g_string_append(text, " < ");
        g_string_append(text, frame);
    }
    return g_string_free(text, FALSE);
}

char *pm_aspect_key_text(const PmRecording *recording, PmAspect aspect, guint64 key)
{
    if ((guint)aspect >= PM_N_ASPECTS)
        return g_strdup("(unknown)");
    const char *pseudo = pm_pseudo_text(key);
    if (pseudo != NULL)
        return g_strdup(pseudo);
    if (key == 0 && aspects[aspect].none[0] != 0)
        return g_strdup(aspects[aspect].none);

    const PmRecordingPrivate *p = pm_recording_private(recording);
    switch (aspects[aspect].domain) {
    case KIND:
        return g_strdup(key < PM_N_KINDS ? kinds[key] : "(unknown)");
    case CATEGORY:
        return g_strdup(key < PM_N_CATEGORIES ? pm_category_name((PmCategory)key) : "(unknown)");
    case CLASS:
        return key < recording->n_classes ? pm_label_class(recording->classes[key].name)
                                          : g_strdup("(unknown)");
    case BLOCKER:
        return pm_label_blocker(recording, (guint32)MIN(key, G_MAXUINT32));
    case THREAD:
    case CAUSE:
        if (key >= recording->n_threads)
            return g_strdup("(unknown)");
        if (recording->threads[key].name[0] == 0)
            return g_strdup_printf("thread %" G_GINT64_FORMAT, recording->threads[key].tid);
        return g_strdup(recording->threads[key].name);
    case GROUP:
        return g_strdup(key < recording->n_groups ? recording->groups[key].name : "(unknown)");
    case CHAIN:
        return key < recording->n_chains ? chain_text(recording, (guint32)key)
                                         : g_strdup("(unknown)");
    case SITE:
        return pm_label_frame(recording, pm_frame_unpack(key));
    case WAKE_CAUSE:
        return g_strdup(key < PM_N_WAKE_CAUSES ? wake_causes[key] : "(unknown)");
    case ACCOUNT:
        return g_strdup(key <= p->n_accounts ? p->accounts[key - 1] : "(unknown)");
    }
    return g_strdup("(unknown)");
}

gboolean pm_aspect_key_is_pseudo(const PmRecording *recording, PmAspect aspect, guint64 key)
{
    if ((guint)aspect >= PM_N_ASPECTS)
        return TRUE;
    return key >= PSEUDO_BASE || (key == 0 && aspects[aspect].none[0] != 0);
}
