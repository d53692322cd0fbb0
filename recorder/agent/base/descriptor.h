/* Descriptors that the recorder keeps. Any thread. */
#pragma once

/* The same file under a number above those of the standard streams, `fd` being closed: where a
 * program runs without one of these, whatever is opened next gets its number, and the program, and
 * the JVM, would read from it or print into it. -1, with errno, and `fd` closed: none is left. A
 * negative `fd` stays what it is. */
int pm_descriptor_keep(int fd);
