/* Work of one page off the main thread: the newest question counts. Asking again cancels the
 * running work; its answer is dropped. Main thread only, but for `run`. */
#pragma once

#include <gio/gio.h>

typedef struct PmJob PmJob;

/* On a worker thread. Polls `cancel`; the answer of a cancelled run (NULL or not) is dropped. */
typedef gpointer (*PmJobRun)(gpointer question, const gint *cancel);
/* On the main thread; `answer` becomes the callee's. */
typedef void (*PmJobDone)(gpointer answer, gpointer data);

PmJob *pm_job_new(PmJobRun run, GDestroyNotify free_question, GDestroyNotify free_answer,
                  PmJobDone done, gpointer data);
/* Takes the question. */
void pm_job_ask(PmJob *job, gpointer question);
/* Of all jobs: how many have an answer to wait for. */
guint pm_jobs_running(void);
/* Cancels and forgets; `done` is not called any more. */
void pm_job_free(PmJob *job);
