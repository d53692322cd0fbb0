/* The table of threads: every platform thread that was seen waiting, waking another, owning
 * something or alive, by Thread.tid. Bounded: of those that ended PM_THREADS_ENDED are kept, more
 * only while the recording may still tell of them, and when the table is full the threads that
 * ended first are removed. Of virtual threads, which are many, short-lived and mostly without a
 * name, there are only the names: their ids follow from Thread.tid, and of those with a name the
 * oldest are removed that no wait refers to. Lock-free to read. Makes no JVM calls. */
#pragma once

#include <stdatomic.h>

#include "format/record.h"

#define PM_THREAD_NAME_MAX   120
#define PM_THREADS_ENDED     4096
#define PM_THREADS_ENDED_MAX 16384 /* told or not */
#define PM_THREADS_VIRTUAL_MAX                                                                     \
    65536 /* names; who is met again after that is asked for it again                              \
           */

/* A thread's processor time, as last read. */
struct pm_thread_activity {
    int64_t read_ns; /* 0: never; cpu_ns is what was used before the thread began */
    int64_t cpu_ns, run_delay_ns;
    int64_t still_ns; /* the first reading after which it has used none */
};

struct pm_thread_row {
    int64_t tid;
    int64_t begin_ns;     /* 0 = before the recording */
    int64_t end_ns;       /* 0 = lives */
    int64_t removable_ns; /* since when the row is the table's own: it has ended, or is known not to
                           * live; 1: it is virtual; 0: not yet */
    bool is_virtual, is_daemon;
    int32_t native_id; /* the kernel's; 0 = not known */
    struct pm_thread_activity activity;
    int64_t looked_ns; /* its still_ns, as it was looked at last for what it waits for */
    uint16_t name_length;
    uint32_t name_at;              /* the table's own */
    char name[PM_THREAD_NAME_MAX]; /* UTF-8, cut at a character; in a copy only */
};

int pm_thread_table_init(uint32_t max_threads);
void pm_thread_table_clear(void);

/* The id of a virtual thread. Takes no lock. `may_have_name`: one that was not asked for, and is
 * added if the thread is met. 0: it has no tid. */
pm_thread_id pm_thread_virtual(int64_t tid, bool may_have_name);
bool pm_thread_is_virtual(pm_thread_id id);
/* The id for `tid`, added if it is new; 0 if the table is full of live threads. `name` is in the
 * JVM's encoding (text.h), here and below. */
pm_thread_id pm_thread_add(int64_t tid, const char *name, bool is_virtual, bool is_daemon,
                           int64_t begin_ns);
/* 0 when it is not known, as virtual threads without a name are not. */
pm_thread_id pm_thread_find(int64_t tid);
/* As long as this does not change, a thread that was found is still in the table. */
extern _Atomic uint32_t pm_thread_removals;
bool pm_thread_get(pm_thread_id id, struct pm_thread_row *ret_row);
/* Gives it another name, if it is another. */
void pm_thread_rename(pm_thread_id id, const char *name);
/* Threads that were renamed since the last call. Drain only. */
size_t pm_thread_take_renamed(pm_thread_id *ret_ids, size_t max);
/* Is it one of the recorder's own? */
bool pm_thread_is_ours(const struct pm_thread_row *row);
/* … or of the JVM's, by its name? */
bool pm_thread_is_of_jvm(const struct pm_thread_row *row);
/* … namely the one that puts references into their queues, and never runs code of the program? */
bool pm_thread_is_reference_handler(const struct pm_thread_row *row);
/* `used_ns`: the processor time that the kernel's thread had used before this one began. */
void pm_thread_set_native(pm_thread_id id, int32_t native_id, int64_t used_ns);
/* A platform thread that does not live as of `now_ns`: it has not begun yet, or ended long ago.
 * Nobody will say that it ends. */
void pm_thread_set_absent(pm_thread_id id, int64_t now_ns);
/* It begins, though it may have been met before; the rest as above. */
void pm_thread_begin(pm_thread_id id, int64_t begin_ns, int32_t native_id, int64_t used_ns);
void pm_thread_set_activity(pm_thread_id id, const struct pm_thread_activity *activity);
void pm_thread_set_looked(pm_thread_id id, int64_t still_ns);
void pm_thread_end(pm_thread_id id, int64_t end_ns);
/* All that threads did that had ended by then is in the recording. Drain only. */
void pm_thread_told(int64_t until_ns);
/* Iterates over all rows of platform threads, `index` from 0 up; false past the last. `*ret_id` 0:
 * an empty row. */
bool pm_thread_visit(uint32_t index, pm_thread_id *ret_id, struct pm_thread_row *ret_row);

uint32_t pm_thread_last_id(void);
uint64_t pm_thread_memory(void);
