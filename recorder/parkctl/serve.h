/* Answers requests of another parkctl about the JVMs of this machine: `parkctl serve` on its
 * standard streams (see remote.h), or in the same process. Nothing listens on a network.
 *
 * The greeting is PM_SERVE_GREETING. A request is a line, at most PM_SERVE_REQUEST_MAX bytes:
 *
 *   list                    the JVMs with a recorder: JSON, as of `parkctl list`
 *   list all                those without one too, as of `parkctl list --all`
 *   ask PID REQUEST         a request of recorder/control/protocol.h; its answer
 *   news PID MAXAGE MARK    what a copy with this mark lacks of the recording (format/mirror.h), or
 *                           only of its last MAXAGE ns (0 = all): pieces
 *
 * MARK is "FILE-ID SLOT-SIZE SLOTS BELOW" and " NUMBER:USED" for each open chunk, in hexadecimal.
 * The answer is any number of pieces, then one frame of another type. A frame is its type (a byte),
 * the length of what follows (32 bits, little-endian), and that. */
#pragma once

#include <glib.h>

#include "recorder/parkctl/command.h"

#define PM_SERVE_GREETING    "parkmeter-serve 1\n"
#define PM_SERVE_REQUEST_MAX 8192

enum {
    PM_FRAME_PIECE = 'p',
    PM_FRAME_OK = 'o',    /* the answer */
    PM_FRAME_ERROR = 'e', /* a sentence; the next attempt may succeed */
    PM_FRAME_ENDED =
        'g', /* a sentence: the JVM no longer exists. Its last pieces were sent before */
};

typedef struct PmServe PmServe;

PmServe *pm_serve_new(void);
void pm_serve_free(PmServe *serve);
/* `give` is called for each frame; it returns nonzero if the peer is gone. */
void pm_serve_answer(PmServe *serve, const char *request,
                     int (*give)(gpointer data, int type, const void *bytes, gsize size),
                     gpointer data);
