/* Divides work among a few threads. */
#pragma once

#include <glib.h>

/* Runs `work (data, index)` for each index below `n` on up to `n_threads` threads (0 = as many as
 * processors), the caller's among them. Returns when all are done. */
void pm_workers_run(guint n_threads, guint n, void (*work)(gpointer data, guint index),
                    gpointer data);
