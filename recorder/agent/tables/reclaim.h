/* Frees chains, methods and classes that are no longer used, such as those of unloaded class
 * loaders, so that the recorder's tables never fill up, however long the JVM runs and whatever it
 * loads.
 *
 * A new epoch (epoch.h) begins; every thread clears its cache of stacks, so that what is still in
 * use is marked when its stacks are walked again. Once no thread can still hold an older id, the
 * ids that are written down are marked: in waits in progress, wake records, notes of notifiers and
 * blockers. Waits that had ended by then are drained and stored. Whatever is not marked after that
 * is freed, a part at each step. The file is not affected: each chunk holds its own definitions.
 *
 * A live row that was not used meanwhile is freed as well; it returns under a new id. If
 * pseudo-blockers fill their table, unused ones are removed too (blocker.h). Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_reclaim_hooks {
    void (*forget)(void); /* caches of stacks and methods, of all threads */
    void (*mark)(void);   /* pm_chain_use of what else holds chains */
};

/* Before the drain starts. `eager`: at every opportunity, for tests. 0 or PM_ERROR_MEMORY. */
int pm_reclaim_init(const struct pm_reclaim_hooks *hooks, bool eager);

/* A class was unloaded. Any thread. */
void pm_reclaim_note_unload(void);

/* Performs the next step, if it is due. The drain calls it after each flush. `n_drained`: how often
 * the drain has found all buffers empty so far; their contents are stored. */
void pm_reclaim_step(uint64_t n_drained, int64_t now_ns);
