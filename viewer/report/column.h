/* The titles of the columns in the terminal's tables. Each table adds its own widths, units of
 * time, and columns to leave out. */
#pragma once

typedef struct {
    const char *title; /* "Thread-time"; NULL: in no table */
    const char *unit;  /* "%", "threads"; "" for none, and for a time, whose unit depends on its
                        * values */
    const char *help;  /* what it means, a line */
} PmColumn;
