/* Drives the real window in a test: opens it, lets it settle, finds its widgets, and notes every
 * warning that anybody gives meanwhile. Main thread only. */
#pragma once

#include "viewer/ui/window/window.h"

/* GTK with the program's locale and look. FALSE, said as TAP: there is no display. */
gboolean drive_look(void);
/* For main(): that, the test library and the application. FALSE, said as TAP: there is no display.
 */
gboolean drive_init(int *argc, char ***argv);
/* What was warned of since drive_init(); "" = nothing. */
const char *drive_said(void);

/* Runs the main loop for so long. */
void drive_spin(guint ms);
/* Runs the main loop until it is so, at most two minutes. */
#define UNTIL(condition)                                                                           \
    do {                                                                                           \
        const gint64 give_up = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;                      \
        while (!(condition)) {                                                                     \
            g_assert_cmpint(g_get_monotonic_time(), <, give_up);                                   \
            drive_spin(20);                                                                        \
        }                                                                                          \
    } while (0)

/* Runs the main loop until the window shows what was asked for. */
void drive_settle(PmWindow *window);
/* `path`: NULL = no recording. Settled. */
PmWindow *drive_open(const char *path);
/* Fails when there was a warning. */
void drive_close(PmWindow *window);
/* "win.page::tree" */
void drive_act(PmWindow *window, const char *action);

/* What the analysis makes of the state's filter and range. Owned. */
PmView *drive_view(PmState *state);

/* The first widget of a type, itself or below; NULL = none. Mapped: that is on the screen. */
GtkWidget *drive_find(GtkWidget *root, GType type);
GtkWidget *drive_find_mapped(GtkWidget *root, GType type);
/* The same for which `is_it`. */
typedef gboolean (*DriveIsIt)(GtkWidget *widget, gconstpointer data);
GtkWidget *drive_find_where(GtkWidget *root, DriveIsIt is_it, gconstpointer data);
/* Whether some label holds `text`: one that can be seen; any. */
gboolean drive_says(GtkWidget *root, const char *text);
gboolean drive_holds(GtkWidget *root, const char *text);
/* Gives it the X server's focus, so that keys and clicks sent by xdotool reach it. FALSE: it cannot
 * be had, or there is no xdotool. */
gboolean drive_take_focus(PmWindow *window);
