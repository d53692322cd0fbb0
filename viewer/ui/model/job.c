#include "viewer/ui/model/job.h"

struct PmJob {
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
    PmJobDone done;
    gpointer data;
    struct run *running; /* the one whose answer counts */
};

static guint n_running; /* main thread only */

/* One question on its way; outlives its job when that is freed first. */
struct run {
    PmJob *job; /* main thread only; NULL = nobody waits any more */
    gint cancel;
    gpointer question, answer;
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
};

static void run_free(struct run *run)
{
    if (run->question && run->free_question)
        run->free_question(run->question);
    if (run->answer && run->free_answer)
        run->free_answer(run->answer);
    g_free(run);
}

static void run_in_thread(GTask *task, gpointer source, gpointer task_data, GCancellable *unused)
{
    struct run *run = task_data;

    if (!g_atomic_int_get(&run->cancel))
        run->answer = run->run(run->question, &run->cancel);
    g_task_return_boolean(task, TRUE);
}

static void run_done(GObject *source, GAsyncResult *result, gpointer user_data)
{
    struct run *run = g_task_get_task_data(G_TASK(result));
    PmJob *job = run->job;

    if (!job || job->running != run)
        return;
    n_running--;
    job->running = NULL;
    run->job = NULL;
    if (run->answer)
        job->done(g_steal_pointer(&run->answer), job->data);
}

PmJob *pm_job_new(PmJobRun run, GDestroyNotify free_question, GDestroyNotify free_answer,
                  PmJobDone done, gpointer data)
{
    PmJob *job = g_new0(PmJob, 1);

    *job = (PmJob){.run = run,
                   .free_question = free_question,
                   .free_answer = free_answer,
                   .done = done,
                   .data = data};
    return job;
}

static void drop_running(PmJob *job)
{
    if (!job->running)
        return;
    g_atomic_int_set(&job->running->cancel, 1);
    n_running--;
    job->running->job = NULL;
    job->running = NULL;
}

void pm_job_ask(PmJob *job, gpointer question)
{
    struct run *run = g_new0(struct run, 1);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, run_done, NULL);

    drop_running(job);
    *run = (struct run){.job = job,
                        .question = question,
                        .run = job->run,
                        .free_question = job->free_question,
                        .free_answer = job->free_answer};
    job->running = run;
    n_running++;
    g_task_set_task_data(task, run, (GDestroyNotify)run_free);
    g_task_run_in_thread(task, run_in_thread);
}

guint pm_jobs_running(void)
{
    return n_running;
}

void pm_job_free(PmJob *job)
{
    if (!job)
        return;
    drop_running(job);
    g_free(job);
}
