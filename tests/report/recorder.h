/* A recorder in this very process, for parkctl to ask: one thread, one answer a connection. */
#pragma once

#include <sys/types.h>

#include <glib.h>

/* What others leave of the file, its descriptor passed already; -1 = all. */
extern off_t pm_recorder_cut;

/* `path`, borrowed: what it hands out as its recording. FALSE: no socket can be made. */
gboolean pm_recorder_start(const char *path);
void pm_recorder_stop(void);
