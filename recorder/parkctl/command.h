/* The commands of parkctl: one table (command.c) that defines the parser and help; completion and
 * manual are checked against it. */
#pragma once

#include "recorder/parkctl/option.h"
#include "viewer/report/output.h"

/* The forms of a command: `parkctl report FILE`, `parkctl 2217 report`, `parkctl list`. */
enum {
    PM_PLACE_FILE = 1 << 0,
    PM_PLACE_PID = 1 << 1,
    PM_PLACE_ALONE = 1 << 2,
};

typedef struct PmCommand PmCommand;

/* One call of parkctl, parsed. */
typedef struct {
    const PmCommand *command;
    const char *via;   /* the command that reaches it; NULL: on this machine. Borrowed */
    int pid;           /* 0 = none */
    GPtrArray *files;  /* borrowed */
    GPtrArray *rest;   /* `run`: the command line; start, set, attach, run: see `recorder` */
    GString *recorder; /* the recorder's options, "key=value,…", as given */
    GPtrArray *values[PM_N_OPTIONS]; /* borrowed texts; NULL = not given; flags: "" */
    gboolean help;
    PmFormat format;
    PmTerminal terminal;
} PmInvocation;

struct PmCommand {
    const char *name;
    guint places;
    guint n_files;         /* in PM_PLACE_FILE */
    const char *arguments; /* after the name, for help */
    const char *summary;   /* one line */
    guint options;         /* bits */
    gboolean recorder_options;
    /* Returns the exit status; output goes to `out`, error messages to stderr. */
    int (*run)(const PmInvocation *invocation, GString *out);
};

extern const PmCommand pm_commands[];
extern const guint pm_n_commands;

const PmCommand *pm_command_find(const char *name);
/* What it reads, for usage: "FILE", "BEFORE AFTER"; "" for nothing. */
const char *pm_command_files(const PmCommand *command);

enum { PM_EXIT_OK = 0, PM_EXIT_FAILED = 1, PM_EXIT_USAGE = 2 };

/* Parses the arguments after the program's name. FALSE: a sentence in `ret_error` (owned), without
 * "parkctl: ". Clear in both cases. */
gboolean pm_invocation_parse(PmInvocation *ret_invocation, int argc, char **argv, char **ret_error);
void pm_invocation_clear(PmInvocation *invocation);
/* The last value of an option, NULL if it was not given. */
const char *pm_invocation_value(const PmInvocation *invocation, PmOptionId option);

/* Parses a process id; FALSE and `*ret_pid` untouched if it cannot be one. */
gboolean pm_pid_parse(const char *text, int *ret_pid);

/* Prints "parkctl: SENTENCE" to stderr and returns `status`. */
int pm_complain(int status, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* " (did you mean X?)" with the closest of `words` (NULL-terminated) to `word`, or "" if none is
 * close. Owned. */
char *pm_did_you_mean(const char *word, const char *const *words, const char *prefix);

/* The commands, each in the file named after it. */
int pm_command_list(const PmInvocation *invocation, GString *out);
int pm_command_help(const PmInvocation *invocation, GString *out);
int pm_command_version(const PmInvocation *invocation, GString *out);
int pm_command_status(const PmInvocation *invocation, GString *out);
int pm_command_now(const PmInvocation *invocation, GString *out);
int pm_command_switch(const PmInvocation *invocation, GString *out); /* start, stop, set */
int pm_command_dump(const PmInvocation *invocation, GString *out);
int pm_command_follow(const PmInvocation *invocation, GString *out);
int pm_command_serve(const PmInvocation *invocation, GString *out);
int pm_command_report(const PmInvocation *invocation, GString *out);
int pm_command_tree(const PmInvocation *invocation, GString *out);
int pm_command_memory(const PmInvocation *invocation, GString *out);
int pm_command_heap(const PmInvocation *invocation, GString *out);
int pm_command_attach(const PmInvocation *invocation, GString *out);
int pm_command_run(const PmInvocation *invocation, GString *out);
int pm_command_export(const PmInvocation *invocation, GString *out);
int pm_command_findings(const PmInvocation *invocation, GString *out);
int pm_command_whatif(const PmInvocation *invocation, GString *out);
int pm_command_diff(const PmInvocation *invocation, GString *out);
int pm_command_info(const PmInvocation *invocation, GString *out);
int pm_command_verify(const PmInvocation *invocation, GString *out);
