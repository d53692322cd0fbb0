/* Output of `parkctl info` and `verify`: what a recording is, and whether it is intact. */
#pragma once

#include "format/verify.h"
#include "viewer/report/output.h"

void pm_info_write(const PmRecording *recording, const PmOutput *output, GString *out);
/* `name`: of the file, as named by the user. */
void pm_verify_write(const char *name, const struct pm_verify_result *result,
                     const PmOutput *output, GString *out);
