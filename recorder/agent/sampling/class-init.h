/* Waits for the initialisation of a class that another thread runs, of which no event tells: a
 * platform thread that used no processor for a second, stands in no recorded wait and is blocked
 * inside the VM, at an instruction that needs a class which is being initialised elsewhere, waits
 * for that. The blocker is the initialisation, not the java.lang.Class: it has a row and a name of
 * its own, "a.B.<clinit>". On the sweep's thread, but where it says otherwise. */
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

/* Threads to look at: those that may wait for a class and were not looked at since they last moved,
 * `*at` from 0 up, as rows of the table of threads. False: no more of them now. Any thread. */
bool pm_class_init_next(uint32_t *at, pm_thread_id *ret_id, int64_t *ret_tid);
void pm_class_init_note_looked(pm_thread_id id);

/* What the thread waits for, if it is that; `*ret_later`: it is not known, look again. Between
 * pm_epoch_enter and _leave, in a frame of local references. */
bool pm_class_init_find(JNIEnv *env, jthread thread, int64_t tid, struct pm_class_init *ret,
                        bool *ret_later);
/* Is it still being initialised by that thread? */
bool pm_class_init_lasts(const struct pm_class_init *init);
/* Its blocker, with the `chain` and `thread` of this wait if it is new. 0: there is no room. */
pm_blocker_id pm_class_init_blocker(const struct pm_class_init *init, pm_chain_id chain,
                                    pm_thread_id thread);
/* Blockers whose class is initialised leave. After the waits for them were ended. */
void pm_class_init_tidy(void);

/* Who runs it; 0: not known. */
pm_thread_id pm_class_init_owner(const struct pm_class_init *init);
/* The same by the blocker, 0 once it is over. False: the blocker is no class. Any thread. */
bool pm_class_init_owner_of(pm_blocker_id blocker, pm_thread_id *ret_owner);
