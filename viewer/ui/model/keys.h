/* The key table (docs/ui.md, Keys): one row per key, from which bindings, the shortcuts window,
 * menus and docs/ui.md are made. Letters are bound to panes, not to the application, so they never
 * fire while the user types in an entry. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PM_KEYS_APP,    /* application accelerators: work everywhere in the window */
    PM_KEYS_WINDOW, /* letters and Esc: everywhere but in an entry */
    PM_KEYS_CHART,  /* the charts have the focus */
    PM_KEYS_TIME,   /* the charts or the lanes of the Threads page have the focus */
    PM_KEYS_FLAMES, /* the flame graph has the focus */
    PM_KEYS_PAGE,   /* a page or the detail pane has the focus; each page installs its actions */
    PM_N_KEY_SCOPES,
} PmKeyScope;

typedef struct {
    PmKeyScope scope;
    const char *section;  /* heading in the shortcuts window */
    const char *triggers; /* "<Control>plus|<Control>equal": the first is the one shown */
    const char *action;   /* detailed: "win.page::tree" */
    const char *title;    /* what it does */
} PmKey;

extern const PmKey pm_keys[];
extern const gsize pm_n_keys;

/* Binds the scope's keys to their actions on `widget` (which, or whose ancestors, must have them).
 * Actions that do not exist or are disabled leave the key to others. */
void pm_keys_bind(GtkWidget *widget, PmKeyScope scope);
/* PM_KEYS_APP as accelerators. */
void pm_keys_bind_application(GtkApplication *application);
/* A GtkShortcutsWindow of the table; owned by the caller (a toplevel). */
GtkWidget *pm_keys_window_new(void);
/* The table in Markdown, as docs/ui.md holds it. */
char *pm_keys_markdown(void);
