#include "recorder/agent/counters/print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/descriptor.h"
#include "recorder/agent/base/output.h"
#include "recorder/agent/base/text.h"

/* Most bytes of a name that are shown, and of anything that is put at once. */
#define CLASS_SHOWN_MAX 500
#define NAME_SHOWN_MAX  200
#define PIECE_MAX       1024
#define READER_NS       500000000

struct table {
    struct pm_counters *rows;
    size_t n, capacity;
    uint64_t min_parks;
    int64_t n_left_out, times;
};

/* Gathers text and writes it in large pieces. */
struct page {
    int fd;
    int64_t until_ns; /* waits for a reader no longer */
    int error;
    size_t length;
    char bytes[8192];
};

static void write_out(struct page *page)
{
    if (!page->error)
        page->error = pm_output_write(page->fd, page->bytes, page->length, page->until_ns);
    page->length = 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct page *page, const char *format, ...)
{
    if (sizeof page->bytes - page->length < PIECE_MAX)
        write_out(page);
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof page->bytes - page->length;
    int n = vsnprintf(page->bytes + page->length, room, format, arguments);
    va_end(arguments);
    if (n > 0)
        page->length += (size_t)n < room ? (size_t)n : room - 1;
}

/* A name, for people to read. */
static void put_text(struct page *page, struct pm_text text, size_t max)
{
    if (sizeof page->bytes - page->length < PIECE_MAX)
        write_out(page);
    page->length += pm_text_plain(page->bytes + page->length, max + 1, text);
}

static int gather(void *context, const struct pm_counters *counters)
{
    struct table *table = context;
    table->times += counters->times;
    if ((uint64_t)counters->times < table->min_parks) {
        table->n_left_out++;
        return 0;
    }
    if (table->n == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        struct pm_counters *more = realloc(table->rows, capacity * sizeof *more);
        if (!more)
            return PM_ERROR_MEMORY;
        table->rows = more;
        table->capacity = capacity;
    }
    table->rows[table->n++] = *counters;
    return 0;
}

static int longest_first(const void *a, const void *b)
{
    const struct pm_counters *left = a;
    const struct pm_counters *right = b;
    if (left->thread_time_ns != right->thread_time_ns)
        return left->thread_time_ns < right->thread_time_ns ? 1 : -1;
    return left->blocker.n < right->blocker.n ? -1 : 1;
}

static void put_class(struct page *page, const struct pm_dictionary *dictionary, pm_class_id id)
{
    struct pm_class class;
    if (id.n == 0)
        put(page, "(none)");
    else if (dictionary->get_class(dictionary->context, id, &class) == 0)
        put_text(page, class.name, CLASS_SHOWN_MAX);
    else
        put(page, "?");
}

static void put_frame(struct page *page, const struct pm_dictionary *dictionary,
                      const struct pm_frame *frame)
{
    struct pm_method method;
    put(page, "    at ");
    if (dictionary->get_method(dictionary->context, frame->method, &method)) {
        put(page, "?\n");
        return;
    }
    /* Borrowed texts end with the next call of the same member only. */
    put_class(page, dictionary, method.class_id);
    put(page, ".");
    put_text(page, method.name, NAME_SHOWN_MAX);
    if (frame->line < 0) {
        put(page, " (native)");
    } else if (method.file.length > 0) {
        put(page, " (");
        put_text(page, method.file, NAME_SHOWN_MAX);
        if (frame->line > 0)
            put(page, ":%d", frame->line);
        put(page, ")");
    }
    put(page, "\n");
}

static double share(int64_t part_ns, int64_t whole_ns)
{
    return whole_ns > 0 ? 100.0 * (double)part_ns / (double)whole_ns : 0.0;
}

static void put_average(struct page *page, const char *name, int64_t sum_ns, int64_t n)
{
    if (n > 0)
        put(page, "  %-29s %12.3f ms\n", name, (double)sum_ns / (double)n / 1e6);
    else
        put(page, "  %-29s            -\n", name);
}

static void put_row(struct page *page, const struct pm_dictionary *dictionary,
                    const struct pm_counters *row, int64_t run_time_ns)
{
    static const char *const kinds[PM_N_KINDS] = {"park", "synchronized", "Object.wait"};
    struct pm_blocker blocker = {0};
    struct pm_thread thread;
    struct pm_chain chain;
    bool known = dictionary->get_blocker(dictionary->context, row->blocker, &blocker) == 0;
    const char *bound = row->bound ? "  (at least)" : "";
    put(page, "\n");
    if (known)
        put_class(page, dictionary, blocker.class_id);
    else
        put(page, "?");
    put(page, " %08" PRIx32 "  %s\n", blocker.hash, kinds[row->kind % PM_N_KINDS]);
    if (blocker.first_thread.n &&
        dictionary->get_thread(dictionary->context, blocker.first_thread, &thread) == 0) {
        put(page, "  %-29s ", "Thread name");
        put_text(page, thread.name, NAME_SHOWN_MAX);
        put(page, "\n");
    }
    int64_t life_ns = row->last_ns - row->first_ns;
    put(page, "  %-29s %12" PRId64 "\n", "Times parked", row->times);
    put(page, "  %-29s %12" PRIu32 "\n", "Parked now", row->now);
    put(page, "  %-29s %12" PRIu32 "%s\n", "Peak parked", row->peak, bound);
    put(page, "  %-29s %12.3f s\n", "Parking thread-time", (double)row->thread_time_ns / 1e9);
    put(page, "  %-29s %12.3f s%s\n", "Parking real-time", (double)row->real_time_ns / 1e9, bound);
    put_average(page, "Average parking time", row->thread_time_ns, row->times);
    put_average(page, "Average hold time", row->real_time_ns, row->times - row->now);
    put(page, "  %-29s %12.3f ms\n", "Longest", (double)row->longest_ns / 1e6);
    put(page, "  %-29s %12.2f %%\n", "Real-time utilisation",
        share(row->real_time_ns, run_time_ns));
    put(page, "  %-29s %12.2f %%\n", "Thread-time utilisation",
        share(row->thread_time_ns, run_time_ns));
    put(page, "  %-29s %12.2f %%\n", "Real-life-time utilisation",
        share(row->real_time_ns, life_ns));
    put(page, "  %-29s %12.2f %%\n", "Thread-life-time utilisation",
        share(row->thread_time_ns, life_ns));
    if (blocker.first_chain.n &&
        dictionary->get_chain(dictionary->context, blocker.first_chain, &chain) == 0) {
        for (uint32_t i = 0; i < chain.n_frames; i++) {
            struct pm_frame frame = chain.frames[i];
            put_frame(page, dictionary, &frame);
        }
    }
}

static int print_table(int fd, const struct pm_ledger *ledger,
                       const struct pm_dictionary *dictionary,
                       const struct pm_print_options *options)
{
    struct table table = {.min_parks = options->min_parks};
    struct page *page = malloc(sizeof *page);
    if (!page)
        return PM_ERROR_MEMORY;
    page->fd = fd;
    page->until_ns = pm_clock_now() + READER_NS;
    page->error = 0;
    page->length = 0;
    int error = pm_ledger_each(ledger, INT64_MIN, true, gather, &table);
    if (!error) {
        if (table.n > 0)
            qsort(table.rows, table.n, sizeof *table.rows, longest_first);
        put(page, "Parkmeter: pid %" PRIu32 "  ", options->pid);
        put_text(page, options->main, NAME_SHOWN_MAX);
        size_t n = table.n + (size_t)table.n_left_out;
        put(page, "  %.3f s, %zu blocker%s, %" PRId64 " wait%s\n",
            (double)options->run_time_ns / 1e9, n, n == 1 ? "" : "s", table.times,
            table.times == 1 ? "" : "s");
        for (size_t i = 0; i < table.n; i++)
            put_row(page, dictionary, &table.rows[i], options->run_time_ns);
        if (table.n_left_out > 0) {
            put(page,
                "\n%" PRId64 " blocker%s parked on less than %" PRIu64
                " times %s left out (printminparks)\n",
                table.n_left_out, table.n_left_out == 1 ? "" : "s", options->min_parks,
                table.n_left_out == 1 ? "is" : "are");
        }
        write_out(page);
        error = page->error;
    }
    free(table.rows);
    free(page);
    return error;
}

int pm_print_report(const char *where, const struct pm_ledger *ledger,
                    const struct pm_dictionary *dictionary, const struct pm_print_options *options)
{
    if (!*where || strcmp(where, "off") == 0)
        return 0;
    if (strcmp(where, "stderr") == 0)
        return print_table(STDERR_FILENO, ledger, dictionary, options);
    int fd = pm_descriptor_keep(
        open(where, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (fd < 0) {
        int error = errno;
        char plain[PIECE_MAX];
        pm_text_plain(plain, sizeof plain, (struct pm_text){where, (uint32_t)strlen(where)});
        char line[PIECE_MAX + 100];
        int n = snprintf(line, sizeof line, "parkmeter: cannot write report=%s: %s\n", plain,
                         strerror(error));
        (void)pm_output_write(STDERR_FILENO, line, (size_t)n, 0);
        return 0;
    }
    int error = print_table(fd, ledger, dictionary, options);
    close(fd);
    return error;
}
