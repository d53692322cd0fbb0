/* Text for a terminal: its capabilities, display width of strings, bars, ellipsis, wrapping.
 * Everything is laid out in UTF-8 and, if necessary, converted to ASCII one character at a time
 * when printed. Names are untrusted: control characters (format/character.h) and invalid UTF-8 are
 * shown as PM_TEXT_UNSHOWN. pm_text_clean does that when a name becomes part of the output,
 * pm_terminal_encode again for the whole output. Pure except for pm_terminal_init; any thread. */
#pragma once

#include <glib.h>
#include <stdio.h>

#define PM_TEXT_COLUMNS 100    /* where the width is not known, and in tests */
#define PM_TEXT_UNSHOWN 0xfffd /* the replacement character; ASCII has '?' */

typedef struct {
    gboolean utf8;   /* else bars are '#' and other symbols their nearest ASCII equivalent */
    gboolean colour; /* only on a terminal, without NO_COLOR */
    int columns;
} PmTerminal;

/* Examines the locale (setlocale was called), the descriptor and the environment. */
void pm_terminal_init(PmTerminal *terminal, FILE *stream);
/* `text`, possibly several lines, encoded for this terminal with the same width; of control
 * characters only line feeds and, on a terminal with colours, our own styles are kept. Owned by the
 * caller. */
char *pm_terminal_encode(const PmTerminal *terminal, const char *text);

typedef enum { PM_STYLE_PLAIN, PM_STYLE_STRONG, PM_STYLE_DIM, PM_STYLE_ALARM } PmStyle;
/* Appends `text`, coloured if the terminal supports colours. */
void pm_text_append_styled(GString *out, const PmTerminal *terminal, PmStyle style,
                           const char *text);

/* Columns that `text` takes: wide characters two, combining ones none. */
int pm_text_width(const char *text);
/* A line of valid UTF-8 without control characters: a thread's name must not control the terminal.
 * Owned. */
char *pm_text_clean(const char *text);
/* `text` in at most `columns`, shortened in the middle with an ellipsis. Owned. */
char *pm_text_fit(const char *text, int columns);
/* A share of 0..1 as a bar in eighths of a cell, at most `cells` wide; never padded. */
void pm_text_append_bar(GString *out, double share, int cells);
/* The unit that a text goes on with: 3 for " ms)"; 0 = none. */
gsize pm_text_unit_length(const char *text);
/* Wraps `text` at blanks, none between a number and its unit, into lines of at most `columns`, each
 * preceded by `indent`, except the first, which is preceded by `first`. Ends with a line feed. */
void pm_text_append_wrapped(GString *out, const char *first, const char *indent, const char *text,
                            int columns);
/* Takes blanks off the end of `out`. */
void pm_text_trim_end(GString *out);
