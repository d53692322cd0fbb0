#include "recorder/agent/drain/recent-wishes.h"

#include "recorder/agent/drain/operation.h"

#define LASTS_NS INT64_C(2000000000)

/* Pools at rest have no need of it: somebody always waits there. Nor can one tell whether what some
 * virtual thread ends is waited for again: that is a group of all operations (ender.c). */
static bool is_kept(const struct pm_sample_wish *wish)
{
    return wish->waiter.n && wish->queue != PM_SAMPLE_QUEUE_LOW &&
           (wish->role == PM_SAMPLE_OWNER ? wish->group != 0
                                          : pm_operation_is(wish->group) && wish->owner.n);
}

static bool is_same(const struct pm_sample_wish *a, const struct pm_sample_wish *b)
{
    return a->role == b->role && a->group == b->group &&
           (a->role == PM_SAMPLE_OWNER || a->owner.n == b->owner.n);
}

/* The row of such a wish, or the one that was seen last longest ago. */
static size_t row_for(const struct pm_recent_wishes *recent, const struct pm_sample_wish *wish)
{
    size_t oldest = 0;
    for (size_t i = 0; i < PM_SAMPLER_MAX_RECENT; i++) {
        if (recent->rows[i].seen_ns && is_same(&recent->rows[i].wish, wish))
            return i;
        if (recent->rows[i].seen_ns < recent->rows[oldest].seen_ns)
            oldest = i;
    }
    return oldest;
}

/* Who waits there at this tick stands for whoever did before. */
static bool is_offered(const struct pm_sample_wish *wish, const struct pm_sample_wish *wishes,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (wishes[i].role == wish->role &&
            (wishes[i].group == wish->group ||
             (wish->role == PM_SAMPLE_OWNER && wishes[i].waiter.n == wish->waiter.n)))
            return true;
    return false;
}

size_t pm_recent_wishes_add(struct pm_recent_wishes *recent, int64_t now_ns,
                            struct pm_sample_wish *wishes, size_t n)
{
    size_t n_kept[2] = {0}, n_all = n; /* of owners; of others */
    for (size_t i = 0; i < n; i++) {
        if (!is_kept(&wishes[i]) ||
            n_kept[wishes[i].role != PM_SAMPLE_OWNER] == PM_SAMPLER_MAX_RECENT / 2)
            continue;
        const size_t at = row_for(recent, &wishes[i]);
        recent->rows[at].wish = wishes[i];
        recent->rows[at].wish.again = true;
        recent->rows[at].wish.weight = 1;
        recent->rows[at].seen_ns = now_ns;
        n_kept[wishes[i].role != PM_SAMPLE_OWNER]++;
    }
    for (size_t i = 0; i < PM_SAMPLER_MAX_RECENT; i++) {
        const int64_t seen_ns = recent->rows[i].seen_ns;
        if (seen_ns && now_ns - seen_ns > LASTS_NS)
            recent->rows[i].seen_ns = 0;
        else if (seen_ns && seen_ns != now_ns && !is_offered(&recent->rows[i].wish, wishes, n))
            wishes[n_all++] = recent->rows[i].wish;
    }
    return n_all;
}
