/* Waits in progress: a deadlock, an owner that sleeps, a thread parked for ever. */
#include "tests/jvm/jvm.h"

#include <string.h>

struct question {
    int pid;
    JsonNode *node; /* the last answer */
};

static JsonArray *ask(struct question *question)
{
    g_clear_pointer(&question->node, json_node_unref);
    question->node = pm_parkctl_json("%d now", question->pid);
    return json_object_get_array_member(json_node_get_object(question->node), "waits");
}

static JsonObject *wait_of(JsonArray *waits, const char *thread)
{
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        if (g_strcmp0(pm_json_string(wait, "thread"), thread) == 0)
            return wait;
    }
    return NULL;
}

static bool in_cycle(JsonObject *wait)
{
    JsonNode *cycle = json_object_get_member(wait, "cycle");

    return cycle != NULL && !JSON_NODE_HOLDS_NULL(cycle);
}

static PmJvm *start(const char *name, const char *arguments)
{
    g_autofree char *recording = pm_jvm_path("%s-%d.park", name, g_random_int_range(0, 1 << 30));
    PmJvm *jvm = pm_jvm_record(recording, "maxsize=16m", "%s", arguments);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    return jvm;
}

/* -- a lock that its owner left locked -- */

static bool sees_left(void *context)
{
    struct question *question = context;
    JsonObject *wait = wait_of(ask(question), "reader-2");
    g_auto(PmRun) findings = {0};
    if (!wait || g_strcmp0(pm_json_string(wait, "owner_state"), "ended") != 0)
        return false;
    pm_parkctl(&findings, "%d findings", question->pid);
    return strstr(findings.out, "1  STUCK  reader-* (3)") &&
           g_regex_match_simple("ended\\s+without", findings.out, 0, 0);
}

/* It never comes back, which is known at once, not when the waits have become long. */
static void check_left(const char *how, bool attached)
{
    g_autoptr(PmJvm) jvm = NULL;
    if (attached) {
        g_autofree char *recording = pm_jvm_path("left-%d.park", g_random_int_range(0, 1 << 30));
        g_autofree char *arguments =
            g_strdup_printf("%sTroubles %s 600",
                            pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "", how);
        jvm = pm_jvm_start(NULL, arguments);
        g_free(pm_jvm_wait_line(jvm, "ready", 1));
        g_assert_true(
            pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording));
    } else {
        g_autofree char *arguments = g_strdup_printf("Troubles %s 600", how);
        jvm = start("left", arguments);
    }
    struct question question = {pm_jvm_pid(jvm), NULL};
    gint64 begin_us = g_get_monotonic_time();
    g_assert_true(pm_poll(sees_left, &question));
    g_test_message("known after %.2f s",
                   (double)(g_get_monotonic_time() - begin_us) / G_USEC_PER_SEC);
    g_clear_pointer(&question.node, json_node_unref);
}

static void test_left(void)
{
    check_left("left", false);
    if (pm_jvm_major() >= 21)
        check_left("left-virtually", false);
}

static void test_left_before_the_attach(void)
{
    check_left("left", true);
    if (pm_jvm_major() >= 21)
        check_left("left-virtually", true);
}

/* -- deadlock -- */

static bool sees_deadlock(void *context)
{
    JsonArray *waits = ask(context);
    JsonObject *first = wait_of(waits, "transfer-1");
    JsonObject *second = wait_of(waits, "transfer-2");

    return first != NULL && second != NULL && in_cycle(first) && in_cycle(second);
}

static void check_transfer(JsonArray *waits, const char *thread, const char *owner,
                           const char *site)
{
    JsonObject *wait = wait_of(waits, thread);
    g_autofree char *chain = pm_json_lines(wait, "chain");

    g_assert_cmpstr(pm_json_string(wait, "owner"), ==, owner);
    g_assert_cmpstr(pm_json_string(wait, "kind"), ==, "park");
    g_assert_cmpstr(pm_json_string(wait, "owner_state"), ==, "waiting");
    g_assert_cmpint(pm_json_int(wait, "age_ns"), >, 0);
    g_assert_nonnull(strstr(chain, site));
}

static void test_deadlock(void)
{
    g_autoptr(PmJvm) jvm = start("deadlock", "Deadlock 3");
    struct question question = {pm_jvm_pid(jvm), NULL};
    g_auto(PmRun) text = {0};
    JsonArray *waits;

    if (!pm_poll(sees_deadlock, &question))
        g_error("no deadlock seen; the last answer: %s", json_to_string(question.node, TRUE));
    waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    check_transfer(waits, "transfer-1", "transfer-2", "Deadlock.debit");
    check_transfer(waits, "transfer-2", "transfer-1", "Deadlock.credit");
    g_assert_nonnull(wait_of(waits, "reader-1"));
    g_assert_false(in_cycle(wait_of(waits, "reader-1")));
    json_node_unref(question.node);

    pm_parkctl(&text, "%d now", pm_jvm_pid(jvm));
    g_assert_cmpint(text.status, ==, 0);
    g_assert_nonnull(strstr(text.out, "DEADLOCK"));
    g_assert_nonnull(strstr(text.out, "transfer-1"));
    g_assert_nonnull(strstr(text.out, "transfer-2"));
}

/* -- an owner that sleeps -- */

static bool sees_sleeping_owner(void *context)
{
    JsonObject *wait = wait_of(ask(context), "waiter-1");

    if (wait == NULL || g_strcmp0(pm_json_string(wait, "owner"), "owner-1") != 0)
        return false;
    g_autofree char *chain = pm_json_lines(wait, "owner_chain");
    return strstr(chain, "Thread.sleep") != NULL && strstr(chain, "SleepingOwner.doze") != NULL;
}

static void test_sleeping_owner(void)
{
    g_autoptr(PmJvm) jvm = start("sleeping", "SleepingOwner 2");
    struct question question = {pm_jvm_pid(jvm), NULL};

    if (!pm_poll(sees_sleeping_owner, &question))
        g_error("the owner's chain never had its sleep; the last answer: %s",
                json_to_string(question.node, TRUE));
    json_node_unref(question.node);
}

/* -- parked for ever -- */

static bool sees_still(void *context)
{
    return wait_of(ask(context), "still-1") != NULL;
}

static void test_parked_for_ever(void)
{
    g_autoptr(PmJvm) jvm = start("still", "ParkedForever 1");
    struct question question = {pm_jvm_pid(jvm), NULL};
    g_autofree char *dump = pm_jvm_path("still-dump.park");
    g_autoptr(JsonNode) now = NULL, report = NULL;
    g_auto(PmRun) run = {0}, verify = {0};
    JsonObject *wait = NULL, *blocker = NULL;
    g_autofree char *chain = NULL, *first_chain = NULL;
    JsonArray *blockers;

    g_assert_true(pm_poll(sees_still, &question));
    json_node_unref(question.node);
    pm_parkctl(&run, "%d dump filename=%s", pm_jvm_pid(jvm), dump);
    if (run.status != 0)
        g_error("dump: %s%s", run.out, run.err);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    pm_parkctl(&verify, "verify %s", dump);
    g_assert_cmpint(verify.status, ==, 0);

    now = pm_parkctl_json("now %s", dump);
    wait = wait_of(pm_json_array(now, "waits"), "still-1");
    g_assert_nonnull(wait);
    chain = pm_json_lines(wait, "chain");
    g_assert_nonnull(strstr(chain, "ParkedForever.standStill"));
    g_assert_cmpint(pm_json_int(wait, "age_ns"), >, 0);

    report = pm_parkctl_json("report %s", dump);
    blockers = pm_json_array(report, "blockers");
    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        if (g_strcmp0(pm_json_string(row, "class"), "ParkedForever") == 0)
            blocker = row;
    }
    g_assert_nonnull(blocker);
    g_assert_cmpint(pm_json_int(blocker, "times_parked"), ==, 1);
    g_assert_cmpint(pm_json_int(blocker, "parked_now"), ==, 1);
    g_assert_cmpint(pm_json_int(blocker, "thread_time_ns"), >, 0);
    g_assert_cmpstr(pm_json_string(blocker, "first_thread"), ==, "still-1");
    first_chain = pm_json_lines(blocker, "first_chain");
    g_assert_nonnull(strstr(first_chain, "ParkedForever.standStill"));
}

/* -- monitors, before the attach -- */

static bool sees_hang(void *context)
{
    JsonArray *waits = ask(context);
    static const char *const names[] = {"booker", "auditor", "evictor", "refresher"};

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        JsonObject *wait = wait_of(waits, names[i]);
        if (wait == NULL || !in_cycle(wait))
            return false;
    }
    return wait_of(waits, "listener") != NULL && wait_of(waits, "patient") != NULL;
}

static bool sees_bell_rung(void *context)
{
    JsonArray *waits = ask(context);

    return wait_of(waits, "listener") == NULL && wait_of(waits, "patient") == NULL;
}

static void check_wait(JsonArray *waits, const char *thread, const char *kind, const char *owner,
                       const char *site)
{
    JsonObject *wait = wait_of(waits, thread);
    g_autofree char *chain = pm_json_lines(wait, "chain");

    g_assert_cmpstr(pm_json_string(wait, "kind"), ==, kind);
    g_assert_cmpstr(pm_json_string(wait, "owner"), ==, owner);
    g_assert_nonnull(strstr(chain, site));
}

static void test_monitors_before_the_attach(void)
{
    g_autofree char *recording = pm_jvm_path("hang.park"), *bell = pm_jvm_path("bell");
    g_autofree char *arguments = g_strdup_printf(
        "%sMonitorHang %s", pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "", bell);
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    struct question question = {pm_jvm_pid(jvm), NULL};
    g_auto(PmRun) findings = {0};
    JsonArray *waits;

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", question.pid, recording));
    if (!pm_poll(sees_hang, &question))
        g_error("not all who hang are seen; the last answer: %s",
                json_to_string(question.node, TRUE));
    waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    check_wait(waits, "booker", "enter", "auditor", "MonitorHang.both");
    check_wait(waits, "auditor", "enter", "booker", "MonitorHang.both");
    check_wait(waits, "evictor", "enter", "refresher", "MonitorHang.evict");
    check_wait(waits, "refresher", "park", "evictor", "MonitorHang.refresh");
    check_wait(waits, "listener", "wait", NULL, "MonitorHang.listen");
    check_wait(waits, "patient", "wait", NULL, "MonitorHang.listen");
    g_assert_true(g_file_set_contents(bell, "", 0, NULL));
    g_free(pm_jvm_wait_line(jvm, "rung", 1));
    g_assert_true(pm_poll(sees_bell_rung, &question));
    json_node_unref(question.node);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    pm_parkctl(&findings, "findings %s", recording);
    if (!g_regex_match_simple("Deadlock: (auditor and booker|booker and auditor) ", findings.out, 0,
                              0) ||
        !g_regex_match_simple("Deadlock: (evictor and refresher|refresher and evictor) ",
                              findings.out, 0, 0))
        g_error("the findings lack a deadlock: %s%s", findings.out, findings.err);
    pm_parkctl_sees(recording);
}

/* -- ends of threads -- */

static bool sees_join_deadlock(void *context)
{
    JsonArray *waits = ask(context);
    JsonObject *reader = wait_of(waits, "reader"), *stopper = wait_of(waits, "stopper");
    return reader && stopper && in_cycle(reader) && in_cycle(stopper) && wait_of(waits, "main");
}

/* Who waits for the end of a thread is behind whatever that waits for. */
static void check_join_deadlock(bool attached)
{
    g_autofree char *recording = pm_jvm_path("join-deadlock-%d.park", attached);
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=16m", recording);
    g_autofree char *java = g_strdup_printf(
        "%sJoinDeadlock", pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "");
    g_autoptr(PmJvm) jvm = pm_jvm_start(attached ? NULL : options, java);
    struct question question = {pm_jvm_pid(jvm), NULL};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    if (attached)
        g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(jvm), options));
    if (!pm_poll(sees_join_deadlock, &question))
        g_error("no deadlock seen; the last answer: %s", json_to_string(question.node, TRUE));
    JsonArray *waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    JsonObject *main = wait_of(waits, "main");
    g_assert_cmpstr(pm_json_string(wait_of(waits, "stopper"), "owner"), ==, "reader");
    g_assert_cmpstr(pm_json_string(wait_of(waits, "reader"), "owner"), ==, "stopper");
    g_assert_false(in_cycle(main));
    g_assert_null(pm_json_string(main, "owner"));
    if (!attached) /* what was met waiting tells no more than that there is a timeout */
        g_assert_false(json_object_get_boolean_member(wait_of(waits, "waiter"), "timed"));
    json_node_unref(question.node);

    g_auto(PmRun) findings = {0};
    pm_parkctl(&findings, "%d findings", pm_jvm_pid(jvm));
    if (!strstr(findings.out, " wait for each other") ||
        !strstr(findings.out, "stopper waits for the end of reader, in JoinDeadlock.stop"))
        g_error("%s%s", findings.out, findings.err);
}

static void test_join_deadlock(void)
{
    check_join_deadlock(false);
}

static void test_join_deadlock_before_the_attach(void)
{
    check_join_deadlock(true);
}

/* In a cycle, which waits are once they have lasted for a tenth of a second. */
static bool sees_boss_and_worker(void *context)
{
    JsonArray *waits = ask(context);
    return wait_of(waits, "boss") && wait_of(waits, "worker") && in_cycle(wait_of(waits, "boss"));
}

/* The thread was waited for before the JVM had told of its start. */
static void test_joined_at_once(void)
{
    g_autofree char *recording = pm_jvm_path("joined.park");
    g_autofree char *tardy = pm_jvm_path("tardy.so");
    g_autofree char *before_ours = g_strdup_printf("-agentpath:%s", tardy);

    g_assert_cmpint(symlink(g_getenv("PM_TARDY_AGENT"), tardy), ==, 0);
    g_setenv("JAVA_TOOL_OPTIONS", before_ours, TRUE);
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "JoinedAtOnce");
    g_unsetenv("JAVA_TOOL_OPTIONS");
    struct question question = {pm_jvm_pid(jvm), NULL};
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    unlink(tardy);
    if (!pm_poll(sees_boss_and_worker, &question))
        g_error("the last answer: %s", json_to_string(question.node, TRUE));
    JsonArray *waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    g_assert_cmpstr(pm_json_string(wait_of(waits, "boss"), "owner"), ==, "worker");
    json_node_unref(question.node);
}

/* -- fields -- */

static void check_nothing_said(PmJvm *jvm)
{
    g_autofree char *out = pm_jvm_stdout(jvm), *err = pm_jvm_stderr(jvm);
    g_assert_null(strstr(out, "WARNING"));
    g_assert_cmpstr(err, ==, "");
}

#define N_FIELDS 24

static bool is_of_fields(JsonObject *wait)
{
    const char *thread = pm_json_string(wait, "thread");
    return strchr(thread, '.') || g_str_has_prefix(thread, "-/");
}

/* Waits at monitors from before the recorder come with its first sweep. */
static bool sees_fields(void *context)
{
    JsonArray *waits = ask(context);
    guint n = 0;
    for (guint i = 0; i < json_array_get_length(waits); i++)
        n += is_of_fields(json_array_get_object_element(waits, i));
    return n == N_FIELDS;
}

/* Each thread of Fields is called as what it waits for is to be, up to a slash. */
static void check_fields(const char *flags, bool attached)
{
    g_autofree char *recording = pm_jvm_path("fields-%d.park", attached);
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=16m", recording);
    g_autofree char *java = g_strdup_printf("%s Fields", flags);
    g_autoptr(PmJvm) jvm = pm_jvm_start(attached ? NULL : options, java);
    struct question question = {pm_jvm_pid(jvm), NULL};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    if (attached)
        g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(jvm), options));
    if (!pm_poll(sees_fields, &question))
        g_error("not all are seen: %s", json_to_string(question.node, TRUE));
    JsonArray *waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        if (!is_of_fields(wait))
            continue;
        const char *thread = pm_json_string(wait, "thread"), *field = pm_json_string(wait, "field");
        g_autofree char *expected = g_strndup(thread, strcspn(thread, "/"));
        const char *dollar = field ? strrchr(field, '$') : NULL;
        const char *shown = dollar ? dollar + 1 : field ? field : "-";
        if (strcmp(shown, expected) != 0)
            g_error("%s: called %s", thread, shown);
    }
    json_node_unref(question.node);
    check_nothing_said(jvm);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_assert_true(pm_parkctl_succeeds("verify %s", recording));
}

static void test_fields(void)
{
    check_fields("-Xcheck:jni", false);
}

static void test_fields_compiled(void)
{
    /* All else would take longer to compile than to test. */
    check_fields("-Xcheck:jni -Xcomp -XX:CompileCommand=quiet "
                 "-XX:CompileCommand=compileonly,Fields*.* "
                 "-XX:CompileCommand=compileonly,java.util.concurrent.*::* "
                 "-XX:CompileCommand=compileonly,jdk.internal.misc.Unsafe::park "
                 "-XX:CompileCommand=compileonly,java.lang.Object::wait*",
                 false);
}

static void test_fields_before_the_attach(void)
{
    check_fields(pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading" : "-Xmixed", true);
}

/* -- classes that are being initialised -- */

static const char *const needy[] = {"invoker", "getter", "putter", "maker", "heir", "main"};

/* With the recorder from the start on or, `attached`, from "ready" on. */
static PmJvm *start_class_init(const char *what, const char *end, bool attached,
                               const char *recording)
{
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=16m", recording);
    g_autofree char *java =
        g_strdup_printf("%s-Xcheck:jni ClassInit %s %s",
                        pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading " : "", what, end);
    PmJvm *jvm = pm_jvm_start(attached ? NULL : options, java);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    if (attached)
        g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(jvm), options));
    return jvm;
}

static void initialise(PmJvm *jvm, const char *end)
{
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_free(pm_jvm_wait_line(jvm, "initialised", 1));
}

static bool waits_for_class(JsonObject *wait)
{
    const char *class = wait ? pm_json_string(wait, "class") : NULL;
    return class && g_str_has_suffix(class, ".<clinit>");
}

static bool sees_needy(void *context)
{
    JsonArray *waits = ask(context);
    for (gsize i = 0; i < G_N_ELEMENTS(needy); i++)
        if (!waits_for_class(wait_of(waits, needy[i])))
            return false;
    return true;
}

static bool sees_initialised(void *context)
{
    JsonArray *waits = ask(context);
    for (gsize i = 0; i < G_N_ELEMENTS(needy); i++)
        if (waits_for_class(wait_of(waits, needy[i])))
            return false;
    return true;
}

static void check_slow_class(bool attached)
{
    g_autofree char *recording = pm_jvm_path("slow-class-%d.park", attached);
    g_autofree char *end = pm_jvm_path("slow-class-%d.end", attached);
    g_autoptr(PmJvm) jvm = start_class_init("slow", end, attached, recording);
    struct question question = {pm_jvm_pid(jvm), NULL};

    if (!pm_poll(sees_needy, &question))
        g_error("not all who need the class are seen; the last answer: %s",
                json_to_string(question.node, TRUE));
    JsonArray *waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    for (gsize i = 0; i < G_N_ELEMENTS(needy); i++) {
        JsonObject *wait = wait_of(waits, needy[i]);
        g_autofree char *chain = pm_json_lines(wait, "owner_chain");
        g_assert_cmpstr(pm_json_string(wait, "class"), ==, "ClassInit$Rates.<clinit>");
        g_assert_cmpstr(pm_json_string(wait, "category"), ==, "class-init");
        g_assert_cmpstr(pm_json_string(wait, "kind"), ==, "enter");
        g_assert_cmpstr(pm_json_string(wait, "owner"), ==, "initialiser");
        g_assert_nonnull(strstr(chain, "ClassInit$Rates.<clinit>"));
    }
    g_usleep(5 * G_USEC_PER_SEC); /* so that it stands out among the findings */
    initialise(jvm, end);
    if (!pm_poll(sees_initialised, &question))
        g_error("a wait goes on for ever: %s", json_to_string(question.node, TRUE));
    json_node_unref(question.node);
    check_nothing_said(jvm);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_assert_true(pm_parkctl_succeeds("verify %s", recording));
    pm_parkctl_sees(recording);
    g_auto(PmRun) findings = {0};
    pm_parkctl(&findings, "findings %s", recording);
    if (!strstr(findings.out, "Waiting for ClassInit$Rates (initialisation) ") ||
        !strstr(findings.out, "owner seen in Thread.sleep"))
        g_error("the findings lack the class: %s%s", findings.out, findings.err);
}

static void test_slow_class(void)
{
    check_slow_class(false);
}

static void test_slow_class_before_the_attach(void)
{
    check_slow_class(true);
}

static bool sees_class_deadlock(void *context)
{
    JsonArray *waits = ask(context);
    JsonObject *tariff = wait_of(waits, "tariff"), *rebate = wait_of(waits, "rebate");
    return tariff && rebate && in_cycle(tariff) && in_cycle(rebate) &&
           waits_for_class(wait_of(waits, "quote-1")) && waits_for_class(wait_of(waits, "quote-2"));
}

static void check_class_deadlock(bool attached)
{
    g_autofree char *recording = pm_jvm_path("class-deadlock-%d.park", attached);
    g_autoptr(PmJvm) jvm = start_class_init("deadlock", "", attached, recording);
    struct question question = {pm_jvm_pid(jvm), NULL};
    g_auto(PmRun) findings = {0};

    if (!pm_poll(sees_class_deadlock, &question))
        g_error("no deadlock seen; the last answer: %s", json_to_string(question.node, TRUE));
    JsonArray *waits = json_object_get_array_member(json_node_get_object(question.node), "waits");
    check_wait(waits, "tariff", "enter", "rebate", "ClassInit$Tariff.<clinit>");
    check_wait(waits, "rebate", "enter", "tariff", "ClassInit$Rebate.<clinit>");
    check_wait(waits, "quote-1", "enter", "tariff", "ClassInit.");
    json_node_unref(question.node);
    check_nothing_said(jvm);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    pm_parkctl(&findings, "findings %s", recording);
    if (!g_regex_match_simple("Deadlock: (tariff and rebate|rebate and tariff) ", findings.out, 0,
                              0))
        g_error("the findings lack the deadlock: %s%s", findings.out, findings.err);
    g_assert_nonnull(strstr(findings.out, "ClassInit$Rebate (initialisation)"));
    pm_parkctl_sees(recording);
}

static void test_class_deadlock(void)
{
    check_class_deadlock(false);
}

static void test_class_deadlock_before_the_attach(void)
{
    check_class_deadlock(true);
}

/* Threads that stand still, or need a class, for other reasons while one is being initialised; the
 * sweep comes after ten seconds. */
static void test_no_class(void)
{
    g_autofree char *recording = pm_jvm_path("no-class.park"), *end = pm_jvm_path("no-class.end");
    g_autoptr(PmJvm) jvm = start_class_init("others", end, false, recording);
    struct question question = {pm_jvm_pid(jvm), NULL};

    g_usleep(15 * G_USEC_PER_SEC);
    initialise(jvm, end);
    check_nothing_said(jvm);
    JsonArray *waits = ask(&question);
    g_assert_nonnull(wait_of(waits, "listener"));
    g_assert_nonnull(wait_of(waits, "idle"));
    json_node_unref(question.node);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --idle", recording);
    JsonArray *blockers = pm_json_array(report, "blockers");
    g_assert_cmpuint(json_array_get_length(blockers), >, 0);
    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        /* main alone needs it. */
        if (waits_for_class(row))
            g_assert_cmpstr(pm_json_string(row, "first_thread"), ==, "main");
        g_assert_cmpint(waits_for_class(row) ? pm_json_int(row, "peak_parked") : 0, <=, 1);
    }
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/now/names-both-threads-of-a-deadlock", test_deadlock);
    pm_jvm_add("/now/names-an-owner-that-has-ended", test_left);
    pm_jvm_add("/now/names-an-owner-that-has-ended-before-the-attach", test_left_before_the_attach);
    pm_jvm_add("/now/shows-the-sleep-of-an-owner", test_sleeping_owner);
    pm_jvm_add("/now/parked-for-ever-is-in-the-dump-with-chain-and-since", test_parked_for_ever);
    pm_jvm_add("/now/hangs-at-monitors-from-before-the-attach", test_monitors_before_the_attach);
    pm_jvm_add("/now/names-a-deadlock-with-the-end-of-a-thread", test_join_deadlock);
    pm_jvm_add("/now/names-a-deadlock-with-the-end-of-a-thread-before-the-attach",
               test_join_deadlock_before_the_attach);
    pm_jvm_add("/now/a-thread-that-is-joined-at-once", test_joined_at_once);
    pm_jvm_add("/now/calls-a-lock-by-its-field", test_fields);
    pm_jvm_add("/now/calls-a-lock-by-its-field-in-compiled-code", test_fields_compiled);
    pm_jvm_add("/now/calls-a-lock-by-its-field-before-the-attach", test_fields_before_the_attach);
    pm_jvm_add("/now/names-who-initialises-a-class", test_slow_class);
    pm_jvm_add("/now/names-who-initialises-a-class-before-the-attach",
               test_slow_class_before_the_attach);
    pm_jvm_add("/now/names-a-deadlock-of-two-classes", test_class_deadlock);
    pm_jvm_add("/now/names-a-deadlock-of-two-classes-before-the-attach",
               test_class_deadlock_before_the_attach);
    pm_jvm_add("/now/blames-no-class-that-nobody-needs", test_no_class);
    return pm_jvm_run();
}
