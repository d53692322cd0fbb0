/* The characters of a recording's texts: how UTF-8 spells them, and which of them act on what shows
 * them instead of being seen. A thread, a class or a file is called whatever a program called it;
 * where such a text is shown (terminal, table, log) it must neither drive the terminal nor stand in
 * another order than it is read. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the character at `bytes`, of which `left` > 0 are there. Its length in bytes; 0 when it is
 * no UTF-8 (overlong, a surrogate, beyond U+10FFFF, cut). */
size_t pm_character_read(const char *bytes, size_t left, uint32_t *ret_character);

/* Spells a character, which is none of the surrogates and at most U+10FFFF. Its length, 1 to 4. */
size_t pm_character_write(uint32_t character, char ret_bytes[4]);

/* Does it act instead of being seen? The control characters (C0 with tab and line feed, delete,
 * C1), the marks that turn the direction of text, the two that part lines and paragraphs, and the
 * invisible that join or part nothing a name needs. */
bool pm_character_acts(uint32_t character);
