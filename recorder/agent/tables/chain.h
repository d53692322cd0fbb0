/* The table of stack traces, interned: equal frames are one chain. Bounded (a full table gives
 * chain 0), lock-free to read; adding takes a lock and calls nothing. A chain that is no longer
 * used is freed (epoch.h), and its id is never reused. walk.h takes chains from running threads;
 * this file knows no JVM.
 *
 * A map from keys (a hash over raw frames, made by walk.c) to chains spares known stacks the lookup
 * of names: lock-free to read, emptied when full. */
#pragma once

#include "format/record.h"

int pm_chain_table_init(void); /* 0 or PM_ERROR_MEMORY */
void pm_chain_table_clear(void);

/* The id of an equal chain; the id in the argument is not read. Marks it as used, as
 * pm_chain_find_key does. */
pm_chain_id pm_chain_add(const struct pm_chain *chain);
/* The frames stay valid until the chain is freed: for the drain thread, which frees it, and for
 * threads that use the chain. */
bool pm_chain_get(pm_chain_id id, struct pm_chain *ret_chain);

/* The meaning of its frames (meaning.h), computed once: the wake cause if it is a waker's chain,
 * the site if it is a waiter's. */
uint8_t pm_chain_cause(pm_chain_id id);
pm_method_id pm_chain_site_method(pm_chain_id id);
/* Whether it is the stack of a thread with nothing to do. */
bool pm_chain_is_idle(pm_chain_id id);
/* It waits in Thread.join there. */
bool pm_chain_joins(pm_chain_id id);
/* Whether it is the stack of a virtual thread that waits for a socket. */
bool pm_chain_polls(pm_chain_id id);

/* 0 when the key is not known. */
pm_chain_id pm_chain_find_key(uint64_t key);
void pm_chain_keep_key(uint64_t key, pm_chain_id chain);

/* Marks it as used in this epoch; false if it does not exist. Any thread. */
bool pm_chain_use(pm_chain_id id);
/* In `n` entries of the table, starting at `first`, frees the chains not used in this epoch and
 * marks the methods of the others. False past the last entry. Blocks other users of the table
 * meanwhile (0.1 µs per entry). Drain thread. */
bool pm_chain_free_unused(uint32_t first, uint32_t n);

uint32_t pm_chain_count(void);
uint64_t pm_chain_memory(void);
/* More than three quarters full. */
bool pm_chain_table_is_pressed(void);
