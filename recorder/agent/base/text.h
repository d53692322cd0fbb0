/* Conversion of texts: from the spelling of the JVM to UTF-8, and from UTF-8 to what a
 * terminal shows without acting on it. Pure; any thread. Free of JVM.
 *
 * A recording keeps names as they are, control characters included, but always as UTF-8: whoever
 * shows them (viewer/report/text.h; here the table at exit and messages) shows what acts as '?'. */
#pragma once

#include <stddef.h>

#include "format/record.h"

/* Copies `from`, JNI's "modified UTF-8" or any bytes, into the `size` > 0 bytes at `to` as UTF-8
 * and a zero, cut between two characters. A surrogate pair, which the JVM spells as two times three
 * bytes, becomes the one character of four that it is; what is none, as a lone surrogate, U+0000
 * (C0 80) or a stray byte, becomes '?', as in Java's own encoder. Never longer than `from`, which
 * `to` may be. Returns the length. */
size_t pm_text_from_java(char *to, size_t size, const char *from);

/* Copies `text` into the `size` > 0 bytes at `to` for people to read, and a zero, cut between two
 * characters: what acts (format/character.h) and what is no UTF-8 becomes '?'. Never longer than
 * `text`, which may lie at `to`. Returns the length. */
size_t pm_text_plain(char *to, size_t size, struct pm_text text);
