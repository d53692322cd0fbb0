/* What carriers run. While none of them runs a virtual thread that has work, nothing tells of that
 * one: what others were seen at meanwhile does. */
#pragma once

#include "viewer/analysis/code/activity.h"

typedef struct PmCarriers PmCarriers;

/* Borrows the activity. Never NULL; free with pm_carriers_free. */
PmCarriers *pm_carriers_new(const PmActivity *activity);
void pm_carriers_free(PmCarriers *carriers);
/* From `at` on either every carrier is busy, or one rests, until what is returned; at most `end`.
 * If no carrier is known, none is busy. */
gint64 pm_carriers_until(const PmCarriers *carriers, gint64 at, gint64 end, gboolean *ret_busy);
/* All carriers are busy while the virtual thread `thread` has not yet done what it will in `chain`:
 * the sample nearest to `at` of what they run, or of threads that do the same as that one. NULL:
 * none is near, or those rest as often, and are not held up by others. */
const PmOwnerSample *pm_carriers_seen_running(const PmCarriers *carriers, guint32 thread,
                                              guint32 chain, gint64 at);
/* The sample of a virtual thread nearest to `at`, which is not in the code that waits in `row`.
 * NULL: there is none. */
const PmOwnerSample *pm_carriers_nearest_virtual(const PmCarriers *carriers, guint32 row,
                                                 gint64 at);
