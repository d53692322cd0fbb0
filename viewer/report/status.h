/* The recorder's own account of itself, as it answers `status`, in words. */
#pragma once

#include "viewer/report/output.h"

/* `json`: the recorder's answer. FALSE and `error` when it is none. With PM_FORMAT_JSON it is
 * passed on as it came, once it was found to be an object. */
gboolean pm_status_write(const char *json, const PmOutput *output, GString *out, GError **error);
