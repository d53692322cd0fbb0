/* Conversion of strings: from the JVM's encoding to UTF-8, and from UTF-8 to text that is safe to
 * show on a terminal. Pure; any thread. Makes no JVM calls.
 *
 * A recording keeps names unchanged, including control characters, but always as UTF-8. Code that
 * displays them (viewer/report/text.h; here the table at exit and messages) replaces control
 * characters by '?'. */
#pragma once

#include <stddef.h>

#include "format/record.h"

/* Copies `from`, JNI's "modified UTF-8" or any bytes, into the `size` > 0 bytes at `to` as
 * zero-terminated UTF-8, truncated between two characters. A surrogate pair, which the JVM encodes
 * as two times three bytes, becomes one character of four bytes; anything invalid, such as a lone
 * surrogate, U+0000 (C0 80) or a stray byte, becomes '?', as in Java's own encoder. Never longer
 * than `from`; `to` may equal `from`. Returns the length. */
size_t pm_text_from_java(char *to, size_t size, const char *from);

/* Copies `text` into the `size` > 0 bytes at `to` for display, zero-terminated, truncated between
 * two characters: control characters (format/character.h) and invalid UTF-8 become '?'. Never
 * longer than `text`; `to` may equal `text`. Returns the length. */
size_t pm_text_plain(char *to, size_t size, struct pm_text text);
