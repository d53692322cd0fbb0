#include "recorder/parkctl/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(id) PM_OPTION_BIT(PM_OPTION_##id)

const PmCommand pm_commands[] = {
    {"list", PM_PLACE_ALONE, 0, "", "list the JVMs that have a recorder (as parkctl alone does)",
     BIT(FORMAT) | BIT(ALL), FALSE, pm_command_list},
    {"run", PM_PLACE_ALONE, 0, "[KEY=VALUE…] -- java …", "start a JVM with the recorder", 0, TRUE,
     pm_command_run},
    {"attach", PM_PLACE_PID, 0, "[KEY=VALUE…]", "load the recorder into a running JVM", 0, TRUE,
     pm_command_attach},
    {"status", PM_PLACE_PID, 0, "", "what the recorder holds and costs", BIT(FORMAT), FALSE,
     pm_command_status},
    {"now", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "who waits now, for what, because of whom",
     PM_OPTIONS_FILTER | PM_OPTIONS_ROWS | BIT(AT) | BIT(CHAINS), FALSE, pm_command_now},
    {"report", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "the objects that threads waited for",
     PM_OPTIONS_FILTER | PM_OPTIONS_ROWS | BIT(SINCE_START) | BIT(POOLS), FALSE, pm_command_report},
    {"tree", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "the waits, aggregated by any aspects",
     PM_OPTIONS_FILTER | PM_OPTIONS_ROWS | BIT(BY), FALSE, pm_command_tree},
    {"memory", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "what is allocated, and what is live",
     (PM_OPTIONS_FILTER & ~BIT(IDLE) & ~BIT(CATEGORIES)) | PM_OPTIONS_ROWS | BIT(BY) |
         BIT(BETWEEN) | BIT(GC) | BIT(COLLAPSED),
     FALSE, pm_command_memory},
    {"heap", PM_PLACE_PID, 0, "",
     "all objects by class, or what keeps one alive; stops the program",
     BIT(FORMAT) | BIT(LIMIT) | BIT(YES) | BIT(PATH) | BIT(ACCOUNTS), FALSE, pm_command_heap},
    {"findings", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "problems and their causes",
     PM_OPTIONS_FILTER | BIT(FORMAT) | BIT(LIMIT), FALSE, pm_command_findings},
    {"whatif", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "what holding a lock for less time would gain",
     PM_OPTIONS_FILTER | BIT(FORMAT) | BIT(LIMIT) | BIT(HOLD), FALSE, pm_command_whatif},
    {"diff", PM_PLACE_FILE, 2, "", "compare two recordings: what waits more, what less",
     PM_OPTIONS_FILTER | BIT(FORMAT) | BIT(LIMIT) | BIT(BY), FALSE, pm_command_diff},
    {"dump", PM_PLACE_PID, 0, "", "write what the recorder holds to a file",
     BIT(FILENAME) | BIT(MAXAGE), FALSE, pm_command_dump},
    {"follow", PM_PLACE_PID, 0, "",
     "keep a file up to date with the recording; updates at each line of input",
     BIT(FILENAME) | BIT(MAXAGE), FALSE, pm_command_follow},
    {"start", PM_PLACE_PID, 0, "[KEY=VALUE…]", "record (again)", 0, TRUE, pm_command_switch},
    {"stop", PM_PLACE_PID, 0, "", "stop recording; the recorder stays", 0, FALSE,
     pm_command_switch},
    {"set", PM_PLACE_PID, 0, "KEY=VALUE…", "change options of the recorder while it runs", 0, TRUE,
     pm_command_switch},
    {"export", PM_PLACE_FILE | PM_PLACE_PID, 1, "", "the waits, for other programs",
     (PM_OPTIONS_FILTER & ~BIT(TO)) | BIT(TO_FORMAT) | BIT(BY), FALSE, pm_command_export},
    {"info", PM_PLACE_FILE, 1, "", "what a recording is", BIT(FORMAT), FALSE, pm_command_info},
    {"verify", PM_PLACE_FILE, 1, "", "check every block of a recording", BIT(FORMAT), FALSE,
     pm_command_verify},
    {"serve", PM_PLACE_ALONE, 0, "", "serve a remote parkctl on standard input and output (--via)",
     0, FALSE, pm_command_serve},
    {"help", PM_PLACE_ALONE | PM_PLACE_PID, 0, "[COMMAND]", "explain a command", 0, FALSE,
     pm_command_help},
    {"version", PM_PLACE_ALONE, 0, "", "print the version", 0, FALSE, pm_command_version},
};

const guint pm_n_commands = G_N_ELEMENTS(pm_commands);

const PmCommand *pm_command_find(const char *name)
{
    for (guint i = 0; i < pm_n_commands; i++)
        if (strcmp(name, pm_commands[i].name) == 0)
            return &pm_commands[i];
    return NULL;
}

const char *pm_command_files(const PmCommand *command)
{
    static const char *const texts[] = {"", "FILE", "BEFORE AFTER"};

    return texts[MIN(command->n_files, G_N_ELEMENTS(texts) - 1)];
}

/* ---- did you mean ---- */

int pm_complain(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *clean = pm_text_clean(text);
    PmTerminal terminal;
    pm_terminal_init(&terminal, stderr);
    g_autofree char *encoded = pm_terminal_encode(&terminal, clean);
    fprintf(stderr, "parkctl: %s\n", encoded);
    return status;
}

/* Edits (insert, delete, replace, swap of neighbours) from `a` to `b`. Words are short. */
static guint distance(const char *a, const char *b)
{
    gsize n = strlen(a), m = strlen(b);
    g_autofree guint *cells = g_new(guint, (n + 1) * (m + 1));
#define D(i, j) cells[(i) * (m + 1) + (j)]

    for (gsize i = 0; i <= n; i++) {
        for (gsize j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                D(i, j) = (guint)(i + j);
                continue;
            }
            guint best = D(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
            best = MIN(best, D(i - 1, j) + 1);
            best = MIN(best, D(i, j - 1) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = MIN(best, D(i - 2, j - 2) + 1);
            D(i, j) = best;
        }
    }
    return D(n, m);
#undef D
}

static const char *nearest_of(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    guint best = 0;

    if (strlen(word) > 64)
        return NULL;
    for (guint i = 0; words[i]; i++) {
        guint d = distance(word, words[i]);
        /* Up to a third of the letters may be wrong. */
        if (d * 3 <= MAX(strlen(word), strlen(words[i])) + 1 && (!nearest || d < best)) {
            nearest = words[i];
            best = d;
        }
    }
    return nearest;
}

char *pm_did_you_mean(const char *word, const char *const *words, const char *prefix)
{
    const char *nearest = nearest_of(word, words);

    return nearest ? g_strdup_printf(" (did you mean %s%s?)", prefix, nearest) : g_strdup("");
}

/* ---- parsing ---- */

static gboolean is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

gboolean pm_pid_parse(const char *text, int *ret_pid)
{
    guint64 value;

    /* Of at most ten digits: zeros in front are a file's name, not a pid. */
    if (!is_number(text) || strlen(text) > 10 ||
        !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &value, NULL))
        return FALSE;
    *ret_pid = (int)value;
    return TRUE;
}

static char *unknown_command(const char *word, guint place)
{
    const char *names[G_N_ELEMENTS(pm_commands) + 1];
    guint n = 0;

    for (guint i = 0; i < pm_n_commands; i++)
        if (place != PM_PLACE_PID || (pm_commands[i].places & PM_PLACE_PID))
            names[n++] = pm_commands[i].name;
    names[n] = NULL;
    g_autofree char *guess = pm_did_you_mean(word, names, "");
    g_autofree char *all = g_strjoinv(", ", (char **)names);
    if (!*guess && g_file_test(word, G_FILE_TEST_EXISTS))
        return g_strdup_printf("unknown command \"%s\"; to read a recording: parkctl report %s",
                               word, word);
    if (is_number(word))
        return g_strdup_printf("%s: not a pid, which is a number from 1 to %d", word, G_MAXINT);
    return g_strdup_printf("unknown command \"%s\"%s; commands: %s", word, guess, all);
}

static char *wrong_place(const PmCommand *command, gboolean after_pid)
{
    if (after_pid && (command->places & PM_PLACE_FILE))
        return g_strdup_printf("%s: reads a file: parkctl %s %s", command->name, command->name,
                               pm_command_files(command));
    if (after_pid)
        return g_strdup_printf("%s: takes no pid: parkctl %s %s", command->name, command->name,
                               command->arguments);
    return g_strdup_printf("%s: of which JVM? parkctl PID %s %s  (parkctl lists them)",
                           command->name, command->name, command->arguments);
}

/* `arg`: as typed, which may be with one dash or, after a pid, with none. */
static char *unknown_option(const PmCommand *command, const char *arg)
{
    gsize dashes = strspn(arg, "-");
    const char *name = arg + dashes;
    gsize length = strcspn(name, "=");
    const char *shown = dashes == 1 ? "-" : "--";
    const char *names[PM_N_OPTIONS + 1];
    g_autofree char *word = g_strndup(name, length);
    g_autoptr(GString) all = g_string_new(NULL);
    guint n = 0;

    for (guint i = 0; i < PM_N_OPTIONS; i++) {
        if (pm_option_is_allowed(i, command->options)) {
            names[n] = pm_option_row(i).name;
            g_string_append_printf(all, "%s--%s", n > 0 ? ", " : "", names[n]);
            n++;
        }
    }
    names[n] = NULL;
    g_autofree char *guess = pm_did_you_mean(word, names, "--");
    if (n == 0)
        return g_strdup_printf("%s: unknown option \"%s%s\"; it has none", command->name, shown,
                               word);
    return g_strdup_printf("%s: unknown option \"%s%s\"%s; options: %s", command->name, shown, word,
                           guess, all->str);
}

static void add_value(PmInvocation *invocation, int option, char *value)
{
    if (!invocation->values[option])
        invocation->values[option] = g_ptr_array_new();
    g_ptr_array_add(invocation->values[option], value);
}

/* One "--name=value", "--name value" or, after a pid, "name=value". `*i` is moved past it. */
static gboolean parse_option(PmInvocation *invocation, int argc, char **argv, int *i,
                             char **ret_error)
{
    const PmCommand *command = invocation->command;
    char *name = argv[*i];

    while (*name == '-')
        name++;
    gsize length = strcspn(name, "=");
    if (strncmp(name, "help", length) == 0 && length == 4 && !name[length]) {
        invocation->help = TRUE;
        return TRUE;
    }
    int option = pm_option_find(name, length, command->options);
    if (option < 0) {
        *ret_error = unknown_option(command, argv[*i]);
        return FALSE;
    }
    const PmOption entry = pm_option_row(option);
    if (!entry.value) {
        if (name[length] == '=') {
            *ret_error = g_strdup_printf("%s: --%s takes no value", command->name, entry.name);
            return FALSE;
        }
        add_value(invocation, option, name + length);
        return TRUE;
    }
    char *value = name + length + 1;
    if (name[length] != '=') {
        if (*i + 1 >= argc) {
            *ret_error = g_strdup_printf("%s: --%s needs a value: --%s=%s", command->name,
                                         entry.name, entry.name, entry.value);
            return FALSE;
        }
        value = argv[++*i];
    }
    if (!*value) {
        *ret_error = g_strdup_printf("%s: --%s is empty: --%s=%s", command->name, entry.name,
                                     entry.name, entry.value);
        return FALSE;
    }
    add_value(invocation, option, value);
    return TRUE;
}

static void add_recorder_option(PmInvocation *invocation, const char *text)
{
    while (*text == '-')
        text++;
    if (invocation->recorder->len > 0)
        g_string_append_c(invocation->recorder, ',');
    g_string_append(invocation->recorder, text);
}

static gboolean parse_arguments(PmInvocation *invocation, int argc, char **argv, char **ret_error)
{
    const PmCommand *command = invocation->command;
    gboolean line = command->run == pm_command_run;
    gboolean plain = FALSE; /* after "--": no more options */

    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        gboolean dashed = !plain && arg[0] == '-' && arg[1] != '\0';
        if (line && strcmp(arg, "--") == 0) {
            while (++i < argc)
                g_ptr_array_add(invocation->rest, argv[i]);
        } else if (dashed && strcmp(arg, "--") == 0) {
            plain = TRUE;
        } else if (dashed && (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)) {
            invocation->help = TRUE;
        } else if (command->recorder_options) {
            if (line && !dashed && !strchr(arg, '='))
                while (i < argc)
                    g_ptr_array_add(invocation->rest, argv[i++]);
            else
                add_recorder_option(invocation, arg);
        } else if (dashed || (!plain && invocation->pid && strchr(arg, '='))) {
            if (!parse_option(invocation, argc, argv, &i, ret_error))
                return FALSE;
        } else if (command->run == pm_command_help && invocation->rest->len == 0) {
            g_ptr_array_add(invocation->rest, arg);
        } else if (!invocation->pid && invocation->files->len < command->n_files) {
            g_ptr_array_add(invocation->files, arg);
        } else if (command->options & BIT(FILENAME)) {
            *ret_error =
                g_strdup_printf("%s: unexpected argument \"%s\"; to write to it: filename=%s",
                                command->name, arg, arg);
            return FALSE;
        } else {
            *ret_error =
                g_strdup_printf("%s: unexpected argument \"%s\"; usage: parkctl %s%s%s%s",
                                command->name, arg, invocation->pid ? "PID " : "", command->name,
                                command->n_files ? " " : "", pm_command_files(command));
            return FALSE;
        }
    }
    return TRUE;
}

const char *pm_invocation_value(const PmInvocation *invocation, PmOptionId option)
{
    const GPtrArray *values = invocation->values[option];

    return values ? values->pdata[values->len - 1] : NULL;
}

static gboolean complete(PmInvocation *invocation, char **ret_error)
{
    const PmCommand *command = invocation->command;
    const char *format = pm_invocation_value(invocation, PM_OPTION_FORMAT);
    static const char *const formats[] = {"text", "csv", "json", NULL};

    if (invocation->help)
        return TRUE;
    if (format && !pm_format_parse(format, &invocation->format)) {
        g_autofree char *guess = pm_did_you_mean(format, formats, "");
        *ret_error = g_strdup_printf("%s: unknown format \"%s\"%s; formats: text, csv, json",
                                     command->name, format, guess);
        return FALSE;
    }
    if (invocation->pid || invocation->files->len == command->n_files)
        return TRUE;
    *ret_error = g_strdup_printf("%s: %s file given; usage: parkctl %s %s%s", command->name,
                                 invocation->files->len == 0 ? "no" : "only one", command->name,
                                 pm_command_files(command),
                                 command->places & PM_PLACE_PID ? ", or parkctl PID …" : "");
    return FALSE;
}

/* "--via=COMMAND" or "--via COMMAND" before everything else. */
static gboolean parse_via(PmInvocation *invocation, int *argc, char ***argv, char **ret_error)
{
    if (*argc == 0 || !g_str_has_prefix((*argv)[0], "--via"))
        return TRUE;
    const char *value = (*argv)[0] + strlen("--via");
    const int used = *value == '=' ? 1 : 2;

    if (*value != '=' && *value != '\0')
        return TRUE;
    value = *value == '=' ? value + 1 : *argc > 1 ? (*argv)[1] : "";
    if (!*value) {
        *ret_error = g_strdup("--via needs a command that reaches the JVM's machine: --via='ssh "
                              "HOST', --via='kubectl exec POD --'");
        return FALSE;
    }
    invocation->via = value;
    *argc -= used;
    *argv += used;
    return TRUE;
}

static gboolean may_be_elsewhere(const PmInvocation *invocation)
{
    return invocation->pid ? invocation->command->run != pm_command_attach &&
                                 invocation->command->run != pm_command_heap
                           : invocation->command->run == pm_command_list ||
                                 invocation->command->run == pm_command_help;
}

gboolean pm_invocation_parse(PmInvocation *ret_invocation, int argc, char **argv, char **ret_error)
{
    PmInvocation *invocation = ret_invocation;
    const char *word = "list";
    int used = 0;

    memset(invocation, 0, sizeof *invocation);
    invocation->files = g_ptr_array_new();
    invocation->rest = g_ptr_array_new();
    invocation->recorder = g_string_new(NULL);

    if (!parse_via(invocation, &argc, &argv, ret_error))
        return FALSE;
    if (argc > 0 && strcmp(argv[0], "--") == 0) {
        argc--;
        argv++;
    }
    if (argc > 0 && pm_pid_parse(argv[0], &invocation->pid)) {
        word = argc > 1 ? argv[1] : "status";
        used = MIN(argc, 2);
    } else if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        word = "help";
        used = 1;
    } else if (argc > 0 && strcmp(argv[0], "--version") == 0) {
        word = "version";
        used = 1;
    } else if (argc > 0 && argv[0][0] != '-') {
        word = argv[0];
        used = 1;
    }
    invocation->command = pm_command_find(word);
    if (!invocation->command) {
        *ret_error = unknown_command(word, invocation->pid ? PM_PLACE_PID : PM_PLACE_FILE);
        return FALSE;
    }
    guint place = invocation->pid ? PM_PLACE_PID : PM_PLACE_FILE | PM_PLACE_ALONE;
    if (!(invocation->command->places & place)) {
        /* `parkctl dump --help` is a fair question all the same. */
        for (int i = used; i < argc; i++)
            invocation->help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        if (invocation->help)
            return TRUE;
        *ret_error = wrong_place(invocation->command, invocation->pid != 0);
        return FALSE;
    }
    if (invocation->via && !may_be_elsewhere(invocation)) {
        *ret_error =
            g_strdup_printf("--via: %s is not available remotely; available: %s parkctl %s …", word,
                            invocation->via, invocation->pid ? "PID" : word);
        return FALSE;
    }
    return parse_arguments(invocation, argc - used, argv + used, ret_error) &&
           complete(invocation, ret_error);
}

void pm_invocation_clear(PmInvocation *invocation)
{
    for (guint i = 0; i < PM_N_OPTIONS; i++)
        g_clear_pointer(&invocation->values[i], g_ptr_array_unref);
    g_clear_pointer(&invocation->files, g_ptr_array_unref);
    g_clear_pointer(&invocation->rest, g_ptr_array_unref);
    if (invocation->recorder)
        g_string_free(g_steal_pointer(&invocation->recorder), TRUE);
}
