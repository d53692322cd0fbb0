/* Frames of virtual threads that lie frozen on the heap, in chunks of their continuation: what of
 * such a chunk's words tells them from any others. ParkmeterParks.java compares those words with
 * the lists that are kept here, as only Java can read them while a GC may move them, and learns a
 * list anew where none fits. A list has a number, which no other ever gets.
 *
 *   frame         is known by                           leads to the next one by
 *   interpreted   its bytecode pointer (of a native     saved frame pointer and, to a compiled one,
 *                 method its Method*)                   the caller's stack pointer: distances in a
 * chunk compiled      the return address into it            its size
 *
 * As with keys of stacks (frames.h) the words prove the frames: a list is believed only once the
 * JVM's own walk went through the same methods (walk.c), and what its code and methods mean now is
 * looked at at each hit. Free of JVM; any thread, a lock to learn and to look up. x86-64. */
#pragma once

#include "recorder/agent/hotspot/frames.h"

/* In place of a number. */
#define PM_FROZEN_NONE    0    /* there are no such frames */
#define PM_FROZEN_UNKNOWN (-1) /* they cannot be told from others */

/* As in ParkmeterParks.java. */
#define PM_FROZEN_SETS      1024
#define PM_FROZEN_WAYS      4
#define PM_FROZEN_MAX_PAIRS 8192
#define PM_FROZEN_END       0
#define PM_FROZEN_ANY       (-1)

struct pm_frozen_entry {
    _Atomic int64_t id; /* 0: none */
    int64_t key;
    int64_t list; /* its address */
    int64_t unused;
};

/* Once. `max_frames`: how many matter. 0 or PM_ERROR_MEMORY. */
int pm_frozen_init(uint32_t max_frames);
const struct pm_frozen_entry *pm_frozen_table(void);
/* The last place where a chunk of a list may begin. */
const int64_t *pm_frozen_last(void);

/* A list of what the copy, as ParkmeterParks.copy made it, tells of its frames; its number, or
 * PM_FROZEN_UNKNOWN. `n`: words there are at most. */
int64_t pm_frozen_learn(int64_t key, const int64_t *copy, size_t n);
/* Adds its frames, and the code that they run, behind those of a walk that is complete. False: it
 * was forgotten, or its code is another now. */
bool pm_frozen_add(int64_t id, struct pm_frames *frames);
/* They are not what the JVM says. */
void pm_frozen_forget(int64_t id);

/* Of lists, and of the keys of frames.h. Any thread. */
uint64_t pm_frozen_bytes(void);
