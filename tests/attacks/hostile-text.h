/* Texts made to do harm where they are shown, and what an answer must look like all the same. What
 * counts as harmful is written down here once more, on its own, so that a hole in the program's own
 * list is no hole in the test's. */
#pragma once

#include <glib.h>

/* Names that begin a formula in a spreadsheet, NULL-terminated. */
extern const char *const hostile_formulas[];
/* Names that drive a terminal, turn the direction of a line or hide in it; valid UTF-8. */
extern const char *const hostile_marks[];
/* Names that are no UTF-8. */
extern const char *const hostile_bytes[];

/* The first character of `text` that acts on the terminal instead of being seen, NULL when there is
 * none; bytes that are no UTF-8 count. A line feed ends a line and is none. */
const char *hostile_find(const char *text);
/* Fails the test with `what` and the place when there is one. */
void hostile_assert_none(const char *what, const char *text);

/* The rows of an answer in CSV: a GPtrArray of rows, each a NULL-terminated GStrv. Fails the test
 * where RFC 4180 is broken. */
GPtrArray *hostile_read_csv(const char *text);
/* Would a spreadsheet compute this field? One that parts at semicolons too? */
gboolean hostile_is_formula(const char *field);
