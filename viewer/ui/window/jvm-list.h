/* A dialog of the JVMs with a recorder, as parkctl lists them: those that run here, or where a
 * command leads to. */
#pragma once

#include <gtk/gtk.h>

/* Choosing one activates "win.follow" with its pid and the command on `parent`. `via` (nullable):
 * the command to begin with, as parkctl takes it. */
void pm_jvm_list_show(GtkWindow *parent, const char *via);
