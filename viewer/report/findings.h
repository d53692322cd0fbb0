/* Findings in words: what stands out, because of whom, what to try, the command that proves it. */
#pragma once

#include "viewer/analysis/findings/findings.h"
#include "viewer/report/output.h"

/* `target`: how parkctl was told what to read, with a %s for the command: "%s orders.park",
 * "2217 %s". */
void pm_findings_write(const PmFindings *findings, const char *target, const PmOutput *output,
                       GString *out);
