/* parkctl on recordings: the keys and types of its JSON, sums that agree, CSV, damage, filters. */
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "example.h"
#include "parkctl.h"
#include "viewer/analysis/aggregation/aspect.h"
#include "tests/folder.h"

static char *folder;

static char *path_of(const char *name)
{
    return g_strdup_printf("%s/%s.park", folder, name);
}

static void answers(PmRun *ret_run, const char *line)
{
    pm_run(ret_run, "C.UTF-8", "%s", line);
    if (ret_run->status != 0)
        g_error("parkctl %s: exit status %d\n%s", line, ret_run->status, ret_run->err);
    g_assert_cmpstr(ret_run->err, ==, "");
}

/* `format` has one %s for the file's path. */
static JsonNode *json_of(const char *command, const char *example, const char *options)
{
    g_autofree char *path = path_of(example);
    g_autofree char *line = g_strdup_printf("%s %s %s --format=json", command, path, options);
    g_auto(PmRun) run;
    g_autoptr(GError) error = NULL;

    answers(&run, line);
    JsonNode *node = json_from_string(run.out, &error);
    g_assert_no_error(error);
    return node;
}

/* What a key must hold: i integer, d number, s string, b boolean, a array of strings, o object, l
 * list of anything; a capital letter: or null. */
static gboolean is_type(JsonNode *node, char type)
{
    GType value = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_INVALID;

    if (g_ascii_isupper(type) && JSON_NODE_HOLDS_NULL(node))
        return TRUE;
    switch (g_ascii_tolower(type)) {
    case 'i':
        return value == G_TYPE_INT64;
    case 'd':
        return value == G_TYPE_INT64 || value == G_TYPE_DOUBLE;
    case 's':
        return value == G_TYPE_STRING;
    case 'b':
        return value == G_TYPE_BOOLEAN;
    case 'o':
        return JSON_NODE_HOLDS_OBJECT(node);
    case 'l':
        return JSON_NODE_HOLDS_ARRAY(node);
    case 'a':
        if (!JSON_NODE_HOLDS_ARRAY(node))
            return FALSE;
        for (guint i = 0; i < json_array_get_length(json_node_get_array(node)); i++) {
            JsonNode *element = json_array_get_element(json_node_get_array(node), i);
            if (json_node_get_value_type(element) != G_TYPE_STRING)
                return FALSE;
        }
        return TRUE;
    default:
        g_assert_not_reached();
    }
}

/* `keys`: "name:type name:type …" */
static void has_keys(JsonObject *object, const char *keys)
{
    g_auto(GStrv) all = g_strsplit(keys, " ", -1);

    for (guint i = 0; all[i]; i++) {
        g_auto(GStrv) key = g_strsplit(all[i], ":", 2);
        JsonNode *node = json_object_get_member(object, key[0]);
        if (!node)
            g_error("no key \"%s\"", key[0]);
        if (!is_type(node, key[1][0]))
            g_error("\"%s\" is no %s", key[0], key[1]);
    }
}

#define RECORDING_KEYS                                                                             \
    "file:s pid:i jvm:s main:s begin:s duration_ns:i recorded_ns:i scope:s waits:i not_stored:o "  \
    "dropped:i gaps:i chunks:i damaged_blocks:i"
#define BLOCKER_KEYS                                                                               \
    "id:i class:s hash:s label:s parent:I kind:s category:s times_parked:i parked_now:i "          \
    "peak_parked:i thread_time_ns:i real_time_ns:i avg_park_ns:I avg_hold_ns:I measured_hold:O "   \
    "longest_ns:i p99_ns:I real_time_util:D thread_time_util:D real_life_time_util:D "             \
    "thread_life_time_util:D first_thread:S first_chain:a owner:S alive:b quality:s"

static void report_has_its_keys(void)
{
    static const char *const options[] = {"", "--since-start", "--idle", "--limit=1",
                                          "--kind=park --from=+1s"};
    static const char *const examples[] = {"pattern", "orders", "deadlock", "quiet"};

    for (guint e = 0; e < G_N_ELEMENTS(examples); e++) {
        for (guint o = 0; o < G_N_ELEMENTS(options); o++) {
            g_autoptr(JsonNode) node = json_of("report", examples[e], options[o]);
            JsonObject *root = json_node_get_object(node);
            has_keys(root, "schema:i recording:o blockers:l");
            g_assert_cmpint(json_object_get_int_member(root, "schema"), ==, 1);
            JsonObject *recording = json_object_get_object_member(root, "recording");
            has_keys(recording, RECORDING_KEYS);
            has_keys(json_object_get_object_member(recording, "not_stored"),
                     "count:i thread_time_ns:i");
            g_assert_cmpstr(json_object_get_string_member(recording, "scope"), ==,
                            strstr(options[o], "since") ? "start" : "window");
            JsonArray *blockers = json_object_get_array_member(root, "blockers");
            for (guint i = 0; i < json_array_get_length(blockers); i++)
                has_keys(json_array_get_object_element(blockers, i), BLOCKER_KEYS);
        }
    }
}

static gint64 walk_tree(JsonArray *nodes, guint depth)
{
    gint64 sum = 0;

    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        has_keys(node, "aspect:s key:s count:i thread_time_ns:i longest_ns:i share:d "
                       "inferred_share:d children:l");
        JsonArray *children = json_object_get_array_member(node, "children");
        gint64 own = json_object_get_int_member(node, "thread_time_ns");
        if (depth > 1)
            g_assert_cmpint(walk_tree(children, depth - 1), ==, own);
        else
            g_assert_cmpuint(json_array_get_length(children), ==, 0);
        sum += own;
    }
    return sum;
}

static void sums_of_the_tree_are_the_reports(void)
{
    static const struct {
        const char *by;
        guint depth;
    } trees[] = {{"class,blocker,chain", 3},
                 {"kind", 1},
                 {"group,thread", 2},
                 {"site,category,class,waker", 4}};
    static const char *const filters[] = {"", "--idle", "--limit=1", "--kind=!park",
                                          "--from=+200ms --to=-1s"};
    static const char *const examples[] = {"pattern", "orders", "deadlock", "quiet"};

    for (guint e = 0; e < G_N_ELEMENTS(examples); e++) {
        for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
            /* --limit cuts the report's rows; the tree's "more" keeps the sum. */
            g_autoptr(JsonNode) report =
                json_of("report", examples[e], strstr(filters[f], "limit") ? "" : filters[f]);
            JsonArray *blockers =
                json_object_get_array_member(json_node_get_object(report), "blockers");
            gint64 total = 0;
            for (guint i = 0; i < json_array_get_length(blockers); i++)
                total += json_object_get_int_member(json_array_get_object_element(blockers, i),
                                                    "thread_time_ns");
            for (guint t = 0; t < G_N_ELEMENTS(trees); t++) {
                g_autofree char *options = g_strdup_printf("--by=%s %s", trees[t].by, filters[f]);
                g_autoptr(JsonNode) node = json_of("tree", examples[e], options);
                JsonObject *root = json_node_get_object(node);
                has_keys(root, "schema:i by:a nodes:l");
                gboolean cut = strstr(filters[f], "limit") != NULL;
                JsonArray *nodes = json_object_get_array_member(root, "nodes");
                if (!cut) {
                    g_assert_cmpint(walk_tree(nodes, trees[t].depth), ==, total);
                } else {
                    gint64 sum = 0;
                    for (guint i = 0; i < json_array_get_length(nodes); i++)
                        sum += json_object_get_int_member(json_array_get_object_element(nodes, i),
                                                          "thread_time_ns");
                    g_assert_cmpint(sum, ==, total);
                }
            }
        }
    }
}

static gint64 first_time(const char *example, const char *by, const char *limit)
{
    g_autofree char *options = g_strdup_printf("--by=%s %s", by, limit);
    g_autoptr(JsonNode) node = json_of("tree", example, options);
    JsonArray *nodes = json_object_get_array_member(json_node_get_object(node), "nodes");
    gint64 most = 0;
    for (guint i = 0; i < json_array_get_length(nodes) && (i == 0 || !*limit); i++)
        most = MAX(most, json_object_get_int_member(json_array_get_object_element(nodes, i),
                                                    "thread_time_ns"));
    return most;
}

/* Rows such as "(no owner)" are last, but within the limit if they have most of the time. */
static void limit_keeps_the_greatest_rows(void)
{
    static const char *const examples[] = {"pattern", "orders", "deadlock"};
    static const char *const aspects[] = {"owner", "waker", "cause", "blocker"};
    for (guint e = 0; e < G_N_ELEMENTS(examples); e++)
        for (guint a = 0; a < G_N_ELEMENTS(aspects); a++)
            g_assert_cmpint(first_time(examples[e], aspects[a], "--limit=1"), ==,
                            first_time(examples[e], aspects[a], ""));
}

static void now_has_its_keys(void)
{
    static const struct {
        const char *example, *options;
        guint n;
    } cases[] = {{"deadlock", "", 6},
                 {"deadlock", "--idle", 7},
                 {"pattern", "", 2},
                 {"deadlock", "--limit=2", 2},
                 {"deadlock", "--at=+2s", 2},
                 {"quiet", "", 0},
                 {"deadlock", "--thread=victim", 1}};

    for (guint c = 0; c < G_N_ELEMENTS(cases); c++) {
        g_autoptr(JsonNode) node = json_of("now", cases[c].example, cases[c].options);
        JsonObject *root = json_node_get_object(node);
        gint64 before = G_MAXINT64;
        has_keys(root, "schema:i at_ns:i waits:l");
        JsonArray *waits = json_object_get_array_member(root, "waits");
        if (json_array_get_length(waits) != cases[c].n)
            g_error("now %s %s: %u waits", cases[c].example, cases[c].options,
                    json_array_get_length(waits));
        for (guint i = 0; i < cases[c].n; i++) {
            JsonObject *wait = json_array_get_object_element(waits, i);
            has_keys(wait,
                     "thread:s group:s kind:s category:s class:s hash:s age_ns:i timed:b "
                     "code:s owner_code:S owner:S owner_state:S owner_chain:A chain:a cycle:I");
            gint64 age = json_object_get_int_member(wait, "age_ns");
            if (strcmp(json_object_get_string_member(wait, "thread"), "victim") == 0) {
                g_assert_cmpstr(json_object_get_string_member(wait, "owner"), ==, "holder");
                g_assert_cmpstr(json_object_get_string_member(wait, "owner_state"), ==, "running");
                g_assert_cmpstr(json_array_get_string_element(
                                    json_object_get_array_member(wait, "owner_chain"), 0),
                                ==, "java.lang.Thread.sleep(native)");
            }
            g_assert_cmpint(age, >=, 0);
            g_assert_cmpint(age, <=, before);
            before = age;
        }
    }
}

static void findings_have_their_keys(void)
{
    g_autoptr(JsonNode) node = json_of("findings", "deadlock", "");
    JsonObject *root = json_node_get_object(node);
    JsonArray *findings = json_object_get_array_member(root, "findings");

    has_keys(root, "schema:i findings:l");
    g_assert_cmpuint(json_array_get_length(findings), >, 0);
    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *finding = json_array_get_object_element(findings, i);
        has_keys(finding,
                 "rule:s severity:s title:s busy_share:D thread_time_ns:i blockers:l "
                 "causes:l victims:l evidence:l what_if:l try:S command:S from_ns:i to_ns:i");
        JsonArray *evidence = json_object_get_array_member(finding, "evidence");
        for (guint k = 0; k < json_array_get_length(evidence); k++)
            has_keys(json_array_get_object_element(evidence, k), "text:s exact:b model:b");
    }
    JsonObject *first = json_array_get_object_element(findings, 0);
    g_assert_cmpstr(json_object_get_string_member(first, "severity"), ==, "stuck");
    g_assert_cmpstr(json_object_get_string_member(first, "rule"), ==, "deadlock");
}

static void pools_have_their_keys(void)
{
    static const char *const examples[] = {"pattern", "orders", "deadlock", "quiet"};

    for (guint e = 0; e < G_N_ELEMENTS(examples); e++) {
        g_autoptr(JsonNode) node = json_of("report", examples[e], "--pools");
        JsonObject *root = json_node_get_object(node);
        JsonArray *pools = json_object_get_array_member(root, "pools");
        has_keys(root, "schema:i recording:o pools:l");
        g_assert_cmpuint(json_array_get_length(pools), ==, e < 3 ? 1 : 0);
        for (guint i = 0; i < json_array_get_length(pools); i++) {
            JsonObject *pool = json_array_get_object_element(pools, i);
            has_keys(pool, "group:s threads:i size:i idle_now:i least_idle:i none_idle_share:d "
                           "none_idle_ns:i alive_ns:i life_ns:i idle_ns:i waiting_ns:o");
            has_keys(json_object_get_object_member(pool, "waiting_ns"),
                     "lock:i resource:i signal:i join:i other:i");
            g_assert_cmpstr(json_object_get_string_member(pool, "group"), ==, "pool-1-thread-*");
            g_assert_cmpint(json_object_get_int_member(pool, "size"), ==, 1);
            g_assert_cmpint(json_object_get_int_member(pool, "idle_now"), ==, 1);
        }
    }
}

static gboolean has_category(const char *options, const char *category)
{
    g_autoptr(JsonNode) node = json_of("report", "pattern", options);
    JsonArray *blockers = json_object_get_array_member(json_node_get_object(node), "blockers");
    gboolean found = FALSE;

    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *blocker = json_array_get_object_element(blockers, i);
        found |= g_strcmp0(json_object_get_string_member(blocker, "category"), category) == 0;
    }
    return found;
}

/* From --categories, or from the file that is always read. */
static void a_users_categories_are_used(void)
{
    g_autofree char *rules = g_build_filename(folder, "mine", NULL);
    g_autofree char *option = g_strdup_printf("--categories=%s", rules);
    g_autofree char *own = g_build_filename(folder, "parkmeter", NULL);
    g_autofree char *usual = g_build_filename(own, "categories", NULL);
    g_autofree char *path = path_of("pattern");

    g_assert_true(
        g_file_set_contents(rules, "* demo.LargeCriticalSection.third resource\n", -1, NULL));
    g_assert_false(has_category("", "resource"));
    g_assert_true(has_category(option, "resource"));
    g_assert_true(has_category(option, "lock"));
    g_assert_cmpint(g_mkdir(own, 0700), ==, 0);
    g_assert_true(g_file_set_contents(usual, "* demo.LargeCriticalSection.* barrier\n", -1, NULL));
    g_assert_true(has_category("", "barrier"));
    g_assert_false(has_category(option, "barrier"));

    g_auto(PmRun) run;
    g_assert_true(g_file_set_contents(usual, "* demo.LargeCriticalSection.* bariier\n", -1, NULL));
    pm_run(&run, "C", "report %s", path);
    g_assert_cmpint(run.status, ==, 1);
    g_assert_cmpstr(run.out, ==, "");
    g_assert_nonnull(strstr(run.err, "parkmeter/categories:1: unknown category \"bariier\""));
    g_remove(usual);
    g_rmdir(own);
}

/* What the model says stands in words and in numbers, and says that it is a model. */
static void findings_of_locks_say_what_if(void)
{
    g_autofree char *path = path_of("pattern");
    g_autofree char *line = g_strdup_printf("findings %s", path);
    g_autoptr(JsonNode) node = json_of("findings", "pattern", "");
    JsonArray *findings = json_object_get_array_member(json_node_get_object(node), "findings");
    JsonObject *first = json_array_get_object_element(findings, 0);
    JsonArray *what_ifs = json_object_get_array_member(first, "what_if");
    static const double factors[] = {0.5, 0.25};
    g_auto(PmRun) run;

    g_assert_cmpuint(json_array_get_length(what_ifs), ==, G_N_ELEMENTS(factors));
    for (guint i = 0; i < G_N_ELEMENTS(factors); i++) {
        JsonObject *what = json_array_get_object_element(what_ifs, i);
        has_keys(what, "factor:d hold_ns:i waiting_ns:i waiting_then_ns:i speed_up:d "
                       "model_quality:d");
        g_assert_cmpfloat(json_object_get_double_member(what, "factor"), ==, factors[i]);
        g_assert_cmpint(json_object_get_int_member(what, "waiting_then_ns"), <,
                        json_object_get_int_member(what, "waiting_ns"));
    }
    answers(&run, line);
    const char *said = strstr(run.out, "   If       held half as long: waiting ");
    g_assert_nonnull(said);
    g_assert_nonnull(strstr(said, "(model)"));
    g_assert_null(strstr(run.out, "~held"));
}

/* Every command that a finding names is one that parkctl takes, and prints what the finding is
 * about: in the same span, of the same file. `n`: how many, added. */
static void see(const char *example, const char *options, guint *n)
{
    g_autoptr(JsonNode) node = json_of("findings", example, options);
    JsonArray *findings = json_object_get_array_member(json_node_get_object(node), "findings");
    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *finding = json_array_get_object_element(findings, i);
        const char *command = json_object_get_string_member_with_default(finding, "command", NULL);
        g_auto(PmRun) run = {0, NULL, NULL};
        if (!command)
            continue;
        (*n)++;
        g_assert_true(g_str_has_prefix(command, "parkctl "));
        answers(&run, command + strlen("parkctl "));
        g_assert_null(strstr(run.out, "No wait matches"));
        g_assert_null(strstr(run.out, "No thread waits"));
        g_auto(GStrv) words = g_strsplit(options, " ", -1);
        for (guint k = 0; words[k]; k++)
            g_assert_nonnull(strstr(command, words[k]));
    }
}

static void commands_of_findings_work(void)
{
    static const char *const examples[] = {"deadlock", "orders", "pattern", "quiet"};
    static const char *const spans[] = {"", "--from=+1s", "--to=+5s", "--from=+0.2s --to=-1s"};
    guint n = 0;

    for (guint e = 0; e < G_N_ELEMENTS(examples); e++)
        for (guint k = 0; k < G_N_ELEMENTS(spans); k++)
            see(examples[e], spans[k], &n);
    g_assert_cmpuint(n, >=, 8);
}

static void verify_and_info_have_their_keys(void)
{
    static const char *const examples[] = {"pattern", "orders", "deadlock", "quiet"};

    for (guint e = 0; e < G_N_ELEMENTS(examples); e++) {
        g_autoptr(JsonNode) verify = json_of("verify", examples[e], "");
        g_autoptr(JsonNode) info = json_of("info", examples[e], "");
        JsonObject *root = json_node_get_object(verify);
        has_keys(root, "schema:i ok:b chunks:i waits:i stored_bytes:i damaged_blocks:i "
                       "lost_bytes:i first_ns:i last_ns:i");
        g_assert_true(json_object_get_boolean_member(root, "ok"));
        has_keys(json_node_get_object(info), "schema:i recording:o");
        has_keys(json_object_get_object_member(json_node_get_object(info), "recording"),
                 RECORDING_KEYS);
    }
}

/* Rows of the same number of fields, the first of which is `first`. Only for answers without
 * quoted fields. */
static void csv_is_even(const char *line, const char *first, guint at_least)
{
    g_auto(PmRun) run;

    answers(&run, line);
    g_auto(GStrv) rows = g_strsplit(run.out, "\n", -1);
    guint n = g_strv_length(rows);
    g_assert_cmpstr(rows[n - 1], ==, "");
    g_assert_cmpuint(n, >=, at_least + 2);
    g_auto(GStrv) titles = g_strsplit(rows[0], ",", -1);
    g_assert_cmpstr(titles[0], ==, first);
    for (guint i = 0; i + 1 < n; i++) {
        g_auto(GStrv) fields = g_strsplit(rows[i], ",", -1);
        g_assert_cmpuint(g_strv_length(fields), ==, g_strv_length(titles));
    }
}

static void csv_has_even_rows(void)
{
    g_autofree char *path = path_of("orders");
    static const struct {
        const char *command, *options, *first;
        guint at_least;
    } cases[] = {{"report", "--format=csv", "id", 4},
                 {"report", "--format=csv --pools", "group", 1},
                 {"tree", "--format=csv --by=class,site", "class", 4},
                 {"now", "--format=csv --idle", "thread", 1},
                 {"export", "--to=csv", "begin_ns", 29}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line =
            g_strdup_printf("%s %s %s", cases[i].command, path, cases[i].options);
        csv_is_even(line, cases[i].first, cases[i].at_least);
    }
}

/* Σ of the weights; every line begins with `outermost`, when given. */
static gint64 fold_sum(const char *text, const char *outermost)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    gint64 sum = 0;

    for (guint i = 0; lines[i] && *lines[i]; i++) {
        const char *weight = strrchr(lines[i], ' ');
        g_assert_nonnull(weight);
        g_assert_true(!outermost || g_str_has_prefix(lines[i], outermost));
        sum += g_ascii_strtoll(weight + 1, NULL, 10);
    }
    return sum;
}

static void exports_are_well_formed(void)
{
    g_autofree char *path = path_of("orders");
    g_autofree char *json = g_strdup_printf("export %s --to=json", path);
    g_autofree char *trace = g_strdup_printf("export %s --to=chrome-trace", path);
    g_autofree char *collapsed = g_strdup_printf("export %s --to=collapsed", path);
    g_autoptr(JsonNode) tree = json_of("tree", "orders", "--by=class");
    gint64 total = json_object_get_int_member(json_node_get_object(tree), "thread_time_ns");
    g_auto(PmRun) a;
    g_auto(PmRun) b;
    g_auto(PmRun) c;

    answers(&a, json);
    g_autoptr(JsonNode) rows = json_from_string(a.out, NULL);
    JsonArray *waits = json_object_get_array_member(json_node_get_object(rows), "waits");
    g_assert_cmpuint(json_array_get_length(waits), ==, 29);
    for (guint i = 0; i < json_array_get_length(waits); i++)
        has_keys(
            json_array_get_object_element(waits, i),
            "begin_ns:i duration_ns:i thread:s tid:i group:s kind:s category:s class:s "
            "hash:S id:i label:s owner:S waker:S timed:b in_progress:b begin_known:b wake_cause:S "
            "wake_ns:I chain:a waker_chain:L");
    answers(&b, trace);
    g_autoptr(JsonNode) events = json_from_string(b.out, NULL);
    JsonArray *list = json_object_get_array_member(json_node_get_object(events), "traceEvents");
    for (guint i = 0; i < json_array_get_length(list); i++)
        has_keys(json_array_get_object_element(list, i), "ph:s pid:i name:s args:o");
    answers(&c, collapsed);
    g_assert_cmpint(fold_sum(c.out, NULL), ==, total);
}

static void stacks_are_made_of_any_aspects(void)
{
    g_autofree char *path = path_of("orders");
    g_autoptr(JsonNode) tree = json_of("tree", "orders", "--by=group");
    JsonObject *root = json_node_get_object(tree);
    JsonObject *first =
        json_array_get_object_element(json_object_get_array_member(root, "nodes"), 0);
    const char *group = json_object_get_string_member(first, "key");
    gint64 total = json_object_get_int_member(root, "thread_time_ns");
    static const char *const by[] = {"group,chain,class", "cause-chain", "owner-chain,chain",
                                     "waker-site,blocker", "kind"};

    for (guint i = 0; i < G_N_ELEMENTS(by); i++) {
        g_autofree char *line = g_strdup_printf("export %s --to=collapsed --by=%s", path, by[i]);
        g_auto(PmRun) run;
        answers(&run, line);
        g_assert_cmpint(fold_sum(run.out, NULL), ==, total);
    }
    g_autofree char *line =
        g_strdup_printf("export %s --to=collapsed --by=group,chain --group=%s", path, group);
    g_autofree char *begin = g_strdup_printf("%s;", group);
    g_auto(PmRun) run;
    answers(&run, line);
    g_assert_cmpint(fold_sum(run.out, begin), ==,
                    json_object_get_int_member(first, "thread_time_ns"));
    /* The chain is frames, not one long name. */
    g_assert_null(strstr(run.out, " < "));
    g_assert_nonnull(strstr(run.out, ";java.util.concurrent.locks.LockSupport.park"));
}

/* --ASPECT=KEY keeps what the tree says of that key, and no other key of an aspect that gives each
 * wait one. */
static void every_aspect_filters(void)
{
    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        const char *name = pm_aspect_name(aspect);
        g_autofree char *by = g_strdup_printf("--idle --by=%s", name);
        g_autoptr(JsonNode) all = json_of("tree", "orders", by);
        JsonArray *nodes = json_object_get_array_member(json_node_get_object(all), "nodes");
        for (guint i = 0; i < json_array_get_length(nodes); i++) {
            JsonObject *node = json_array_get_object_element(nodes, i);
            g_autofree char *key = g_shell_quote(json_object_get_string_member(node, "key"));
            g_autofree char *only = g_strdup_printf("%s --%s=%s", by, name, key);
            g_autoptr(JsonNode) one = json_of("tree", "orders", only);
            JsonArray *left = json_object_get_array_member(json_node_get_object(one), "nodes");
            gboolean found = FALSE;
            for (guint k = 0; k < json_array_get_length(left); k++) {
                JsonObject *kept = json_array_get_object_element(left, k);
                gboolean same = strcmp(json_object_get_string_member(kept, "key"),
                                       json_object_get_string_member(node, "key")) == 0;
                g_assert_true(same || pm_aspect_is_split(aspect));
                found |= same && json_object_get_int_member(kept, "thread_time_ns") ==
                                     json_object_get_int_member(node, "thread_time_ns");
            }
            g_assert_true(found);
        }
    }
}

/* Two wakers of one name are two rows, told apart by what filters them. */
static void rows_that_read_alike_have_numbers(void)
{
    g_autofree char *path = path_of("orders");
    g_autofree char *line = g_strdup_printf("tree %s --by=waker --idle", path);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_auto(PmRun) run;
    answers(&run, line);
    g_assert_nonnull(strstr(run.out, "# tells rows apart"));
    g_auto(GStrv) rows = g_strsplit(run.out, "\n", -1);
    for (guint i = 0; rows[i]; i++) {
        const char *mark = strstr(rows[i], " #");
        if (!mark || !g_ascii_isdigit(mark[2]))
            continue;
        g_assert_true(g_hash_table_add(seen, (char *)mark + 1));
        g_autofree char *only = g_strdup_printf("--by=waker --idle --waker='%s'", mark + 1);
        g_autoptr(JsonNode) one = json_of("tree", "orders", only);
        JsonArray *nodes = json_object_get_array_member(json_node_get_object(one), "nodes");
        g_assert_cmpuint(json_array_get_length(nodes), ==, 1);
    }
    g_assert_cmpuint(g_hash_table_size(seen), ==, 2);
}

static void accounts_are_given_and_said(void)
{
    g_autoptr(JsonNode) derived = json_of("tree", "orders", "--by=account");
    JsonObject *said = json_object_get_object_member(json_node_get_object(derived), "accounts");
    g_assert_cmpstr(json_object_get_string_member(said, "source"), ==, "derived");
    g_autoptr(JsonNode) given =
        json_of("tree", "orders", "--by=account --accounts='shop=com.acme.*' --account=shop");
    said = json_object_get_object_member(json_node_get_object(given), "accounts");
    g_assert_cmpstr(json_object_get_string_member(said, "source"), ==, "given");
    JsonArray *nodes = json_object_get_array_member(json_node_get_object(given), "nodes");
    g_assert_cmpuint(json_array_get_length(nodes), ==, 1);
    g_assert_cmpstr(json_object_get_string_member(json_array_get_object_element(nodes, 0), "key"),
                    ==, "shop");
    g_autofree char *path = path_of("orders");
    g_autofree char *line = g_strdup_printf("tree %s --by=principal,account", path);
    g_auto(PmRun) run;
    answers(&run, line);
    g_assert_nonnull(strstr(run.out, "accounts derived from the packages seen: "));
    g_autofree char *both = g_strdup_printf("diff %s %s --by=account", path, path);
    g_auto(PmRun) diff;
    answers(&diff, both);
    const char *said_first = strstr(diff.out, "accounts derived");
    g_assert_nonnull(said_first);
    g_assert_nonnull(strstr(said_first + 1, "accounts derived"));
    g_assert_nonnull(strstr(run.out, "--accounts="));
}

/* Whatever is cut off: an answer with what is there, or one clear line; never a crash. */
static void torn_recordings_are_read_or_refused(void)
{
    g_autofree char *path = path_of("orders");
    g_autofree char *torn = g_build_filename(folder, "torn.park", NULL);
    g_autofree char *bytes = NULL;
    gsize size;
    guint read = 0, refused = 0;

    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    for (gsize cut = 1; cut < size; cut += size / 23) {
        g_auto(PmRun) run;
        g_assert_true(g_file_set_contents(torn, bytes, (gssize)cut, NULL));
        pm_run(&run, "C", "report %s", torn);
        if (run.status == 0) {
            read++;
            g_assert_cmpstr(run.err, ==, "");
        } else {
            refused++;
            g_assert_cmpint(run.status, ==, 1);
            g_assert_nonnull(strstr(run.err, "torn.park"));
        }
    }
    g_assert_cmpuint(read, >, 0);
    g_assert_cmpuint(refused, >, 0);
}

static void a_damaged_block_is_named_and_left_out(void)
{
    g_autofree char *path = path_of("orders");
    g_autofree char *damaged = g_build_filename(folder, "damaged.park", NULL);
    g_autofree char *bytes = NULL;
    gsize size;
    guint found = 0;

    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    for (gsize at = size / 5; at < size; at += size / 11) {
        g_auto(PmRun) verify;
        g_auto(PmRun) report;
        bytes[at] ^= 0x40;
        g_assert_true(g_file_set_contents(damaged, bytes, (gssize)size, NULL));
        bytes[at] ^= 0x40;
        pm_run(&verify, "C", "verify %s", damaged);
        pm_run(&report, "C", "report %s", damaged);
        g_assert_cmpint(verify.status, !=, 2);
        g_assert_cmpint(verify.status, >=, 0);
        g_assert_cmpint(report.status, !=, 2);
        g_assert_cmpint(report.status, >=, 0);
        if (verify.status == 1 && strstr(verify.out, "DAMAGED"))
            found++;
    }
    g_assert_cmpuint(found, >, 0);
}

static void wrong_values_are_refused(void)
{
    static const struct {
        const char *command, *words;
        int status;
    } cases[] = {
        {"report %s --from=noon", "--from=noon", 2},
        {"report %s --from=-1s --to=-2s", "nothing is between", 2},
        {"report %s --kind=parc", "unknown kind \"parc\" (did you mean park?)", 2},
        {"report %s --category=locks", "did you mean lock?", 2},
        {"report %s --blocker=deadbeef", "no blocker \"deadbeef\"", 1},
        {"report %s --wake-cause=relaese", "did you mean release?", 2},
        {"tree %s --accounts=com/acme", "com/acme", 2},
        {"tree %s --accounts=com..acme", "\"com..acme\" is no package or class", 2},
        {"report %s --since-start --site=a.b", "--site does not apply", 2},
        {"now %s --at=+1h", "is outside", 2},
    };
    g_autofree char *path = path_of("orders");

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) halves = g_strsplit(cases[i].command, "%s", 2);
        g_autofree char *line = g_strjoin(path, halves[0], halves[1], NULL);
        g_auto(PmRun) run;
        pm_run(&run, "C", "%s", line);
        g_assert_cmpstr(run.out, ==, "");
        if (run.status != cases[i].status || !strstr(run.err, cases[i].words))
            g_error("parkctl %s: exit status %d: %s", line, run.status, run.err);
    }
}

static void an_empty_answer_names_its_filters(void)
{
    static const char *const commands[] = {"report", "tree", "now", "findings"};
    g_autofree char *path = path_of("orders");

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_auto(PmRun) one;
        g_auto(PmRun) two;
        pm_run(&one, "C", "%s %s --thread=nobody", commands[i], path);
        g_assert_cmpint(one.status, ==, 0);
        g_assert_nonnull(strstr(one.out, "No wait matches. 1 filter is set; without it 29 waits."));
        pm_run(&two, "C", "%s %s --thread=nobody --from=+9s", commands[i], path);
        g_assert_nonnull(strstr(two.out, "1 filter and a range are set; without them 29 waits."));
    }
}

static void bars_need_utf8(void)
{
    g_autofree char *path = path_of("orders");
    g_auto(PmRun) plain;
    g_auto(PmRun) utf8;

    pm_run(&plain, "C", "tree %s", path);
    g_assert_true(g_str_is_ascii(plain.out));
    g_assert_nonnull(strstr(plain.out, "########"));
    /* Not a terminal: never coloured. */
    pm_run(&utf8, "C.UTF-8", "tree %s", path);
    g_assert_null(strchr(utf8.out, '\033'));
    g_assert_true(g_utf8_validate(utf8.out, -1, NULL));
}

/* "-": through a pipe, and from a file in the place of one. */
static void standard_input_is_read(void)
{
    static const char *const commands[] = {"report", "verify", "info", "now"};
    g_autofree char *path = path_of("orders");

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_auto(PmRun) named;
        pm_run(&named, "C", "%s %s", commands[i], path);
        for (guint piped = 0; piped < 2; piped++) {
            g_autofree char *out = NULL;
            g_autofree char *line =
                g_strdup_printf(piped ? "cat %s | LC_ALL=C %s %s -" : "<%s LC_ALL=C %s %s -", path,
                                g_getenv("PM_PARKCTL"), commands[i]);
            const char *argv[] = {"/bin/sh", "-c", line, NULL};
            int status;
            g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out,
                                       NULL, &status, NULL));
            g_assert_cmpint(status, ==, 0);
            /* The first line names the file. */
            const char *rest = strchr(named.out, '\n'), *from = strchr(out, '\n');
            g_assert_nonnull(rest);
            g_assert_cmpstr(from, ==, rest);
            g_assert_true(strchr(out, '-') && strchr(out, '-') < from);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const examples[] = {"pattern", "orders", "deadlock", "quiet"};

    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("parkctl-read-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", folder, TRUE);
    for (guint i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_autofree char *path = path_of(examples[i]);
        pm_example_write(examples[i], path);
    }
    g_test_add_func("/parkctl/json/limit-keeps-the-greatest-rows", limit_keeps_the_greatest_rows);
    g_test_add_func("/parkctl/json/report-has-its-keys", report_has_its_keys);
    g_test_add_func("/parkctl/json/sums-of-the-tree-are-the-reports",
                    sums_of_the_tree_are_the_reports);
    g_test_add_func("/parkctl/json/now-has-its-keys", now_has_its_keys);
    g_test_add_func("/parkctl/json/findings-have-their-keys", findings_have_their_keys);
    g_test_add_func("/parkctl/categories/a-users-are-used", a_users_categories_are_used);
    g_test_add_func("/parkctl/json/pools-have-their-keys", pools_have_their_keys);
    g_test_add_func("/parkctl/findings/locks-say-what-if", findings_of_locks_say_what_if);
    g_test_add_func("/parkctl/findings/their-commands-work", commands_of_findings_work);
    g_test_add_func("/parkctl/json/verify-and-info-have-their-keys",
                    verify_and_info_have_their_keys);
    g_test_add_func("/parkctl/csv/rows-are-even", csv_has_even_rows);
    g_test_add_func("/parkctl/export/is-well-formed", exports_are_well_formed);
    g_test_add_func("/parkctl/export/stacks-are-made-of-any-aspects",
                    stacks_are_made_of_any_aspects);
    g_test_add_func("/parkctl/bad/torn-recordings-are-read-or-refused",
                    torn_recordings_are_read_or_refused);
    g_test_add_func("/parkctl/bad/a-damaged-block-is-named-and-left-out",
                    a_damaged_block_is_named_and_left_out);
    g_test_add_func("/parkctl/bad/wrong-values-are-refused", wrong_values_are_refused);
    g_test_add_func("/parkctl/filters/every-aspect", every_aspect_filters);
    g_test_add_func("/parkctl/text/rows-that-read-alike-have-numbers",
                    rows_that_read_alike_have_numbers);
    g_test_add_func("/parkctl/filters/accounts", accounts_are_given_and_said);
    g_test_add_func("/parkctl/text/an-empty-answer-names-its-filters",
                    an_empty_answer_names_its_filters);
    g_test_add_func("/parkctl/text/bars-need-utf8", bars_need_utf8);
    g_test_add_func("/parkctl/text/standard-input-is-read", standard_input_is_read);
    int status = g_test_run();

    pm_remove_folder(folder);
    g_free(folder);
    return status;
}
