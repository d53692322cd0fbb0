/* Work off the main thread, where only the newest request counts. A new request cancels the running
 * one and drops its answer; it starts when the cancelled one has ended, so that a job never uses
 * the memory of two. Main thread only, except for `run` and pm_job_tell(). */
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
/* Sets the function that receives partial answers before the end of a run. */
void pm_job_set_told(PmJob *job, PmJobDone told);
/* Takes the question. */
void pm_job_ask(PmJob *job, gpointer question);
/* Inside `run`, with its `cancel`: passes on a partial answer, which is freed like an answer. */
void pm_job_tell(const gint *cancel, gpointer part);
/* Cancels a running job; neither `told` nor `done` will be called for it. */
void pm_job_stop(PmJob *job);
/* The number of jobs with a pending answer. */
guint pm_jobs_running(void);
/* Stops and forgets. */
void pm_job_free(PmJob *job);
