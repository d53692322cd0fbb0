#include "recorder/agent/bytecode/receiver.h"

#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/bytecode/constants.h"

/* What lies in a slot of the stack or of the locals: the constant that names the field (or class)
 * which it was read from, perhaps as an element of it; 0: anything. */
typedef uint32_t Origin;
#define IS_ELEMENT (1u << 16)
#define MAX_STACK  256
#define MAX_LOCALS 256
#define MAX_SAVED  16

/* How the stack is where a jump leads. */
struct saved {
    size_t target;
    uint32_t depth;
    Origin stack[MAX_STACK];
};

struct machine {
    struct pm_constants constants;
    const uint8_t *code, *end;
    uint32_t n_arguments;
    uint32_t depth;
    bool reached;               /* the next instruction follows the one before */
    bool lost;                  /* the code is beyond this */
    uint8_t stores[MAX_LOCALS]; /* instructions that store a reference there, in the whole method */
    Origin locals[MAX_LOCALS];
    Origin stack[MAX_STACK];
    struct saved saved[MAX_SAVED];
    uint32_t n_saved;
};

/* -- the stack -- */

static void push(struct machine *m, Origin origin)
{
    m->lost |= m->depth == MAX_STACK;
    if (!m->lost)
        m->stack[m->depth++] = origin;
}

/* Of an empty stack: the exception that a handler begins with. */
static Origin pop(struct machine *m)
{
    return m->depth ? m->stack[--m->depth] : 0;
}

static void replace(struct machine *m, uint32_t n_popped, uint32_t n_pushed)
{
    for (uint32_t i = 0; i < n_popped; i++)
        pop(m);
    for (uint32_t i = 0; i < n_pushed; i++)
        push(m, 0);
}

/* dup … dup2_x2: copies the upper `n` below `below` more. */
static void duplicate(struct machine *m, uint32_t n, uint32_t below)
{
    Origin slots[4];
    for (uint32_t i = 0; i < n + below; i++)
        slots[i] = pop(m);
    for (uint32_t i = n; i > 0; i--)
        push(m, slots[i - 1]);
    for (uint32_t i = n + below; i > 0; i--)
        push(m, slots[i - 1]);
}

/* -- jumps -- */

/* Of two ways to one instruction only that is known which both agree on. */
static void merge(struct machine *m, const Origin *other, uint32_t depth, Origin *into)
{
    m->lost |= depth != m->depth;
    for (uint32_t i = 0; i < depth && !m->lost; i++)
        into[i] = m->stack[i] == other[i] ? other[i] : 0;
}

static void jump(struct machine *m, size_t from, int64_t distance)
{
    int64_t target = (int64_t)from + distance;
    if (target <= (int64_t)from || m->depth == 0) {
        m->lost |= m->depth > 0; /* back, with something on the stack */
        return;
    }
    for (uint32_t i = 0; i < m->n_saved; i++) {
        struct saved *saved = &m->saved[i];
        if (saved->target == (size_t)target) {
            merge(m, saved->stack, saved->depth, saved->stack);
            return;
        }
    }
    m->lost |= m->n_saved == MAX_SAVED;
    if (m->lost)
        return;
    struct saved *saved = &m->saved[m->n_saved++];
    saved->target = (size_t)target;
    saved->depth = m->depth;
    memcpy(saved->stack, m->stack, m->depth * sizeof *m->stack);
}

/* Where jumps lead, or what cannot be reached from above: an exception's handler, or code that is
 * jumped to with nothing on the stack. */
static void arrive(struct machine *m, size_t at)
{
    for (uint32_t i = 0; i < m->n_saved; i++) {
        struct saved *saved = &m->saved[i];
        if (saved->target != at)
            continue;
        if (m->reached) {
            merge(m, saved->stack, saved->depth, m->stack);
        } else {
            m->depth = saved->depth;
            memcpy(m->stack, saved->stack, m->depth * sizeof *m->stack);
        }
        m->reached = true;
        m->saved[i] = m->saved[--m->n_saved];
        return;
    }
    if (!m->reached)
        m->depth = 0;
    m->reached = true;
}

/* -- types -- */

/* The slots of the type that begins at `*at`, which is moved behind it; 0: none does. */
static uint32_t take_type(const uint8_t **at, const uint8_t *end)
{
    bool is_array = false;
    for (; *at < end && **at == '['; ++*at)
        is_array = true;
    uint8_t letter = *at < end ? *(*at)++ : 0;
    if (letter == 'L')
        while (*at < end && *(*at)++ != ';')
            ;
    if (!letter || !strchr("BCDFIJSZLV", letter))
        return 0;
    return letter == 'V' ? 0 : !is_array && (letter == 'J' || letter == 'D') ? 2 : 1;
}

/* Of a descriptor, "(IJ)V" or a field's "J". */
static uint32_t slots_of(const uint8_t *text, uint32_t *ret_arguments)
{
    const uint8_t *at = text + 3, *end = at + pm_read_u2(text + 1);
    *ret_arguments = 0;
    if (at < end && *at == '(') {
        for (at++; at < end && *at != ')';) {
            uint32_t n = take_type(&at, end);
            if (n == 0)
                break;
            *ret_arguments += n;
        }
        at += at < end;
    }
    return take_type(&at, end);
}

/* -- what an instruction does -- */

/* Slots taken from the stack and put on it, by opcode, as JVMS 6.5 has them; x: it does more than
 * that. */
static const char taken[] = "000000000000000000xx00000x0000000000000000xxxx2222x2221212x11112"
                            "22211112222xxxx3434333312xxxxxxx24242424242424242424121223232324"
                            "2424011122211122211142244xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0111x"
                            "0111xxxxxx";
static const char put[] = "011111111221112211xx21212x1111222211112222xxxx1212x1110000x00000"
                          "00000000000xxxx0000000000xxxxxxx12121212121212121212121212121212"
                          "1212021211212212111111111xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1111x"
                          "0100xxxxxx";

/* Calls that give what is the same lock by another view, or an element of their object. */
static Origin result_of(const uint8_t *name, uint32_t n_arguments, Origin receiver)
{
    static const char *const views[] = {"readLock", "writeLock", "asReadLock", "asWriteLock"};
    static const char *const elements[] = {"get", "computeIfAbsent", "getOrDefault"};
    if (receiver == 0 || !name)
        return 0;
    size_t length = pm_read_u2(name + 1);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (n_arguments == 0 && length == strlen(views[i]) &&
            memcmp(name + 3, views[i], length) == 0)
            return receiver;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (n_arguments > 0 && length == strlen(elements[i]) &&
            memcmp(name + 3, elements[i], length) == 0)
            return receiver | IS_ELEMENT;
    return 0;
}

/* The call's name and type; NULL: it is none. */
static const uint8_t *name_and_type(const struct machine *m, const uint8_t *at)
{
    uint32_t index = pm_read_u2(at + 1);
    const uint8_t *member = *at == PM_OP_INVOKE_DYNAMIC
                                ? pm_constant_at(&m->constants, index, PM_CONSTANT_INVOKE_DYNAMIC)
                                : pm_constant_member(&m->constants, index);
    return member ? pm_constant_at(&m->constants, pm_read_u2(member + 3), PM_CONSTANT_NAME_AND_TYPE)
                  : NULL;
}

static void use_member(struct machine *m, const uint8_t *at)
{
    const uint8_t *what = name_and_type(m, at);
    const uint8_t *type = pm_constant_text(&m->constants, what, 1);
    uint32_t n_arguments;
    m->lost |= !type;
    if (m->lost)
        return;
    uint32_t n = slots_of(type, &n_arguments);
    Origin origin = 0;
    switch (*at) {
    case PM_OP_GET_FIELD:
        pop(m);
        /* fall through */
    case PM_OP_GET_STATIC:
        origin = pm_read_u2(at + 1);
        break;
    case PM_OP_PUT_FIELD:
    case PM_OP_PUT_STATIC:
        replace(m, n + (*at == PM_OP_PUT_FIELD), 0);
        return;
    default:
        replace(m, n_arguments, 0);
        if (*at != PM_OP_INVOKE_STATIC && *at != PM_OP_INVOKE_DYNAMIC)
            origin = result_of(pm_constant_text(&m->constants, what, 0), n_arguments, pop(m));
        break;
    }
    if (n == 2)
        replace(m, 0, 2);
    else if (n == 1)
        push(m, origin);
}

/* The local that a reference is loaded from or stored to by the instruction, if it is one that does
 * (`first`: its form without operand). */
static bool local_of(const uint8_t *at, uint8_t plain, uint8_t first, uint32_t *ret_local)
{
    bool wide = *at == PM_OP_WIDE && at[1] == plain;
    if (wide)
        *ret_local = pm_read_u2(at + 2);
    else if (*at == plain)
        *ret_local = at[1];
    else if (*at >= first && *at < first + 4)
        *ret_local = *at - first;
    else
        return false;
    return true;
}

static bool use_local(struct machine *m, const uint8_t *at)
{
    uint32_t local;
    if (local_of(at, PM_OP_ALOAD, PM_OP_ALOAD_0, &local)) {
        /* What one instruction alone stores is what was stored, on whatever way one came here. */
        bool known = local < MAX_LOCALS && local >= m->n_arguments && m->stores[local] == 1;
        push(m, known ? m->locals[local] : 0);
    } else if (local_of(at, PM_OP_ASTORE, PM_OP_ASTORE_0, &local)) {
        Origin origin = pop(m);
        if (local < MAX_LOCALS)
            m->locals[local] = origin;
    } else {
        return false;
    }
    return true;
}

static void use_jump(struct machine *m, const uint8_t *at)
{
    size_t from = (size_t)(at - m->code);
    if (*at == PM_OP_GOTO_W || *at == PM_OP_JSR_W) {
        jump(m, from, (int32_t)pm_read_u4(at + 1));
    } else if (*at != PM_OP_RET && (*at < PM_OP_TABLE_SWITCH || *at >= PM_OP_IF_NULL)) {
        if (*at < PM_OP_GOTO || *at >= PM_OP_IF_NULL)
            replace(m, *at >= PM_OP_IFEQ + 6 && *at < PM_OP_GOTO ? 2 : 1, 0);
        jump(m, from, (int16_t)pm_read_u2(at + 1));
    } else if (*at == PM_OP_TABLE_SWITCH || *at == PM_OP_LOOKUP_SWITCH) {
        pop(m);
        m->lost |= m->depth > 0; /* a switch within an expression */
    }
    m->reached =
        (*at >= PM_OP_IFEQ && *at < PM_OP_GOTO) || (*at >= PM_OP_IF_NULL && *at < PM_OP_GOTO_W);
    m->lost |= *at == PM_OP_JSR || *at == PM_OP_JSR_W || *at == PM_OP_RET;
}

static void use_constant(struct machine *m, const uint8_t *at)
{
    uint32_t index = *at == PM_OP_LDC ? at[1] : pm_read_u2(at + 1);
    push(m, pm_constant_at(&m->constants, index, PM_CONSTANT_CLASS) ? index : 0);
}

static void execute(struct machine *m, const uint8_t *at)
{
    uint8_t opcode = *at == PM_OP_WIDE ? at[1] : *at;
    if (opcode <= PM_OP_JSR_W && taken[opcode] != 'x') {
        replace(m, (uint32_t)(taken[opcode] - '0'), (uint32_t)(put[opcode] - '0'));
    } else if (use_local(m, at)) {
        return;
    } else if (*at == PM_OP_LDC || *at == PM_OP_LDC_W) {
        use_constant(m, at);
    } else if (*at == PM_OP_AALOAD) {
        pop(m);
        Origin array = pop(m);
        push(m, array ? array | IS_ELEMENT : 0);
    } else if (*at >= PM_OP_DUP && *at < PM_OP_SWAP) {
        duplicate(m, *at < PM_OP_DUP + 3 ? 1 : 2, (uint32_t)(*at - PM_OP_DUP) % 3);
    } else if (*at == PM_OP_SWAP) {
        Origin upper = pop(m), lower = pop(m);
        push(m, upper);
        push(m, lower);
    } else if (*at >= PM_OP_GET_STATIC && *at <= PM_OP_INVOKE_DYNAMIC) {
        use_member(m, at);
    } else if (*at == PM_OP_MULTI_NEW_ARRAY) {
        replace(m, at[3], 1);
    } else if (*at == PM_OP_ATHROW || (*at > PM_OP_LOOKUP_SWITCH && *at <= PM_OP_RETURN)) {
        m->reached = false;
    } else {
        use_jump(m, at);
    }
}

/* -- the whole -- */

bool pm_bytecode_has_receiver(uint8_t opcode, bool call)
{
    return call ? opcode == PM_OP_INVOKE_VIRTUAL || opcode == PM_OP_INVOKE_SPECIAL ||
                      opcode == PM_OP_INVOKE_INTERFACE
                : opcode == PM_OP_MONITOR_ENTER;
}

static bool count_stores(struct machine *m)
{
    for (const uint8_t *at = m->code; at < m->end;) {
        size_t length = pm_instruction_length(m->code, at, m->end);
        uint32_t local;
        if (length == 0 || length > (size_t)(m->end - at) || *at > PM_OP_JSR_W)
            return false;
        if (local_of(at, PM_OP_ASTORE, PM_OP_ASTORE_0, &local) && local < MAX_LOCALS &&
            m->stores[local] < UINT8_MAX)
            m->stores[local]++;
        at += length;
    }
    return true;
}

/* Where the object of the instruction at `wanted` comes from, 0: not known. */
static Origin run(struct machine *m, size_t wanted)
{
    for (const uint8_t *at = m->code; at < m->end && !m->lost;) {
        size_t offset = (size_t)(at - m->code);
        arrive(m, offset);
        if (offset == wanted) {
            const uint8_t *type = *at == PM_OP_MONITOR_ENTER
                                      ? NULL
                                      : pm_constant_text(&m->constants, name_and_type(m, at), 1);
            uint32_t n_arguments = 0;
            if (type)
                slots_of(type, &n_arguments);
            m->lost |= !type && *at != PM_OP_MONITOR_ENTER;
            m->lost |= m->depth <= n_arguments;
            return m->lost ? 0 : m->stack[m->depth - 1 - n_arguments];
        }
        execute(m, at);
        at += pm_instruction_length(m->code, at, m->end);
    }
    return 0;
}

static bool copy_text(const uint8_t *text, const char *suffix, char *ret_text)
{
    size_t length = text ? pm_read_u2(text + 1) : 0;
    if (length == 0 || length + strlen(suffix) >= PM_RECEIVER_NAME_MAX ||
        memchr(text + 3, 0, length))
        return false;
    memcpy(ret_text, text + 3, length);
    strcpy(ret_text + length, suffix);
    return true;
}

/* False where the name would say nothing: the object around an inner class's. */
static bool name_it(const struct machine *m, Origin origin, struct pm_receiver *ret_receiver)
{
    const struct pm_constants *c = &m->constants;
    uint32_t index = origin & 0xffff;
    const char *suffix = origin & IS_ELEMENT ? "[]" : "";
    const uint8_t *class = pm_constant_at(c, index, PM_CONSTANT_CLASS);
    if (class) {
        strcpy(ret_receiver->field, "class");
        return origin == index &&
               copy_text(pm_constant_text(c, class, 0), "", ret_receiver->class_name);
    }
    const uint8_t *field = pm_constant_at(c, index, PM_CONSTANT_FIELD);
    if (!field)
        return false;
    class = pm_constant_at(c, pm_read_u2(field + 1), PM_CONSTANT_CLASS);
    const uint8_t *what = pm_constant_at(c, pm_read_u2(field + 3), PM_CONSTANT_NAME_AND_TYPE);
    return copy_text(pm_constant_text(c, class, 0), "", ret_receiver->class_name) &&
           copy_text(pm_constant_text(c, what, 0), suffix, ret_receiver->field) &&
           strncmp(ret_receiver->field, "this$", 5) != 0;
}

int pm_bytecode_receiver(const struct pm_bytecode *bytecode, size_t at,
                         struct pm_receiver *ret_receiver)
{
    struct machine *m = calloc(1, sizeof *m);
    if (!m)
        return PM_ERROR_MEMORY;
    struct pm_class_cursor cursor = {bytecode->constants,
                                     bytecode->constants + bytecode->constants_size, false};
    m->code = bytecode->code;
    m->end = bytecode->code + bytecode->code_size;
    m->n_arguments = bytecode->n_arguments;
    m->reached = true;
    int error = pm_constants_read(&cursor, bytecode->n_constants, &m->constants);
    if (!error && !count_stores(m))
        error = PM_ERROR_MALFORMED;
    if (!error) {
        Origin origin = run(m, at);
        if (origin == 0 || !name_it(m, origin, ret_receiver))
            error = PM_ERROR_ARGUMENT;
    }
    free(m->constants.at);
    free(m);
    return error;
}
