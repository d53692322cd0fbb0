/* Joins what the chunks of a file define: part of the loader (load-private.h). */
#include <string.h>

#include "viewer/analysis/loading/load-private.h"
#include "viewer/analysis/base/sum.h"

#define MOST_FORMER_NAMES 10000
/* The wall clock, so that any instant of the recording can be added to it. */
#define MOST_UNIX_NS (G_MAXINT64 - 8 * PM_MOST_NS)

/* ---- ids to indices ---- */

void pm_id_map_init(PmIdMap *map)
{
    *map = (PmIdMap){.sparse = g_hash_table_new(NULL, NULL)};
}

void pm_id_map_clear(PmIdMap *map)
{
    g_hash_table_unref(map->sparse);
    g_free(map->dense[0]);
    g_free(map->dense[1]);
}

static void id_map_put(PmIdMap *map, guint32 id, guint32 index)
{
    const guint32 half = id >> PM_ID_TOP_BIT;
    guint32 *first = &map->first[half], *n = &map->n[half];
    g_hash_table_insert(map->sparse, GUINT_TO_POINTER(id), GUINT_TO_POINTER(index));
    if (*n == 0 || id < *first) {
        *n = *n ? *n + (*first - id) : 1;
        *first = id;
    } else {
        *n = MAX(*n, id - *first + 1);
    }
}

static void id_map_freeze(PmIdMap *map)
{
    const guint64 room = (guint64)g_hash_table_size(map->sparse) * 16 + 65536;
    GHashTableIter iter;
    gpointer key, index;
    for (guint32 half = 0; half < 2; half++)
        if (map->n[half] < room)
            map->dense[half] = g_new0(guint32, MAX(map->n[half], 1));
    g_hash_table_iter_init(&iter, map->sparse);
    while (g_hash_table_iter_next(&iter, &key, &index)) {
        const guint32 id = GPOINTER_TO_UINT(key), half = id >> PM_ID_TOP_BIT;
        if (map->dense[half])
            map->dense[half][id - map->first[half]] = GPOINTER_TO_UINT(index);
    }
}

/* ---- joining ---- */

/* Has it no name of its own? The recorder names "?" what something still refers to, but its tables
 * do not hold any more; and a virtual thread may be told before its name is known. */
static gboolean is_nameless(const PmThread *thread)
{
    return g_str_equal(thread->name, "?") ||
           (thread->is_virtual && g_str_has_prefix(thread->name, PM_NAMELESS_VIRTUAL));
}

/* A thread that has a name already and another one from now on. */
static void redefine_thread(PmLoading *l, guint32 index, const PmThreadDef *def)
{
    PmAssembly *a = l->assembly;
    PmThread *thread = &g_array_index(a->threads, PmThread, index);
    if (is_nameless(&def->value))
        return;
    const PmFormerName former = {def->at, index, is_nameless(thread) ? "" : thread->name};
    *thread = def->value;
    thread->name = pm_assembly_text(a, def->value.name, strlen(def->value.name));
    if (*former.name && strcmp(former.name, thread->name) != 0 &&
        a->former_names->len < MOST_FORMER_NAMES)
        g_array_append_val(a->former_names, former);
}

/* The Thread.tid of all that are no virtual threads, to where they are; 0: not known yet. */
static GHashTable *platform_threads(const PmLoading *l)
{
    GHashTable *threads = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint k = 0; k < l->n_chunks; k++) {
        PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->threads->len; i++) {
            PmThread *thread = &g_array_index(c->threads, PmThreadDef, i).value;
            if (!thread->is_virtual && thread->tid > 0)
                g_hash_table_insert(threads, &thread->tid, NULL);
        }
    }
    return threads;
}

/* While the recorder comes, the owner of a monitor may be told by its Thread.tid before it is known
 * which thread that is: it is taken for a virtual one, but is the platform thread of that number.
 */
static gboolean is_not_virtual(const PmThread *thread, GHashTable *platform)
{
    return thread->is_virtual && is_nameless(thread) &&
           g_hash_table_contains(platform, &thread->tid);
}

static void join_not_virtual(PmLoading *l, GHashTable *platform)
{
    for (guint k = 0; k < l->n_chunks; k++) {
        PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->threads->len; i++) {
            const PmThreadDef *def = &g_array_index(c->threads, PmThreadDef, i);
            const gpointer index = g_hash_table_lookup(platform, &def->value.tid);
            if (index && is_not_virtual(&def->value, platform) &&
                pm_id_map_get(&l->threads, def->id) == 0)
                id_map_put(&l->threads, def->id, GPOINTER_TO_UINT(index));
        }
    }
}

static void join_definitions(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GHashTable) platform = platform_threads(l);
    for (guint k = 0; k < l->n_chunks; k++) {
        PmChunkLoad *c = &l->chunks[k];
        if (!c->read)
            continue;
        for (guint i = 0; i < c->classes->len; i++) {
            const PmClassDef *def = &g_array_index(c->classes, PmClassDef, i);
            if (pm_id_map_get(&l->classes, def->id) == 0)
                id_map_put(&l->classes, def->id, pm_assembly_add_class(a, def->value.name));
        }
        for (guint i = 0; i < c->methods->len; i++) {
            const PmMethodDef *def = &g_array_index(c->methods, PmMethodDef, i);
            if (pm_id_map_get(&l->methods, def->id) == 0)
                id_map_put(&l->methods, def->id,
                           pm_assembly_add_method(a, def->value.class_index, def->value.name,
                                                  def->value.file));
        }
        for (guint i = 0; i < c->chains->len; i++) {
            const PmChainDef *def = &g_array_index(c->chains, PmChainDef, i);
            if (pm_id_map_get(&l->chains, def->id) == 0)
                id_map_put(&l->chains, def->id,
                           pm_assembly_add_chain(a, def->value.frames, def->value.n_frames,
                                                 def->value.truncated));
        }
        for (guint i = 0; i < c->reached->len; i++) {
            const struct pm_reached *reached = &g_array_index(c->reached, struct pm_reached, i);
            guint32 chain = pm_id_map_get(&l->chains, reached->chain.n);
            PmChain *to = &g_array_index(a->chains, PmChain, chain);
            to->field = chain ? pm_id_map_get(&l->methods, reached->field.n) : 0;
            to->field_frame = reached->frame;
        }
        /* A thread may be renamed, a blocker collected: the last word counts. */
        for (guint i = 0; i < c->threads->len; i++) {
            const PmThreadDef *def = &g_array_index(c->threads, PmThreadDef, i);
            if (g_str_equal(def->value.name, PM_SAMPLER_THREAD) ||
                g_str_equal(def->value.name, PM_SWEEP_THREAD) ||
                is_not_virtual(&def->value, platform))
                continue;
            guint32 index = pm_id_map_get(&l->threads, def->id);
            if (index == 0) {
                index = pm_assembly_add_thread(a, &def->value);
                id_map_put(&l->threads, def->id, index);
            } else {
                redefine_thread(l, index, def);
            }
            if (g_hash_table_contains(platform, &def->value.tid))
                g_hash_table_replace(platform, (gpointer)&def->value.tid, GUINT_TO_POINTER(index));
        }
        for (guint i = 0; i < c->blockers->len; i++) {
            const PmBlockerDef *def = &g_array_index(c->blockers, PmBlockerDef, i);
            guint32 index = pm_id_map_get(&l->blockers, def->id);
            if (index == 0)
                id_map_put(&l->blockers, def->id, pm_assembly_add_blocker(a, &def->value));
            else
                g_array_index(a->blockers, PmBlocker, index) = def->value;
        }
    }
    join_not_virtual(l, platform);
    id_map_freeze(&l->classes);
    id_map_freeze(&l->methods);
    id_map_freeze(&l->chains);
    id_map_freeze(&l->threads);
    id_map_freeze(&l->blockers);

    for (guint i = 1; i < a->methods->len; i++) {
        PmMethod *m = &g_array_index(a->methods, PmMethod, i);
        m->class_index = pm_id_map_get(&l->classes, m->class_index);
    }
    for (guint i = 1; i < a->chains->len; i++) {
        PmChain *c = &g_array_index(a->chains, PmChain, i);
        for (guint32 f = 0; f < c->n_frames; f++) {
            PmFrame *frame = (PmFrame *)&c->frames[f];
            frame->method = pm_id_map_get(&l->methods, frame->method);
        }
    }
    for (guint i = 1; i < a->blockers->len; i++) {
        PmBlocker *b = &g_array_index(a->blockers, PmBlocker, i);
        b->class_index = pm_id_map_get(&l->classes, b->class_index);
        b->parent = pm_id_map_get(&l->blockers, b->parent);
        b->first_chain = pm_id_map_get(&l->chains, b->first_chain);
        b->first_thread = pm_id_map_get(&l->threads, b->first_thread);
    }
}

static void join_folded(PmLoading *l)
{
    for (guint k = 0; k < l->n_chunks; k++) {
        GHashTableIter iter;
        gpointer id;
        if (!l->chunks[k].read || !l->chunks[k].folded)
            continue;
        g_hash_table_iter_init(&iter, l->chunks[k].folded);
        while (g_hash_table_iter_next(&iter, &id, NULL)) {
            const guint64 ids = *(const guint64 *)id;
            const guint64 key = (guint64)pm_id_map_get(&l->blockers, (guint32)(ids >> 32)) << 32 |
                                pm_id_map_get(&l->chains, (guint32)ids);
            g_array_append_val(l->assembly->folded, key);
        }
    }
}

static void join_spans(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->spans->len; i++) {
            const struct pm_span *span = &g_array_index(c->spans, struct pm_span, i);
            gint64 begin = pm_loading_since_begin(l, span->begin_ns);
            gint64 end = span->end_ns != 0 ? pm_loading_since_begin(l, span->end_ns) : a->duration;
            if (span->kind == PM_SPAN_THREAD) {
                guint32 index = pm_id_map_get(&l->threads, span->thread.n);
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
static void close_stopped(PmLoading *l)
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

static guint64 counted_key(pm_blocker_id blocker, guint8 kind)
{
    return (guint64)blocker.n << 2 | (kind & 3);
}

/* The latest PmCounted by counted_key. */
static GHashTable *last_counted(const PmLoading *l)
{
    GHashTable *last = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->counted->len; i++) {
            const PmCounted *counted = &g_array_index(c->counted, PmCounted, i);
            const guint64 key = counted_key(counted->counters.blocker, counted->counters.kind);
            const PmCounted *before = g_hash_table_lookup(last, &key);
            if (!before || before->at <= counted->at)
                g_hash_table_insert(last, g_memdup2(&key, sizeof key), (gpointer)counted);
        }
    }
    return last;
}

static void join_counters(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GHashTable) last = last_counted(l);

    for (guint k = 0; k < l->n_chunks; k++)
        if (l->chunks[k].read && l->chunks[k].counted_at != G_MININT64)
            a->ledger_at = MAX(a->ledger_at, pm_loading_since_begin(l, l->chunks[k].counted_at));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, last);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmLedgerRow row = {.counters = ((const PmCounted *)value)->counters};
        row.blocker = pm_id_map_get(&l->blockers, row.counters.blocker.n);
        row.counters.first_ns = pm_loading_since_begin(l, row.counters.first_ns);
        row.counters.last_ns = pm_loading_since_begin(l, row.counters.last_ns);
        if (row.counters.kind >= PM_N_KINDS)
            row.counters.kind = PM_KIND_PARK;
        g_array_append_val(a->ledger, row);
    }
    g_array_sort(a->ledger, compare_ledger);
}

static void join_small_rows(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        for (guint i = 0; c->read && i < c->samples->len; i++) {
            const struct pm_owner_sample *from =
                &g_array_index(c->samples, struct pm_owner_sample, i);
            PmOwnerSample sample = {.at = pm_loading_since_begin(l, from->at_ns),
                                    .waiter = pm_id_map_get(&l->threads, from->waiter.n),
                                    .blocker = pm_id_map_get(&l->blockers, from->blocker.n),
                                    .owner = pm_id_map_get(&l->threads, from->owner.n),
                                    .chain = pm_id_map_get(&l->chains, from->chain.n),
                                    .weight = from->weight,
                                    .state = from->owner_state,
                                    .role = from->role};
            g_array_append_val(a->samples, sample);
        }
        for (guint i = 0; c->read && i < c->census->len; i++) {
            const struct pm_census_row *from = &g_array_index(c->census, struct pm_census_row, i);
            PmCensusRow row = {.at = pm_loading_since_begin(l, from->at_ns),
                               .since = pm_loading_since_begin(l, from->since_ns),
                               .thread = pm_id_map_get(&l->threads, from->thread.n),
                               .cpu = from->cpu_ns,
                               .run_delay = from->run_delay_ns};
            g_array_append_val(a->census, row);
        }
        for (guint i = 0; c->read && i < c->gaps->len; i++) {
            const struct pm_gap *from = &g_array_index(c->gaps, struct pm_gap, i);
            PmGap gap = {.begin = pm_loading_since_begin(l, from->begin_ns),
                         .end = pm_loading_since_begin(l, from->end_ns),
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

/* Its end was in a block that is lost: since then nobody waits for that. What began before it was
 * recorded may not be counted. */
static gboolean ended_unseen(GHashTable *counted, const PmSeen *seen)
{
    const guint64 key = counted_key(seen->wait.blocker, seen->wait.kind);
    const PmCounted *last = g_hash_table_lookup(counted, &key);

    return last && last->at >= seen->seen && last->counters.now == 0 &&
           !(seen->wait.flags & PM_WAIT_BEGIN_UNKNOWN);
}

/* A wait in progress lives unless the thread has ended that wait or a later one, or a later list
 * of all waits in progress does not hold it; where blocks are lost, as far as the counters say. */
static void join_progress(PmLoading *l)
{
    PmAssembly *a = l->assembly;
    g_autoptr(GHashTable) latest = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) counted = NULL;
    gint64 complete_at = G_MININT64;
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        if (!c->read)
            continue;
        complete_at = MAX(complete_at, c->complete_at);
        if (c->damaged && !counted)
            counted = last_counted(l);
        for (guint i = 0; i < c->seen->len; i++) {
            const PmSeen *seen = &g_array_index(c->seen, PmSeen, i);
            gpointer key = GUINT_TO_POINTER(seen->wait.thread.n);
            PmSeen *known = g_hash_table_lookup(latest, key);
            if (!known)
                g_hash_table_insert(latest, key, g_memdup2(seen, sizeof *seen));
            else if (seen->wait.begin_ns > known->wait.begin_ns ||
                     (seen->wait.begin_ns == known->wait.begin_ns && seen->seen >= known->seen))
                *known = *seen;
        }
    }
    if (g_hash_table_size(latest) == 0)
        return;

    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, latest);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        PmSeen *seen = value;
        if (seen->seen < complete_at ||
            *pm_last_begins_at(&l->last_begins, seen->wait.thread.n) >=
                pm_loading_since_begin(l, seen->wait.begin_ns) ||
            (counted && ended_unseen(counted, seen)))
            continue;
        const struct pm_wait *w = &seen->wait;
        const gint64 begin = pm_loading_since_begin(l, w->begin_ns);
        pm_assembly_add_wait(
            a, &(PmWaitRow){.begin = begin,
                            .end = MAX(a->duration, begin),
                            .wake = w->wake_ns != 0 ? pm_loading_since_begin(l, w->wake_ns) : 0,
                            .thread = pm_id_map_get(&l->threads, w->thread.n),
                            .blocker = pm_id_map_get(&l->blockers, w->blocker.n),
                            .chain = pm_id_map_get(&l->chains, w->chain.n),
                            .owner = pm_id_map_get(&l->threads, w->owner.n),
                            .waker = pm_id_map_get(&l->threads, w->waker.n),
                            .waker_chain = pm_id_map_get(&l->chains, w->waker_chain.n),
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

static void join_facts(PmLoading *l, const char *name)
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
        PmChunkLoad *c = &l->chunks[k];
        if (c->read) {
            last = MAX(last, c->last);
            limit = MAX(limit, c->last_end);
        }
        c->limit = limit;
    }
    a->duration = MAX(MAX(limit, 0), pm_loading_since_begin(l, last));
}

/* The first instant whose waits are stored, from chunk `first` on. */
static gint64 window_from(const PmLoading *l, guint first)
{
    gint64 window = G_MAXINT64;
    for (guint k = first; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (c->read && !chunk->overview && !c->overwritten)
            window = MIN(window, chunk->begin_ns);
    }
    return window == G_MAXINT64 ? 0 : pm_loading_since_begin(l, window);
}

/* Once everything was read, both times. */
static void join_damage(const PmLoading *l, PmRecording *r)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(PmDamage));
    for (guint k = 0; k < l->n_chunks; k++) {
        const PmChunkLoad *c = &l->chunks[k];
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        if (!c->read)
            continue;
        r->facts.damaged_blocks += c->damaged;
        r->facts.lost_bytes += c->lost_bytes;
        for (guint i = 0; i < c->damage->len && all->len < PM_MAX_DAMAGE; i++) {
            PmDamage damage = g_array_index(c->damage, PmDamage, i);
            damage.begin = MAX(damage.begin, pm_loading_since_begin(l, chunk->begin_ns));
            damage.end = MIN(damage.end, pm_loading_since_begin(l, MAX(c->last, chunk->end_ns)));
            damage.end = MAX(damage.end, damage.begin);
            g_array_append_val(all, damage);
        }
    }
    r->n_damage = all->len;
    r->damage = (PmDamage *)g_array_free(all, FALSE);
}

static gint64 limit_of(guint index, gpointer data)
{
    return ((const PmLoading *)data)->chunks[index].limit;
}

/* When cancelled, the first time: nobody knows what was in the other chunks. */
static void leave_out_unread(PmLoading *l)
{
    for (guint k = 0; k < l->n_chunks; k++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(l->reader, k);
        const PmInterval unread = {pm_loading_since_begin(l, chunk->begin_ns),
                                   pm_loading_since_begin(l, chunk->end_ns)};
        if (!l->chunks[k].read && !chunk->overview && unread.begin < unread.end)
            g_array_append_val(l->assembly->stopped, unread);
    }
}

PmRecording *pm_loading_join(PmLoading *l, const char *name)
{
    PmAssembly *a = l->assembly = pm_assembly_new();
    join_facts(l, name);
    join_definitions(l);
    join_folded(l);
    join_spans(l);
    close_stopped(l);
    if (g_atomic_int_get(&l->cancelled))
        leave_out_unread(l);
    join_counters(l);
    a->window_begin = window_from(l, 0);
    join_small_rows(l);
    pm_loading_join_memory(l);
    join_progress(l);
    a->n_threads = l->n_threads;
    a->n_parts = l->n_chunks;
    a->read_part = pm_chunk_load_read_waits;
    a->part_limit = limit_of;
    a->part_data = l;
    PmRecording *r = pm_assembly_finish(a);
    if (r) {
        join_damage(l, r);
        if (l->first_wanted > 0 || l->from > r->window_begin)
            r->window_begin = MIN(MAX(window_from(l, l->first_wanted), l->from), r->duration);
    }
    return r;
}
