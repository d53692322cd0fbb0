/* What each thread gave, as it ended the waits of others, and whether it gave that before it waited
 * itself. */
#pragma once

#include "viewer/analysis/code/activity.h"

typedef struct PmGives PmGives;

/* Of all waits whose waker is known. Cost: a pass over the waits, and 16 bytes for each. */
PmGives *pm_gives_new(const PmRecording *recording);
void pm_gives_free(PmGives *gives);

/* What the thread gave, in order of time; NULL: nothing. */
const GArray *pm_gives_by(const PmGives *gives, guint32 thread);
/* Did it give something in [from, to]? `by`: of pm_gives_by. */
gboolean pm_gives_any(const GArray *by, gint64 from, gint64 to);
/* Did it, within `apart` ns of something else, more often than not, and so at least `min` times? */
gboolean pm_gives_are_together(const GArray *by, gint64 apart, guint min);
/* Does the thread of `row` mostly give something, no lock and no room, to `giver` or to who passes
 * it on to that, before it waits as in `row`, on the way to there, and so at least `min` times of
 * `max` waits looked at? */
gboolean pm_gives_asks(const PmGives *gives, const PmActivity *activity, guint32 row, guint32 giver,
                       guint min, guint max);

/* Where the callers of both are the same up to one method: how many lines further on in it is the
 * call that waits than the one that gives? 0: not known. */
gint pm_gives_lines_to_wait(const PmRecording *recording, guint32 gives, guint32 waits);
