/* The command line by itself: what it refuses, with which words and which exit status. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "parkctl.h"
#include "viewer/analysis/aggregation/aspect.h"
#include "tests/folder.h"

static char *folder;

static char *file_with(const char *name, const void *bytes, gsize size)
{
    char *path = g_build_filename(folder, name, NULL);

    g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
    return path;
}

/* Fails with `status`, an empty answer, and one line on stderr that holds all of `words`. */
static void refuses(int status, const char *words, const char *line)
{
    g_auto(PmRun) run;
    g_auto(GStrv) needed = g_strsplit(words, "|", -1);

    pm_run(&run, "C", "%s", line);
    if (run.status != status)
        g_error("parkctl %s: exit status %d\n%s%s", line, run.status, run.out, run.err);
    g_assert_cmpstr(run.out, ==, "");
    g_assert_true(g_str_has_prefix(run.err, "parkctl: "));
    g_assert_true(strchr(run.err, '\n') == run.err + strlen(run.err) - 1);
    for (guint i = 0; needed[i]; i++)
        if (!strstr(run.err, needed[i]))
            g_error("parkctl %s: no \"%s\" in: %s", line, needed[i], run.err);
}

static void usage_is_refused_with_the_way_out(void)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"reprot a.park", "unknown command \"reprot\"|did you mean report?"},
        {"frobnicate", "unknown command \"frobnicate\"|commands: |report"},
        {"report", "report: no file given|parkctl report FILE"},
        {"report a.park b.park", "report: unexpected argument \"b.park\""},
        {"report a.park --fromm=1", "unknown option \"--fromm\"|did you mean --from?|--format"},
        {"report a.park --format=jsn", "unknown format \"jsn\"|did you mean json?"},
        {"report a.park --limit=many", "--limit=many|number"},
        {"report a.park --limit=-1", "--limit=-1|number"},
        {"report a.park --limit", "--limit needs a value"},
        {"report a.park --format=", "--format is empty"},
        {"report a.park --idle=yes", "--idle takes no value"},
        {"report a.park --sort=longst", "unknown sort key \"longst\"|did you mean longest?"},
        {"report a.park --since-start --from=-5m", "--since-start|--from"},
        {"report a.park --pools --group=a*", "--pools|--group"},
        {"report a.park --pools --since-start", "--pools|--since-start"},
        {"tree a.park --by=ownr-site", "unknown aspect \"ownr-site\"|aspects: kind, category"},
        {"tree a.park --by=class,class", "names class twice"},
        {"tree a.park --by=", "--by is empty"},
        {"dump", "dump: of which JVM?|parkctl PID dump"},
        {"status", "status: of which JVM?"},
        {"1 info", "info: reads a file: parkctl info FILE"},
        {"1 run", "run: takes no pid"},
        {"12345678901", "12345678901: not a pid"},
        {"2147483648 now", "2147483648: not a pid"},
        {"0 now", "0: not a pid"},
        {"-5 now", "unknown option \"-5\""},
        {"-- a.park", "unknown command \"a.park\""},
        {"-- reprot a.park", "did you mean report?"},
        {"-- dump", "dump: of which JVM?"},
        {"report a.park -- --idle", "unexpected argument \"--idle\""},
        {"1 dmp", "unknown command \"dmp\"|did you mean dump?"},
        {"1 dump a.park", "unexpected argument \"a.park\"|filename=a.park"},
        {"1 dump filname=a.park", "unknown option \"--filname\"|did you mean --filename?"},
        {"1 dump maxage=soon", "maxage=soon|5m"},
        {"1 dump maxage=-5m", "maxage=-5m"},
        {"1 dump maxage=200000d", "maxage=200000d"}, /* more than 2^63 ns */
        {"1 set", "set: what?"},
        {"run", "run: no command given|-- java"},
        {"run -- mvn test", "\"mvn\" is not java|JAVA_TOOL_OPTIONS"},
        {"export a.park", "export: to which format?|collapsed"},
        {"export a.park --to=colapsed", "did you mean collapsed?"},
        {"export a.park --to=csv --by=group", "--by|--to=collapsed"},
        {"export a.park --to=collapsed --by=grup", "export: unknown aspect \"grup\"|group?"},
        {"help frobnicate", "unknown command \"frobnicate\""},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        refuses(2, cases[i].words, cases[i].line);
}

/* As everywhere: what follows it is no option, whatever it looks like. */
static void two_dashes_end_the_options(void)
{
    refuses(1, "--idle|No such file", "report -- --idle");
    refuses(1, "-h|No such file", "tree --by=class -- -h");
}

static void a_missing_file_is_named(void)
{
    static const char *const commands[] = {"report",   "tree",           "now", "info", "verify",
                                           "findings", "export --to=csv"};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *line = g_strdup_printf("%s %s/nowhere.park", commands[i], folder);
        refuses(1, "nowhere.park|No such file", line);
    }
}

static void what_is_no_recording_is_named(void)
{
    static const guint8 jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1};
    static const char *const commands[] = {"report", "tree", "now", "info", "verify"};
    g_autofree guint8 *photo = g_malloc0(50000);
    g_autofree char *zeros = file_with("zeros.park", photo, 50000);
    memcpy(photo, jpeg, sizeof jpeg);
    g_autofree char *path = file_with("photo.jpg", photo, 50000);
    g_autofree char *tiny = file_with("tiny.jpg", jpeg, sizeof jpeg);
    g_autofree char *empty = file_with("empty.park", "", 0);

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *a = g_strdup_printf("%s %s", commands[i], path);
        g_autofree char *b = g_strdup_printf("%s %s", commands[i], tiny);
        g_autofree char *c = g_strdup_printf("%s %s", commands[i], empty);
        g_autofree char *d = g_strdup_printf("%s %s", commands[i], zeros);
        g_autofree char *e = g_strdup_printf("%s %s", commands[i], folder);
        refuses(1, "photo.jpg|not a", a);
        refuses(1, "tiny.jpg", b);
        refuses(1, "empty.park|empty", c);
        refuses(1, "zeros.park", d);
        refuses(1, folder, e);
    }
}

/* A process that is no JVM: this test itself. */
static void a_process_without_recorder_is_named(void)
{
    static const char *const commands[] = {"status", "now", "report", "tree", "stop"};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *line = g_strdup_printf("%d %s", (int)getpid(), commands[i]);
        g_autofree char *words = g_strdup_printf("%d: not a JVM", (int)getpid());
        refuses(1, words, line);
    }
    g_autofree char *target = g_build_filename(folder, "never.park", NULL);
    g_autofree char *line = g_strdup_printf("%d dump filename=%s", (int)getpid(), target);
    refuses(1, "not a JVM", line);
    g_assert_false(g_file_test(target, G_FILE_TEST_EXISTS));
}

/* Pids end at 2^22 on Linux. */
static void a_missing_process_is_named(void)
{
    static const char *const commands[] = {"status", "now", "dump", "attach"};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *line = g_strdup_printf("2147483646 %s", commands[i]);
        refuses(1, "2147483646: no such process", line);
    }
}

static void help_needs_nothing(void)
{
    static const char *const lines[] = {
        "help",          "--help",      "-h",        "help report", "tree --help", "1 help",
        "1 dump --help", "dump --help", "--version", "version",     "help help"};

    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_auto(PmRun) run;
        pm_run(&run, "C", "%s", lines[i]);
        g_assert_cmpint(run.status, ==, 0);
        g_assert_cmpstr(run.err, ==, "");
        g_assert_cmpuint(strlen(run.out), >, 10);
        g_assert_true(g_str_is_ascii(run.out));
    }
}

static void the_list_is_never_an_error(void)
{
    static const char *const lines[] = {"", "list", "--format=json", "list --format=csv"};

    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_auto(PmRun) run;
        pm_run(&run, "C", "%s", lines[i]);
        g_assert_cmpint(run.status, ==, 0);
        g_assert_cmpstr(run.err, ==, "");
        g_assert_cmpstr(run.out, !=, "");
    }
}

/* The java named on the line is started with -agentpath as its first argument. */
static void run_inserts_the_agent(void)
{
    g_autofree char *java = g_build_filename(folder, "java", NULL);
    g_auto(PmRun) run;
    const char *script = "#!/bin/sh\nfor a; do echo \"<$a>\"; done\nexit 7\n";

    g_assert_true(g_file_set_contents(java, script, -1, NULL));
    g_assert_cmpint(g_chmod(java, 0700), ==, 0);
    pm_run(&run, "C", "run maxsize=64m --stackdepth=8 -- %s -jar 'a b.jar' --help", java);
    if (run.status == 1 && strstr(run.err, "libparkmeter.so is not beside")) {
        g_test_skip("the agent is not built");
        return;
    }
    g_assert_cmpstr(run.err, ==, "");
    g_assert_cmpint(run.status, ==, 7);
    g_auto(GStrv) lines = g_strsplit(run.out, "\n", -1);
    g_assert_true(g_str_has_prefix(lines[0], "<-agentpath:/"));
    g_assert_true(g_str_has_suffix(lines[0], "/libparkmeter.so=maxsize=64m,stackdepth=8>"));
    g_assert_cmpstr(lines[1], ==, "<-jar>");
    g_assert_cmpstr(lines[2], ==, "<a b.jar>");
    g_assert_cmpstr(lines[3], ==, "<--help>");
}

static char *help_of(const char *line)
{
    PmRun run;

    pm_run(&run, "C", "%s", line);
    g_assert_cmpint(run.status, ==, 0);
    g_free(run.err);
    return run.out;
}

/* Calls `each` for every command that `help` lists. */
static void each_command(void (*each)(const char *name, const char *help, const char *text),
                         const char *text)
{
    g_autofree char *all = help_of("help");
    g_autoptr(GRegex) row = g_regex_new(
        "^  (?:PID )?([a-z]+)(?: [A-Z ]*[A-Z])?(?: - PID \\w+)?  +\\S", G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    guint n = 0;

    g_regex_match(row, all, 0, &match);
    while (g_match_info_matches(match)) {
        g_autofree char *name = g_match_info_fetch(match, 1);
        g_autofree char *line = g_strdup_printf("help %s", name);
        if (strcmp(name, "parkctl") != 0) {
            g_autofree char *help = help_of(line);
            each(name, help, text);
            n++;
        }
        g_match_info_next(match, NULL);
    }
    g_assert_cmpuint(n, >=, 19);
}

/* Fails the test when `page` lacks an option of `help`, written with a backslash before each dash
 * as manuals have it, or plainly. */
static void has_options(const char *page, const char *help, const char *text, gboolean roff)
{
    g_autoptr(GRegex) option = g_regex_new("^  (--[a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;

    for (g_regex_match(option, help, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        g_autofree char *plain = g_match_info_fetch(match, 1);
        g_auto(GStrv) parts = g_strsplit(plain, "-", -1);
        g_autofree char *written = g_strjoinv(roff ? "\\-" : "-", parts);
        if (!strstr(text, written))
            g_error("%s does not name %s", page, plain);
    }
}

static void manual_has(const char *name, const char *help, const char *text)
{
    g_autofree char *bold = g_strdup_printf("(?m)^\\.(B|BR|BI|IB)( \"?PID \"?| )\"? ?%s\\b", name);

    if (!g_regex_match_simple(bold, text, 0, 0))
        g_error("docs/man/parkctl.1 does not name the command %s", name);
    has_options("docs/man/parkctl.1", help, text, TRUE);
}

static void completion_has(const char *name, const char *help, const char *text)
{
    g_autofree char *word = g_strdup_printf("\\b%s\\b", name);

    if (!g_regex_match_simple(word, text, 0, 0))
        g_error("parkctl.bash does not name the command %s", name);
    has_options("parkctl.bash", help, text, FALSE);
}

static void check_text(const char *name,
                       void (*each)(const char *name, const char *help, const char *text))
{
    g_autofree char *path = g_build_filename(g_getenv("PM_SOURCE"), name, NULL);
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    each_command(each, text);
}

static void the_manual_names_every_word(void)
{
    check_text("docs/man/parkctl.1", manual_has);
}

/* The viewer's option table is read as text: its program needs a display. */
static void the_viewers_manual_names_its_options(void)
{
    g_autofree char *manual = g_build_filename(g_getenv("PM_SOURCE"), "docs/man/parkmeter.1", NULL);
    g_autofree char *source =
        g_build_filename(g_getenv("PM_SOURCE"), "viewer/ui/window/application.c", NULL);
    g_autoptr(GRegex) entry = g_regex_new("\\{\"([a-z-]+)\", *(0|'.'), *([A-Z_0-9]+),", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_autofree char *text = NULL;
    g_autofree char *table = NULL;

    g_assert_true(g_file_get_contents(manual, &text, NULL, NULL));
    if (!g_file_get_contents(source, &table, NULL, NULL)) {
        g_test_skip("the viewer's options are elsewhere now");
        return;
    }
    g_regex_match(entry, table, 0, &match);
    while (g_match_info_matches(match)) {
        g_autofree char *name = g_match_info_fetch(match, 1);
        g_autofree char *flags = g_match_info_fetch(match, 3);
        g_auto(GStrv) halves = g_strsplit(name, "-", -1);
        g_autofree char *escaped = g_strjoinv("\\-", halves);
        g_autofree char *roff = g_strdup_printf("\\-\\-%s", escaped);
        if (!strstr(flags, "HIDDEN") && !strstr(text, roff))
            g_error("docs/man/parkmeter.1 does not name --%s", name);
        g_match_info_next(match, NULL);
    }
}

static void the_completion_names_every_word(void)
{
    check_text("recorder/parkctl/parkctl.bash", completion_has);
}

/* Of `words`, the line cut as bash cuts it, what completes its last word; one a line. */
static char *completed(const char *words)
{
    g_autofree char *script =
        g_strdup_printf("parkctl() { \"$PM_PARKCTL\" \"$@\"; }; compopt() { :; }; "
                        ". \"$PM_SOURCE/recorder/parkctl/parkctl.bash\"; COMP_WORDS=(%s); "
                        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _parkctl; "
                        "printf '%%s\\n' \"${COMPREPLY[@]}\"",
                        words);
    const char *argv[] = {"bash", "-c", script, NULL};
    char *out = NULL;

    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, NULL,
                      NULL))
        return NULL;
    return out;
}

/* Every aspect of the table is in the help, in the manual, and completes. */
static void aspects_are_known_everywhere(void)
{
    g_autofree char *path = g_build_filename(g_getenv("PM_SOURCE"), "docs/man/parkctl.1", NULL);
    g_autofree char *manual = NULL;
    PmRun help;
    g_autofree char *all = completed("parkctl tree a.park --by =");
    g_autofree char *filters = completed("parkctl report a.park --");

    pm_run(&help, "C.UTF-8", "help tree");
    g_assert_true(g_file_get_contents(path, &manual, NULL, NULL));
    for (guint i = 0; i < PM_N_ASPECTS; i++) {
        const PmAspectRow *row = &pm_aspects[i];
        g_autofree char *line = g_strdup_printf("\n  %-14s%s\n", row->name, row->help);
        g_auto(GStrv) halves = g_strsplit(row->name, "-", -1);
        g_autofree char *escaped = g_strjoinv("\\-", halves);
        g_autofree char *entry = g_strdup_printf("\n.B %s\n%s\n", escaped, row->help);
        g_autofree char *word = g_strdup_printf("\n%s\n", row->name);
        g_autofree char *words = g_strdup_printf("\n%s", all ? all : word);
        g_autofree char *filter = g_strdup_printf("\n--%s=\n", row->name);
        g_autofree char *roff = g_strdup_printf("\\-\\-%s", escaped);
        if (!strstr(help.out, line) || !strstr(manual, entry) || !strstr(words, word) ||
            !strstr(manual, roff) || (filters && !strstr(filters, filter)))
            g_error("help, docs/man/parkctl.1 or the completion do not name %s", row->name);
    }
    g_autofree char *second = completed("parkctl tree a.park --by = site,wake-");
    g_assert_cmpstr(second, ==, "site,wake-cause\n");
    pm_run_clear(&help);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("parkctl-XXXXXX", NULL);
    g_test_add_func("/parkctl/usage-is-refused-with-the-way-out",
                    usage_is_refused_with_the_way_out);
    g_test_add_func("/parkctl/two-dashes-end-the-options", two_dashes_end_the_options);
    g_test_add_func("/parkctl/a-missing-file-is-named", a_missing_file_is_named);
    g_test_add_func("/parkctl/what-is-no-recording-is-named", what_is_no_recording_is_named);
    g_test_add_func("/parkctl/a-process-without-recorder-is-named",
                    a_process_without_recorder_is_named);
    g_test_add_func("/parkctl/a-missing-process-is-named", a_missing_process_is_named);
    g_test_add_func("/parkctl/help-needs-nothing", help_needs_nothing);
    g_test_add_func("/parkctl/the-list-is-never-an-error", the_list_is_never_an_error);
    g_test_add_func("/parkctl/run-inserts-the-agent", run_inserts_the_agent);
    g_test_add_func("/parkctl/the-manual-names-every-word", the_manual_names_every_word);
    g_test_add_func("/parkctl/the-viewers-manual-names-its-options",
                    the_viewers_manual_names_its_options);
    g_test_add_func("/parkctl/the-completion-names-every-word", the_completion_names_every_word);
    g_test_add_func("/parkctl/aspects-are-known-everywhere", aspects_are_known_everywhere);
    int status = g_test_run();
    pm_remove_folder(folder);
    g_free(folder);
    return status;
}
