/* Every answer that there is of a recording, as commands and the window give it, and what it must
 * be: harmless where it is shown, well-formed, and without sums below 0. */
#pragma once

#include <glib.h>

/* Gives those whose bits are set in `some`, all if all are, and fails the test or ends the program
 * where one is not so. FALSE: nothing could be read. */
gboolean answer_bytes(const void *bytes, gsize size, guint some);
