/* Folders that tests make. */
#pragma once

#include <glib/gstdio.h>

/* With all that is in it; a symbolic link is not followed. */
static inline void pm_remove_folder(const char *path)
{
    GDir *dir = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        pm_remove_folder(child);
    }
    g_clear_pointer(&dir, g_dir_close);
    g_remove(path);
}
