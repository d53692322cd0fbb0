/* A fingerprint of a stack: a hash over (position, value) of every word in it that lies inside the
 * code cache, which is where return addresses of Java frames lie. Equal stacks have equal
 * fingerprints; what else must be equal for equal call chains is walk.c's. Free of JVM. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pm_fingerprint {
    uint64_t hash;
    const uintptr_t *last; /* the highest such word; NULL: there is none */
};

/* Words of [from, to) that lie in [low, high). A few dozen nanoseconds for a hundred words. */
struct pm_fingerprint pm_fingerprint_take(const uintptr_t *from, const uintptr_t *to, uintptr_t low,
                                          uintptr_t high);

/* The same by the named way of scanning, for tests: "avx2", "sse2" or "plain"; false when this CPU
 * has it not. */
int pm_fingerprint_take_by(const char *way, const uintptr_t *from, const uintptr_t *to,
                           uintptr_t low, uintptr_t high, struct pm_fingerprint *ret);
