/* What a recording calls its threads, classes and files is anybody's text: no answer of parkctl
 * lets it drive a terminal, compute in a spreadsheet or break another program's reader, and JSON
 * still says what was recorded. */
#include <string.h>

#include <glib/gstdio.h>

#include "tests/attacks/hostile-text.h"
#include "tests/format/synthetic.h"
#include "tests/report/parkctl.h"

static char *folder, *recording;
static GPtrArray *names; /* of threads */

static struct pm_text text(const char *s)
{
    return (struct pm_text){s, (uint32_t)strlen(s)};
}

static void take(const char *const *more)
{
    for (guint i = 0; more[i]; i++)
        g_ptr_array_add(names, (gpointer)more[i]);
}

/* Each name is once a thread's, a class', a method's and a file's; waits end, go on, have owners
 * that were seen, and two threads wait for each other. */
static void write_recording(const char *path)
{
    struct syn *s = syn_new();
    struct pm_facts *facts = syn_facts(s);
    pm_thread_id first = {0}, before = {0};
    pm_blocker_id first_lock = {0};

    facts->jvm = text("jvm \033[31m\xc2\x9b"
                      "1m\xe2\x80\xae");
    facts->main = text("=main \033[31m\xc2\x9b"
                       "1m\xe2\x80\xae\nx");
    facts->host = text("host \033[31m\xc2\x9b"
                       "1m\xe2\x80\xae");
    facts->options = text("options \033[31m\xc2\x9b"
                          "1m\xe2\x80\xae");
    facts->zone = text("UTC+1\033[31m\xc2\x9b"
                       "1m\xe2\x80\xae\nx");
    facts->not_recorded = text("not \033[31m\xc2\x9b"
                               "1m\xe2\x80\xae\nx");
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *class_name = g_strconcat(name, ".", name, NULL);
        g_autofree char *frame = g_strdup_printf("%s.%s(%s:%u)", name, name, name, i + 1);
        pm_thread_id thread = syn_thread(s, name);
        pm_blocker_id lock = syn_blocker(s, syn_class(s, i % 2 ? name : class_name), i + 1);
        pm_chain_id chain = syn_chain(
            s, "jdk.internal.misc.Unsafe.park(Native Method)",
            "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)", frame, NULL);
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = thread});
        for (int k = 0; k < 3; k++) {
            struct pm_wait *wait =
                syn_wait(s, thread, lock, k * 100 * SYN_MS + i * SYN_MS, 50 * SYN_MS);
            wait->chain = wait->waker_chain = chain;
            wait->owner = wait->waker = before;
            wait->wake_ns = wait->begin_ns + wait->duration_ns;
            wait->wake_cause = PM_WAKE_RELEASE;
            wait->kind = (uint8_t)(i % PM_N_KINDS);
        }
        struct pm_wait *wait = syn_progress(s, thread, i == 1 ? first_lock : lock, 500 * SYN_MS);
        wait->chain = chain;
        wait->owner = before;
        syn_owner_sample(s, (struct pm_owner_sample){.at_ns = 900 * SYN_MS,
                                                     .waiter = thread,
                                                     .blocker = lock,
                                                     .owner = before,
                                                     .chain = chain,
                                                     .owner_state = PM_OWNER_RUNNING});
        if (i == 0) {
            first = thread;
            first_lock = lock;
        }
        before = thread;
    }
    /* One lock that is contended enough to be found, by threads of hostile names. */
    pm_blocker_id found =
        syn_blocker(s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 77);
    for (guint i = 1; i < names->len; i++) {
        struct pm_wait *wait =
            syn_wait(s, (pm_thread_id){i + 1}, found, 310 * SYN_MS, 180 * SYN_MS);
        wait->owner = wait->waker = first;
        wait->wake_cause = PM_WAKE_RELEASE;
    }
    syn_ledger(s);
    syn_finish_file(s, SYN_S, path);
    syn_free(s);
}

static void answer(PmRun *ret_run, const char *locale, const char *command, const char *options)
{
    g_autofree char *quoted = g_shell_quote(recording);

    if (strcmp(command, "diff") == 0)
        pm_run(ret_run, locale, "diff %s %s %s", quoted, quoted, options);
    else
        pm_run(ret_run, locale, "%s %s %s", command, quoted, options);
    if (ret_run->status != 0)
        g_error("parkctl %s %s: exit status %d\n%s", command, options, ret_run->status,
                ret_run->err);
}

static const struct {
    const char *command, *options;
} texts[] = {
    {"report", ""},
    {"report", "--idle --limit=0"},
    {"report", "--since-start --limit=0"},
    {"report", "--pools"},
    {"report", "--class=* --blocker=* --limit=0"},
    {"tree", "--limit=0"},
    {"tree", "--by=thread,group,class,blocker,chain,site --limit=1"},
    {"tree", "--by=owner,waker,cause-site,owner-chain --limit=0"},
    {"now", "--limit=0"},
    {"now", "--chains --idle --limit=0"},
    {"findings", ""},
    {"whatif", ""},
    {"diff", "--by=thread,class,site"},
    {"info", ""},
    {"verify", ""},
    {"info", "--format=csv"},
    {"verify", "--format=csv"},
    {"export", "--to=collapsed"},
    {"export", "--to=collapsed --by=thread,class,chain"},
};

static void text_cannot_drive_the_terminal(void)
{
    static const char *const locales[] = {"C.UTF-8", "C"};

    for (guint l = 0; l < G_N_ELEMENTS(locales); l++) {
        for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
            g_auto(PmRun) run;
            g_autofree char *what = g_strdup_printf("%s %s", texts[i].command, texts[i].options);
            if (strstr(texts[i].options, "--blocker"))
                continue;
            answer(&run, locales[l], texts[i].command, texts[i].options);
            hostile_assert_none(what, run.out);
            hostile_assert_none(what, run.err);
            g_assert_cmpuint(strlen(run.out), >, 0);
        }
    }
}

/* What looks like our own colours is a name's all the same. */
static void colours_are_ours_alone(void)
{
    g_auto(PmRun) run;

    answer(&run, "C.UTF-8", "tree", "--by=thread --limit=0");
    g_assert_nonnull(strstr(run.out, "Strong"));
    g_assert_null(strchr(run.out, '\033'));
}

static void full_rows_cannot_drive_the_terminal(void)
{
    for (guint i = 1; i <= names->len; i++) {
        g_auto(PmRun) run;
        g_autofree char *options = g_strdup_printf("--blocker=%08x --idle", i);
        answer(&run, "C.UTF-8", "report", options);
        hostile_assert_none("report --blocker", run.out);
    }
}

/* A line of a folded stack is frames, a blank and a number, whatever the frames are called. */
static void folded_lines_stay_lines(void)
{
    g_auto(PmRun) run;

    answer(&run, "C.UTF-8", "export", "--to=collapsed --by=thread,class");
    g_auto(GStrv) lines = g_strsplit(run.out, "\n", -1);
    for (guint i = 0; lines[i] && *lines[i]; i++) {
        const char *weight = strrchr(lines[i], ' ');
        g_auto(GStrv) frames = g_strsplit(lines[i], ";", -1);
        g_assert_nonnull(weight);
        g_assert_cmpuint(strspn(weight + 1, "0123456789"), ==, strlen(weight + 1));
        g_assert_cmpuint(g_strv_length(frames), ==, 2);
    }
}

/* ---- CSV ---- */

static const struct {
    const char *command, *options, *texts; /* the columns that are text */
} tables[] = {
    {"report", "--format=csv --idle", "class label first_thread first_chain owner"},
    {"report", "--format=csv --since-start", "class label first_thread first_chain owner"},
    {"report", "--format=csv --pools", "group"},
    {"tree", "--format=csv --by=thread,group,class,blocker,chain,site",
     "thread group class blocker chain site"},
    {"now", "--format=csv --idle", "thread group class owner owner_chain chain"},
    {"findings", "--format=csv", "title blocker cause try command"},
    {"whatif", "--format=csv", "blocker"},
    {"diff", "--format=csv --by=thread,class,site", "thread class site"},
    {"export", "--to=csv --idle", "thread group class label owner waker chain waker_chain"},
};

static void csv_computes_nothing(void)
{
    for (guint t = 0; t < G_N_ELEMENTS(tables); t++) {
        g_auto(PmRun) run;
        answer(&run, "C.UTF-8", tables[t].command, tables[t].options);
        hostile_assert_none(tables[t].command, run.out);
        g_autoptr(GPtrArray) rows = hostile_read_csv(run.out);
        g_auto(GStrv) text_titles = g_strsplit(tables[t].texts, " ", -1);
        char **titles = rows->pdata[0];
        for (guint i = 1; i < rows->len; i++) {
            char **row = rows->pdata[i];
            g_assert_cmpuint(g_strv_length(row), ==, g_strv_length(titles));
            for (guint c = 0; row[c]; c++) {
                char *end = row[c];
                if (g_strv_contains((const char *const *)text_titles, titles[c])) {
                    if (hostile_is_formula(row[c]))
                        g_error("%s %s: %s is \"%s\"", tables[t].command, tables[t].options,
                                titles[c], row[c]);
                } else if (g_str_has_suffix(titles[c], "_ns") && *row[c]) {
                    g_ascii_strtod(row[c], &end);
                    g_assert_cmpstr(end, ==, "");
                }
            }
        }
    }
}

static char *without_guards(const char *field)
{
    GString *out = g_string_new(NULL);
    gboolean begins = TRUE;

    /* As docs/guide/terminal.md says: of the apostrophes before a sign the first was put there. */
    for (const char *p = field; *p; p++) {
        if (begins && *p == '\'') {
            const char *q = p;
            while (*q && (*q == '\'' || *q == ' ' || *q == '"'))
                q++;
            gunichar c = g_utf8_get_char(q);
            begins = FALSE;
            if (c && (strchr("=+-@", c < 0x80 ? (int)c : 'x') || c >= 0xff00))
                continue;
        }
        begins = *p == ';' || *p == '\n' ? TRUE : begins && FALSE;
        g_string_append_c(out, *p);
    }
    return g_string_free(out, FALSE);
}

/* Whoever reads the table with a program gets the names back: one rule undoes what was done. */
static void csv_can_be_undone(void)
{
    static const char *const whole[] = {"=1+1",    "+1+1", "-1+1",   "@SUM(A1)", "'=1+1",
                                        "=1,\"=2", "-",    "x;=1+1", "x\n=1+1",  NULL};
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(PmRun) run;

    answer(&run, "C.UTF-8", "export", "--to=csv --idle");
    g_autoptr(GPtrArray) rows = hostile_read_csv(run.out);
    for (guint i = 1; i < rows->len; i++)
        g_hash_table_add(seen, without_guards(((char **)rows->pdata[i])[2]));
    for (guint i = 0; whole[i]; i++)
        if (!g_hash_table_contains(seen, whole[i]))
            g_error("no thread \"%s\"", whole[i]);
}

/* Our own numbers are no text, whatever their sign. */
static void negative_numbers_stay_numbers(void)
{
    g_auto(PmRun) run;
    g_autofree char *other = g_build_filename(folder, "quiet.park", NULL);
    g_autofree char *quoted = g_shell_quote(recording);
    struct syn *s = syn_new();
    gboolean found = FALSE;

    syn_wait(s, syn_thread(s, names->pdata[0]), syn_blocker(s, syn_class(s, "Lock"), 1), 0, SYN_MS);
    syn_finish_file(s, SYN_S, other);
    syn_free(s);
    pm_run(&run, "C.UTF-8", "diff %s %s --by=thread --format=csv", quoted, other);
    g_assert_cmpint(run.status, ==, 0);
    g_autoptr(GPtrArray) rows = hostile_read_csv(run.out);
    for (guint i = 1; i < rows->len; i++) {
        char **row = rows->pdata[i], *end;
        g_ascii_strtod(row[5], &end);
        g_assert_cmpstr(end, ==, "");
        found |= row[5][0] == '-';
    }
    g_assert_true(found);
    g_remove(other);
}

/* ---- JSON ---- */

static const struct {
    const char *command, *options;
} objects[] = {
    {"report", "--format=json --idle"},
    {"report", "--format=json --since-start"},
    {"report", "--format=json --pools"},
    {"tree", "--format=json --by=thread,group,class,blocker,chain,site"},
    {"now", "--format=json --idle"},
    {"findings", "--format=json"},
    {"whatif", "--format=json"},
    {"diff", "--format=json --by=thread,class,site"},
    {"info", "--format=json"},
    {"verify", "--format=json"},
    {"export", "--to=json --idle"},
    {"export", "--to=chrome-trace --idle"},
};

static void json_is_harmless(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(objects); i++) {
        g_auto(PmRun) run;
        g_autofree char *what = g_strdup_printf("%s %s", objects[i].command, objects[i].options);
        g_autoptr(GError) error = NULL;
        answer(&run, "C.UTF-8", objects[i].command, objects[i].options);
        hostile_assert_none(what, run.out);
        g_autoptr(JsonNode) node = json_from_string(run.out, &error);
        g_assert_no_error(error);
        g_assert_true(JSON_NODE_HOLDS_OBJECT(node));
    }
}

static void json_says_what_was_recorded(void)
{
    g_autoptr(GHashTable) threads = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) classes = g_hash_table_new(g_str_hash, g_str_equal);
    g_auto(PmRun) run;

    answer(&run, "C.UTF-8", "export", "--to=json --idle");
    g_autoptr(JsonNode) node = json_from_string(run.out, NULL);
    JsonArray *waits = json_object_get_array_member(json_node_get_object(node), "waits");
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        g_hash_table_add(threads, (gpointer)json_object_get_string_member(wait, "thread"));
        g_hash_table_add(classes, (gpointer)json_object_get_string_member(wait, "class"));
    }
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *class_name = g_strconcat(name, ".", name, NULL);
        if (!g_utf8_validate(name, -1, NULL))
            continue;
        g_assert_true(g_hash_table_contains(threads, name));
        g_assert_true(g_hash_table_contains(classes, i % 2 ? name : class_name));
    }
}

/* ---- complaints ---- */

static void complaints_cannot_drive_the_terminal(void)
{
    static const char *const lines[] = {
        "report '%s'",
        "report '%s.park' --from=1",
        "verify '%s'",
        "'%s'",
        "report --'%s'",
        "report a --format='%s'",
        "tree a --by='%s'",
        "export a --to='%s'",
        "run '%s'",
        "help '%s'",
        "2147483647 dump maxage='%s'",
        "2147483647 set '%s'",
        "diff '%s' '%s'",
        "report a --categories='%s'",
        "2147483647 attach '%s'",
    };
    static const char evil[] = "e\033[31m\xc2\x9b"
                               "1m\xe2\x80\xae\x9b\nx";

    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_auto(GStrv) parts = g_strsplit(lines[i], "%s", -1);
        g_autofree char *line = g_strjoinv(evil, parts);
        g_auto(PmRun) run;
        pm_run(&run, "C.UTF-8", "%s", line);
        g_assert_cmpint(run.status, >, 0);
        hostile_assert_none(lines[i], run.err);
        hostile_assert_none(lines[i], run.out);
        /* One line, so that nobody can add another. */
        g_assert_true(strchr(run.err, '\n') == run.err + strlen(run.err) - 1);
        g_auto(PmRun) ascii;
        pm_run(&ascii, "C", "%s", line);
        if (!g_str_is_ascii(ascii.err))
            g_error("%s: %s", lines[i], ascii.err);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("output-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", folder, TRUE);
    recording = g_build_filename(folder,
                                 "=\033[31m\xc2\x9b"
                                 "1m\xe2\x80\xae\n'$(x)`y`.park",
                                 NULL);
    names = g_ptr_array_new();
    take(hostile_formulas);
    take(hostile_marks);
    take(hostile_bytes);
    write_recording(recording);
    g_test_add_func("/attacks/output/text-cannot-drive-the-terminal",
                    text_cannot_drive_the_terminal);
    g_test_add_func("/attacks/output/colours-are-ours-alone", colours_are_ours_alone);
    g_test_add_func("/attacks/output/full-rows-cannot-drive-the-terminal",
                    full_rows_cannot_drive_the_terminal);
    g_test_add_func("/attacks/output/folded-lines-stay-lines", folded_lines_stay_lines);
    g_test_add_func("/attacks/output/csv-computes-nothing", csv_computes_nothing);
    g_test_add_func("/attacks/output/csv-can-be-undone", csv_can_be_undone);
    g_test_add_func("/attacks/output/negative-numbers-stay-numbers", negative_numbers_stay_numbers);
    g_test_add_func("/attacks/output/json-is-harmless", json_is_harmless);
    g_test_add_func("/attacks/output/json-says-what-was-recorded", json_says_what_was_recorded);
    g_test_add_func("/attacks/output/complaints-cannot-drive-the-terminal",
                    complaints_cannot_drive_the_terminal);
    int status = g_test_run();
    g_remove(recording);
    g_rmdir(folder);
    g_ptr_array_unref(names);
    g_free(recording);
    g_free(folder);
    return status;
}
