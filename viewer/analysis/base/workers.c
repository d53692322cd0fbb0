#include "viewer/analysis/base/workers.h"

#include "viewer/analysis/base/region.h"

typedef struct {
    guint n;
    gint next;
    void (*work)(gpointer data, guint index);
    gpointer data;
} Job;

static gpointer run_job(gpointer data)
{
    Job *job = data;
    for (;;) {
        guint index = (guint)g_atomic_int_add(&job->next, 1);
        if (index >= job->n)
            return NULL;
        job->work(job->data, index);
        pm_region_look();
    }
}

void pm_workers_run(guint n_threads, guint n, void (*work)(gpointer data, guint index),
                    gpointer data)
{
    Job job = {.n = n, .work = work, .data = data};
    GThread *threads[16];
    guint started = 0;

    if (n_threads == 0)
        n_threads = g_get_num_processors();
    n_threads = MIN(MIN(n_threads, n), G_N_ELEMENTS(threads) + 1);
    while (started + 1 < n_threads) {
        GThread *thread = g_thread_try_new("pm-worker", run_job, &job, NULL);
        if (!thread)
            break; /* fewer workers, same result */
        threads[started++] = thread;
    }
    run_job(&job);
    for (guint i = 0; i < started; i++)
        g_thread_join(threads[i]);
}
