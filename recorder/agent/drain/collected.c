#include "recorder/agent/drain/collected.h"

#include <stdlib.h>

#include "recorder/agent/tables/tables.h"

#define AT_ONCE 1024

void pm_collected_clear(struct pm_collected *gone)
{
    free(gone->blockers);
    *gone = (struct pm_collected){0};
}

void pm_collected_take(struct pm_collected *gone, uint64_t tick)
{
    pm_blocker_id ids[AT_ONCE];
    size_t n, room;
    do {
        /* Before they are taken: without memory they stay where they are. */
        if (gone->n == gone->capacity) {
            size_t capacity = gone->capacity ? gone->capacity * 2 : 64;
            struct pm_collected_blocker *more =
                realloc(gone->blockers, capacity * sizeof(*gone->blockers));
            if (!more) {
                return;
            }
            gone->blockers = more;
            gone->capacity = capacity;
        }
        room = gone->capacity - gone->n;
        room = room < AT_ONCE ? room : AT_ONCE;
        n = pm_tables_take_gone_blockers(ids, room);
        for (size_t i = 0; i < n; i++) {
            gone->blockers[gone->n++] =
                (struct pm_collected_blocker){.blocker = ids[i], .tick = tick};
        }
    } while (n == room);
}

int pm_collected_tell(struct pm_collected *gone, struct pm_ledger *ledger, struct pm_writer *writer,
                      uint64_t tick, uint64_t chunk, const struct pm_ledger_telling *telling)
{
    int result = 0;
    for (size_t i = 0; i < gone->n; i++) {
        struct pm_collected_blocker *left = &gone->blockers[i];
        /* Its last waits were in buffers at the latest when it was told to be gone; two ticks
         * later they are swept. */
        if (left->chunk || tick < left->tick + 2 || !pm_ledger_is_settled(ledger, left->blocker)) {
            continue;
        }
        left->chunk = chunk;
        left->folded = pm_ledger_fold(ledger, left->blocker, telling);
        if (left->folded) {
            continue;
        }
        pm_writer_redefine_blocker(writer, left->blocker);
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            struct pm_counters counters;
            if (pm_ledger_get(ledger, left->blocker, kind, &counters)) {
                int error = telling->each(telling->context, &counters);
                result = error ? error : result;
            }
        }
        pm_ledger_mark_gone(ledger, left->blocker);
    }
    return result;
}

void pm_collected_forget(struct pm_collected *gone, struct pm_ledger *ledger, uint64_t chunk)
{
    bool too_many = gone->n > PM_COLLECTED_MAX;
    size_t n_left = 0;
    for (size_t i = 0; i < gone->n; i++) {
        const struct pm_collected_blocker *left = &gone->blockers[i];
        if (left->chunk && (left->folded || too_many || left->chunk < chunk)) {
            pm_ledger_forget(ledger, left->blocker);
            pm_tables_blocker_forget(left->blocker);
        } else {
            gone->blockers[n_left++] = *left;
        }
    }
    gone->n = n_left;
}
