/* The finding about pauses of the garbage collector, with waits or without. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* Where they stop the program for a tenth of the recorded time. */
void pm_collection_find(const PmSearch *search, GArray *findings);
