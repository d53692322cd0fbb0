#include "parkctl.h"

#include <sys/wait.h>

void pm_run(PmRun *ret_run, const char *locale, const char *format, ...)
{
    g_autofree char *line = NULL;
    g_auto(GStrv) words = NULL;
    g_auto(GStrv) env = g_get_environ();
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    int wait_status;
    va_list args;

    va_start(args, format);
    line = g_strdup_vprintf(format, args);
    va_end(args);
    g_ptr_array_add(argv, (char *)g_getenv("PM_PARKCTL"));
    if (*line) {
        g_assert_true(g_shell_parse_argv(line, NULL, &words, &error));
        for (guint i = 0; words[i]; i++)
            g_ptr_array_add(argv, words[i]);
    }
    g_ptr_array_add(argv, NULL);
    env = g_environ_setenv(env, "LC_ALL", locale, TRUE);
    env = g_environ_setenv(env, "TERM", "xterm", TRUE);
    env = g_environ_unsetenv(env, "NO_COLOR");
    ret_run->out = ret_run->err = NULL;
    g_spawn_sync(NULL, (char **)argv->pdata, env, G_SPAWN_DEFAULT, NULL, NULL, &ret_run->out,
                 &ret_run->err, &wait_status, &error);
    g_assert_no_error(error);
    ret_run->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

void pm_run_clear(PmRun *run)
{
    g_clear_pointer(&run->out, g_free);
    g_clear_pointer(&run->err, g_free);
}
