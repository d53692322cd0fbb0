/* The JVMs of a machine or container that a command leads to, such as `ssh HOST` or `kubectl exec
 * POD --`: it is started with `parkctl serve` behind its words, and asked over its standard streams
 * (serve.h). A connection that broke is made anew by the next request. Blocking. */
#pragma once

#include <glib.h>

typedef struct PmRemote PmRemote;

typedef enum {
    PM_REMOTE_OK,
    PM_REMOTE_REFUSED, /* by the recorder, or by what is asked for it; it may be asked again */
    PM_REMOTE_ENDED,   /* the JVM is gone; what it wrote last has come */
    PM_REMOTE_BROKEN,  /* nobody answers */
} PmRemoteOutcome;

/* `via`: the command, its words as in a shell; NULL: this machine, without a pipe. */
PmRemote *pm_remote_new(const char *via);
void pm_remote_free(PmRemote *remote);

/* `*ret_text`, owned, is the answer, else a sentence that says why there is none. */
PmRemoteOutcome pm_remote_list(PmRemote *remote, gboolean all, char **ret_text);
PmRemoteOutcome pm_remote_ask(PmRemote *remote, int pid, const char *request, char **ret_text);
/* Brings the file `fd` (empty at first, open for both) up to date with the recording of `pid`, or
 * with its last `maxage_ns` (0 = all). `*ret_bytes` came. */
PmRemoteOutcome pm_remote_update(PmRemote *remote, int pid, gint64 maxage_ns, int fd,
                                 guint64 *ret_bytes, char **ret_text);
