/* Pauses of the collector are a finding of their own, waits or none. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* Where they stop the program for a tenth of the recorded time. */
void pm_collection_find(const PmSearch *search, GArray *findings);
