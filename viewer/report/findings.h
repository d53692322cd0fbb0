/* Output of findings: the problem, its causes, what to try, the command that shows the evidence. */
#pragma once

#include "viewer/analysis/findings/findings.h"
#include "viewer/report/output.h"

/* `target`: the input as given to parkctl, with a %s for the command: "%s orders.park", "2217 %s".
 */
void pm_findings_write(const PmFindings *findings, const char *target, const PmOutput *output,
                       GString *out);
