/* What no blocker is to blame for: the findings about pauses of the garbage collector, with waits
 * or without, and about carriers of virtual threads. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Where they stop the program for a tenth of the recorded time. */
void pm_collection_find(const PmSearch *search, GArray *findings);
/* Where woken virtual threads wait for a carrier in a tenth of it. */
void pm_carrier_find(const PmSearch *search, GArray *findings);
