#include "recorder/agent/walk.h"

#include "format/error.h"
#include "recorder/agent/chain.h"
#include "recorder/agent/health.h"
#include "recorder/agent/host.h"
#include "recorder/agent/resolve.h"

static uint32_t depth = 64;

void pm_walk_set_depth(uint32_t max_frames)
{
    depth = max_frames < PM_WALK_MAX_FRAMES ? max_frames : PM_WALK_MAX_FRAMES;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

/* The chain of `n` raw frames; one more than `depth` means there are more. */
static pm_chain_id chain_of(const jvmtiFrameInfo *raw, uint32_t n)
{
    bool truncated = n > depth;
    if (truncated)
        n = depth;
    uint64_t key = mix(0x9e3779b97f4a7c15u, (uint64_t)n * 2 + truncated);
    for (uint32_t i = 0; i < n; i++)
        key = mix(mix(key, (uint64_t)(uintptr_t)raw[i].method), (uint64_t)raw[i].location);

    pm_chain_id chain = pm_chain_find_key(key);
    if (chain.n || n == 0)
        return chain;
    struct pm_frame frames[PM_WALK_MAX_FRAMES];
    for (uint32_t i = 0; i < n; i++)
        frames[i] = pm_resolve_frame(raw[i].method, raw[i].location);
    chain = pm_chain_add(frames, n, truncated);
    if (chain.n)
        pm_chain_keep_key(key, chain);
    return chain;
}

pm_chain_id pm_walk_current(struct pm_self *self)
{
    jvmtiFrameInfo raw[PM_WALK_MAX_FRAMES + 1];
    jint n = 0;
    if ((*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, NULL, 0, (jint)depth + 1, raw, &n))
        return (pm_chain_id){0};
    atomic_fetch_add_explicit(&pm_health.chain_misses, 1, memory_order_relaxed);
    return chain_of(raw, (uint32_t)n);
}

int pm_walk_thread(jthread thread, pm_chain_id *ret_chain)
{
    jvmtiFrameInfo raw[PM_WALK_MAX_FRAMES + 1];
    jint n = 0;
    jvmtiError error =
        (*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, thread, 0, (jint)depth + 1, raw, &n);
    if (error == JVMTI_ERROR_THREAD_NOT_ALIVE || error == JVMTI_ERROR_INVALID_THREAD)
        return PM_ERROR_ARGUMENT;
    if (error)
        return PM_ERROR_IO;
    *ret_chain = chain_of(raw, (uint32_t)n);
    return 0;
}
