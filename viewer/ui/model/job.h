/* Work off the main thread: the newest question counts. Asking again cancels what runs and drops
 * its answer; the new run starts when the cancelled one has ended, so that a job never takes the
 * memory of two. Main thread only, but for `run` and pm_job_tell(). */
#pragma once

#include <gio/gio.h>

typedef struct PmJob PmJob;

/* On a worker thread. Polls `cancel`; the answer of a cancelled run (NULL or not) is dropped. */
typedef gpointer (*PmJobRun)(gpointer question, const gint *cancel);
/* On the main thread; `answer` becomes the callee's. */
typedef void (*PmJobDone)(gpointer answer, gpointer data);

/* The functions that free may be NULL. */
PmJob *pm_job_new(PmJobRun run, GDestroyNotify free_question, GDestroyNotify free_answer,
                  PmJobDone done, gpointer data);
/* What is called for the parts of an answer that a run tells before its end. */
void pm_job_set_told(PmJob *job, PmJobDone told);
/* Takes the question. */
void pm_job_ask(PmJob *job, gpointer question);
/* Inside of `run`, with its `cancel`: hands over a part of the answer, freed as an answer is. */
void pm_job_tell(const gint *cancel, gpointer part);
/* Cancels what runs; neither `told` nor `done` is called for it any more. */
void pm_job_stop(PmJob *job);
/* Of all jobs: how many have an answer to wait for. */
guint pm_jobs_running(void);
/* Stops and forgets. */
void pm_job_free(PmJob *job);
