#include "viewer/analysis/code/row-lists.h"

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/workers.h"

/* Rows are dealt out to batches of lists, with what is read of them, in one pass in their order: so
 * each page of the recording is looked at once, however many lists there are. What a batch gets is
 * packed, and taken apart into its lists when its turn comes. */
gsize pm_row_lists_most_read = 192u << 20;

#define MOST_COUNTED (1u << 20) /* lists */
#define BATCHES_EACH 16         /* for each worker */
#define AT_ONCE      512        /* rows that are read, or packed, together */

/* What is packed of each row; of a batch whose waits are not read only the first two. */
enum {
    ROW,
    LIST,
    BEGIN,
    LENGTH,
    WAKE,
    THREAD,
    CHAIN,
    OWNER,
    WAKER,
    WAKER_CHAIN,
    FLAGS,
    KIND,
    WAKE_CAUSE,
    N_DEALT
};

static const enum pm_wait_column columns[N_DEALT] = {
    [BEGIN] = PM_WAIT_COLUMN_BEGIN,
    [LENGTH] = PM_WAIT_COLUMN_LENGTH,
    [WAKE] = PM_WAIT_COLUMN_WAKE,
    [THREAD] = PM_WAIT_COLUMN_THREAD,
    [CHAIN] = PM_WAIT_COLUMN_CHAIN,
    [OWNER] = PM_WAIT_COLUMN_OWNER,
    [WAKER] = PM_WAIT_COLUMN_WAKER,
    [WAKER_CHAIN] = PM_WAIT_COLUMN_WAKER_CHAIN,
    [FLAGS] = PM_WAIT_COLUMN_FLAGS,
    [KIND] = PM_WAIT_COLUMN_KIND,
    [WAKE_CAUSE] = PM_WAIT_COLUMN_WAKE_CAUSE,
};

/* Lists that follow each other; one that is too long to be read is alone. */
typedef struct {
    guint32 first, end;
    guint32 n; /* rows */
    guint n_columns;
} Batch;

/* A row with the values of its columns as they are stored. */
typedef struct {
    gint64 begin, length, wake;
    guint32 row, list;
    guint32 thread, chain, owner, waker, waker_chain;
    guint16 flags;
    guint8 kind, wake_cause;
} Dealt;

/* What a batch gets of a part of the rows. */
typedef struct {
    GArray *blocks; /* of PmPackedBlock, column by column of AT_ONCE rows each; NULL: nothing */
    gsize n;        /* rows in them */
    Dealt *last;    /* what is not packed yet */
    guint n_last;
} Hand;

typedef struct {
    const PmRecording *recording;
    const PmRowTask *task;
    guint32 n_keys;
    gpointer data;
    const gint *cancel;
    guint n_workers;
    guint n_parts;                        /* of the rows */
    gint failed;                          /* atomic; for want of memory */
    guint32 *counts[PM_MOST_ROW_WORKERS]; /* of each part by list; then, of the first, begins */
    guint32 *batch_of;                    /* by list */
    GArray *batches;                      /* of Batch */
    gint next;                            /* of them */
    Hand *hands[PM_MOST_ROW_WORKERS];     /* of each part, by batch */
    PmPackedStore stores[PM_MOST_ROW_WORKERS];
    gsize n_read;                         /* rows of the biggest batch that is read */
    PmRowWait *read[PM_MOST_ROW_WORKERS]; /* room for so many; NULL: there is none yet */
} Lists;

static gsize part_begin(const Lists *l, guint part)
{
    const gsize n = l->recording->waits.n;
    return part < l->n_parts ? n / l->n_parts * part : n;
}

/* The keys of the part's rows from `row` on. Their number; 0: there are no more, or it was
 * cancelled.
 */
static gsize read_keys(const Lists *l, guint part, gsize row, guint32 keys[AT_ONCE])
{
    const gsize n = MIN(part_begin(l, part + 1) - row, AT_ONCE);

    if (n == 0 || pm_cancelled(l->cancel))
        return 0;
    pm_region_look();
    l->task->keys_of(l->recording, row, n, keys, l->data);
    return n;
}

static void count_part(gpointer data, guint part)
{
    const Lists *l = data;
    guint32 keys[AT_ONCE];

    for (gsize n, i = part_begin(l, part); (n = read_keys(l, part, i, keys)) > 0; i += n)
        for (gsize k = 0; k < n; k++)
            if (keys[k] != G_MAXUINT32)
                l->counts[part][keys[k]]++;
}

/* ---- batches ---- */

static const Batch *nth_batch(const Lists *l, guint nth)
{
    return &g_array_index(l->batches, Batch, nth);
}

/* Makes begins in their batch out of the lists' counts. */
static void make_batches(Lists *l)
{
    guint32 *counts = l->counts[0];
    gsize n_rows = 0;
    for (guint32 key = 0; key < l->n_keys; key++) {
        for (guint part = 1; part < l->n_parts; part++)
            counts[key] += l->counts[part][key];
        n_rows += counts[key];
    }
    const gsize most_read = pm_row_lists_most_read / sizeof(PmRowWait) / l->n_workers;
    gsize most = n_rows / (BATCHES_EACH * l->n_workers);
    if (l->task->reads_waits)
        most = MIN(most, most_read);
    for (guint32 key = 0, end; key < l->n_keys; key = end) {
        Batch batch = {.first = key, .n_columns = LIST + 1};
        for (end = key; end < l->n_keys; end++) {
            const guint32 n = counts[end];
            if (end > key && (gsize)batch.n + n > most)
                break;
            counts[end] = batch.n;
            batch.n += n;
            l->batch_of[end] = l->batches->len;
        }
        batch.end = end;
        if (l->task->reads_waits && batch.n <= most_read) {
            batch.n_columns = N_DEALT;
            l->n_read = MAX(l->n_read, batch.n);
        }
        g_array_append_val(l->batches, batch);
    }
}

/* ---- dealing ---- */

#define EACH_COLUMN(X)                                                                             \
    X(BEGIN, begin)                                                                                \
    X(LENGTH, length)                                                                              \
    X(WAKE, wake)                                                                                  \
    X(THREAD, thread)                                                                              \
    X(CHAIN, chain)                                                                                \
    X(OWNER, owner)                                                                                \
    X(WAKER, waker)                                                                                \
    X(WAKER_CHAIN, waker_chain)                                                                    \
    X(FLAGS, flags)                                                                                \
    X(KIND, kind)                                                                                  \
    X(WAKE_CAUSE, wake_cause)

static void column_of(const Hand *hand, guint column, gint64 values[AT_ONCE])
{
#define CASE(COLUMN, field)                                                                        \
    case COLUMN:                                                                                   \
        for (guint i = 0; i < hand->n_last; i++)                                                   \
            values[i] = hand->last[i].field;                                                       \
        break;
    switch (column) {
        CASE(ROW, row)
        CASE(LIST, list)
        EACH_COLUMN(CASE)
    }
#undef CASE
}

static void pack_hand(Lists *l, guint part, Hand *hand, guint n_columns)
{
    gint64 values[AT_ONCE];
    PmPackedBlock block;

    if (hand->n_last == 0)
        return;
    for (guint c = 0; c < n_columns; c++) {
        column_of(hand, c, values);
        if (!pm_packed_store_add(&l->stores[part], values, hand->n_last, &block))
            g_atomic_int_set(&l->failed, TRUE);
        g_array_append_val(hand->blocks, block);
    }
    hand->n += hand->n_last;
    hand->n_last = 0;
}

static Dealt *next_of(Lists *l, guint part, guint batch)
{
    Hand *hand = &l->hands[part][batch];
    if (!hand->blocks) {
        hand->blocks = g_array_new(FALSE, FALSE, sizeof(PmPackedBlock));
        hand->last = g_new(Dealt, AT_ONCE);
    }
    if (hand->n_last == AT_ONCE)
        pack_hand(l, part, hand, nth_batch(l, batch)->n_columns);
    return &hand->last[hand->n_last++];
}

static void deal_part(gpointer data, guint part)
{
    Lists *l = data;
    const PmWaits *w = &l->recording->waits;
    const guint n_columns = l->task->reads_waits ? N_DEALT : LIST + 1;
    g_autofree gint64 *values = g_new(gint64, N_DEALT * AT_ONCE);
    guint32 keys[AT_ONCE];

    for (gsize n, i = part_begin(l, part); (n = read_keys(l, part, i, keys)) > 0; i += n) {
        if (g_atomic_int_get(&l->failed))
            return;
        for (guint c = BEGIN; c < n_columns; c++)
            pm_wait_columns(w, columns[c], i, n, values + c * AT_ONCE);
        for (gsize k = 0; k < n; k++) {
            if (keys[k] == G_MAXUINT32)
                continue;
            const guint batch = l->batch_of[keys[k]];
            Dealt *to = next_of(l, part, batch);
            to->row = (guint32)(i + k);
            to->list = keys[k] - nth_batch(l, batch)->first;
            if (nth_batch(l, batch)->n_columns < N_DEALT)
                continue;
#define TAKE(COLUMN, field) to->field = (typeof(to->field))values[COLUMN * AT_ONCE + k];
            EACH_COLUMN(TAKE)
#undef TAKE
        }
    }
    for (guint b = 0; b < l->batches->len; b++) {
        pack_hand(l, part, &l->hands[part][b], nth_batch(l, b)->n_columns);
        g_clear_pointer(&l->hands[part][b].last, g_free);
    }
    pm_packed_store_trim(&l->stores[part]);
}

/* ---- lists ---- */

/* Puts what a batch has of a part in the order of its lists. `at`: by list, where its next goes. */
static void take_hand(const Hand *hand, guint n_columns, guint32 *at, guint32 *rows,
                      PmRowWait *read)
{
    const PmPackedBlock *block =
        hand->blocks ? (const PmPackedBlock *)(const void *)hand->blocks->data : NULL;
    g_autofree gint64 *values = g_new(gint64, N_DEALT * AT_ONCE);
#define VALUE(COLUMN) values[COLUMN * AT_ONCE + i]
    for (gsize done = 0, n; done < hand->n; done += n) {
        n = MIN(hand->n - done, AT_ONCE);
        for (guint c = 0; c < n_columns; c++)
            pm_packed_block_read(block++, n, values + c * AT_ONCE);
        for (gsize i = 0; i < n; i++) {
            const guint32 to = at[VALUE(LIST)]++;
            rows[to] = (guint32)VALUE(ROW);
            if (!read)
                continue;
            const gint64 end = VALUE(BEGIN) + VALUE(LENGTH);
            read[to] = (PmRowWait){.begin = VALUE(BEGIN),
                                   .end = end,
                                   .wake = pm_wake_of(VALUE(WAKE), end),
                                   .thread = (guint32)VALUE(THREAD),
                                   .chain = (guint32)VALUE(CHAIN),
                                   .owner = (guint32)VALUE(OWNER),
                                   .waker = (guint32)VALUE(WAKER),
                                   .waker_chain = (guint32)VALUE(WAKER_CHAIN),
                                   .flags = (guint16)VALUE(FLAGS),
                                   .kind = (guint8)VALUE(KIND),
                                   .wake_cause = (guint8)VALUE(WAKE_CAUSE)};
        }
        pm_region_look();
    }
#undef VALUE
}

static void run_batch(Lists *l, guint worker, guint nth)
{
    const Batch *batch = nth_batch(l, nth);
    const guint32 n_lists = batch->end - batch->first, *begins = l->counts[0] + batch->first;
    g_autofree guint32 *at = g_memdup2(begins, n_lists * sizeof *begins);
    guint32 *rows = pm_region_malloc(batch->n * sizeof *rows);
    PmRowWait *read = NULL;

    if (batch->n_columns == N_DEALT) {
        if (!l->read[worker])
            l->read[worker] = pm_region_malloc(l->n_read * sizeof *read);
        read = l->read[worker];
    }
    for (guint part = 0; part < l->n_parts; part++)
        take_hand(&l->hands[part][nth], batch->n_columns, at, rows, read);
    for (guint32 i = 0; i < n_lists && !pm_cancelled(l->cancel); i++) /* each ends `at` */
        if (at[i] > begins[i])
            l->task->work(worker, batch->first + i, rows + begins[i], at[i] - begins[i],
                          read ? read + begins[i] : NULL, l->data);
    g_free(rows);
}

static void run_worker(gpointer data, guint worker)
{
    Lists *l = data;

    for (guint nth; !pm_cancelled(l->cancel) && !g_atomic_int_get(&l->failed) &&
                    (nth = (guint)g_atomic_int_add(&l->next, 1)) < l->batches->len;)
        if (nth_batch(l, nth)->n > 0)
            run_batch(l, worker, nth);
}

#define READ(COLUMN, type, field)                                                                  \
    pm_row_values(w, PM_WAIT_COLUMN_##COLUMN, rows, n, values);                                    \
    for (gsize i = 0; i < n; i++)                                                                  \
        to[i].field = (type)values[i];

/* At most AT_ONCE. */
static void read_wakes(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *to)
{
    gint64 values[AT_ONCE];
    READ(BEGIN, gint64, begin)
    READ(LENGTH, gint64, end)
    READ(WAKE, gint64, wake)
    READ(WAKER, guint32, waker)
    for (gsize i = 0; i < n; i++) {
        to[i].end += to[i].begin;
        to[i].wake = pm_wake_of(to[i].wake, to[i].end);
    }
}

static void read_others(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *to)
{
    gint64 values[AT_ONCE];
    READ(THREAD, guint32, thread)
    READ(CHAIN, guint32, chain)
    READ(OWNER, guint32, owner)
    READ(WAKER_CHAIN, guint32, waker_chain)
    READ(FLAGS, guint16, flags)
    READ(KIND, guint8, kind)
    READ(WAKE_CAUSE, guint8, wake_cause)
}
#undef READ

void pm_row_wakes_read(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *ret_waits)
{
    for (gsize i = 0; i < n; i += AT_ONCE)
        read_wakes(w, rows + i, MIN(n - i, AT_ONCE), ret_waits + i);
}

void pm_row_waits_read(const PmWaits *w, const guint32 *rows, gsize n, PmRowWait *to)
{
    for (gsize i = 0; i < n; i += AT_ONCE) {
        read_wakes(w, rows + i, MIN(n - i, AT_ONCE), to + i);
        read_others(w, rows + i, MIN(n - i, AT_ONCE), to + i);
    }
}

gboolean pm_row_lists_run(const PmRecording *recording, const PmRowTask *task, guint32 n_keys,
                          gpointer data, const gint *cancel)
{
    const guint n_workers = CLAMP(g_get_num_processors(), 1, PM_MOST_ROW_WORKERS);
    Lists l = {.recording = recording,
               .task = task,
               .n_keys = n_keys,
               .data = data,
               .cancel = cancel,
               .n_workers = n_workers,
               .n_parts = n_keys < MOST_COUNTED ? n_workers : 1,
               .batch_of = g_new(guint32, MAX(n_keys, 1)),
               .batches = g_array_new(FALSE, FALSE, sizeof(Batch))};

    for (guint part = 0; part < l.n_parts; part++)
        l.counts[part] = g_new0(guint32, MAX(n_keys, 1));
    pm_workers_run(l.n_parts, l.n_parts, count_part, &l);
    if (!pm_cancelled(cancel)) {
        make_batches(&l);
        for (guint part = 0; part < l.n_parts; part++)
            l.hands[part] = g_new0(Hand, MAX(l.batches->len, 1));
        pm_workers_run(l.n_parts, l.n_parts, deal_part, &l);
        pm_workers_run(n_workers, n_workers, run_worker, &l);
    }
    for (guint worker = 0; worker < n_workers; worker++)
        g_free(l.read[worker]);
    for (guint part = 0; part < l.n_parts; part++) {
        for (guint b = 0; l.hands[part] && b < l.batches->len; b++) {
            g_clear_pointer(&l.hands[part][b].blocks, g_array_unref);
            g_free(l.hands[part][b].last);
        }
        g_free(l.hands[part]);
        pm_packed_store_clear(&l.stores[part]);
        g_free(l.counts[part]);
    }
    g_free(l.batch_of);
    g_array_unref(l.batches);
    return !pm_cancelled(cancel) && !l.failed;
}
