/* Places what is used at every wait together in memory. Hooks run with cold caches, because the
 * kernel has just run, and each additional page of code or data costs a page-table lookup. */
#pragma once

#define PM_HOT      __attribute__((hot)) /* a function of the path of a park or unpark */
#define PM_HOT_DATA __attribute__((section("pm_hot_data"))) /* what such a function reads */
/* The same, of less than a cache line: several to a line. */
#define PM_HOT_SMALL __attribute__((section("pm_hot_small")))

/* For GCC's own builtin this instruction is one that old processors lack; to those it is a NOP. */
static inline void pm_prefetch_to_write(const void *at)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
    __builtin_prefetch(at, 1);
#endif
}
