/* Breaks recordings, and gives what is broken right checksums again, so that a reader gets behind
 * them. libc only: the fuzzer's entry is built with it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Gives file headers and blocks the checksums of what they hold now. */
void repair_checksums(uint8_t *data, size_t size);
/* Sets fields of the chunk heads and of the facts to the least, the most and what lies between. */
void repair_to_extremes(uint8_t *data, size_t size, uint64_t *state);
