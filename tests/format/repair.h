/* Breaks recordings, and gives what is broken right checksums again, so that a reader gets behind
 * them. libc only: the fuzzer's entry is built with it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Gives file headers and blocks the checksums of what they hold now. */
void repair_checksums(uint8_t *data, size_t size);
/* Writes a recording's blocks anew, unpacked, into a compact one whose every length, number and
 * checksum is right: a few types of them with other numbers, texts or rows, cut, twice, or left
 * out. Returns its size, at most `room`; blocks that have no room left are left out. */
size_t repair_reshaped(const uint8_t *data, size_t size, uint8_t *to, size_t room, uint64_t *state);
