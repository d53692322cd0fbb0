/* Which field an instruction's object was read from: `lock` of PriceCache if its code is
 * `lock.lock()`, `synchronized (lock)`, or `Lock l = this.lock; … l.lock()`. Determined from the
 * bytecode alone, by tracking the operand stack from the method's first instruction on; if two
 * paths lead to different objects, there is no answer. Makes no JVM calls; allocates with malloc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_RECEIVER_NAME_MAX 256

/* A method's code and the constants that it refers to, in JVMTI's form. */
struct pm_bytecode {
    const uint8_t *code;
    size_t code_size;
    const uint8_t *constants; /* from the first on */
    size_t constants_size;
    uint32_t n_constants; /* one more */
    uint32_t n_arguments; /* slots of the method's arguments, including `this` */
};

struct pm_receiver {
    char class_name[PM_RECEIVER_NAME_MAX]; /* "com/acme/PriceCache" */
    char field[PM_RECEIVER_NAME_MAX];      /* "lock"; "locks[]" for an element of the field's value;
                                            * "class" if the object is the class itself */
};

/* Whether the instruction has an object: whether it calls a method of one (`call`), or enters its
 * monitor. */
bool pm_bytecode_has_receiver(uint8_t opcode, bool call);

/* For the instruction at `at`. 0; PM_ERROR_ARGUMENT: its object does not come from a field, or that
 * cannot be determined; PM_ERROR_MALFORMED, PM_ERROR_MEMORY. */
int pm_bytecode_receiver(const struct pm_bytecode *bytecode, size_t at,
                         struct pm_receiver *ret_receiver);
