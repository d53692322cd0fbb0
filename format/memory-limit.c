#include "format/memory-limit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The two kinds of control groups call their files differently. */
static const struct kind {
    const char *mount, *limit, *usage, *cached[2]; /* lines of memory.stat */
} kinds[] = {
    {"", "memory.max", "memory.current", {"\ninactive_file ", "\nactive_file "}},
    {"/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"\ntotal_inactive_file ", "\ntotal_active_file "}},
};

/* Behind a line's end, so that each line begins with one. */
static size_t read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text + 1, size - 2);
    if (fd >= 0)
        close(fd);
    text[0] = '\n';
    text[1 + (n > 0 ? n : 0)] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* A number at the beginning, or behind `line`; negative: there is none, as where it says "max". */
static long read_number(const char *folder, const char *name, const char *line)
{
    char path[PATH_MAX], text[8192], *end;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *at = read_text(path, text, sizeof text) ? strstr(text, line) : NULL;
    if (!at)
        return -1;
    at += strlen(line);
    long number = strtol(at, &end, 10);
    return end > at ? number : -1;
}

static uint64_t left_in(const char *folder, const struct kind *kind)
{
    long limit = read_number(folder, kind->limit, "\n");
    long used = read_number(folder, kind->usage, "\n");
    if (limit < 0 || used < 0)
        return UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        long cached = read_number(folder, "memory.stat", kind->cached[i]);
        used -= cached > 0 ? cached : 0;
    }
    return limit > used ? (uint64_t)(limit - used) : 0;
}

/* Of the group and all that it is in. In a container the path may be as it is outside: what is not
 * there is left out, and the container's own group lies at the mount. */
static uint64_t left_below(const char *root, const char *path, size_t length,
                           const struct kind *kind)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char folder[PATH_MAX];
        while (length > 0 && path[length - 1] == '/')
            length--;
        snprintf(folder, sizeof folder, "%s%s%.*s", root, kind->mount, (int)length, path);
        uint64_t left = left_in(folder, kind);
        least = left < least ? left : least;
        if (length == 0)
            return least;
        while (length > 0 && path[length - 1] != '/')
            length--;
    }
}

uint64_t pm_memory_limit_left(const char *groups, const char *root)
{
    uint64_t least = UINT64_MAX;
    char text[8192];
    read_text(groups, text, sizeof text);
    /* Lines "0::/path" of the one kind, "4:memory:/path" of the other. */
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        const char *names = strchr(line + 1, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            break;
        bool is_unified = path == names + 1;
        if (!is_unified && strncmp(names, ":memory:", 8) != 0)
            continue;
        uint64_t left = left_below(root, path + 1, strcspn(path + 1, "\n"), &kinds[!is_unified]);
        least = left < least ? left : least;
    }
    return least;
}
