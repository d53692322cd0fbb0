/* Stacks as flame graphs read them: "outermost;…;innermost weight", a line each. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Frames part at ';' and the weight at the last blank of a line: `text` is one frame of `stack`. */
void pm_fold_text(GString *stack, const char *text);
/* The frames of a stack trace, without lines, as profilers fold: calls of one method are one frame.
 * FALSE: there are none. */
gboolean pm_fold_chain(GString *stack, const PmRecording *recording, guint64 chain);
