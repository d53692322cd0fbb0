/* A running JVM, followed: `parkctl follow` keeps a file of our own up to date with what its
 * recorder holds; that is read off the main thread and shown in place of the last, with range,
 * filters and selection kept. Asked again when nothing comes, until the JVM is gone. Tells its
 * PmState how it goes (pm_state_set_live, _trouble). Main thread only. */
#pragma once

#include "viewer/ui/model/loader.h"

typedef struct PmLive PmLive;

PmLive *pm_live_new(PmState *state, PmLoader *loader);
/* Stops; the file is removed. */
void pm_live_free(PmLive *live);
/* `via` (nullable): the command that leads to the JVM's machine, as parkctl takes it. */
void pm_live_start(PmLive *live, guint pid, const char *via);
void pm_live_stop(PmLive *live);
/* Writes what `path`, the file of a follower, holds into `to`, as a recording of its own, on a
 * thread. `done`: pm_live_keep_finish. */
void pm_live_keep(const char *path, GFile *to, GAsyncReadyCallback done, gpointer data);
gboolean pm_live_keep_finish(GAsyncResult *result, GError **error);
/* Between following and paused; nothing when no JVM is followed. */
void pm_live_toggle(PmLive *live);

/* The parkctl beside this program, in its build tree or on the PATH; NULL = none. */
char *pm_live_parkctl(void);
/* For tests: this one, whatever is there. Borrowed; NULL = as ever. */
void pm_live_use_parkctl(const char *path);
