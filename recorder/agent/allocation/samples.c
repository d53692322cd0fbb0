#include "recorder/agent/allocation/samples.h"

#include <pthread.h>

#define MAX_SAMPLES 4096 /* not taken yet */

static struct {
    pthread_mutex_t lock;
    struct pm_allocation samples[MAX_SAMPLES];
    uint64_t n_in, n_out;
    uint64_t n_lost;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pm_samples_add(const struct pm_allocation *sample)
{
    pthread_mutex_lock(&queue.lock);
    if (queue.n_in - queue.n_out < MAX_SAMPLES)
        queue.samples[queue.n_in++ % MAX_SAMPLES] = *sample;
    else
        queue.n_lost++;
    pthread_mutex_unlock(&queue.lock);
}

size_t pm_samples_take(struct pm_allocation *ret_samples, size_t max)
{
    size_t n = 0;
    pthread_mutex_lock(&queue.lock);
    while (n < max && queue.n_out != queue.n_in)
        ret_samples[n++] = queue.samples[queue.n_out++ % MAX_SAMPLES];
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
