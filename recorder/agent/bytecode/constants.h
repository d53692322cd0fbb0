/* The constant pool of a class file and the lengths of bytecode instructions. Never reads outside
 * the given bytes, whatever they contain. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pm_constant_tag {
    PM_CONSTANT_UTF8 = 1,
    PM_CONSTANT_INTEGER = 3,
    PM_CONSTANT_FLOAT = 4,
    PM_CONSTANT_LONG = 5,
    PM_CONSTANT_DOUBLE = 6,
    PM_CONSTANT_CLASS = 7,
    PM_CONSTANT_STRING = 8,
    PM_CONSTANT_FIELD = 9,
    PM_CONSTANT_METHOD = 10,
    PM_CONSTANT_INTERFACE_METHOD = 11,
    PM_CONSTANT_NAME_AND_TYPE = 12,
    PM_CONSTANT_METHOD_HANDLE = 15,
    PM_CONSTANT_METHOD_TYPE = 16,
    PM_CONSTANT_DYNAMIC = 17,
    PM_CONSTANT_INVOKE_DYNAMIC = 18,
    PM_CONSTANT_MODULE = 19,
    PM_CONSTANT_PACKAGE = 20,
};

/* The opcodes used in the code; JVMS 6.5. */
enum pm_opcode {
    PM_OP_NOP = 0x00,
    PM_OP_LDC = 0x12,
    PM_OP_LDC_W = 0x13,
    PM_OP_ALOAD = 0x19,
    PM_OP_ALOAD_0 = 0x2a,
    PM_OP_AALOAD = 0x32,
    PM_OP_ASTORE = 0x3a,
    PM_OP_ASTORE_0 = 0x4b,
    PM_OP_DUP = 0x59,
    PM_OP_SWAP = 0x5f,
    PM_OP_IINC = 0x84,
    PM_OP_IFEQ = 0x99,
    PM_OP_GOTO = 0xa7,
    PM_OP_JSR = 0xa8,
    PM_OP_RET = 0xa9,
    PM_OP_TABLE_SWITCH = 0xaa,
    PM_OP_LOOKUP_SWITCH = 0xab,
    PM_OP_RETURN = 0xb1,
    PM_OP_GET_STATIC = 0xb2,
    PM_OP_PUT_STATIC = 0xb3,
    PM_OP_GET_FIELD = 0xb4,
    PM_OP_PUT_FIELD = 0xb5,
    PM_OP_INVOKE_VIRTUAL = 0xb6,
    PM_OP_INVOKE_SPECIAL = 0xb7,
    PM_OP_INVOKE_STATIC = 0xb8,
    PM_OP_INVOKE_INTERFACE = 0xb9,
    PM_OP_INVOKE_DYNAMIC = 0xba,
    PM_OP_NEW = 0xbb,
    PM_OP_ATHROW = 0xbf,
    PM_OP_MONITOR_ENTER = 0xc2,
    PM_OP_WIDE = 0xc4,
    PM_OP_MULTI_NEW_ARRAY = 0xc5,
    PM_OP_IF_NULL = 0xc6,
    PM_OP_GOTO_W = 0xc8,
    PM_OP_JSR_W = 0xc9,
};

static inline uint32_t pm_read_u2(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t pm_read_u4(const uint8_t *at)
{
    return pm_read_u2(at) << 16 | pm_read_u2(at + 2);
}

/* A range of bytes, read from the front; once a read leaves it, it stays `failed`. */
struct pm_class_cursor {
    const uint8_t *at, *end;
    bool failed;
};

/* The next `n` bytes, NULL if there are fewer. */
const uint8_t *pm_class_take(struct pm_class_cursor *cursor, size_t n);
uint32_t pm_class_take_u2(struct pm_class_cursor *cursor);
uint32_t pm_class_take_u4(struct pm_class_cursor *cursor);

struct pm_constants {
    const uint8_t **at; /* by index: the tag; NULL: no constant. To be freed by the caller */
    uint32_t n;         /* as the file counts them: one more */
    const uint8_t *end; /* behind the last */
};

/* `n`: as counted by the file. 0, PM_ERROR_MALFORMED, PM_ERROR_MEMORY. */
int pm_constants_read(struct pm_class_cursor *cursor, uint32_t n, struct pm_constants *constants);
/* Points at its tag; NULL: not a constant of this kind. */
const uint8_t *pm_constant_at(const struct pm_constants *constants, uint32_t index, uint8_t tag);
/* For a method, including an interface's, or a field. */
const uint8_t *pm_constant_member(const struct pm_constants *constants, uint32_t index);
/* The UTF8 constant that is the constant's first or second part (0, 1). NULL: there is none. */
const uint8_t *pm_constant_text(const struct pm_constants *constants, const uint8_t *constant,
                                int part);
bool pm_constant_is_text(const struct pm_constants *constants, uint32_t index, const char *text);

/* The length of the instruction at `at`, in code that begins at `code`; 0: invalid, or it extends
 * beyond the code. */
size_t pm_instruction_length(const uint8_t *code, const uint8_t *at, const uint8_t *end);
