#include "viewer/ui/model/job.h"

typedef struct Run Run;

struct PmJob {
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
    PmJobDone done, told;
    gpointer data;
    Run *running;       /* not ended yet, cancelled or not */
    gpointer next;      /* a question that waits for its end */
    gboolean is_waited; /* for an answer */
};

static guint n_waited; /* main thread only */

/* One question on its way; outlives its job when that is freed first. In an atomic box. */
struct Run {
    gint cancel; /* the first member: what `run` gets */
    PmJob *job;  /* main thread only; NULL = the job is gone */
    gpointer question, answer;
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
};

typedef struct {
    Run *run;
    gpointer part; /* NULL once it is handed over */
} Told;

static void start(PmJob *job, gpointer question);

static void free_with(GDestroyNotify destroy, gpointer data)
{
    if (data && destroy)
        destroy(data);
}

static void run_clear(gpointer data)
{
    Run *run = data;

    free_with(run->free_question, run->question);
    free_with(run->free_answer, run->answer);
}

static void run_unref(gpointer run)
{
    g_atomic_rc_box_release_full(run, run_clear);
}

static gboolean counts(const Run *run)
{
    return run->job && !g_atomic_int_get(&run->cancel);
}

static void set_waited(PmJob *job, gboolean waited)
{
    n_waited += (guint)waited - (guint)job->is_waited;
    job->is_waited = waited;
}

static void run_in_thread(GTask *task, gpointer source, gpointer task_data, GCancellable *unused)
{
    Run *run = task_data;

    if (!g_atomic_int_get(&run->cancel))
        run->answer = run->run(run->question, &run->cancel);
    g_task_return_boolean(task, TRUE);
}

static void run_done(GObject *source, GAsyncResult *result, gpointer user_data)
{
    Run *run = g_task_get_task_data(G_TASK(result));
    PmJob *job = run->job;

    if (!job)
        return;
    job->running = NULL;
    if (job->next) {
        start(job, g_steal_pointer(&job->next));
        return;
    }
    if (!counts(run))
        return;
    run->job = NULL;
    set_waited(job, FALSE);
    if (run->answer)
        job->done(g_steal_pointer(&run->answer), job->data);
}

static gboolean told_cb(gpointer data)
{
    Told *told = data;

    if (counts(told->run))
        told->run->job->told(g_steal_pointer(&told->part), told->run->job->data);
    return G_SOURCE_REMOVE;
}

static void told_free(gpointer data)
{
    Told *told = data;

    free_with(told->run->free_answer, told->part);
    run_unref(told->run);
    g_free(told);
}

static void start(PmJob *job, gpointer question)
{
    Run *run = g_atomic_rc_box_new0(Run);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, run_done, NULL);

    *run = (Run){.job = job,
                 .question = question,
                 .run = job->run,
                 .free_question = job->free_question,
                 .free_answer = job->free_answer};
    job->running = run;
    g_task_set_task_data(task, run, run_unref);
    g_task_run_in_thread(task, run_in_thread);
}

PmJob *pm_job_new(PmJobRun run, GDestroyNotify free_question, GDestroyNotify free_answer,
                  PmJobDone done, gpointer data)
{
    g_return_val_if_fail(run && done, NULL);
    PmJob *job = g_new0(PmJob, 1);

    *job = (PmJob){.run = run,
                   .free_question = free_question,
                   .free_answer = free_answer,
                   .done = done,
                   .data = data};
    return job;
}

void pm_job_set_told(PmJob *job, PmJobDone told)
{
    g_return_if_fail(job && told);
    job->told = told;
}

void pm_job_ask(PmJob *job, gpointer question)
{
    g_return_if_fail(job && question);
    pm_job_stop(job);
    set_waited(job, TRUE);
    if (job->running)
        job->next = question;
    else
        start(job, question);
}

void pm_job_tell(const gint *cancel, gpointer part)
{
    g_return_if_fail(cancel && part);
    Told *told = g_new(Told, 1);

    *told = (Told){g_atomic_rc_box_acquire((Run *)cancel), part};
    g_idle_add_full(G_PRIORITY_DEFAULT, told_cb, told, told_free);
}

void pm_job_stop(PmJob *job)
{
    g_return_if_fail(job);
    if (job->running)
        g_atomic_int_set(&job->running->cancel, 1);
    if (job->next)
        free_with(job->free_question, g_steal_pointer(&job->next));
    set_waited(job, FALSE);
}

guint pm_jobs_running(void)
{
    return n_waited;
}

void pm_job_free(PmJob *job)
{
    if (!job)
        return;
    pm_job_stop(job);
    if (job->running)
        job->running->job = NULL;
    g_free(job);
}
