#include "recorder/agent/hotspot/frames.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/hotspot/code.h"

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

static struct pm_anchor_layout layout PM_HOT_SMALL;

static _Atomic uintptr_t virtual_end; /* 0: not known */

void pm_frames_end_virtual_at(uintptr_t method)
{
    atomic_store_explicit(&virtual_end, method, memory_order_relaxed);
}

bool pm_frames_knows_virtual_end(void)
{
    return atomic_load_explicit(&virtual_end, memory_order_relaxed) != 0;
}

void pm_frames_prepare(const struct pm_anchor_layout *of)
{
    layout = *of;
}

static uintptr_t word_at(const char *base, size_t offset)
{
    return *(const uintptr_t *)(const void *)(base + offset);
}

PM_HOT void pm_anchor_read(const char *anchor, struct pm_anchor *ret_anchor)
{
    const uintptr_t *sp = (const uintptr_t *)word_at(anchor, layout.sp_at);
    uintptr_t pc = word_at(anchor, layout.pc_at);
    ret_anchor->sp = sp;
    ret_anchor->pc = sp && !pc ? sp[-1] : pc;
    ret_anchor->fp = word_at(anchor, layout.fp_at);
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
    bool is_virtual;
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
           at + words_above <= walk->end && at - walk->from < INT32_MAX;
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
    uintptr_t bcp = read_word(walk, fp + BCP);
    if (!bcp) /* a native method: all look alike but for this */
        read_word(walk, fp + METHOD);
    see(walk, fp[METHOD], bcp, true);
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
        uint32_t stamp = pm_code_stamp(code->compiled);
        if (walk->frames && !pm_code_is_in_use(stamp))
            walk->frames->has_old_code = true;
        add_fact(walk, PM_FACT_CODE, code->compiled, stamp);
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

static bool finish(struct walk *walk)
{
    if (walk->frames)
        walk->frames->is_complete = !walk->failed;
    return !walk->failed;
}

static bool ends_virtual(const struct walk *walk, const struct pm_code *code)
{
    return walk->sp == walk->end || code->kind == PM_CODE_UNKNOWN ||
           (code->kind == PM_CODE_METHOD &&
            code->method == atomic_load_explicit(&virtual_end, memory_order_relaxed));
}

/* Up to `max` frames of methods. The stack of a virtual thread ends where its carrier called it, or
 * with a return address that leads to the VM, which then thaws the next frames. */
static bool go(struct walk *walk, uint32_t max)
{
    uint32_t n = 0, n_stubs = 0;
    while (n < max && !walk->failed) {
        struct pm_code code = pm_code_at(walk->pc);
        if (walk->is_virtual && ends_virtual(walk, &code))
            return finish(walk);
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
            if (!step_entry(walk))
                return finish(walk);
            break;
        case PM_CODE_UNKNOWN:
            return false;
        }
    }
    return !walk->failed;
}

static inline struct walk walk_from(const struct pm_anchor *anchor, const uintptr_t *stack_end)
{
    return (struct walk){.from = anchor->sp,
                         .end = stack_end,
                         .sp = anchor->sp,
                         .pc = anchor->pc,
                         .fp = anchor->fp,
                         .is_virtual = anchor->is_virtual};
}

bool pm_frames_walk(const struct pm_anchor *anchor, const uintptr_t *stack_end,
                    struct pm_frames *frames)
{
    struct walk walk = walk_from(anchor, stack_end);
    walk.frames = frames;
    frames->n = 0;
    memset(frames->n_facts, 0, sizeof frames->n_facts);
    frames->uses_fp = frames->is_complete = frames->has_old_code = false;
    return anchor->sp && go(&walk, frames->max) && frames->n > 0;
}

uint64_t pm_frames_hash(const struct pm_anchor *anchor, const uintptr_t *stack_end, uint32_t max)
{
    struct walk walk = walk_from(anchor, stack_end);
    walk.hash = mix(0x9e3779b97f4a7c15u, anchor->pc);
    return anchor->sp && go(&walk, max) ? walk.hash | 1 : 0;
}

/* -- keys -- */

static _Atomic uint64_t key_bytes;

static size_t bytes_of(const uint32_t n[4])
{
    return sizeof(struct pm_stack_key) + 8 * ((size_t)n[PM_FACT_WORD] + 2 * n[PM_FACT_METHOD]) +
           4 * ((size_t)n[PM_FACT_WORD] + 2 * n[PM_FACT_LINK] + 2 * n[PM_FACT_CODE]);
}

/* Where its parts lie, in this order. */
struct parts {
    uint64_t *values, *methods;
    uint32_t *word_at, *link_at, *code_at, *stamps;
    int32_t *link_to;
};

static inline struct parts parts_of(const struct pm_stack_key *key)
{
    const uint32_t *n = key->n_facts;
    struct parts parts;
    parts.values = (uint64_t *)key->facts;
    parts.methods = parts.values + n[PM_FACT_WORD];
    parts.word_at = (uint32_t *)(parts.methods + 2 * n[PM_FACT_METHOD]);
    parts.link_at = parts.word_at + n[PM_FACT_WORD];
    parts.link_to = (int32_t *)(parts.link_at + n[PM_FACT_LINK]);
    parts.code_at = (uint32_t *)(parts.link_to + n[PM_FACT_LINK]);
    parts.stamps = parts.code_at + n[PM_FACT_CODE];
    return parts;
}

static void fill(struct pm_stack_key *key, const struct pm_frames *frames)
{
    const uint32_t *n = key->n_facts;
    struct parts parts = parts_of(key);
    for (uint32_t i = 0; i < n[PM_FACT_WORD]; i++) {
        parts.values[i] = frames->facts[PM_FACT_WORD][i].value;
        parts.word_at[i] = (uint32_t)frames->facts[PM_FACT_WORD][i].where;
    }
    for (uint32_t i = 0; i < n[PM_FACT_LINK]; i++) {
        parts.link_at[i] = (uint32_t)frames->facts[PM_FACT_LINK][i].where;
        parts.link_to[i] = (int32_t)frames->facts[PM_FACT_LINK][i].value;
    }
    for (uint32_t i = 0; i < n[PM_FACT_METHOD]; i++) {
        parts.methods[2 * i] = frames->facts[PM_FACT_METHOD][i].where;
        parts.methods[2 * i + 1] = frames->facts[PM_FACT_METHOD][i].value;
    }
    for (uint32_t i = 0; i < n[PM_FACT_CODE]; i++) {
        parts.code_at[i] = (uint32_t)frames->facts[PM_FACT_CODE][i].where;
        parts.stamps[i] = (uint32_t)frames->facts[PM_FACT_CODE][i].value;
    }
    for (int kind = PM_FACT_WORD; kind <= PM_FACT_LINK; kind++) {
        for (uint32_t i = 0; i < n[kind]; i++)
            if (frames->facts[kind][i].where > key->extent)
                key->extent = (uint32_t)frames->facts[kind][i].where;
    }
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
        key->fp = (int32_t)((const uintptr_t *)anchor->fp - anchor->sp);
    memcpy(key->n_facts, n_facts, sizeof n_facts);
    fill(key, frames);
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

PM_HOT bool pm_stack_key_fits(const struct pm_stack_key *key, const struct pm_anchor *anchor,
                              const uintptr_t *stack_end)
{
    const uintptr_t *sp = anchor->sp;
    const struct parts parts = parts_of(key);
    if (key->pc != anchor->pc || sp + key->extent >= stack_end ||
        (key->uses_fp && (uintptr_t)(sp + key->fp) != anchor->fp))
        return false;
    for (uint32_t i = 0; i < key->n_facts[PM_FACT_WORD]; i++)
        if (sp[parts.word_at[i]] != parts.values[i])
            return false;
    for (uint32_t i = 0; i < key->n_facts[PM_FACT_LINK]; i++)
        if (sp[parts.link_at[i]] != (uintptr_t)(sp + parts.link_to[i]))
            return false;
    const uint64_t *methods_end = parts.methods + (size_t)2 * key->n_facts[PM_FACT_METHOD];
    for (const uint64_t *method = parts.methods; method != methods_end; method += 2)
        if (*(const volatile uintptr_t *)method[0] != method[1])
            return false;
    for (uint32_t i = 0; i < key->n_facts[PM_FACT_CODE]; i++)
        if (pm_code_stamp(parts.code_at[i]) != parts.stamps[i])
            return false;
    return true;
}
