/* Runs the real parkctl, in an environment that does not depend on the caller's. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

typedef struct {
    int status; /* exit status; -1 = it was killed */
    char *out, *err;
} PmRun;

/* `line`: the arguments as a shell would split them; `locale`: LC_ALL. */
void pm_run(PmRun *ret_run, const char *locale, const char *format, ...) G_GNUC_PRINTF(3, 4);
void pm_run_clear(PmRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PmRun, pm_run_clear)
