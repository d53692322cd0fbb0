/* An excerpt of a recording: some spans of its time, as a recording of its own. Its ids are the
 * whole's, whose tables it borrows: the whole must live longer.
 *
 * Of one span, times stay as they are, the window too, and waits keep their begins before it.
 * Several spans are joined: the time between them is left out of every instant, so that a wait that
 * lasts across it is one wait, shorter by what was left out, and shares of time are those of the
 * chosen spans. Memory snapshots, live objects and the ledger are not in an excerpt. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* `spans`: not empty, apart and by time, within the recording. `also`, of one span: by chain, whose
 * waits before it are in the excerpt, too; or NULL. Cost: a pass over the begins and
 * lengths of the waits, on all cores. NULL: cancelled, or no memory. */
PmRecording *pm_excerpt_new(const PmRecording *whole, const PmInterval *spans, guint n,
                            const guint8 *also, const gint *cancel);
/* Its spans, as the whole has them. */
const PmInterval *pm_excerpt_spans(const PmRecording *excerpt, guint *ret_n);
/* What the whole's instant is in the excerpt. */
gint64 pm_excerpt_instant(const PmRecording *excerpt, gint64 at);
/* The whole's row. */
guint32 pm_excerpt_row(const PmRecording *excerpt, guint32 row);
