#include "recorder/parkctl/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/mirror.h"
#include "format/wire.h"
#include "recorder/control/process.h"
#include "recorder/parkctl/target.h"

/* The recording that was asked for last stays open: when its JVM has ended, what it wrote at the
 * very end is still there. */
struct PmServe {
    int pid;
    struct pm_reader *reader;
};

typedef struct {
    int (*give)(gpointer data, int type, const void *bytes, gsize size);
    gpointer data;
} Answer;

static void end_with(const Answer *answer, int type, const char *text)
{
    answer->give(answer->data, type, text, strlen(text));
}

static int give_piece(void *context, const void *bytes, size_t size)
{
    const Answer *answer = context;

    return answer->give(answer->data, PM_FRAME_PIECE, bytes, size);
}

static gboolean is_gone(int pid)
{
    struct pm_process process;

    return pm_process_look(pid, &process, NULL) != 0;
}

static void say_why_not(const Answer *answer, int pid, const char *sentence)
{
    end_with(answer, is_gone(pid) ? PM_FRAME_ENDED : PM_FRAME_ERROR, sentence);
}

/* ---- the mark ---- */

/* " 1f 10000 40 3:2a0 …"; FALSE: not a mark. */
static gboolean parse_mark(const char *text, struct pm_mirror_mark *ret_mark)
{
    struct pm_mirror_mark mark = {0};
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    guint64 numbers[4];
    guint n = g_strv_length(words);

    if (n < 4 || n > 4 + PM_MIRROR_OPEN_MAX)
        return FALSE;
    for (guint i = 0; i < 4; i++)
        if (!g_ascii_string_to_unsigned(words[i], 16, 0, G_MAXUINT64, &numbers[i], NULL))
            return FALSE;
    mark.file_id = numbers[0];
    mark.slot_size = (guint32)numbers[1];
    mark.n_slots = (guint32)numbers[2];
    mark.below = numbers[3];
    for (guint i = 4; i < n; i++) {
        g_auto(GStrv) pair = g_strsplit(words[i], ":", 2);
        struct pm_mirror_open *open = &mark.open[mark.n_open++];
        if (g_strv_length(pair) != 2 ||
            !g_ascii_string_to_unsigned(pair[0], 16, 0, G_MAXUINT64, &open->number, NULL) ||
            !g_ascii_string_to_unsigned(pair[1], 16, 0, G_MAXUINT64, &open->used, NULL))
            return FALSE;
    }
    *ret_mark = mark;
    return TRUE;
}

/* ---- requests ---- */

static void answer_ask(const Answer *answer, int pid, const char *request)
{
    g_autofree char *text = NULL, *why = NULL;

    if (pm_target_request(pid, request, &text, NULL, &why))
        end_with(answer, PM_FRAME_OK, text);
    else
        say_why_not(answer, pid, why);
}

static struct pm_reader *open_recording(int pid, char **ret_why)
{
    struct pm_error_info info = {0};
    struct pm_source source;
    struct pm_reader *reader;
    const int fd = pm_target_dump(pid, ret_why);

    if (fd < 0)
        return NULL;
    pm_source_from_fd(fd, &source);
    if (pm_reader_open(source, &reader, &info) == PM_OK)
        return reader;
    close(fd);
    *ret_why = g_strdup_printf("%d: the recorder's file cannot be read: %s", pid, info.text);
    return NULL;
}

static void answer_news(PmServe *serve, const Answer *answer, int pid, gint64 maxage_ns,
                        const struct pm_mirror_mark *mark)
{
    g_autofree char *why = NULL;
    struct pm_error_info info = {0};
    struct pm_reader *reader = open_recording(pid, &why);

    if (reader || serve->pid != pid) {
        pm_reader_free(serve->reader);
        serve->reader = reader;
        serve->pid = pid;
    }
    if (!reader &&
        (!serve->reader || !is_gone(pid) || pm_reader_refresh(serve->reader, NULL) != PM_OK)) {
        say_why_not(answer, pid, why);
        return;
    }
    const gint64 from = maxage_ns > 0 ? MAX(1, pm_target_last(serve->reader) - maxage_ns) : 0;
    int result = pm_mirror_news(serve->reader, mark, from, give_piece, (void *)answer, &info);
    if (result > 0)
        return; /* nobody listens */
    if (!reader)
        end_with(answer, PM_FRAME_ENDED, why);
    else if (result < 0)
        end_with(answer, PM_FRAME_ERROR, info.text);
    else
        end_with(answer, PM_FRAME_OK, "");
}

void pm_serve_answer(PmServe *serve, const char *request,
                     int (*give)(gpointer data, int type, const void *bytes, gsize size),
                     gpointer data)
{
    const Answer answer = {give, data};
    g_auto(GStrv) words = g_strsplit(request, " ", 3);
    const guint n = g_strv_length(words);
    struct pm_mirror_mark mark;
    int pid = 0;

    const gboolean all = n == 2 && g_str_equal(words[1], "all");
    if ((n == 1 || all) && g_str_equal(words[0], "list")) {
        g_autofree char *why = NULL, *json = pm_list_json(all, &why);
        end_with(&answer, json ? PM_FRAME_OK : PM_FRAME_ERROR, json ? json : why);
        return;
    }
    if (n == 3 && pm_pid_parse(words[1], &pid)) {
        char *rest = words[2];
        if (g_str_equal(words[0], "ask")) {
            answer_ask(&answer, pid, rest);
            return;
        }
        const gint64 maxage_ns = g_ascii_strtoll(rest, &rest, 10);
        if (g_str_equal(words[0], "news") && *rest == ' ' && parse_mark(rest + 1, &mark)) {
            answer_news(serve, &answer, pid, maxage_ns, &mark);
            return;
        }
    }
    end_with(&answer, PM_FRAME_ERROR, "the request is not one that this parkctl knows");
}

PmServe *pm_serve_new(void)
{
    return g_new0(PmServe, 1);
}

void pm_serve_free(PmServe *serve)
{
    if (!serve)
        return;
    pm_reader_free(serve->reader);
    g_free(serve);
}

/* ---- the command ---- */

static int write_frame(gpointer data, int type, const void *bytes, gsize size)
{
    guint8 head[5] = {(guint8)type};

    pm_put_u32(head + 1, (guint32)size);
    const gboolean last = type != PM_FRAME_PIECE;
    return fwrite(head, 1, sizeof head, stdout) != sizeof head ||
           fwrite(bytes, 1, size, stdout) != size || (last && fflush(stdout) == EOF);
}

int pm_command_serve(const PmInvocation *invocation, GString *out)
{
    PmServe *serve = pm_serve_new();
    char line[PM_SERVE_REQUEST_MAX];

    fputs(PM_SERVE_GREETING, stdout);
    while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        pm_serve_answer(serve, line, write_frame, NULL);
    }
    pm_serve_free(serve);
    return PM_EXIT_OK;
}
