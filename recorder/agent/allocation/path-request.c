#include "recorder/agent/allocation/path-request.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    bool asked, running;
    struct pm_path_request request;
    char text[PM_PATH_TEXT_MAX];
} path = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool parse(const char *text, int64_t begin_ns, struct pm_path_request *ret_request)
{
    char *end;
    long milliseconds = strtol(text, &end, 10);
    memset(ret_request, 0, sizeof *ret_request);
    if (end == text || *end != ' ' || milliseconds < 1 || !end[1])
        return false;
    ret_request->stop_ns = milliseconds < PM_PATH_STOP_MAX / 1000000
                               ? (int64_t)milliseconds * 1000000
                               : PM_PATH_STOP_MAX;
    if (end[1] != '@')
        return snprintf(ret_request->class_name, sizeof ret_request->class_name, "%s", end + 1) <
               (int)sizeof ret_request->class_name;
    for (end++; *end && ret_request->n_births < PM_PATH_BIRTHS;) {
        const char *number = end + 1;
        ret_request->births[ret_request->n_births++] = begin_ns + strtol(number, &end, 10);
        if (end == number || (*end && *end != ','))
            return false;
    }
    return true;
}

bool pm_path_ask(const char *arguments, int64_t begin_ns, const char **ret_why)
{
    struct pm_path_request request;
    *ret_why = "path takes MILLISECONDS CLASS";
    if (!parse(arguments, begin_ns, &request))
        return false;
    *ret_why = "another search for a path is in progress";
    pthread_mutex_lock(&path.lock);
    bool free = !path.asked && !path.running;
    if (free) {
        path.request = request;
        path.asked = true;
    }
    pthread_mutex_unlock(&path.lock);
    return free;
}

void pm_path_read(char *ret_text, size_t size)
{
    pthread_mutex_lock(&path.lock);
    if (path.asked || path.running)
        snprintf(ret_text, size, "running\n");
    else
        snprintf(ret_text, size, "done\n%s", path.text);
    pthread_mutex_unlock(&path.lock);
}

bool pm_path_next(struct pm_path_request *ret_request)
{
    pthread_mutex_lock(&path.lock);
    bool asked = path.asked;
    if (asked) {
        *ret_request = path.request;
        path.asked = false;
        path.running = true;
    }
    pthread_mutex_unlock(&path.lock);
    return asked;
}

void pm_path_answer(const char *text)
{
    pthread_mutex_lock(&path.lock);
    snprintf(path.text, sizeof path.text, "%s", text);
    path.running = false;
    pthread_mutex_unlock(&path.lock);
}
