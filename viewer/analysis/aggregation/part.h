/* The parts of a wait as keys of the aspects that are split over them: cause and owner, and their
 * chains and sites. */
#pragma once

#include "viewer/analysis/aggregation/aspect.h"
#include "viewer/analysis/causes/contention.h"

/* Cause, cause-chain, cause-site, owner, owner-chain, owner-site. */
gboolean pm_aspect_is_split(PmAspect aspect);
/* The part's key. Where a thread is blamed whose chain is not known the key is 0. */
guint64 pm_part_key(const PmRecording *recording, PmAspect aspect, const PmPart *part);
