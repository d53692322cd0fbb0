#include "viewer/ui/widgets/page-style.h"

static const char css[] =
    ".numeric { font-feature-settings: 'tnum'; }\n"
    "pm-grid columnview.data-table > listview > row { min-height: 26px; padding: 0; }\n"
    "pm-grid columnview.data-table > listview > row > cell { padding: 1px 6px; }\n"
    "pm-grid columnview.data-table > header > button { padding: 2px 6px; min-height: 22px; }\n"
    "pm-grid columnview.data-table > header > button > box { font-size: 0.92em; border-spacing: "
    "0;\n"
    "  color: alpha(@theme_fg_color, 0.8); }\n"
    /* Titles end where their numbers do: the arrow of a column that is not sorted takes no room. */
    "pm-grid header sort-indicator:not(.ascending):not(.descending)\n"
    "  { -gtk-icon-size: 0; min-width: 0; min-height: 0; margin: 0; }\n"
    "pm-grid columnview > listview > row:selected, pm-grid columnview > listview > "
    "row:selected:hover\n"
    "  { background-color: alpha(@pm_accent, 0.24); color: @theme_fg_color; }\n"
    "pm-grid columnview > listview > row.lit:not(:selected) { background-color: "
    "alpha(currentColor, 0.08); }\n"
    ".pm-page-bar { padding: 4px 8px; }\n"
    ".pm-page-bar button { min-height: 26px; padding-top: 0; padding-bottom: 0; }\n"
    ".pm-chip { border-radius: 13px; padding-left: 10px; padding-right: 4px; min-height: 26px;\n"
    "  background-color: alpha(currentColor, 0.09); }\n"
    ".pm-chip > label:last-child { padding-right: 6px; }\n"
    ".pm-chip button { min-height: 18px; min-width: 18px; padding: 2px; border-radius: 11px; }\n"
    ".pm-list { background-color: transparent; }\n"
    ".pm-list > row { border-radius: 8px; margin-bottom: 6px; padding: 8px 12px;\n"
    "  border: 1px solid alpha(currentColor, 0.15); }\n"
    ".pm-list.pm-tight > row { padding: 4px 12px; margin-bottom: 0; border: none; }\n"
    ".pm-sentence { font-weight: bold; }\n"
    "pm-state label.title-2 { font-size: 1.5em; }\n"
    "label.title-4 { font-size: 1.25em; }\n"
    "button.pm-link, button.pm-fold { font-size: smaller; font-weight: normal; }\n"
    "button.pm-link { padding: 0 6px; min-height: 22px; }\n"
    "button.pm-fold { padding: 0; min-height: 20px; border: none; }\n"
    "button.pm-fold:focus:focus-visible { outline-offset: 3px; }\n"
    ".pm-heading { font-weight: bold; }\n"
    ".pm-stuck { color: @pm_stuck; }\n"
    ".pm-more { color: @pm_more; }\n"
    ".pm-less { color: @pm_less; }\n"
    "row:selected .pm-more, row:selected .pm-less { color: inherit; }\n"
    ".pm-small { font-size: smaller; }\n"
    ".pm-summary { padding: 6px 12px 10px 12px; }\n"
    ".pm-section { padding: 10px 12px; }\n";

void pm_page_style_install(GdkDisplay *display)
{
    if (!display || g_object_get_data(G_OBJECT(display), "pm-page-style"))
        return;
    GtkCssProvider *provider = gtk_css_provider_new();
    gtk_css_provider_load_from_data(provider, css, -1);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(provider),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_set_data_full(G_OBJECT(display), "pm-page-style", provider, g_object_unref);
}
