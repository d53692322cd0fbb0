#include "viewer/analysis/aggregation/filter.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* ---- the filter, a plain value ---- */

static void chip_clear(gpointer data)
{
    g_free(((PmChip *)data)->key);
}

PmFilter *pm_filter_new(void)
{
    PmFilter *filter = g_new0(PmFilter, 1);
    filter->chips = g_array_new(FALSE, TRUE, sizeof(PmChip));
    g_array_set_clear_func(filter->chips, chip_clear);
    return filter;
}

PmFilter *pm_filter_copy(const PmFilter *filter)
{
    g_return_val_if_fail(filter != NULL, NULL);
    PmFilter *copy = pm_filter_new();
    copy->from = filter->from;
    copy->to = filter->to;
    copy->idle = filter->idle;
    for (guint i = 0; filter->chips != NULL && i < filter->chips->len; i++) {
        const PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        pm_filter_add_chip(copy, chip->aspect, chip->key, chip->exclude);
    }
    return copy;
}

void pm_filter_free(PmFilter *filter)
{
    if (!filter)
        return;
    if (filter->chips)
        g_array_unref(filter->chips);
    g_free(filter);
}

static guint n_chips(const PmFilter *filter)
{
    return filter->chips != NULL ? filter->chips->len : 0;
}

gboolean pm_filter_equal(const PmFilter *a, const PmFilter *b)
{
    if (a->from != b->from || a->to != b->to || !a->idle != !b->idle || n_chips(a) != n_chips(b))
        return FALSE;
    for (guint i = 0; i < n_chips(a); i++) {
        const PmChip *x = &g_array_index(a->chips, PmChip, i);
        const PmChip *y = &g_array_index(b->chips, PmChip, i);
        if (x->aspect != y->aspect || !x->exclude != !y->exclude || strcmp(x->key, y->key) != 0)
            return FALSE;
    }
    return TRUE;
}

void pm_filter_add_chip(PmFilter *filter, PmAspect aspect, const char *key, gboolean exclude)
{
    g_return_if_fail(filter != NULL && (guint)aspect < PM_N_ASPECTS && key != NULL);
    if (!filter->chips) {
        filter->chips = g_array_new(FALSE, TRUE, sizeof(PmChip));
        g_array_set_clear_func(filter->chips, chip_clear);
    }
    PmChip chip = {aspect, g_strdup(key), exclude};
    g_array_append_val(filter->chips, chip);
}

void pm_filter_remove_chip(PmFilter *filter, guint index)
{
    if (index < n_chips(filter))
        g_array_remove_index(filter->chips, index);
}

/* ---- what a chip means for each key it could meet ---- */

/* One aspect's chips, answered per value of the column: keep or drop. */
typedef struct {
    PmAspect aspect;
    const PmAspectRow *row;
    guint8 *keep;      /* by value of the column; NULL: the keys are those of a wait's parts */
    GHashTable *known; /* of parts: key → enum named */
    GPtrArray *chips;
} Test;

/* How waits are split, where a chip asks for a cause or an owner. */
typedef struct {
    const PmContention *contention;
    GArray *parts;
    gint64 from, to;
} Split;

static void test_clear(gpointer data)
{
    Test *test = data;
    g_free(test->keep);
    g_clear_pointer(&test->known, g_hash_table_unref);
    g_ptr_array_unref(test->chips);
    g_free(test);
}

static gboolean chips_keep(const PmRecording *r, const Test *test, guint64 key)
{
    gboolean any_include = FALSE, included = FALSE;
    for (guint i = 0; i < test->chips->len; i++) {
        const PmChip *chip = g_ptr_array_index(test->chips, i);
        gboolean matches = pm_aspect_key_matches(r, test->aspect, key, chip->key);
        if (chip->exclude && matches)
            return FALSE;
        if (!chip->exclude) {
            any_include = TRUE;
            included = included || matches;
        }
    }
    return !any_include || included;
}

static GPtrArray *tests_new(const PmRecording *r, const PmFilter *filter)
{
    GPtrArray *tests = g_ptr_array_new_with_free_func(test_clear);
    Test *by_aspect[PM_N_ASPECTS] = {NULL};

    for (guint i = 0; i < n_chips(filter); i++) {
        PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        if ((guint)chip->aspect >= PM_N_ASPECTS)
            continue;
        Test *test = by_aspect[chip->aspect];
        if (!test) {
            test = by_aspect[chip->aspect] = g_new0(Test, 1);
            test->aspect = chip->aspect;
            test->row = &pm_aspects[chip->aspect];
            if (test->row->split != PM_SPLIT_NONE)
                test->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
            test->chips = g_ptr_array_new();
            g_ptr_array_add(tests, test);
        }
        g_ptr_array_add(test->chips, chip);
    }
    for (guint i = 0; i < tests->len; i++) {
        Test *test = g_ptr_array_index(tests, i);
        if (test->known)
            continue;
        guint32 n = pm_aspect_column_size(r, test->row->column);
        test->keep = g_new0(guint8, n + 1);
        /* Keys repeat over neighbouring values (class of a blocker): ask once. */
        guint64 last_key = 0;
        gboolean last = FALSE, have_last = FALSE;
        for (guint32 v = 0; v < n; v++) {
            guint64 key = test->row->key(r, v);
            if (!have_last || key != last_key) {
                last = chips_keep(r, test, key);
                last_key = key;
                have_last = TRUE;
            }
            test->keep[v] = (guint8)last;
        }
    }
    return tests;
}

enum named { NAMED_BY_NONE = 1, NAMED_BY_INCLUDE = 2, NAMED_BY_EXCLUDE = 3 };

static int part_named(const PmRecording *r, const Test *test, guint64 key)
{
    gpointer known = g_hash_table_lookup(test->known, &key);
    if (!known) {
        int named = NAMED_BY_NONE;
        for (guint i = 0; i < test->chips->len && named != NAMED_BY_EXCLUDE; i++) {
            const PmChip *chip = g_ptr_array_index(test->chips, i);
            if (pm_aspect_key_matches(r, test->aspect, key, chip->key))
                named = chip->exclude ? NAMED_BY_EXCLUDE : NAMED_BY_INCLUDE;
        }
        known = GINT_TO_POINTER(named);
        g_hash_table_insert(test->known, g_memdup2(&key, sizeof key), known);
    }
    return GPOINTER_TO_INT(known);
}

/* A wait stays when one of its parts within the range is named, and none is excluded by name. */
static gboolean parts_match(const PmRecording *r, const Test *test, const Split *split, guint32 row)
{
    gboolean any_include = FALSE, included = FALSE;
    for (guint i = 0; i < test->chips->len; i++)
        any_include = any_include || !((const PmChip *)g_ptr_array_index(test->chips, i))->exclude;
    g_array_set_size(split->parts, 0);
    pm_contention_split(split->contention, row, split->from, split->to, split->parts);
    for (guint i = 0; i < split->parts->len; i++) {
        const PmPart *part = &g_array_index(split->parts, PmPart, i);
        int named = part_named(r, test, pm_part_key(r, test->aspect, part));
        if (named == NAMED_BY_EXCLUDE)
            return FALSE;
        included = included || named == NAMED_BY_INCLUDE;
    }
    return !any_include || included;
}

static gboolean row_matches(const PmRecording *r, const GPtrArray *tests, const Split *split,
                            guint32 row)
{
    for (guint i = 0; i < tests->len; i++) {
        const Test *test = g_ptr_array_index(tests, i);
        if (test->known) {
            if (!parts_match(r, test, split, row))
                return FALSE;
            continue;
        }
        guint32 value = (guint32)pm_wait_column(&r->waits, test->row->column, row);
        if (value == 0 && test->row->missing_key) {
            if (!chips_keep(r, test, test->row->missing_key(&r->waits, row)))
                return FALSE;
        } else if (!test->keep[value]) {
            return FALSE;
        }
    }
    return TRUE;
}

/* ---- what is kept ---- */

gpointer pm_kept(PmKept *kept, gpointer (*make)(gpointer data), gpointer data, GDestroyNotify free,
                 const gint *cancel)
{
    g_mutex_lock(&kept->lock);
    if (!kept->is_known) {
        kept->value = make(data);
        kept->free = free;
        kept->is_known = kept->value || !pm_cancelled(cancel);
    }
    g_mutex_unlock(&kept->lock);
    return kept->value;
}

static void kept_clear(PmKept *kept)
{
    if (kept->value)
        kept->free(kept->value);
    g_mutex_clear(&kept->lock);
}

/* ---- the view ---- */

/* A chip that asks for an idle category by name brings it in. */
static gboolean asks_for_idle(const PmFilter *filter)
{
    for (guint i = 0; i < n_chips(filter); i++) {
        const PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        if (chip->aspect == PM_ASPECT_CATEGORY && !chip->exclude &&
            (strcmp(chip->key, pm_category_name(PM_CATEGORY_POOL_IDLE)) == 0 ||
             strcmp(chip->key, pm_category_name(PM_CATEGORY_TIMER)) == 0))
            return TRUE;
    }
    return FALSE;
}

static gint64 stopped_within(const PmRecording *r, gint64 from, gint64 to)
{
    gint64 sum = 0;
    for (guint32 i = 0; i < r->n_stopped; i++) {
        gint64 begin = MAX(r->stopped[i].begin, from), end = MIN(r->stopped[i].end, to);
        if (begin < end)
            pm_sum_add(&sum, end - begin);
    }
    return sum;
}

gint64 pm_view_clip(const PmView *view, guint32 row)
{
    const PmWaits *w = &view->recording->waits;
    gint64 begin = MAX(pm_wait_begin(w, row), view->from), end = MIN(pm_wait_end(w, row), view->to);
    return MAX(end - begin, 0);
}

void pm_view_rows(const PmView *view, gsize at, gsize most, PmViewRows *rows)
{
    gint64 skipped[PM_VIEW_ROWS];

    rows->first = pm_view_row(view, at);
    rows->n = MIN(most, PM_VIEW_ROWS);
    while (pm_view_row(view, at + rows->n - 1) - rows->first >= PM_VIEW_SPAN)
        rows->n = (rows->n + 1) / 2;
    pm_packed_read(&view->skipped, at, rows->n, skipped);
    for (gsize k = 0; k < rows->n; k++)
        rows->offsets[k] = (guint16)(at + k + (gsize)skipped[k] - rows->first);
    rows->span = rows->offsets[rows->n - 1] + 1u;
}

/* Which rows are in a view, a part of them at a time. */
gsize pm_view_part_rows = 1u << 14;
#define GROUP_PARTS 64 /* parts of a group, of which it is known who waited */
#define FEWEST      4  /* groups that are worth it */
#define KEPT_OF     16 /* and takes at most a byte of so many rows */

typedef struct {
    gsize n, idle_waits;
    gint64 thread_time, idle_time;
    gint64 unknown; /* of thread_time, while waits are missing */
} ChosenPart;

/* What is kept of how a view of everything was chosen, so that in a range of it only the rows at
 * both ends are looked at, and those around waits that last beyond it. */
struct PmViewParts {
    gsize rows; /* of a part */
    ChosenPart *parts;
    guint n_groups;
    guint8 *waited; /* of each group, by thread */
};

typedef struct {
    const PmRecording *recording;
    const GPtrArray *tests;
    Split split;
    gint64 from, to;
    const PmIntervals *unknown; /* NULL: all of the range is known */
    gboolean idle;
    gsize n_before; /* rows that begin before its end */
    const gint *cancel;
    guint8 *waited;    /* of each group, by thread, atomic; 1: idle, 2: not */
    guint n_groups;    /* 1: one for all parts */
    guint64 *chosen;   /* a bit for each row */
    ChosenPart *parts; /* by part */
    gsize part_rows;
    const PmViewParts *kept;      /* of the whole; NULL: all rows are looked at */
    guint first_inner, inner_end; /* groups of which all rows begin in the range */
} Choosing;

static inline void mark_waited(guint8 *all, guint32 thread, guint8 bit)
{
    guint8 *waited = &all[thread];
    if ((__atomic_load_n(waited, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(waited, bit, __ATOMIC_RELAXED);
}

/* So many rows are read at a time. */
#define ROWS_AT_ONCE 512

static void choose_rows(const Choosing *c, ChosenPart *part, guint8 *waited, gsize first, gsize n)
{
    const PmWaits *w = &c->recording->waits;
    gint64 begins[ROWS_AT_ONCE], lengths[ROWS_AT_ONCE], threads[ROWS_AT_ONCE];
    gint64 categories[ROWS_AT_ONCE];

    pm_wait_columns(w, PM_WAIT_COLUMN_BEGIN, first, n, begins);
    pm_wait_columns(w, PM_WAIT_COLUMN_LENGTH, first, n, lengths);
    pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, first, n, threads);
    pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, first, n, categories);
    for (gsize k = 0; k < n; k++) {
        const gsize i = first + k;
        const gint64 begin = begins[k], end = begin + lengths[k];
        if (end <= c->from && begin < c->from && (pm_wait_flags(w, i) & PM_WAIT_IN_PROGRESS) == 0)
            continue;
        if (c->tests->len > 0 && !row_matches(c->recording, c->tests, &c->split, (guint32)i))
            continue;
        const gint64 first_ns = MAX(begin, c->from), end_ns = MIN(end, c->to);
        const gint64 time = MAX(end_ns - first_ns, 0);
        if (!c->idle && pm_category_is_idle((PmCategory)categories[k])) {
            part->idle_waits++;
            pm_sum_add(&part->idle_time, time);
            mark_waited(waited, (guint32)threads[k], 1);
            continue;
        }
        mark_waited(waited, (guint32)threads[k], 2);
        pm_sum_add(&part->thread_time, time);
        if (c->unknown)
            pm_sum_add(&part->unknown, pm_intervals_within(c->unknown, first_ns, end_ns));
        c->chosen[i / 64] |= G_GUINT64_CONSTANT(1) << i % 64;
        part->n++;
    }
}

/* Is it as it was in the whole: all of its waits lie in the range? */
static gboolean is_inner_part(const Choosing *c, guint index)
{
    const PmRecordingPrivate *p = pm_recording_private(c->recording);
    const guint group = index / GROUP_PARTS;
    const gsize first = index * c->part_rows;

    if (group < c->first_inner || group >= c->inner_end)
        return FALSE;
    const gsize end = pm_recording_block(c->recording, first + c->part_rows - 1);
    for (gsize block = pm_recording_block(c->recording, first); block <= end; block++)
        if (p->block_end[block] > c->to)
            return FALSE;
    return TRUE;
}

static void choose_part(gpointer data, guint index)
{
    const Choosing *c = data;
    const PmRecordingPrivate *p = pm_recording_private(c->recording);
    const gsize behind = MIN(((gsize)index + 1) * c->part_rows, c->n_before);
    const gsize group = c->n_groups > 1 ? index / GROUP_PARTS : 0;
    guint8 *waited = c->waited + group * c->recording->n_threads;

    if (is_inner_part(c, index)) {
        c->parts[index] = c->kept->parts[index];
        return;
    }
    for (gsize i = index * c->part_rows; i < behind;) {
        const gsize block = pm_recording_block(c->recording, i);
        const gsize end = MIN(pm_recording_block_end(c->recording, block), behind);
        if (pm_cancelled(c->cancel))
            return;
        if (p->block_end[block] < c->from)
            i = end;
        for (; i < end; i = MIN(i + ROWS_AT_ONCE, end))
            choose_rows(c, &c->parts[index], waited, i, MIN(end - i, ROWS_AT_ONCE));
    }
}

/* Rows that are chosen one after the other: how many from `i` on, or, with `chosen` FALSE, that are
 * not; before `limit`. */
static gsize run_from(const Choosing *c, gsize i, gsize limit, gboolean chosen)
{
    const gsize begin = i;
    const guint64 flip = chosen ? G_MAXUINT64 : 0;
    while (i < limit) {
        const guint64 others = (c->chosen[i / 64] ^ flip) >> i % 64;
        if (others != 0)
            return MIN(i + (gsize)__builtin_ctzll(others), limit) - begin;
        i += 64 - i % 64;
    }
    return limit - begin;
}

/* Those before `limit`. FALSE: no memory. */
static gboolean pack_chosen(const Choosing *c, gsize limit, PmPackedWriter *writer, gsize *ret_n)
{
    gsize n = 0;
    for (gsize i = 0; i < limit;) {
        i += run_from(c, i, limit, FALSE);
        const gsize run = run_from(c, i, limit, TRUE);
        pm_packed_put_same(writer, (gint64)(i - n), run);
        i += run;
        n += run;
    }
    *ret_n = n;
    return !writer->failed;
}

static gsize chosen_before(const Choosing *c, gsize limit)
{
    gsize n = 0;
    for (gsize i = 0; i < limit; i += 64) {
        const guint64 mask =
            limit - i < 64 ? (G_GUINT64_CONSTANT(1) << (limit - i)) - 1 : G_MAXUINT64;
        n += (gsize)__builtin_popcountll(c->chosen[i / 64] & mask);
    }
    return n;
}

/* Of the view's rows those before `limit`. */
static gsize positions_before(const PmView *view, gsize limit)
{
    gsize low = 0, high = view->n;
    PM_LOWER_BOUND(low, high, middle, pm_view_row(view, middle) < limit)
    return low;
}

/* As pack_chosen, but the rows that begin in the range are as in the whole, whose blocks are used:
 * only the first one, which what comes before shifts, is made anew. FALSE: no memory. */
static gboolean pack_range(const Choosing *c, const PmView *whole, PmPacked *skipped)
{
    const gsize first_row = pm_waits_before(&c->recording->waits, c->from);
    const gsize at = positions_before(whole, first_row), end = positions_before(whole, c->n_before);
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
    gsize n = 0;

    writer->list = skipped;
    const gsize pad = (at - chosen_before(c, first_row)) % PM_PACKED_BLOCK;
    pm_packed_put_same(writer, 0, pad);
    if (!pack_chosen(c, first_row, writer, &n))
        return FALSE;
    const gint64 more = (gint64)(at - n);
    gsize next = at;
    for (; next < end && next % PM_PACKED_BLOCK != 0; next++)
        pm_packed_put(writer, pm_packed_get(&whole->skipped, next) + more);
    if (next < end) /* only whole blocks precede */
        pm_packed_append_blocks(skipped, &whole->skipped, next / PM_PACKED_BLOCK,
                                (end - next + PM_PACKED_BLOCK - 1) / PM_PACKED_BLOCK, more);
    const gboolean done = pm_packed_end(writer);
    skipped->pad = pad;
    skipped->n = n + (end - at);
    return done;
}

static void parts_free(PmViewParts *parts)
{
    if (!parts)
        return;
    g_free(parts->parts);
    g_free(parts->waited);
    g_free(parts);
}

/* Who waited in the groups of the whole that the range covers. */
static void take_waited(const Choosing *c)
{
    const guint32 n = c->recording->n_threads;
    for (guint g = c->first_inner; g < c->inner_end; g++)
        for (guint32 t = 0; t < n; t++)
            c->waited[t] |= c->kept->waited[(gsize)g * n + t];
}

/* `unknown`: of the view's thread-time, while waits are missing. */
static gint64 known_of(const Choosing *c, const PmView *view, gint64 unknown)
{
    const gint64 not_known = c->unknown ? pm_intervals_within(c->unknown, c->from, c->to) : 0;
    const gint64 rest = c->to - c->from - not_known;
    const double other = (double)view->thread_time - (double)unknown;

    if (unknown == 0)
        return rest;
    return other > 0
               ? MIN(rest + (gint64)((double)rest * ((double)unknown / other)), view->recorded)
               : view->recorded;
}

static void count(const Choosing *c, guint n_parts, PmView *view)
{
    const guint32 n = c->recording->n_threads;
    gint64 unknown = 0;

    for (guint i = 0; i < n_parts; i++) {
        view->n += c->parts[i].n;
        view->idle_waits += c->parts[i].idle_waits;
        pm_sum_add(&view->thread_time, c->parts[i].thread_time);
        pm_sum_add(&view->idle_time, c->parts[i].idle_time);
        pm_sum_add(&unknown, c->parts[i].unknown);
    }
    view->known = known_of(c, view, unknown);
    for (guint32 t = 0; t < n; t++) {
        guint8 waited = 0;
        for (guint g = 0; g < c->n_groups; g++)
            waited |= c->waited[(gsize)g * n + t];
        view->idle_threads += waited == 1;
    }
}

/* The groups whose rows all begin in the range. */
static void choose_inner(Choosing *c, const PmView *whole)
{
    const gsize rows = whole->parts->rows * GROUP_PARTS;
    const gsize before = pm_waits_before(&c->recording->waits, c->from);

    c->kept = whole->parts;
    c->part_rows = whole->parts->rows;
    c->first_inner = (guint)((before + rows - 1) / rows);
    c->inner_end = MAX((guint)(c->n_before / rows), c->first_inner);
}

/* The view of what is chosen, of a range of `whole` if that is not NULL; NULL: cancelled, or no
 * memory. */
static PmView *choose(Choosing *c, const PmFilter *filter, PmRecording *r, PmView *whole)
{
    PmPacked skipped = {0};
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
    gsize n;

    c->part_rows = pm_view_part_rows;
    c->n_groups = 1;
    if (whole)
        choose_inner(c, whole);
    const guint n_parts = (guint)((c->n_before + c->part_rows - 1) / c->part_rows);
    const guint n_groups = n_parts / GROUP_PARTS + 1;
    const gboolean keeps = filter->from >= filter->to && !c->split.contention &&
                           n_groups >= FEWEST &&
                           (gsize)n_groups * r->n_threads <= r->waits.n / KEPT_OF;
    if (keeps)
        c->n_groups = n_groups;
    c->waited = g_new0(guint8, (gsize)c->n_groups * r->n_threads + 1);
    g_autofree guint64 *chosen = c->chosen = g_new0(guint64, c->n_before / 64 + 1);
    c->parts = g_new0(ChosenPart, n_parts + 1);
    PmViewParts *parts = g_new(PmViewParts, 1);
    *parts = (PmViewParts){c->part_rows, c->parts, c->n_groups, c->waited};

    /* Parts of waits are looked up in tables of one thread. */
    pm_workers_run(c->split.contention ? 1 : 0, n_parts, choose_part, c);
    writer->list = &skipped;
    if (pm_cancelled(c->cancel) ||
        !(whole ? pack_range(c, whole, &skipped)
                : pack_chosen(c, c->n_before, writer, &n) && pm_packed_end(writer))) {
        pm_packed_clear(&skipped);
        parts_free(parts);
        return NULL;
    }
    PmView *view = g_new0(PmView, 1);
    view->ref_count = 1;
    view->recording = pm_recording_ref(r);
    view->filter = pm_filter_copy(filter);
    view->whole = whole ? pm_view_ref(whole) : NULL;
    view->from = c->from;
    view->to = c->to;
    view->recorded = MAX(c->to - c->from - stopped_within(r, c->from, c->to), 0);
    view->skipped = skipped;
    if (c->kept)
        take_waited(c);
    count(c, n_parts, view);
    if (keeps)
        view->parts = parts;
    else
        parts_free(parts);
    return view;
}

/* `whole`: NULL, or the view of the same filter without its range. */
static PmView *view_new(PmRecording *r, const PmFilter *filter, PmView *whole, const gint *cancel)
{
    gint64 from = r->window_begin, to = r->duration;
    if (filter->from < filter->to) {
        from = CLAMP(filter->from, r->window_begin, r->duration);
        to = CLAMP(filter->to, from, r->duration);
    }
    g_autoptr(GPtrArray) tests = tests_new(r, filter);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    g_autoptr(PmIntervals) unknown = pm_intervals_new_unknown(r);
    Choosing c = {.recording = r,
                  .tests = tests,
                  .split = {.parts = parts, .from = from, .to = to},
                  .from = from,
                  .to = to,
                  .unknown = pm_intervals_within(unknown, from, to) > 0 ? unknown : NULL,
                  .idle = filter->idle || asks_for_idle(filter),
                  .cancel = cancel};
    /* [from, to), but the recording's last instant belongs to it. */
    c.n_before = pm_waits_before(&r->waits, to >= r->duration ? G_MAXINT64 : to);
    for (guint i = 0; i < tests->len; i++) {
        if (!((const Test *)g_ptr_array_index(tests, i))->known)
            continue;
        c.split.contention = pm_recording_contention(r, cancel);
        if (!c.split.contention)
            return NULL;
    }
    return choose(&c, filter, r, whole && whole->parts ? whole : NULL);
}

PmView *pm_view_new(PmRecording *r, const PmFilter *filter, const gint *cancel)
{
    g_return_val_if_fail(r != NULL && filter != NULL, NULL);
    return view_new(r, filter, NULL, cancel);
}

/* Whether a wait passes may depend on the range: on which of its causes lie in it. */
static gboolean has_split(const PmFilter *filter)
{
    for (guint i = 0; i < n_chips(filter); i++)
        if (pm_aspect_is_split(g_array_index(filter->chips, PmChip, i).aspect))
            return TRUE;
    return FALSE;
}

PmView *pm_view_new_range(PmView *whole, gint64 from, gint64 to, const gint *cancel)
{
    g_return_val_if_fail(whole != NULL && whole->filter->from >= whole->filter->to, NULL);
    g_autoptr(PmFilter) filter = pm_filter_copy(whole->filter);
    const gboolean is_part = from < to && !has_split(filter);
    filter->from = from;
    filter->to = to;
    PmView *view = view_new(whole->recording, filter, is_part ? whole : NULL, cancel);
    if (view && is_part && !view->whole)
        view->whole = pm_view_ref(whole);
    return view;
}

PmView *pm_view_since_start(PmRecording *r)
{
    g_return_val_if_fail(r != NULL, NULL);
    PmView *view = g_new0(PmView, 1);
    view->ref_count = 1;
    view->recording = pm_recording_ref(r);
    view->filter = pm_filter_new();
    view->to = r->duration;
    view->recorded = view->known = MAX(r->duration - stopped_within(r, 0, r->duration), 0);
    return view;
}

PmView *pm_view_ref(PmView *view)
{
    g_return_val_if_fail(view != NULL, NULL);
    g_atomic_int_inc(&view->ref_count);
    return view;
}

void pm_view_unref(PmView *view)
{
    if (!view || !g_atomic_int_dec_and_test(&view->ref_count))
        return;
    parts_free(view->parts);
    kept_clear(&view->costs);
    kept_clear(&view->for_causes);
    kept_clear(&view->for_hangs);
    kept_clear(&view->sums);
    kept_clear(&view->trees);
    kept_clear(&view->slices);
    pm_view_unref(view->whole);
    pm_recording_unref(view->recording);
    pm_filter_free(view->filter);
    pm_packed_clear(&view->skipped);
    g_free(view);
}
