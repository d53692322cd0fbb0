#include "viewer/analysis/recording/chain-blocks.h"

#include "viewer/analysis/base/workers.h"
#include "viewer/analysis/recording/recording-private.h"

#define BLOCKS_AT_ONCE 64

typedef struct {
    const PmRecording *recording;
    PmChainBlocks *blocks;
    gsize n_blocks;
    GMutex lock; /* of the counts */
} Counting;

static void count_blocks(gpointer data, guint index)
{
    Counting *c = data;
    const PmRecording *r = c->recording;
    const gsize first = (gsize)index * BLOCKS_AT_ONCE, end = first + BLOCKS_AT_ONCE;
    g_autofree gsize *counts = g_new0(gsize, r->n_chains + 1);
    gint64 chains[PM_PACKED_BLOCK];

    for (gsize block = first; block < MIN(end, c->n_blocks); block++) {
        const gsize begin = pm_recording_block_begin(r, block);
        const gsize n = MIN(pm_recording_block_end(r, block), r->waits.n) - begin;
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, begin, n, chains);
        for (gsize i = 0; i < n; i++) {
            counts[chains[i]]++;
            pm_chain_set_add(&c->blocks->sets[block], (guint32)chains[i]);
        }
    }
    g_mutex_lock(&c->lock);
    for (guint32 i = 0; i < r->n_chains; i++)
        c->blocks->counts[i] += counts[i];
    g_mutex_unlock(&c->lock);
}

static void blocks_free(gpointer data)
{
    PmChainBlocks *blocks = data;

    g_free(blocks->counts);
    g_free(blocks->sets);
    g_free(blocks);
}

const PmChainBlocks *pm_chain_blocks_of(const PmRecording *r)
{
    static GMutex lock; /* that of the recording is held as long as causes are found */

    g_return_val_if_fail(r, NULL);
    g_mutex_lock(&lock);
    PmChainBlocks *blocks = g_dataset_get_data(r, "chain-blocks");
    if (!blocks) {
        Counting c = {.recording = r, .blocks = blocks = g_new(PmChainBlocks, 1)};
        c.n_blocks = r->waits.n > 0 ? pm_recording_block(r, r->waits.n - 1) + 1 : 0;
        blocks->counts = g_new0(gsize, r->n_chains + 1);
        blocks->sets = g_new0(PmChainSet, c.n_blocks + 1);
        pm_workers_run(0, (guint)((c.n_blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE), count_blocks,
                       &c);
        g_dataset_set_data_full(r, "chain-blocks", blocks, blocks_free);
    }
    g_mutex_unlock(&lock);
    return blocks;
}
