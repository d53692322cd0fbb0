/* The notifier of an Object.wait: the hooks of Object.notify and notifyAll, for which JVMTI has no
 * event, and a small table in which a notifier leaves a note that the waiter finds when it resumes.
 * Notes are stored by the identity hash of the object, and only while some thread waits there; a
 * notify costs one load while no thread waits anywhere, and a hash code while none waits there.
 * Lock-free; a note that two notifiers write at once is marked ambiguous. */
#pragma once

#include "recorder/agent/hooks/current-thread.h"

/* Registers the hooks. False: notifiers stay unknown, nothing has changed. */
bool pm_notify_prepare(JNIEnv *env);

/* The current thread is about to wait for the object. `hash`: its identity hash code, 0: not known.
 */
void pm_notify_watch(struct pm_open_wait *wait, jobject object, uint32_t hash);

struct pm_notify_note {
    pm_thread_id notifier;
    pm_chain_id chain;
    int64_t at_ns;
    bool ambiguous; /* other threads also notified there while it waited */
    bool sure;      /* it reached every thread that waited there at that instant */
};
enum pm_notify_answer {
    PM_NOTIFY_NOBODY, /* nobody notified it since its begin */
    PM_NOTIFY_NOTE,   /* who did is in the note */
    PM_NOTIFY_MAYBE,  /* other waiters were notified instead, or notifiers are not seen here */
};
/* The wait is over: stops watching. */
enum pm_notify_answer pm_notify_take(struct pm_open_wait *wait, struct pm_notify_note *ret_note);

/* Marks the chains of the notes as used (pm_chain_use). Any thread. */
void pm_notify_use_chains(void);
