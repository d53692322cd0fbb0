/* How a recording is put together: the loader fills an assembly from chunks, tests fill one by
 * hand. Indices are dense from 1 and given by the order of the add calls; 0 is "none". */
#pragma once

#include "viewer/analysis/recording/recording.h"

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/column-builder.h"

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
    PmColumnRows rows;                                       /* added one by one */
    GArray *samples, *census, *gc, *stopped, *gaps, *ledger, *former_names;
    GArray *allocations, *snapshots, *cells, *live; /* snapshots by time */
    gint64 listed_at;
    /* Of the waits of the parts for blockers that stand for many: blocker << 32 | chain, in any
     * order and as often as one likes. */
    GArray *folded;
    guint n_threads; /* workers; 0 = as many as processors */
    /* Rows in the order they ended, in this many parts: `read_part` appends those of a part; no
     * other row of this or an earlier part ends after `part_limit`. Called once per part, by any
     * worker. */
    guint n_parts;
    void (*read_part)(guint index, PmColumnRows *rows, gpointer data);
    gint64 (*part_limit)(guint index, gpointer data);
    gpointer part_data;
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

/* Private to excerpt.c. */
typedef struct PmExcerpt PmExcerpt;
void pm_excerpt_free(PmExcerpt *excerpt);

/* Private data that the recording stores for the analysis. */
typedef struct {
    GStringChunk *strings;
    GPtrArray *frames;
    GArray *stores;        /* of PmPackedStore: the storage of the wait columns */
    gint64 *block_end;     /* latest end among the rows of each packed block */
    guint32 *chain_method; /* the site's, the first of its name and class; 0 = none */
    guint64 *chain_site;   /* the site's frame, packed as PM_ASPECT_SITE's key; 0 = none */
    guint8 *chain_room;    /* whether it waits there for room in a queue */
    guint32 *alike;        /* for each blocker, the first of its similar ones: same class, first
                            * waited for by the same method */
    guint32 *n_alike;      /* for the first of similar blockers, how many were waited for; those
                            * that stand for many do not count */
    guint8 *n_folded;      /* for it: how many of them stand for many, up to 2 */
    guint32 *alike_field;  /* for it: the field through which all were first waited for; 0: unknown,
                            * or several */
    guint32 *counted_as; /* for each blocker, the one whose counters its waits are in: of many that
                          * the recorder put together, those of another site are a blocker apart */
    gconstpointer charges; /* private to code/account.c, atomic; NULL = not used yet */
    gpointer own_code;     /* private to code/own-code.c, the same; owned by the data set */
    guint8 *pools;         /* slices/summary.c's, the same */
    PmExcerpt *excerpt; /* of a recording that is one (excerpt.h): what it borrows is not its own */
    GMutex lock;        /* for what is created on demand and stored in the recording's GLib data
                         * set */
} PmRecordingPrivate;

static inline PmRecordingPrivate *pm_recording_private(const PmRecording *recording)
{
    return recording->priv;
}
/* The one whose tables it has: of an excerpt the whole, else itself. */
const PmRecording *pm_recording_whole(const PmRecording *recording);

/* The block that contains a row, its first row and the one after its last. */
static inline gsize pm_recording_block(const PmRecording *recording, gsize row)
{
    return (row + recording->waits.columns[0].pad) >> PM_PACKED_BITS;
}
static inline gsize pm_recording_block_begin(const PmRecording *recording, gsize block)
{
    return block == 0 ? 0 : (block << PM_PACKED_BITS) - recording->waits.columns[0].pad;
}
static inline gsize pm_recording_block_end(const PmRecording *recording, gsize block)
{
    return ((block + 1) << PM_PACKED_BITS) - recording->waits.columns[0].pad;
}

static inline guint64 pm_frame_pack(PmFrame frame)
{
    return (guint64)frame.method << 32 | (guint32)frame.line;
}
static inline PmFrame pm_frame_unpack(guint64 key)
{
    return (PmFrame){.method = (guint32)(key >> 32), .line = (gint32)(guint32)key};
}
