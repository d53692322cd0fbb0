/* A flame graph, hanging: a box for each method below its caller, as wide as the waiting in it. The
 * program's own code is in the colour of what it waits for, the JDK's and what is folded is pale.
 * One box is current: it is what the keys move, and what a screen reader is told of. Main thread
 * only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/flame.h"

#define PM_TYPE_FLAME_GRAPH (pm_flame_graph_get_type())
G_DECLARE_FINAL_TYPE(PmFlameGraph, pm_flame_graph, PM, FLAME_GRAPH, GtkWidget)

/* Signals:
 *   void (*moved)(PmFlameGraph *graph)   another box is current, or under the pointer
 *   void (*chosen)(PmFlameGraph *graph)  the user chose the current box */
GtkWidget *pm_flame_graph_new(void);

/* Takes the flame, NULL = none. What is zoomed to and current stays, where it is there again, until
 * there is none. */
void pm_flame_graph_set(PmFlameGraph *graph, PmFlame *flame, gboolean dark);
/* The box under the pointer, else the current one, in words: "PriceCache.get: 43.9 %, 1 891 s in 12
 * 911 waits". NULL = there is none. Owned by the caller. */
char *pm_flame_graph_text(PmFlameGraph *graph);
/* The current box; NULL = none. Borrowed until the next flame. */
const PmFlameNode *pm_flame_graph_current(PmFlameGraph *graph);
