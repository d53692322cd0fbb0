/* All that a reader delivers of a recording, gathered, so that a test compares it at once. */
#pragma once

#include <glib.h>

#include "format/reader.h"

struct collected {
    GArray *waits;                   /* struct pm_wait, in the order delivered */
    GArray *progress;                /* of the last complete progress block */
    GArray *samples, *spans, *gaps;  /* their structs */
    GArray *counters, *end_counters; /* struct pm_counters: all; of END snapshots only */
    GArray *census;                  /* struct pm_census_row */
    GArray *allocations, *live;      /* struct pm_allocation */
    GArray *memory, *cells;        /* struct pm_memory_head of each block, struct pm_memory_cell */
    guint complete_listings;       /* of what lives */
    GArray *footers;               /* struct pm_footer */
    GArray *damage;                /* struct pm_damage; texts are static */
    GHashTable *classes, *threads; /* id → name */
    GHashTable *methods;           /* id → "class_id name file" */
    GHashTable *chains;            /* id → "method:line …" */
    GHashTable *reached;           /* a chain's id → "frame field" */
    GHashTable *blockers;          /* id → "class hash parent flags chain thread" */
    guint progress_blocks;
    gboolean complete;
    gint64 progress_at_ns;
    gint64 end_ns;     /* the greatest end of a chunk */
    guint overwritten; /* chunks that were reused while they were read */
    guint failed;      /* chunks that could not be read for another reason */
    guint overview_chunks, data_chunks;
};

enum collected_scope { COLLECT_ALL, COLLECT_DATA, COLLECT_OVERVIEW };

struct collected *collected_new(void);
void collected_free(struct collected *c);
typedef struct collected collected;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(collected, collected_free)

/* Reads the chunks of the scope into `c`. */
void collected_read(struct collected *c, struct pm_reader *reader, enum collected_scope scope);
/* Opens the source, reads all and frees the reader (and the source). The result of opening. */
int collected_read_source(struct collected *c, struct pm_source source);

/* Orders waits so that two collections can be compared row by row. */
gint collected_compare_waits(gconstpointer a, gconstpointer b);
void collected_assert_waits_equal(GArray *a, GArray *b); /* sorts both */
