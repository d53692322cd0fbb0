/* Cells: what was allocated, and what of it is live, for each class at each stack trace. Bounded:
 * beyond PM_CELLS_MAX, a class has one cell for all its further stack traces, and finally all
 * classes share one. Sums are exact or estimates, depending on their samples (estimate.h). Any
 * thread may add to the totals, under a short lock on a few cells; live data is computed as a whole
 * by one thread and read by another. Makes no JVM calls. */
#pragma once

#include "recorder/agent/allocation/estimate.h"

#define PM_CELLS_MAX 16384

/* When liveness was checked, and after how many collections (collections.h). */
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

/* Recounts live data: begin, add each object, then publish all at once. One thread. */
void pm_cells_live_begin(void);
void pm_cells_live_add(uint32_t cell, int64_t size_bytes, double weight);
void pm_cells_live_publish(const struct pm_live_look *look);
/* The last published numbers; all 0: none yet. */
struct pm_live_look pm_cells_live_look(void);

/* Since when every object has been counted; 0: not the case. */
void pm_cells_set_exact_from(int64_t ns);
int64_t pm_cells_exact_from_ns(void);

/* Copies all cells; `ret_cells` has room for PM_CELLS_MAX. Returns their number; sets the sums of
 * all, and when liveness was checked, in `ret_head`. */
uint32_t pm_cells_copy(struct pm_memory_cell *ret_cells, struct pm_memory_head *ret_head);

/* Marks the classes and stack traces of all cells as used (epoch.h). */
void pm_cells_use(void);
uint64_t pm_cells_memory(void);
