#include "recorder/agent/frames.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/code.h"

/* An interpreted frame, in words from its frame pointer. */
enum {
    SENDER_SP = -1,
    METHOD = -3,
    BCP = -8,
    LINK = 0,
    RETURN_ADDRESS = 1,
    INTERPRETED_END = 2,
};
/* An entry frame: its JavaCallWrapper. */
#define WRAPPER (-6)

#define MAX_STUBS 64 /* frames of no method, of one walk */

static struct pm_anchor_layout layout;

void pm_frames_prepare(const struct pm_anchor_layout *of)
{
    layout = *of;
}

static uintptr_t word_at(const char *base, size_t offset)
{
    return *(const uintptr_t *)(const void *)(base + offset);
}

struct pm_anchor pm_anchor_read(const char *anchor)
{
    struct pm_anchor read = {.sp = (const uintptr_t *)word_at(anchor, layout.sp_at),
                             .pc = word_at(anchor, layout.pc_at),
                             .fp = word_at(anchor, layout.fp_at)};
    if (read.sp && !read.pc)
        read.pc = read.sp[-1];
    return read;
}

/* -- walking -- */

/* One walk either gathers facts or only hashes them. */
struct walk {
    const uintptr_t *from, *end;
    const uintptr_t *sp; /* the frame's own, as its code left it */
    uintptr_t pc, fp;
    const uintptr_t *sp_from, *fp_from; /* where they were read; NULL: they follow from the rest */
    struct pm_frames *frames;           /* NULL: hashes */
    uint64_t hash;
    bool failed;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static void add_fact(struct walk *walk, enum pm_fact_kind kind, uintptr_t where, uintptr_t value)
{
    struct pm_frames *frames = walk->frames;
    if (!frames) {
        if (kind != PM_FACT_CODE)
            walk->hash = mix(mix(walk->hash, where << 2 | kind), value);
        return;
    }
    if (frames->n_facts[kind] == frames->max_facts) {
        walk->failed = true;
        return;
    }
    frames->facts[kind][frames->n_facts[kind]++] = (struct pm_fact){where, value};
}

/* A word of the stack, as it is. */
static uintptr_t read_word(struct walk *walk, const uintptr_t *at)
{
    add_fact(walk, PM_FACT_WORD, (uintptr_t)(at - walk->from), *at);
    return *at;
}

/* Where a pointer into the stack was read, if it was. */
static void note_link(struct walk *walk, const uintptr_t *at, uintptr_t value)
{
    if (at)
        add_fact(walk, PM_FACT_LINK, (uintptr_t)(at - walk->from),
                 (uintptr_t)((const uintptr_t *)value - walk->from));
}

static bool is_on_stack(const struct walk *walk, const uintptr_t *at, int words_below,
                        int words_above)
{
    return (uintptr_t)at % sizeof *at == 0 && at - words_below >= walk->from &&
           at + words_above <= walk->end;
}

static void use_fp(struct walk *walk)
{
    if (walk->fp_from)
        note_link(walk, walk->fp_from, walk->fp);
    else if (walk->frames)
        walk->frames->uses_fp = true;
    else
        walk->hash = mix(walk->hash, walk->fp - (uintptr_t)walk->from);
}

static void see(struct walk *walk, uintptr_t method, uintptr_t bcp, bool is_interpreted)
{
    struct pm_frames *frames = walk->frames;
    if (!frames)
        return;
    struct pm_frame_seen *seen = &frames->seen[frames->n++];
    *seen = (struct pm_frame_seen){.method = method, .bcp = bcp, .is_interpreted = is_interpreted};
    memcpy(seen->n_facts, frames->n_facts, sizeof seen->n_facts);
}

static bool step_interpreted(struct walk *walk)
{
    const uintptr_t *fp = (const uintptr_t *)walk->fp;
    if (!is_on_stack(walk, fp, -BCP, INTERPRETED_END))
        return false;
    use_fp(walk);
    uintptr_t method = read_word(walk, fp + METHOD);
    uintptr_t bcp = read_word(walk, fp + BCP);
    see(walk, method, bcp, true);
    walk->pc = read_word(walk, fp + RETURN_ADDRESS);
    walk->sp = (const uintptr_t *)fp[SENDER_SP];
    walk->sp_from = fp + SENDER_SP;
    walk->fp = fp[LINK];
    walk->fp_from = fp + LINK;
    return walk->sp > fp;
}

static bool step_compiled(struct walk *walk, const struct pm_code *code)
{
    const uintptr_t *sp = walk->sp;
    if (!is_on_stack(walk, sp, 0, (int)code->frame_words))
        return false;
    note_link(walk, walk->sp_from, (uintptr_t)sp);
    if (code->kind == PM_CODE_METHOD) {
        uint64_t stamp = pm_code_stamp(code->compiled);
        if (walk->frames && !pm_code_is_in_use(stamp))
            walk->frames->has_old_code = true;
        add_fact(walk, PM_FACT_CODE, (uintptr_t)code->compiled, stamp);
        if (code->original_pc_at >= 0) {
            const uintptr_t *at = sp + (size_t)code->original_pc_at / sizeof *sp;
            if (!is_on_stack(walk, at, 0, 1))
                return false;
            read_word(walk, at);
        }
        see(walk, code->method, 0, false);
    }
    const uintptr_t *caller = sp + code->frame_words;
    walk->pc = read_word(walk, caller - 1);
    walk->fp = caller[-2];
    walk->fp_from = caller - 2;
    walk->sp = caller;
    walk->sp_from = NULL;
    return true;
}

/* False with `failed` unset: this was the outermost Java frame. */
static bool step_entry(struct walk *walk)
{
    const uintptr_t *fp = (const uintptr_t *)walk->fp;
    if (!is_on_stack(walk, fp, -WRAPPER, 1))
        goto failed;
    use_fp(walk);
    const char *wrapper = (const char *)fp[WRAPPER];
    const uintptr_t *anchor = (const uintptr_t *)(const void *)(wrapper + layout.in_wrapper);
    if (!is_on_stack(walk, anchor, 0, 3))
        goto failed;
    note_link(walk, fp + WRAPPER, (uintptr_t)wrapper);
    const uintptr_t *sp_at = anchor + layout.sp_at / sizeof *anchor;
    const uintptr_t *pc_at = anchor + layout.pc_at / sizeof *anchor;
    const uintptr_t *sp = (const uintptr_t *)*sp_at;
    if (!sp) {
        read_word(walk, sp_at);
        return false;
    }
    if (sp <= fp || !is_on_stack(walk, sp, 1, 1))
        goto failed;
    note_link(walk, sp_at, (uintptr_t)sp);
    walk->pc = read_word(walk, pc_at);
    if (!walk->pc)
        walk->pc = read_word(walk, sp - 1);
    walk->sp = sp;
    walk->sp_from = NULL;
    walk->fp_from = anchor + layout.fp_at / sizeof *anchor;
    walk->fp = *walk->fp_from;
    return true;
failed:
    walk->failed = true;
    return false;
}

/* Up to `max` frames of methods. */
static bool go(struct walk *walk, uint32_t max)
{
    uint32_t n = 0, n_stubs = 0;
    while (n < max && !walk->failed) {
        struct pm_code code = pm_code_at(walk->pc);
        switch (code.kind) {
        case PM_CODE_INTERPRETER:
            n++;
            walk->failed |= !step_interpreted(walk);
            break;
        case PM_CODE_METHOD:
            n++;
            walk->failed |= !step_compiled(walk, &code);
            break;
        case PM_CODE_STUB:
            walk->failed |= n_stubs++ == MAX_STUBS || !step_compiled(walk, &code);
            break;
        case PM_CODE_CALL_STUB:
            if (n_stubs++ == MAX_STUBS)
                return false;
            if (!step_entry(walk)) {
                if (walk->frames)
                    walk->frames->is_complete = !walk->failed;
                return !walk->failed;
            }
            break;
        case PM_CODE_UNKNOWN:
            return false;
        }
    }
    return !walk->failed;
}

bool pm_frames_walk(const struct pm_anchor *anchor, const uintptr_t *stack_end,
                    struct pm_frames *frames)
{
    struct walk walk = {.from = anchor->sp,
                        .end = stack_end,
                        .sp = anchor->sp,
                        .pc = anchor->pc,
                        .fp = anchor->fp,
                        .frames = frames};
    frames->n = 0;
    memset(frames->n_facts, 0, sizeof frames->n_facts);
    frames->uses_fp = frames->is_complete = frames->has_old_code = false;
    return anchor->sp && go(&walk, frames->max) && frames->n > 0;
}

uint64_t pm_frames_hash(const struct pm_anchor *anchor, const uintptr_t *stack_end, uint32_t max)
{
    struct walk walk = {.from = anchor->sp,
                        .end = stack_end,
                        .sp = anchor->sp,
                        .pc = anchor->pc,
                        .fp = anchor->fp,
                        .hash = mix(0x9e3779b97f4a7c15u, anchor->pc)};
    return anchor->sp && go(&walk, max) ? walk.hash | 1 : 0;
}

/* -- keys -- */

static _Atomic uint64_t key_bytes;

static size_t bytes_of(const uint32_t n_facts[4])
{
    size_t n = (size_t)n_facts[0] + n_facts[1] + n_facts[2] + n_facts[3];
    return sizeof(struct pm_stack_key) + n * sizeof(struct pm_fact);
}

struct pm_stack_key *pm_stack_key_new(const struct pm_anchor *anchor,
                                      const struct pm_frames *frames, uint32_t n)
{
    /* What follows the last frame in the walk leads to the next one, and is not of these. */
    uint32_t n_facts[4];
    memcpy(n_facts, n < frames->n ? frames->seen[n - 1].n_facts : frames->n_facts, sizeof n_facts);
    n_facts[PM_FACT_METHOD] = frames->n_facts[PM_FACT_METHOD];
    size_t bytes = bytes_of(n_facts);
    struct pm_stack_key *key = malloc(bytes);
    if (!key)
        return NULL;
    *key = (struct pm_stack_key){.n_users = 1, .pc = anchor->pc, .uses_fp = frames->uses_fp};
    if (key->uses_fp)
        key->fp = (const uintptr_t *)anchor->fp - anchor->sp;
    struct pm_fact *to = key->facts;
    for (int kind = 0; kind < 4; kind++) {
        memcpy(to, frames->facts[kind], n_facts[kind] * sizeof *to);
        key->n_facts[kind] = n_facts[kind];
        for (uint32_t i = 0; kind <= PM_FACT_LINK && i < n_facts[kind]; i++) {
            if (to[i].where > key->extent)
                key->extent = (uint32_t)to[i].where;
        }
        to += n_facts[kind];
    }
    atomic_fetch_add_explicit(&key_bytes, bytes, memory_order_relaxed);
    return key;
}

struct pm_stack_key *pm_stack_key_use(struct pm_stack_key *key)
{
    atomic_fetch_add_explicit(&key->n_users, 1, memory_order_relaxed);
    return key;
}

void pm_stack_key_leave(struct pm_stack_key *key)
{
    if (!key || atomic_fetch_sub_explicit(&key->n_users, 1, memory_order_acq_rel) != 1)
        return;
    atomic_fetch_sub_explicit(&key_bytes, bytes_of(key->n_facts), memory_order_relaxed);
    free(key);
}

uint64_t pm_stack_key_bytes(void)
{
    return atomic_load_explicit(&key_bytes, memory_order_relaxed);
}

bool pm_stack_key_fits(const struct pm_stack_key *key, const struct pm_anchor *anchor,
                       const uintptr_t *stack_end)
{
    const uintptr_t *sp = anchor->sp;
    const struct pm_fact *fact = key->facts, *end = fact + key->n_facts[PM_FACT_WORD];
    if (key->pc != anchor->pc || sp + key->extent >= stack_end ||
        (key->uses_fp && (uintptr_t)(sp + key->fp) != anchor->fp))
        return false;
    for (; fact < end; fact++) {
        if (sp[fact->where] != fact->value)
            return false;
    }
    for (end += key->n_facts[PM_FACT_LINK]; fact < end; fact++) {
        if (sp[fact->where] != (uintptr_t)(sp + (intptr_t)fact->value))
            return false;
    }
    for (end += key->n_facts[PM_FACT_METHOD]; fact < end; fact++) {
        if (*(const volatile uintptr_t *)fact->where != fact->value)
            return false;
    }
    for (end += key->n_facts[PM_FACT_CODE]; fact < end; fact++) {
        if (pm_code_stamp((const char *)fact->where) != fact->value)
            return false;
    }
    return true;
}
