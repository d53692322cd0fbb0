/* The JVMs of a machine or container that is reached through a command, such as `ssh HOST` or
 * `kubectl exec POD --`: it is started with `parkctl serve` appended, and used over its standard
 * streams (serve.h). A broken connection is re-established by the next request. Blocking. */
#pragma once

#include <glib.h>

typedef struct PmRemote PmRemote;

typedef enum {
    PM_REMOTE_OK,
    PM_REMOTE_REFUSED, /* by the recorder, or by the remote parkctl; the request may be repeated */
    PM_REMOTE_ENDED,   /* the JVM is gone; the last data it wrote has been received */
    PM_REMOTE_BROKEN,  /* nobody answers */
} PmRemoteOutcome;

/* `via`: the command, split as in a shell; NULL: this machine, without a pipe. */
PmRemote *pm_remote_new(const char *via);
void pm_remote_free(PmRemote *remote);

/* `*ret_text`, owned, is the answer, or a sentence that says why there is none. */
PmRemoteOutcome pm_remote_list(PmRemote *remote, gboolean all, char **ret_text);
PmRemoteOutcome pm_remote_ask(PmRemote *remote, int pid, const char *request, char **ret_text);
/* Updates the file `fd` (initially empty, open for reading and writing) from the recording of
 * `pid`, or from its last `maxage_ns` (0 = all). `*ret_bytes`: bytes received. */
PmRemoteOutcome pm_remote_update(PmRemote *remote, int pid, gint64 maxage_ns, int fd,
                                 guint64 *ret_bytes, char **ret_text);
