/* The table of blockers: rows for objects that were waited on, and for pseudo-blockers, which
 * represent a null blocker at a site. identity.h identifies the objects; this file knows no JVM.
 * Lock-free to read.
 *
 * A row's life: added at the first wait; marked as collected when its object was or when the row
 * was evicted (pm_blocker_leave); forgotten once the drain has written its last counters.
 * Pseudo-blockers have no object: they are removed when the table is nearly full and nobody waits
 * there (epoch.h). */
#pragma once

#include "format/record.h"

int pm_blocker_table_init(uint32_t max_blockers);

/* A new blocker; the id in `blocker` is not read. 0 when the table is full. */
pm_blocker_id pm_blocker_add(const struct pm_blocker *blocker);
/* The pseudo-blocker of a null blocker at the site with this key (never 0). */
pm_blocker_id pm_blocker_add_null(uint64_t site_key, pm_chain_id first_chain,
                                  pm_thread_id first_thread);
/* The row for all blockers of a class that are first waited on at the chain's site, used when there
 * is no room for individual rows, or no point in them. Never 0. */
pm_blocker_id pm_blocker_add_folded(pm_class_id class_id, pm_chain_id first_chain,
                                    pm_thread_id first_thread);
/* A row that always exists, for blockers without room in the table. */
pm_blocker_id pm_blocker_last_resort(void);
bool pm_blocker_get(pm_blocker_id id, struct pm_blocker *ret_blocker);

/* Iterates over all of them, `index` from 0 up; false past the last. Id 0: an empty row. */
bool pm_blocker_visit(uint32_t index, struct pm_blocker *ret_blocker);

/* Its object was collected (PM_BLOCKER_COLLECTED) or it is removed to make room
 * (PM_BLOCKER_EVICTED). */
void pm_blocker_leave(pm_blocker_id id, uint32_t flag);
/* First hides pseudo-blockers that were not used in this epoch: their next wait gets a new row.
 * Once every thread that found one earlier has written it down, they are removed. Drain thread. */
void pm_blocker_close_unused(void);
void pm_blocker_use(pm_blocker_id id); /* counts as used in this epoch */
void pm_blocker_leave_closed(void);
/* Whether there are more rows than there can be objects, and many of them. */
bool pm_blocker_table_is_pressed(void);
/* Blockers that left since the last call. Drain only. */
size_t pm_blocker_take_collected(pm_blocker_id *ret_ids, size_t max);
void pm_blocker_forget(pm_blocker_id id);

uint32_t pm_blocker_last_id(void);
uint32_t pm_blocker_count(void);
