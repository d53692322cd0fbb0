#include "viewer/ui/model/settings.h"

#define GROUP "window"

static const char *const scheme_names[] = {"desktop", "light", "dark"};

static char *file_name(void)
{
    return g_build_filename(g_get_user_config_dir(), "parkmeter", "settings.ini", NULL);
}

void pm_settings_load(PmSettings *ret_settings)
{
    g_autoptr(GKeyFile) keys = g_key_file_new();
    g_autofree char *name = file_name();

    *ret_settings = (PmSettings){0};
    if (!g_key_file_load_from_file(keys, name, G_KEY_FILE_NONE, NULL))
        return;
    g_autofree char *scheme = g_key_file_get_string(keys, GROUP, "scheme", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(scheme_names); i++)
        if (!g_strcmp0(scheme, scheme_names[i]))
            ret_settings->scheme = i;
    ret_settings->width = CLAMP(g_key_file_get_integer(keys, GROUP, "width", NULL), 0, 16384);
    ret_settings->height = CLAMP(g_key_file_get_integer(keys, GROUP, "height", NULL), 0, 16384);
}

void pm_settings_save(const PmSettings *settings)
{
    g_autoptr(GKeyFile) keys = g_key_file_new();
    g_autofree char *name = file_name();
    g_autofree char *folder = g_path_get_dirname(name);

    g_key_file_set_string(keys, GROUP, "scheme", scheme_names[settings->scheme]);
    g_key_file_set_integer(keys, GROUP, "width", settings->width);
    g_key_file_set_integer(keys, GROUP, "height", settings->height);
    if (g_mkdir_with_parents(folder, 0700) == 0)
        g_key_file_save_to_file(keys, name, NULL);
}
