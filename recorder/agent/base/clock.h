/* The clocks that all times are read from, in ns. */
#pragma once

#include <stdint.h>

int64_t pm_clock_now(void);      /* CLOCK_MONOTONIC */
int64_t pm_clock_now_unix(void); /* CLOCK_REALTIME */
