/* How a recording is put together: the loader fills an assembly from chunks, tests fill one by
 * hand. Indices are dense from 1 and given by the order of the add calls; 0 is "none". */
#pragma once

#include "viewer/analysis/recording.h"

#include "viewer/analysis/category.h"

/* Rows as they come, in pieces small enough to be sorted in the processor's cache: plain while they
 * are filled, mapped and sorted, packed while they wait for that. */
#define PM_SEGMENT_BITS 16
#define PM_SEGMENT_ROWS (1u << PM_SEGMENT_BITS)

typedef struct {
    gint64 begin[PM_SEGMENT_ROWS], end[PM_SEGMENT_ROWS], wake[PM_SEGMENT_ROWS];
    guint32 thread[PM_SEGMENT_ROWS], blocker[PM_SEGMENT_ROWS], chain[PM_SEGMENT_ROWS];
    guint32 owner[PM_SEGMENT_ROWS], waker[PM_SEGMENT_ROWS], waker_chain[PM_SEGMENT_ROWS];
    gint32 aqs_state[PM_SEGMENT_ROWS];
    guint16 flags[PM_SEGMENT_ROWS];
    guint8 kind[PM_SEGMENT_ROWS], wake_cause[PM_SEGMENT_ROWS], category[PM_SEGMENT_ROWS];
    guint32 n;
} PmSegment;

PmSegment *pm_segment_new(void); /* NULL when there is no memory */
void pm_segment_free(PmSegment *segment);
/* The calling thread's own, for work that leaves it empty; kept until the thread ends or forgets
 * it, as pages cost most when they are new. NULL: no memory. */
PmSegment *pm_segment_of_thread(void);
void pm_segment_forget(void);
/* Appends the segment's rows, packed, to `segments` (of PmWaits) and empties it. FALSE: no
 * memory. */
gboolean pm_segment_pack(PmSegment *segment, GPtrArray *segments);
void pm_waits_free(gpointer waits);

/* Row positions of a recording are turned into ids by the loader; see `map_segment`. */
typedef struct {
    gint64 begin, end, wake;
    guint32 thread, blocker, chain, owner, waker, waker_chain;
    gint32 aqs_state;
    guint16 flags;
    guint8 kind, wake_cause;
} PmWaitRow;

typedef struct PmAssembly PmAssembly;
struct PmAssembly {
    PmRecordingFacts facts; /* texts are copied when the assembly is finished */
    gint64 window_begin;
    gint64 ledger_at; /* G_MININT64: no snapshot */
    gint64 duration;  /* 0 = the last instant of its rows */
    GStringChunk *strings;
    GArray *classes, *methods, *chains, *threads, *blockers; /* with element 0 */
    GPtrArray *frames;                                       /* owned arrays of PmFrame */
    GPtrArray *segments;                                     /* of PmWaits, each unsorted */
    PmSegment *open;                                         /* rows not yet in `segments` */
    gboolean no_memory;
    GArray *samples, *gc, *stopped, *gaps, *ledger, *damage;
    guint n_threads; /* workers; 0 = as many as processors */
    /* Turns the ids of a segment's rows into indices; called once per segment, by any worker. */
    void (*map_segment)(PmSegment *segment, gpointer data);
    gpointer map_data;
};

PmAssembly *pm_assembly_new(void);
void pm_assembly_free(PmAssembly *assembly);
const char *pm_assembly_text(PmAssembly *assembly, const char *bytes, gsize length);
guint32 pm_assembly_add_class(PmAssembly *assembly, const char *name);
guint32 pm_assembly_add_method(PmAssembly *assembly, guint32 class_index, const char *name,
                               const char *file);
guint32 pm_assembly_add_chain(PmAssembly *assembly, const PmFrame *frames, guint n_frames,
                              gboolean truncated);
/* Life: set `begin_known`, `ended` and the times; an unknown begin is 0, an unknown end the
 * recording's. */
guint32 pm_assembly_add_thread(PmAssembly *assembly, const PmThread *thread);
guint32 pm_assembly_add_blocker(PmAssembly *assembly, const PmBlocker *blocker);
void pm_assembly_add_wait(PmAssembly *assembly, const PmWaitRow *row);
/* Sorts, names groups, finds sites and categories. Frees the assembly. NULL: no memory. */
PmRecording *pm_assembly_finish(PmAssembly *assembly);

/* What the recording keeps for the analysis and does not show. */
#define PM_END_BLOCK_BITS 12
typedef struct {
    GStringChunk *strings;
    GPtrArray *frames;
    gint64 *block_end;      /* latest end among each 1 << PM_END_BLOCK_BITS rows */
    guint64 *chain_site;    /* the site's frame, packed as PM_ASPECT_SITE's key; 0 = none */
    guint32 *chain_account; /* 1 + index of the account that is charged, 0 = none */
    char **accounts;
    guint32 n_accounts;
    guint64 memory_bytes;
    GMutex lock;         /* of what is made on demand */
    gpointer contention; /* PmContention, or NULL; owned */
    GDestroyNotify contention_free;
} PmRecordingPrivate;

static inline PmRecordingPrivate *pm_recording_private(const PmRecording *recording)
{
    return recording->priv;
}

static inline guint64 pm_frame_pack(PmFrame frame)
{
    return (guint64)frame.method << 32 | (guint32)frame.line;
}
static inline PmFrame pm_frame_unpack(guint64 key)
{
    return (PmFrame){.method = (guint32)(key >> 32), .line = (gint32)(guint32)key};
}

/* Runs `work (data, index)` for each index below `n` on up to `n_threads` threads (0 = as many as
 * processors), the caller's among them. Returns when all are done. */
void pm_workers_run(guint n_threads, guint n, void (*work)(gpointer data, guint index),
                    gpointer data);
