#include "viewer/ui/model/keys.h"

#include <string.h>

#define FILE_SECTION "Recording"
#define GO           "Go to"
#define TIME         "Time"
#define CHART        "Charts"
#define FILTER       "Filters"
#define ROW          "Rows"
#define FLAMES       "Flames"
#define HELP         "Window"

const PmKey pm_keys[] = {
    {PM_KEYS_APP, FILE_SECTION, "<Control>o", "win.open", "Open a recording"},
    {PM_KEYS_APP, FILE_SECTION, "<Control>s", "win.save", "Keep a copy of the recording"},
    {PM_KEYS_APP, FILE_SECTION, "<Control>e", "win.save-view", "Save the view as a picture"},
    {PM_KEYS_APP, FILE_SECTION, "<Control>w", "win.close", "Close the window"},
    {PM_KEYS_APP, FILE_SECTION, "<Control>q", "app.quit", "Quit"},

    {PM_KEYS_APP, GO, "<Alt>1", "win.page::summary", "Summary"},
    {PM_KEYS_APP, GO, "<Alt>2", "win.page::tree", "Tree"},
    {PM_KEYS_APP, GO, "<Alt>3", "win.page::blockers", "Blockers"},
    {PM_KEYS_APP, GO, "<Alt>4", "win.page::threads", "Threads"},
    {PM_KEYS_APP, GO, "<Alt>5", "win.page::memory", "Memory"},
    {PM_KEYS_APP, GO, "<Alt>6", "win.page::flames", "Flames"},
    {PM_KEYS_APP, GO, "F6", "win.next-region", "Next region"},
    {PM_KEYS_APP, GO, "<Shift>F6", "win.previous-region", "Previous region"},
    {PM_KEYS_APP, GO, "F9", "win.detail", "Show or hide the detail pane"},
    {PM_KEYS_APP, GO, "<Alt>Left", "win.back", "Back: zoom, range, filters, page"},
    {PM_KEYS_APP, GO, "<Alt>Right", "win.forward", "Forward"},
    {PM_KEYS_APP, GO, "<Control>f", "win.search", "Search"},
    {PM_KEYS_APP, GO, "<Control>g", "win.search-next", "Next match"},
    {PM_KEYS_APP, GO, "<Control><Shift>g", "win.search-previous", "Previous match"},

    {PM_KEYS_APP, TIME, "<Control>l", "win.go-to-time", "Go to a time"},
    {PM_KEYS_APP, TIME, "<Control>plus|<Control>equal|<Control>KP_Add", "win.zoom-in", "Zoom in"},
    {PM_KEYS_APP, TIME, "<Control>minus|<Control>KP_Subtract", "win.zoom-out", "Zoom out"},
    {PM_KEYS_APP, TIME, "<Control>0|<Control>KP_0", "win.whole", "Whole recording"},
    {PM_KEYS_CHART, CHART, "Left", "win.pan-left", "Pan left by a tenth"},
    {PM_KEYS_CHART, CHART, "Right", "win.pan-right", "Pan right by a tenth"},
    {PM_KEYS_CHART, CHART, "<Shift>Left", "win.range-left", "Extend the range to the left"},
    {PM_KEYS_CHART, CHART, "<Shift>Right", "win.range-right", "Extend the range to the right"},
    {PM_KEYS_TIME, CHART, "w", "win.zoom-in", "Zoom in"},
    {PM_KEYS_TIME, CHART, "s", "win.zoom-out", "Zoom out"},
    {PM_KEYS_TIME, CHART, "a", "win.pan-left", "Pan left"},
    {PM_KEYS_TIME, CHART, "d", "win.pan-right", "Pan right"},
    {PM_KEYS_CHART, CHART, "Home", "win.go-begin", "Beginning of the recording"},
    {PM_KEYS_CHART, CHART, "End", "win.go-end", "End of the recording"},
    {PM_KEYS_CHART, CHART, "Page_Up", "win.screen-left", "One screen to the left"},
    {PM_KEYS_CHART, CHART, "Page_Down", "win.screen-right", "One screen to the right"},
    {PM_KEYS_CHART, CHART, "Return|KP_Enter", "win.zoom-range", "Zoom to the range"},
    {PM_KEYS_CHART, CHART, "space", "win.toggle-follow", "Live: pause or follow"},
    {PM_KEYS_CHART, CHART, "Up", "chart.band-up", "Select the band above"},
    {PM_KEYS_CHART, CHART, "Down", "chart.band-down", "Select the band below"},
    {PM_KEYS_CHART, CHART, "Menu|<Shift>F10", "chart.menu", "Menu of the chart"},

    {PM_KEYS_WINDOW, FILTER, "f", "win.filter-in", "Only the selection"},
    {PM_KEYS_WINDOW, FILTER, "x", "win.filter-out", "All but the selection"},
    {PM_KEYS_WINDOW, FILTER, "<Shift>f", "win.remove-filter", "Remove the last filter"},
    {PM_KEYS_WINDOW, FILTER, "i", "win.toggle-idle", "Show or hide idle waits"},
    {PM_KEYS_WINDOW, FILTER, "Escape", "win.escape",
     "Clear the search, then the range, then the selection"},

    {PM_KEYS_PAGE, ROW, "Return|KP_Enter", "page.activate",
     "Summary: show evidence; row: expand or collapse"},
    {PM_KEYS_PAGE, ROW, "Menu|<Shift>F10", "page.menu", "Menu of the row"},
    {PM_KEYS_PAGE, ROW, "<Control>c", "page.copy", "Copy the row or the card"},
    {PM_KEYS_PAGE, ROW, "<Control><Shift>c", "page.copy-markdown", "Copy as Markdown"},
    {PM_KEYS_WINDOW, ROW, "bracketleft", "win.previous-wait", "Previous wait of the selection"},
    {PM_KEYS_WINDOW, ROW, "bracketright", "win.next-wait", "Next wait of the selection"},
    {PM_KEYS_PAGE, ROW, "<Control><Shift>Left", "page.chip-left", "Move the level to the left"},
    {PM_KEYS_PAGE, ROW, "<Control><Shift>Right", "page.chip-right", "Move the level to the right"},
    {PM_KEYS_WINDOW, ROW, "o", "win.go-owner", "Go to the owner's wait"},
    {PM_KEYS_WINDOW, ROW, "u", "win.go-waker", "Go to the waker"},
    {PM_KEYS_WINDOW, ROW, "b", "win.go-blocker", "Go to the blocker"},

    {PM_KEYS_FLAMES, FLAMES, "Up", "flame.up", "To the caller"},
    {PM_KEYS_FLAMES, FLAMES, "Down", "flame.down", "To what it called most"},
    {PM_KEYS_FLAMES, FLAMES, "Left", "flame.left", "To the box on the left"},
    {PM_KEYS_FLAMES, FLAMES, "Right", "flame.right", "To the box on the right"},
    {PM_KEYS_FLAMES, FLAMES, "Return|KP_Enter", "flame.in", "Zoom to the box"},
    {PM_KEYS_FLAMES, FLAMES, "BackSpace", "flame.out", "Zoom out to its caller"},
    {PM_KEYS_FLAMES, FLAMES, "space", "flame.choose", "Select its stack trace with most time"},

    {PM_KEYS_APP, HELP, "F1", "win.help", "Help"},
    {PM_KEYS_APP, HELP, "<Control>question|<Control>slash", "win.shortcuts", "Keyboard shortcuts"},
    {PM_KEYS_APP, HELP, "F10", "win.menu", "Menu"},
    {PM_KEYS_APP, HELP, "F11", "win.fullscreen", "Full screen"},
};
const gsize pm_n_keys = G_N_ELEMENTS(pm_keys);

/* Unlike GtkNamedAction's, a missing or disabled action leaves the key to the next controller. */
static gboolean activate_cb(GtkWidget *widget, GVariant *args, gpointer data)
{
    const PmKey *key = data;
    g_autofree char *name = NULL;
    g_autoptr(GVariant) target = NULL;

    if (!g_action_parse_detailed_name(key->action, &name, &target, NULL))
        return FALSE;
    return gtk_widget_activate_action_variant(widget, name, target);
}

void pm_keys_bind(GtkWidget *widget, PmKeyScope scope)
{
    GtkEventController *controller = gtk_shortcut_controller_new();

    for (gsize i = 0; i < pm_n_keys; i++) {
        if (pm_keys[i].scope == scope) {
            gtk_shortcut_controller_add_shortcut(
                GTK_SHORTCUT_CONTROLLER(controller),
                gtk_shortcut_new(
                    gtk_shortcut_trigger_parse_string(pm_keys[i].triggers),
                    gtk_callback_action_new(activate_cb, (gpointer)&pm_keys[i], NULL)));
        }
    }
    gtk_widget_add_controller(widget, controller);
}

void pm_keys_bind_application(GtkApplication *application)
{
    g_return_if_fail(GTK_IS_APPLICATION(application));
    for (gsize i = 0; i < pm_n_keys; i++) {
        if (pm_keys[i].scope == PM_KEYS_APP) {
            g_auto(GStrv) accels = g_strsplit(pm_keys[i].triggers, "|", -1);
            gtk_application_set_accels_for_action(application, pm_keys[i].action,
                                                  (const char *const *)accels);
        }
    }
}

static char *label(const PmKey *key)
{
    g_auto(GStrv) triggers = g_strsplit(key->triggers, "|", -1);
    guint keyval;
    GdkModifierType modifiers;

    if (!gtk_accelerator_parse(triggers[0], &keyval, &modifiers))
        return NULL;
    return gtk_accelerator_get_label(keyval, modifiers);
}

/* What is on one page of the shortcuts window. Each fits without a page switcher of its own, whose
 * numbers GTK 4.8's theme measures below zero. */
static const struct {
    const char *title;
    const char *sections[4];
} views[] = {
    {"Window", {FILE_SECTION, HELP, GO}},
    {"Charts", {TIME, CHART}},
    {"Rows", {FILTER, ROW}},
    {"Flames", {FLAMES}},
};

static void append_group(GString *xml, const char *section)
{
    g_autofree char *group = g_markup_printf_escaped(
        "<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", section);

    g_string_append(xml, group);
    for (gsize i = 0; i < pm_n_keys; i++) {
        if (strcmp(pm_keys[i].section, section) != 0)
            continue;
        g_auto(GStrv) triggers = g_strsplit(pm_keys[i].triggers, "|", -1);
        g_autofree char *item = g_markup_printf_escaped(
            "<child><object class='GtkShortcutsShortcut'>"
            "<property name='accelerator'>%s</property><property name='title'>%s</property>"
            "</object></child>",
            triggers[0], pm_keys[i].title);
        g_string_append(xml, item);
    }
    g_string_append(xml, "</object></child>");
}

GtkWidget *pm_keys_window_new(void)
{
    GString *xml = g_string_new("<interface><object class='GtkShortcutsWindow' id='window'>"
                                "<property name='modal'>1</property>");

    for (guint i = 0; i < G_N_ELEMENTS(views); i++) {
        g_autofree char *section = g_markup_printf_escaped(
            "<child><object class='GtkShortcutsSection'><property name='section-name'>%s</property>"
            "<property name='title'>%s</property><property name='max-height'>15</property>",
            views[i].title, views[i].title);
        g_string_append(xml, section);
        for (guint j = 0; j < G_N_ELEMENTS(views[i].sections) && views[i].sections[j]; j++)
            append_group(xml, views[i].sections[j]);
        g_string_append(xml, "</object></child>");
    }
    g_string_append(xml, "</object></interface>");
    g_autoptr(GtkBuilder) builder = gtk_builder_new_from_string(xml->str, (gssize)xml->len);
    g_string_free(xml, TRUE);
    return GTK_WIDGET(g_object_ref(gtk_builder_get_object(builder, "window")));
}

char *pm_keys_markdown(void)
{
    GString *text = g_string_new(NULL);
    const char *section = NULL;

    for (gsize i = 0; i < pm_n_keys; i++) {
        const PmKey *key = &pm_keys[i];
        if (!section || strcmp(section, key->section) != 0) {
            g_string_append_printf(text, "%s### %s\n\n| key | does |\n|---|---|\n",
                                   section ? "\n" : "", key->section);
            section = key->section;
        }
        g_autofree char *shown = label(key);
        g_string_append_printf(text, "| %s | %s |\n", shown, key->title);
    }
    return g_string_free(text, FALSE);
}
