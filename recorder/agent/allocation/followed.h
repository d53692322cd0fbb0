/* Followed objects: samples with a weak reference that shows whether they are alive. Bounded by
 * what memory and collections can bear (pm_followed_bound): beyond that, half of them, chosen at
 * random, are dropped, each of the rest represents twice as many, and new ones are accepted at the
 * same reduced rate.
 *
 * Any thread may add; only one thread checks them and deletes references (deleting a reference
 * twice crashes the JVM). References are opaque here. Makes no JVM calls. */
#pragma once

#include <stdatomic.h>

#include "recorder/agent/allocation/cells.h"

#define PM_FOLLOWED_MAX   100000 /* ten times that where every object is a sample */
#define PM_FOLLOWED_VISIT 32

struct pm_followed {
    void *reference;
    int64_t born_ns;
    int64_t size_bytes, interval_bytes; /* as sampled */
    uint32_t cell;                      /* cells.h */
    uint32_t thread;
    uint32_t born_gc; /* collections before it was born */
    uint8_t halvings;
    _Atomic uint8_t state; /* the module's own */
};

int pm_followed_init(void); /* at the first use; 0 or PM_ERROR_MEMORY */

/* So many are followed at most from now on; more than that leave at the next look. The greatest
 * number at first. One thread. */
void pm_followed_bound(uint32_t most);
uint32_t pm_followed_most(void);

/* How many may be followed where a collection of young objects takes so long (0: not known, or it
 * looks at no references): the JVM looks at each reference then, whatever it refers to. */
uint32_t pm_followed_bearable(int64_t young_pause_ns);

/* Whether to follow one more; if so, with `*ret_halvings`, and its place is reserved for
 * pm_followed_add. */
bool pm_followed_admit(uint8_t *ret_halvings);
/* `reference` NULL: there is none, and the place is released. */
void pm_followed_add(const struct pm_followed *followed);

struct pm_followed_hooks {
    void *context;
    bool (*is_collected)(void *context, void *reference); /* was the object collected? */
    void (*drop)(void *context, void *reference);         /* deletes the reference */
};

/* Checks all: removes collected ones; counts those created before the last of `gcs` collections as
 * live; halves them at random while there are too many; then counts them in their cells, published
 * as `look` (cells.h). */
void pm_followed_look(const struct pm_followed_hooks *hooks, uint32_t gcs,
                      struct pm_live_look look);
/* Calls `visit` with the references of those that were alive at the last check and are `wanted`:
 * the oldest, at most `max` and PM_FOLLOWED_VISIT. Only on the checking thread. */
void pm_followed_visit_oldest(bool (*wanted)(void *context, const struct pm_followed *followed),
                              void *wanted_context, uint32_t max,
                              void (*visit)(void *context, void *reference), void *visit_context);
/* All leave. */
void pm_followed_drop_all(const struct pm_followed_hooks *hooks);

/* Those that were alive at the last check and still are; at most `max`. Any thread. */
size_t pm_followed_list(struct pm_allocation *ret_objects, size_t max, uint32_t gcs);

uint32_t pm_followed_count(void);
bool pm_followed_is_crowded(void);  /* a look is due */
uint64_t pm_followed_refused(void); /* no room for it: live data is a lower bound */
