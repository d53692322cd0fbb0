#include "recorder/agent/counters/collected.h"

#include <stdlib.h>

#include "recorder/agent/tables/tables.h"

#define AT_ONCE 1024

void pm_collected_clear(struct pm_collected *collected)
{
    free(collected->blockers);
    *collected = (struct pm_collected){0};
}

void pm_collected_take(struct pm_collected *collected, uint64_t tick)
{
    pm_blocker_id ids[AT_ONCE];
    size_t n, room;
    do {
        /* Before they are taken: without memory they stay where they are. */
        if (collected->n == collected->capacity) {
            size_t capacity = collected->capacity ? collected->capacity * 2 : 64;
            struct pm_collected_blocker *more =
                realloc(collected->blockers, capacity * sizeof *collected->blockers);
            if (!more)
                return;
            collected->blockers = more;
            collected->capacity = capacity;
        }
        room = collected->capacity - collected->n;
        room = room < AT_ONCE ? room : AT_ONCE;
        n = pm_tables_take_collected_blockers(ids, room);
        for (size_t i = 0; i < n; i++) {
            collected->blockers[collected->n++] =
                (struct pm_collected_blocker){.blocker = ids[i], .tick = tick};
        }
    } while (n == room);
}

int pm_collected_tell(struct pm_collected *collected, struct pm_ledger *ledger,
                      struct pm_writer *writer, uint64_t tick, uint64_t chunk,
                      const struct pm_ledger_telling *telling)
{
    int result = 0;
    for (size_t i = 0; i < collected->n; i++) {
        struct pm_collected_blocker *left = &collected->blockers[i];
        /* Its last waits were in buffers at the latest when it was told to be collected; two ticks
         * later they are swept. */
        if (left->chunk || tick < left->tick + 2 || !pm_ledger_is_settled(ledger, left->blocker))
            continue;
        left->chunk = chunk;
        left->folded = pm_ledger_fold(ledger, left->blocker, telling);
        if (left->folded)
            continue;
        pm_writer_redefine_blocker(writer, left->blocker);
        for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
            struct pm_counters counters;
            if (pm_ledger_get(ledger, left->blocker, kind, &counters)) {
                int error = telling->each(telling->context, &counters);
                result = error ? error : result;
            }
        }
        pm_ledger_mark_collected(ledger, left->blocker);
    }
    return result;
}

void pm_collected_forget(struct pm_collected *collected, struct pm_ledger *ledger, uint64_t chunk)
{
    bool too_many = collected->n > PM_COLLECTED_MAX;
    size_t n_left = 0;
    for (size_t i = 0; i < collected->n; i++) {
        const struct pm_collected_blocker *left = &collected->blockers[i];
        if (left->chunk && (left->folded || too_many || left->chunk < chunk)) {
            pm_ledger_forget(ledger, left->blocker);
            pm_tables_blocker_forget(left->blocker);
        } else {
            collected->blockers[n_left++] = *left;
        }
    }
    collected->n = n_left;
}
