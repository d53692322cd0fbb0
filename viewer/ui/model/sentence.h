/* Sentences of the window, with names in them that may be in any letters. Any thread. */
#pragma once

#include <glib.h>

/* Sentences are in English, with whatever letters they begin, and go on to the right behind a name
 * in Hebrew or Arabic ones: else the number behind it would stand before it. Owned. */
char *pm_sentence_left_to_right(const char *text);
