/* The recorder's own account of itself, as it answers `status`, in words. */
#pragma once

#include "viewer/report/output.h"

/* `json`: the recorder's answer, or whatever came in its place. FALSE and `error` when it is none.
 * With PM_FORMAT_JSON what was understood of it, in one line: members in the order they came, those
 * of an unexpected type left out. */
gboolean pm_status_write(const char *json, const PmOutput *output, GString *out, GError **error);
