#include "recorder/agent/allocation/followed.h"

#include <math.h>
#include <pthread.h>

#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/base/reservation.h"

#define MOST 1048576 /* places there may ever be */
#define STEP                                                                                       \
    16 /* parts of a quarter of the bound: with each that is full beyond the bound, new ones are   \
          let in half as often, so that beyond that quarter there are hardly any */
#define PIECE    4096 /* places copied under the lock at a time */
#define HALVINGS PM_HALVINGS_MAX

#define BEARABLE_PART 4 /* of a young pause one may be for what is followed */
#define REFERENCE_NS  8 /* that one takes then: 3.5 at rest, 7 to 10 where others use the memory */
#define FEW           2000 /* as many never harm: 16 µs */

enum state { FREE = 0, BORN, LIVES };

static struct {
    struct pm_reservation memory;
    _Atomic uint32_t max; /* the bound */
    uint32_t n_places;    /* ever used */
    uint32_t *free;       /* numbers of places that are free again */
    struct pm_reservation free_memory;
    uint32_t n_free;
    _Atomic uint32_t n; /* admitted and not gone */
    _Atomic uint32_t level;
    _Atomic uint64_t n_refused;
    pthread_mutex_t lock; /* of places: taking one, giving it back, copying */
} followed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pm_followed *place_at(uint32_t i)
{
    return (struct pm_followed *)(void *)followed.memory.base + i;
}

int pm_followed_init(void)
{
    int error = 0;
    if (!followed.memory.base)
        error = pm_reservation_init(&followed.memory, (size_t)MOST * sizeof(struct pm_followed));
    if (!error && !followed.free_memory.base) {
        error = pm_reservation_init(&followed.free_memory, MOST * sizeof(uint32_t));
        followed.free = (void *)followed.free_memory.base;
    }
    if (!error && pm_followed_most() == 0)
        pm_followed_bound(PM_FOLLOWED_MAX);
    return error;
}

void pm_followed_bound(uint32_t most)
{
    atomic_store(&followed.max, most < MOST / 5 * 4 ? most : MOST / 5 * 4);
}

uint32_t pm_followed_most(void)
{
    return atomic_load_explicit(&followed.max, memory_order_relaxed);
}

uint32_t pm_followed_bearable(int64_t young_pause_ns)
{
    int64_t n = young_pause_ns / BEARABLE_PART / REFERENCE_NS;
    return n <= 0 || n > PM_FOLLOWED_MAX ? PM_FOLLOWED_MAX : n < FEW ? FEW : (uint32_t)n;
}

static double weight_of(const struct pm_followed *f)
{
    return ldexp(1 / pm_estimate_probability(f->size_bytes, f->interval_bytes), f->halvings);
}

/* How seldom new ones are let in with `n` there: once in 2^level. */
static uint32_t level_at(uint32_t n)
{
    uint32_t level = atomic_load_explicit(&followed.level, memory_order_relaxed);
    uint32_t max = pm_followed_most();
    if (n > max)
        level += 1 + (n - max) / (max / 4 / STEP + 1);
    return level < HALVINGS ? level : HALVINGS;
}

bool pm_followed_admit(uint8_t *ret_halvings)
{
    uint32_t n = atomic_load_explicit(&followed.n, memory_order_relaxed);
    uint32_t level = level_at(n);
    if (level && ldexp(pm_thinning_random(), (int)level) >= 1)
        return false;
    if (atomic_fetch_add_explicit(&followed.n, 1, memory_order_relaxed) >= MOST) {
        atomic_fetch_sub_explicit(&followed.n, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&followed.n_refused, 1, memory_order_relaxed);
        return false;
    }
    *ret_halvings = (uint8_t)level;
    return true;
}

/* A place; NULL when the memory for one more cannot be had. */
static struct pm_followed *take_place(void)
{
    struct pm_followed *place = NULL;
    pthread_mutex_lock(&followed.lock);
    if (followed.n_free > 0)
        place = place_at(followed.free[--followed.n_free]);
    else if (pm_reservation_open(&followed.memory, (followed.n_places + 1) * sizeof *place))
        place = place_at(followed.n_places++);
    pthread_mutex_unlock(&followed.lock);
    return place;
}

void pm_followed_add(const struct pm_followed *from)
{
    struct pm_followed *place = from->reference ? take_place() : NULL;
    if (!place) {
        atomic_fetch_sub_explicit(&followed.n, 1, memory_order_relaxed);
        if (from->reference)
            atomic_fetch_add_explicit(&followed.n_refused, 1, memory_order_relaxed);
        return;
    }
    place->reference = from->reference;
    place->born_ns = from->born_ns;
    place->size_bytes = from->size_bytes;
    place->interval_bytes = from->interval_bytes;
    place->cell = from->cell;
    place->thread = from->thread;
    place->born_gc = from->born_gc;
    place->halvings = from->halvings;
    atomic_store_explicit(&place->state, BORN, memory_order_release);
}

static uint32_t count_places(void)
{
    pthread_mutex_lock(&followed.lock);
    uint32_t n = followed.n_places;
    pthread_mutex_unlock(&followed.lock);
    return n;
}

static void leave(const struct pm_followed_hooks *hooks, uint32_t i)
{
    struct pm_followed *place = place_at(i);
    hooks->drop(hooks->context, place->reference);
    pthread_mutex_lock(&followed.lock);
    atomic_store_explicit(&place->state, FREE, memory_order_relaxed);
    if (pm_reservation_open(&followed.free_memory, (followed.n_free + 1) * sizeof *followed.free))
        followed.free[followed.n_free++] = i;
    pthread_mutex_unlock(&followed.lock);
    atomic_fetch_sub_explicit(&followed.n, 1, memory_order_relaxed);
}

/* Keeps every other one, by a fair coin each. */
static void halve(const struct pm_followed_hooks *hooks, uint32_t n_places)
{
    for (uint32_t i = 0; i < n_places; i++) {
        struct pm_followed *place = place_at(i);
        if (atomic_load_explicit(&place->state, memory_order_acquire) == FREE)
            continue;
        if (place->halvings < HALVINGS && pm_thinning_random() < 0.5) {
            pthread_mutex_lock(&followed.lock);
            place->halvings++;
            pthread_mutex_unlock(&followed.lock);
        } else {
            leave(hooks, i);
        }
    }
}

static void fit(const struct pm_followed_hooks *hooks, uint32_t n_places)
{
    uint32_t level = atomic_load(&followed.level);
    const uint32_t max = pm_followed_most();
    while (atomic_load(&followed.n) > max && level < HALVINGS) {
        atomic_store(&followed.level, ++level);
        halve(hooks, n_places);
    }
    if (level > 0 && atomic_load(&followed.n) < max / 8)
        atomic_store(&followed.level, level - 1);
}

static void find_collected(const struct pm_followed_hooks *hooks, uint32_t gcs, uint32_t n_places)
{
    for (uint32_t i = 0; i < n_places; i++) {
        struct pm_followed *place = place_at(i);
        uint8_t state = atomic_load_explicit(&place->state, memory_order_acquire);
        if (state == FREE)
            continue;
        if (hooks->is_collected(hooks->context, place->reference))
            leave(hooks, i);
        else if (state == BORN && (int32_t)(gcs - place->born_gc) > 0)
            atomic_store_explicit(&place->state, LIVES, memory_order_release);
    }
}

void pm_followed_look(const struct pm_followed_hooks *hooks, uint32_t gcs, struct pm_live_look look)
{
    uint32_t n_places = count_places();
    find_collected(hooks, gcs, n_places);
    fit(hooks, n_places);
    pm_cells_live_begin();
    for (uint32_t i = 0; i < n_places; i++) {
        const struct pm_followed *place = place_at(i);
        if (atomic_load_explicit(&place->state, memory_order_acquire) != LIVES)
            continue;
        pm_cells_live_add(place->cell, place->size_bytes, weight_of(place));
        look.thinned |= place->halvings > 0;
    }
    pm_cells_live_publish(&look);
}

void pm_followed_visit_oldest(bool (*wanted)(void *context, const struct pm_followed *followed),
                              void *wanted_context, uint32_t max,
                              void (*visit)(void *context, void *reference), void *visit_context)
{
    const struct pm_followed *oldest[PM_FOLLOWED_VISIT];
    uint32_t n = 0, n_places = count_places();
    max = max < PM_FOLLOWED_VISIT ? max : PM_FOLLOWED_VISIT;
    for (uint32_t i = 0; i < n_places; i++) {
        const struct pm_followed *place = place_at(i);
        if (atomic_load_explicit(&place->state, memory_order_acquire) != LIVES ||
            (n == max && place->born_ns >= oldest[n - 1]->born_ns) ||
            !wanted(wanted_context, place))
            continue;
        uint32_t at = n < max ? n++ : n - 1;
        for (; at > 0 && oldest[at - 1]->born_ns > place->born_ns; at--)
            oldest[at] = oldest[at - 1];
        oldest[at] = place;
    }
    for (uint32_t i = 0; i < n; i++)
        visit(visit_context, oldest[i]->reference);
}

void pm_followed_drop_all(const struct pm_followed_hooks *hooks)
{
    uint32_t n_places = count_places();
    for (uint32_t i = 0; i < n_places; i++)
        if (atomic_load_explicit(&place_at(i)->state, memory_order_acquire) != FREE)
            leave(hooks, i);
    atomic_store(&followed.level, 0);
}

size_t pm_followed_list(struct pm_allocation *ret_objects, size_t max, uint32_t gcs)
{
    size_t n = 0;
    uint32_t n_places = count_places();
    for (uint32_t first = 0; first < n_places; first += PIECE) {
        pthread_mutex_lock(&followed.lock);
        for (uint32_t i = first; i < first + PIECE && i < n_places && n < max; i++) {
            const struct pm_followed *place = place_at(i);
            if (atomic_load_explicit(&place->state, memory_order_acquire) != LIVES)
                continue;
            struct pm_allocation *to = &ret_objects[n++];
            *to = (struct pm_allocation){.at_ns = place->born_ns,
                                         .size_bytes = place->size_bytes,
                                         .interval_bytes = place->interval_bytes,
                                         .thread = {place->thread},
                                         .age = gcs - place->born_gc,
                                         .halvings = place->halvings};
            pm_cells_name(place->cell, &to->class_id, &to->chain);
        }
        pthread_mutex_unlock(&followed.lock);
    }
    return n;
}

uint32_t pm_followed_count(void)
{
    return atomic_load_explicit(&followed.n, memory_order_relaxed);
}

bool pm_followed_is_crowded(void)
{
    return pm_followed_count() > pm_followed_most();
}

uint64_t pm_followed_refused(void)
{
    return atomic_load_explicit(&followed.n_refused, memory_order_relaxed);
}
