/* Places what is used at every wait together in memory. Hooks run with cold caches, because the
 * kernel has just run, and each additional page of code or data costs a page-table lookup. */
#pragma once

#define PM_HOT      __attribute__((hot)) /* a function of the path of a park or unpark */
#define PM_HOT_DATA __attribute__((section("pm_hot_data"))) /* what such a function reads */
/* The same, of less than a cache line: several to a line. */
#define PM_HOT_SMALL __attribute__((section("pm_hot_small")))
