/* The characters of a recording's texts: their UTF-8 encoding, and which of them control the
 * display instead of being visible. Names of threads, classes and files can contain anything; where
 * they are shown (terminal, table, log) they must neither control the terminal nor change the order
 * of the text. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `bytes`, where `left` > 0 bytes are available. Returns its length in
 * bytes; 0 if it is not valid UTF-8 (overlong, a surrogate, beyond U+10FFFF, truncated). */
size_t pm_character_read(const char *bytes, size_t left, uint32_t *ret_character);

/* Encodes a character, which is not a surrogate and at most U+10FFFF. Returns its length, 1 to 4.
 */
size_t pm_character_write(uint32_t character, char ret_bytes[4]);

/* Whether it controls the display instead of being visible: control characters (C0 including tab
 * and line feed, delete, C1), bidirectional marks, the line and paragraph separators, and invisible
 * joiners and separators that no name needs. */
bool pm_character_acts(uint32_t character);
