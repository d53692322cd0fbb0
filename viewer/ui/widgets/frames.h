/* A stack trace as lines, the innermost first. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/recording/recording.h"

/* Runs of library frames, of the JDK or around own code, are folded into a line that the action
 * page.unfold expands, unless there are no others, or `unfolded`. */
GtkWidget *pm_frames_new(const PmRecording *recording, guint32 chain_index, gboolean unfolded);
