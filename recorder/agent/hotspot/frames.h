/* The Java frames of a stack, read from memory without calling the JVM: from the innermost one
 * outwards, along the return addresses and frame pointers that HotSpot itself follows (x86-64).
 *
 * A *key* is what a walk read: the words that led from frame to frame, and what distinguishes the
 * code and methods they refer to from any others. If all of them have the same values again, the
 * same walk leads through the same frames. So a known stack trace is found, and verified, with some
 * dozen comparisons: no notification of unloaded code is needed, nothing is guessed.
 *
 *   frame            is known by                             leads to the next one by
 *   interpreted      its bytecode pointer (of a native       return address, saved frame pointer,
 *                    method its Method*), and that the       or the caller's stack pointer
 *                    jmethodID still names the Method*
 *                    whose bytecodes these are
 *   compiled         the return address into it, and its     its size: return address, saved frame
 *                    compilation's id and state              pointer
 *   stub             the return address into it              the same
 *   entry from C     the return address into the call stub   what its wrapper noted of the Java
 *                                                            frame before
 *
 * Makes no JVM calls; reads only the stack of the calling thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the innermost Java frame of a thread is (HotSpot's JavaFrameAnchor). */
struct pm_anchor {
    const uintptr_t *sp; /* NULL: there is no Java frame */
    uintptr_t pc;
    uintptr_t fp;
    bool is_virtual; /* for a virtual thread: the walk ends where its carrier's frames begin */
};

/* The offsets of the fields of a JavaFrameAnchor, and of the anchor in a JavaCallWrapper. */
struct pm_anchor_layout {
    size_t sp_at, pc_at, fp_at, in_wrapper;
};
/* Before the first walk. */
void pm_frames_prepare(const struct pm_anchor_layout *layout);
/* The Method* whose compiled frame is the carrier's, next to the stack of a virtual thread: where
 * that is not told by where it lies. */
void pm_frames_end_virtual_at(uintptr_t method);
bool pm_frames_knows_virtual_end(void);
/* What is noted at `anchor`. */
void pm_anchor_read(const char *anchor, struct pm_anchor *ret_anchor);

struct pm_frame_seen {
    uintptr_t method; /* Method*; for compiled code the outermost of the inlined ones */
    uintptr_t bcp;    /* of an interpreted frame; 0: native */
    bool is_interpreted;
    uint32_t n_facts[4]; /* gathered up to and including this frame, by kind */
};

enum pm_fact_kind {
    PM_FACT_WORD,   /* the word `where` words above the anchor's sp is `value` */
    PM_FACT_LINK,   /* … points `value` words above it */
    PM_FACT_METHOD, /* the word at the address `where`, a jmethodID, is `value` */
    PM_FACT_CODE,   /* the compiled code `where` (code.h's number) has the stamp `value` */
};

struct pm_fact {
    uintptr_t where;
    uintptr_t value;
};

/* The output of a walk; the caller owns the arrays. */
struct pm_frames {
    struct pm_frame_seen *seen;
    uint32_t n, max;
    struct pm_fact *facts[4]; /* room for max_facts each */
    uint32_t n_facts[4], max_facts;
    bool uses_fp;      /* the anchor's frame pointer was followed */
    bool is_complete;  /* the outermost frame was reached, or the last one of a virtual thread's
                        * stack */
    bool has_old_code; /* one runs code that can no longer be entered */
};

/* Walks up to `frames->max` frames. False: it encountered something unknown. */
bool pm_frames_walk(const struct pm_anchor *anchor, const uintptr_t *stack_end,
                    struct pm_frames *frames);
/* A hash over the same walk, of up to `max` frames; 0: it encountered something unknown. Equal
 * stacks in two threads have equal hashes. */
uint64_t pm_frames_hash(const struct pm_anchor *anchor, const uintptr_t *stack_end, uint32_t max);

/* -- keys -- */

/* Kept small, because it is read at each wait: the values of words, then the methods (both of 64
 * bits), then places as words above sp, where links lead, and code as units from the cache's begin
 * with its stamps. */
struct pm_stack_key {
    _Atomic uint32_t n_users;
    uint32_t chain; /* whoever keeps it says which */
    uint64_t hash;
    uintptr_t pc;
    int32_t fp; /* in words above sp, if uses_fp */
    bool uses_fp;
    uint32_t extent; /* highest word that is read */
    int64_t frozen;  /* frozen.h's number for the frames that follow on the heap; set by whoever
                      * stores the key */
    uint32_t n_facts[4];
    uint64_t facts[];
};

/* Makes a key of the first `n` frames of a walk, to which the identities of interpreted methods
 * were added (PM_FACT_METHOD); one user. NULL: no memory. */
struct pm_stack_key *pm_stack_key_new(const struct pm_anchor *anchor,
                                      const struct pm_frames *frames, uint32_t n);
struct pm_stack_key *pm_stack_key_use(struct pm_stack_key *key);
void pm_stack_key_leave(struct pm_stack_key *key); /* the last user frees; NULL is fine */
uint64_t pm_stack_key_bytes(void);                 /* all there are */

/* Whether the walk from here leads through the same frames. */
bool pm_stack_key_fits(const struct pm_stack_key *key, const struct pm_anchor *anchor,
                       const uintptr_t *stack_end);
