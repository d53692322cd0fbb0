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
#define ID(type, member, what)                                                                     \
    {                                                                                              \
        FIELD(type, member, UINT32_MAX), .tag = PM_DEFINE_##what                                   \
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
    ID(pm_owner_sample, waiter, THREAD),
    ID(pm_owner_sample, blocker, BLOCKER),
    ID(pm_owner_sample, owner, THREAD),
    ID(pm_owner_sample, chain, CHAIN),
    UP_TO(pm_owner_sample, owner_state, PM_OWNER_ENDED),
    UP_TO(pm_owner_sample, role, PM_N_SAMPLE_ROLES - 1),
    ANY(pm_owner_sample, weight),
};

static const struct pm_field span[] = {
    UP_TO(pm_span, kind, PM_SPAN_STOPPED),
    ID(pm_span, thread, THREAD),
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
    ID(pm_census_row, thread, THREAD),
    TIME(pm_census_row, cpu_ns),
    TIME(pm_census_row, run_delay_ns),
};

static const struct pm_field allocation[] = {
    TIME(pm_allocation, at_ns),
    TIME(pm_allocation, size_bytes),
    TIME(pm_allocation, interval_bytes),
    ID(pm_allocation, thread, THREAD),
    ID(pm_allocation, class_id, CLASS),
    ID(pm_allocation, chain, CHAIN),
    ANY(pm_allocation, age),
    UP_TO(pm_allocation, halvings, PM_HALVINGS_MAX),
};
#define N_ALLOCATION 6 /* of what lives alone: age, halvings */

static const struct pm_field cell[] = {
    ID(pm_memory_cell, class_id, CLASS),
    ID(pm_memory_cell, chain, CHAIN),
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
    ID(pm_wait, thread, THREAD), ID(pm_wait, blocker, BLOCKER), ID(pm_wait, chain, CHAIN),
    ID(pm_wait, owner, THREAD),  ID(pm_wait, waker, THREAD),    ID(pm_wait, waker_chain, CHAIN),
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
