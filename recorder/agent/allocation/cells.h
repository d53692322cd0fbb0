/* Cells: what was allocated, and what of it lives, for each class at each stack trace. Bounded:
 * beyond PM_CELLS_MAX a class has one cell for all its further stack traces, and at last all
 * classes share one. Sums are exact or estimates as their samples are (estimate.h). Totals are
 * added to by any thread, under a short lock of a few cells; what lives is worked out as a whole by
 * one thread, and read by another. Free of JVM. */
#pragma once

#include "recorder/agent/allocation/estimate.h"

#define PM_CELLS_MAX 16384

/* When what lives was looked at, and after how many collections (collections.h). */
struct pm_live_look {
    int64_t at_ns;
    int64_t gcs, old_gcs;
    bool thinned; /* a coin has left out some of the samples */
};

int pm_cells_init(void); /* at the first use; 0 or PM_ERROR_MEMORY */

/* Adds an object and returns its cell's number. */
uint32_t pm_cells_add(pm_class_id class_id, pm_chain_id chain, int64_t size_bytes, double weight);
/* Cells so far; numbers are below. 0 before pm_cells_init. */
uint32_t pm_cells_count(void);
void pm_cells_name(uint32_t cell, pm_class_id *ret_class, pm_chain_id *ret_chain);

/* What lives is counted anew: begin, add each object, then publish all at once. One thread. */
void pm_cells_live_begin(void);
void pm_cells_live_add(uint32_t cell, int64_t size_bytes, double weight);
void pm_cells_live_publish(const struct pm_live_look *look);
/* What was published last; all 0: nothing yet. */
struct pm_live_look pm_cells_live_look(void);

/* Since when every object was counted; 0: not so. */
void pm_cells_set_exact_from(int64_t ns);
int64_t pm_cells_exact_from_ns(void);

/* Copies all cells; `ret_cells` has room for PM_CELLS_MAX. Returns how many; sets the sums of
 * all, and when what lives was looked at, in `ret_head`. */
uint32_t pm_cells_copy(struct pm_memory_cell *ret_cells, struct pm_memory_head *ret_head);

/* Marks the classes and stack traces of all cells as used (epoch.h). */
void pm_cells_use(void);
uint64_t pm_cells_memory(void);
