#include "recorder/agent/hotspot/class-file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONSTANTS 65535
#define MAX_REDIRECTS 16
/* Of one redirect: two texts with their heads, class, name and type, method. */
#define N_ADDED 6

enum constant {
    UTF8 = 1,
    INTEGER = 3,
    FLOAT = 4,
    LONG = 5,
    DOUBLE = 6,
    CLASS = 7,
    STRING = 8,
    FIELD = 9,
    METHOD = 10,
    INTERFACE_METHOD = 11,
    NAME_AND_TYPE = 12,
    METHOD_HANDLE = 15,
    METHOD_TYPE = 16,
    DYNAMIC = 17,
    INVOKE_DYNAMIC = 18,
    MODULE = 19,
    PACKAGE = 20,
};

enum opcode {
    NOP = 0x00,
    TABLE_SWITCH = 0xaa,
    LOOKUP_SWITCH = 0xab,
    GET_STATIC = 0xb2,
    PUT_STATIC = 0xb3,
    INVOKE_VIRTUAL = 0xb6,
    INVOKE_STATIC = 0xb8,
    INVOKE_INTERFACE = 0xb9,
    NEW = 0xbb,
    WIDE = 0xc4,
    IINC = 0x84,
    LAST_OPCODE = 0xc9,
};

/* A range of bytes that is read from the front; once it was left it stays `failed`. */
struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

static const uint8_t *take(struct cursor *cursor, size_t n)
{
    if (cursor->failed || n > (size_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *at = cursor->at;
    cursor->at += n;
    return at;
}

static uint32_t read_u2(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t read_u4(const uint8_t *at)
{
    return read_u2(at) << 16 | read_u2(at + 2);
}

static uint32_t take_u2(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 2);
    return at ? read_u2(at) : 0;
}

static uint32_t take_u4(struct cursor *cursor)
{
    const uint8_t *at = take(cursor, 4);
    return at ? read_u4(at) : 0;
}

static void put_u2(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* -- the constants -- */

struct constants {
    const uint8_t **at; /* by index: the tag; NULL: none is there */
    uint32_t n;         /* as the file counts them: one more */
    const uint8_t *end; /* behind the last */
};

/* Behind the tag; 0: no such constant. Of a text its length is still to be added. */
static size_t size_of_constant(uint8_t tag)
{
    switch (tag) {
    case UTF8:
    case CLASS:
    case STRING:
    case METHOD_TYPE:
    case MODULE:
    case PACKAGE:
        return 2;
    case METHOD_HANDLE:
        return 3;
    case INTEGER:
    case FLOAT:
    case FIELD:
    case METHOD:
    case INTERFACE_METHOD:
    case NAME_AND_TYPE:
    case DYNAMIC:
    case INVOKE_DYNAMIC:
        return 4;
    case LONG:
    case DOUBLE:
        return 8;
    default:
        return 0;
    }
}

/* `n`: as the file counts them. */
static int read_constants(struct cursor *cursor, uint32_t n, struct constants *constants)
{
    constants->n = n;
    constants->at = calloc((size_t)constants->n + 1, sizeof *constants->at);
    if (!constants->at)
        return PM_ERROR_MEMORY;
    uint32_t i = 1;
    for (; i < constants->n && !cursor->failed; i++) {
        const uint8_t *tag = take(cursor, 1);
        size_t size = tag ? size_of_constant(*tag) : 0;
        const uint8_t *body = size ? take(cursor, size) : NULL;
        if (!body || (*tag == UTF8 && !take(cursor, read_u2(body))))
            return PM_ERROR_MALFORMED;
        constants->at[i] = tag;
        i += *tag == LONG || *tag == DOUBLE; /* each takes two numbers */
    }
    constants->end = cursor->at;
    return cursor->failed || i != constants->n ? PM_ERROR_MALFORMED : 0;
}

/* NULL: it is no constant of this kind. */
static const uint8_t *constant_at(const struct constants *constants, uint32_t index, uint8_t tag)
{
    const uint8_t *at = index < constants->n ? constants->at[index] : NULL;
    return at && *at == tag ? at : NULL;
}

static bool is_text(const struct constants *constants, uint32_t index, const char *text)
{
    const uint8_t *at = constant_at(constants, index, UTF8);
    size_t length = strlen(text);
    return at && read_u2(at + 1) == length && memcmp(at + 3, text, length) == 0;
}

static bool is_method(const struct constants *constants, uint32_t index,
                      const struct pm_method_name *name)
{
    const uint8_t *method = constant_at(constants, index, METHOD);
    if (!method)
        method = constant_at(constants, index, INTERFACE_METHOD);
    if (!method)
        return false;
    const uint8_t *class = constant_at(constants, read_u2(method + 1), CLASS);
    const uint8_t *what = constant_at(constants, read_u2(method + 3), NAME_AND_TYPE);
    return class && what && is_text(constants, read_u2(class + 1), name->class) &&
           is_text(constants, read_u2(what + 1), name->name) &&
           is_text(constants, read_u2(what + 3), name->descriptor);
}

/* -- what is written -- */

struct output {
    uint8_t *bytes;
    size_t size;
    uint32_t n_constants;
};

static void append(struct output *output, const void *bytes, size_t n)
{
    memcpy(output->bytes + output->size, bytes, n);
    output->size += n;
}

static uint32_t append_text(struct output *output, const char *text)
{
    uint8_t head[3] = {UTF8};
    put_u2(head + 1, (uint32_t)strlen(text));
    append(output, head, sizeof head);
    append(output, text, strlen(text));
    return output->n_constants++;
}

/* A constant of one reference or of two (`second` 0: one). */
static uint32_t append_reference(struct output *output, uint8_t tag, uint32_t first,
                                 uint32_t second)
{
    uint8_t bytes[5] = {tag};
    put_u2(bytes + 1, first);
    put_u2(bytes + 3, second);
    append(output, bytes, second ? 5 : 3);
    return output->n_constants++;
}

/* The number of the constant that names it. */
static uint32_t append_method(struct output *output, const struct pm_method_name *name)
{
    uint32_t class_name = append_text(output, name->class);
    uint32_t class = append_reference(output, CLASS, class_name, 0);
    uint32_t text = append_text(output, name->name);
    uint32_t descriptor = append_text(output, name->descriptor);
    uint32_t what = append_reference(output, NAME_AND_TYPE, text, descriptor);
    return append_reference(output, METHOD, class, what);
}

/* -- the code -- */

/* How long an instruction is, with its opcode; 0: it differs, or is none. By opcode up to
 * jsr_w: operands as JVMS 6.5 has them. */
static const uint8_t lengths[LAST_OPCODE + 1] = {
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
    if (*at == LOOKUP_SWITCH) {
        n = read_u4(operands + 4);
        return n > room / 8 ? 0 : 1 + padding + 8 + 8 * n;
    }
    int64_t low = (int32_t)read_u4(operands + 4), high = (int32_t)read_u4(operands + 8);
    if (high < low || high - low >= (int64_t)(room / 4))
        return 0;
    return 1 + padding + 12 + 4 * (size_t)(high - low + 1);
}

static size_t length_of(const uint8_t *code, const uint8_t *at, const uint8_t *end)
{
    if (*at == TABLE_SWITCH || *at == LOOKUP_SWITCH)
        return length_of_switch(code, at, end);
    if (*at == WIDE)
        return end - at < 2 ? 0 : at[1] == IINC ? 6 : 4;
    return *at <= LAST_OPCODE ? lengths[*at] : 0;
}

struct edit {
    const struct constants *constants;
    const struct pm_class_redirect *redirects;
    size_t n_redirects;
    const uint32_t *targets; /* constants, by redirect */
    uint32_t *calls;
    const uint8_t *body; /* behind the constants, */
    uint8_t *copy;       /* and where it was copied to */
};

/* The call at `at`, in the copy. */
static void redirect(const struct edit *edit, const uint8_t *at)
{
    uint8_t *call = edit->copy + (at - edit->body);
    for (size_t i = 0; i < edit->n_redirects; i++) {
        if (!is_method(edit->constants, read_u2(call + 1), &edit->redirects[i].from))
            continue;
        if (*call == INVOKE_INTERFACE)
            call[3] = call[4] = NOP;
        *call = INVOKE_STATIC;
        put_u2(call + 1, edit->targets[i]);
        edit->calls[i]++;
        return;
    }
}

static bool edit_code(const struct edit *edit, struct cursor attribute)
{
    take(&attribute, 4); /* stack and locals */
    uint32_t size = take_u4(&attribute);
    const uint8_t *code = take(&attribute, size);
    if (!code)
        return false;
    const uint8_t *end = code + size;
    for (const uint8_t *at = code; at < end;) {
        size_t length = length_of(code, at, end);
        if (length == 0 || length > (size_t)(end - at))
            return false;
        if (*at == INVOKE_VIRTUAL || *at == INVOKE_STATIC || *at == INVOKE_INTERFACE)
            redirect(edit, at);
        at += length;
    }
    return true;
}

/* Of fields or methods, at the cursor. */
static bool edit_members(const struct edit *edit, struct cursor *cursor)
{
    uint32_t n = take_u2(cursor);
    for (uint32_t i = 0; i < n && !cursor->failed; i++) {
        take(cursor, 6); /* flags, name, descriptor */
        uint32_t n_attributes = take_u2(cursor);
        for (uint32_t a = 0; a < n_attributes && !cursor->failed; a++) {
            uint32_t name = take_u2(cursor);
            uint32_t size = take_u4(cursor);
            const uint8_t *body = take(cursor, size);
            if (body && is_text(edit->constants, name, "Code") &&
                !edit_code(edit, (struct cursor){body, body + size, false}))
                return false;
        }
    }
    return !cursor->failed;
}

static bool edit_body(const struct edit *edit, struct cursor body)
{
    take(&body, 6); /* flags, this, super */
    uint32_t n_interfaces = take_u2(&body);
    take(&body, 2 * (size_t)n_interfaces);
    return edit_members(edit, &body) && edit_members(edit, &body);
}

static size_t added_size(const struct pm_class_redirect *redirects, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pm_method_name *to = &redirects[i].to;
        size += 3 * 3 + strlen(to->class) + strlen(to->name) + strlen(to->descriptor);
        size += 3 + 5 + 5;
    }
    return size;
}

int pm_class_file_redirect(const uint8_t *bytes, size_t size,
                           const struct pm_class_redirect *redirects, size_t n_redirects,
                           uint8_t **ret_bytes, size_t *ret_size, uint32_t *ret_calls)
{
    struct cursor cursor = {bytes, bytes + size, false};
    struct constants constants = {0};
    struct output output = {0};
    uint32_t targets[MAX_REDIRECTS], calls[MAX_REDIRECTS] = {0};
    const uint8_t *head = take(&cursor, 8);
    int error = PM_ERROR_MALFORMED;
    if (!head || read_u4(head) != 0xcafebabe || n_redirects > MAX_REDIRECTS)
        goto out;
    error = read_constants(&cursor, take_u2(&cursor), &constants);
    if (error)
        goto out;
    error = PM_ERROR_MALFORMED;
    if (constants.n + n_redirects * N_ADDED > MAX_CONSTANTS)
        goto out;
    error = PM_ERROR_MEMORY;
    output.bytes = malloc(size + added_size(redirects, n_redirects));
    if (!output.bytes)
        goto out;
    append(&output, bytes, (size_t)(constants.end - bytes));
    output.n_constants = constants.n;
    for (size_t i = 0; i < n_redirects; i++)
        targets[i] = append_method(&output, &redirects[i].to);
    put_u2(output.bytes + 8, output.n_constants);
    uint8_t *copy = output.bytes + output.size;
    append(&output, constants.end, (size_t)(bytes + size - constants.end));
    const struct edit edit = {&constants, redirects,     n_redirects, targets,
                              calls,      constants.end, copy};
    error = edit_body(&edit, cursor) ? 0 : PM_ERROR_MALFORMED;
    if (error)
        goto out;
    *ret_bytes = output.bytes;
    *ret_size = output.size;
    memcpy(ret_calls, calls, n_redirects * sizeof *calls);
    output.bytes = NULL;
out:
    free(output.bytes);
    free(constants.at);
    return error;
}

/* Its text; NULL: the instruction needs none. */
static const uint8_t *needed_class(const struct constants *constants, uint8_t opcode,
                                   uint32_t index)
{
    static const uint8_t members[] = {FIELD, METHOD, INTERFACE_METHOD};
    const uint8_t *member = NULL;
    for (size_t i = 0; i < sizeof members && !member && opcode != NEW; i++)
        member = constant_at(constants, index, members[i]);
    if (opcode != NEW && !member)
        return NULL;
    const uint8_t *class = constant_at(constants, member ? read_u2(member + 1) : index, CLASS);
    return class ? constant_at(constants, read_u2(class + 1), UTF8) : NULL;
}

int pm_class_file_needed_class(const uint8_t *code, size_t code_size, size_t at,
                               const uint8_t *constants, size_t size, uint32_t n_constants,
                               char *ret_name, size_t name_size)
{
    struct cursor cursor = {constants, constants + size, false};
    struct constants parsed = {0};
    if (code_size < 3 || at > code_size - 3)
        return PM_ERROR_MALFORMED;
    if (code[at] != NEW && code[at] != GET_STATIC && code[at] != PUT_STATIC &&
        code[at] != INVOKE_STATIC)
        return PM_ERROR_ARGUMENT;
    int error = read_constants(&cursor, n_constants, &parsed);
    const uint8_t *text = error ? NULL : needed_class(&parsed, code[at], read_u2(code + at + 1));
    if (!error && (!text || read_u2(text + 1) >= name_size))
        error = PM_ERROR_MALFORMED;
    if (!error) {
        memcpy(ret_name, text + 3, read_u2(text + 1));
        ret_name[read_u2(text + 1)] = '\0';
    }
    free(parsed.at);
    return error;
}
