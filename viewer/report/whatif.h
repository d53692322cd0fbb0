/* Output of the predicted effect of holding a lock for less time, as text, CSV and JSON. */
#pragma once

#include "viewer/analysis/whatif/whatif.h"
#include "viewer/report/output.h"

/* `predictions`: those of one blocker are consecutive. */
void pm_whatif_write(const PmView *view, const PmWhatIf *predictions, guint n,
                     const PmOutput *output, GString *out);
