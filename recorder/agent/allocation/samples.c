#include "recorder/agent/allocation/samples.h"

#include <pthread.h>

#include "recorder/agent/base/reservation.h"

#define MAX_SAMPLES 4096 /* not taken yet */

static struct {
    pthread_mutex_t lock;
    struct pm_reservation memory; /* made for the first sample: most hosts never have one */
    uint64_t n_in, n_out;
    uint64_t n_lost;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pm_allocation *slot_of(uint64_t number)
{
    return (struct pm_allocation *)(void *)queue.memory.base + number % MAX_SAMPLES;
}

static bool has_memory(void)
{
    size_t bytes = MAX_SAMPLES * sizeof(struct pm_allocation);
    return (queue.memory.base || pm_reservation_init(&queue.memory, bytes) == 0) &&
           pm_reservation_open(&queue.memory, bytes);
}

void pm_samples_add(const struct pm_allocation *sample)
{
    pthread_mutex_lock(&queue.lock);
    if (queue.n_in - queue.n_out < MAX_SAMPLES && has_memory())
        *slot_of(queue.n_in++) = *sample;
    else
        queue.n_lost++;
    pthread_mutex_unlock(&queue.lock);
}

size_t pm_samples_take(struct pm_allocation *ret_samples, size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&queue.lock);
    while (n < max && queue.n_out != queue.n_in)
        ret_samples[n++] = *slot_of(queue.n_out++);
    pthread_mutex_unlock(&queue.lock);
    return n;
}

uint64_t pm_samples_lost(void)
{
    pthread_mutex_lock(&queue.lock);
    uint64_t n = queue.n_lost;
    pthread_mutex_unlock(&queue.lock);
    return n;
}
