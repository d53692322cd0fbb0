/* Reads the chunks of a file twice, in parallel. First everything but the waits, of which only the
 * times are looked at, each chunk into lists of its own; one thread joins what they define. Then
 * the waits, which can now be turned from ids to indices, sorted and packed as they come
 * (column-builder.h).
 */
#include "viewer/analysis/recording/recording-private.h"

#include <string.h>

#include "viewer/analysis/recording/sum.h"

#define PROGRESS_US 50000
/* Nine years either way, whatever a file says: differences and sums of a few instants fit. */
#define MOST_NS (G_GINT64_CONSTANT(1) << 58)
/* The wall clock, so that any instant of the recording can be added to it. */
#define MOST_UNIX_NS (G_MAXINT64 - 8 * MOST_NS)

/* ---- ids to indices ---- */

/* Ids are dense in a young recording and have holes in an old one; a table while that is cheap. */
typedef struct {
    GHashTable *sparse;
    guint32 *dense;
    guint32 n_dense;
    guint32 max_id;
} IdMap;

static void id_map_init(IdMap *map)
{
    *map = (IdMap){.sparse = g_hash_table_new(NULL, NULL)};
}

static void id_map_clear(IdMap *map)
{
    g_hash_table_unref(map->sparse);
    g_free(map->dense);
}

static guint32 id_map_get(const IdMap *map, guint32 id)
{
    if (map->dense != NULL)
        return id < map->n_dense ? map->dense[id] : 0;
    return GPOINTER_TO_UINT(g_hash_table_lookup(map->sparse, GUINT_TO_POINTER(id)));
}

static void id_map_put(IdMap *map, guint32 id, guint32 index)
{
    g_hash_table_insert(map->sparse, GUINT_TO_POINTER(id), GUINT_TO_POINTER(index));
    map->max_id = MAX(map->max_id, id);
}

static void id_map_freeze(IdMap *map)
{
    guint64 room = (guint64)g_hash_table_size(map->sparse) * 16 + 65536;
    if (map->max_id >= room)
        return;
    GHashTableIter iter;
    gpointer id, index;
    map->n_dense = map->max_id + 1;
    guint32 *dense = g_new0(guint32, map->n_dense);
    g_hash_table_iter_init(&iter, map->sparse);
    while (g_hash_table_iter_next(&iter, &id, &index))
        dense[GPOINTER_TO_UINT(id)] = GPOINTER_TO_UINT(index);
    map->dense = dense;
}

/* ---- what one chunk holds ---- */

/* Definitions keep their ids here, in the fields that will hold indices. */
typedef struct {
    guint32 id;
    PmClass value;
} ClassDef;
typedef struct {
    guint32 id;
    PmMethod value;
} MethodDef;
typedef struct {
    guint32 id;
    PmChain value;
} ChainDef;
typedef struct {
    guint32 id;
    PmThread value;
} ThreadDef;
typedef struct {
    guint32 id;
    PmBlocker value;
} BlockerDef;

typedef struct {
    gint64 at;
    struct pm_counters counters;
} Counted;

typedef struct {
    struct pm_wait wait;
    gint64 seen;
} Seen;

/* Of each thread, by id, the begin of its last wait that ended; G_MININT64 = none. A table while
 * ids are small. */
#define MOST_TABLED 65536
typedef struct {
    gint64 *table;
    guint32 n;
    GHashTable *others;
} LastBegins;

static void last_begins_clear(LastBegins *last)
{
    g_free(last->table);
    g_clear_pointer(&last->others, g_hash_table_unref);
    *last = (LastBegins){0};
}

static gint64 *last_begins_at(LastBegins *last, guint32 thread)
{
    if (thread < last->n)
        return &last->table[thread];
    if (thread < MOST_TABLED) {
        const guint32 n = MAX(thread + 1, MIN(2 * last->n, MOST_TABLED));
        last->table = g_renew(gint64, last->table, n);
        while (last->n < n)
            last->table[last->n++] = G_MININT64;
        return &last->table[thread];
    }
    if (last->others == NULL)
        last->others = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    gint64 *at = g_hash_table_lookup(last->others, GUINT_TO_POINTER(thread));
    if (at == NULL) {
        at = g_new(gint64, 1);
        *at = G_MININT64;
        g_hash_table_insert(last->others, GUINT_TO_POINTER(thread), at);
    }
    return at;
}

static void last_begins_join(LastBegins *last, const LastBegins *from)
{
    for (guint32 i = 0; i < from->n; i++) {
        gint64 *at = last_begins_at(last, i);
        *at = MAX(*at, from->table[i]);
    }
    if (from->others == NULL)
        return;
    GHashTableIter iter;
    gpointer thread, begin;
    g_hash_table_iter_init(&iter, from->others);
    while (g_hash_table_iter_next(&iter, &thread, &begin)) {
        gint64 *at = last_begins_at(last, GPOINTER_TO_UINT(thread));
        *at = MAX(*at, *(const gint64 *)begin);
    }
}

typedef struct Loading Loading;

typedef struct {
    Loading *loading;
    gboolean read; /* to its end, or as far as it was right */
    gboolean overwritten;
    GStringChunk *strings;
    GArray *classes, *methods, *chains, *threads, *blockers;
    GArray *counted, *samples, *spans, *gaps, *seen, *damage;
    LastBegins last_begins; /* while it is read, as the next */
    PmOutlineSums *sums;    /* NULL: nobody looks, or the chunk has no waits */
    struct idle *idle;
    gint64 complete_at; /* of the last complete progress block, MIN = none */
    gint64 counted_at;  /* of the last snapshot, MIN = none */
    gint64 last;        /* latest instant mentioned, as recorded */
    guint64 n_waits;
    gint64 last_end; /* of a wait; since the begin */
    gint64 limit;    /* the same of this chunk and all before it */
    guint32 damaged;
    guint64 lost_bytes;
    int result;
} ChunkLoad;

struct Loading {
    struct pm_reader *reader;
    gint64 base; /* the recording's begin on its own clock */
    guint n_chunks, n_threads;
    guint *order; /* in which chunks are read the first time */
    ChunkLoad *chunks;
    IdMap classes, methods, chains, threads, blockers;
    GMutex lock;
    LastBegins last_begins; /* under the lock while chunks are read, as the next */
    PmOutlineSums *sums;
    guint n_summed, n_outlined; /* chunks in the sums, in the last outline told */
    GHashTable *idle;           /* IdleKey → 1 + whether such waits are idle */
    /* The waits are read from the last chunk to the first: the first that is being read, and, when
     * cancelled, the first that was; under the lock. */
    guint first_begun, first_wanted;
    PmAssembly *assembly;
    /* Progress is told by the calling thread only. */
    GThread *caller;
    PmLoadProgress progress;
    gpointer data;
    gint64 told_us;
    guint64 total_bytes;
    gsize done_kib; /* atomic */
    gint cancelled, no_memory;
};

static gint64 since_begin(const Loading *l, gint64 ns)
{
    gint64 at = 0;
    if (__builtin_sub_overflow(ns, l->base, &at))
        at = ns < 0 ? -MOST_NS : MOST_NS;
    return CLAMP(at, -MOST_NS, MOST_NS);
}

static gboolean tell(Loading *l, gint64 now_us)
{
    guint64 done = (guint64)(gsize)g_atomic_pointer_get((gpointer *)&l->done_kib) << 10;
    PmOutline *outline = NULL;

    l->told_us = now_us;
    g_mutex_lock(&l->lock);
    if (l->sums != NULL && l->n_outlined < l->n_summed)
        outline = pm_outline_new(l->sums, (double)l->n_summed / (double)l->n_chunks);
    l->n_outlined = l->n_summed;
    g_mutex_unlock(&l->lock);
    const gboolean more = l->progress(MIN(done, l->total_bytes), l->total_bytes, outline, l->data);
    pm_outline_unref(outline);
    if (more)
        return TRUE;
    g_atomic_int_set(&l->cancelled, 1);
    g_mutex_lock(&l->lock);
    if (l->first_begun < l->n_chunks) /* else nothing of the waits was begun yet */
        l->first_wanted = l->first_begun;
    g_mutex_unlock(&l->lock);
    return FALSE;
}

static gboolean go_on(Loading *l)
{
    if (g_atomic_int_get(&l->cancelled) != 0)
        return FALSE;
    if (l->progress == NULL || g_thread_self() != l->caller)
        return TRUE;
    gint64 now = g_get_monotonic_time();
    return now - l->told_us < PROGRESS_US || tell(l, now);
}

/* Of the time that a chunk takes, the first reading has so many eighths. */
#define FIRST_SHARE 1
#define ENOUGH      1 /* a visitor wants no more */

static void add_done(Loading *l, guint index, guint eighths)
{
    g_atomic_pointer_add(&l->done_kib,
                         (gssize)((pm_reader_chunk(l->reader, index)->size >> 13) * eighths));
}

static const char *take_text(ChunkLoad *c, struct pm_text text)
{
    if (text.length == 0)
        return "";
    if (memchr(text.bytes, 0, text.length) == NULL &&
        g_utf8_validate(text.bytes, (gssize)text.length, NULL))
        return g_string_chunk_insert_len(c->strings, text.bytes, (gssize)text.length);
    /* The file may hold anything; the screen wants UTF-8. */
    g_autofree char *valid = g_utf8_make_valid(text.bytes, (gssize)text.length);
    return g_string_chunk_insert(c->strings, valid);
}

static int on_class(void *context, const struct pm_class *value)
{
    ChunkLoad *c = context;
    ClassDef def = {value->id.n, {take_text(c, value->name)}};
    g_array_append_val(c->classes, def);
    return 0;
}

static int on_method(void *context, const struct pm_method *value)
{
    ChunkLoad *c = context;
    MethodDef def = {value->id.n,
                     {value->class_id.n, take_text(c, value->name), take_text(c, value->file)}};
    g_array_append_val(c->methods, def);
    return 0;
}

static int on_chain(void *context, const struct pm_chain *value)
{
    ChunkLoad *c = context;
    PmFrame *frames = g_new(PmFrame, MAX(value->n_frames, 1));
    for (guint32 i = 0; i < value->n_frames; i++)
        frames[i] = (PmFrame){value->frames[i].method.n, value->frames[i].line};
    ChainDef def = {value->id.n,
                    {.n_frames = value->n_frames, .truncated = value->truncated, .frames = frames}};
    g_array_append_val(c->chains, def);
    return 0;
}

static int on_thread(void *context, const struct pm_thread *value)
{
    ChunkLoad *c = context;
    struct pm_text name = value->name;
    char number[48];
    if (name.length == 0 && value->is_virtual) { /* as most are; called so by its toString() */
        g_snprintf(number, sizeof number, "VirtualThread[#%" G_GINT64_FORMAT "]", value->tid);
        name = (struct pm_text){number, (uint32_t)strlen(number)};
    }
    ThreadDef def = {value->id.n,
                     {.tid = value->tid,
                      .name = take_text(c, name),
                      .is_virtual = value->is_virtual,
                      .is_daemon = value->is_daemon}};
    g_array_append_val(c->threads, def);
    return 0;
}

static int on_blocker(void *context, const struct pm_blocker *value)
{
    ChunkLoad *c = context;
    BlockerDef def = {value->id.n,
                      {.class_index = value->class_id.n,
                       .hash = value->hash,
                       .parent = value->parent.n,
                       .flags = value->flags,
                       .first_chain = value->first_chain.n,
                       .first_thread = value->first_thread.n}};
    g_array_append_val(c->blockers, def);
    return 0;
}

/* ---- which waits are idle, while it is not known yet what ids mean in the whole file ---- */

typedef struct {
    guint32 class_id, parent_class_id, chain, kind;
} IdleKey;

static guint idle_hash(gconstpointer key)
{
    const IdleKey *k = key;
    return ((k->class_id * 31 + k->parent_class_id) * 31 + k->chain) * 31 + k->kind;
}

static gboolean idle_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(IdleKey)) == 0;
}

/* A small direct-mapped cache answers nearly all rows. */
#define IDLE_BITS 12
struct idle {
    GHashTable *blockers; /* id → 1 + its place among the chunk's; made so far */
    guint n_blockers;
    guint64 keys[1 << IDLE_BITS];
    guint32 kinds[1 << IDLE_BITS]; /* 0 = free, else 1 + kind */
    guint8 values[1 << IDLE_BITS];
};

static const char *class_name_of(const ChunkLoad *c, guint32 id)
{
    for (guint i = c->classes->len; i-- > 0;) {
        const ClassDef *def = &g_array_index(c->classes, ClassDef, i);
        if (def->id == id)
            return def->value.name;
    }
    return "";
}

static char *method_name_of(const ChunkLoad *c, guint32 id)
{
    for (guint i = c->methods->len; i-- > 0;) {
        const MethodDef *def = &g_array_index(c->methods, MethodDef, i);
        if (def->id == id)
            return g_strconcat(class_name_of(c, def->value.class_index), ".", def->value.name,
                               NULL);
    }
    return g_strdup("");
}

/* A chunk defines what it mentions. Asked once for each key of the file, so it may look around. */
static gboolean idle_ask(const ChunkLoad *c, const IdleKey *key)
{
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);
    for (guint i = c->chains->len; i-- > 0;) {
        const ChainDef *def = &g_array_index(c->chains, ChainDef, i);
        if (def->id != key->chain)
            continue;
        for (guint32 f = 0; f < def->value.n_frames; f++)
            g_ptr_array_add(frames, method_name_of(c, def->value.frames[f].method));
        break;
    }
    return pm_category_is_idle(
        pm_category_of(class_name_of(c, key->class_id), class_name_of(c, key->parent_class_id),
                       (const char *const *)frames->pdata, frames->len, (int)key->kind));
}

static guint32 idle_class_of(struct idle *idle, const ChunkLoad *c, guint32 blocker,
                             guint32 *ret_parent)
{
    for (; idle->n_blockers < c->blockers->len; idle->n_blockers++)
        g_hash_table_insert(
            idle->blockers,
            GUINT_TO_POINTER(g_array_index(c->blockers, BlockerDef, idle->n_blockers).id),
            GUINT_TO_POINTER(idle->n_blockers + 1));
    const guint at =
        GPOINTER_TO_UINT(g_hash_table_lookup(idle->blockers, GUINT_TO_POINTER(blocker)));
    if (at == 0)
        return 0;
    const BlockerDef *def = &g_array_index(c->blockers, BlockerDef, at - 1);
    if (ret_parent != NULL)
        *ret_parent = def->value.parent;
    return def->value.class_index;
}

static gboolean is_idle(ChunkLoad *c, guint32 blocker, guint32 chain, guint8 kind)
{
    Loading *l = c->loading;
    struct idle *idle = c->idle;
    const guint64 whole = (guint64)blocker << 32 | chain;
    const guint slot =
        (guint)((whole * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15)) >> (64 - IDLE_BITS));
    if (idle->kinds[slot] == 1u + kind && idle->keys[slot] == whole)
        return idle->values[slot];

    guint32 parent = 0;
    IdleKey key = {
        .class_id = idle_class_of(idle, c, blocker, &parent), .chain = chain, .kind = kind};
    key.parent_class_id = parent != 0 ? idle_class_of(idle, c, parent, NULL) : 0;
    g_mutex_lock(&l->lock);
    gpointer known = g_hash_table_lookup(l->idle, &key);
    g_mutex_unlock(&l->lock);
    if (known == NULL) {
        known = GUINT_TO_POINTER(1 + idle_ask(c, &key));
        g_mutex_lock(&l->lock);
        g_hash_table_insert(l->idle, g_memdup2(&key, sizeof key), known);
        g_mutex_unlock(&l->lock);
    }
    idle->keys[slot] = whole;
    idle->kinds[slot] = 1u + kind;
    idle->values[slot] = (guint8)(GPOINTER_TO_UINT(known) - 1);
    return idle->values[slot];
}

/* ---- the first time ---- */

/* What must be known of all the waits before the first of them is taken. */
static int on_times(void *context, const struct pm_wait_columns *w)
{
    ChunkLoad *c = context;
    Loading *l = c->loading;
    if (!go_on(l))
        return PM_ERROR_CANCELLED;

    gint64 first = G_MAXINT64, last = c->last_end;
    guint32 thread = 0;
    gint64 *last_begin = NULL;
    for (gsize i = 0; i < w->n; i++) {
        const gint64 begin = since_begin(l, w->begin_ns[i]);
        const gint64 end = begin + CLAMP(w->duration_ns[i], 0, MOST_NS);
        first = MIN(first, end);
        last = MAX(last, end);
        if (last_begin == NULL || w->thread[i] != thread) {
            thread = w->thread[i];
            last_begin = last_begins_at(&c->last_begins, thread);
        }
        *last_begin = MAX(*last_begin, begin);
        if (c->sums != NULL && !is_idle(c, w->blocker[i], w->chain[i], w->kind[i]))
            pm_outline_sums_add(c->sums, begin, end);
    }
    c->last_end = last;
    c->n_waits += w->n;
    for (guint i = 0; i < c->damage->len; i++) {
        PmDamage *damage = &g_array_index(c->damage, PmDamage, i);
        damage->end = MIN(damage->end, MAX(first, damage->begin));
    }
    return 0;
}

static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    ChunkLoad *c = context;
    for (gsize i = 0; i < n; i++) {
        Seen seen = {waits[i], at_ns};
        g_array_append_val(c->seen, seen);
    }
    if (complete)
        c->complete_at = MAX(c->complete_at, at_ns);
    c->last = MAX(c->last, at_ns);
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    ChunkLoad *c = context;
    c->counted_at = MAX(c->counted_at, snapshot->at_ns);
    for (gsize i = 0; i < snapshot->n_counters; i++) {
        Counted counted = {snapshot->at_ns, snapshot->counters[i]};
        g_array_append_val(c->counted, counted);
    }
    return go_on(c->loading) ? 0 : PM_ERROR_CANCELLED;
}

static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    g_array_append_val(((ChunkLoad *)context)->samples, *sample);
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    g_array_append_val(((ChunkLoad *)context)->spans, *span);
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_val(((ChunkLoad *)context)->gaps, *gap);
    return 0;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    ChunkLoad *c = context;
    c->damaged++;
    c->lost_bytes += damage->length;
    if (c->damage->len < PM_MAX_DAMAGE) {
        PmDamage kept = {.offset = damage->offset,
                         .length = damage->length,
                         .begin = c->last_end,
                         .end = G_MAXINT64,
                         .text = damage->text};
        g_array_append_val(c->damage, kept);
    }
    return 0;
}

/* No wait was read behind the last damage. */
static gboolean is_end_lost(const ChunkLoad *c)
{
    return c->damage->len > 0 &&
           g_array_index(c->damage, PmDamage, c->damage->len - 1).end == G_MAXINT64;
}

static void chunk_init(ChunkLoad *c, Loading *l)
{
    c->loading = l;
    c->strings = g_string_chunk_new(4096);
    c->classes = g_array_new(FALSE, FALSE, sizeof(ClassDef));
    c->methods = g_array_new(FALSE, FALSE, sizeof(MethodDef));
    c->chains = g_array_new(FALSE, FALSE, sizeof(ChainDef));
    c->threads = g_array_new(FALSE, FALSE, sizeof(ThreadDef));
    c->blockers = g_array_new(FALSE, FALSE, sizeof(BlockerDef));
    c->counted = g_array_new(FALSE, FALSE, sizeof(Counted));
    c->samples = g_array_new(FALSE, FALSE, sizeof(struct pm_owner_sample));
    c->spans = g_array_new(FALSE, FALSE, sizeof(struct pm_span));
    c->gaps = g_array_new(FALSE, FALSE, sizeof(struct pm_gap));
    c->seen = g_array_new(FALSE, FALSE, sizeof(Seen));
    c->damage = g_array_new(FALSE, FALSE, sizeof(PmDamage));
    c->complete_at = c->counted_at = c->last = c->last_end = G_MININT64;
}

/* Frees what only the first reading needs. */
static void chunk_clear_read(ChunkLoad *c)
{
    last_begins_clear(&c->last_begins);
    g_clear_pointer(&c->sums, pm_outline_sums_free);
    if (c->idle != NULL)
        g_hash_table_unref(c->idle->blockers);
    g_clear_pointer(&c->idle, g_free);
}

static void chunk_clear(ChunkLoad *c)
{
    if (c->strings == NULL)
        return;
    for (guint i = 0; i < c->chains->len; i++)
        g_free((gpointer)g_array_index(c->chains, ChainDef, i).value.frames);
    chunk_clear_read(c);
    g_string_chunk_free(c->strings);
    g_array_unref(c->classes);
    g_array_unref(c->methods);
    g_array_unref(c->chains);
    g_array_unref(c->threads);
    g_array_unref(c->blockers);
    g_array_unref(c->counted);
    g_array_unref(c->samples);
    g_array_unref(c->spans);
    g_array_unref(c->gaps);
    g_array_unref(c->seen);
    g_array_unref(c->damage);
}

static void read_chunk(gpointer data, guint nth)
{
    static const struct pm_visitor visitor = {.on_class = on_class,
                                              .on_method = on_method,
                                              .on_chain = on_chain,
                                              .on_thread = on_thread,
                                              .on_blocker = on_blocker,
                                              .on_times = on_times,
                                              .on_progress = on_progress,
                                              .on_snapshot = on_snapshot,
                                              .on_owner_sample = on_owner_sample,
                                              .on_span = on_span,
                                              .on_gap = on_gap,
                                              .on_damage = on_damage};
    Loading *l = data;
    if (!go_on(l))
        return;
    const guint index = l->order[nth];
    const struct pm_chunk_info *info = pm_reader_chunk(l->reader, index);
    ChunkLoad *c = &l->chunks[index];
    chunk_init(c, l);
    if (l->sums != NULL && !info->overview) {
        c->sums = pm_outline_sums_new(l->sums->from, l->sums->to);
        c->idle = g_new0(struct idle, 1);
        c->idle->blockers = g_hash_table_new(NULL, NULL);
    }
    struct pm_visitor v = visitor;
    v.context = c;
    gint64 end = 0;
    struct pm_error_info error = {0};
    c->result = pm_reader_read_chunk(l->reader, index, &v, &end, &error);
    if (c->result == PM_ERROR_CANCELLED) {
        /* Half a chunk would end in the middle of its waits. */
        return;
    }
    if (c->result == PM_ERROR_MEMORY) {
        g_atomic_int_set(&l->no_memory, 1);
        return;
    }
    c->read = TRUE;
    c->overwritten = c->result == PM_ERROR_OVERWRITTEN;
    if (c->result == PM_OK) {
        /* A chunk whose end is lost ends with what was read: nobody knows how long what was going
         * on there went on. */
        if (!is_end_lost(c))
            c->last = MAX(c->last, end);
    } else if (!c->overwritten) {
        c->damaged += c->damaged == 0;
    }
    g_mutex_lock(&l->lock);
    last_begins_join(&l->last_begins, &c->last_begins);
    if (c->sums != NULL) {
        pm_outline_sums_mark(c->sums, since_begin(l, info->begin_ns), since_begin(l, end));
        pm_outline_sums_join(l->sums, c->sums);
    }
    l->n_summed++;
    g_mutex_unlock(&l->lock);
    chunk_clear_read(c);
    add_done(l, index, FIRST_SHARE);
}

/* ---- the waits ---- */

static void map_ids(guint32 *to, const guint32 *ids, gsize n, const IdMap *map)
{
    for (gsize i = 0; i < n; i++)
        to[i] = id_map_get(map, ids[i]);
}

typedef struct {
    ChunkLoad *chunk;
    PmColumnRows *rows;
    guint64 left; /* a file that grows may have more by now */
} Taking;

static int on_waits(void *context, const struct pm_wait_columns *w)
{
    Taking *t = context;
    Loading *l = t->chunk->loading;
    const gsize n = (gsize)MIN(w->n, t->left), at = t->rows->n;

    go_on(l);
    if (!pm_column_rows_reserve(t->rows, n))
        return PM_ERROR_MEMORY;
#define COLUMN(type, column) (PM_BUILDER_COLUMN(t->rows, type, column) + at)
    gint64 *begins = COLUMN(gint64, BEGIN), *lengths = COLUMN(gint64, LENGTH);
    gint64 *wakes = COLUMN(gint64, WAKE);
    guint8 *kinds = COLUMN(guint8, KIND), *causes = COLUMN(guint8, WAKE_CAUSE);
    for (gsize i = 0; i < n; i++) {
        begins[i] = since_begin(l, w->begin_ns[i]);
        lengths[i] = CLAMP(w->duration_ns[i], 0, MOST_NS);
        const gint64 wake = w->wake_ns[i] != 0 ? since_begin(l, w->wake_ns[i]) : 0;
        wakes[i] = wake != 0 ? 1 + 2 * (begins[i] + lengths[i] - wake) : 0;
    }
    map_ids(COLUMN(guint32, THREAD), w->thread, n, &l->threads);
    map_ids(COLUMN(guint32, BLOCKER), w->blocker, n, &l->blockers);
    map_ids(COLUMN(guint32, CHAIN), w->chain, n, &l->chains);
    map_ids(COLUMN(guint32, OWNER), w->owner, n, &l->threads);
    map_ids(COLUMN(guint32, WAKER), w->waker, n, &l->threads);
    map_ids(COLUMN(guint32, WAKER_CHAIN), w->waker_chain, n, &l->chains);
    memcpy(COLUMN(gint32, AQS_STATE), w->aqs_state, n * sizeof *w->aqs_state);
    memcpy(COLUMN(guint16, FLAGS), w->flags, n * sizeof *w->flags);
    for (gsize i = 0; i < n; i++) {
        kinds[i] = w->kind[i] < PM_N_KINDS ? w->kind[i] : PM_KIND_PARK;
        causes[i] = w->wake_cause[i] < PM_N_WAKE_CAUSES ? w->wake_cause[i] : PM_WAKE_UNKNOWN;
    }
#undef COLUMN
    t->rows->n += n;
    t->left -= n;
    return t->left > 0 ? 0 : ENOUGH;
}

/* The waits' blocks were decoded in part the first time; here what breaks a rule behind that. */
static int on_more_damage(void *context, const struct pm_damage *damage)
{
    ChunkLoad *c = ((Taking *)context)->chunk;
    for (guint i = 0; i < c->damage->len; i++) {
        const PmDamage *known = &g_array_index(c->damage, PmDamage, i);
        if (damage->offset >= known->offset && damage->offset < known->offset + known->length)
            return 0;
    }
    return c->damage->len < PM_MAX_DAMAGE ? on_damage(c, damage) : 0;
}

static void read_waits(guint index, PmColumnRows *rows, gpointer data)
{
    Loading *l = data;
    ChunkLoad *c = &l->chunks[index];
    Taking taking = {.chunk = c, .rows = rows, .left = c->n_waits};

    g_mutex_lock(&l->lock);
    const gboolean wanted = index >= l->first_wanted;
    if (wanted)
        l->first_begun = MIN(l->first_begun, index);
    g_mutex_unlock(&l->lock);
    if (!wanted || !c->read || c->n_waits == 0)
        return;
    struct pm_visitor v = {.context = &taking, .on_waits = on_waits, .on_damage = on_more_damage};
    struct pm_error_info info = {0};
    if (pm_reader_read_chunk(l->reader, index, &v, NULL, &info) == PM_ERROR_MEMORY)
        rows->failed = TRUE;
    add_done(l, index, 8 - FIRST_SHARE);
}

static gint64 limit_of(guint index, gpointer data)
{
    return ((const Loading *)data)->chunks[index].limit;
}

/* ---- joining ---- */

static void join_definitions(Loading *l)
{
    PmAssembly *a = l->assembly;
    for (guint k = 0; k < l->n_chunks; k++) {
        ChunkLoad *c = &l->chunks[k];
        if (!c->read)
            continue;
        for (guint i = 0; i < c->classes->len; i++) {
            const ClassDef *def = &g_array_index(c->classes, ClassDef, i);
            if (id_map_get(&l->classes, def->id) == 0)
                id_map_put(&l->classes, def->id, pm_assembly_add_class(a, def->value.name));
        }
        for (guint i = 0; i < c->methods->len; i++) {
            const MethodDef *def = &g_array_index(c->methods, MethodDef, i);
            if (id_map_get(&l->methods, def->id) == 0)
                id_map_put(&l->methods, def->id,
                           pm_assembly_add_method(a, def->value.class_index, def->value.name,
                                                  def->value.file));
        }
        for (guint i = 0; i < c->chains->len; i++) {
            const ChainDef *def = &g_array_index(c->chains, ChainDef, i);
            if (id_map_get(&l->chains, def->id) == 0)
                id_map_put(&l->chains, def->id,
                           pm_assembly_add_chain(a, def->value.frames, def->value.n_frames,
                                                 def->value.truncated));
        }
        /* A thread may be renamed, a blocker collected: the last word counts. */
        for (guint i = 0; i < c->threads->len; i++) {
            const ThreadDef *def = &g_array_index(c->threads, ThreadDef, i);
            guint32 index = id_map_get(&l->threads, def->id);
            if (index == 0) {
                id_map_put(&l->threads, def->id, pm_assembly_add_thread(a, &def->value));
            } else {
                PmThread *thread = &g_array_index(a->threads, PmThread, index);
                *thread = def->value;
                thread->name = pm_assembly_text(a, def->value.name, strlen(def->value.name));
            }
        }
        for (guint i = 0; i < c->blockers->len; i++) {
            const BlockerDef *def = &g_array_index(c->blockers, BlockerDef, i);
            guint32 index = id_map_get(&l->blockers, def->id);
            if (index == 0)
                id_map_put(&l->blockers, def->id, pm_assembly_add_blocker(a, &def->value));
            else
                g_array_index(a->blockers, PmBlocker, index) = def->value;
        }
    }
    id_map_freeze(&l->classes);
    id_map_freeze(&l->methods);
    id_map_freeze(&l->chains);
    id_map_freeze(&l->threads);
    id_map_freeze(&l->blockers);

    for (guint i = 1; i < a->methods->len; i++) {
        PmMethod *m = &g_array_index(a->methods, PmMethod, i);
        m->class_index = id_map_get(&l->classes, m->class_index);
    }
    for (guint i = 1; i < a->chains->len; i++) {
        PmChain *c = &g_array_index(a->chains, PmChain, i);
        for (guint32 f = 0; f < c->n_frames; f++) {
            PmFrame *frame = (PmFrame *)&c->frames[f];
            frame->method = id_map_get(&l->methods, frame->method);
        }
    }
    for (guint i = 1; i < a->blockers->len; i++) {
        PmBlocker *b = &g_array_index(a->blockers, PmBlocker, i);
        b->class_index = id_map_get(&l->classes, b->class_index);
        b->parent = id_map_get(&l->blockers, b->parent);
        b->first_chain = id_map_get(&l->chains, b->first_chain);
        b->first_thread = id_map_get(&l->threads, b->first_thread);
    }
}

static void join_spans(Loading *l)
{
    PmAssembly *a = l->assembly;
    for (guint k = 0; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->spans->len; i++) {
            const struct pm_span *span = &g_array_index(c->spans, struct pm_span, i);
            gint64 begin = since_begin(l, span->begin_ns);
            gint64 end = span->end_ns != 0 ? since_begin(l, span->end_ns) : a->duration;
            if (span->kind == PM_SPAN_THREAD) {
                guint32 index = id_map_get(&l->threads, span->thread.n);
                PmThread *thread = &g_array_index(a->threads, PmThread, index);
                if (index == 0)
                    continue;
                if (span->begin_ns != 0) {
                    thread->begin = begin;
                    thread->begin_known = TRUE;
                }
                if (span->end_ns != 0) {
                    thread->end = end;
                    thread->ended = TRUE;
                }
                continue;
            }
            PmInterval interval = {begin, end};
            if (span->kind == PM_SPAN_GC && span->end_ns != 0)
                g_array_append_val(a->gc, interval);
            else if (span->kind == PM_SPAN_STOPPED)
                g_array_append_val(a->stopped, interval);
        }
    }
}

/* A span "still stopped" is told again with its end: drop the open one that begins with a closed.
 */
static void close_stopped(Loading *l)
{
    GArray *stopped = l->assembly->stopped;
    for (guint i = 0; i < stopped->len;) {
        PmInterval *open = &g_array_index(stopped, PmInterval, i);
        gboolean closed = FALSE;
        for (guint k = 0; k < stopped->len && open->end == l->assembly->duration && !closed; k++) {
            const PmInterval *other = &g_array_index(stopped, PmInterval, k);
            closed = k != i && other->begin == open->begin && other->end < open->end;
        }
        if (closed)
            g_array_remove_index(stopped, i);
        else
            i++;
    }
}

static int compare_ledger(gconstpointer a, gconstpointer b)
{
    const PmLedgerRow *x = a, *y = b;
    if (x->blocker != y->blocker)
        return x->blocker < y->blocker ? -1 : 1;
    return (x->counters.kind > y->counters.kind) - (x->counters.kind < y->counters.kind);
}

static void join_counters(Loading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GHashTable) last = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint k = 0; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        if (c->read && c->counted_at != G_MININT64)
            a->ledger_at = MAX(a->ledger_at, since_begin(l, c->counted_at));
        for (guint i = 0; c->read && i < c->counted->len; i++) {
            const Counted *counted = &g_array_index(c->counted, Counted, i);
            guint64 key = (guint64)counted->counters.blocker.n << 2 | (counted->counters.kind & 3);
            const Counted *before = g_hash_table_lookup(last, &key);
            if (before == NULL || before->at <= counted->at)
                g_hash_table_insert(last, g_memdup2(&key, sizeof key), (gpointer)counted);
        }
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, last);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmLedgerRow row = {.counters = ((const Counted *)value)->counters};
        row.blocker = id_map_get(&l->blockers, row.counters.blocker.n);
        row.counters.first_ns = since_begin(l, row.counters.first_ns);
        row.counters.last_ns = since_begin(l, row.counters.last_ns);
        if (row.counters.kind >= PM_N_KINDS)
            row.counters.kind = PM_KIND_PARK;
        g_array_append_val(a->ledger, row);
    }
    g_array_sort(a->ledger, compare_ledger);
}

static void join_samples_and_gaps(Loading *l)
{
    PmAssembly *a = l->assembly;
    for (guint k = 0; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->samples->len; i++) {
            const struct pm_owner_sample *from =
                &g_array_index(c->samples, struct pm_owner_sample, i);
            PmOwnerSample sample = {.at = since_begin(l, from->at_ns),
                                    .waiter = id_map_get(&l->threads, from->waiter.n),
                                    .blocker = id_map_get(&l->blockers, from->blocker.n),
                                    .owner = id_map_get(&l->threads, from->owner.n),
                                    .chain = id_map_get(&l->chains, from->chain.n),
                                    .weight = from->weight,
                                    .state = from->owner_state,
                                    .role = from->role};
            g_array_append_val(a->samples, sample);
        }
        for (guint i = 0; c->read && i < c->gaps->len; i++) {
            const struct pm_gap *from = &g_array_index(c->gaps, struct pm_gap, i);
            PmGap gap = {.begin = since_begin(l, from->begin_ns),
                         .end = since_begin(l, from->end_ns),
                         .reason = from->reason,
                         .waits = from->waits,
                         .thread_time = from->thread_time_ns};
            g_array_append_val(a->gaps, gap);
            /* What a file before this one lost or took along is told, but is none of its own. */
            if (pm_gap_is_drop(&gap) && gap.end >= a->window_begin)
                pm_sum_add(&a->facts.dropped, gap.waits);
        }
    }
}

/* A wait in progress lives unless the thread has ended that wait or a later one, or a later list
 * of all waits in progress does not hold it. */
static void join_progress(Loading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GHashTable) latest = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    gint64 complete_at = G_MININT64;
    for (guint k = 0; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        if (!c->read)
            continue;
        complete_at = MAX(complete_at, c->complete_at);
        for (guint i = 0; i < c->seen->len; i++) {
            const Seen *seen = &g_array_index(c->seen, Seen, i);
            gpointer key = GUINT_TO_POINTER(seen->wait.thread.n);
            Seen *known = g_hash_table_lookup(latest, key);
            if (known == NULL) {
                g_hash_table_insert(latest, key, g_memdup2(seen, sizeof *seen));
            } else if (seen->wait.begin_ns > known->wait.begin_ns ||
                       (seen->wait.begin_ns == known->wait.begin_ns && seen->seen >= known->seen)) {
                *known = *seen;
            }
        }
    }
    if (g_hash_table_size(latest) == 0)
        return;

    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, latest);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        Seen *seen = value;
        if (seen->seen < complete_at || *last_begins_at(&l->last_begins, seen->wait.thread.n) >=
                                            since_begin(l, seen->wait.begin_ns))
            continue;
        const struct pm_wait *w = &seen->wait;
        const gint64 begin = since_begin(l, w->begin_ns);
        pm_assembly_add_wait(
            a, &(PmWaitRow){.begin = begin,
                            .end = MAX(a->duration, begin),
                            .thread = id_map_get(&l->threads, w->thread.n),
                            .blocker = id_map_get(&l->blockers, w->blocker.n),
                            .chain = id_map_get(&l->chains, w->chain.n),
                            .owner = id_map_get(&l->threads, w->owner.n),
                            .waker = id_map_get(&l->threads, w->waker.n),
                            .waker_chain = id_map_get(&l->chains, w->waker_chain.n),
                            .aqs_state = w->aqs_state,
                            .flags = w->flags | PM_WAIT_IN_PROGRESS,
                            .kind = w->kind < PM_N_KINDS ? w->kind : PM_KIND_PARK,
                            .wake_cause = w->wake_cause < PM_N_WAKE_CAUSES ? w->wake_cause
                                                                           : PM_WAKE_UNKNOWN});
    }
}

/* "UTC+1", "UTC-03:30". */
static gint64 offset_of_zone(const char *zone)
{
    if (!g_str_has_prefix(zone, "UTC") || (zone[3] != '+' && zone[3] != '-'))
        return 0;
    char *end = NULL;
    gint64 hours = (gint64)g_ascii_strtoull(zone + 4, &end, 10), minutes = 0;
    if (*end == ':')
        minutes = (gint64)g_ascii_strtoull(end + 1, NULL, 10);
    if (hours > 18 || minutes > 59)
        return 0;
    return (zone[3] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

static const char *fact_text(PmAssembly *a, struct pm_text text)
{
    return text.length > 0 ? pm_assembly_text(a, text.bytes, text.length) : "";
}

static void join_facts(Loading *l, const char *name)
{
    PmAssembly *a = l->assembly;
    const struct pm_file_info *info = pm_reader_info(l->reader);
    PmRecordingFacts *f = &a->facts;
    f->file = pm_assembly_text(a, name, strlen(name));
    f->pid = info->facts.pid;
    f->jvm = fact_text(a, info->facts.jvm);
    f->main = fact_text(a, info->facts.main);
    f->host = fact_text(a, info->facts.host);
    f->options = fact_text(a, info->facts.options);
    f->zone = fact_text(a, info->facts.zone);
    f->not_recorded = fact_text(a, info->facts.not_recorded);
    f->begin_unix_ns = CLAMP(info->facts.begin_unix_ns, -MOST_UNIX_NS, MOST_UNIX_NS);
    f->utc_offset_s = offset_of_zone(f->zone);
    f->file_bytes = info->file_size;
    f->n_chunks = l->n_chunks;

    gint64 last = l->base, limit = G_MININT64 + 1;
    for (guint k = 0; k < l->n_chunks; k++) {
        ChunkLoad *c = &l->chunks[k];
        if (c->read) {
            last = MAX(last, c->last);
            limit = MAX(limit, c->last_end);
        }
        c->limit = limit;
    }
    a->duration = MAX(MAX(limit, 0), since_begin(l, last));
}

/* The first instant whose waits are stored, from chunk `first` on. */
static gint64 window_from(const Loading *l, guint first)
{
    gint64 window = G_MAXINT64;
    for (guint k = first; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (c->read && !chunk->overview && !c->overwritten)
            window = MIN(window, chunk->begin_ns);
    }
    return window == G_MAXINT64 ? 0 : since_begin(l, window);
}

/* Once everything was read, both times. */
static void join_damage(const Loading *l, PmRecording *r)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(PmDamage));
    for (guint k = 0; k < l->n_chunks; k++) {
        const ChunkLoad *c = &l->chunks[k];
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (!c->read)
            continue;
        r->facts.damaged_blocks += c->damaged;
        r->facts.lost_bytes += c->lost_bytes;
        for (guint i = 0; i < c->damage->len && all->len < PM_MAX_DAMAGE; i++) {
            PmDamage damage = g_array_index(c->damage, PmDamage, i);
            damage.begin = MAX(damage.begin, since_begin(l, chunk->begin_ns));
            damage.end = MIN(damage.end, since_begin(l, MAX(c->last, chunk->end_ns)));
            damage.end = MAX(damage.end, damage.begin);
            g_array_append_val(all, damage);
        }
    }
    g_free((gpointer)r->damage);
    r->n_damage = all->len;
    r->damage = (PmDamage *)g_array_free(all, FALSE);
}

static PmRecording *join(Loading *l, const char *name)
{
    PmAssembly *a = l->assembly = pm_assembly_new();
    join_facts(l, name);
    join_definitions(l);
    join_spans(l);
    close_stopped(l);
    join_counters(l);
    a->window_begin = window_from(l, 0);
    join_samples_and_gaps(l);
    join_progress(l);
    a->n_threads = l->n_threads;
    a->n_parts = l->n_chunks;
    a->read_part = read_waits;
    a->part_limit = limit_of;
    a->part_data = l;
    PmRecording *r = pm_assembly_finish(a);
    if (r != NULL) {
        join_damage(l, r);
        if (l->first_wanted > 0)
            r->window_begin = MIN(window_from(l, l->first_wanted), r->duration);
    }
    return r;
}

/* ---- errors as sentences ---- */

static void set_error(GError **error, const char *name, int code, const struct pm_error_info *info)
{
    const char *text = info->code != 0 ? info->text : pm_error_name(code);
    switch (code) {
    case PM_ERROR_NOT_A_RECORDING:
        g_set_error(error, PM_RECORDING_ERROR, -code,
                    "%s is not a Parkmeter recording: its first bytes are not a recording's.",
                    name);
        return;
    case PM_ERROR_EMPTY:
        if (info->offset == 0)
            g_set_error(error, PM_RECORDING_ERROR, -code,
                        "%s is empty (0 bytes): the recorder had written nothing yet. Is the JVM "
                        "still running? parkctl PID dump",
                        name);
        else
            g_set_error(error, PM_RECORDING_ERROR, -code,
                        "%s holds no waits yet: it ends after its header. Is the JVM still "
                        "running? parkctl PID dump",
                        name);
        return;
    case PM_ERROR_NEWER:
        g_set_error(error, PM_RECORDING_ERROR, -code, "%s needs a newer Parkmeter: it was %s.",
                    name, info->text[0] != 0 ? info->text : "written by a newer one");
        return;
    case PM_ERROR_TRUNCATED:
        g_set_error(error, PM_RECORDING_ERROR, -code, "%s is cut off: %s.", name, text);
        return;
    case PM_ERROR_MEMORY:
        g_set_error(error, PM_RECORDING_ERROR, -code,
                    "%s is too big for this machine's memory; dump less of it: parkctl PID dump "
                    "maxage=5m",
                    name);
        return;
    case PM_ERROR_CANCELLED:
        g_set_error(error, PM_RECORDING_ERROR, -code, "Reading %s was stopped.", name);
        return;
    default:
        g_set_error(error, PM_RECORDING_ERROR, -code, "%s cannot be read: %s.", name, text);
    }
}

/* ---- loading ---- */

/* From far apart to near, so that what was read so far is spread over the whole: 0, 1/2, 1/4, 3/4,
 * 1/8 … */
static void order_chunks(Loading *l)
{
    guint bits = 0, n = 0;
    l->order = g_new(guint, MAX(l->n_chunks, 1));
    while (1u << bits < l->n_chunks)
        bits++;
    for (guint i = 0; i < 1u << bits; i++) {
        guint index = 0;
        for (guint b = 0; b < bits; b++)
            index |= (i >> b & 1) << (bits - 1 - b);
        if (index < l->n_chunks)
            l->order[n++] = index;
    }
}

static void outline_init(Loading *l)
{
    gint64 from = G_MAXINT64, to = G_MININT64;
    for (guint k = 0; k < l->n_chunks; k++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (chunk->overview)
            continue;
        from = MIN(from, since_begin(l, chunk->begin_ns));
        to = MAX(to, since_begin(l, chunk->end_ns));
    }
    if (from >= to)
        return;
    l->sums = pm_outline_sums_new(from, to);
    l->idle = g_hash_table_new_full(idle_hash, idle_equal, g_free, NULL);
}

PmRecording *pm_recording_load_source(struct pm_source source, const char *name, guint n_threads,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error)
{
    struct pm_error_info info = {.offset = -1};
    Loading l = {.caller = g_thread_self(), .progress = progress, .data = data};
    int result = pm_reader_open(source, &l.reader, &info);
    if (result != PM_OK) {
        if (source.close != NULL)
            source.close(source.context);
        set_error(error, name, result, &info);
        return NULL;
    }
    g_mutex_init(&l.lock);
    l.n_threads = n_threads;
    l.base = pm_reader_info(l.reader)->facts.begin_ns;
    l.n_chunks = l.first_begun = (guint)pm_reader_n_chunks(l.reader);
    l.chunks = g_new0(ChunkLoad, l.n_chunks);
    for (guint k = 0; k < l.n_chunks; k++)
        l.total_bytes += pm_reader_chunk(l.reader, k)->size;
    id_map_init(&l.classes);
    id_map_init(&l.methods);
    id_map_init(&l.chains);
    id_map_init(&l.threads);
    id_map_init(&l.blockers);

    order_chunks(&l);
    if (progress != NULL)
        outline_init(&l);
    pm_workers_run(n_threads, l.n_chunks, read_chunk, &l);
    if (progress != NULL && g_atomic_int_get(&l.cancelled) == 0)
        tell(&l, g_get_monotonic_time()); /* the whole outline */

    PmRecording *recording = NULL;
    gboolean cancelled = g_atomic_int_get(&l.cancelled) != 0;
    if (l.no_memory == 0 && (!cancelled || ret_cancelled != NULL))
        recording = join(&l, name);
    cancelled = g_atomic_int_get(&l.cancelled) != 0;
    if (cancelled && ret_cancelled == NULL)
        g_clear_pointer(&recording, pm_recording_unref);
    if (recording == NULL)
        set_error(error, name, cancelled ? PM_ERROR_CANCELLED : PM_ERROR_MEMORY, &info);
    else if (progress != NULL && !cancelled)
        progress(l.total_bytes, l.total_bytes, NULL, data);
    if (recording != NULL && ret_cancelled != NULL)
        *ret_cancelled = cancelled;

    for (guint k = 0; k < l.n_chunks; k++)
        chunk_clear(&l.chunks[k]);
    g_free(l.chunks);
    id_map_clear(&l.classes);
    id_map_clear(&l.methods);
    id_map_clear(&l.chains);
    id_map_clear(&l.threads);
    id_map_clear(&l.blockers);
    last_begins_clear(&l.last_begins);
    pm_outline_sums_free(l.sums);
    g_clear_pointer(&l.idle, g_hash_table_unref);
    g_free(l.order);
    g_mutex_clear(&l.lock);
    pm_reader_free(l.reader);
    return recording;
}

PmRecording *pm_recording_load(const char *path, guint n_threads, PmLoadProgress progress,
                               gpointer data, gboolean *ret_cancelled, GError **error)
{
    struct pm_source source;
    struct pm_error_info info = {.offset = -1};
    int result = pm_source_open(path, &source, &info);
    if (result != PM_OK) {
        const char *text = info.code != 0 ? info.text : pm_error_name(result);
        if (strstr(text, path) != NULL)
            g_set_error(error, PM_RECORDING_ERROR, -result, "%s.", text);
        else
            g_set_error(error, PM_RECORDING_ERROR, -result, "cannot open %s: %s.", path, text);
        return NULL;
    }
    return pm_recording_load_source(source, path, n_threads, progress, data, ret_cancelled, error);
}
