#include "recorder/agent/hotspot/code.h"

#include <string.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/hotspot/vmstructs.h"

struct pm_code_stamps pm_code_stamps PM_HOT_SMALL;

/* CodeHeap keeps a byte for each segment of its memory: how many segments back the block begins
 * that this one belongs to, in as many steps as it takes; 0 at the begin, FREE where none lies. */
#define FREE      0xff
#define MAX_HEAPS 8

struct heap {
    uintptr_t low;
    const uintptr_t *high; /* grows */
    const uint8_t *segments;
};

static struct {
    bool known;
    uintptr_t interpreter_low, interpreter_high;
    uintptr_t call_stub_return;
    struct heap heaps[MAX_HEAPS];
    size_t n_heaps;
    int log2_segment;
    size_t block_head; /* bytes before the CodeBlob */
    size_t used_at;    /* in a block's head */
    /* in CodeBlob */
    size_t name_at, frame_words_at;
    /* in nmethod */
    size_t method_at, original_pc_at;
    size_t deopt_at[2];
    bool deopt_is_offset; /* from the blob, 32 bits; else an address */
} layout;

/* Up to JDK 22 some fields of compiled code are declared in nmethod's base. */
static bool at_compiled(const char *field, size_t *ret_offset)
{
    return pm_vmstruct_offset("nmethod", field, ret_offset) ||
           pm_vmstruct_offset("CompiledMethod", field, ret_offset);
}

static bool static_word(const char *type, const char *field, uintptr_t *ret_word)
{
    struct pm_vmstruct found;
    if (!pm_vmstruct_find(type, field, &found) || !found.address)
        return false;
    *ret_word = *(const uintptr_t *)found.address;
    return *ret_word != 0;
}

static uintptr_t word_at(uintptr_t base, size_t offset)
{
    return *(const uintptr_t *)(base + offset);
}

static bool learn_interpreter(void)
{
    size_t buffer_at, limit_at;
    uintptr_t queue;
    if (!static_word("AbstractInterpreter", "_code", &queue) ||
        !pm_vmstruct_offset("StubQueue", "_stub_buffer", &buffer_at) ||
        !pm_vmstruct_offset("StubQueue", "_buffer_limit", &limit_at))
        return false;
    layout.interpreter_low = word_at(queue, buffer_at);
    layout.interpreter_high = layout.interpreter_low + *(const uint32_t *)(queue + limit_at);
    return static_word("StubRoutines", "_call_stub_return_address", &layout.call_stub_return);
}

static bool learn_heaps(void)
{
    size_t length_at, data_at, memory_at, segments_at, log2_at, low_at, high_at;
    uintptr_t heaps;
    if (!static_word("CodeCache", "_heaps", &heaps) ||
        !pm_vmstruct_offset("GrowableArrayBase", "_len", &length_at) ||
        !pm_vmstruct_offset("GrowableArray<int>", "_data", &data_at) ||
        !pm_vmstruct_offset("CodeHeap", "_memory", &memory_at) ||
        !pm_vmstruct_offset("CodeHeap", "_segmap", &segments_at) ||
        !pm_vmstruct_offset("CodeHeap", "_log2_segment_size", &log2_at) ||
        !pm_vmstruct_offset("VirtualSpace", "_low", &low_at) ||
        !pm_vmstruct_offset("VirtualSpace", "_high", &high_at))
        return false;
    int n = *(const int *)(heaps + length_at);
    if (n < 1 || n > MAX_HEAPS)
        return false;
    const uintptr_t *list = (const uintptr_t *)word_at(heaps, data_at);
    for (int i = 0; i < n; i++) {
        layout.heaps[i] =
            (struct heap){.low = word_at(list[i], memory_at + low_at),
                          .high = (const uintptr_t *)(list[i] + memory_at + high_at),
                          .segments = (const uint8_t *)word_at(list[i], segments_at + low_at)};
        layout.log2_segment = *(const int *)(list[i] + log2_at);
        if (i == 0 || layout.heaps[i].low < pm_code_stamps.low)
            pm_code_stamps.low = layout.heaps[i].low;
    }
    layout.n_heaps = (size_t)n;
    layout.block_head = pm_vmstruct_size("HeapBlock");
    return layout.block_head && pm_vmstruct_offset("HeapBlock::Header", "_used", &layout.used_at);
}

static bool learn_blobs(void)
{
    static const char *const as_offset[] = {"_deopt_handler_offset", "_deopt_mh_handler_offset"};
    static const char *const as_address[] = {"_deopt_handler_begin", "_deopt_mh_handler_begin"};
    layout.deopt_is_offset = at_compiled(as_offset[0], &layout.deopt_at[0]);
    const char *const *handlers = layout.deopt_is_offset ? as_offset : as_address;
    return pm_vmstruct_offset("CodeBlob", "_name", &layout.name_at) &&
           pm_vmstruct_offset("CodeBlob", "_frame_size", &layout.frame_words_at) &&
           at_compiled("_method", &layout.method_at) &&
           at_compiled("_compile_id", &pm_code_stamps.compile_id_at) &&
           at_compiled("_state", &pm_code_stamps.state_at) &&
           at_compiled("_orig_pc_offset", &layout.original_pc_at) &&
           at_compiled(handlers[0], &layout.deopt_at[0]) &&
           at_compiled(handlers[1], &layout.deopt_at[1]);
}

bool pm_code_prepare(void)
{
    layout.known = learn_interpreter() && learn_heaps() && learn_blobs();
    return layout.known;
}

static bool find_blob(uintptr_t address, uintptr_t *ret_blob)
{
    for (size_t i = 0; i < layout.n_heaps; i++) {
        const struct heap *heap = &layout.heaps[i];
        if (address < heap->low || address >= *heap->high)
            continue;
        size_t segment = (address - heap->low) >> layout.log2_segment;
        if (heap->segments[segment] == FREE)
            return false;
        while (heap->segments[segment])
            segment -= heap->segments[segment];
        uintptr_t block = heap->low + (segment << layout.log2_segment);
        *ret_blob = block + layout.block_head;
        return *(const bool *)(block + layout.used_at);
    }
    return false;
}

static bool is_deoptimised(uintptr_t blob, uintptr_t address)
{
    for (int i = 0; i < 2; i++) {
        uintptr_t from = blob + layout.deopt_at[i];
        uintptr_t handler = layout.deopt_is_offset ? blob + (uintptr_t) * (const int32_t *)from
                                                   : *(const uintptr_t *)from;
        if (handler == address)
            return true;
    }
    return false;
}

struct pm_code pm_code_at(uintptr_t address)
{
    struct pm_code code = {.kind = PM_CODE_UNKNOWN, .original_pc_at = -1};
    uintptr_t blob;
    if (!layout.known)
        return code;
    if (address - layout.interpreter_low < layout.interpreter_high - layout.interpreter_low) {
        code.kind = PM_CODE_INTERPRETER;
        return code;
    }
    if (address == layout.call_stub_return) {
        code.kind = PM_CODE_CALL_STUB;
        return code;
    }
    if (!find_blob(address, &blob))
        return code;
    int32_t words = *(const int32_t *)(blob + layout.frame_words_at);
    const char *name = *(const char *const *)(blob + layout.name_at);
    if (words <= 1 || !name)
        return code;
    code.frame_words = (uint32_t)words;
    code.kind = PM_CODE_STUB;
    if (strstr(name, "nmethod")) {
        code.kind = PM_CODE_METHOD;
        code.compiled = (uint32_t)((blob - pm_code_stamps.low) / 8);
        code.method = word_at(blob, layout.method_at);
        if (is_deoptimised(blob, address))
            code.original_pc_at = *(const int32_t *)(blob + layout.original_pc_at);
    }
    return code;
}
