/* Reads a recording on a thread of its own and hands it to a PmState: progress and failure as its
 * PmLoading, the recording when it is whole (or, cancelled, what was read). Main thread only. */
#pragma once

#include "viewer/ui/model/state.h"

typedef struct PmLoader PmLoader;

PmLoader *pm_loader_new(PmState *state);
/* Stops a reading that goes on; its outcome is dropped. */
void pm_loader_free(PmLoader *loader);
/* What was shown stays until the new recording is there. A reading that goes on is dropped. */
void pm_loader_read(PmLoader *loader, const char *path);
/* Reads a newer dump of what is shown and puts it in its place, with no word meanwhile (see
 * pm_state_renew_recording). `done` gets the recording (borrowed; NULL = it could not be read);
 * not called when another reading begins. */
typedef void (*PmLoaderDone)(PmRecording *recording, gpointer data);
void pm_loader_renew(PmLoader *loader, const char *path, PmLoaderDone done, gpointer data);
/* The recording so far is shown, marked as partial. */
void pm_loader_cancel(PmLoader *loader);
