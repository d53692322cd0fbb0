#include "format/fields.h"

#include <string.h>

#define TIME_MAX (PM_TIME_LIMIT - 1)

#define FIELD(type, member, most)                                                                  \
    .offset = offsetof(struct type, member), .size = sizeof(((struct type *)0)->member),           \
    .max = (uint64_t)(most)
#define TIME(type, member)                                                                         \
    {                                                                                              \
        FIELD(type, member, TIME_MAX)                                                              \
    }
#define UP_TO(type, member, most)                                                                  \
    {                                                                                              \
        FIELD(type, member, most)                                                                  \
    }
#define ANY(type, member)                                                                          \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX)                                                            \
    }
#define CLASS(type, member)                                                                        \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX), .tag = PM_DEFINE_CLASS                                    \
    }
#define CHAIN(type, member)                                                                        \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX), .tag = PM_DEFINE_CHAIN                                    \
    }
#define THREAD(type, member)                                                                       \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX), .tag = PM_DEFINE_THREAD                                   \
    }
#define BLOCKER(type, member)                                                                      \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX), .tag = PM_DEFINE_BLOCKER                                  \
    }
#define SUM(type, member)                                                                          \
    TIME(type, member.samples), TIME(type, member.objects), TIME(type, member.bytes),              \
        TIME(type, member.objects_error), TIME(type, member.bytes_error)

static const struct pm_field counters[] = {
    {FIELD(pm_counters, blocker, UINT32_MAX), .tag = PM_DEFINE_BLOCKER, .required = true},
    UP_TO(pm_counters, kind, PM_N_KINDS - 1),
    UP_TO(pm_counters, bound, 1),
    ANY(pm_counters, now),
    ANY(pm_counters, peak),
    TIME(pm_counters, times),
    TIME(pm_counters, thread_time_ns),
    TIME(pm_counters, real_time_ns),
    TIME(pm_counters, longest_ns),
    TIME(pm_counters, first_ns),
    TIME(pm_counters, last_ns),
    TIME(pm_counters, not_stored),
    TIME(pm_counters, not_stored_time_ns),
};

static const struct pm_field owner_sample[] = {
    TIME(pm_owner_sample, at_ns),
    THREAD(pm_owner_sample, waiter),
    BLOCKER(pm_owner_sample, blocker),
    THREAD(pm_owner_sample, owner),
    CHAIN(pm_owner_sample, chain),
    UP_TO(pm_owner_sample, owner_state, PM_OWNER_RUNNING),
    UP_TO(pm_owner_sample, role, PM_N_SAMPLE_ROLES - 1),
    ANY(pm_owner_sample, weight),
};

static const struct pm_field span[] = {
    UP_TO(pm_span, kind, PM_SPAN_STOPPED),
    THREAD(pm_span, thread),
    TIME(pm_span, begin_ns),
    TIME(pm_span, end_ns),
};

static const struct pm_field gap[] = {
    TIME(pm_gap, begin_ns),
    TIME(pm_gap, end_ns),
    UP_TO(pm_gap, reason, UINT8_MAX), /* those of later writers too */
    TIME(pm_gap, waits),
    TIME(pm_gap, thread_time_ns),
};

static const struct pm_field census_row[] = {
    TIME(pm_census_row, at_ns),
    {FIELD(pm_census_row, since_ns, TIME_MAX), .before = 1 + offsetof(struct pm_census_row, at_ns)},
    THREAD(pm_census_row, thread),
    TIME(pm_census_row, cpu_ns),
    TIME(pm_census_row, run_delay_ns),
};

static const struct pm_field allocation[] = {
    TIME(pm_allocation, at_ns),
    TIME(pm_allocation, size_bytes),
    TIME(pm_allocation, interval_bytes),
    THREAD(pm_allocation, thread),
    CLASS(pm_allocation, class_id),
    CHAIN(pm_allocation, chain),
    ANY(pm_allocation, age),
    UP_TO(pm_allocation, halvings, PM_HALVINGS_MAX),
};
#define N_ALLOCATION 6 /* of what lives alone: age, halvings */

static const struct pm_field cell[] = {
    CLASS(pm_memory_cell, class_id),
    CHAIN(pm_memory_cell, chain),
    SUM(pm_memory_cell, total),
    SUM(pm_memory_cell, live),
};

static const struct pm_field memory_head[] = {
    TIME(pm_memory_head, at_ns),
    TIME(pm_memory_head, live_at_ns),
    TIME(pm_memory_head, interval_bytes),
    TIME(pm_memory_head, exact_from_ns),
    TIME(pm_memory_head, gcs),
    TIME(pm_memory_head, old_gcs),
    TIME(pm_memory_head, not_stored),
    SUM(pm_memory_head, total),
    SUM(pm_memory_head, live),
};

static const struct pm_field wait_ids[] = {
    THREAD(pm_wait, thread), BLOCKER(pm_wait, blocker), CHAIN(pm_wait, chain),
    THREAD(pm_wait, owner),  THREAD(pm_wait, waker),    CHAIN(pm_wait, waker_chain),
};

#define N(fields) (sizeof fields / sizeof(fields)[0])
#define ROWS(block, record, name)                                                                  \
    {                                                                                              \
        PM_BLOCK_##block, sizeof(struct record), N(name), name                                     \
    }

static const struct pm_fields all[] = {
    ROWS(SNAPSHOT, pm_counters, counters),
    ROWS(OWNER_SAMPLES, pm_owner_sample, owner_sample),
    ROWS(SPANS, pm_span, span),
    ROWS(GAPS, pm_gap, gap),
    ROWS(CENSUS, pm_census_row, census_row),
    {PM_BLOCK_ALLOCATIONS, sizeof(struct pm_allocation), N_ALLOCATION, allocation},
    ROWS(LIVE_OBJECTS, pm_allocation, allocation),
    ROWS(MEMORY_SNAPSHOT, pm_memory_cell, cell),
};

const struct pm_fields pm_memory_head_fields = ROWS(MEMORY_SNAPSHOT, pm_memory_head, memory_head);
const struct pm_fields pm_wait_ids = ROWS(WAITS, pm_wait, wait_ids);

const struct pm_fields *pm_fields_of(enum pm_block_type type)
{
    for (size_t i = 0; i < N(all); i++)
        if (all[i].type == type)
            return &all[i];
    return NULL;
}

uint64_t pm_field_get(const struct pm_field *field, const void *row)
{
    const uint8_t *at = (const uint8_t *)row + field->offset;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (field->size) {
    case sizeof *at:
        return *at;
    case sizeof two:
        memcpy(&two, at, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

void pm_field_set(const struct pm_field *field, void *row, uint64_t value)
{
    uint8_t *at = (uint8_t *)row + field->offset;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    switch (field->size) {
    case sizeof *at:
        *at = (uint8_t)value;
        break;
    case sizeof two:
        memcpy(at, &two, sizeof two);
        break;
    case sizeof four:
        memcpy(at, &four, sizeof four);
        break;
    default:
        memcpy(at, &value, sizeof value);
    }
}

static bool is_valid(const struct pm_field *field, const void *row)
{
    uint64_t value = pm_field_get(field, row);
    if (field->before > 0) {
        const struct pm_field later = {.offset = field->before - 1, .size = field->size};
        if (value > pm_field_get(&later, row))
            return false;
    }
    return value <= field->max && (value != 0 || !field->required);
}

bool pm_fields_valid(const struct pm_fields *fields, const void *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < fields->n; k++)
            if (!is_valid(&fields->fields[k], (const uint8_t *)rows + i * fields->row_size))
                return false;
    return true;
}
