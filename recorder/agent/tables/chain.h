/* The table of stack traces, interned: equal frames are one chain. Bounded (a full table gives
 * chain 0), lock-free to read; adding takes a lock and calls nothing. A chain that nobody uses any
 * more is freed (epoch.h), and its id never comes back. How a chain is taken from a running thread
 * is walk.h's; this knows no JVM.
 *
 * Beside it a map from keys (a hash over raw frames, which walk.c makes) to chains, so that a known
 * stack needs no names: lock-free to read, emptied when it is full. */
#pragma once

#include "format/record.h"

int pm_chain_table_init(void); /* 0 or PM_ERROR_MEMORY */
void pm_chain_table_clear(void);

/* The id of one like that, its own being left alone. Used now, as is what pm_chain_find_key finds.
 */
pm_chain_id pm_chain_add(const struct pm_chain *chain);
/* The frames stay where they are until the chain is freed: for the drain thread, which does it, and
 * for who uses the chain. */
bool pm_chain_get(pm_chain_id id, struct pm_chain *ret_chain);

/* What its frames say (meaning.h), worked out once: the cause when a waker has this chain, the site
 * when a waiter has. */
uint8_t pm_chain_cause(pm_chain_id id);
pm_method_id pm_chain_site_method(pm_chain_id id);
/* A thread with nothing to do stands there. */
bool pm_chain_is_idle(pm_chain_id id);
/* It waits in Thread.join there. */
bool pm_chain_joins(pm_chain_id id);
/* A virtual thread waits for a socket there. */
bool pm_chain_polls(pm_chain_id id);

/* 0 when the key is not known. */
pm_chain_id pm_chain_find_key(uint64_t key);
void pm_chain_keep_key(uint64_t key, pm_chain_id chain);

/* Marks it as used in this epoch; false when it is not there. Any thread. */
bool pm_chain_use(pm_chain_id id);
/* Of `n` places of the table from `first` on frees the chains not used in this epoch, and
 * marks the methods of the others. False past the last place. Who wants the table waits meanwhile
 * (0.1 µs a place). Drain thread. */
bool pm_chain_free_unused(uint32_t first, uint32_t n);

uint32_t pm_chain_count(void);
uint64_t pm_chain_memory(void);
/* More than three quarters full. */
bool pm_chain_table_is_pressed(void);
