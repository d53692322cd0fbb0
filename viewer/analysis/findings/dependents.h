/* Tasks of a pool that wait for other tasks of that pool delay nobody but those outside who wait
 * for the pool meanwhile: what such waiting costs is what those lose. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Whether a finding is about such tasks, nearly always while somebody outside waits for a result of
 * that pool, and those lose less than `busy_share` of their busy time, and less than the time of
 * `mean_threads` threads. Tells so in its evidence. Cost: a pass over the view's waits if it is
 * about one pool. */
gboolean pm_dependents_lose_little(const PmSearch *search, PmFinding *finding, double busy_share,
                                   double mean_threads);
