/* The window of one recording: header bar, verdict, scope bar, overview, charts, pages, detail
 * pane. It lays out regions, whose contents communicate only with the PmState.
 *
 *   header bar
 *   info bars (damaged blocks, partial reading)
 *   verdict
 *   scope bar with chips
 *   overview · parked now · thread-time · axis       (charts.h)
 *   page switcher │                                   detail pane
 *   page          │                                   (below 1100 px: under the page)
 *
 * Pages are created by the functions in their headers; each file owns its widget. Their widgets may
 * be hidden while results change: do the work in `map` or when shown. A page finds its keys in
 * keys.h (PM_KEYS_PAGE), binds them with pm_keys_bind and installs its actions. The window's own
 * actions (window-actions.c) are usable by all: win.page(s), win.filter-in, win.filter-out,
 * win.clear-filters, win.clear-range, win.whole, win.toggle-idle, win.detail, win.zoom-range,
 * win.back, win.forward, win.open, win.save, win.reload, win.cancel-load, win.say(s). */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/window/find-bar.h"

#define PM_TYPE_WINDOW (pm_window_get_type())
G_DECLARE_FINAL_TYPE(PmWindow, pm_window, PM, WINDOW, GtkApplicationWindow)

PmWindow *pm_window_new(GtkApplication *application);
PmState *pm_window_get_state(PmWindow *window);
void pm_window_open(PmWindow *window, GFile *file);
void pm_window_reload(PmWindow *window);
/* Shows what the recorder of a running JVM holds, and follows it; `via` as for pm_live_start. */
void pm_window_follow(PmWindow *window, guint pid, const char *via);
void pm_window_toggle_follow(PmWindow *window);
void pm_window_cancel_load(PmWindow *window);
/* Moves the focus to the visible page (its grab_focus vfunc decides where). */
void pm_window_focus_page(PmWindow *window);
/* The next (+1) or previous (−1) of charts, page and detail pane. */
void pm_window_cycle_region(PmWindow *window, int direction);
void pm_window_show_find(PmWindow *window, PmFind find);
PmFind pm_window_get_find(PmWindow *window);
/* Activates an action of the detail pane: "next-wait". */
void pm_window_ask_detail(PmWindow *window, const char *action);
/* For two seconds, over the page. */
void pm_window_say(PmWindow *window, const char *text);
void pm_window_pop_menu(PmWindow *window);
/* The window as it is on the screen, to a PNG. */
gboolean pm_window_save_png(PmWindow *window, const char *path, GError **error);
