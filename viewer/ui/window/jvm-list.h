/* A dialog of the JVMs with a recorder that run here, as parkctl lists them. */
#pragma once

#include <gtk/gtk.h>

/* Choosing one activates "win.follow" with its pid on `parent`. */
void pm_jvm_list_show(GtkWindow *parent);
