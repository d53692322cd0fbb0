/* A filter selects waits by a range of time and chips. Plain values, comparable, copyable. */
#pragma once

#include "viewer/analysis/aggregation/aspect.h"
#include "viewer/analysis/recording/recording.h"

/* One chip: the wait's key of `aspect` is (or is not) `key`. Chips of one aspect are or-ed, aspects
 * and-ed; excluding chips always exclude. */
typedef struct {
    PmAspect aspect;
    char *
        key; /* the aspect's key text, see pm_aspect_key_text; glob with * for class/thread/group */
    gboolean exclude;
} PmChip;

typedef struct {
    gint64 from, to; /* ns since begin, cut to the window; the whole window when from >= to */
    gboolean idle;   /* idle categories are in */
    GArray *chips;   /* of PmChip; NULL = none */
} PmFilter;

PmFilter *pm_filter_new(void); /* everything but idle */
PmFilter *pm_filter_copy(const PmFilter *filter);
void pm_filter_free(PmFilter *filter);
gboolean pm_filter_equal(const PmFilter *a, const PmFilter *b);
void pm_filter_add_chip(PmFilter *filter, PmAspect aspect, const char *key, gboolean exclude);
void pm_filter_remove_chip(PmFilter *filter, guint index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmFilter, pm_filter_free)

/* A value that is computed on demand and kept. */
typedef struct {
    GMutex lock; /* held while it is computed */
    gboolean is_known;
    gpointer value; /* NULL: there is none */
    GDestroyNotify free;
} PmKept;

/* The waits that pass a filter, and what it left out as idle. Immutable, shared.
 *
 * A mean number of waiting threads is thread-time divided by `known`: the range without what is
 * unknown (pm_intervals_new_unknown), where waits are missing. Waits that began before it and ended
 * behind it are not; by how much they last in it, as much of it counts as they take of the rest.
 * So thread_time ÷ known is the mean over the rest, but never less than what is certain, which is
 * thread_time ÷ recorded. */
typedef struct PmView PmView;
typedef struct PmViewParts PmViewParts;
struct PmView {
    int ref_count;
    PmRecording *recording;
    PmFilter *filter;
    PmView *whole;      /* the view of the same filter without its range; NULL: unknown, or it is
                         * this one */
    gint64 from, to;    /* the range, resolved */
    gint64 recorded;    /* of it, the recorder ran */
    gint64 known;       /* what means over time divide by; see below */
    gsize n;            /* rows, by begin: pm_view_row */
    PmPacked skipped;   /* for each, how many earlier rows of the recording are not in the view */
    gint64 thread_time; /* of them, clipped to the range */
    gint64 idle_time;   /* left out as idle, clipped */
    gsize idle_waits;
    guint32 idle_threads;         /* threads with nothing but idle waits in the range */
    PmViewParts *parts;           /* private to filter.c; NULL: not kept */
    PmKept slices;                /* private to slices.c */
    PmKept trees;                 /* private to tree-slices.c */
    PmKept sums;                  /* private to slices/sums.c */
    PmKept for_causes, for_hangs; /* private to excerpt-view.c */
    PmKept costs;                 /* private to findings/findings.c */
};

/* The value, made by whoever asks first. NULL of a cancelled attempt is not kept. */
gpointer pm_kept(PmKept *kept, gpointer (*make)(gpointer data), gpointer data, GDestroyNotify free,
                 const gint *cancel);

/* Rows that are looked at together, a multiple of 64; tests reduce it. */
extern gsize pm_view_part_rows;

/* Cost: one pass over the waits. `cancel`, if not NULL, is polled; NULL is returned when set. */
PmView *pm_view_new(PmRecording *recording, const PmFilter *filter, const gint *cancel);
/* The same for a range of `whole`, which has none: reuses what is known about it. */
PmView *pm_view_new_range(PmView *whole, gint64 from, gint64 to, const gint *cancel);
/* From the recording's begin to its end, without waits, because those before the stored part are
 * missing: for totals since the start. */
PmView *pm_view_since_start(PmRecording *recording);
PmView *pm_view_ref(PmView *view);
void pm_view_unref(PmView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmView, pm_view_unref)

/* The `i`th of its rows, an index into recording->waits; each touches the range. */
static inline guint32 pm_view_row(const PmView *view, gsize i)
{
    return (guint32)(i + (gsize)pm_packed_get(&view->skipped, i));
}

/* Rows of a view that follow each other and lie near to each other, to be read at once:
 * pm_view_rows finds them, pm_wait_columns reads `span` rows from `first` on, of which the k-th is
 * the one at offsets[k]. */
#define PM_VIEW_ROWS 512
#define PM_VIEW_SPAN 1024

typedef struct {
    gsize first, span; /* at most PM_VIEW_SPAN */
    gsize n;
    guint16 offsets[PM_VIEW_ROWS];
} PmViewRows;

/* From the `at`-th on, which is one of them, and of `most` at most. */
void pm_view_rows(const PmView *view, gsize at, gsize most, PmViewRows *ret_rows);

/* The part of row `i` inside the range. */
gint64 pm_view_clip(const PmView *view, guint32 row);
