/* Output of two compared recordings: an indented table, CSV of the leaves, JSON. */
#pragma once

#include "viewer/analysis/aggregation/diff.h"
#include "viewer/report/output.h"

void pm_diff_write(const PmDiff *diff, const PmOutput *output, GString *out);
