/* Text about the parts of a recording that could not be read. Owned by the caller. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* "14:02:03–14:02:04": from the first damaged chunk to the last. */
char *pm_damage_span(const PmRecording *recording);
/* A line for each place, and what can be done. */
char *pm_damage_list(const PmRecording *recording);
