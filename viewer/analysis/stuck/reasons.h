/* Why a wait does not end, as far as it is known. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Adds to `finding`, of the waits `rows` like `still`: causes, evidence, and to its title. */
void pm_stuck_explain(const PmSearch *search, const PmStillWaiting *still, const GArray *rows,
                      PmFinding *finding);
/* The stack trace of the program's code in which one that ended such waits before, and waits for
 * nothing now, was seen last since `still` began; 0: no such one was. */
guint32 pm_stuck_at_work(const PmSearch *search, const PmStillWaiting *still, guint32 *ret_thread);
