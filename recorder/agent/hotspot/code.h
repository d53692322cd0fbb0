/* What is at an address in HotSpot's code cache: the interpreter, the compiled code of a method, a
 * stub of the VM. Read from the VM's own tables (vmstructs.h) without a lock, which is safe for
 * return addresses on the stack of the calling thread: code that a frame returns to is not freed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pm_code_kind {
    PM_CODE_UNKNOWN,
    PM_CODE_INTERPRETER,
    PM_CODE_CALL_STUB, /* where Java is called from the VM */
    PM_CODE_METHOD,    /* compiled, or the wrapper of a native method */
    PM_CODE_STUB,      /* with a frame, without a method */
};

struct pm_code {
    enum pm_code_kind kind;
    uint32_t frame_words;   /* of a method and a stub: up to and including the return address */
    uint32_t compiled;      /* of a method: its number, for pm_code_stamp */
    uintptr_t method;       /* its Method*, the outermost one if others are inlined */
    int32_t original_pc_at; /* if the address is the deoptimisation handler: the offset from the
                             * frame's begin at which the original return address was saved;
                             * otherwise -1 */
};

/* False: this VM's tables lack something, and nothing is known. Once, before the others. */
bool pm_code_prepare(void);
struct pm_code pm_code_at(uintptr_t address);

/* What is known of the code cache to read stamps. */
struct pm_code_stamps {
    uintptr_t low;
    size_t compile_id_at, state_at;
};
extern struct pm_code_stamps pm_code_stamps;

/* Distinguishes a compilation from any other that may later be at the same address, and says
 * whether it is in use. */
static inline uint32_t pm_code_stamp(uint32_t compiled)
{
    uintptr_t at = pm_code_stamps.low + (uintptr_t)compiled * 8;
    uint32_t id = *(const volatile uint32_t *)(at + pm_code_stamps.compile_id_at);
    uint8_t state = *(const volatile uint8_t *)(at + pm_code_stamps.state_at);
    return id << 3 | (state & 7);
}

/* Whether new frames may enter it: not once there is better code, nor when something it relied on
 * has changed, such as when a class was redefined. */
static inline bool pm_code_is_in_use(uint32_t stamp)
{
    return (stamp & 7) == 0;
}
