#include "viewer/analysis/recording-private.h"

#include <string.h>
#include <sys/mman.h>

#include "viewer/analysis/glob.h"
#include "viewer/analysis/label.h"

G_DEFINE_QUARK(pm - recording - error - quark, pm_recording_error)

/* ---- segments ---- */

PmSegment *pm_segment_new(void)
{
    void *memory = mmap(NULL, sizeof(PmSegment), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void pm_segment_free(PmSegment *segment)
{
    if (segment != NULL)
        munmap(segment, sizeof *segment);
}

static void segment_clear(gpointer segment)
{
    pm_segment_free(segment);
}

static GPrivate of_thread = G_PRIVATE_INIT(segment_clear);

PmSegment *pm_segment_of_thread(void)
{
    PmSegment *segment = g_private_get(&of_thread);

    if (segment == NULL) {
        segment = pm_segment_new();
        g_private_set(&of_thread, segment);
    }
    return segment;
}

void pm_segment_forget(void)
{
    g_private_replace(&of_thread, NULL);
}

/* The plain columns, as they lie in a segment. */
static const struct {
    gsize offset, size;
    gboolean is_signed;
} columns[PM_N_WAIT_COLUMNS] = {
#define COLUMN(column, name, is_signed)                                                            \
    [PM_WAIT_COLUMN_##                                                                             \
        column] = {G_STRUCT_OFFSET(PmSegment, name), sizeof(((PmSegment *)0)->name[0]), is_signed}
    COLUMN(BEGIN, begin, TRUE),
    COLUMN(LENGTH, end, TRUE),
    COLUMN(WAKE, wake, TRUE),
    COLUMN(THREAD, thread, FALSE),
    COLUMN(BLOCKER, blocker, FALSE),
    COLUMN(CHAIN, chain, FALSE),
    COLUMN(OWNER, owner, FALSE),
    COLUMN(WAKER, waker, FALSE),
    COLUMN(WAKER_CHAIN, waker_chain, FALSE),
    COLUMN(AQS_STATE, aqs_state, TRUE),
    COLUMN(FLAGS, flags, FALSE),
    COLUMN(KIND, kind, FALSE),
    COLUMN(WAKE_CAUSE, wake_cause, FALSE),
    COLUMN(CATEGORY, category, FALSE),
#undef COLUMN
};

/* `n` values of a segment's column, from row `first`, as they are packed. */
static void take_values(const PmSegment *s, guint column, guint32 first, guint32 n, gint64 *values)
{
    const void *at = (const guint8 *)s + columns[column].offset + first * columns[column].size;

    if (column == PM_WAIT_COLUMN_LENGTH) {
        for (guint32 i = 0; i < n; i++)
            values[i] = s->end[first + i] - s->begin[first + i];
    } else if (column == PM_WAIT_COLUMN_WAKE) {
        for (guint32 i = 0; i < n; i++) {
            const gint64 wake = s->wake[first + i];
            values[i] = wake == 0 ? 0 : 1 + 2 * (s->end[first + i] - wake);
        }
    } else if (columns[column].size == 8) {
        memcpy(values, at, n * sizeof *values);
    } else if (columns[column].size == 4 && columns[column].is_signed) {
        for (guint32 i = 0; i < n; i++)
            values[i] = ((const gint32 *)at)[i];
    } else if (columns[column].size == 4) {
        for (guint32 i = 0; i < n; i++)
            values[i] = ((const guint32 *)at)[i];
    } else if (columns[column].size == 2) {
        for (guint32 i = 0; i < n; i++)
            values[i] = ((const guint16 *)at)[i];
    } else {
        for (guint32 i = 0; i < n; i++)
            values[i] = ((const guint8 *)at)[i];
    }
}

static gboolean pack_rows(const PmSegment *s, PmWaits *waits)
{
    gint64 values[PM_PACKED_BLOCK];

    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        if (!pm_packed_reserve(&waits->columns[c], s->n))
            return FALSE;
        for (guint32 first = 0; first < s->n; first += PM_PACKED_BLOCK) {
            const guint32 n = MIN(s->n - first, PM_PACKED_BLOCK);
            take_values(s, c, first, n, values);
            if (!pm_packed_append(&waits->columns[c], values, n))
                return FALSE;
        }
        pm_packed_trim(&waits->columns[c]);
    }
    waits->n = s->n;
    return TRUE;
}

static void unpack_rows(const PmWaits *waits, PmSegment *s)
{
    s->n = (guint32)waits->n;
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        const PmPacked *from = &waits->columns[c];
        void *to = (guint8 *)s + columns[c].offset;
        if (c == PM_WAIT_COLUMN_LENGTH || c == PM_WAIT_COLUMN_WAKE) {
            continue;
        } else if (columns[c].size == 8) {
            for (guint32 i = 0; i < s->n; i++)
                ((gint64 *)to)[i] = pm_packed_get(from, i);
        } else if (columns[c].size == 4) {
            for (guint32 i = 0; i < s->n; i++)
                ((guint32 *)to)[i] = (guint32)pm_packed_get(from, i);
        } else if (columns[c].size == 2) {
            for (guint32 i = 0; i < s->n; i++)
                ((guint16 *)to)[i] = (guint16)pm_packed_get(from, i);
        } else {
            for (guint32 i = 0; i < s->n; i++)
                ((guint8 *)to)[i] = (guint8)pm_packed_get(from, i);
        }
    }
    for (guint32 i = 0; i < s->n; i++)
        s->end[i] = s->begin[i] + pm_wait_length(waits, i);
    for (guint32 i = 0; i < s->n; i++)
        s->wake[i] = pm_wait_wake(waits, i);
}

static void waits_clear(PmWaits *waits)
{
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        pm_packed_clear(&waits->columns[c]);
}

void pm_waits_free(gpointer waits)
{
    if (waits != NULL)
        waits_clear(waits);
    g_free(waits);
}

gboolean pm_segment_pack(PmSegment *segment, GPtrArray *segments)
{
    if (segment->n == 0)
        return TRUE;
    PmWaits *waits = g_new0(PmWaits, 1);
    const gboolean packed = pack_rows(segment, waits);
    segment->n = 0;
    g_ptr_array_add(segments, waits);
    return packed;
}

/* Order of rows: by begin; of equal begins those of no length last (a sweep takes them alone), then
 * by thread and end, so that the order does not depend on which worker read what. */
static int compare_plain(const PmSegment *a, guint32 i, guint32 j)
{
    const PmSegment *b = a;
    if (a->begin[i] != b->begin[j])
        return a->begin[i] < b->begin[j] ? -1 : 1;
    gboolean a_empty = a->end[i] == a->begin[i], b_empty = b->end[j] == b->begin[j];
    if (a_empty != b_empty)
        return a_empty ? 1 : -1;
    if (a->thread[i] != b->thread[j])
        return a->thread[i] < b->thread[j] ? -1 : 1;
    if (a->end[i] != b->end[j])
        return a->end[i] < b->end[j] ? -1 : 1;
    if (a->blocker[i] != b->blocker[j])
        return a->blocker[i] < b->blocker[j] ? -1 : 1;
    return 0;
}

typedef struct {
    guint64 key;
    guint32 row;
} SortItem;

static void sort_segment(PmSegment *s)
{
    guint32 n = s->n;
    gboolean sorted = TRUE;
    for (guint32 i = 1; i < n && sorted; i++)
        sorted = compare_plain(s, i - 1, i) <= 0;
    if (sorted)
        return;

    gint64 min = s->begin[0], max = s->begin[0];
    for (guint32 i = 1; i < n; i++) {
        min = MIN(min, s->begin[i]);
        max = MAX(max, s->begin[i]);
    }
    g_autofree SortItem *items = g_new(SortItem, n), *other = g_new(SortItem, n);
    for (guint32 i = 0; i < n; i++)
        items[i] = (SortItem){(guint64)s->begin[i] - (guint64)min, i};
    guint64 span = (guint64)max - (guint64)min;
    for (guint shift = 0; shift < 64 && span >> shift != 0; shift += 8) {
        guint32 at[256] = {0}, sum = 0;
        for (guint32 i = 0; i < n; i++)
            at[items[i].key >> shift & 255]++;
        for (guint d = 0; d < 256; d++) {
            guint32 count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (guint32 i = 0; i < n; i++)
            other[at[items[i].key >> shift & 255]++] = items[i];
        SortItem *swap = items;
        items = other;
        other = swap;
    }
    for (guint32 i = 1; i < n; i++) {
        SortItem item = items[i];
        guint32 j = i;
        while (j > 0 && items[j - 1].key == item.key &&
               compare_plain(s, items[j - 1].row, item.row) > 0) {
            items[j] = items[j - 1];
            j--;
        }
        items[j] = item;
    }

    guint8 *scratch = (guint8 *)other; /* n × 16 bytes, a column has at most 8 a row */
    for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
        guint8 *column = (guint8 *)s + columns[c].offset;
        switch (columns[c].size) {
        case 8:
            for (guint32 i = 0; i < n; i++)
                ((guint64 *)scratch)[i] = ((guint64 *)column)[items[i].row];
            break;
        case 4:
            for (guint32 i = 0; i < n; i++)
                ((guint32 *)scratch)[i] = ((guint32 *)column)[items[i].row];
            break;
        case 2:
            for (guint32 i = 0; i < n; i++)
                ((guint16 *)scratch)[i] = ((guint16 *)column)[items[i].row];
            break;
        default:
            for (guint32 i = 0; i < n; i++)
                scratch[i] = column[items[i].row];
        }
        memcpy(column, scratch, n * columns[c].size);
    }
}

/* ---- assembly ---- */

PmAssembly *pm_assembly_new(void)
{
    PmAssembly *a = g_new0(PmAssembly, 1);
    a->strings = g_string_chunk_new(4096);
    a->classes = g_array_new(FALSE, TRUE, sizeof(PmClass));
    a->methods = g_array_new(FALSE, TRUE, sizeof(PmMethod));
    a->chains = g_array_new(FALSE, TRUE, sizeof(PmChain));
    a->threads = g_array_new(FALSE, TRUE, sizeof(PmThread));
    a->blockers = g_array_new(FALSE, TRUE, sizeof(PmBlocker));
    a->frames = g_ptr_array_new_with_free_func(g_free);
    a->segments = g_ptr_array_new_with_free_func(pm_waits_free);
    a->samples = g_array_new(FALSE, TRUE, sizeof(PmOwnerSample));
    a->gc = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    a->stopped = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    a->gaps = g_array_new(FALSE, TRUE, sizeof(PmGap));
    a->ledger_at = G_MININT64;
    a->ledger = g_array_new(FALSE, TRUE, sizeof(PmLedgerRow));
    a->damage = g_array_new(FALSE, TRUE, sizeof(PmDamage));

    PmClass no_class = {""};
    PmMethod no_method = {0, "", ""};
    PmChain no_chain = {0};
    PmThread no_thread = {.name = ""};
    PmBlocker no_blocker = {0};
    g_array_append_val(a->classes, no_class);
    g_array_append_val(a->methods, no_method);
    g_array_append_val(a->chains, no_chain);
    g_array_append_val(a->threads, no_thread);
    g_array_append_val(a->blockers, no_blocker);
    return a;
}

void pm_assembly_free(PmAssembly *a)
{
    if (a == NULL)
        return;
    g_array_unref(a->classes);
    g_array_unref(a->methods);
    g_array_unref(a->chains);
    g_array_unref(a->threads);
    g_array_unref(a->blockers);
    g_array_unref(a->samples);
    g_array_unref(a->gc);
    g_array_unref(a->stopped);
    g_array_unref(a->gaps);
    g_array_unref(a->ledger);
    g_array_unref(a->damage);
    g_clear_pointer(&a->frames, g_ptr_array_unref);
    g_ptr_array_unref(a->segments);
    pm_segment_free(a->open);
    g_clear_pointer(&a->strings, g_string_chunk_free);
    g_free(a);
}

const char *pm_assembly_text(PmAssembly *a, const char *bytes, gsize length)
{
    /* The file may hold anything; the screen wants UTF-8. */
    if (g_utf8_validate(bytes, (gssize)length, NULL) && memchr(bytes, 0, length) == NULL) {
        g_autofree char *text = g_strndup(bytes, length);
        return g_string_chunk_insert_const(a->strings, text);
    }
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)length);
    return g_string_chunk_insert_const(a->strings, text);
}

static const char *keep(PmAssembly *a, const char *text)
{
    return g_string_chunk_insert_const(a->strings, text != NULL ? text : "");
}

guint32 pm_assembly_add_class(PmAssembly *a, const char *name)
{
    PmClass value = {keep(a, name)};
    g_array_append_val(a->classes, value);
    return a->classes->len - 1;
}

guint32 pm_assembly_add_method(PmAssembly *a, guint32 class_index, const char *name,
                               const char *file)
{
    PmMethod value = {class_index, keep(a, name), keep(a, file)};
    g_array_append_val(a->methods, value);
    return a->methods->len - 1;
}

guint32 pm_assembly_add_chain(PmAssembly *a, const PmFrame *frames, guint n_frames,
                              gboolean truncated)
{
    PmFrame *copy = g_memdup2(frames, n_frames * sizeof *frames);
    if (copy != NULL)
        g_ptr_array_add(a->frames, copy);
    PmChain value = {.n_frames = n_frames, .truncated = truncated, .frames = copy};
    g_array_append_val(a->chains, value);
    return a->chains->len - 1;
}

guint32 pm_assembly_add_thread(PmAssembly *a, const PmThread *thread)
{
    PmThread value = *thread;
    value.name = keep(a, thread->name);
    g_array_append_val(a->threads, value);
    return a->threads->len - 1;
}

guint32 pm_assembly_add_blocker(PmAssembly *a, const PmBlocker *blocker)
{
    g_array_append_val(a->blockers, *blocker);
    return a->blockers->len - 1;
}

void pm_assembly_add_wait(PmAssembly *a, const PmWaitRow *row)
{
    if (a->open == NULL)
        a->open = pm_segment_new();
    PmSegment *s = a->open;
    if (s == NULL || (s->n == PM_SEGMENT_ROWS && !pm_segment_pack(s, a->segments))) {
        a->no_memory = TRUE;
        return;
    }
    guint32 i = s->n++;
    s->begin[i] = row->begin;
    s->end[i] = row->end;
    s->wake[i] = row->wake;
    s->thread[i] = row->thread;
    s->blocker[i] = row->blocker;
    s->chain[i] = row->chain;
    s->owner[i] = row->owner;
    s->waker[i] = row->waker;
    s->waker_chain[i] = row->waker_chain;
    s->aqs_state[i] = row->aqs_state;
    s->flags[i] = row->flags;
    s->kind[i] = row->kind;
    s->wake_cause[i] = row->wake_cause;
}

/* ---- categories: one question per (class, parent's class, chain, kind) ---- */

typedef struct {
    PmAssembly *assembly;
    guint32 *blocker_class; /* dense number of (class, parent's class) per blocker */
    GArray *pairs;          /* of that number: guint32 class, parent's class */
    GMutex lock;
    GHashTable *known; /* guint64 key → 1 + category */
} Meaning;

static PmCategory meaning_ask(Meaning *m, guint32 pair, guint32 chain, guint8 kind)
{
    PmAssembly *a = m->assembly;
    const guint32 *p = &g_array_index(m->pairs, guint32, 2 * pair);
    const PmChain *c = &g_array_index(a->chains, PmChain, chain);
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);

    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *method = &g_array_index(a->methods, PmMethod, c->frames[i].method);
        g_ptr_array_add(frames,
                        g_strconcat(g_array_index(a->classes, PmClass, method->class_index).name,
                                    ".", method->name, NULL));
    }
    return pm_category_of(g_array_index(a->classes, PmClass, p[0]).name,
                          g_array_index(a->classes, PmClass, p[1]).name,
                          (const char *const *)frames->pdata, frames->len, kind);
}

static void meaning_fill(Meaning *m, PmSegment *s)
{
    /* A small direct-mapped cache answers nearly all rows without the lock. */
    enum { CACHE = 4096 };
    g_autofree guint64 *keys = g_new0(guint64, CACHE);
    g_autofree guint8 *values = g_new0(guint8, CACHE);

    for (guint32 i = 0; i < s->n; i++) {
        guint32 pair = m->blocker_class[s->blocker[i]];
        guint64 key = ((guint64)pair << 34 | (guint64)s->chain[i] << 2 | s->kind[i]) + 1;
        guint slot = (guint)((key * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15)) >> 52);
        if (keys[slot] != key) {
            g_mutex_lock(&m->lock);
            gpointer found = g_hash_table_lookup(m->known, &key);
            if (found == NULL) {
                found = GUINT_TO_POINTER(1 + meaning_ask(m, pair, s->chain[i], s->kind[i]));
                g_hash_table_insert(m->known, g_memdup2(&key, sizeof key), found);
            }
            g_mutex_unlock(&m->lock);
            keys[slot] = key;
            values[slot] = (guint8)(GPOINTER_TO_UINT(found) - 1);
        }
        s->category[i] = values[slot];
    }
}

static void meaning_init(Meaning *m, PmAssembly *a)
{
    m->assembly = a;
    m->pairs = g_array_new(FALSE, FALSE, 2 * sizeof(guint32));
    m->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    m->blocker_class = g_new0(guint32, a->blockers->len);
    g_mutex_init(&m->lock);
    g_autoptr(GHashTable) numbers =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint32 i = 0; i < a->blockers->len; i++) {
        const PmBlocker *b = &g_array_index(a->blockers, PmBlocker, i);
        guint32 pair[2] = {b->class_index,
                           g_array_index(a->blockers, PmBlocker, b->parent).class_index};
        guint64 key = (guint64)pair[0] << 32 | pair[1];
        gpointer number = g_hash_table_lookup(numbers, &key);
        if (number == NULL) {
            g_array_append_vals(m->pairs, pair, 1);
            number = GUINT_TO_POINTER(m->pairs->len);
            g_hash_table_insert(numbers, g_memdup2(&key, sizeof key), number);
        }
        m->blocker_class[i] = GPOINTER_TO_UINT(number) - 1;
    }
}

static void meaning_clear(Meaning *m)
{
    g_array_unref(m->pairs);
    g_hash_table_unref(m->known);
    g_free(m->blocker_class);
    g_mutex_clear(&m->lock);
}

/* ---- finishing ---- */

typedef struct {
    PmAssembly *assembly;
    Meaning meaning;
    guint32 *order; /* segment << PM_SEGMENT_BITS | row, in the order of rows */
    gsize n;
    PmRecording *recording;
    gint failed;
} Finish;

static void prepare_segment(gpointer data, guint index)
{
    Finish *f = data;
    PmWaits *packed = g_ptr_array_index(f->assembly->segments, index);
    PmSegment *s = pm_segment_of_thread();
    if (s == NULL) {
        g_atomic_int_set(&f->failed, 1);
        return;
    }
    unpack_rows(packed, s);
    if (f->assembly->map_segment != NULL)
        f->assembly->map_segment(s, f->assembly->map_data);
    meaning_fill(&f->meaning, s);
    sort_segment(s);
    waits_clear(packed);
    if (!pack_rows(s, packed))
        g_atomic_int_set(&f->failed, 1);
    s->n = 0;
}

/* The order of sort_segment, between segments. */
static int compare_rows(const PmWaits *a, guint32 i, const PmWaits *b, guint32 j)
{
    const gint64 a_begin = pm_wait_begin(a, i), b_begin = pm_wait_begin(b, j);
    if (a_begin != b_begin)
        return a_begin < b_begin ? -1 : 1;
    const gint64 a_length = pm_wait_length(a, i), b_length = pm_wait_length(b, j);
    if ((a_length == 0) != (b_length == 0))
        return a_length == 0 ? 1 : -1;
    if (pm_wait_thread(a, i) != pm_wait_thread(b, j))
        return pm_wait_thread(a, i) < pm_wait_thread(b, j) ? -1 : 1;
    if (a_length != b_length)
        return a_length < b_length ? -1 : 1;
    if (pm_wait_blocker(a, i) != pm_wait_blocker(b, j))
        return pm_wait_blocker(a, i) < pm_wait_blocker(b, j) ? -1 : 1;
    return 0;
}

typedef struct {
    const PmWaits *segment;
    guint32 index, row;
} Head;

static int compare_heads(const Head *a, const Head *b)
{
    int order = compare_rows(a->segment, a->row, b->segment, b->row);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static void sift_down(Head *heap, guint n, guint i)
{
    for (;;) {
        guint least = i, child = 2 * i + 1;
        if (child < n && compare_heads(&heap[child], &heap[least]) < 0)
            least = child;
        if (child + 1 < n && compare_heads(&heap[child + 1], &heap[least]) < 0)
            least = child + 1;
        if (least == i)
            return;
        Head swap = heap[i];
        heap[i] = heap[least];
        heap[least] = swap;
        i = least;
    }
}

/* Merges the sorted segments. They follow each other in time but for long waits, so runs are long
 * and only the two least heads are compared within a run. */
static void merge_segments(Finish *f)
{
    GPtrArray *segments = f->assembly->segments;
    g_autofree Head *heap = g_new(Head, segments->len + 1);
    guint n = 0;
    gsize at = 0;

    for (guint i = 0; i < segments->len; i++) {
        PmWaits *s = g_ptr_array_index(segments, i);
        if (s->n > 0)
            heap[n++] = (Head){s, i, 0};
    }
    for (guint i = n; i-- > 0;)
        sift_down(heap, n, i);
    while (n > 0) {
        Head *top = &heap[0];
        const Head *next = NULL;
        if (n > 1)
            next = &heap[1];
        if (n > 2 && compare_heads(&heap[2], next) < 0)
            next = &heap[2];
        do
            f->order[at++] = top->index << PM_SEGMENT_BITS | top->row++;
        while (top->row < top->segment->n && (next == NULL || compare_heads(top, next) < 0));
        if (top->row == top->segment->n)
            heap[0] = heap[--n];
        sift_down(heap, n, 0);
    }
}

static void gather_column(gpointer data, guint column)
{
    Finish *f = data;
    GPtrArray *segments = f->assembly->segments;
    PmPacked *to = &f->recording->waits.columns[column];
    gint64 values[PM_PACKED_BLOCK];

    if (!pm_packed_reserve(to, f->n)) {
        g_atomic_int_set(&f->failed, 1);
        return;
    }
    for (gsize first = 0; first < f->n; first += PM_PACKED_BLOCK) {
        const gsize n = MIN(f->n - first, PM_PACKED_BLOCK);
        for (gsize i = 0; i < n; i++) {
            const guint32 p = f->order[first + i];
            const PmWaits *segment = g_ptr_array_index(segments, p >> PM_SEGMENT_BITS);
            values[i] = pm_packed_get(&segment->columns[column], p & (PM_SEGMENT_ROWS - 1));
        }
        if (!pm_packed_append(to, values, n)) {
            g_atomic_int_set(&f->failed, 1);
            return;
        }
    }
    pm_packed_trim(to);
    /* Give the pieces back at once, so that the whole never exists twice. */
    for (guint i = 0; i < segments->len; i++)
        pm_packed_clear(&((PmWaits *)g_ptr_array_index(segments, i))->columns[column]);
}

static gint64 last_instant(PmAssembly *a)
{
    gint64 last = 0;
    for (guint i = 0; i < a->segments->len; i++) {
        const PmWaits *s = g_ptr_array_index(a->segments, i);
        for (gsize row = 0; row < s->n; row++)
            last = MAX(last, pm_wait_end(s, row));
    }
    return last;
}

static guint32 site_frame(PmAssembly *a, const PmChain *c)
{
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *m = &g_array_index(a->methods, PmMethod, c->frames[i].method);
        if (!pm_label_is_locking(g_array_index(a->classes, PmClass, m->class_index).name, m->name))
            return i;
    }
    return c->n_frames > 0 ? c->n_frames - 1 : 0;
}

/* "accounts=com.acme.*;org.foo" of the recorder's options. */
static char **parse_accounts(const char *options)
{
    const char *found = strstr(options, "accounts=");
    if (found == NULL || (found > options && found[-1] != ','))
        return g_new0(char *, 1);
    found += strlen("accounts=");
    g_autofree char *list = g_strndup(found, strcspn(found, ","));
    g_auto(GStrv) parts = g_strsplit(list, ";", -1);
    GPtrArray *accounts = g_ptr_array_new();
    for (guint i = 0; parts[i] != NULL; i++) {
        if (*g_strstrip(parts[i]) != 0)
            g_ptr_array_add(accounts, g_strdup(parts[i]));
    }
    g_ptr_array_add(accounts, NULL);
    return (char **)g_ptr_array_free(accounts, FALSE);
}

/* "com.acme.*" covers the package and all below it, "org.foo" too. */
static gboolean account_covers(const char *pattern, const char *class_name)
{
    gsize length = strlen(pattern);
    if (strncmp(pattern, class_name, length) == 0 && class_name[length] == '.')
        return TRUE;
    return pm_glob_match(pattern, class_name);
}

static guint32 account_of(PmAssembly *a, const PmChain *c, char **accounts)
{
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *m = &g_array_index(a->methods, PmMethod, c->frames[i].method);
        const char *name = g_array_index(a->classes, PmClass, m->class_index).name;
        for (guint32 k = 0; accounts[k] != NULL; k++) {
            if (account_covers(accounts[k], name))
                return k + 1;
        }
    }
    return 0;
}

static void finish_threads(PmAssembly *a, PmRecording *r)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *groups = g_array_new(FALSE, TRUE, sizeof(PmGroup));
    PmGroup none = {"", "", 0};
    g_array_append_val(groups, none);

    for (guint32 i = 1; i < a->threads->len; i++) {
        PmThread *t = &g_array_index(a->threads, PmThread, i);
        char *name = pm_label_group(t->name);
        gpointer found = g_hash_table_lookup(known, name);
        if (found == NULL) {
            PmGroup group = {keep(a, name), t->name, 0};
            g_array_append_val(groups, group);
            found = GUINT_TO_POINTER(groups->len - 1);
            g_hash_table_insert(known, name, found);
        } else {
            g_free(name);
        }
        t->group = GPOINTER_TO_UINT(found);
        g_array_index(groups, PmGroup, t->group).n_threads++;
        if (!t->begin_known)
            t->begin = 0;
        if (!t->ended)
            t->end = r->duration;
        t->begin = CLAMP(t->begin, 0, r->duration);
        t->end = CLAMP(t->end, t->begin, r->duration);
    }

    for (guint32 i = 1; i < groups->len; i++) {
        PmGroup *group = &g_array_index(groups, PmGroup, i);
        if (group->n_threads > 1)
            group->shown = group->name;
    }

    /* A virtual thread whose life was not recorded lived at least from its first wait to its last;
     * the whole recording would drown its group's busy time. */
    g_autofree gint64 *first = g_new(gint64, a->threads->len), *last = NULL;
    last = g_new0(gint64, a->threads->len);
    for (guint32 i = 0; i < a->threads->len; i++)
        first[i] = G_MAXINT64;
    for (gsize i = 0; i < r->waits.n; i++) {
        guint32 t = pm_wait_thread(&r->waits, i);
        first[t] = MIN(first[t], pm_wait_begin(&r->waits, i));
        last[t] = MAX(last[t], pm_wait_end(&r->waits, i));
    }
    for (guint32 i = 1; i < a->threads->len; i++) {
        PmThread *t = &g_array_index(a->threads, PmThread, i);
        if (!t->is_virtual || first[i] == G_MAXINT64)
            continue;
        if (!t->begin_known)
            t->begin = CLAMP(first[i], 0, r->duration);
        if (!t->ended)
            t->end = CLAMP(last[i], t->begin, r->duration);
    }
    r->n_groups = groups->len;
    r->groups = (PmGroup *)g_array_free(groups, FALSE);
}

static int compare_intervals(gconstpointer a, gconstpointer b)
{
    const PmInterval *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorted, clipped to the recording, overlaps merged. */
static guint32 finish_intervals(GArray *intervals, gint64 duration, const PmInterval **ret)
{
    g_array_sort(intervals, compare_intervals);
    GArray *merged = g_array_new(FALSE, TRUE, sizeof(PmInterval));
    for (guint i = 0; i < intervals->len; i++) {
        PmInterval v = g_array_index(intervals, PmInterval, i);
        v.begin = CLAMP(v.begin, 0, duration);
        v.end = CLAMP(v.end, v.begin, duration);
        PmInterval *before =
            merged->len > 0 ? &g_array_index(merged, PmInterval, merged->len - 1) : NULL;
        if (before != NULL && v.begin <= before->end)
            before->end = MAX(before->end, v.end);
        else if (v.begin < v.end)
            g_array_append_val(merged, v);
    }
    guint32 n = merged->len;
    *ret = (PmInterval *)g_array_free(merged, FALSE);
    return n;
}

static int compare_samples(gconstpointer a, gconstpointer b)
{
    const PmOwnerSample *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->waiter > y->waiter) - (x->waiter < y->waiter);
}

static int compare_gaps(gconstpointer a, gconstpointer b)
{
    const PmGap *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static gpointer steal(GArray **array, guint32 *ret_n)
{
    *ret_n = (*array)->len;
    gpointer data = g_array_free(*array, FALSE);
    *array = g_array_new(FALSE, TRUE, 1);
    return data;
}

PmRecording *pm_assembly_finish(PmAssembly *a)
{
    PmRecording *r = g_new0(PmRecording, 1);
    PmRecordingPrivate *p = g_new0(PmRecordingPrivate, 1);
    r->ref_count = 1;
    r->priv = p;
    g_mutex_init(&p->lock);
    r->facts = a->facts;
    r->facts.file = keep(a, a->facts.file);
    r->facts.jvm = keep(a, a->facts.jvm);
    r->facts.main = keep(a, a->facts.main);
    r->facts.host = keep(a, a->facts.host);
    r->facts.options = keep(a, a->facts.options);
    r->facts.zone = keep(a, a->facts.zone);
    r->facts.not_recorded = keep(a, a->facts.not_recorded);

    Finish f = {.assembly = a, .recording = r};
    f.failed = a->no_memory || (a->open != NULL && !pm_segment_pack(a->open, a->segments));
    r->duration = a->duration > 0 ? a->duration : last_instant(a);
    r->window_begin = CLAMP(a->window_begin, 0, r->duration);

    meaning_init(&f.meaning, a);
    pm_workers_run(a->n_threads, a->segments->len, prepare_segment, &f);
    meaning_clear(&f.meaning);
    pm_segment_forget();
    for (guint i = 0; i < a->segments->len; i++)
        f.n += ((PmWaits *)g_ptr_array_index(a->segments, i))->n;
    if (f.failed == 0) {
        f.order = g_new(guint32, MAX(f.n, 1));
        merge_segments(&f);
        pm_workers_run(a->n_threads, PM_N_WAIT_COLUMNS, gather_column, &f);
        g_free(f.order);
    }
    f.n = f.failed == 0 ? f.n : 0;
    r->waits.n = f.n;

    p->accounts = parse_accounts(r->facts.options);
    p->n_accounts = g_strv_length(p->accounts);
    if (f.failed == 0)
        finish_threads(a, r);

    p->chain_site = g_new0(guint64, a->chains->len);
    p->chain_account = g_new0(guint32, a->chains->len);
    for (guint32 i = 1; i < a->chains->len; i++) {
        PmChain *c = &g_array_index(a->chains, PmChain, i);
        c->site = site_frame(a, c);
        if (c->n_frames > 0)
            p->chain_site[i] = pm_frame_pack(c->frames[c->site]);
        if (p->n_accounts > 0)
            p->chain_account[i] = account_of(a, c, p->accounts);
    }

    gsize n_blocks = (f.n >> PM_END_BLOCK_BITS) + 1;
    p->block_end = g_new(gint64, n_blocks);
    for (gsize b = 0; b < n_blocks; b++) {
        gint64 last = G_MININT64;
        gsize end = MIN((b + 1) << PM_END_BLOCK_BITS, f.n);
        for (gsize i = b << PM_END_BLOCK_BITS; i < end && f.failed == 0; i++)
            last = MAX(last, pm_wait_end(&r->waits, i));
        p->block_end[b] = last;
    }

    g_array_sort(a->samples, compare_samples);
    g_array_sort(a->gaps, compare_gaps);
    r->n_gc = finish_intervals(a->gc, r->duration, &r->gc);
    r->n_stopped = finish_intervals(a->stopped, r->duration, &r->stopped);
    r->samples = steal(&a->samples, &r->n_samples);
    r->gaps = steal(&a->gaps, &r->n_gaps);
    r->ledger_at = a->ledger_at;
    r->ledger = steal(&a->ledger, &r->n_ledger);
    r->damage = steal(&a->damage, &r->n_damage);
    r->classes = steal(&a->classes, &r->n_classes);
    r->methods = steal(&a->methods, &r->n_methods);
    r->chains = steal(&a->chains, &r->n_chains);
    r->threads = steal(&a->threads, &r->n_threads);
    r->blockers = steal(&a->blockers, &r->n_blockers);
    p->strings = g_steal_pointer(&a->strings);
    p->frames = g_steal_pointer(&a->frames);
    guint64 row_bytes = 0;
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        row_bytes += pm_packed_bytes(&r->waits.columns[c]);
    p->memory_bytes = row_bytes + r->n_blockers * sizeof(PmBlocker) +
                      r->n_threads * sizeof(PmThread) + r->n_chains * (sizeof(PmChain) + 12);
    pm_assembly_free(a);
    if (f.failed != 0)
        g_clear_pointer(&r, pm_recording_unref);
    return r;
}

PmRecording *pm_recording_ref(PmRecording *recording)
{
    g_atomic_int_inc(&recording->ref_count);
    return recording;
}

void pm_recording_unref(PmRecording *r)
{
    if (r == NULL || !g_atomic_int_dec_and_test(&r->ref_count))
        return;
    PmRecordingPrivate *p = r->priv;
    if (p->contention != NULL)
        p->contention_free(p->contention);
    waits_clear(&r->waits);
    g_free((gpointer)r->classes);
    g_free((gpointer)r->methods);
    g_free((gpointer)r->chains);
    g_free((gpointer)r->threads);
    g_free((gpointer)r->groups);
    g_free((gpointer)r->blockers);
    g_free((gpointer)r->samples);
    g_free((gpointer)r->gc);
    g_free((gpointer)r->stopped);
    g_free((gpointer)r->gaps);
    g_free((gpointer)r->ledger);
    g_free((gpointer)r->damage);
    g_free(p->block_end);
    g_free(p->chain_site);
    g_free(p->chain_account);
    g_strfreev(p->accounts);
    g_ptr_array_unref(p->frames);
    g_string_chunk_free(p->strings);
    g_mutex_clear(&p->lock);
    g_free(p);
    g_free(r);
}

guint32 pm_recording_site_method(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    return c->site < c->n_frames ? c->frames[c->site].method : 0;
}

guint64 pm_recording_memory_bytes(const PmRecording *recording)
{
    return pm_recording_private(recording)->memory_bytes;
}
