/* A running JVM, followed: what its recorder holds is dumped again and again with parkctl into a
 * folder of our own, read off the main thread and shown in place of the last one, with range,
 * filters and selection kept; asked again when it gives none, until it is gone. Tells its PmState
 * how it goes (pm_state_set_live). Main thread only. */
#pragma once

#include "viewer/ui/model/loader.h"

typedef struct PmLive PmLive;

PmLive *pm_live_new(PmState *state, PmLoader *loader);
/* Stops; what was dumped last is removed. */
void pm_live_free(PmLive *live);
void pm_live_start(PmLive *live, guint pid);
void pm_live_stop(PmLive *live);
/* Between following and paused; nothing when no JVM is followed. */
void pm_live_toggle(PmLive *live);

/* The parkctl beside this program, in its build tree or on the PATH; NULL = none. */
char *pm_live_parkctl(void);
/* For tests: this one, whatever is there. Borrowed; NULL = as ever. */
void pm_live_use_parkctl(const char *path);
