/* A dialog with the JVMs that have a recorder, as listed by parkctl: on this machine, or reached
 * through a command. */
#pragma once

#include <gtk/gtk.h>

#define PM_JVM_LIST_TITLE "Running JVMs"

/* Choosing one activates "win.follow" with its pid and the command on `parent`. `via` (nullable):
 * the initial command, as for parkctl. */
void pm_jvm_list_show(GtkWindow *parent, const char *via);
