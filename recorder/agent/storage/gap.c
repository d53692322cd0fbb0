#include "recorder/agent/storage/gap.h"

#include <assert.h>

static bool is_empty(const struct pm_gap *gap)
{
    return gap->waits == 0 && gap->thread_time_ns == 0;
}

void pm_gaps_add(struct pm_gaps *gaps, const struct pm_gap *part)
{
    assert(part->reason < PM_N_GAP_REASONS);
    assert(part->waits >= 0 && part->thread_time_ns >= 0);
    struct pm_gap *sum = &gaps->sums[part->reason];
    if (is_empty(sum)) {
        *sum = *part;
        return;
    }
    sum->begin_ns = part->begin_ns < sum->begin_ns ? part->begin_ns : sum->begin_ns;
    sum->end_ns = part->end_ns > sum->end_ns ? part->end_ns : sum->end_ns;
    sum->waits += part->waits;
    sum->thread_time_ns += part->thread_time_ns;
}

int pm_gaps_write(struct pm_gaps *gaps, struct pm_writer *writer)
{
    int result = 0;
    for (int reason = 0; reason < PM_N_GAP_REASONS; reason++) {
        if (!is_empty(&gaps->sums[reason])) {
            /* Out of the sums first: the writer may open a chunk, and be told more. */
            struct pm_gap gap = gaps->sums[reason];
            gaps->sums[reason] = (struct pm_gap){0};
            int error = pm_writer_add_gap(writer, &gap);
            result = error ? error : result;
        }
    }
    return result;
}
