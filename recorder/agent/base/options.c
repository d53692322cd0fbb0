#include "recorder/agent/base/options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the first two in each row. */
enum {
    FIXED = 1 << 0,  /* as it was when the recorder was loaded */
    LIVE = 1 << 1,   /* can change while recording */
    HIDDEN = 1 << 2, /* for tests; in no help */
};

struct row {
    const char *name;
    /* Reads the value into its member: false, with nothing changed, when it is malformed or out of
     * bounds. */
    bool (*apply)(const struct row *row, void *at, const char *text);
    unsigned flags;
    size_t offset, capacity; /* of the member of struct pm_options */
    int64_t min, max;        /* of a number */
    const char *initial;
    const char *value; /* in the help */
    const char *help;
};

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
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(*text - '0'), &value))
            return false;
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
    for (const struct unit *u = units; u->name; u++)
        if (strcmp(u->name, unit) == 0)
            return !__builtin_mul_overflow(value, u->factor, ret_value);
    return false;
}

/* It fits: set() has seen to that. */
static bool apply_text(const struct row *row, void *at, const char *text)
{
    memcpy(at, text, strlen(text) + 1);
    return true;
}

/* Patterns of packages and classes, groups of them; whoever reads the recording takes them apart.
 */
static bool apply_patterns(const struct row *row, void *at, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c & 0x80);
        if (!is_letter && !(*c >= '0' && *c <= '9') && !strchr("._$*-=; ", *c))
            return false;
    }
    return apply_text(row, at, text);
}

static bool apply_number(const struct row *row, void *at, const char *text,
                         const struct unit *units)
{
    int64_t number;
    if (!read_number(text, units, &number) || number < row->min || number > row->max)
        return false;
    if (row->capacity == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)number;
    else
        *(int64_t *)at = number;
    return true;
}

static bool apply_size(const struct row *row, void *at, const char *text)
{
    return apply_number(row, at, text, size_units);
}

/* -1 is off; `on` is the default of those who do not want to choose. */
static bool apply_interval(const struct row *row, void *at, const char *text)
{
    if (strcmp(text, "off") != 0)
        return apply_number(row, at, strcmp(text, "on") == 0 ? "512k" : text, size_units);
    *(int64_t *)at = -1;
    return true;
}

static bool apply_time(const struct row *row, void *at, const char *text)
{
    return apply_number(row, at, row->min == 0 && strcmp(text, "none") == 0 ? "0" : text,
                        time_units);
}

static bool apply_count(const struct row *row, void *at, const char *text)
{
    return apply_number(row, at, text, no_units);
}

static bool apply_switch(const struct row *row, void *at, const char *text)
{
    static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], text) == 0) {
            *(bool *)at = i & 1;
            return true;
        }
    }
    return false;
}

/* The one table of options: the hidden ones last. A switch is `name`, `name=on` or `name=off`.
 * `initial` is read by the same function as the user's text. */
static const struct row rows[] = {
#define AT(member) offsetof(struct pm_options, member), sizeof(((struct pm_options *)0)->member)
    {"file", apply_text, FIXED, AT(file), 0, 0, "", "PATH",
     "the recording; %p is the pid, %t the time (default /var/tmp/parkmeter-%p-%t.park)"},
    {"keep", apply_count, FIXED, AT(keep), 0, 100000, "2", "N",
     "how many recordings of ended JVMs to keep in that folder"},
    {"maxsize", apply_size, LIVE, AT(maxsize), 1 << 20, (int64_t)1 << 44, "256m", "SIZE",
     "maximum size of the file; the oldest waits are overwritten"},
    {"maxage", apply_time, LIVE, AT(maxage_ns), 0, INT64_MAX, "none", "TIME",
     "discard waits older than this; their totals are kept"},
    {"snapshot", apply_time, LIVE, AT(snapshot_ns), 10000000, 3600000000000, "1s", "TIME",
     "interval between snapshots of the counters"},
    {"flush", apply_time, LIVE, AT(flush_ns), 10000000, 3600000000000, "1s", "TIME",
     "interval between writes to the file"},
    {"events", apply_switch, LIVE, AT(events), 0, 0, "on", "on|off",
     "store each wait; off: counters only"},
    {"mintime", apply_time, LIVE, AT(mintime_ns), 0, INT64_MAX, "0", "TIME",
     "count shorter waits without storing them"},
    {"minparks", apply_count, LIVE, AT(minparks), 0, INT64_MAX, "0", "N",
     "store the waits of a blocker only from its Nth on"},
    {"stackdepth", apply_count, FIXED, AT(stackdepth), 1, 512, "64", "N",
     "maximum frames in a stack trace"},
    {"monitors", apply_switch, FIXED, AT(monitors), 0, 0, "on", "on|off",
     "record synchronized and Object.wait"},
    {"vthreads", apply_switch, FIXED, AT(vthreads), 0, 0, "on", "on|off",
     "record waits of virtual threads"},
    {"idle", apply_switch, LIVE, AT(idle), 0, 0, "on", "on|off",
     "store the waits of idle pool threads"},
    {"enders", apply_switch, LIVE, AT(enders), 0, 0, "on", "on|off",
     "sample threads that others wait for even if they own no lock"},
    {"census", apply_switch, LIVE, AT(census), 0, 0, "on", "on|off",
     "record each thread's processor time once a second"},
    {"alloc", apply_interval, LIVE, AT(alloc_bytes), 0, 1 << 30, "off", "off|SIZE",
     "sample one allocation in SIZE bytes on average (512k; 0: count every object, for "
     "development)"},
    {"accounts", apply_patterns, FIXED, AT(accounts), 0, 0, "", "P;P",
     "package patterns that waits are charged to: com.acme.*;db=org.h2.*"},
    {"report", apply_text, LIVE, AT(report), 0, 0, "off", "off|stderr|PATH",
     "print a table of blockers at exit and at SIGQUIT"},
    {"printminparks", apply_count, LIVE, AT(printminparks), 0, INT64_MAX, "0", "N",
     "omit blockers with fewer waits from that table"},
    {"freeonprint", apply_switch, LIVE, AT(freeonprint), 0, 0, "off", "on|off",
     "once that table is printed, forget blockers whose object was collected"},
    {"socket", apply_text, FIXED, AT(socket), 0, 0, "", "PATH|off",
     "where parkctl reaches the recorder (default /tmp/.parkmeter-PID)"},
    {"paused", apply_switch, FIXED, AT(paused), 0, 0, "off", "on|off",
     "load without recording until parkctl PID start"},
    {"strict", apply_switch, FIXED, AT(strict), 0, 0, "off", "on|off",
     "stop the JVM if recording is impossible"},
    {"help", apply_switch, FIXED, AT(help), 0, 0, "off", "", "print this table"},
    {"test_buffer", apply_count, FIXED | HIDDEN, AT(test_buffer), 0, 1 << 20, "0", "N", ""},
    {"test_slots", apply_count, FIXED | HIDDEN, AT(test_slots), 0, 1 << 20, "0", "N", ""},
    {"test_reclaim", apply_switch, FIXED | HIDDEN, AT(test_reclaim), 0, 0, "off", "on|off", ""},
    {"test_chains", apply_switch, FIXED | HIDDEN, AT(test_chains), 0, 0, "off", "on|off", ""},
    {"test_missing", apply_text, FIXED | HIDDEN, AT(test_missing), 0, 0, "", "NAME", ""},
#undef AT
};

#define N_ROWS (sizeof rows / sizeof *rows)

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

static bool has_text(const struct row *row)
{
    return row->apply == apply_text || row->apply == apply_patterns;
}

static bool is_same(const struct row *row, const struct pm_options *a, const struct pm_options *b)
{
    const char *left = (const char *)a + row->offset, *right = (const char *)b + row->offset;
    return has_text(row) ? strcmp(left, right) == 0 : memcmp(left, right, row->capacity) == 0;
}

int pm_options_check_live(const struct pm_options *now, const struct pm_options *changed,
                          struct pm_error_info *ret_info)
{
    assert(now && changed);
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
    char wanted[80] = "on or off";
    if (row->apply == apply_patterns)
        strcpy(wanted, "packages and classes, such as com.acme.*;db=org.h2.*");
    else if (row->apply == apply_size)
        strcpy(wanted, "a size of 1m or more, such as 256m or 4g");
    else if (row->apply == apply_interval)
        strcpy(wanted, "off, or a size up to 1g, such as 512k; 0 for every object");
    else if (row->apply == apply_time)
        strcpy(wanted, row->min > 0
                           ? "a time from 10ms to 1h with its unit"
                           : "a time with its unit, such as 500us, 20ms, 1s, 10m, 2h or 7d");
    else if (row->apply == apply_count && row->max == INT64_MAX)
        strcpy(wanted, "a whole number");
    else if (row->apply == apply_count)
        snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)row->min,
                 (long long)row->max);
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "option '%s' takes %s, not '%.40s'",
                        row->name, wanted, text);
}

/* One option; `text` is NULL when there was no '='. */
static int set(struct pm_options *options, const char *name, const char *text,
               struct pm_error_info *ret_info)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            row = &rows[i];
    if (!row)
        return say_unknown(name, ret_info);
    if (!text) {
        if (row->apply != apply_switch)
            return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "option '%s' needs a value: %s=%s",
                                row->name, row->name, row->value);
        text = "on";
    }
    if (has_text(row) && strlen(text) >= row->capacity)
        return pm_error_set(ret_info, PM_ERROR_LIMIT, -1, "option '%s' takes at most %zu bytes",
                            row->name, row->capacity - 1);
    return row->apply(row, (char *)options + row->offset, text)
               ? 0
               : say_malformed(row, text, ret_info);
}

void pm_options_default(struct pm_options *ret_options)
{
    memset(ret_options, 0, sizeof *ret_options);
    for (size_t i = 0; i < N_ROWS; i++)
        set(ret_options, rows[i].name, rows[i].initial, NULL);
}

/* One option as given, `NAME` or `NAME=VALUE`. */
static int parse(struct pm_options *options, const char *text, size_t length,
                 struct pm_error_info *ret_info)
{
    char part[PM_OPTIONS_PATH_MAX + 64];
    if (length >= sizeof part)
        return pm_error_set(ret_info, PM_ERROR_LIMIT, -1, "option '%.20s…' is too long", text);
    memcpy(part, text, length);
    part[length] = '\0';
    char *equals = strchr(part, '=');
    if (equals)
        *equals = '\0';
    return set(options, part, equals ? equals + 1 : NULL, ret_info);
}

int pm_options_parse(struct pm_options *options, const char *text, struct pm_error_info *ret_info)
{
    assert(options);
    struct pm_options parsed = *options;
    int too_long = 0;
    if (text && strlen(text) >= PM_OPTIONS_TEXT_MAX)
        too_long = pm_error_set(ret_info, PM_ERROR_LIMIT, -1, "options of more than %d bytes",
                                PM_OPTIONS_TEXT_MAX - 1);
    while (text && *text) {
        const size_t length = strcspn(text, ",");
        const int error = length == 0 ? 0 : parse(&parsed, text, length, ret_info);
        if (error && error != PM_ERROR_LIMIT)
            return error;
        if (error)
            too_long = error;
        text += length + (text[length] == ',');
    }
    if (too_long)
        options->strict = parsed.strict;
    else
        *options = parsed;
    return too_long;
}

const char *pm_options_help(void)
{
    static char help[4096];
    size_t used = 0;
    for (size_t i = 0; i < N_ROWS && !(rows[i].flags & HIDDEN) && used < sizeof help; i++) {
        const struct row *row = &rows[i];
        bool has_default = row->apply != apply_text && strcmp(row->name, "help") != 0;
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", row->name, *row->value ? "=" : "", row->value);
        used += (size_t)snprintf(help + used, sizeof help - used, "  %-24s %s%s%s%s\n", left,
                                 row->help, has_default ? " (default " : "",
                                 has_default ? row->initial : "", has_default ? ")" : "");
    }
    return help;
}

bool pm_options_row(size_t index, struct pm_option *ret_row)
{
    if (index >= N_ROWS)
        return false;
    const struct row *row = &rows[index];
    *ret_row = (struct pm_option){.name = row->name,
                                  .value = row->value,
                                  .initial = row->initial,
                                  .help = row->help,
                                  .is_live = row->flags & LIVE,
                                  .is_hidden = row->flags & HIDDEN};
    return true;
}
