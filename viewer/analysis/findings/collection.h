/* Findings without a blocker: about pauses of the garbage collector, with or without waits, and
 * about carriers of virtual threads. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* If pauses stop the program for a tenth of the recorded time. */
void pm_collection_find(const PmSearch *search, GArray *findings);
/* If woken virtual threads wait for a carrier during a tenth of it. */
void pm_carrier_find(const PmSearch *search, GArray *findings);
