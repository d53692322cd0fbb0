/* Reads a recording from a file. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Called from the loading thread, at most every 50 ms; returning FALSE cancels (PM_ERROR_CANCELLED;
 * what was read until then is still returned as a recording, see pm_recording_load). `outline`: a
 * first picture, refined each time; NULL if it has not changed. Borrowed. */
typedef gboolean (*PmLoadProgress)(guint64 done_bytes, guint64 total_bytes, PmOutline *outline,
                                   gpointer data);

/* Reads a file with `n_threads` workers (0 = as many as processors). NULL and `error` on failure;
 * the message is a whole sentence that names the file. With `ret_cancelled`, a cancelled
 * load returns what was read. Blocking: call it off the main thread. */
PmRecording *pm_recording_load(const char *path, guint n_threads, PmLoadProgress progress,
                               gpointer data, gboolean *ret_cancelled, GError **error);
/* Reads the end of the recording before all of it: the last chunks that together have `waits`,
 * whole, and passes them to `done` (called from the loading thread; owned by it) as a recording
 * whose window begins there. Not if all of it has not at least four times as many waits, nor if
 * cancelled before. After `done`, progress has no outline. */
typedef struct {
    guint64 waits;
    void (*done)(PmRecording *end, gpointer data);
} PmLoadEnd;
PmRecording *pm_recording_load_end_first(const char *path, guint n_threads, const PmLoadEnd *end,
                                         PmLoadProgress progress, gpointer data,
                                         gboolean *ret_cancelled, GError **error);
/* Reads the newest waits alone, about: those of the last `ns`, further back if these are fewer than
 * `least`, less far if more than `most`; in any case those since the instant `since`. The
 * recording's window begins there. */
typedef struct {
    gint64 ns;
    guint64 least, most;
    gint64 since;  /* G_MAXINT64: none */
    gboolean *cut; /* set to whether older ones are left out */
} PmLoadNewest;
PmRecording *pm_recording_load_newest(const char *path, guint n_threads, const PmLoadNewest *newest,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error);
/* pm_recording_load from an open source (owned), named `name` in messages. */
PmRecording *pm_recording_load_source(struct pm_source source, const char *name, guint n_threads,
                                      PmLoadProgress progress, gpointer data,
                                      gboolean *ret_cancelled, GError **error);
