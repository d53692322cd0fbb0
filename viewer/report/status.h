/* Output of `status`: the recorder's report about itself. */
#pragma once

#include "viewer/report/output.h"

/* `json`: the recorder's reply, or whatever was received instead. FALSE and `error` if it is not
 * one. With PM_FORMAT_JSON, what was understood of it, in one line: members in their original
 * order, without those of an unexpected type. */
gboolean pm_status_write(const char *json, const PmOutput *output, GString *out, GError **error);
