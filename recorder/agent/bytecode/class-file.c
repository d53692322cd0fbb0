#include "recorder/agent/bytecode/class-file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/agent/bytecode/constants.h"

#define MAX_CONSTANTS 65535
#define MAX_REDIRECTS 16
/* Of one redirect: two texts with their heads, class, name and type, method. */
#define N_ADDED 6

static void put_u2(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static bool is_method(const struct pm_constants *constants, uint32_t index,
                      const struct pm_method_name *name)
{
    const uint8_t *method = pm_constant_at(constants, index, PM_CONSTANT_METHOD);
    if (!method)
        method = pm_constant_at(constants, index, PM_CONSTANT_INTERFACE_METHOD);
    if (!method)
        return false;
    const uint8_t *class = pm_constant_at(constants, pm_read_u2(method + 1), PM_CONSTANT_CLASS);
    const uint8_t *what =
        pm_constant_at(constants, pm_read_u2(method + 3), PM_CONSTANT_NAME_AND_TYPE);
    return class && what && pm_constant_is_text(constants, pm_read_u2(class + 1), name->class) &&
           pm_constant_is_text(constants, pm_read_u2(what + 1), name->name) &&
           pm_constant_is_text(constants, pm_read_u2(what + 3), name->descriptor);
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
    uint8_t head[3] = {PM_CONSTANT_UTF8};
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
    uint32_t class = append_reference(output, PM_CONSTANT_CLASS, class_name, 0);
    uint32_t text = append_text(output, name->name);
    uint32_t descriptor = append_text(output, name->descriptor);
    uint32_t what = append_reference(output, PM_CONSTANT_NAME_AND_TYPE, text, descriptor);
    return append_reference(output, PM_CONSTANT_METHOD, class, what);
}

/* -- the code -- */

struct edit {
    const struct pm_constants *constants;
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
        if (!is_method(edit->constants, pm_read_u2(call + 1), &edit->redirects[i].from))
            continue;
        if (*call == PM_OP_INVOKE_INTERFACE)
            call[3] = call[4] = PM_OP_NOP;
        *call = PM_OP_INVOKE_STATIC;
        put_u2(call + 1, edit->targets[i]);
        edit->calls[i]++;
        return;
    }
}

static bool edit_code(const struct edit *edit, struct pm_class_cursor attribute)
{
    pm_class_take(&attribute, 4); /* stack and locals */
    uint32_t size = pm_class_take_u4(&attribute);
    const uint8_t *code = pm_class_take(&attribute, size);
    if (!code)
        return false;
    const uint8_t *end = code + size;
    for (const uint8_t *at = code; at < end;) {
        size_t length = pm_instruction_length(code, at, end);
        if (length == 0 || length > (size_t)(end - at))
            return false;
        if (*at == PM_OP_INVOKE_VIRTUAL || *at == PM_OP_INVOKE_STATIC ||
            *at == PM_OP_INVOKE_INTERFACE)
            redirect(edit, at);
        at += length;
    }
    return true;
}

/* Of fields or methods, at the cursor. */
static bool edit_members(const struct edit *edit, struct pm_class_cursor *cursor)
{
    uint32_t n = pm_class_take_u2(cursor);
    for (uint32_t i = 0; i < n && !cursor->failed; i++) {
        pm_class_take(cursor, 6); /* flags, name, descriptor */
        uint32_t n_attributes = pm_class_take_u2(cursor);
        for (uint32_t a = 0; a < n_attributes && !cursor->failed; a++) {
            uint32_t name = pm_class_take_u2(cursor);
            uint32_t size = pm_class_take_u4(cursor);
            const uint8_t *body = pm_class_take(cursor, size);
            if (body && pm_constant_is_text(edit->constants, name, "Code") &&
                !edit_code(edit, (struct pm_class_cursor){body, body + size, false}))
                return false;
        }
    }
    return !cursor->failed;
}

static bool edit_body(const struct edit *edit, struct pm_class_cursor body)
{
    pm_class_take(&body, 6); /* flags, this, super */
    uint32_t n_interfaces = pm_class_take_u2(&body);
    pm_class_take(&body, 2 * (size_t)n_interfaces);
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
    struct pm_class_cursor cursor = {bytes, bytes + size, false};
    struct pm_constants constants = {0};
    struct output output = {0};
    uint32_t targets[MAX_REDIRECTS], calls[MAX_REDIRECTS] = {0};
    const uint8_t *head = pm_class_take(&cursor, 8);
    int error = PM_ERROR_MALFORMED;
    if (!head || pm_read_u4(head) != 0xcafebabe || n_redirects > MAX_REDIRECTS)
        goto out;
    error = pm_constants_read(&cursor, pm_class_take_u2(&cursor), &constants);
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
static const uint8_t *needed_class(const struct pm_constants *constants, uint8_t opcode,
                                   uint32_t index)
{
    const uint8_t *member = opcode != PM_OP_NEW ? pm_constant_member(constants, index) : NULL;
    if (opcode != PM_OP_NEW && !member)
        return NULL;
    return pm_constant_text(
        constants,
        pm_constant_at(constants, member ? pm_read_u2(member + 1) : index, PM_CONSTANT_CLASS), 0);
}

int pm_class_file_needed_class(const uint8_t *code, size_t code_size, size_t at,
                               const uint8_t *constants, size_t size, uint32_t n_constants,
                               char *ret_name, size_t name_size)
{
    struct pm_class_cursor cursor = {constants, constants + size, false};
    struct pm_constants parsed = {0};
    if (code_size < 3 || at > code_size - 3)
        return PM_ERROR_MALFORMED;
    if (code[at] != PM_OP_NEW && code[at] != PM_OP_GET_STATIC && code[at] != PM_OP_PUT_STATIC &&
        code[at] != PM_OP_INVOKE_STATIC)
        return PM_ERROR_ARGUMENT;
    int error = pm_constants_read(&cursor, n_constants, &parsed);
    const uint8_t *text = error ? NULL : needed_class(&parsed, code[at], pm_read_u2(code + at + 1));
    if (!error && (!text || pm_read_u2(text + 1) >= name_size))
        error = PM_ERROR_MALFORMED;
    if (!error) {
        memcpy(ret_name, text + 3, pm_read_u2(text + 1));
        ret_name[pm_read_u2(text + 1)] = '\0';
    }
    free(parsed.at);
    return error;
}
