/* The finding about live objects that grow from one collection of old objects to the next. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* One at a site, the steepest first. */
void pm_leak_find(const PmSearch *search, GArray *findings);
