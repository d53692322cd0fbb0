/* Follows a running JVM: `parkctl follow` keeps a private file up to date with what its recorder
 * holds; the file is read off the main thread and replaces the previous recording, keeping range,
 * filters and selection. Retries if nothing arrives, until the JVM is gone. Reports its progress to
 * its PmState (pm_state_set_live, _trouble). Main thread only. */
#pragma once

#include "viewer/ui/model/loader.h"

typedef struct PmLive PmLive;

PmLive *pm_live_new(PmState *state, PmLoader *loader);
/* Stops; the file is removed. */
void pm_live_free(PmLive *live);
/* `via` (nullable): the command that reaches the JVM's machine, as for parkctl. */
void pm_live_start(PmLive *live, guint pid, const char *via);
void pm_live_stop(PmLive *live);
/* Writes the contents of `path`, a follower's file, to `to` as a separate recording, on a thread.
 * `done`: pm_live_keep_finish. */
void pm_live_keep(const char *path, GFile *to, GAsyncReadyCallback done, gpointer data);
gboolean pm_live_keep_finish(GAsyncResult *result, GError **error);
/* Toggles between following and paused; no effect if no JVM is followed. */
void pm_live_toggle(PmLive *live);

/* The parkctl next to this program, in its build tree or on the PATH; NULL = none. */
char *pm_live_parkctl(void);
/* For tests: overrides it. Borrowed; NULL = the default. */
void pm_live_use_parkctl(const char *path);
