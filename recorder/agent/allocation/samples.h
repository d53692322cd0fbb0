/* Samples on their way from the threads that allocated to the drain: a bounded queue. If it is
 * full, a sample is still counted in its cell (cells.h), but not stored. Makes no JVM calls. */
#pragma once

#include "format/record.h"

/* Any thread; a lock for the time of a copy. */
void pm_samples_add(const struct pm_allocation *sample);
/* Drain only. Returns how many. */
size_t pm_samples_take(struct pm_allocation *ret_samples, size_t max);
uint64_t pm_samples_lost(void);
