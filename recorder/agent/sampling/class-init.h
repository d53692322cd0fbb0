/* Waits for the initialisation of a class by another thread, which no event reports. A platform
 * thread waits for one if it has used no processor time for a second, is in no recorded wait, and
 * is blocked inside the VM at an instruction that needs a class which another thread is
 * initialising. The blocker is the initialisation, not the java.lang.Class: it has its own row and
 * name, "a.B.<clinit>". On the sweep's thread, unless noted otherwise. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

#define PM_CLASS_INIT_STILL_NS INT64_C(1000000000)

/* A class that is being initialised. */
struct pm_class_init {
    uintptr_t klass;  /* HotSpot's; 0: none */
    uintptr_t thread; /* the JavaThread that runs it */
    uint32_t hash;    /* identity hash code of its java.lang.Class */
    pm_class_id name;
};

/* Iterates over threads to examine: those that may wait for a class and were not examined since
 * they last ran, `*at` from 0 up. False: no more at present. Any thread. */
bool pm_class_init_next(size_t *at, pm_thread_id *ret_id, int64_t *ret_tid);
void pm_class_init_note_looked(pm_thread_id id);

/* The class the thread waits for, if any; `*ret_later`: unknown, examine again later. Between
 * pm_epoch_enter and _leave, in a local reference frame. */
bool pm_class_init_find(JNIEnv *env, jthread thread, struct pm_class_init *ret, bool *ret_later);
/* Whether it is still being initialised by that thread. */
bool pm_class_init_lasts(const struct pm_class_init *init);
/* Its blocker, with the `chain` and `thread` of this wait if it is new. 0: no room. */
pm_blocker_id pm_class_init_blocker(const struct pm_class_init *init, pm_chain_id chain,
                                    pm_thread_id thread);
/* Removes blockers whose class has been initialised, and that no recorded wait is for any more. */
void pm_class_init_tidy(bool (*is_waited_for)(const struct pm_class_init *init));

/* Who runs it; 0: not known. */
pm_thread_id pm_class_init_owner(const struct pm_class_init *init);
/* The same by blocker, 0 once it is over. False: the blocker is not a class. Any thread. */
bool pm_class_init_owner_of(pm_blocker_id blocker, pm_thread_id *ret_owner);
