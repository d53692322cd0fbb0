/* What the columns of tables are called, for the terminal and the window alike. Where it is read
 * each table adds what is its own: widths, units of time, which columns there is no room for. */
#pragma once

typedef struct {
    const char *title; /* "Thread-time"; NULL: in no table */
    const char *unit;  /* "%", "threads"; "" for none, and for a time, whose unit fits its values */
    const char *help;  /* what it means, a line; the window's tooltip */
} PmColumn;
