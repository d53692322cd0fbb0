#include "viewer/ui/widgets/style.h"

#include <adwaita.h>

#include "viewer/ui/widgets/palette.h"

/* Made of icons/icons.gresource.xml. */
GResource *pm_icons_get_resource(void);

/* @stuck, @accent, @paper, @faint come from the palette. */
static const char css[] =
    "window.parkmeter { font-variant-numeric: tabular-nums; }\n"
    "window.parkmeter .dim-label { opacity: 1; color: @pm_faint; }\n"
    ".verdict { padding: 4px 12px; min-height: 28px; font-weight: bold; }\n"
    ".verdict .sign { font-weight: normal; min-width: 20px; }\n"
    ".verdict.stuck { color: @pm_stuck; }\n"
    ".verdict.stuck button { color: @theme_fg_color; }\n"
    ".verdict button { min-height: 24px; padding: 0 12px; }\n"
    ".scope { padding: 2px 12px; min-height: 28px; }\n"
    ".scope label { color: @pm_faint; }\n"
    ".scope .pm-chip label { color: @theme_fg_color; }\n"
    "button.small { min-height: 20px; padding: 0 6px; font-weight: normal; }\n"
    ".scope .pm-chip { border: 1px solid alpha(@theme_fg_color, 0.3); border-radius: 12px;\n"
    "  padding: 0 2px 0 8px; min-height: 20px; }\n"
    ".scope .pm-chip.exclude { border-style: dashed; }\n"
    ".scope .pm-chip button { min-height: 16px; min-width: 16px; padding: 0; margin: 1px; }\n"
    ".scope .pm-chip button image { -gtk-icon-size: 12px; }\n"
    /* What goes on beyond an edge fades away at it. */
    "scrolledwindow.pm-line > undershoot.left { background: linear-gradient(to right,\n"
    "  @theme_bg_color, alpha(@theme_bg_color, 0) 32px); }\n"
    "scrolledwindow.pm-line > undershoot.right { background: linear-gradient(to left,\n"
    "  @theme_bg_color, alpha(@theme_bg_color, 0) 32px); }\n"
    ".range-pill { background: @pm_accent; color: @pm_paper; border-radius: 11px;\n"
    "  padding: 0 4px 0 8px; min-height: 20px; font-size: smaller; font-weight: bold; }\n"
    ".range-pill button { min-height: 18px; min-width: 18px; padding: 0 2px; margin: 0;\n"
    "  margin-left: 4px; color: inherit; background: none; border: none; box-shadow: none; }\n"
    ".range-pill button:hover { background: alpha(@pm_paper, 0.25); }\n"
    ".range-pill button image { -gtk-icon-size: 13px; }\n"
    ".notice { background: @theme_fg_color; color: @theme_bg_color; border-radius: 12px;\n"
    "  padding: 8px 16px; margin: 12px; }\n"
    "charts { padding: 0; }\n"
    ".chart-title { color: @theme_fg_color; }\n"
    ".numeric { font-variant-numeric: tabular-nums; }\n"
    ".stale { opacity: 0.55; }\n"
    ".find-bar { padding: 4px 12px; border-bottom: 1px solid alpha(@theme_fg_color, 0.12); }\n"
    ".find-bar .why { color: @pm_stuck; }\n"
    "progressbar.reading > trough, progressbar.reading > trough > progress { min-height: 3px; }\n"
    /* What it holds needs so much: there is room for it or not, whatever it shows. */
    ".sides { min-width: 20em; }\n"
    "button.back { margin: 4px 6px 0 6px; font-size: inherit; }\n"
    ".pages { border-top: 1px solid alpha(@theme_fg_color, 0.15); }\n"
    ".page-switcher { padding: 4px 12px; }\n"
    ".page-switcher button { min-height: 24px; min-width: 64px; padding: 0 6px; }\n";

void pm_style_apply(GdkDisplay *display, gboolean dark, gboolean high_contrast)
{
    static const struct {
        const char *name;
        PmColor color;
    } names[] = {
        {"pm_stuck", PM_COLOR_STUCK},
        {"pm_accent", PM_COLOR_ACCENT},
        {"pm_paper", PM_COLOR_PAPER},
        {"pm_faint", PM_COLOR_FAINT_INK},
    };
    static const struct {
        const char *name;
        PmFamily family;
    } families[] = {{"pm_more", PM_FAMILY_LOCK}, {"pm_less", PM_FAMILY_SIGNAL}};
    GString *text = g_string_new(NULL);
    GtkCssProvider *provider = g_object_get_data(G_OBJECT(display), "pm-style");

    pm_palette_set_high_contrast(high_contrast);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        GdkRGBA color;
        pm_palette_color(names[i].color, dark, &color);
        g_autofree char *hex = pm_palette_hex(&color);
        g_string_append_printf(text, "@define-color %s %s;\n", names[i].name, hex);
    }
    for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
        GdkRGBA color;
        pm_palette_family(families[i].family, 0, dark, &color);
        g_autofree char *hex = pm_palette_hex(&color);
        g_string_append_printf(text, "@define-color %s %s;\n", families[i].name, hex);
    }
    g_string_append(text, css);
    if (!provider) {
        g_resources_register(pm_icons_get_resource());
        gtk_icon_theme_add_resource_path(gtk_icon_theme_get_for_display(display),
                                         "/org/parkmeter/icons");
        provider = gtk_css_provider_new();
        gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(provider),
                                                   GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
        g_object_set_data_full(G_OBJECT(display), "pm-style", provider, g_object_unref);
    }
    gtk_css_provider_load_from_data(provider, text->str, (gssize)text->len);
    g_string_free(text, TRUE);
}

void pm_style_choose(PmScheme scheme)
{
    static const AdwColorScheme schemes[] = {
        [PM_SCHEME_DESKTOP] = ADW_COLOR_SCHEME_DEFAULT,
        [PM_SCHEME_LIGHT] = ADW_COLOR_SCHEME_FORCE_LIGHT,
        [PM_SCHEME_DARK] = ADW_COLOR_SCHEME_FORCE_DARK,
    };

    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), schemes[scheme]);
}

PmScheme pm_style_toggle(gboolean dark)
{
    pm_style_choose(PM_SCHEME_DESKTOP);
    if (adw_style_manager_get_dark(adw_style_manager_get_default()) != dark)
        return PM_SCHEME_DESKTOP;
    const PmScheme other = dark ? PM_SCHEME_LIGHT : PM_SCHEME_DARK;
    pm_style_choose(other);
    return other;
}
