/* Allocations aggregated by any sequence of aspects: those wait aspects that depend on a stack
 * trace, a thread or a class (aspect.h), and the age of live objects.
 *
 * There are two sources. Snapshots have class and stack trace of everything, exact if the recording
 * is. Thread, group and age are known only for stored samples and for the last listing of live
 * objects: if one of them is requested, all numbers are estimates from these. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/memory/memory-state.h"

/* An aspect of allocations: a PmAspect, or this one. */
#define PM_MEMORY_AGE  PM_N_ASPECTS
#define PM_MEMORY_MOST 12 /* aspects at once */

typedef int PmMemoryAspect;

/* Whether allocations have this aspect. "site" is the first frame outside the platform's own
 * classes. */
gboolean pm_memory_aspect_parse(const char *name, PmMemoryAspect *ret_aspect);
const char *pm_memory_aspect_name(PmMemoryAspect aspect);
/* Names of all, separated by ", ". Owned. */
char *pm_memory_aspect_names(void);
char *pm_memory_key_text(const PmRecording *recording, PmMemoryAspect aspect, guint64 key);

typedef struct PmMemoryNode PmMemoryNode;
struct PmMemoryNode {
    PmMemoryAspect aspect;
    guint64 key;
    PmEstimate total;      /* allocated in the range */
    PmEstimate live;       /* lives at its end … */
    PmEstimate live_begin; /* … and lived at its begin */
    GPtrArray *children;   /* owned */
};

typedef struct {
    PmRecording *recording; /* borrowed */
    gint64 from, to;        /* as asked for … */
    gint64 first, last; /* … and the instants that totals are of: of snapshots, or of samples */
    gint64 live_at, live_begin_at; /* when liveness was checked; G_MININT64: never */
    gboolean from_samples;
    gboolean since_start;             /* totals start when allocations were first sampled */
    const PmMemorySnapshot *snapshot; /* the last in the range; NULL: none, and no data */
    guint n_aspects;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    PmMemoryNode *root;
} PmMemoryTree;

/* `filter`: its range (none: everything since the start) and chips. NULL and a sentence if a chip
 * has an aspect that allocations lack. */
PmMemoryTree *pm_memory_tree_new(PmRecording *recording, const PmFilter *filter,
                                 const PmMemoryAspect *aspects, guint n_aspects, GError **error);
void pm_memory_tree_free(PmMemoryTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmMemoryTree, pm_memory_tree_free)

/* Live bytes at the end minus those at the begin, with bounds. */
double pm_memory_growth(const PmMemoryNode *node, PmBounds *ret_bounds);
/* Bytes per second; NAN for an empty range. */
double pm_memory_rate(const PmMemoryTree *tree, const PmMemoryNode *node);
/* The node whose children are the top rows: the root, unless everything belongs to one account with
 * levels below it. */
const PmMemoryNode *pm_memory_tree_top(const PmMemoryTree *tree);
/* The key of a class at a stack trace; G_MAXUINT64 if these do not determine the aspect. */
guint64 pm_memory_key(const PmRecording *recording, PmMemoryAspect aspect, guint32 class_index,
                      guint32 chain);
/* How much is known of a number of the tree. */
typedef enum { PM_MEMORY_EXACT, PM_MEMORY_ESTIMATED, PM_MEMORY_AT_LEAST } PmMemoryCertainty;
PmMemoryCertainty pm_memory_certainty(const PmMemoryTree *tree, const PmEstimate *estimate,
                                      gboolean live);
/* "", "~" or "≥"; "" if there is nothing. */
const char *pm_memory_sign(PmMemoryCertainty certainty, const PmEstimate *estimate);
/* The allocating frame of the program: the first outside the platform's own classes, else the
 * innermost; packed as a site's key. 0: no stack trace. */
guint64 pm_memory_site(const PmRecording *recording, guint32 chain);
