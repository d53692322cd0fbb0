/* What a lock that is held for less would save, as text, CSV and JSON. */
#pragma once

#include "viewer/analysis/whatif/whatif.h"
#include "viewer/report/output.h"

/* `predictions`: those of one blocker follow each other. */
void pm_whatif_write(const PmView *view, const PmWhatIf *predictions, guint n,
                     const PmOutput *output, GString *out);
