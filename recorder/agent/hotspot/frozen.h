/* Frames of virtual threads that are frozen on the heap, in the stack chunks of their continuation:
 * which words of a chunk identify them. ParkmeterParks.java compares those words with the lists
 * kept here, because only Java can read them while a GC may move them, and records a new list if
 * none matches. A list has a number that is never reused.
 *
 *   frame         is known by                           leads to the next one by
 *   interpreted   its bytecode pointer (of a native     saved frame pointer and, to a compiled one,
 *                 method its Method*)                   the caller's stack pointer: distances in a
 * chunk compiled      the return address into it            its size
 *
 * As with keys of stacks (frames.h), the words prove the frames: a list is used only after the
 * JVM's own walk has led through the same methods (walk.c), and at each hit its code and methods
 * are checked again. Makes no JVM calls; any thread; takes a lock to add and to look up. x86-64. */
#pragma once

#include "recorder/agent/hotspot/frames.h"

/* In place of a number; 0: there are no such frames. */
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

/* Once. `max_frames`: how many frames are relevant. 0 or PM_ERROR_MEMORY. */
int pm_frozen_init(uint32_t max_frames);
const struct pm_frozen_entry *pm_frozen_table(void);
/* The last position where a chunk of a list may begin. */
const int64_t *pm_frozen_last(void);

/* Makes a list from a copy of a chunk's words, made by ParkmeterParks.copy. Returns its number, or
 * PM_FROZEN_UNKNOWN. `n`: the maximum number of words. */
int64_t pm_frozen_learn(int64_t key, const int64_t *copy, size_t n);
/* Appends its frames, and the code they run, to those of a complete walk. False: the list was
 * forgotten, or its code has changed. */
bool pm_frozen_add(int64_t id, struct pm_frames *frames);
/* They are not what the JVM says. */
void pm_frozen_forget(int64_t id);

/* Open memory for lists that none has taken yet. Any thread. */
uint64_t pm_frozen_unused(void);
