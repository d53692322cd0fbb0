#include "viewer/report/now.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/report/csv.h"
#include "viewer/report/table.h"
#include "viewer/report/unit.h"

#define TEXT_LIMIT   40
#define CODE_FRAMES  3 /* of the program's own code */
#define CHAIN_INDENT "           "

static const char *const sort_names[] = {"age", "threads", NULL};

const char *const *pm_now_sort_keys(void)
{
    return sort_names;
}

static const char *owner_state_name(int state)
{
    switch (state) {
    case PM_OWNER_WAITING:
        return "waiting";
    case PM_OWNER_ENDED:
        return "ended";
    case PM_OWNER_RUNNING:
        return "running";
    default:
        return "unknown";
    }
}

typedef struct {
    const PmSummary *summary;
    const PmRecording *recording;
    const PmOutput *output;
    GPtrArray *still;    /* of const PmStillWaiting */
    guint n_threads;     /* of all */
    guint n_idle;        /* left out */
    GPtrArray *idle;     /* owned rows of their own, with --idle */
    GHashTable *waiters; /* threads that have a row */
    GArray *unlisted;    /* of Unlisted, the most first */
    gint64 n_unlisted;   /* threads, of all */
} Now;

/* Threads that wait for one blocker and are only counted. */
typedef struct {
    guint32 blocker;
    enum pm_kind kind;
    gint64 n_threads;
} Unlisted;

/* Rows that look alike, as one: `row` is the first of them, with the threads of all. */
typedef struct {
    PmStillWaiting row;
    guint32 class_index;
    guint n_objects;
} Folded;

static const PmStillWaiting *row_of(const Now *now, guint i)
{
    return now->still->pdata[i];
}

static void free_idle(gpointer data)
{
    PmStillWaiting *still = data;

    g_free((gpointer)still->rows);
    g_free(still);
}

static gboolean goes_on(const PmWaits *waits, guint32 row, gint64 at)
{
    return pm_wait_begin(waits, row) <= at &&
           (pm_wait_end(waits, row) > at ||
            ((pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) && pm_wait_end(waits, row) == at));
}

/* The summary keeps idle threads out of what is still waiting, whatever its filter; who asks for
 * them gets a row for each group, object and stack trace. */
static void take_idle(Now *now)
{
    const PmView *view = now->summary->metrics->view;
    const PmWaits *waits = &now->recording->waits;
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (gsize i = 0; i < view->n; i++) {
        guint32 row = pm_view_row(view, i);
        if (!pm_category_is_idle(pm_wait_category(waits, row)) ||
            !goes_on(waits, row, now->summary->at))
            continue;
        guint32 group = now->recording->threads[pm_wait_thread(waits, row)].group;
        char *key = g_strdup_printf("%u %u %u", group, pm_wait_blocker(waits, row),
                                    pm_wait_chain(waits, row));
        PmStillWaiting *still = g_hash_table_lookup(known, key);
        if (!still) {
            still = g_new0(PmStillWaiting, 1);
            *still = (PmStillWaiting){.blocker = pm_wait_blocker(waits, row),
                                      .chain = pm_wait_chain(waits, row),
                                      .owner = pm_wait_owner(waits, row),
                                      .first_thread = pm_wait_thread(waits, row),
                                      .group = group,
                                      .since = pm_wait_begin(waits, row),
                                      .kind = pm_wait_kind(waits, row),
                                      .category = pm_wait_category(waits, row),
                                      .timed = (pm_wait_flags(waits, row) & PM_WAIT_TIMED) != 0,
                                      .cycle = -1};
            g_ptr_array_add(now->idle, still);
            g_hash_table_insert(known, key, still);
        } else {
            g_free(key);
        }
        guint32 *rows = g_renew(guint32, (guint32 *)still->rows, still->n_threads + 1);
        rows[still->n_threads++] = row;
        still->rows = rows;
    }
}

static int compare_unlisted(gconstpointer a, gconstpointer b)
{
    const Unlisted *x = a, *y = b;

    if (x->n_threads != y->n_threads)
        return x->n_threads < y->n_threads ? 1 : -1;
    return (x->blocker > y->blocker) - (x->blocker < y->blocker);
}

/* A chunk that is too small lists only some of very many, although none was dropped; a few may
 * begin or end between the listing and the count. */
static gint64 least_unlisted(const PmLedgerRow *row)
{
    return row->counters.not_stored ? 1 : 10;
}

/* Of each blocker as many as the last snapshot counts in a wait, and no row tells of at its
 * instant. A file that is being written may end before its last snapshot: rows in progress go on
 * to its end then. */
static void take_unlisted(Now *now)
{
    const PmRecording *recording = now->recording;
    const PmWaits *waits = &recording->waits;
    gint64 at = MIN(recording->ledger_at, recording->duration);
    const guint32 *counted_as = pm_recording_private(recording)->counted_as;
    g_autoptr(GHashTable) listed = g_hash_table_new(NULL, NULL);
    gint64 most = 0;

    for (guint32 i = 0; i < recording->n_ledger; i++)
        if (recording->ledger[i].counters.now >= least_unlisted(&recording->ledger[i]))
            most = MAX(most, recording->ledger[i].counters.now);
    for (guint32 row = 0; most > 0 && row < waits->n; row++) {
        if (!goes_on(waits, row, at))
            continue;
        gpointer key = GUINT_TO_POINTER(counted_as[pm_wait_blocker(waits, row)] << 2 |
                                        pm_wait_kind(waits, row));
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(listed, key));
        g_hash_table_insert(listed, key, GUINT_TO_POINTER(n + 1));
    }
    for (guint32 i = 0; i < recording->n_ledger; i++) {
        const PmLedgerRow *row = &recording->ledger[i];
        gpointer key = GUINT_TO_POINTER(row->blocker << 2 | row->counters.kind);
        gint64 n = (gint64)row->counters.now - GPOINTER_TO_UINT(g_hash_table_lookup(listed, key));
        if (n < least_unlisted(row))
            continue;
        Unlisted unlisted = {row->blocker, row->counters.kind, n};
        g_array_append_val(now->unlisted, unlisted);
        now->n_unlisted += n;
    }
    g_array_sort(now->unlisted, compare_unlisted);
}

static int compare_still(gconstpointer a, gconstpointer b, gpointer by_threads)
{
    const PmStillWaiting *x = *(const PmStillWaiting *const *)a;
    const PmStillWaiting *y = *(const PmStillWaiting *const *)b;

    if (by_threads && x->n_threads != y->n_threads)
        return x->n_threads < y->n_threads ? 1 : -1;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return (x->first_thread > y->first_thread) - (x->first_thread < y->first_thread);
}

/* ---- text ---- */

/* What a thread is called at the instant. */
static const char *name_of(const Now *now, guint32 thread)
{
    return pm_recording_thread_name(now->recording, thread, now->summary->at);
}

/* Owned names of all threads of a deadlock, "a, b". */
static char *names_of(const Now *now, const PmDeadlock *deadlock)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < deadlock->n_threads; i++) {
        guint32 thread = pm_wait_thread(&now->recording->waits, deadlock->rows[i]);
        g_autofree char *name = pm_text_clean(name_of(now, thread));
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    return g_string_free(out, FALSE);
}

static char *hash_or_label(const Now *now, guint32 blocker)
{
    char *hash = pm_label_hash(now->recording, blocker);

    return hash ? hash : pm_label_blocker_short(now->recording, blocker);
}

static void add_chain_lines(const Now *now, PmTable *table, const char *title, guint32 chain)
{
    const PmChain *c = &now->recording->chains[chain];

    if (!now->output->chains) {
        g_autofree char *frames = pm_label_code(now->recording, chain, CODE_FRAMES);
        g_autofree char *whose = pm_text_clean(title);
        g_autofree char *first = g_strdup_printf(CHAIN_INDENT "%s: ", whose);
        pm_table_add_wrapped(table, first, CHAIN_INDENT "  ", frames,
                             now->output->terminal.columns);
        return;
    }
    g_autofree char *head = g_strdup_printf(CHAIN_INDENT "%s", title);
    pm_table_add_line(table, head);
    for (guint i = 0; i < c->n_frames; i++) {
        g_autofree char *frame = pm_label_frame_full(now->recording, c->frames[i]);
        g_autofree char *line = g_strdup_printf(CHAIN_INDENT "  %s", frame);
        pm_table_add_line(table, line);
    }
    if (c->n_frames == 0)
        pm_table_add_line(table, CHAIN_INDENT "  (no stack trace)");
}

/* The innermost method of the program's own; 0 for none. */
static guint32 code_of(const PmRecording *recording, guint32 chain)
{
    gint frame = pm_own_frame(pm_own_code(recording), chain);

    return frame < 0 ? 0 : recording->chains[chain].frames[frame].method;
}

/* Threads that wait for other objects stand in the same method: only who called it tells them
 * apart.
 */
static gboolean is_in_helper(const Now *now, guint32 row)
{
    const PmWaits *waits = &now->recording->waits;
    guint32 code = code_of(now->recording, pm_wait_chain(waits, row));

    for (guint i = 0; code && i < now->still->len; i++)
        if (row_of(now, i)->blocker != pm_wait_blocker(waits, row) &&
            code_of(now->recording, row_of(now, i)->chain) == code)
            return TRUE;
    return FALSE;
}

static void append_deadlock(const Now *now, const PmDeadlock *deadlock, GString *out)
{
    const PmWaits *waits = &now->recording->waits;
    g_autoptr(PmTable) table = pm_table_new(&(PmTableColumn){"", "", 0, 0, FALSE, 0}, 1);
    g_autofree char *names = names_of(now, deadlock);
    g_autofree char *since =
        pm_label_since(now->recording, deadlock->since, now->summary->at, deadlock->since_before);
    g_autofree char *text =
        g_strdup_printf("%s: each holds what %s waits for, %s", names,
                        deadlock->n_threads == 2 ? "the other" : "the one before it", since);
    g_autoptr(GString) wrapped = g_string_new(NULL);

    pm_text_append_wrapped(wrapped, "DEADLOCK  ", "          ", text,
                           now->output->terminal.columns);
    pm_text_append_styled(out, &now->output->terminal, PM_STYLE_ALARM, wrapped->str);
    for (guint i = 0; i < deadlock->n_threads; i++) {
        guint32 row = deadlock->rows[i];
        g_autofree char *holds = pm_deadlock_held(now->recording, deadlock, i);
        g_autofree char *wants = pm_wait_kind(waits, row) == PM_KIND_WAIT
                                     ? pm_deadlock_wanted(now->recording, deadlock, i)
                                     : hash_or_label(now, pm_wait_blocker(waits, row));
        g_autofree char *site = pm_label_code(now->recording, pm_wait_chain(waits, row), 1);

        g_autofree char *line = g_strdup_printf(
            "%s %s%s%swaits for %s, in %s", name_of(now, pm_wait_thread(waits, row)),
            holds ? "holds " : "", holds ? holds : "", holds ? ", " : "", wants, site);
        pm_table_add_wrapped(table, "  ", "    ", line, now->output->terminal.columns);
        if (!now->output->chains && is_in_helper(now, row))
            add_chain_lines(now, table, "in", pm_wait_chain(waits, row));
    }
    pm_table_write(table, &now->output->terminal, out);
    if (deadlock->n_behind > 0) {
        g_autofree char *behind = pm_unit_count(deadlock->n_behind, "thread waits", "threads wait");
        g_string_append_printf(out, "  %s behind them\n", behind);
    }
    g_string_append_c(out, '\n');
}

/* An owner that itself waits stands in the list; of any other, asleep or busy, the list says where
 * it is. */
static gboolean has_row(const Now *now, guint32 thread)
{
    return g_hash_table_contains(now->waiters, GUINT_TO_POINTER(thread));
}

/* "ReentrantLock 4f3c91d2", "12 FutureTask". Owned. */
static char *objects_text(const Now *now, const Folded *folded)
{
    const PmRecording *recording = now->recording;

    if (folded->n_objects == 1)
        return pm_label_blocker_field(recording, folded->row.blocker);
    guint32 class_index = recording->blockers[folded->row.blocker].class_index;
    g_autofree char *name = pm_label_class(recording->classes[class_index].name);
    return g_strdup_printf("%u %s", folded->n_objects, name);
}

static void add_still(const Now *now, PmTable *table, const Folded *folded, PmUnit unit)
{
    const PmRecording *recording = now->recording;
    const PmStillWaiting *still = &folded->row;
    g_autofree char *age = pm_unit_text(unit, (double)(now->summary->at - still->since));
    g_autofree char *label = objects_text(now, folded);
    g_autofree char *site = pm_label_code_short(recording, still->chain);
    g_autofree char *owner = pm_summary_owner_text(now->summary, still);
    /* Of several threads the oldest's age is shown; of a begun-before one a lower bound. */
    const char *sign = still->begin_unknown ? ">= " : still->n_threads > 1 ? "<= " : "";

    pm_table_add_row(table);
    pm_table_printf(table, 0, "%s%s", sign, age);
    if (still->n_threads > 1)
        pm_table_printf(table, 1, "%s (%u)", recording->groups[still->group].name,
                        still->n_threads);
    else
        pm_table_set(table, 1, name_of(now, still->first_thread));
    pm_table_set(table, 2, label);
    if (owner)
        pm_table_set(table, 3, owner);
    pm_table_set(table, 4, site);
    g_autofree char *woken = pm_summary_woken_text(now->summary, still);
    if (woken) {
        g_autofree char *clean = pm_text_clean(woken);
        g_autofree char *line = g_strconcat(CHAIN_INDENT, clean, NULL);
        pm_table_add_line(table, line);
    }
    if (now->output->chains)
        add_chain_lines(now, table, "waits in", still->chain);
    if (still->owner_chain && (now->output->chains || !has_row(now, still->owner))) {
        g_autofree char *title =
            g_strdup_printf("%s is in", still->owner ? name_of(now, still->owner) : "owner");
        add_chain_lines(now, table, title, still->owner_chain);
    }
}

static guint hash_folded(gconstpointer p)
{
    const Folded *x = p;
    return x->row.chain * 31 + x->row.group * 17 + x->row.kind + x->class_index * 131;
}

static gboolean same_folded(gconstpointer a, gconstpointer b)
{
    const Folded *x = a, *y = b;
    return x->row.chain == y->row.chain && x->row.group == y->row.group &&
           x->row.kind == y->row.kind && x->class_index == y->class_index &&
           !x->row.woken == !y->row.woken;
}

/* Threads of one group that stand in one stack trace, each for an object of its own that nobody is
 * known to own, are one row. Owned, of Folded, in the order of `now->still`. */
static GArray *fold_rows(const Now *now)
{
    GArray *rows = g_array_sized_new(FALSE, FALSE, sizeof(Folded), now->still->len);
    g_autoptr(GHashTable) known = g_hash_table_new_full(hash_folded, same_folded, g_free, NULL);

    for (guint i = 0; i < now->still->len; i++) {
        const PmStillWaiting *still = row_of(now, i);
        Folded folded = {*still, now->recording->blockers[still->blocker].class_index, 1};
        gpointer at = NULL;
        if (!still->owner && still->cycle < 0 && still->chain &&
            !(at = g_hash_table_lookup(known, &folded)))
            g_hash_table_insert(known, g_memdup2(&folded, sizeof folded),
                                GUINT_TO_POINTER(rows->len + 1));
        if (!at) {
            g_array_append_val(rows, folded);
            continue;
        }
        Folded *first = &g_array_index(rows, Folded, GPOINTER_TO_UINT(at) - 1);
        first->n_objects++;
        first->row.n_threads += still->n_threads;
        first->row.since = MIN(first->row.since, still->since);
        first->row.begin_unknown |= still->begin_unknown;
    }
    return rows;
}

static void write_text(const Now *now, GString *out)
{
    const PmSummary *summary = now->summary;
    const PmRecording *recording = now->recording;
    const PmTerminal *terminal = &now->output->terminal;
    guint limit = now->output->limit ? now->output->limit : TEXT_LIMIT;
    g_autoptr(GArray) rows = fold_rows(now);
    guint shown = MIN(limit, rows->len);
    g_autofree char *main_class = pm_text_clean(recording->facts.main ? recording->facts.main : "");
    g_autofree char *instant = pm_heading_instant(recording, summary->at, 3);
    g_autofree char *head =
        g_strdup_printf("%u   %s   %s", recording->facts.pid, main_class, instant);
    g_autofree char *waiting =
        pm_unit_count(now->n_threads + now->n_unlisted, "thread waits", "threads wait");
    g_autofree char *idle =
        now->n_idle > 0 ? g_strdup_printf("   left out: %u idle (--idle)", now->n_idle) : NULL;
    g_autofree char *counts = g_strconcat(waiting, idle, NULL);

    pm_heading_append_pair(out, terminal, PM_STYLE_STRONG, head, counts);
    /* "No thread waits" of a JVM that hangs in synchronized since before the attach would be half
     * the truth. */
    if (recording->facts.not_recorded && *recording->facts.not_recorded) {
        g_autofree char *not_recorded = pm_text_clean(recording->facts.not_recorded);
        pm_text_append_wrapped(out, "Not recorded here: ", "  ", not_recorded, terminal->columns);
    }
    g_string_append_c(out, '\n');
    for (guint i = 0; i < summary->n_deadlocks; i++)
        append_deadlock(now, &summary->deadlocks[i], out);
    if (now->still->len == 0 && now->n_unlisted == 0) {
        const PmView *view = summary->metrics->view;
        g_autofree char *no_match = view->n == 0 ? pm_no_match_text(view) : NULL;
        g_string_append_printf(out, "%s\n", no_match ? no_match : "No thread waits.");
        return;
    }

    double oldest = 0;
    for (guint i = 0; i < shown; i++)
        oldest = MAX(oldest, (double)(summary->at - g_array_index(rows, Folded, i).row.since));
    PmUnit unit = pm_unit_choose(oldest, PM_UNIT_S, 1);
    g_autofree char *title = g_strdup_printf("Waiting %s", unit.name);
    const PmTableColumn columns[] = {
        {title, "", 9, 0, TRUE, 0},
        {"Threads", "", 30, 2, FALSE, 14},
        {"For", "", 22, 2, FALSE, 22},
        {"Owner", "", 10, 2, FALSE, 10},
        {"In", "", 8, 2, FALSE, 16, .last = TRUE}, /* where it hangs */
    };
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));
    for (guint i = 0; i < shown; i++)
        add_still(now, table, &g_array_index(rows, Folded, i), unit);
    for (guint i = 0; i < MIN(limit, now->unlisted->len); i++) {
        const Unlisted *unlisted = &g_array_index(now->unlisted, Unlisted, i);
        g_autofree char *label = pm_label_blocker_short(recording, unlisted->blocker);
        pm_table_add_row(table);
        pm_table_printf(table, 1, "%" G_GINT64_FORMAT " more, only counted", unlisted->n_threads);
        pm_table_set(table, 2, label);
    }
    pm_table_write(table, terminal, out);
    if (shown < rows->len)
        g_string_append_printf(out, "%u of %u rows; --limit shows more.\n", shown, rows->len);
    if (!now->output->chains)
        pm_text_append_wrapped(out, "", "",
                               "Stack traces: --chains. Under each owner that is running: its "
                               "current stack trace.",
                               terminal->columns);
}

/* ---- JSON, CSV: one row a thread ---- */

static void wait_json(JsonBuilder *builder, const Now *now, const PmStillWaiting *still,
                      guint32 row)
{
    const PmRecording *recording = now->recording;
    const PmWaits *waits = &recording->waits;
    const PmThread *thread = &recording->threads[pm_wait_thread(waits, row)];
    const PmBlocker *blocker = &recording->blockers[pm_wait_blocker(waits, row)];
    g_autofree char *hash = pm_label_hash(recording, pm_wait_blocker(waits, row));
    g_autofree char *field = pm_label_field(recording, pm_wait_blocker(waits, row));

    json_builder_begin_object(builder);
    pm_json_text(builder, "thread", name_of(now, pm_wait_thread(waits, row)));
    pm_json_text(builder, "group", recording->groups[thread->group].name);
    pm_json_text(builder, "kind", pm_kind_name(pm_wait_kind(waits, row)));
    pm_json_text(builder, "category", pm_category_name(pm_wait_category(waits, row)));
    pm_json_text(builder, "class", recording->classes[blocker->class_index].name);
    pm_json_text(builder, "hash", hash);
    pm_json_text(builder, "field", field);
    pm_json_int(builder, "age_ns", now->summary->at - pm_wait_begin(waits, row));
    pm_json_bool(builder, "timed", (pm_wait_flags(waits, row) & PM_WAIT_TIMED) != 0);
    pm_json_text(builder, "owner", still->owner ? name_of(now, still->owner) : NULL);
    if (still->owner)
        pm_json_text(builder, "owner_state", owner_state_name(still->owner_state));
    else
        pm_json_null(builder, "owner_state");
    if (still->owner_chain)
        pm_chain_json(builder, "owner_chain", recording, still->owner_chain);
    else
        pm_json_null(builder, "owner_chain");
    pm_chain_json(builder, "chain", recording, pm_wait_chain(waits, row));
    g_autofree char *code = pm_label_code(recording, pm_wait_chain(waits, row), CODE_FRAMES);
    g_autofree char *owner_code = pm_label_code(recording, still->owner_chain, CODE_FRAMES);
    pm_json_text(builder, "code", code);
    pm_json_text(builder, "owner_code", still->owner_chain ? owner_code : NULL);
    if (still->cycle >= 0)
        pm_json_int(builder, "cycle", still->cycle);
    else
        pm_json_null(builder, "cycle");
    if (still->woken)
        pm_json_int(builder, "woken_ns", now->summary->at - pm_wait_wake(waits, row));
    else
        pm_json_null(builder, "woken_ns");
    json_builder_end_object(builder);
}

static void wait_csv(PmCsv *csv, const Now *now, const PmStillWaiting *still, guint32 row)
{
    const PmRecording *recording = now->recording;
    const PmWaits *waits = &recording->waits;
    const PmThread *thread = &recording->threads[pm_wait_thread(waits, row)];
    const PmBlocker *blocker = &recording->blockers[pm_wait_blocker(waits, row)];
    g_autofree char *hash = pm_label_hash(recording, pm_wait_blocker(waits, row));
    g_autofree char *owner_chain = pm_chain_csv(recording, still->owner_chain);
    g_autofree char *chain = pm_chain_csv(recording, pm_wait_chain(waits, row));

    pm_csv_text(csv, name_of(now, pm_wait_thread(waits, row)));
    pm_csv_text(csv, recording->groups[thread->group].name);
    pm_csv_text(csv, pm_kind_name(pm_wait_kind(waits, row)));
    pm_csv_text(csv, pm_category_name(pm_wait_category(waits, row)));
    pm_csv_text(csv, recording->classes[blocker->class_index].name);
    pm_csv_text(csv, hash);
    pm_csv_int(csv, now->summary->at - pm_wait_begin(waits, row));
    pm_csv_text(csv, pm_wait_flags(waits, row) & PM_WAIT_TIMED ? "true" : "false");
    pm_csv_text(csv, still->owner ? name_of(now, still->owner) : NULL);
    pm_csv_text(csv, still->owner ? owner_state_name(still->owner_state) : NULL);
    pm_csv_text(csv, still->owner_chain ? owner_chain : NULL);
    pm_csv_text(csv, chain);
    if (still->cycle >= 0)
        pm_csv_int(csv, still->cycle);
    else
        pm_csv_text(csv, NULL);
    pm_csv_end_row(csv);
}

static void write_rows(const Now *now, JsonBuilder *builder, PmCsv *csv)
{
    guint left = now->output->limit ? now->output->limit : G_MAXUINT;

    for (guint i = 0; i < now->still->len; i++) {
        for (guint32 k = 0; k < row_of(now, i)->n_threads && left > 0; k++, left--)
            if (builder)
                wait_json(builder, now, row_of(now, i), row_of(now, i)->rows[k]);
            else
                wait_csv(csv, now, row_of(now, i), row_of(now, i)->rows[k]);
    }
}

static void write_json(const Now *now, GString *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autofree char *instant = pm_heading_rfc3339(now->recording, now->summary->at);

    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_json_int(builder, "pid", now->recording->facts.pid);
    pm_json_int(builder, "at_ns", now->summary->at);
    pm_json_text(builder, "at", instant);
    pm_json_int(builder, "idle_left_out", now->n_idle);
    pm_json_int(builder, "deadlocks", now->summary->n_deadlocks);
    pm_json_begin_array(builder, "waits");
    write_rows(now, builder, NULL);
    json_builder_end_array(builder);
    pm_json_int(builder, "threads", now->n_threads + now->n_unlisted);
    pm_json_begin_array(builder, "only_counted");
    for (guint i = 0; i < now->unlisted->len; i++) {
        const Unlisted *unlisted = &g_array_index(now->unlisted, Unlisted, i);
        const PmBlocker *blocker = &now->recording->blockers[unlisted->blocker];
        g_autofree char *hash = pm_label_hash(now->recording, unlisted->blocker);
        json_builder_begin_object(builder);
        pm_json_text(builder, "kind", pm_kind_name(unlisted->kind));
        pm_json_text(builder, "class", now->recording->classes[blocker->class_index].name);
        pm_json_text(builder, "hash", hash);
        pm_json_int(builder, "threads", unlisted->n_threads);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
}

static void write_csv(const Now *now, GString *out)
{
    static const char *const titles[] = {
        "thread", "group", "kind",        "category",    "class", "hash", "age_ns",
        "timed",  "owner", "owner_state", "owner_chain", "chain", "cycle"};
    PmCsv csv = {out, FALSE};

    pm_csv_titles(&csv, titles, G_N_ELEMENTS(titles));
    write_rows(now, NULL, &csv);
}

gboolean pm_now_write(const PmSummary *summary, const PmOutput *output, GString *out)
{
    g_return_val_if_fail(summary != NULL && output && out != NULL, FALSE);
    gboolean by_threads = g_strcmp0(output->sort, "threads") == 0;
    g_autoptr(GPtrArray) still = g_ptr_array_new();
    g_autoptr(GPtrArray) idle = g_ptr_array_new_with_free_func(free_idle);
    Now now = {.summary = summary,
               .recording = summary->metrics->view->recording,
               .output = output,
               .still = still,
               .idle = idle,
               .n_idle = summary->n_idle_now};

    if (output->sort && !by_threads && strcmp(output->sort, "age") != 0)
        return FALSE;
    for (guint i = 0; i < summary->n_still; i++)
        g_ptr_array_add(still, &summary->still[i]);
    if (output->idle) {
        take_idle(&now);
        now.n_idle = 0;
        for (guint i = 0; i < idle->len; i++)
            g_ptr_array_add(still, idle->pdata[i]);
    }
    g_autoptr(GHashTable) waiters = g_hash_table_new(NULL, NULL);
    now.waiters = waiters;
    for (guint i = 0; i < still->len; i++) {
        const PmStillWaiting *row = row_of(&now, i);
        now.n_threads += row->n_threads;
        for (guint k = 0; k < row->n_threads; k++)
            g_hash_table_add(waiters,
                             GUINT_TO_POINTER(pm_wait_thread(&now.recording->waits, row->rows[k])));
    }
    g_autoptr(GArray) unlisted = g_array_new(FALSE, FALSE, sizeof(Unlisted));
    now.unlisted = unlisted;
    take_unlisted(&now);
    g_ptr_array_sort_with_data(still, compare_still, GINT_TO_POINTER(by_threads));
    switch (output->format) {
    case PM_FORMAT_JSON:
        write_json(&now, out);
        break;
    case PM_FORMAT_CSV:
        write_csv(&now, out);
        break;
    case PM_FORMAT_TEXT:
        write_text(&now, out);
        break;
    }
    return TRUE;
}
