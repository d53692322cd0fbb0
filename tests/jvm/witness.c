#include "tests/jvm/witness.h"

#include <string.h>

#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/aggregation/aspect.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/sort.h"

typedef enum { HELD, WANTED, GAVE, KEPT, OWED, STOPPED, N_WORDS } Word;
static const char *const words[N_WORDS] = {"held", "wanted", "gave", "kept", "owed", "stopped"};

/* What lies between the program's looks at the clock and what it did. */
#define TOLERANCE_NS 200000
#define MAX_TOLD     5 /* wrong parts */

typedef struct {
    const char *what, *thread; /* interned */
    gint64 from, to;
    gint64 asked, left; /* of `held`: it cannot have been had outside of these */
} Testimony;

struct PmWitness {
    GArray *of[N_WORDS]; /* of Testimony, by time */
    GHashTable *wanted;  /* thread → what it wanted, the same */
    guint n_kept;        /* at once, at most: so many there are */
};

static gint testimony_compare(gconstpointer left, gconstpointer right)
{
    const Testimony *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* The position behind the last testimony that begins at `at` or before. */
static guint position_after(const GArray *testimonies, gint64 at)
{
    guint low = 0, high = testimonies ? testimonies->len : 0;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(testimonies, Testimony, middle).from <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static GHashTable *wanted_by_thread(const PmWitness *witness)
{
    GHashTable *wanted = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < witness->of[WANTED]->len; i++) {
        Testimony *one = &g_array_index(witness->of[WANTED], Testimony, i);
        GArray *asked = g_hash_table_lookup(wanted, one->thread);
        if (!asked) {
            asked = g_array_new(FALSE, FALSE, sizeof(Testimony));
            g_hash_table_insert(wanted, (gpointer)one->thread, asked);
        }
        g_array_append_val(asked, *one);
    }
    return wanted;
}

/* It was had from some time after it was asked for, until some time before the thread asked for
 * something else; which, when that is a signal of the lock, gives it up itself. */
static void find_bounds(PmWitness *witness, Word word)
{
    for (guint i = 0; i < witness->of[word]->len; i++) {
        Testimony *held = &g_array_index(witness->of[word], Testimony, i);
        const GArray *wanted = g_hash_table_lookup(witness->wanted, held->thread);
        guint before = position_after(wanted, held->from - 1),
              next = position_after(wanted, held->to);
        held->asked = before ? g_array_index(wanted, Testimony, before - 1).from : held->from;
        held->left = G_MAXINT64;
        if (!wanted || next >= wanted->len)
            continue;
        const Testimony *after = &g_array_index(wanted, Testimony, next);
        const char *lock = strchr(after->what, '@');
        held->left = lock && strcmp(lock + 1, held->what) == 0 ? after->to : after->from;
    }
}

/* Of [from, to) of each, in order of `from`. */
static guint most_at_once(const GArray *kept)
{
    guint most = 0;
    for (guint i = 0; i < kept->len; i++) {
        guint n = 0;
        for (guint j = 0; j <= i; j++)
            n += g_array_index(kept, Testimony, j).to > g_array_index(kept, Testimony, i).from;
        most = MAX(most, n);
    }
    return most;
}

PmWitness *pm_witness_new(const char *text)
{
    PmWitness *witness = g_new0(PmWitness, 1);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (Word word = 0; word < N_WORDS; word++)
        witness->of[word] = g_array_new(FALSE, FALSE, sizeof(Testimony));
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, " ", -1);
        if (g_strv_length(fields) != 5)
            continue;
        for (Word word = 0; word < N_WORDS; word++) {
            if (strcmp(fields[0], words[word]) != 0)
                continue;
            Testimony one = {.what = g_intern_string(fields[1]),
                             .thread = g_intern_string(fields[2]),
                             .from = g_ascii_strtoll(fields[3], NULL, 10),
                             .to = g_ascii_strtoll(fields[4], NULL, 10)};
            g_array_append_val(witness->of[word], one);
        }
    }
    for (Word word = 0; word < N_WORDS; word++)
        g_array_sort(witness->of[word], testimony_compare);
    witness->wanted = wanted_by_thread(witness);
    find_bounds(witness, HELD);
    find_bounds(witness, KEPT);
    witness->n_kept = most_at_once(witness->of[KEPT]);
    return witness;
}

void pm_witness_free(PmWitness *witness)
{
    if (!witness)
        return;
    for (Word word = 0; word < N_WORDS; word++)
        g_array_unref(witness->of[word]);
    g_hash_table_unref(witness->wanted);
    g_free(witness);
}

/* -- who a wait was due to, in pieces of time -- */

typedef struct {
    gint64 from, to;
    const char *thread;
    gboolean perhaps; /* it may have been this thread's doing as well */
} Due;

static void add_due(GArray *dues, gint64 from, gint64 to, const char *thread)
{
    Due due = {from, to, thread, FALSE};
    if (from < to)
        g_array_append_val(dues, due);
}

/* Adds [from, to) without the instants at which all stood still. */
static void add_due_awake(GArray *dues, const PmWitness *witness, gint64 from, gint64 to,
                          const char *thread)
{
    for (guint i = 0; i < witness->of[STOPPED]->len; i++) {
        const Testimony *stop = &g_array_index(witness->of[STOPPED], Testimony, i);
        if (stop->to <= from || stop->from >= to)
            continue;
        add_due(dues, from, MIN(stop->from, to), thread);
        from = stop->to;
    }
    add_due(dues, from, to, thread);
}

/* Who gave `what` within the wait: who was about it at `until`, each of several, else who did so
 * last before; the whole wait until then is their doing. Returns the instant; `begin` when nobody
 * did. */
static gint64 add_givers(const PmWitness *witness, const char *what, gint64 begin, gint64 until,
                         GArray *dues)
{
    const Testimony *last = NULL;
    gint64 given = begin;
    for (guint i = 0; i < witness->of[GAVE]->len; i++) {
        const Testimony *gave = &g_array_index(witness->of[GAVE], Testimony, i);
        if (gave->from > until)
            break;
        if (gave->what != what || gave->to < begin)
            continue;
        last = gave;
        if (gave->to >= until) {
            given = until;
            add_due_awake(dues, witness, begin, until, gave->thread);
        }
    }
    if (last && given < until) { /* it may take others to pass it on */
        Due perhaps = {begin, until, last->thread, TRUE};
        g_array_append_val(dues, perhaps);
        given = MAX(begin, last->to);
        add_due_awake(dues, witness, begin, given, last->thread);
    }
    return given;
}

static void note_instant(GHashTable *instants, const PmRecording *recording, guint32 thread,
                         gint64 at)
{
    gpointer name = (gpointer)g_intern_string(recording->threads[thread].name);
    Testimony one = {.from = at};
    GArray *its = g_hash_table_lookup(instants, name);
    if (!its) {
        its = g_array_new(FALSE, FALSE, sizeof(Testimony));
        g_hash_table_insert(instants, name, its);
    }
    g_array_append_val(its, one);
}

static void sort_instants(gpointer thread, gpointer its, gpointer data)
{
    g_array_sort(its, testimony_compare);
}

/* Who was parked for a lock has it from the instant it resumes for good, and until it wakes the
 * next one, though between those and its own looks at the clock it may have been held up for long.
 */
static void hold_from_resume_to_wake(const PmWitness *witness, const PmRecording *recording,
                                     gint64 base)
{
    const PmWaits *w = &recording->waits;
    g_autoptr(GHashTable) resumes =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) wakes =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint32 row = 0; row < w->n; row++) {
        note_instant(resumes, recording, pm_wait_thread(w, row), base + pm_wait_end(w, row));
        if (pm_wait_waker(w, row) && pm_wait_wake(w, row))
            note_instant(wakes, recording, pm_wait_waker(w, row), base + pm_wait_wake(w, row));
    }
    g_hash_table_foreach(resumes, sort_instants, NULL);
    g_hash_table_foreach(wakes, sort_instants, NULL);
    for (guint i = 0; i < witness->of[HELD]->len + witness->of[KEPT]->len; i++) {
        Testimony *held =
            i < witness->of[HELD]->len
                ? &g_array_index(witness->of[HELD], Testimony, i)
                : &g_array_index(witness->of[KEPT], Testimony, i - witness->of[HELD]->len);
        const GArray *its = g_hash_table_lookup(resumes, held->thread);
        guint position = position_after(its, held->from);
        if (position && g_array_index(its, Testimony, position - 1).from >= held->asked)
            held->asked = held->from = g_array_index(its, Testimony, position - 1).from;
        its = g_hash_table_lookup(wakes, held->thread);
        position = position_after(its, held->to);
        if (its && position < its->len && g_array_index(its, Testimony, position).from < held->left)
            held->to = g_array_index(its, Testimony, position).from;
    }
}

/* Who had still to come or to give it; who keeps one of it. Returns until when one of the first. */
static gint64 add_debtors(const PmWitness *witness, const char *what, gint64 begin, gint64 end,
                          GArray *dues)
{
    gint64 given = begin;
    for (Word word = KEPT; word <= OWED; word++)
        for (guint i = 0; i < witness->of[word]->len; i++) {
            const Testimony *one = &g_array_index(witness->of[word], Testimony, i);
            const gint64 from = word == KEPT ? one->asked : one->from - TOLERANCE_NS;
            const gint64 to = word == KEPT ? one->left : one->to + TOLERANCE_NS;
            if (one->what != what || from >= end || to <= begin)
                continue;
            add_due(dues, MAX(begin, one->from), MIN(end, one->to), one->thread);
            Due perhaps = {from, to, one->thread, TRUE};
            g_array_append_val(dues, perhaps);
            if (word == OWED)
                given = MAX(given, MIN(end, one->to));
        }
    return given;
}

/* Who was woken has been given one, and waits for its turn on a core: others matter then only where
 * they keep all the same. */
static void drop_handed_over(const PmWitness *witness, gint64 woken, GArray *dues)
{
    g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(Due));
    for (guint i = 0; i < dues->len; i++) {
        Due *due = &g_array_index(dues, Due, i);
        if (due->perhaps || due->to <= woken)
            continue;
        Due rest = *due;
        rest.from = MAX(due->from, woken);
        due->to = MIN(due->to, rest.from);
        g_array_append_val(kept, rest);
    }
    g_autoptr(GArray) cuts = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < kept->len; i++)
        g_array_append_vals(cuts, &g_array_index(kept, Due, i), 2);
    g_array_sort(cuts, pm_compare_instants);
    for (guint c = 0; c + 1 < cuts->len; c++) {
        gint64 from = g_array_index(cuts, gint64, c), to = g_array_index(cuts, gint64, c + 1);
        guint n = 0;
        for (guint pass = 0; pass < 2; pass++)
            for (guint i = 0; i < kept->len && from < to; i++) {
                Due due = g_array_index(kept, Due, i);
                if (due.from > from || due.to < to)
                    continue;
                n += !pass;
                if (pass && n >= witness->n_kept) {
                    due.from = from;
                    due.to = to;
                    g_array_append_val(dues, due);
                }
            }
    }
}

static void dues_of(const PmWitness *witness, const char *what, gint64 begin, gint64 end,
                    gint64 woken, GArray *dues)
{
    const GArray *holds = witness->of[HELD];
    const char *lock = strchr(what, '@');
    g_array_set_size(dues, 0);
    gint64 given = add_givers(witness, what, begin, woken, dues);
    gint64 owed = add_debtors(witness, what, begin, end, dues);
    if (woken < end && witness->n_kept)
        drop_handed_over(witness, woken, dues);
    given = MAX(given, owed);
    if (lock)
        what = g_intern_string(lock + 1);
    for (guint i = 0; i < holds->len; i++) {
        const Testimony *held = &g_array_index(holds, Testimony, i);
        if (held->what != what || held->asked >= end || held->left <= begin)
            continue;
        Due perhaps = {held->asked, held->left, held->thread, TRUE};
        g_array_append_val(dues, perhaps);
        add_due_awake(dues, witness, MAX(given, held->from), MIN(end, held->to), held->thread);
    }
}

/* -- the account -- */

static PmCharge *charge_of(PmAccount *account, const char *thread)
{
    for (guint i = 0; i < account->charges->len; i++) {
        PmCharge *charge = &g_array_index(account->charges, PmCharge, i);
        if (g_strcmp0(charge->thread, thread) == 0)
            return charge;
    }
    PmCharge charge = {.thread = g_strdup(thread)};
    g_array_append_val(account->charges, charge);
    return &g_array_index(account->charges, PmCharge, account->charges->len - 1);
}

/* Of several at once each has its share of the instant. */
static void add_truth(PmAccount *account, const GArray *dues)
{
    g_autoptr(GArray) cuts = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < dues->len; i++) {
        const Due *due = &g_array_index(dues, Due, i);
        if (!due->perhaps)
            g_array_append_vals(cuts, (gint64[]){due->from, due->to}, 2);
    }
    g_array_sort(cuts, pm_compare_instants);
    for (guint c = 0; c + 1 < cuts->len; c++) {
        gint64 from = g_array_index(cuts, gint64, c), to = g_array_index(cuts, gint64, c + 1);
        gint64 n = 0;
        for (guint pass = 0; pass < 2 && to > from; pass++)
            for (guint i = 0; i < dues->len; i++) {
                const Due *due = &g_array_index(dues, Due, i);
                if (due->perhaps || due->from > from || due->to < to)
                    continue;
                if (pass)
                    charge_of(account, due->thread)->truth += (to - from) / n;
                n += !pass;
            }
    }
}

/* How long within [begin, end) somebody made it last; with `thread`, that one, perhaps. */
static gint64 anybody(const GArray *dues, const char *thread, gint64 begin, gint64 end)
{
    gint64 at = begin, time = 0;
    while (at < end) { /* holds may overlap; find the furthest that covers `at`, else the next */
        gint64 covered = at, next = end;
        for (guint i = 0; i < dues->len; i++) {
            const Due *due = &g_array_index(dues, Due, i);
            if (thread ? due->thread != thread : due->perhaps)
                continue;
            if (due->from <= at)
                covered = MAX(covered, MIN(due->to, end));
            else
                next = MIN(next, due->from);
        }
        time += covered - at;
        at = covered > at ? covered : MAX(next, at + 1);
    }
    return time;
}

static void add_part(PmAccount *account, const PmRecording *recording, const PmPart *part,
                     gint64 base, const GArray *dues)
{
    gint64 due_time = 0, length = part->end - part->begin;
    gboolean possible = FALSE;
    if (part->kind != PM_CAUSE_OWNER && part->kind != PM_CAUSE_WAKER) {
        account->pseudo[part->kind] += length;
        return;
    }
    const char *thread = g_intern_string(recording->threads[part->thread].name);
    for (guint i = 0; i < dues->len; i++) {
        const Due *due = &g_array_index(dues, Due, i);
        gint64 common = MIN(due->to, base + part->end) - MAX(due->from, base + part->begin);
        if (due->thread != thread || common <= 0)
            continue;
        possible = TRUE;
        if (!due->perhaps)
            due_time += common;
    }
    charge_of(account, thread)->charged += length;
    account->misplaced += length - due_time;
    if (part->inferred)
        account->guessed += length - due_time;
    else if (!possible)
        account->foreign += length;
    gint64 wrong = length - anybody(dues, thread, base + part->begin, base + part->end);
    if (!part->inferred && wrong > TOLERANCE_NS) {
        account->wrong += wrong;
        if (account->n_wrong++ < MAX_TOLD)
            g_test_message("wrong: %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                           ", %" G_GINT64_FORMAT " ns too long",
                           thread, base + part->begin, base + part->end, wrong);
    }
    account->exact += part->inferred ? 0 : length;
}

/* What a thread wanted at an instant; NULL = nothing that the witness knows of. */
static const char *wanted_at(const PmWitness *witness, const char *thread, gint64 at)
{
    const GArray *wanted = g_hash_table_lookup(witness->wanted, thread);
    guint position = position_after(wanted, at);
    if (position == 0 || g_array_index(wanted, Testimony, position - 1).to < at)
        return NULL;
    return g_array_index(wanted, Testimony, position - 1).what;
}

/* Is it, or what follows it, something that threads hold? */
static gboolean is_held(const PmWitness *witness, const char *what)
{
    const char *lock = strchr(what, '@');
    what = lock ? g_intern_string(lock + 1) : what;
    for (guint i = 0; i < witness->of[HELD]->len; i++)
        if (g_array_index(witness->of[HELD], Testimony, i).what == what)
            return TRUE;
    return FALSE;
}

/* The recording's begin on the clock of the program. */
static gint64 begin_of(const char *path)
{
    struct pm_source source;
    struct pm_reader *reader;
    if (pm_source_open(path, &source, NULL) != 0 || pm_reader_open(source, &reader, NULL) != 0)
        g_error("cannot read %s", path);
    gint64 begin = pm_reader_info(reader)->facts.begin_ns;
    pm_reader_free(reader);
    return begin;
}

void pm_account_init(PmAccount *account, const PmWitness *witness, const char *path,
                     const char *what)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PmRecording) recording = pm_recording_load(path, 0, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(PmContention) contention = pm_contention_new(recording, NULL);
    g_autoptr(GArray) dues = g_array_new(FALSE, FALSE, sizeof(Due));
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    const PmWaits *w = &recording->waits;
    gint64 base = begin_of(path);

    *account = (PmAccount){.charges = g_array_new(FALSE, FALSE, sizeof(PmCharge))};
    hold_from_resume_to_wake(witness, recording, base);
    for (guint32 row = 0; row < w->n; row++) {
        const char *thread = g_intern_string(recording->threads[pm_wait_thread(w, row)].name);
        gint64 begin = base + pm_wait_begin(w, row), end = base + pm_wait_end(w, row);
        const char *wanted = wanted_at(witness, thread, begin);
        if (!wanted || strncmp(wanted, what, strlen(what)) != 0 ||
            !strchr("#", wanted[strlen(what)]))
            continue;
        if (pm_wait_category(w, row) == PM_CATEGORY_LOCK && !is_held(witness, wanted))
            continue; /* a lock inside of what it wanted, that nobody told of */
        const guint8 cause = pm_wait_wake_cause(w, row);
        if (strstr(wanted, "#none@") && recording->blockers[pm_wait_blocker(w, row)].parent &&
            (cause == PM_WAKE_TIME_OUT || cause == PM_WAKE_INTERRUPT))
            wanted = "none"; /* nobody's, but the lock that it wanted afterwards is somebody's */
        dues_of(witness, wanted, begin, end,
                pm_wait_wake(w, row) ? base + pm_wait_wake(w, row) : end, dues);
        add_truth(account, dues);
        account->n_waits++;
        account->waiting += end - begin;
        account->nobody += end - begin - anybody(dues, NULL, begin, end);
        g_array_set_size(parts, 0);
        pm_contention_split_here(contention, row, G_MININT64, G_MAXINT64, parts);
        for (guint i = 0; i < parts->len; i++)
            add_part(account, recording, &g_array_index(parts, PmPart, i), base, dues);
    }
}

void pm_account_clear(PmAccount *account)
{
    for (guint i = 0; account->charges && i < account->charges->len; i++)
        g_free(g_array_index(account->charges, PmCharge, i).thread);
    g_clear_pointer(&account->charges, g_array_unref);
}

double pm_account_share(const PmAccount *account, gint64 part)
{
    return account->waiting > 0 ? (double)part / (double)account->waiting : 0;
}

double pm_account_truth(const PmAccount *account, const char *thread)
{
    for (guint i = 0; i < account->charges->len; i++) {
        const PmCharge *charge = &g_array_index(account->charges, PmCharge, i);
        if (strcmp(charge->thread, thread) == 0)
            return pm_account_share(account, charge->truth);
    }
    return 0;
}

double pm_account_charged(const PmAccount *account, const char *thread)
{
    for (guint i = 0; i < account->charges->len; i++) {
        const PmCharge *charge = &g_array_index(account->charges, PmCharge, i);
        if (strcmp(charge->thread, thread) == 0)
            return pm_account_share(account, charge->charged);
    }
    return 0;
}

char *pm_account_text(const PmAccount *account)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(
        text,
        "%u waits, %.3f s; misplaced %.4f, of that inferred %.4f; exact %.4f, of that wrong %.4f "
        "(%u parts); foreign %.4f; nobody %.4f:",
        account->n_waits, (double)account->waiting / 1e9,
        pm_account_share(account, account->misplaced), pm_account_share(account, account->guessed),
        pm_account_share(account, account->exact), pm_account_share(account, account->wrong),
        account->n_wrong, pm_account_share(account, account->foreign),
        pm_account_share(account, account->nobody));
    for (PmCauseKind kind = 0; kind < PM_N_CAUSES; kind++)
        if (account->pseudo[kind])
            g_string_append_printf(text, " %s %.4f", pm_cause_pseudo_name(kind),
                                   pm_account_share(account, account->pseudo[kind]));
    for (guint i = 0; i < account->charges->len; i++) {
        const PmCharge *charge = &g_array_index(account->charges, PmCharge, i);
        g_string_append_printf(text, "\n  %s truth %.4f, charged %.4f", charge->thread,
                               pm_account_share(account, charge->truth),
                               pm_account_share(account, charge->charged));
    }
    return g_string_free(text, FALSE);
}
