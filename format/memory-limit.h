/* How much memory the calling process may still take before its control group (of a container, or
 * a service) is at its limit, where the kernel kills a process of the group. Reads a few small
 * files. Any thread. */
#pragma once

#include <stdint.h>

/* In bytes; what the group uses to cache files counts as free. UINT64_MAX: there is no limit, or it
 * is not known. `groups` is /proc/self/cgroup, `root` where the groups are mounted,
 * /sys/fs/cgroup. */
uint64_t pm_memory_limit_left(const char *groups, const char *root);
