/* Taking the call chain of the current thread, or of another one.
 *
 * In a steady state the same few stacks come again and again, so a thread remembers the chains of
 * its stacks by fingerprint, and only a stack it has not seen is walked by the JVM (25 times the
 * cost). A remembered chain is taken if
 *   1. the fingerprint is the same,
 *   2. every interpreted frame still has the Method* and the bytecode pointer it had, as the
 *      interpreter's return addresses are the same for all methods; and that Method* is still the
 *      method it was, as another's may lie where an unloaded one lay,
 *   3. no code and no class was unloaded since (pm_health.chain_epochs), and
 *   4. the thread is no carrier of virtual threads: part of their stacks lies on the heap.
 * What one thread learns the others may take, by the same rules. As news of unloading come late,
 * every 4096th hit is walked as well; should it differ, all is forgotten and it is counted. Behind
 * that a hash over the raw frames of a walk finds a chain that is known, and only a new chain asks
 * for names. */
#pragma once

#include "format/record.h"
#include "recorder/agent/self.h"

#define PM_WALK_MAX_FRAMES 512

/* Before the gate opens. `compare`: walk at every hit and count what differs (for tests). */
void pm_walk_init(uint32_t max_frames, bool compare);

/* The current thread's chain, 0 when there is none (or the JVM refuses). `frame`: of the native
 * method that Java called, from __builtin_frame_address(0); NULL (in an event): walk always. */
pm_chain_id pm_walk_current(struct pm_self *self, const void *frame);

/* Another thread's, which must be attached and alive; slow. 0 or PM_ERROR_ARGUMENT (it ended) or
 * PM_ERROR_IO. */
int pm_walk_thread(jthread thread, pm_chain_id *ret_chain);

/* What a thread remembers; made at its first walk. */
struct pm_walk_memory;
void pm_walk_memory_free(struct pm_walk_memory *memory); /* NULL is fine */
