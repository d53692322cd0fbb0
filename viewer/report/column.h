/* What the columns of the terminal's tables are called. Where it is read each table adds what is
 * its own: widths, units of time, which columns there is no room for. */
#pragma once

typedef struct {
    const char *title; /* "Thread-time"; NULL: in no table */
    const char *unit;  /* "%", "threads"; "" for none, and for a time, whose unit fits its values */
    const char *help;  /* what it means, a line */
} PmColumn;
