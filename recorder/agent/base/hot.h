/* What runs at every wait lies together in memory: the hooks find cold caches, as the kernel has
 * just run, and each page of code or data more is a look-up in the page table. */
#pragma once

#define PM_HOT      __attribute__((hot)) /* a function of the path of a park or unpark */
#define PM_HOT_DATA __attribute__((section("pm_hot_data"))) /* what such a function reads */
/* The same, of less than a cache line: several to a line. */
#define PM_HOT_SMALL __attribute__((section("pm_hot_small")))
