/* Text for a terminal: what it can show, how wide a string is on it, bars, ellipsis, wrapping.
 * Everything is laid out in UTF-8 and turned into ASCII, one character for one, as it is printed.
 * Names are anybody's text: what acts on a terminal (format/character.h), and bytes that are no
 * UTF-8, are shown as PM_TEXT_UNSHOWN. pm_text_clean does so where a name becomes part of an
 * answer, pm_terminal_encode once more for the whole answer.
 * Pure but for pm_terminal_init; any thread. */
#pragma once

#include <glib.h>
#include <stdio.h>

#define PM_TEXT_COLUMNS 100    /* where the width is not known, and in tests */
#define PM_TEXT_UNSHOWN 0xfffd /* the replacement character; ASCII has '?' */

typedef struct {
    gboolean utf8;   /* else bars are '#' and other signs their nearest ASCII */
    gboolean colour; /* only on a terminal, without NO_COLOR */
    int columns;
} PmTerminal;

/* Asks the locale (setlocale was called), the descriptor and the environment. */
void pm_terminal_init(PmTerminal *terminal, FILE *stream);
/* `text`, lines of it, as this terminal shows it, of the same width; of what acts only line feeds
 * and, on a terminal with colours, our own styles are left. Owned by the caller. */
char *pm_terminal_encode(const PmTerminal *terminal, const char *text);

typedef enum { PM_STYLE_PLAIN, PM_STYLE_STRONG, PM_STYLE_DIM, PM_STYLE_ALARM } PmStyle;
/* Appends `text`, coloured where the terminal shows colours. */
void pm_text_append_styled(GString *out, const PmTerminal *terminal, PmStyle style,
                           const char *text);

/* Columns that `text` takes: wide characters two, combining ones none. */
int pm_text_width(const char *text);
/* A line of valid UTF-8 in which nothing acts: a thread's name must not drive the terminal. Owned.
 */
char *pm_text_clean(const char *text);
/* `text` in at most `columns`, cut in the middle with an ellipsis. Owned. */
char *pm_text_fit(const char *text, int columns);
/* A share of 0..1 as a bar in eighths of a cell, at most `cells` wide; never padded. */
void pm_text_append_bar(GString *out, double share, int cells);
/* Breaks `text` at blanks into lines of at most `columns`, each with `indent` before it but the
 * first, which has `first`. Ends with a line feed. */
void pm_text_append_wrapped(GString *out, const char *first, const char *indent, const char *text,
                            int columns);
/* Takes blanks off the end of `out`. */
void pm_text_trim_end(GString *out);
