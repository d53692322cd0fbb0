/* The table of pools: how many threads each has, how many were idle, what the others waited for. */
#pragma once

#include "viewer/analysis/slices/pool.h"
#include "viewer/report/output.h"

void pm_pools_write(const PmPools *pools, const PmOutput *output, GString *out);
