#include "recorder/parkctl/target.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/control/client.h"
#include "recorder/parkctl/remote.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/code/account.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/time-text.h"

#define ANSWER_TIMEOUT_NS (G_GINT64_CONSTANT(10) * 1000000000)
#define SENTENCE_MAX      1000 /* characters: recorders say no more */

gboolean pm_target_request(int pid, const char *request, char **ret_text, int *ret_fd,
                           char **ret_why)
{
    struct pm_control_reply reply = {.fd = -1};
    struct pm_error_info info = {0};

    if (pm_control_request(pid, request, ANSWER_TIMEOUT_NS, &reply, &info) < 0) {
        *ret_why = g_strdup(info.text);
        return FALSE;
    }
    if (!reply.ok) {
        g_autofree char *sentence = pm_target_sentence(reply.text);
        *ret_why = g_strdup_printf("%d: %s", pid, *sentence ? sentence : "refused");
        pm_control_reply_clear(&reply);
        return FALSE;
    }
    *ret_text = g_strdup(reply.text);
    if (ret_fd) {
        *ret_fd = reply.fd;
        reply.fd = -1;
    }
    pm_control_reply_clear(&reply);
    return TRUE;
}

gboolean pm_target_ask(const PmInvocation *invocation, const char *request, char **ret_text)
{
    g_autofree char *text = NULL;
    PmRemote *remote = pm_remote_new(invocation->via);
    const PmRemoteOutcome outcome = pm_remote_ask(remote, invocation->pid, request, &text);

    pm_remote_free(remote);
    if (outcome != PM_REMOTE_OK) {
        pm_complain(PM_EXIT_FAILED, "%s", text);
        return FALSE;
    }
    *ret_text = g_steal_pointer(&text);
    return TRUE;
}

char *pm_target_sentence(const char *text)
{
    g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
    g_autofree char *clean = pm_text_clean(g_strstrip(line));

    return g_utf8_substring(clean, 0, MIN(g_utf8_strlen(clean, -1), SENTENCE_MAX));
}

int pm_target_dump(int pid, char **ret_why)
{
    g_autofree char *text = NULL;
    struct stat status;
    int fd = -1;

    if (!pm_target_request(pid, "dump", &text, &fd, ret_why))
        return -1;
    if (fd < 0) {
        g_autofree char *sentence = pm_target_sentence(text);
        *ret_why = g_strdup_printf("%d: the recorder has no file to read%s%s", pid,
                                   *sentence ? ": " : "", sentence);
        return -1;
    }
    const int flags = fcntl(fd, F_GETFL);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && flags >= 0 && !(flags & O_PATH) &&
        (flags & O_ACCMODE) != O_WRONLY)
        return fd;
    close(fd);
    *ret_why = g_strdup_printf("%d: the recorder passed a file that cannot be read", pid);
    return -1;
}

/* The rolling file's name, for messages and headings. */
static char *name_of_descriptor(int fd, int pid)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *name = g_file_read_link(link, NULL);

    if (name && *name == '/')
        return g_steal_pointer(&name);
    return g_strdup_printf("%d", pid);
}

gboolean pm_target_categories(const PmInvocation *invocation)
{
    const char *path = pm_invocation_value(invocation, PM_OPTION_CATEGORIES);
    g_autoptr(GError) error = NULL;

    if (!(invocation->command->options & PM_OPTION_BIT(PM_OPTION_CATEGORIES)))
        return TRUE;
    if (path ? pm_category_read_rules(path, &error) : pm_category_read_default_rules(&error))
        return TRUE;
    pm_complain(PM_EXIT_FAILED, "%s", error->message);
    return FALSE;
}

/* A copy without a name. */
static int copy_through(const PmInvocation *invocation, gint64 maxage_ns)
{
    g_autofree char *path = NULL, *text = NULL;
    g_autoptr(GError) error = NULL;
    guint64 bytes;
    const int fd = g_file_open_tmp("parkctl-XXXXXX", &path, &error);

    if (fd < 0) {
        pm_complain(PM_EXIT_FAILED, "%s", error->message);
        return -1;
    }
    unlink(path);
    PmRemote *remote = pm_remote_new(invocation->via);
    const PmRemoteOutcome outcome =
        pm_remote_update(remote, invocation->pid, maxage_ns, fd, &bytes, &text);
    pm_remote_free(remote);
    if (outcome == PM_REMOTE_OK)
        return fd;
    close(fd);
    pm_complain(PM_EXIT_FAILED, "%s", text);
    return -1;
}

int pm_target_recording(const PmInvocation *invocation, gint64 maxage_ns, char **ret_name)
{
    g_autofree char *why = NULL;
    int fd;

    if (invocation->via) {
        fd = copy_through(invocation, maxage_ns);
        *ret_name = g_strdup_printf("%d via %s", invocation->pid, invocation->via);
        return fd;
    }
    fd = pm_target_dump(invocation->pid, &why);
    if (fd < 0)
        pm_complain(PM_EXIT_FAILED, "%s", why);
    else
        *ret_name = name_of_descriptor(fd, invocation->pid);
    return fd;
}

static PmRecording *load_live(const PmInvocation *invocation)
{
    g_autofree char *name = NULL;
    g_autoptr(GError) error = NULL;
    struct pm_source source;
    const int fd = pm_target_recording(invocation, 0, &name);

    if (fd < 0)
        return NULL;
    pm_source_from_fd(fd, &source);
    PmRecording *recording = pm_recording_load_source(source, name, 0, NULL, NULL, NULL, &error);
    if (!recording)
        pm_complain(PM_EXIT_FAILED, "%s", error->message);
    return recording;
}

PmRecording *pm_target_load(const PmInvocation *invocation)
{
    if (invocation->pid)
        return load_live(invocation);
    return pm_target_load_file(invocation->files->pdata[0]);
}

PmRecording *pm_target_load_file(const char *path)
{
    g_autoptr(GError) error = NULL;
    PmInvocation live = {0};

    if (pm_pid_parse(path, &live.pid) && !g_file_test(path, G_FILE_TEST_EXISTS))
        return load_live(&live);
    PmRecording *recording = pm_recording_load(path, 0, NULL, NULL, NULL, &error);
    if (!recording)
        pm_complain(PM_EXIT_FAILED, "%s", error->message);
    return recording;
}

gint64 pm_target_last(const struct pm_reader *reader)
{
    gint64 last = 0;

    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        if (!chunk->overview)
            last = MAX(last, chunk->end_ns);
    }
    return last;
}

static gboolean parse_age(const char *text, gint64 *ret_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9}};
    char *end;
    double value = g_ascii_strtod(text, &end);

    if (end == text || !(value > 0) || !g_ascii_isdigit(*text))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
        if (strcmp(end, units[i].unit) == 0 && value * units[i].ns < (double)G_MAXINT64) {
            *ret_ns = (gint64)(value * units[i].ns);
            return TRUE;
        }
    }
    return FALSE;
}

gboolean pm_target_maxage(const PmInvocation *invocation, gint64 *ret_ns)
{
    const char *text = pm_invocation_value(invocation, PM_OPTION_MAXAGE);

    *ret_ns = 0;
    if (!text || parse_age(text, ret_ns))
        return TRUE;
    pm_complain(PM_EXIT_USAGE, "%s: maxage=%s: expected a time such as 90s, 5m or 2h",
                invocation->command->name, text);
    return FALSE;
}

gboolean pm_target_time(const PmInvocation *invocation, PmRecording *recording, PmOptionId option,
                        gint64 *ret_at)
{
    const char *text = pm_invocation_value(invocation, option);
    const char *why = "no time";

    if (!text)
        return TRUE;
    if (pm_time_parse(recording, text, ret_at, &why))
        return TRUE;
    pm_complain(PM_EXIT_USAGE, "%s: --%s=%s: %s", invocation->command->name,
                pm_option_row(option).name, text, why);
    return FALSE;
}

/* "!lock" leaves out what "lock" lets through. */
static const char *strip_not(const char *value, gboolean *ret_exclude)
{
    *ret_exclude = *value == '!';
    return value + *ret_exclude;
}

/* The values of an aspect that has few, as users write them; NULL: any text. */
static const char **words_of(PmAspect aspect)
{
    static const struct {
        enum pm_wait_column column;
        int n;
        const char *(*name)(int value);
    } sets[] = {{PM_WAIT_COLUMN_KIND, PM_N_KINDS, pm_kind_name},
                {PM_WAIT_COLUMN_CATEGORY, PM_N_CATEGORIES, NULL},
                {PM_WAIT_COLUMN_WAKE_CAUSE, PM_N_WAKE_CAUSES, pm_wake_cause_name}};

    for (guint i = 0; i < G_N_ELEMENTS(sets); i++) {
        if (pm_aspect_is_split(aspect) || pm_aspects[aspect].column != sets[i].column)
            continue;
        const char **words = g_new0(const char *, sets[i].n + 1);
        for (int value = 0; value < sets[i].n; value++)
            words[value] = sets[i].name ? sets[i].name(value) : pm_category_name(value);
        return words;
    }
    return NULL;
}

static gboolean is_word(const PmInvocation *invocation, PmAspect aspect, const char *value)
{
    g_autofree const char **words = words_of(aspect);
    int kind = 0;

    if (!words || strpbrk(value, "*#(") || g_strv_contains(words, value))
        return TRUE;
    while (aspect == PM_ASPECT_KIND && kind < PM_N_KINDS)
        if (strcmp(value, pm_kind_title(kind++)) == 0)
            return TRUE;
    const char *name = pm_aspect_name(aspect);
    const char *many = aspect == PM_ASPECT_CATEGORY ? "categories" : NULL;
    g_autofree char *guess = pm_did_you_mean(value, words, "");
    g_autofree char *all = g_strjoinv(", ", (char **)words);
    pm_complain(PM_EXIT_USAGE, "%s: unknown %s \"%s\"%s; %s%s: %s", invocation->command->name, name,
                value, guess, many ? many : name, many ? "" : "s", all);
    return FALSE;
}

/* --ASPECT=VALUE, of all but blockers. */
gboolean pm_target_chips(const PmInvocation *invocation, PmFilter *filter)
{
    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        const GPtrArray *values = invocation->values[PM_OPTION_OF_ASPECT(aspect)];
        for (guint i = 0; values && aspect != PM_ASPECT_BLOCKER && i < values->len; i++) {
            gboolean exclude;
            PmCategory category;
            const char *value = strip_not(values->pdata[i], &exclude);
            if (!is_word(invocation, aspect, value))
                return FALSE;
            pm_filter_add_chip(filter, aspect, value, exclude);
            /* Who asks for an idle category means it. */
            if (aspect == PM_ASPECT_CATEGORY && !exclude && pm_category_parse(value, &category) &&
                pm_category_is_idle(category))
                filter->idle = TRUE;
        }
    }
    return TRUE;
}

/* --accounts: whom the waits are charged to. */
gboolean pm_target_accounts(const PmInvocation *invocation, PmRecording *recording)
{
    const char *text = pm_invocation_value(invocation, PM_OPTION_ACCOUNTS);
    g_autoptr(GError) error = NULL;

    if (!text)
        return TRUE;
    g_autoptr(PmAccounts) accounts = pm_accounts_read(text, &error);
    if (!accounts) {
        pm_complain(PM_EXIT_USAGE, "%s: --accounts: %s", invocation->command->name, error->message);
        return FALSE;
    }
    pm_recording_set_accounts(recording, accounts);
    return TRUE;
}

/* A blocker is named by its hash, as printed; those without one by their label or "#id". One that
 * is not there is a slip of the pen, not an empty answer. */
static gboolean add_blockers(const PmInvocation *invocation, PmRecording *recording,
                             PmFilter *filter)
{
    const GPtrArray *values = invocation->values[PM_OPTION_OF_ASPECT(PM_ASPECT_BLOCKER)];

    for (guint i = 0; values && i < values->len; i++) {
        gboolean exclude, found = FALSE;
        const char *name = strip_not(values->pdata[i], &exclude);
        for (guint32 b = 1; b < recording->n_blockers && !found; b++)
            found = pm_aspect_key_matches(recording, PM_ASPECT_BLOCKER, b, name);
        if (!found) {
            pm_complain(PM_EXIT_FAILED,
                        "%s: no blocker \"%s\" in %s; its hash is in the report's first column",
                        invocation->command->name, name, recording->facts.file);
            return FALSE;
        }
        pm_filter_add_chip(filter, PM_ASPECT_BLOCKER, name, exclude);
    }
    return TRUE;
}

PmFilter *pm_target_filter(const PmInvocation *invocation, PmRecording *recording, int *ret_status)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    gboolean from = pm_invocation_value(invocation, PM_OPTION_FROM) != NULL;
    gboolean to = pm_invocation_value(invocation, PM_OPTION_TO) != NULL;

    *ret_status = PM_EXIT_USAGE;
    filter->idle = pm_invocation_value(invocation, PM_OPTION_IDLE) != NULL;
    if (from || to) {
        filter->from = recording->window_begin;
        filter->to = recording->duration;
    }
    if (!pm_target_time(invocation, recording, PM_OPTION_FROM, &filter->from) ||
        !pm_target_time(invocation, recording, PM_OPTION_TO, &filter->to))
        return NULL;
    if ((from || to) && (filter->from >= filter->to || filter->to <= recording->window_begin)) {
        pm_complain(PM_EXIT_USAGE,
                    "%s: nothing is between --from and --to; the recording covers +%.3fs to +%.3fs",
                    invocation->command->name, (double)recording->window_begin / 1e9,
                    (double)recording->duration / 1e9);
        return NULL;
    }
    if (!pm_target_accounts(invocation, recording) || !pm_target_chips(invocation, filter))
        return NULL;
    *ret_status = PM_EXIT_FAILED;
    if (!add_blockers(invocation, recording, filter))
        return NULL;
    *ret_status = PM_EXIT_OK;
    return g_steal_pointer(&filter);
}

gboolean pm_target_output(const PmInvocation *invocation, const char *const *sort_keys,
                          PmOutput *ret_output)
{
    const char *limit = pm_invocation_value(invocation, PM_OPTION_LIMIT);
    const char *sort = pm_invocation_value(invocation, PM_OPTION_SORT);
    PmOutput output = {
        .format = invocation->format,
        .terminal = invocation->terminal,
        .sort = sort,
        .chains = pm_invocation_value(invocation, PM_OPTION_CHAINS) != NULL,
        .idle = pm_invocation_value(invocation, PM_OPTION_IDLE) != NULL,
        .full = invocation->command->run == pm_command_report &&
                invocation->values[PM_OPTION_OF_ASPECT(PM_ASPECT_BLOCKER)] != NULL,
    };

    if (limit) {
        guint64 value;
        if (!g_ascii_string_to_unsigned(limit, 10, 0, G_MAXINT, &value, NULL)) {
            pm_complain(PM_EXIT_USAGE, "%s: --limit=%s: expected a number of rows, 0 for all",
                        invocation->command->name, limit);
            return FALSE;
        }
        output.limit = value ? (guint)value : G_MAXINT;
    }
    if (sort && sort_keys && !g_strv_contains(sort_keys, sort)) {
        g_autofree char *guess = pm_did_you_mean(sort, sort_keys, "");
        g_autofree char *all = g_strjoinv(", ", (char **)sort_keys);
        pm_complain(PM_EXIT_USAGE, "%s: unknown sort key \"%s\"%s; keys: %s",
                    invocation->command->name, sort, guess, all);
        return FALSE;
    }
    *ret_output = output;
    return TRUE;
}

PmView *pm_target_view(const PmInvocation *invocation, int *ret_status)
{
    g_autoptr(PmRecording) recording = pm_target_load(invocation);

    *ret_status = PM_EXIT_FAILED;
    if (!recording)
        return NULL;
    g_autoptr(PmFilter) filter = pm_target_filter(invocation, recording, ret_status);
    return filter ? pm_view_new(recording, filter, NULL) : NULL;
}

gboolean pm_target_aspects(const PmInvocation *invocation, const char *text, PmAspect *aspects,
                           guint *ret_n)
{
    const char *by = pm_invocation_value(invocation, PM_OPTION_BY);
    g_auto(GStrv) names = g_strsplit(by ? by : text, ",", -1);
    const char *known[PM_N_ASPECTS + 1] = {NULL};
    guint n = 0;

    for (guint i = 0; i < PM_N_ASPECTS; i++)
        known[i] = pm_aspect_name(i);
    for (guint i = 0; names[i]; i++) {
        PmAspect aspect;
        if (!pm_aspect_parse(names[i], &aspect)) {
            g_autofree char *guess = pm_did_you_mean(names[i], known, "");
            g_autofree char *all = g_strjoinv(", ", (char **)known);
            pm_complain(PM_EXIT_USAGE, "%s: unknown aspect \"%s\"%s; aspects: %s",
                        invocation->command->name, names[i], guess, all);
            return FALSE;
        }
        for (guint k = 0; k < n; k++) {
            if (aspects[k] == aspect) {
                pm_complain(PM_EXIT_USAGE, "%s: --by names %s twice", invocation->command->name,
                            names[i]);
                return FALSE;
            }
        }
        aspects[n++] = aspect;
    }
    *ret_n = n;
    return TRUE;
}
