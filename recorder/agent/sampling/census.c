#include "recorder/agent/sampling/census.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/descriptor.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/slot.h"

#define EVERY_NS 1000000000
#define VISITS   8192 /* rows of the table in a second: many are of ended threads */
/* Processors are short where those that could run had none for one part in so many of that time,
 * and used as much as this between two readings. */
#define SHORT_PART 4
#define MUCH_NS    300000000

/* It used less than one part in so many of the time between two readings. */
#define AWAY_PART 10

/* A new thread has used less than this when it begins to run Java. */
#define USED_NS 5000000

/* What the threads read at once used. */
struct use {
    int64_t cpu_ns, run_delay_ns;
    struct pm_census_busy busy;
};

void pm_census_init(struct pm_census *census)
{
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *census = (struct pm_census){.folder = pm_descriptor_keep(folder)};
}

void pm_census_clear(struct pm_census *census)
{
    if (census->folder >= 0)
        close(census->folder);
    census->folder = -1;
}

/* "CPU DELAY SLICES", in ns. */
static bool read_activity(int folder, int32_t native_id, struct pm_thread_activity *ret)
{
    char text[96], name[32];
    snprintf(name, sizeof name, "%d/schedstat", (int)native_id);
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    close(file);
    text[n > 0 ? n : 0] = '\0';
    char *delay;
    ret->cpu_ns = strtol(text, &delay, 10);
    ret->run_delay_ns = strtol(delay, NULL, 10);
    ret->read_ns = pm_clock_now();
    return n > 0;
}

/* What came since the last reading; of a thread that began in the recording, since then, unless the
 * kernel's thread had been used before: how long that waited for a processor is not known. */
static bool since_last(const struct pm_thread_row *row, const struct pm_thread_activity *now,
                       struct pm_census_row *ret_row)
{
    const struct pm_thread_activity *last = &row->activity;
    ret_row->since_ns = last->read_ns ? last->read_ns : row->begin_ns;
    ret_row->at_ns = now->read_ns;
    ret_row->cpu_ns = now->cpu_ns - last->cpu_ns;
    ret_row->run_delay_ns = now->run_delay_ns - last->run_delay_ns;
    return (last->read_ns || last->cpu_ns < USED_NS) && ret_row->since_ns &&
           ret_row->since_ns < ret_row->at_ns && ret_row->cpu_ns >= 0 &&
           ret_row->run_delay_ns >= 0 && ret_row->cpu_ns + ret_row->run_delay_ns > 0;
}

static void add_use(struct use *use, const struct pm_census_row *row)
{
    struct pm_census_busy *busy = &use->busy;
    use->cpu_ns += row->cpu_ns;
    use->run_delay_ns += row->run_delay_ns;
    size_t at = busy->n < PM_CENSUS_BUSY ? busy->n++ : PM_CENSUS_BUSY;
    for (; at > 0 && busy->cpu_ns[at - 1] < row->cpu_ns; at--) {
        if (at < PM_CENSUS_BUSY) {
            busy->cpu_ns[at] = busy->cpu_ns[at - 1];
            busy->threads[at] = busy->threads[at - 1];
        }
    }
    if (at < PM_CENSUS_BUSY) {
        busy->cpu_ns[at] = row->cpu_ns;
        busy->threads[at] = row->thread;
    }
}

bool pm_census_waits(const struct pm_thread_row *thread)
{
    struct pm_slot_view view;
    const struct pm_slot *slot = thread->is_virtual ? NULL : pm_slot_find(thread->tid);
    return slot && pm_slot_look(slot, &view) && view.state == PM_SLOT_PARKED;
}

bool pm_census_can_learn(const struct pm_thread_row *thread)
{
    return !thread->end_ns && !thread->is_virtual && !pm_thread_is_ours(thread) &&
           !pm_census_waits(thread);
}

static bool is_away(const struct pm_thread_row *row, const struct pm_thread_activity *now)
{
    const struct pm_thread_activity *last = &row->activity;
    return last->read_ns && now->read_ns > last->read_ns &&
           now->cpu_ns + now->run_delay_ns - last->cpu_ns - last->run_delay_ns <
               (now->read_ns - last->read_ns) / AWAY_PART &&
           pm_census_can_learn(row);
}

/* Each of those seen so far is kept as likely as the others. */
static void add_away(struct pm_census_away *away, pm_thread_id thread, int64_t now_ns)
{
    size_t at = away->n_seen++;
    if (at >= PM_CENSUS_AWAY)
        at = (size_t)((uint64_t)now_ns * UINT64_C(0x9e3779b97f4a7c15) >> 33) % away->n_seen;
    if (at < PM_CENSUS_AWAY) {
        away->threads[at] = thread;
        away->n += away->n < PM_CENSUS_AWAY && at == away->n;
    }
}

static bool is_short(const struct use *use)
{
    return use->cpu_ns >= MUCH_NS &&
           use->run_delay_ns >= (use->cpu_ns + use->run_delay_ns) / SHORT_PART;
}

void pm_census_take(struct pm_census *census, int64_t now_ns,
                    void (*each)(void *context, const struct pm_census_row *row), void *context)
{
    uint32_t first = census->next_row;
    bool wrapped = false;
    if (census->folder < 0 || now_ns < census->next_ns)
        return;
    census->next_ns = now_ns + EVERY_NS;
    struct use use = {0};
    int n_read = 0;
    census->away = (struct pm_census_away){0};
    for (int visits = 0; visits < VISITS && n_read < PM_CENSUS_AT_ONCE; visits++) {
        struct pm_thread_row row;
        struct pm_thread_activity now;
        struct pm_census_row told;
        if (wrapped && census->next_row >= first)
            break;
        if (!pm_thread_visit(census->next_row++, &told.thread, &row)) {
            census->next_row = 0;
            if (wrapped)
                break;
            wrapped = true;
        } else if (told.thread.n && row.native_id && !row.end_ns && !pm_thread_is_ours(&row) &&
                   read_activity(census->folder, row.native_id, &now)) {
            n_read++;
            bool stands = row.activity.still_ns && row.activity.cpu_ns == now.cpu_ns;
            now.still_ns = stands ? row.activity.still_ns : now.read_ns;
            pm_thread_set_activity(told.thread, &now);
            if (is_away(&row, &now))
                add_away(&census->away, told.thread, now.read_ns);
            if (since_last(&row, &now, &told)) {
                each(context, &told);
                add_use(&use, &told);
            }
        }
    }
    census->busy = is_short(&use) ? use.busy : (struct pm_census_busy){0};
}
