/* bench-decode FILE: decodes every wait and adds up its duration by class of its blocker, on one
 * thread, and prints how fast as JSON. It is the least an overview needs, without a recording in
 * memory. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "format/reader.h"

typedef struct {
    guint32 class_of[1 << 20]; /* by blocker id; ids beyond are summed as class 0 */
    gint64 time[1 << 16];
    guint64 waits;
} Sums;

static int on_blocker(void *context, const struct pm_blocker *blocker)
{
    Sums *s = context;
    if (blocker->id.n < G_N_ELEMENTS(s->class_of))
        s->class_of[blocker->id.n] = blocker->class_id.n % G_N_ELEMENTS(s->time);
    return 0;
}

static int on_waits(void *context, const struct pm_wait_columns *w)
{
    Sums *s = context;
    for (gsize i = 0; i < w->n; i++) {
        guint32 b = w->blocker[i];
        s->time[b < G_N_ELEMENTS(s->class_of) ? s->class_of[b] : 0] += w->duration_ns[i];
    }
    s->waits += w->n;
    return 0;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    struct pm_source source;
    struct pm_reader *reader = NULL;
    struct pm_error_info info = {0};
    if (pm_source_open(argv[1], &source, &info) != PM_OK ||
        pm_reader_open(source, &reader, &info) != PM_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], info.text);
        return 1;
    }
    Sums *sums = g_new0(Sums, 1);
    struct pm_visitor visitor = {.context = sums, .on_blocker = on_blocker, .on_waits = on_waits};
    double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (gsize i = 0; i < pm_reader_n_chunks(reader); i++)
        pm_reader_read_chunk(reader, i, &visitor, NULL, NULL);
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    gint64 time = 0;
    guint classes = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(sums->time); i++) {
        time += sums->time[i];
        classes += sums->time[i] != 0;
    }
    printf("{\"waits\":%" G_GUINT64_FORMAT ",\"classes\":%u,\"thread_time_ns\":%" G_GINT64_FORMAT
           ",\"wall_s\":%.4f,\"cpu_s\":%.4f,\"waits_per_s\":%.0f,\"waits_per_cpu_s\":%.0f}\n",
           sums->waits, classes, time, wall, cpu, (double)sums->waits / MAX(wall, 1e-9),
           (double)sums->waits / MAX(cpu, 1e-9));
    pm_reader_free(reader);
    g_free(sums);
    return 0;
}
