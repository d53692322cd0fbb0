#include "viewer/analysis/aggregation/aspect.h"

#include <string.h>

#include "viewer/analysis/code/account.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/glob.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

/* Pseudo-keys are above every packed frame. */
#define PSEUDO_BASE G_GUINT64_CONSTANT(0xFFFFFFFF00000000)
/* Of one recording, whose texts are compared with one of another. */
#define MOST_VALUES 65536

static guint64 pseudo_key(PmCauseKind kind)
{
    return PSEUDO_BASE + kind;
}

/* ---- keys ---- */

static guint64 value_key(const PmRecording *r, guint32 value)
{
    return value;
}

static guint64 class_key(const PmRecording *r, guint32 blocker)
{
    return r->blockers[blocker].class_index;
}

static guint64 alike_key(const PmRecording *r, guint32 blocker)
{
    return pm_recording_private(r)->alike[blocker];
}

static guint64 group_key(const PmRecording *r, guint32 thread)
{
    return r->threads[thread].group;
}

static guint64 site_key(const PmRecording *r, guint32 chain)
{
    return pm_recording_private(r)->chain_site[chain];
}

static guint64 method_key(const PmRecording *r, guint32 chain)
{
    return pm_recording_private(r)->chain_method[chain];
}

static guint64 account_key(const PmRecording *r, guint32 chain)
{
    return pm_recording_account(r, chain);
}

static guint64 principal_key(const PmRecording *r, guint32 chain)
{
    return pm_recording_principal(r, chain);
}

/* Why no waker is named. */
static guint64 no_waker_key(const PmWaits *w, guint32 row)
{
    if ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0)
        return pseudo_key(PM_CAUSE_STILL_WAITING);
    switch (pm_wait_wake_cause(w, row)) {
    case PM_WAKE_TIME_OUT:
        return pseudo_key(PM_CAUSE_TIME_OUT);
    case PM_WAKE_INTERRUPT:
        return pseudo_key(PM_CAUSE_INTERRUPT);
    default:
        return pseudo_key(PM_CAUSE_UNKNOWN);
    }
}

static guint64 part_thread_key(const PmRecording *r, const PmPart *part)
{
    return part->thread;
}

static guint64 part_chain_key(const PmRecording *r, const PmPart *part)
{
    return part->chain != 0 ? part->chain : pseudo_key(PM_CAUSE_UNKNOWN);
}

/* Whose code is not known is told by its group, behind the places, as by findings. */
static guint64 part_place_key(const PmRecording *r, const PmPart *part)
{
    if (part->chain != 0)
        return pm_own_place(pm_own_code(r), part->chain);
    return part->thread != 0 ? r->n_chains + (guint64)r->threads[part->thread].group
                             : pseudo_key(PM_CAUSE_UNKNOWN);
}

/* The group that stands for a place; NULL: it is one. */
static const PmGroup *group_of_place(const PmRecording *r, guint64 key)
{
    return key >= r->n_chains && key - r->n_chains < r->n_groups ? &r->groups[key - r->n_chains]
                                                                 : NULL;
}

/* ---- texts ---- */

static char *kind_text(const PmRecording *r, guint64 key)
{
    return key < PM_N_KINDS ? g_strdup(pm_kind_title((int)key)) : NULL;
}

static char *category_text(const PmRecording *r, guint64 key)
{
    return key < PM_N_CATEGORIES ? g_strdup(pm_category_name((PmCategory)key)) : NULL;
}

static char *class_text(const PmRecording *r, guint64 key)
{
    return key < r->n_classes ? pm_label_class(r->classes[key].name) : NULL;
}

static char *blocker_text(const PmRecording *r, guint64 key)
{
    return pm_label_blocker(r, (guint32)MIN(key, G_MAXUINT32));
}

static char *alike_text(const PmRecording *r, guint64 key)
{
    return pm_label_alike(r, (guint32)MIN(key, G_MAXUINT32));
}

static char *thread_text(const PmRecording *r, guint64 key)
{
    if (key >= r->n_threads)
        return NULL;
    if (r->threads[key].name[0] == 0)
        return g_strdup_printf("thread %" G_GINT64_FORMAT, r->threads[key].tid);
    return g_strdup(r->threads[key].name);
}

static char *group_text(const PmRecording *r, guint64 key)
{
    return key < r->n_groups ? g_strdup(r->groups[key].name) : NULL;
}

/* The site and up to two callers: enough to tell stack traces apart in a row. */
static char *chain_text(const PmRecording *r, guint64 key)
{
    return key < r->n_chains ? pm_label_chain(r, (guint32)key, 3) : NULL;
}

/* The same of whoever made others wait: the program's own code, as that is whose fault it is. */
static char *code_text(const PmRecording *r, guint64 key)
{
    return key < r->n_chains ? pm_label_code(r, (guint32)key, 3) : NULL;
}

static char *site_text(const PmRecording *r, guint64 key)
{
    return pm_label_frame(r, pm_frame_unpack(key));
}

static char *place_text(const PmRecording *r, guint64 key)
{
    const PmGroup *group = group_of_place(r, key);
    if (group)
        return g_strdup(group->shown);
    return key < r->n_chains ? pm_label_code(r, (guint32)key, 1) : NULL;
}

static char *method_text(const PmRecording *r, guint64 key)
{
    return pm_label_method(r, (guint32)key);
}

static char *wake_cause_text(const PmRecording *r, guint64 key)
{
    return key > 0 && key < PM_N_WAKE_CAUSES ? g_strdup(pm_wake_cause_name((int)key)) : NULL;
}

static char *account_text(const PmRecording *r, guint64 key)
{
    return g_strdup(pm_accounts_name(pm_recording_accounts(r, NULL), (guint)key));
}

static gboolean is_account(const PmRecording *r, const char *name)
{
    const PmAccounts *accounts = pm_recording_accounts(r, NULL);
    for (guint i = 1; i <= pm_accounts_n(accounts); i++)
        if (strcmp(pm_accounts_name(accounts, i), name) == 0)
            return TRUE;
    return FALSE;
}

/* ---- words that mean a key, beside its text ---- */

static gboolean text_matches(const char *pattern, const char *text)
{
    return strcmp(pattern, text) == 0 ||
           (strchr(pattern, '*') != NULL && pm_glob_match(pattern, text));
}

static gboolean nothing_else_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return FALSE;
}

static gboolean kind_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return key < PM_N_KINDS && strcmp(pattern, pm_kind_name((int)key)) == 0;
}

static gboolean class_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return key < r->n_classes && text_matches(pattern, r->classes[key].name);
}

static gboolean is_hash(const char *pattern, guint32 hash)
{
    char *end = NULL;
    if (!g_ascii_isxdigit(pattern[0]) || strlen(pattern) > 8)
        return FALSE;
    return g_ascii_strtoull(pattern, &end, 16) == hash && *end == 0 && hash != 0;
}

static gboolean blocker_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    if (key >= r->n_blockers)
        return FALSE;
    g_autofree char *name = pm_label_blocker_short(r, (guint32)key);
    return is_hash(pattern, r->blockers[key].hash) || text_matches(pattern, name);
}

static gboolean alike_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return key < r->n_blockers && class_matches(r, r->blockers[key].class_index, pattern);
}

static gboolean thread_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    if (key >= r->n_threads)
        return FALSE;
    for (guint32 i = 0; i < r->n_former_names; i++)
        if (r->former_names[i].thread == key && text_matches(pattern, r->former_names[i].name))
            return TRUE;
    return strchr(pattern, '*') && strcmp(pattern, r->groups[r->threads[key].group].name) == 0;
}

static gboolean group_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return key < r->n_groups && text_matches(pattern, r->groups[key].shown);
}

static gboolean method_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    const PmMethod *method = &r->methods[key];
    g_autofree char *full =
        g_strconcat(r->classes[method->class_index].name, ".", method->name, NULL);
    return text_matches(pattern, full);
}

static gboolean frame_matches(const PmRecording *r, PmFrame frame, const char *pattern)
{
    g_autofree char *method = pm_label_method(r, frame.method);
    g_autofree char *full = pm_label_frame_full(r, frame);
    return text_matches(pattern, method) || text_matches(pattern, full);
}

static gboolean site_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    return frame_matches(r, pm_frame_unpack(key), pattern);
}

static gboolean place_matches(const PmRecording *r, guint64 key, const char *pattern)
{
    const PmGroup *group = group_of_place(r, key);
    if (group)
        return text_matches(pattern, group->name);
    return key < r->n_chains && frame_matches(r, pm_own_place_frame(r, (guint32)key), pattern);
}

/* ---- names that outlast a run ---- */

static char *blocker_lasting(const PmRecording *r, guint64 key)
{
    if (key >= r->n_blockers)
        return NULL;
    const PmBlocker *b = &r->blockers[key];
    const PmChain *c = &r->chains[b->first_chain];
    g_autofree char *class_label = pm_label_class(r->classes[b->class_index].name);
    if (c->n_frames == 0)
        return g_steal_pointer(&class_label);
    g_autofree char *site = pm_label_method(r, c->frames[c->site].method);
    return g_strconcat(class_label, " · ", site, NULL);
}

static char *thread_lasting(const PmRecording *r, guint64 key)
{
    return key < r->n_threads ? group_text(r, r->threads[key].group) : NULL;
}

static char *method_of(const PmRecording *r, PmFrame frame)
{
    return pm_label_method(r, frame.method);
}

static char *chain_lasting(const PmRecording *r, guint64 key)
{
    if (key >= r->n_chains)
        return NULL;
    return pm_label_frames(r, (guint32)key, r->chains[key].site, G_MAXUINT, method_of);
}

static char *site_lasting(const PmRecording *r, guint64 key)
{
    return pm_label_method(r, pm_frame_unpack(key).method);
}

static char *place_lasting(const PmRecording *r, guint64 key)
{
    const PmGroup *group = group_of_place(r, key);
    if (group)
        return g_strdup(group->name);
    return key < r->n_chains ? pm_label_place_method(r, (guint32)key) : NULL;
}

/* ---- the table ---- */

/* Aspects whose keys are of one sort are written and matched alike. */
#define KEYS_OF_THREADS                                                                            \
    .text = thread_text, .matches = thread_matches, .lasting_name = thread_lasting
#define KEYS_OF_CHAINS                                                                             \
    .text = chain_text, .matches = nothing_else_matches, .lasting_name = chain_lasting
#define KEYS_OF_CODE                                                                               \
    .text = code_text, .matches = nothing_else_matches, .lasting_name = chain_lasting
#define KEYS_OF_SITES  .text = site_text, .matches = site_matches, .lasting_name = site_lasting
#define KEYS_OF_PLACES .text = place_text, .matches = place_matches, .lasting_name = place_lasting

/* clang-format off */
const PmAspectRow pm_aspects[PM_N_ASPECTS] = {
    [PM_ASPECT_KIND] = {"kind", "Kind", "park, synchronized or Object.wait", "",
        .column = PM_WAIT_COLUMN_KIND, .key = value_key,
        .text = kind_text, .matches = kind_matches, .lasting_name = kind_text},
    [PM_ASPECT_CATEGORY] = {"category", "Category", "what the wait means: lock, queue, …", "",
        .column = PM_WAIT_COLUMN_CATEGORY, .key = value_key,
        .text = category_text, .matches = nothing_else_matches, .lasting_name = category_text},
    [PM_ASPECT_CLASS] = {"class", "Class", "the class of the object waited for", "(none)",
        .column = PM_WAIT_COLUMN_BLOCKER, .key = class_key,
        .text = class_text, .matches = class_matches, .lasting_name = class_text},
    [PM_ASPECT_ALIKE] = {"alike", "Similar blockers", "objects of one class, first waited for at one site",
        "(none)",
        .column = PM_WAIT_COLUMN_BLOCKER, .key = alike_key,
        .text = alike_text, .matches = alike_matches, .lasting_name = blocker_lasting},
    [PM_ASPECT_BLOCKER] = {"blocker", "Blocker", "the object waited for", "(none)",
        .column = PM_WAIT_COLUMN_BLOCKER, .key = value_key,
        .text = blocker_text, .matches = blocker_matches, .lasting_name = blocker_lasting},
    [PM_ASPECT_THREAD] = {"thread", "Thread", "the thread that waited", "(unknown)",
        .column = PM_WAIT_COLUMN_THREAD, .key = value_key, KEYS_OF_THREADS},
    [PM_ASPECT_GROUP] = {"group", "Group", "its group: threads whose names differ by a number",
        "(unknown)",
        .column = PM_WAIT_COLUMN_THREAD, .key = group_key,
        .text = group_text, .matches = group_matches, .lasting_name = group_text},
    [PM_ASPECT_CHAIN] = {"chain", "Stack trace", "the stack trace of the wait", "(unknown)",
        .column = PM_WAIT_COLUMN_CHAIN, .key = value_key, KEYS_OF_CHAINS},
    [PM_ASPECT_SITE] = {"site", "Site", "its first frame outside the JDK's locking code",
        "(unknown)",
        .column = PM_WAIT_COLUMN_CHAIN, .key = site_key, KEYS_OF_SITES},
    [PM_ASPECT_METHOD] = {"method", "Method", "the method of that frame, whatever the line",
        "(unknown)",
        .column = PM_WAIT_COLUMN_CHAIN, .key = method_key,
        .text = method_text, .matches = method_matches, .lasting_name = method_text},
    [PM_ASPECT_CAUSE] = {"cause", "Cause", "who made the wait last: owners, else the waker",
        "(unknown)", PM_SPLIT_CAUSES, .part_key = part_thread_key, KEYS_OF_THREADS},
    [PM_ASPECT_CAUSE_CHAIN] = {"cause-chain", "Cause's stack trace",
        "what the cause did as it released or woke", "(unknown)",
        PM_SPLIT_CAUSES, .part_key = part_chain_key, KEYS_OF_CODE},
    [PM_ASPECT_CAUSE_SITE] = {"cause-site", "Cause's site",
        "the program's own code on that stack trace, and what it called", "(unknown)",
        PM_SPLIT_CAUSES, .part_key = part_place_key, KEYS_OF_PLACES},
    [PM_ASPECT_OWNER] = {"owner", "Owner", "who held the lock meanwhile", "(no owner)",
        PM_SPLIT_OWNERS, .part_key = part_thread_key, KEYS_OF_THREADS},
    [PM_ASPECT_OWNER_CHAIN] = {"owner-chain", "Owner's stack trace",
        "what the owner did as it released", "(no owner)",
        PM_SPLIT_OWNERS, .part_key = part_chain_key, KEYS_OF_CODE},
    [PM_ASPECT_OWNER_SITE] = {"owner-site", "Owner's site",
        "the program's own code on that stack trace, and what it called", "(no owner)",
        PM_SPLIT_OWNERS, .part_key = part_place_key, KEYS_OF_PLACES},
    [PM_ASPECT_WAKER] = {"waker", "Waker", "the thread that ended the wait", "(unknown)",
        .column = PM_WAIT_COLUMN_WAKER, .key = value_key, .missing_key = no_waker_key,
        KEYS_OF_THREADS},
    [PM_ASPECT_WAKER_CHAIN] = {"waker-chain", "Waker's stack trace", "what it did then",
        "(unknown)",
        .column = PM_WAIT_COLUMN_WAKER_CHAIN, .key = value_key, .missing_key = no_waker_key,
        KEYS_OF_CODE},
    [PM_ASPECT_WAKER_SITE] = {"waker-site", "Waker's site", "the site of that stack trace",
        "(unknown)",
        .column = PM_WAIT_COLUMN_WAKER_CHAIN, .key = site_key, .missing_key = no_waker_key,
        KEYS_OF_SITES},
    [PM_ASPECT_WAKE_CAUSE] = {"wake-cause", "Wake cause", "how it ended: release, timeout, …",
        "(unknown)",
        .column = PM_WAIT_COLUMN_WAKE_CAUSE, .key = value_key,
        .text = wake_cause_text, .matches = nothing_else_matches, .lasting_name = wake_cause_text},
    [PM_ASPECT_ACCOUNT] = {"account", "Account", "the account whose code waited", "(no account)",
        .column = PM_WAIT_COLUMN_CHAIN, .key = account_key,
        .text = account_text, .matches = nothing_else_matches, .lasting_name = account_text},
    [PM_ASPECT_PRINCIPAL] = {"principal", "Principal",
        "on whose behalf: the next account that called it", "(no account)",
        .column = PM_WAIT_COLUMN_CHAIN, .key = principal_key,
        .text = account_text, .matches = nothing_else_matches, .lasting_name = account_text},
};
/* clang-format on */

const char *pm_aspect_name(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS ? pm_aspects[aspect].name : "";
}

const char *pm_aspect_title(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS ? pm_aspects[aspect].title : "";
}

gboolean pm_aspect_parse(const char *name, PmAspect *ret_aspect)
{
    for (guint i = 0; i < PM_N_ASPECTS; i++) {
        if (strcmp(name, pm_aspects[i].name) == 0) {
            *ret_aspect = i;
            return TRUE;
        }
    }
    return FALSE;
}

gboolean pm_aspect_is_split(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS && pm_aspects[aspect].split != PM_SPLIT_NONE;
}

gboolean pm_aspect_is_chain(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS && pm_aspects[aspect].lasting_name == chain_lasting;
}

gboolean pm_aspect_is_of_frames(PmAspect aspect)
{
    return (guint)aspect < PM_N_ASPECTS &&
           (pm_aspects[aspect].lasting_name == chain_lasting ||
            pm_aspects[aspect].text == site_text || pm_aspects[aspect].text == place_text);
}

guint32 pm_aspect_column_size(const PmRecording *r, enum pm_wait_column column)
{
    switch (column) {
    case PM_WAIT_COLUMN_KIND:
        return PM_N_KINDS;
    case PM_WAIT_COLUMN_CATEGORY:
        return PM_N_CATEGORIES;
    case PM_WAIT_COLUMN_BLOCKER:
        return r->n_blockers;
    case PM_WAIT_COLUMN_CHAIN:
    case PM_WAIT_COLUMN_WAKER_CHAIN:
        return r->n_chains;
    case PM_WAIT_COLUMN_THREAD:
    case PM_WAIT_COLUMN_WAKER:
        return r->n_threads;
    case PM_WAIT_COLUMN_WAKE_CAUSE:
        return PM_N_WAKE_CAUSES;
    default:
        g_assert_not_reached();
    }
}

guint64 pm_aspect_key(const PmRecording *recording, PmAspect aspect, guint32 row)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS && pm_aspects[aspect].key != NULL, 0);
    const PmAspectRow *a = &pm_aspects[aspect];
    const guint32 value = (guint32)pm_wait_column(&recording->waits, a->column, row);
    if (value == 0 && a->missing_key)
        return a->missing_key(&recording->waits, row);
    return a->key(recording, value);
}

guint64 pm_part_key(const PmRecording *recording, PmAspect aspect, const PmPart *part)
{
    g_return_val_if_fail(pm_aspect_is_split(aspect), 0);
    const PmAspectRow *a = &pm_aspects[aspect];
    if (a->split == PM_SPLIT_OWNERS && part->owner) {
        const PmPart owned = {.thread = part->owner, .chain = part->owner_chain};
        return a->part_key(recording, &owned);
    }
    if (a->split == PM_SPLIT_CAUSES &&
        (part->kind == PM_CAUSE_OWNER || part->kind == PM_CAUSE_WAKER))
        return a->part_key(recording, part);
    /* The lock was nobody's, but there is one; any other part has no owner at all. */
    if (a->split == PM_SPLIT_OWNERS && part->kind != PM_CAUSE_HAND_OVER &&
        part->kind != PM_CAUSE_GC_PAUSE)
        return 0;
    return pseudo_key(part->kind);
}

/* How many values decide keys: of a column, or of parts, by stack trace, then by thread. */
static guint64 values_of(const PmRecording *r, const PmAspectRow *a)
{
    return a->key ? pm_aspect_column_size(r, a->column) : (guint64)r->n_chains + r->n_threads;
}

static guint64 key_of_value(const PmRecording *r, const PmAspectRow *a, guint64 value)
{
    if (a->key)
        return a->key(r, (guint32)value);
    const PmPart part = {.chain = value < r->n_chains ? (guint32)value : 0,
                         .thread = value < r->n_chains ? 0 : (guint32)(value - r->n_chains)};
    return a->part_key(r, &part);
}

/* What tells a key from all others of its recording, where the text on screen may not: a stack
 * trace whole, and a thread with its number. */
static char *whole_text(const PmRecording *r, PmAspect aspect, guint64 key)
{
    if (pm_aspect_is_chain(aspect) && key < r->n_chains)
        return pm_label_frames(r, (guint32)key, 0, G_MAXUINT, pm_label_frame);
    g_autofree char *text = pm_aspect_key_text(r, aspect, key);
    if (pm_aspects[aspect].text == thread_text && key < r->n_threads)
        return g_strdup_printf("%s %" G_GINT64_FORMAT, text, r->threads[key].tid);
    return g_steal_pointer(&text);
}

gboolean pm_aspect_find_same(const PmRecording *recording, PmAspect aspect, guint64 key,
                             const PmRecording *other, guint64 *ret_key)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS && ret_key, FALSE);
    const PmAspectRow *a = &pm_aspects[aspect];
    const guint64 n = values_of(other, a);
    guint n_found = 0;

    *ret_key = key;
    if (pm_aspect_key_is_pseudo(aspect, key))
        return TRUE;
    g_autofree char *text = whole_text(recording, aspect, key);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint64 i = 0; i <= MIN(n, MOST_VALUES); i++) {
        /* Its own first: it may be behind the most. */
        const guint64 its = i > 0               ? key_of_value(other, a, i - 1)
                            : a->key && key < n ? key_of_value(other, a, key)
                                                : key;
        if (g_hash_table_contains(seen, &its))
            continue;
        g_hash_table_add(seen, g_memdup2(&its, sizeof its));
        g_autofree char *its_text = whole_text(other, aspect, its);
        if (strcmp(its_text, text) != 0)
            continue;
        *ret_key = its;
        n_found++;
        if (its == key)
            return TRUE;
    }
    return n_found == 1;
}

gboolean pm_aspect_key_is_pseudo(PmAspect aspect, guint64 key)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS, TRUE);
    return key >= PSEUDO_BASE || (key == 0 && pm_aspects[aspect].none[0] != 0);
}

const char *pm_cause_pseudo_name(PmCauseKind kind)
{
    static const char *const names[PM_N_CAUSES] = {
        [PM_CAUSE_TIME_OUT] = "(timeout)",  [PM_CAUSE_INTERRUPT] = "(interrupt)",
        [PM_CAUSE_HAND_OVER] = "(handoff)", [PM_CAUSE_GC_PAUSE] = "(GC pause)",
        [PM_CAUSE_ARRIVAL] = "(arrival)",   [PM_CAUSE_STILL_WAITING] = "(still waiting)",
        [PM_CAUSE_UNKNOWN] = "(unknown)",
    };
    return kind < PM_N_CAUSES ? names[kind] : NULL;
}

/* The text of a pseudo-key, NULL of any other. */
static const char *pseudo_text(PmAspect aspect, guint64 key)
{
    if (key == 0 && pm_aspects[aspect].none[0] != 0)
        return pm_aspects[aspect].none;
    return key >= PSEUDO_BASE ? pm_cause_pseudo_name((PmCauseKind)(key - PSEUDO_BASE)) : NULL;
}

char *pm_aspect_key_text(const PmRecording *recording, PmAspect aspect, guint64 key)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS, g_strdup("(unknown)"));
    const char *pseudo = pseudo_text(aspect, key);
    char *text = pseudo != NULL ? g_strdup(pseudo) : pm_aspects[aspect].text(recording, key);
    return text != NULL ? text : g_strdup("(unknown)");
}

char *pm_aspect_lasting_name(const PmRecording *recording, PmAspect aspect, guint64 key)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS, g_strdup("(unknown)"));
    const char *pseudo = pseudo_text(aspect, key);
    char *name =
        pseudo != NULL ? g_strdup(pseudo) : pm_aspects[aspect].lasting_name(recording, key);
    return name != NULL ? name : g_strdup("(unknown)");
}

gboolean pm_aspect_key_matches(const PmRecording *recording, PmAspect aspect, guint64 key,
                               const char *pattern)
{
    g_return_val_if_fail((guint)aspect < PM_N_ASPECTS && pattern != NULL, FALSE);
    if (pattern[0] == '#' && g_ascii_isdigit(pattern[1]))
        return key == g_ascii_strtoull(pattern + 1, NULL, 10);
    g_autofree char *text = pm_aspect_key_text(recording, aspect, key);
    /* The name of an account may hold a star of its own. */
    if (pm_aspects[aspect].text == account_text && is_account(recording, pattern))
        return strcmp(pattern, text) == 0;
    if (text_matches(pattern, text))
        return TRUE;
    if (!pm_aspect_key_is_pseudo(aspect, key))
        return pm_aspects[aspect].matches(recording, key, pattern);
    gsize length = strlen(pattern);
    return strlen(text) == length + 2 && strncmp(text + 1, pattern, length) == 0;
}
