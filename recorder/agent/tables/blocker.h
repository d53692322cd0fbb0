/* The table of blockers: rows of what was waited on, and the pseudo-blockers that stand for a null
 * blocker at a site. Which object is which is identity.h's; this knows no JVM. Lock-free to read.
 *
 * A row's life: added at the first wait; collected when its object was or the row was evicted
 * (pm_blocker_leave); forgotten once the drain wrote its last counters. Pseudo-blockers have no
 * object: they leave when the table is nearly full and nobody waits there (epoch.h). */
#pragma once

#include "format/record.h"

int pm_blocker_table_init(uint32_t max_blockers);

/* A new blocker; the id in `blocker` is not read. 0 when the table is full. */
pm_blocker_id pm_blocker_add(const struct pm_blocker *blocker);
/* The pseudo-blocker of a null blocker at the site with this key (never 0). */
pm_blocker_id pm_blocker_add_null(uint64_t site_key, pm_chain_id first_chain,
                                  pm_thread_id first_thread);
/* The row for all blockers of a class that are first waited on at the chain's site: where there is
 * no room for one each, or no point in it. Never 0. */
pm_blocker_id pm_blocker_add_folded(pm_class_id class_id, pm_chain_id first_chain,
                                    pm_thread_id first_thread);
/* A row that is always there, for what has no room. */
pm_blocker_id pm_blocker_last_resort(void);
bool pm_blocker_get(pm_blocker_id id, struct pm_blocker *ret_blocker);

/* All of them in turn, `index` from 0 up; false past the last. Id 0: nobody there. */
bool pm_blocker_visit(uint32_t index, struct pm_blocker *ret_blocker);

/* Its object was collected (PM_BLOCKER_COLLECTED) or it makes room (PM_BLOCKER_EVICTED). */
void pm_blocker_leave(pm_blocker_id id, uint32_t flag);
/* First no pseudo-blocker is found any more that was not in this epoch: its next wait gets a
 * new row. Once who found it before has written that down, they leave. Drain thread. */
void pm_blocker_close_unused(void);
void pm_blocker_use(pm_blocker_id id); /* counts as used in this epoch */
void pm_blocker_leave_closed(void);
/* More rows than there can be objects, and many. */
bool pm_blocker_table_is_pressed(void);
/* Blockers that left since the last call. Drain only. */
size_t pm_blocker_take_collected(pm_blocker_id *ret_ids, size_t max);
void pm_blocker_forget(pm_blocker_id id);

uint32_t pm_blocker_last_id(void);
uint32_t pm_blocker_count(void);
uint64_t pm_blocker_memory(void);
