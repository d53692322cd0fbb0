/* Times as users write them: "14:02:10[.fff]", RFC 3339, "-5m" (before the end), "+90s" (after the
 * begin), units ns us ms s m h d. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* ns since the recording's begin; FALSE and a sentence in `ret_why` (static) if it is not a time.
 */
gboolean pm_time_parse(const PmRecording *recording, const char *text, gint64 *ret_at,
                       const char **ret_why);
