#include "recorder/agent/base/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, SIZE, TIME, COUNT, SWITCH };

enum {
    WIDE = 1 << 0,   /* a COUNT of 64 bits */
    LIVE = 1 << 1,   /* can change while recording */
    HIDDEN = 1 << 2, /* for tests; in no help */
};

/* The one table of options. A SWITCH is `name`, `name=on` or `name=off`; a COUNT is written to a
 * uint32_t, with WIDE to a uint64_t. `initial` is read by the same parser as the user's text. */
static const struct row {
    const char *name;
    enum kind kind;
    unsigned flags;
    size_t offset;
    size_t capacity; /* of a TEXT */
    int64_t min, max;
    const char *initial;
    const char *value; /* in the help */
    const char *help;
} rows[] = {
#define AT(member)   offsetof(struct pm_options, member)
#define ROOM(member) sizeof(((struct pm_options *)0)->member)
    {"file", TEXT, 0, AT(file), ROOM(file), 0, 0, "", "PATH",
     "the recording; %p pid, %t time (default /var/tmp/parkmeter-%p-%t.park)"},
    {"keep", COUNT, 0, AT(keep), 0, 0, 100000, "2", "N",
     "recordings of ended JVMs left in that folder"},
    {"maxsize", SIZE, LIVE, AT(maxsize), 0, 1 << 20, (int64_t)1 << 44, "256m", "SIZE",
     "of the file; the oldest waits make room"},
    {"maxage", TIME, LIVE, AT(maxage_ns), 0, 0, INT64_MAX, "none", "TIME",
     "older waits are dropped; what they added up to stays"},
    {"snapshot", TIME, LIVE, AT(snapshot_ns), 0, 10000000, 3600000000000, "1s", "TIME",
     "between snapshots of the counters"},
    {"flush", TIME, LIVE, AT(flush_ns), 0, 10000000, 3600000000000, "1s", "TIME",
     "between writes to the file"},
    {"events", SWITCH, LIVE, AT(events), 0, 0, 0, "on", "on|off",
     "store each wait; off: counters only"},
    {"mintime", TIME, LIVE, AT(mintime_ns), 0, 0, INT64_MAX, "0", "TIME",
     "shorter waits are counted, not stored"},
    {"minparks", COUNT, WIDE | LIVE, AT(minparks), 0, 0, INT64_MAX, "0", "N",
     "store the waits of a blocker from its Nth on"},
    {"stackdepth", COUNT, 0, AT(stackdepth), 0, 1, 512, "64", "N", "frames of a call chain"},
    {"monitors", SWITCH, 0, AT(monitors), 0, 0, 0, "on", "on|off",
     "record synchronized and Object.wait"},
    {"vthreads", SWITCH, 0, AT(vthreads), 0, 0, 0, "on", "on|off",
     "record the waits of virtual threads"},
    {"idle", SWITCH, LIVE, AT(idle), 0, 0, 0, "on", "on|off",
     "store the waits of idle pool threads"},
    {"enders", SWITCH, LIVE, AT(enders), 0, 0, 0, "on", "on|off",
     "look at what those do that others wait for, though they own no lock"},
    {"accounts", TEXT, 0, AT(accounts), ROOM(accounts), 0, 0, "", "P;P",
     "package patterns to charge waiting to: com.acme.*;org.foo"},
    {"report", TEXT, LIVE, AT(report), ROOM(report), 0, 0, "off", "off|stderr|PATH",
     "a table of blockers at exit and at SIGQUIT"},
    {"printminparks", COUNT, WIDE | LIVE, AT(printminparks), 0, 0, INT64_MAX, "0", "N",
     "leave blockers with fewer waits out of that table"},
    {"freeonprint", SWITCH, LIVE, AT(freeonprint), 0, 0, 0, "off", "on|off",
     "forget a blocker once it was printed"},
    {"socket", TEXT, 0, AT(socket), ROOM(socket), 0, 0, "", "PATH|off",
     "where parkctl reaches the recorder (default /tmp/.parkmeter-PID)"},
    {"paused", SWITCH, 0, AT(paused), 0, 0, 0, "off", "on|off",
     "load, but record only after parkctl start"},
    {"strict", SWITCH, 0, AT(strict), 0, 0, 0, "off", "on|off",
     "a recorder that cannot record stops the JVM"},
    {"help", SWITCH, 0, AT(help), 0, 0, 0, "off", "", "print this table"},
    {"test_buffer", COUNT, HIDDEN, AT(test_buffer), 0, 0, 1 << 20, "0", "N", ""},
    {"test_slots", COUNT, HIDDEN, AT(test_slots), 0, 0, 1 << 20, "0", "N", ""},
    {"test_reclaim", SWITCH, HIDDEN, AT(test_reclaim), 0, 0, 0, "off", "on|off", ""},
    {"test_chains", SWITCH, HIDDEN, AT(test_chains), 0, 0, 0, "off", "on|off", ""},
#undef AT
#undef ROOM
};

#define N_ROWS (sizeof rows / sizeof *rows)

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit size_units[] = {{"", 1},         {"k", 1 << 10},  {"kb", 1 << 10},
                                         {"m", 1 << 20},  {"mb", 1 << 20}, {"g", 1 << 30},
                                         {"gb", 1 << 30}, {NULL, 0}};

static const struct unit time_units[] = {{"ns", 1},
                                         {"us", 1000},
                                         {"ms", 1000000},
                                         {"s", 1000000000},
                                         {"m", 60 * INT64_C(1000000000)},
                                         {"h", 3600 * INT64_C(1000000000)},
                                         {"d", 86400 * INT64_C(1000000000)},
                                         {NULL, 0}};

static const struct unit no_units[] = {{"", 1}, {NULL, 0}};

/* Whole numbers with a unit; false when malformed or too large for int64_t. */
static bool read_number(const char *text, const struct unit *units, int64_t *ret_value)
{
    if (*text < '0' || *text > '9')
        return false;
    int64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(*text - '0'), &value))
            return false;
    }
    /* "0" needs no unit */
    if (value == 0 && *text == '\0') {
        *ret_value = 0;
        return true;
    }
    char unit[4];
    size_t length = strlen(text);
    if (length >= sizeof unit)
        return false;
    for (size_t i = 0; i <= length; i++)
        unit[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];
    for (const struct unit *u = units; u->name; u++) {
        if (strcmp(u->name, unit) == 0)
            return !__builtin_mul_overflow(value, u->factor, ret_value);
    }
    return false;
}

static bool read_switch(const char *text, bool *ret_value)
{
    static const struct {
        const char *text;
        bool value;
    } words[] = {{"on", true},   {"true", true},   {"yes", true}, {"1", true},
                 {"off", false}, {"false", false}, {"no", false}, {"0", false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].text, text) == 0) {
            *ret_value = words[i].value;
            return true;
        }
    }
    return false;
}

/* Edits between two short words, for "did you mean". */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[40];
    size_t n = strlen(b);
    if (strlen(a) >= 40 || n >= 40)
        return 40;
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[n];
}

static const struct row *nearest(const char *name)
{
    const struct row *best = NULL;
    unsigned best_distance = 40;
    for (size_t i = 0; i < N_ROWS; i++) {
        unsigned d = distance(name, rows[i].name);
        if (!(rows[i].flags & HIDDEN) && d < best_distance) {
            best = &rows[i];
            best_distance = d;
        }
    }
    unsigned allowed = strlen(name) > 5 ? 3 : strlen(name) > 3 ? 2 : 1;
    return best_distance <= allowed ? best : NULL;
}

/* The names of the rows that have `flags`, and none that is hidden. */
static void join_names(unsigned flags, char *ret_names, size_t size)
{
    size_t used = 0;
    ret_names[0] = 0;
    for (size_t i = 0; i < N_ROWS && used < size; i++) {
        if (!(rows[i].flags & HIDDEN) && (rows[i].flags & flags) == flags)
            used += (size_t)snprintf(ret_names + used, size - used, "%s%s", used ? " " : "",
                                     rows[i].name);
    }
}

const char *pm_options_names(void)
{
    static char names[256];
    if (!names[0]) {
        char text[sizeof names];
        join_names(0, text, sizeof text);
        memcpy(names, text, sizeof names);
    }
    return names;
}

static bool is_same(const struct row *row, const struct pm_options *a, const struct pm_options *b)
{
    const char *left = (const char *)a + row->offset, *right = (const char *)b + row->offset;
    switch (row->kind) {
    case TEXT:
        return strcmp(left, right) == 0;
    case SWITCH:
        return *(const bool *)left == *(const bool *)right;
    case COUNT:
        return memcmp(left, right, row->flags & WIDE ? sizeof(uint64_t) : sizeof(uint32_t)) == 0;
    default:
        return memcmp(left, right, sizeof(int64_t)) == 0;
    }
}

int pm_options_check_live(const struct pm_options *now, const struct pm_options *changed,
                          struct pm_error_info *ret_info)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        if (!(rows[i].flags & LIVE) && !is_same(&rows[i], now, changed)) {
            char names[160];
            join_names(LIVE, names, sizeof names);
            return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                                "%s cannot change while recording; these can: %s", rows[i].name,
                                names);
        }
    }
    return 0;
}

static int say_unknown(const char *name, struct pm_error_info *ret_info)
{
    const struct row *near = nearest(name);
    if (near)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "unknown option '%.40s', did you mean '%s'?", name, near->name);
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "unknown option '%.20s'; options: %s",
                        name, pm_options_names());
}

static int say_malformed(const struct row *row, const char *text, struct pm_error_info *ret_info)
{
    static const char *const wanted[] = {
        [TEXT] = "a text that fits",
        [SIZE] = "a size of 1m or more, as 256m or 4g",
        [TIME] = "a time with its unit, as 500us, 20ms, 1s, 10m, 2h or 7d",
        [COUNT] = "a whole number",
        [SWITCH] = "on or off",
    };
    if (row->kind == COUNT && row->max != INT64_MAX)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "option '%s' takes a whole number from %lld to %lld, not '%.40s'",
                            row->name, (long long)row->min, (long long)row->max, text);
    if (row->kind == TIME && row->min > 0)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "option '%s' takes a time from 10ms to 1h with its unit, not '%.40s'",
                            row->name, text);
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "option '%s' takes %s, not '%.40s'",
                        row->name, wanted[row->kind], text);
}

/* One option; `text` is NULL when there was no '='. */
static int set(struct pm_options *options, const char *name, const char *text,
               struct pm_error_info *ret_info)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0)
            row = &rows[i];
    }
    if (!row)
        return say_unknown(name, ret_info);
    if (!text) {
        if (row->kind != SWITCH)
            return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "option '%s' needs a value: %s=%s",
                                row->name, row->name, row->value);
        text = "on";
    }

    char *at = (char *)options + row->offset;
    int64_t number = 0;
    bool right = true;
    switch (row->kind) {
    case TEXT:
        right = strlen(text) < row->capacity;
        if (right)
            memcpy(at, text, strlen(text) + 1);
        break;
    case SWITCH:
        right = read_switch(text, (bool *)at);
        break;
    case TIME:
        right =
            (row->min == 0 && strcmp(text, "none") == 0) || read_number(text, time_units, &number);
        break;
    case SIZE:
        right = read_number(text, size_units, &number);
        break;
    case COUNT:
        right = read_number(text, no_units, &number);
        break;
    }
    if (row->kind == TIME || row->kind == SIZE || row->kind == COUNT) {
        right = right && number >= row->min && number <= row->max;
        if (right && ((row->flags & WIDE) || row->kind != COUNT))
            memcpy(at, &number, sizeof number);
        else if (right)
            memcpy(at, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    }
    return right ? 0 : say_malformed(row, text, ret_info);
}

void pm_options_default(struct pm_options *ret_options)
{
    memset(ret_options, 0, sizeof *ret_options);
    for (size_t i = 0; i < N_ROWS; i++)
        set(ret_options, rows[i].name, rows[i].initial, NULL);
}

int pm_options_parse(struct pm_options *options, const char *text, struct pm_error_info *ret_info)
{
    struct pm_options parsed = *options;
    char part[PM_OPTIONS_PATH_MAX + 64];
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length >= sizeof part)
            return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "option '%.20s…' is too long",
                                text);
        memcpy(part, text, length);
        part[length] = '\0';
        text += length + (text[length] == ',');
        if (length == 0)
            continue;
        char *equals = strchr(part, '=');
        if (equals)
            *equals = '\0';
        int error = set(&parsed, part, equals ? equals + 1 : NULL, ret_info);
        if (error)
            return error;
    }
    *options = parsed;
    return 0;
}

const char *pm_options_help(void)
{
    static char help[4096];
    if (!help[0]) {
        size_t used = 0;
        for (size_t i = 0; i < N_ROWS; i++) {
            if ((rows[i].flags & HIDDEN))
                continue;
            char left[64];
            snprintf(left, sizeof left, "%s%s%s", rows[i].name, *rows[i].value ? "=" : "",
                     rows[i].value);
            used +=
                (size_t)snprintf(help + used, sizeof help - used, "  %-24s %s", left, rows[i].help);
            if (rows[i].kind != TEXT && strcmp(rows[i].name, "help") != 0)
                used += (size_t)snprintf(help + used, sizeof help - used, " (default %s)",
                                         rows[i].initial);
            used += (size_t)snprintf(help + used, sizeof help - used, "\n");
        }
    }
    return help;
}
