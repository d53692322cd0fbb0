/* Which stack traces the waits in each block of a recording have. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Stack traces, some of which share a bit. */
#define PM_CHAIN_SET_WORDS 8
typedef struct {
    guint64 words[PM_CHAIN_SET_WORDS];
} PmChainSet;

static inline void pm_chain_set_add(PmChainSet *set, guint32 chain)
{
    set->words[chain / 64 % PM_CHAIN_SET_WORDS] |= G_GUINT64_CONSTANT(1) << chain % 64;
}

static inline gboolean pm_chain_set_meets(const PmChainSet *set, const PmChainSet *other)
{
    guint64 both = 0;

    for (guint i = 0; i < PM_CHAIN_SET_WORDS; i++)
        both |= set->words[i] & other->words[i];
    return both != 0;
}

typedef struct {
    gsize *counts;    /* of waits, by stack trace */
    PmChainSet *sets; /* by block */
} PmChainBlocks;

/* Found out on first use, and kept with the recording. Cost then: a pass over one column of the
 * waits, on all cores. */
const PmChainBlocks *pm_chain_blocks_of(const PmRecording *recording);
