/* Which field an instruction's object was read from: `lock` of PriceCache where its code is
 * `lock.lock()`, `synchronized (lock)`, or `Lock l = this.lock; … l.lock()`. Read from the bytecode
 * alone, by following what lies on the operand stack from the method's first instruction on; where
 * two ways lead to different objects, there is no answer. Free of JVM; allocates with malloc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_RECEIVER_NAME_MAX 256

/* A method's code and the constants that it names, as JVMTI gives them. */
struct pm_bytecode {
    const uint8_t *code;
    size_t code_size;
    const uint8_t *constants; /* from the first on */
    size_t constants_size;
    uint32_t n_constants; /* one more */
    uint32_t n_arguments; /* slots of the method's arguments, its object among them */
};

struct pm_receiver {
    char class_name[PM_RECEIVER_NAME_MAX]; /* "com/acme/PriceCache" */
    char field[PM_RECEIVER_NAME_MAX];      /* "lock"; "locks[]" of an element of what the field is;
                                              "class" where the object is the class itself */
};

/* Has the instruction an object: does it call a method of one (`call`), or enter its monitor? */
bool pm_bytecode_has_receiver(uint8_t opcode, bool call);

/* Of the instruction at `at`. 0; PM_ERROR_ARGUMENT: its object comes from no field, or that cannot
 * be told; PM_ERROR_MALFORMED, PM_ERROR_MEMORY. */
int pm_bytecode_receiver(const struct pm_bytecode *bytecode, size_t at,
                         struct pm_receiver *ret_receiver);
