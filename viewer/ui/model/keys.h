/* The key table (docs/ui.md, Keys): one row a key; bindings, the shortcuts window, menus and
 * docs/ui.md are made from it. Letters are bound to panes, not to the application, so they never
 * fire while the user types in an entry. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PM_KEYS_APP,    /* accelerators of the application: work everywhere in the window */
    PM_KEYS_WINDOW, /* letters and Esc: everywhere but in an entry */
    PM_KEYS_CHART,  /* the charts have the focus */
    PM_KEYS_TIME,   /* the charts or the lanes of the page Threads have the focus */
    PM_KEYS_PAGE, /* a page or the detail pane has the focus; each page installs the actions it has
                   */
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
/* The label of an action's first key: "Ctrl+O"; NULL when it has none. Owned by the caller. */
char *pm_keys_label(const char *action);
/* A GtkShortcutsWindow of the table; owned by the caller (a toplevel). */
GtkWidget *pm_keys_window_new(void);
/* The table in Markdown, as docs/ui.md holds it. */
char *pm_keys_markdown(void);
