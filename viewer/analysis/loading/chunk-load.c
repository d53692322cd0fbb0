/* Reads the contents of one chunk: part of the loader (load-private.h). */
#include <string.h>

#include "viewer/analysis/loading/load-private.h"

#define MOST_TABLED 65536
#define ENOUGH      1 /* a visitor wants no more */

/* ---- the last begin of each thread ---- */

void pm_last_begins_clear(PmLastBegins *last)
{
    g_free(last->table[0]);
    g_free(last->table[1]);
    g_clear_pointer(&last->others, g_hash_table_unref);
    *last = (PmLastBegins){0};
}

gint64 *pm_last_begins_at(PmLastBegins *last, guint32 thread)
{
    const guint32 half = thread >> PM_ID_TOP_BIT, at_half = thread & G_MAXINT32;
    gint64 **table = &last->table[half];
    guint32 *n = &last->n[half];
    if (at_half < *n)
        return &(*table)[at_half];
    if (at_half < MOST_TABLED) {
        const guint32 more = MAX(at_half + 1, MIN(2 * *n, MOST_TABLED));
        *table = g_renew(gint64, *table, more);
        while (*n < more)
            (*table)[(*n)++] = G_MININT64;
        return &(*table)[at_half];
    }
    if (!last->others)
        last->others = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    gint64 *at = g_hash_table_lookup(last->others, GUINT_TO_POINTER(thread));
    if (!at) {
        at = g_new(gint64, 1);
        *at = G_MININT64;
        g_hash_table_insert(last->others, GUINT_TO_POINTER(thread), at);
    }
    return at;
}

static void last_begins_join(PmLastBegins *last, const PmLastBegins *from)
{
    for (guint32 half = 0; half < 2; half++) {
        for (guint32 i = 0; i < from->n[half]; i++) {
            gint64 *at = pm_last_begins_at(last, half << PM_ID_TOP_BIT | i);
            *at = MAX(*at, from->table[half][i]);
        }
    }
    if (!from->others)
        return;
    GHashTableIter iter;
    gpointer thread, begin;
    g_hash_table_iter_init(&iter, from->others);
    while (g_hash_table_iter_next(&iter, &thread, &begin)) {
        gint64 *at = pm_last_begins_at(last, GPOINTER_TO_UINT(thread));
        *at = MAX(*at, *(const gint64 *)begin);
    }
}

/* ---- definitions ---- */

static const char *take_text(PmChunkLoad *c, struct pm_text text)
{
    if (text.length == 0)
        return "";
    if (!memchr(text.bytes, 0, text.length) &&
        g_utf8_validate(text.bytes, (gssize)text.length, NULL))
        return g_string_chunk_insert_len(c->strings, text.bytes, (gssize)text.length);
    /* The file may hold anything; the screen wants UTF-8. */
    g_autofree char *valid = g_utf8_make_valid(text.bytes, (gssize)text.length);
    return g_string_chunk_insert(c->strings, valid);
}

static int on_class(void *context, const struct pm_class *value)
{
    PmChunkLoad *c = context;
    PmClassDef def = {value->id.n, {take_text(c, value->name)}};
    g_array_append_val(c->classes, def);
    return 0;
}

static int on_method(void *context, const struct pm_method *value)
{
    PmChunkLoad *c = context;
    PmMethodDef def = {value->id.n,
                       {value->class_id.n, take_text(c, value->name), take_text(c, value->file)}};
    g_array_append_val(c->methods, def);
    return 0;
}

static int on_chain(void *context, const struct pm_chain *value)
{
    PmChunkLoad *c = context;
    PmFrame *frames = g_new(PmFrame, MAX(value->n_frames, 1));
    for (guint32 i = 0; i < value->n_frames; i++)
        frames[i] = (PmFrame){value->frames[i].method.n, value->frames[i].line};
    PmChainDef def = {
        value->id.n,
        {.n_frames = value->n_frames, .truncated = value->truncated, .frames = frames}};
    g_array_append_val(c->chains, def);
    return 0;
}

static int on_thread(void *context, const struct pm_thread *value)
{
    PmChunkLoad *c = context;
    struct pm_text name = value->name;
    char number[48];
    if (name.length == 0 && value->is_virtual) { /* as most are */
        g_snprintf(number, sizeof number, PM_NAMELESS_VIRTUAL "%" G_GINT64_FORMAT "]", value->tid);
        name = (struct pm_text){number, (uint32_t)strlen(number)};
    } else if (name.length == 0) {
        name = (struct pm_text){PM_NAMELESS, (uint32_t)strlen(PM_NAMELESS)};
    }
    PmThreadDef def = {value->id.n,
                       MAX(pm_loading_since_begin(c->loading, c->last), c->last_end),
                       {.tid = value->tid,
                        .name = take_text(c, name),
                        .is_virtual = value->is_virtual,
                        .is_daemon = value->is_daemon}};
    g_array_append_val(c->threads, def);
    return 0;
}

static void add_folded(PmChunkLoad *c, guint32 blocker, guint32 chain)
{
    const guint64 key = (guint64)blocker << 32 | chain;
    if (!c->folded)
        c->folded = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (!g_hash_table_contains(c->folded, &key))
        g_hash_table_add(c->folded, g_memdup2(&key, sizeof key));
    c->folded_bits |= UINT64_C(1) << (blocker & 63);
}

static gboolean is_folded(const PmChunkLoad *c, guint32 blocker)
{
    const guint64 key = (guint64)blocker << 32;
    return (c->folded_bits >> (blocker & 63) & 1) != 0 && g_hash_table_contains(c->folded, &key);
}

static int on_blocker(void *context, const struct pm_blocker *value)
{
    PmChunkLoad *c = context;
    if ((value->flags & PM_BLOCKER_FOLDED) != 0)
        add_folded(c, value->id.n, 0);
    PmBlockerDef def = {value->id.n,
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
    guint32 class_id, chain, kind;
} IdleKey;

static guint idle_hash(gconstpointer key)
{
    const IdleKey *k = key;
    return (k->class_id * 31 + k->chain) * 31 + k->kind;
}

static gboolean idle_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(IdleKey)) == 0;
}

GHashTable *pm_chunk_load_idle_new(void)
{
    return g_hash_table_new_full(idle_hash, idle_equal, g_free, NULL);
}

/* A small direct-mapped cache answers nearly all rows. */
#define IDLE_BITS 12
struct pm_idle {
    GHashTable *blockers; /* id → 1 + its place among the chunk's; made so far */
    guint n_blockers;
    guint64 keys[1 << IDLE_BITS];
    guint32 kinds[1 << IDLE_BITS]; /* 0 = free, else 1 + kind */
    guint8 values[1 << IDLE_BITS];
};

static const char *class_name_of(const PmChunkLoad *c, guint32 id)
{
    for (guint i = c->classes->len; i-- > 0;) {
        const PmClassDef *def = &g_array_index(c->classes, PmClassDef, i);
        if (def->id == id)
            return def->value.name;
    }
    return "";
}

static char *method_name_of(const PmChunkLoad *c, guint32 id)
{
    for (guint i = c->methods->len; i-- > 0;) {
        const PmMethodDef *def = &g_array_index(c->methods, PmMethodDef, i);
        if (def->id == id)
            return g_strconcat(class_name_of(c, def->value.class_index), ".", def->value.name,
                               NULL);
    }
    return g_strdup("");
}

/* A chunk defines what it mentions. Asked once for each key of the file, so it may look around. */
static gboolean idle_ask(const PmChunkLoad *c, const IdleKey *key)
{
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);
    for (guint i = c->chains->len; i-- > 0;) {
        const PmChainDef *def = &g_array_index(c->chains, PmChainDef, i);
        if (def->id != key->chain)
            continue;
        for (guint32 f = 0; f < def->value.n_frames; f++)
            g_ptr_array_add(frames, method_name_of(c, def->value.frames[f].method));
        break;
    }
    return pm_category_is_idle(pm_category_of(class_name_of(c, key->class_id),
                                              (const char *const *)frames->pdata, frames->len,
                                              (int)key->kind));
}

static const PmBlockerDef *idle_blocker(struct pm_idle *idle, const PmChunkLoad *c, guint32 blocker)
{
    for (; idle->n_blockers < c->blockers->len; idle->n_blockers++)
        g_hash_table_insert(
            idle->blockers,
            GUINT_TO_POINTER(g_array_index(c->blockers, PmBlockerDef, idle->n_blockers).id),
            GUINT_TO_POINTER(idle->n_blockers + 1));
    const guint at =
        GPOINTER_TO_UINT(g_hash_table_lookup(idle->blockers, GUINT_TO_POINTER(blocker)));
    return at != 0 ? &g_array_index(c->blockers, PmBlockerDef, at - 1) : NULL;
}

static gboolean is_idle(PmChunkLoad *c, guint32 blocker, guint32 chain, guint8 kind)
{
    PmLoading *l = c->loading;
    struct pm_idle *idle = c->idle;
    const guint64 whole = (guint64)blocker << 32 | chain;
    const guint slot =
        (guint)((whole * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15)) >> (64 - IDLE_BITS));
    if (idle->kinds[slot] == 1u + kind && idle->keys[slot] == whole)
        return idle->values[slot];

    const PmBlockerDef *def = idle_blocker(idle, c, blocker);
    const IdleKey key = {
        .class_id = def ? def->value.class_index : 0, .chain = chain, .kind = kind};
    g_mutex_lock(&l->lock);
    gpointer known = g_hash_table_lookup(l->idle, &key);
    g_mutex_unlock(&l->lock);
    if (!known) {
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
    PmChunkLoad *c = context;
    PmLoading *l = c->loading;
    if (!pm_loading_go_on(l))
        return PM_ERROR_CANCELLED;

    gint64 first = G_MAXINT64, last = c->last_end;
    guint32 thread = 0;
    gint64 *last_begin = NULL;
    for (gsize i = 0; i < w->n; i++) {
        const gint64 begin = pm_loading_since_begin(l, w->begin_ns[i]);
        const gint64 end = begin + CLAMP(w->duration_ns[i], 0, PM_MOST_NS);
        first = MIN(first, end);
        last = MAX(last, end);
        if (!last_begin || w->thread[i] != thread) {
            thread = w->thread[i];
            last_begin = pm_last_begins_at(&c->last_begins, thread);
        }
        *last_begin = MAX(*last_begin, begin);
        if (is_folded(c, w->blocker[i]))
            add_folded(c, w->blocker[i], w->chain[i]);
        if (c->sums && !is_idle(c, w->blocker[i], w->chain[i], w->kind[i]))
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
    PmChunkLoad *c = context;
    for (gsize i = 0; i < n; i++) {
        PmSeen seen = {waits[i], at_ns};
        g_array_append_val(c->seen, seen);
    }
    if (complete)
        c->complete_at = MAX(c->complete_at, at_ns);
    c->last = MAX(c->last, at_ns);
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    PmChunkLoad *c = context;
    c->counted_at = MAX(c->counted_at, snapshot->at_ns);
    for (gsize i = 0; i < snapshot->n_counters; i++) {
        PmCounted counted = {snapshot->at_ns, snapshot->counters[i]};
        g_array_append_val(c->counted, counted);
    }
    return pm_loading_go_on(c->loading) ? 0 : PM_ERROR_CANCELLED;
}

static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    g_array_append_val(((PmChunkLoad *)context)->samples, *sample);
    return 0;
}

static int on_reached(void *context, const struct pm_reached *reached)
{
    g_array_append_val(((PmChunkLoad *)context)->reached, *reached);
    return 0;
}

static int on_census(void *context, const struct pm_census_row *row)
{
    g_array_append_val(((PmChunkLoad *)context)->census, *row);
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    g_array_append_val(((PmChunkLoad *)context)->spans, *span);
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_val(((PmChunkLoad *)context)->gaps, *gap);
    return 0;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    PmChunkLoad *c = context;
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
static gboolean is_end_lost(const PmChunkLoad *c)
{
    return c->damage->len > 0 &&
           g_array_index(c->damage, PmDamage, c->damage->len - 1).end == G_MAXINT64;
}

#define LIST(field, type)                                                                          \
    {                                                                                              \
        G_STRUCT_OFFSET(PmChunkLoad, field), sizeof(type)                                          \
    }
static const struct {
    gsize offset;
    guint size;
} lists[] = {LIST(classes, PmClassDef),
             LIST(methods, PmMethodDef),
             LIST(chains, PmChainDef),
             LIST(threads, PmThreadDef),
             LIST(blockers, PmBlockerDef),
             LIST(counted, PmCounted),
             LIST(samples, struct pm_owner_sample),
             LIST(reached, struct pm_reached),
             LIST(census, struct pm_census_row),
             LIST(allocations, struct pm_allocation),
             LIST(told, PmTold),
             LIST(cells, struct pm_memory_cell),
             LIST(listed, PmListed),
             LIST(live, struct pm_allocation),
             LIST(spans, struct pm_span),
             LIST(gaps, struct pm_gap),
             LIST(seen, PmSeen),
             LIST(damage, PmDamage)};

static void chunk_load_init(PmChunkLoad *c, PmLoading *l)
{
    c->loading = l;
    c->strings = g_string_chunk_new(4096);
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
        G_STRUCT_MEMBER(GArray *, c, lists[i].offset) = g_array_new(FALSE, FALSE, lists[i].size);
    c->complete_at = c->counted_at = c->last = c->last_end = G_MININT64;
}

/* Frees what only the first reading needs. */
static void clear_first(PmChunkLoad *c)
{
    pm_last_begins_clear(&c->last_begins);
    g_clear_pointer(&c->sums, pm_outline_sums_free);
    if (c->idle)
        g_hash_table_unref(c->idle->blockers);
    g_clear_pointer(&c->idle, g_free);
}

void pm_chunk_load_clear(PmChunkLoad *c)
{
    if (!c->strings)
        return;
    for (guint i = 0; i < c->chains->len; i++)
        g_free((gpointer)g_array_index(c->chains, PmChainDef, i).value.frames);
    clear_first(c);
    g_clear_pointer(&c->folded, g_hash_table_unref);
    g_string_chunk_free(c->strings);
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
        g_array_unref(G_STRUCT_MEMBER(GArray *, c, lists[i].offset));
}

static void idle_init(PmChunkLoad *c)
{
    c->idle = g_new0(struct pm_idle, 1);
    c->idle->blockers = g_hash_table_new(NULL, NULL);
}

/* ---- before the first time ---- */

/* Counters rise; what a blocker's rose by between two snapshots was waited between them, and a
 * blocker is in each snapshot for as long as threads wait for it. Those that are idle are told by
 * the stack trace of its first wait. */
static int on_counts(void *context, const struct pm_snapshot *snapshot)
{
    PmChunkLoad *c = context;
    PmLoading *l = c->loading;
    const gint64 at = pm_loading_since_begin(l, snapshot->at_ns);
    for (gsize i = 0; i < snapshot->n_counters; i++) {
        const struct pm_counters *now = &snapshot->counters[i];
        const guint64 key = (guint64)now->blocker.n << 2 | (now->kind & 3);
        const PmBlockerDef *def = idle_blocker(c->idle, c, now->blocker.n);
        PmLastCount *last = g_hash_table_lookup(l->last_counts, &key);
        if (!last) {
            last = g_new(PmLastCount, 1);
            *last = (PmLastCount){pm_loading_since_begin(l, now->first_ns), 0};
            g_hash_table_insert(l->last_counts, g_memdup2(&key, sizeof key), last);
        }
        /* What was waited before the file's first chunk is nowhere in it. */
        if (last->at >= l->sums->from && at > last->at && now->thread_time_ns > last->thread_time &&
            def && !is_idle(c, now->blocker.n, def->value.first_chain, now->kind))
            pm_outline_sums_guess(l->sums, last->at, at,
                                  pm_difference(now->thread_time_ns, last->thread_time));
        *last = (PmLastCount){at, now->thread_time_ns};
    }
    return pm_loading_go_on(l) ? 0 : PM_ERROR_CANCELLED;
}

void pm_chunk_load_estimate(PmLoading *l, guint index)
{
    PmChunkLoad chunk = {0};
    const struct pm_visitor visitor = {.context = &chunk,
                                       .on_class = on_class,
                                       .on_method = on_method,
                                       .on_chain = on_chain,
                                       .on_blocker = on_blocker,
                                       .on_snapshot = on_counts};
    struct pm_error_info error = {0};

    if (pm_reader_chunk(l->reader, index)->overview)
        return;
    chunk_load_init(&chunk, l);
    idle_init(&chunk);
    pm_reader_read_chunk(l->reader, index, &visitor, NULL, &error);
    pm_chunk_load_clear(&chunk);
}

/* ---- the first time, chunk by chunk ---- */

void pm_chunk_load_read(gpointer data, guint nth)
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
                                              .on_reached = on_reached,
                                              .on_census = on_census,
                                              .on_allocation = pm_chunk_load_on_allocation,
                                              .on_memory = pm_chunk_load_on_memory,
                                              .on_live = pm_chunk_load_on_live,
                                              .on_span = on_span,
                                              .on_gap = on_gap,
                                              .on_damage = on_damage};
    PmLoading *l = data;
    if (!pm_loading_go_on(l))
        return;
    const guint index = l->order[nth];
    const struct pm_chunk_info *info = pm_reader_chunk(l->reader, index);
    PmChunkLoad *c = &l->chunks[index];
    chunk_load_init(c, l);
    if (l->sums && !info->overview) {
        c->sums = pm_outline_sums_new(l->sums->from, l->sums->to);
        idle_init(c);
    }
    struct pm_visitor v = visitor;
    v.context = c;
    gint64 end = 0;
    struct pm_error_info error = {0};
    c->last = info->begin_ns;
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
    if (c->sums) {
        pm_outline_sums_mark(c->sums, pm_loading_since_begin(l, info->begin_ns),
                             pm_loading_since_begin(l, end));
        pm_outline_sums_join(l->sums, c->sums);
    }
    l->n_summed++;
    g_mutex_unlock(&l->lock);
    clear_first(c);
    pm_loading_add_done(l, index, PM_FIRST_SHARE);
}

/* ---- the waits ---- */

static void map_ids(guint32 *to, const guint32 *ids, gsize n, const PmIdMap *map)
{
    for (gsize i = 0; i < n; i++)
        to[i] = pm_id_map_get(map, ids[i]);
}

typedef struct {
    PmChunkLoad *chunk;
    PmColumnRows *rows;
    guint64 left; /* a file that grows may have more by now */
} Taking;

static int on_waits(void *context, const struct pm_wait_columns *w)
{
    Taking *t = context;
    PmLoading *l = t->chunk->loading;
    const gsize n = (gsize)MIN(w->n, t->left), at = t->rows->n;

    pm_loading_go_on(l);
    t->left -= n;
    if (!pm_column_rows_reserve(t->rows, n))
        return PM_ERROR_MEMORY;
#define COLUMN(type, column) (PM_BUILDER_COLUMN(t->rows, type, column) + at)
    gint64 *begins = COLUMN(gint64, BEGIN), *lengths = COLUMN(gint64, LENGTH);
    gint64 *wakes = COLUMN(gint64, WAKE);
    guint8 *kinds = COLUMN(guint8, KIND), *causes = COLUMN(guint8, WAKE_CAUSE);
    for (gsize i = 0; i < n; i++) {
        begins[i] = pm_loading_since_begin(l, w->begin_ns[i]);
        lengths[i] = CLAMP(w->duration_ns[i], 0, PM_MOST_NS);
        const gint64 wake = w->wake_ns[i] != 0 ? pm_loading_since_begin(l, w->wake_ns[i]) : 0;
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
    if (l->from > G_MININT64)
        pm_column_rows_leave_out(t->rows, at, l->from);
    return t->left > 0 ? 0 : ENOUGH;
}

/* The waits' blocks were decoded in part the first time; here what breaks a rule behind that. */
static int on_more_damage(void *context, const struct pm_damage *damage)
{
    PmChunkLoad *c = ((Taking *)context)->chunk;
    for (guint i = 0; i < c->damage->len; i++) {
        const PmDamage *known = &g_array_index(c->damage, PmDamage, i);
        if (damage->offset >= known->offset && damage->offset < known->offset + known->length)
            return 0;
    }
    return c->damage->len < PM_MAX_DAMAGE ? on_damage(c, damage) : 0;
}

void pm_chunk_load_read_waits(guint index, PmColumnRows *rows, gpointer data)
{
    PmLoading *l = data;
    PmChunkLoad *c = &l->chunks[index];
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
    pm_loading_add_done(l, index, 8 - PM_FIRST_SHARE);
}
