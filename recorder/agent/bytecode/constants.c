#include "recorder/agent/bytecode/constants.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"

const uint8_t *pm_class_take(struct pm_class_cursor *cursor, size_t n)
{
    if (cursor->failed || n > (size_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *at = cursor->at;
    cursor->at += n;
    return at;
}

uint32_t pm_class_take_u2(struct pm_class_cursor *cursor)
{
    const uint8_t *at = pm_class_take(cursor, 2);
    return at ? pm_read_u2(at) : 0;
}

uint32_t pm_class_take_u4(struct pm_class_cursor *cursor)
{
    const uint8_t *at = pm_class_take(cursor, 4);
    return at ? pm_read_u4(at) : 0;
}

/* Behind the tag; 0: no such constant. Of a text its length is still to be added. */
static size_t size_of_constant(uint8_t tag)
{
    switch (tag) {
    case PM_CONSTANT_UTF8:
    case PM_CONSTANT_CLASS:
    case PM_CONSTANT_STRING:
    case PM_CONSTANT_METHOD_TYPE:
    case PM_CONSTANT_MODULE:
    case PM_CONSTANT_PACKAGE:
        return 2;
    case PM_CONSTANT_METHOD_HANDLE:
        return 3;
    case PM_CONSTANT_INTEGER:
    case PM_CONSTANT_FLOAT:
    case PM_CONSTANT_FIELD:
    case PM_CONSTANT_METHOD:
    case PM_CONSTANT_INTERFACE_METHOD:
    case PM_CONSTANT_NAME_AND_TYPE:
    case PM_CONSTANT_DYNAMIC:
    case PM_CONSTANT_INVOKE_DYNAMIC:
        return 4;
    case PM_CONSTANT_LONG:
    case PM_CONSTANT_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

int pm_constants_read(struct pm_class_cursor *cursor, uint32_t n, struct pm_constants *constants)
{
    constants->n = n;
    constants->at = calloc((size_t)constants->n + 1, sizeof *constants->at);
    if (!constants->at)
        return PM_ERROR_MEMORY;
    uint32_t i = 1;
    for (; i < constants->n && !cursor->failed; i++) {
        const uint8_t *tag = pm_class_take(cursor, 1);
        size_t size = tag ? size_of_constant(*tag) : 0;
        const uint8_t *body = size ? pm_class_take(cursor, size) : NULL;
        if (!body || (*tag == PM_CONSTANT_UTF8 && !pm_class_take(cursor, pm_read_u2(body))))
            return PM_ERROR_MALFORMED;
        constants->at[i] = tag;
        i += *tag == PM_CONSTANT_LONG || *tag == PM_CONSTANT_DOUBLE; /* each takes two numbers */
    }
    constants->end = cursor->at;
    return cursor->failed || i != constants->n ? PM_ERROR_MALFORMED : 0;
}

const uint8_t *pm_constant_at(const struct pm_constants *constants, uint32_t index, uint8_t tag)
{
    const uint8_t *at = index < constants->n ? constants->at[index] : NULL;
    return at && *at == tag ? at : NULL;
}

const uint8_t *pm_constant_member(const struct pm_constants *constants, uint32_t index)
{
    static const uint8_t members[] = {PM_CONSTANT_FIELD, PM_CONSTANT_METHOD,
                                      PM_CONSTANT_INTERFACE_METHOD};
    const uint8_t *member = NULL;
    for (size_t i = 0; i < sizeof members && !member; i++)
        member = pm_constant_at(constants, index, members[i]);
    return member;
}

const uint8_t *pm_constant_text(const struct pm_constants *constants, const uint8_t *constant,
                                int part)
{
    return constant
               ? pm_constant_at(constants, pm_read_u2(constant + 1 + 2 * part), PM_CONSTANT_UTF8)
               : NULL;
}

bool pm_constant_is_text(const struct pm_constants *constants, uint32_t index, const char *text)
{
    const uint8_t *at = pm_constant_at(constants, index, PM_CONSTANT_UTF8);
    size_t length = strlen(text);
    return at && pm_read_u2(at + 1) == length && memcmp(at + 3, text, length) == 0;
}

/* How long an instruction is, with its opcode; 0: it differs, or is none. By opcode up to
 * jsr_w: operands as JVMS 6.5 has them. */
static const uint8_t lengths[PM_OP_JSR_W + 1] = {
    /* 00 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 10 */ 2, 3, 2, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1,
    /* 20 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 30 */ 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1,
    /* 40 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 50 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 60 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 70 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 80 */ 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 90 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3,
    /* a0 */ 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 0, 0, 1, 1, 1, 1,
    /* b0 */ 1, 1, 3, 3, 3, 3, 3, 3, 3, 5, 5, 3, 2, 3, 1, 1,
    /* c0 */ 3, 3, 1, 1, 0, 4, 3, 3, 5, 5,
};

/* The switch at `at` in code that begins at `code`: its operands are aligned to four bytes from
 * there. 0: it leaves the code. */
static size_t length_of_switch(const uint8_t *code, const uint8_t *at, const uint8_t *end)
{
    size_t padding = 3 - (size_t)(at - code) % 4;
    size_t room = (size_t)(end - at), n;
    if (room < 1 + padding + 12)
        return 0;
    const uint8_t *operands = at + 1 + padding;
    if (*at == PM_OP_LOOKUP_SWITCH) {
        n = pm_read_u4(operands + 4);
        return n > room / 8 ? 0 : 1 + padding + 8 + 8 * n;
    }
    int64_t low = (int32_t)pm_read_u4(operands + 4), high = (int32_t)pm_read_u4(operands + 8);
    if (high < low || high - low >= (int64_t)(room / 4))
        return 0;
    return 1 + padding + 12 + 4 * (size_t)(high - low + 1);
}

size_t pm_instruction_length(const uint8_t *code, const uint8_t *at, const uint8_t *end)
{
    if (*at == PM_OP_TABLE_SWITCH || *at == PM_OP_LOOKUP_SWITCH)
        return length_of_switch(code, at, end);
    if (*at == PM_OP_WIDE)
        return end - at < 2 ? 0 : at[1] == PM_OP_IINC ? 6 : 4;
    return *at <= PM_OP_JSR_W ? lengths[*at] : 0;
}
