/* Frees chains, methods and classes that nobody uses any more, as those of unloaded class loaders,
 * so that the recorder's tables never fill however long the JVM runs and whatever it loads.
 *
 * A new epoch (epoch.h) begins; every thread forgets the stacks it remembers, so that
 * what is still in use is marked as its stacks come again. Once no thread is left that could hold
 * an older id in its hands, what is written down is marked: by waits in progress, wake records,
 * notes of notifiers and blockers. Waits that had ended by then are drained and stored. What is not
 * marked after that is freed, a piece at each step. The file is not touched: each chunk holds its
 * own definitions.
 *
 * A row that lives but was not used meanwhile goes as well; it comes again under a new id. Where
 * pseudo-blockers fill their table, those that nobody waited for leave too (blocker.h). Knows no
 * JVM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_reclaim_hooks {
    void (*forget)(void); /* what is remembered of stacks and methods, on all threads */
    void (*mark)(void);   /* pm_chain_use of what else holds chains */
};

/* Before the drain starts. `eager`: at every chance, for tests. 0 or PM_ERROR_MEMORY. */
int pm_reclaim_init(const struct pm_reclaim_hooks *hooks, bool eager);

/* A class was unloaded. Any thread. */
void pm_reclaim_note_unload(void);

/* A step further, if it is time. The drain calls it after each flush. `n_drained`: how often so far
 * the drain has found all buffers empty; what they held is stored. */
void pm_reclaim_step(uint64_t n_drained, int64_t now_ns);
