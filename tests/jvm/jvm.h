/* A JVM under test: started with or without the recorder, watched through files (its stdout and
 * stderr never fill a pipe), and always gone at the end: freed by its test, or killed by the kernel
 * when the test program dies. From the environment: PM_JAVA_HOME (empty: every test is skipped and
 * says so), PM_AGENT, PM_PARKCTL, PM_WORKLOADS.
 *
 * Nothing here asserts on time. Timeouts are generous, for a machine that may stall: they end a
 * test that would hang. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

/* g_test_init, and a folder of its own for every file of this program. */
void pm_jvm_init(int *argc, char ***argv);
/* g_test_run, then the folder is removed. Skips everything when there is no JDK of this version. */
int pm_jvm_run(void);

/* Adds a test, with its skip when PM_JAVA_HOME is empty. */
void pm_jvm_add(const char *path, void (*test)(void));
/* The same for a test that pm_attempts makes. */
void pm_jvm_add_attempts(const char *path, int times, char *(*attempt)(void));

/* A path in the program's folder. */
char *pm_jvm_path(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* 17, 25, …; 0 without a JDK. */
int pm_jvm_major(void);

typedef struct PmJvm PmJvm;

/* Starts `java`. `agent_options` NULL: without recorder; else what follows `libparkmeter.so=`.
 * `arguments`: one string, split at spaces: flags, class and its arguments ("-Xcheck:jni HandOff
 * 1"). The class path is the workloads'. */
PmJvm *pm_jvm_start(const char *agent_options, const char *arguments);
/* The same with a recorder that writes to `recording`; `options`: its others, "maxsize=16m"; the
 * arguments are formatted. */
PmJvm *pm_jvm_record(const char *recording, const char *options, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void pm_jvm_free(PmJvm *jvm); /* kills it when it lives */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmJvm, pm_jvm_free)

/* How long its lines and its end are waited for; two minutes unless told. */
void pm_jvm_set_patience(PmJvm *jvm, int seconds);

int pm_jvm_pid(const PmJvm *jvm);
bool pm_jvm_alive(PmJvm *jvm);
/* Waits until a line that begins with `prefix` is on its stdout (the n-th such line, from 1). Fails
 * the test when the JVM ends first. Returns the line, owned. */
char *pm_jvm_wait_line(PmJvm *jvm, const char *prefix, int n);
/* The lines on its stdout of that many words, the first of which is `first`: an array of string
 * vectors, owned. Fails the test when there is none. */
GPtrArray *pm_jvm_rows(PmJvm *jvm, const char *first, guint n_words);
/* Waits for its end. The exit status; 128 + the signal when a signal ended it. */
int pm_jvm_wait(PmJvm *jvm);
void pm_jvm_kill(PmJvm *jvm, int signal);
/* Everything written so far; owned. */
char *pm_jvm_stdout(PmJvm *jvm);
char *pm_jvm_stderr(PmJvm *jvm);

/* What a command did; its texts are owned. */
typedef struct {
    int status;
    char *out;
    char *err;
} PmRun;
void pm_run_clear(PmRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PmRun, pm_run_clear)

/* Runs `parkctl`; `arguments` are split at spaces after formatting (so no path with spaces). */
void pm_parkctl(PmRun *ret_run, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same; false, with what it said as a test message, when it failed. */
bool pm_parkctl_succeeds(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* The same with ` --format=json`: its JSON object, owned. Fails the test when parkctl failed. */
JsonNode *pm_parkctl_json(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Asks for the findings of a recording and runs each command that they name: parkctl takes it, and
 * it prints rows; who and because of whom is there, nothing twice; and no answer speaks nonsense.
 * Fails the test. */
void pm_parkctl_sees(const char *recording);
/* How often threads waited for objects of a class, by the counters of a recording or a JVM (a name,
 * or a pid); `kind` NULL: in whatever way. */
int64_t pm_recorded_times(const char *recording, const char *class, const char *kind);
/* Any program (NULL-terminated arguments). */
void pm_run_program(PmRun *ret_run, const char *const *arguments);
/* `java` of the version under test; arguments as of pm_jvm_start, to its end. */
void pm_jvm_run_java(PmRun *ret_run, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* `jcmd` with one command, which must succeed. */
void pm_jvm_jcmd(PmRun *ret_run, const PmJvm *jvm, const char *command);

/* Tries `attempt` up to `times` times until it returns NULL; a string (owned) is why it did not
 * hold this time. Fails the test with the last one. For truths that a stalled machine can blur. */
void pm_attempts(int times, char *(*attempt)(void));

/* Polls `question` (true = yes) for up to 60 s. */
bool pm_poll(bool (*question)(void *context), void *context);

/* Reads of JSON that fail the test with the member's name when it is not there. */
JsonArray *pm_json_array(JsonNode *answer, const char *member);
int64_t pm_json_int(JsonObject *object, const char *member);
double pm_json_double(JsonObject *object, const char *member);
const char *pm_json_string(JsonObject *object, const char *member); /* NULL for null */
/* The array's elements joined by newlines; "" for null. Owned. */
char *pm_json_lines(JsonObject *object, const char *member);
