/* Shared by the parts of the loader: the file being loaded (load.c), the contents of each chunk
 * (chunk-load.c), and how they are joined (join.c). */
#pragma once

#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/recording/recording-private.h"

/* Nine years in either direction, whatever a file says: differences and sums of a few instants fit.
 */
#define PM_MOST_NS (G_GINT64_CONSTANT(1) << 58)

/* The first pass takes this many eighths of the time for a chunk. */
#define PM_FIRST_SHARE 1

#define PM_ID_TOP_BIT 31

/* Ids are dense in a young recording and sparse in an old one; tables are used while that is cheap.
 * Those of virtual threads have the top bit, and follow one another too. */
typedef struct {
    GHashTable *sparse;
    guint32 *dense[2];      /* by the top bit; NULL: all are in the hash table */
    guint32 first[2], n[2]; /* what a table begins with, how much it holds */
} PmIdMap;

/* Definitions have ids here, in the fields that will hold indices. */
typedef struct {
    guint32 id;
    PmClass value;
} PmClassDef;
typedef struct {
    guint32 id;
    PmMethod value;
} PmMethodDef;
typedef struct {
    guint32 id;
    PmChain value;
} PmChainDef;
typedef struct {
    guint32 id;
    gint64 at; /* since the begin: everything read before had ended by then */
    PmThread value;
} PmThreadDef;
/* A virtual thread without a name is called so, with its number, as by its toString(). */
#define PM_NAMELESS_VIRTUAL "VirtualThread[#"
/* A platform thread whose name is empty. */
#define PM_NAMELESS "(unnamed)"
typedef struct {
    guint32 id;
    PmBlocker value;
} PmBlockerDef;

typedef struct {
    gint64 at;
    struct pm_counters counters;
} PmCounted;

/* A memory snapshot, or part of one, and which of the chunk's cells it contains. */
typedef struct {
    gint64 at;
    struct pm_memory_head head;
    guint chunk, first_cell, n_cells;
} PmTold;

/* A part of a listing of what lives. */
typedef struct {
    gint64 at;
    gboolean complete;
    guint first, n; /* of the chunk's */
} PmListed;

typedef struct {
    gint64 at, thread_time;
} PmLastCount;

typedef struct {
    struct pm_wait wait;
    gint64 seen;
} PmSeen;

/* For each thread, by id, the begin of its last ended wait; G_MININT64 = none. A table, for ids
 * without the top bit and with it, while they are small. */
typedef struct {
    gint64 *table[2];
    guint32 n[2];
    GHashTable *others;
} PmLastBegins;

typedef struct PmLoading PmLoading;

typedef struct {
    PmLoading *loading;
    gboolean read; /* to its end, or as far as it was right */
    gboolean overwritten;
    GStringChunk *strings;
    GArray *classes, *methods, *chains, *threads, *blockers;
    GArray *counted, *samples, *census, *reached, *spans, *gaps, *seen, *damage;
    GArray *allocations, *told, *cells, *listed, *live;
    /* Ids: blocker << 32 | chain of the waits for blockers that stand for many, and those blockers
     * << 32 alone; NULL: none. `folded_bits`: 1 << the last bits of those. */
    GHashTable *folded;
    guint64 folded_bits;
    PmLastBegins last_begins; /* while it is read, as the next */
    PmOutlineSums *sums;      /* NULL: not needed, or the chunk has no waits */
    struct pm_idle *idle;     /* chunk-load.c */
    gint64 complete_at;       /* of the last complete progress block, MIN = none */
    gint64 counted_at;        /* of the last snapshot, MIN = none */
    gint64 last;              /* latest instant mentioned, as recorded */
    guint64 n_waits;
    gint64 last_end; /* of a wait; since the begin */
    gint64 limit;    /* the same of this chunk and all before it */
    guint32 damaged;
    guint64 lost_bytes;
    int result;
} PmChunkLoad;

struct PmLoading {
    struct pm_reader *reader;
    gint64 base; /* the recording's begin on its own clock */
    guint n_chunks, n_threads;
    guint n_order;
    guint *order;      /* in which chunks are read the first time */
    gboolean outlined; /* the caller, if told of the progress, wants an outline */
    PmChunkLoad *chunks;
    PmIdMap classes, methods, chains, threads, blockers;
    GMutex lock;
    PmLastBegins last_begins; /* under the lock while chunks are read, like the next */
    PmOutlineSums *sums;
    guint n_summed, n_outlined; /* chunks in the sums, in the last outline told */
    GHashTable *idle;           /* IdleKey → 1 + whether such waits are idle */
    GHashTable *last_counts;    /* blocker and kind → PmLastCount; before the first pass */
    /* The waits are read from the last chunk to the first: the first that is being read, and, when
     * cancelled, the first that was; under the lock. Of the end alone, the first from the beginning
     * on. */
    guint first_begun, first_wanted;
    gint64 from; /* waits that ended before are left out; G_MININT64: none */
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

/* ---- load.c ---- */

/* An instant of the file, ns since the begin. */
static inline gint64 pm_loading_since_begin(const PmLoading *loading, gint64 ns)
{
    gint64 at = 0;
    if (__builtin_sub_overflow(ns, loading->base, &at))
        at = ns < 0 ? -PM_MOST_NS : PM_MOST_NS;
    return CLAMP(at, -PM_MOST_NS, PM_MOST_NS);
}
/* Reports progress occasionally. FALSE: loading was cancelled. */
gboolean pm_loading_go_on(PmLoading *loading);
void pm_loading_add_done(PmLoading *loading, guint index, guint eighths);

/* ---- chunk-load.c ---- */

/* Adds estimates from the counters of a chunk to loading->sums, chunk after chunk, before they are
 * read. Cost: decoding its definitions and counters; waits are skipped. */
void pm_chunk_load_estimate(PmLoading *loading, guint index);
/* Reads everything in the `nth` chunk of loading->order except the waits, of which only the times
 * are decoded. */
void pm_chunk_load_read(gpointer loading, guint nth);
/* Appends its waits, whose ids are all known by now. */
void pm_chunk_load_read_waits(guint index, PmColumnRows *rows, gpointer loading);
void pm_chunk_load_clear(PmChunkLoad *chunk);
/* For loading->idle, empty. Owned. */
GHashTable *pm_chunk_load_idle_new(void);

/* The place of a thread's begin. */
gint64 *pm_last_begins_at(PmLastBegins *last, guint32 thread);
void pm_last_begins_clear(PmLastBegins *last);

/* ---- join-memory.c ---- */

/* Of a chunk's visitor. */
int pm_chunk_load_on_allocation(void *chunk, const struct pm_allocation *allocation);
int pm_chunk_load_on_memory(void *chunk, const struct pm_memory_snapshot *snapshot);
int pm_chunk_load_on_live(void *chunk, const struct pm_live_objects *live);
/* Adds allocations, memory snapshots and the last complete listing of live objects to the assembly.
 */
void pm_loading_join_memory(PmLoading *loading);

/* ---- join.c ---- */

void pm_id_map_init(PmIdMap *map);
void pm_id_map_clear(PmIdMap *map);
/* The index of an id of the file; 0 = none. */
static inline guint32 pm_id_map_get(const PmIdMap *map, guint32 id)
{
    const guint32 half = id >> PM_ID_TOP_BIT, at = id - map->first[half];
    if (map->dense[half])
        return at < map->n[half] ? map->dense[half][at] : 0;
    return GPOINTER_TO_UINT(g_hash_table_lookup(map->sparse, GUINT_TO_POINTER(id)));
}
/* Makes a recording named `name` from all chunks that were read. NULL: no memory. */
PmRecording *pm_loading_join(PmLoading *loading, const char *name);
