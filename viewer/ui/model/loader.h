/* Loads a recording on a separate thread and passes it to a PmState: progress and failure as its
 * PmLoading, the recording when it is complete (or, if cancelled, what was read). Main thread only.
 */
#pragma once

#include "viewer/ui/model/state.h"

typedef struct PmLoader PmLoader;

PmLoader *pm_loader_new(PmState *state);
/* Stops a load in progress and drops its result. */
void pm_loader_free(PmLoader *loader);
/* So many waits are read, and all about them is computed, in a few seconds. Of a recording of at
 * least four times as many the end is shown first, with PmLoading.end_only, and is replaced once
 * the numbers of all of it are there. 0: never. */
extern guint64 pm_loader_end_waits;
/* The current recording stays visible until the new one is ready. A load in progress is dropped. */
void pm_loader_read(PmLoader *loader, const char *path);
/* The same of its newest waits alone, with PmLoading.newest_only if there are older ones: those of
 * five minutes, but at least so many, and at most four times as many. That is computed in a
 * fraction of a second, and its memory does not grow with the recording. */
extern guint64 pm_loader_newest_waits;
void pm_loader_read_newest(PmLoader *loader, const char *path);
/* Loads a newer dump of the current recording and replaces it, without showing progress (see
 * pm_state_renew_recording). `done` gets the recording (borrowed; NULL = it could not be read); not
 * called if another load starts. `since`: the newest alone, and any since then (G_MAXINT64: no
 * more); G_MININT64: all. */
typedef void (*PmLoaderDone)(PmRecording *recording, gpointer data);
void pm_loader_renew(PmLoader *loader, const char *path, gint64 since, PmLoaderDone done,
                     gpointer data);
/* Shows the recording loaded so far, or its end if that is more, marked as partial. */
void pm_loader_cancel(PmLoader *loader);
