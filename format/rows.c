#include "format/rows.h"

#include "format/block.h"
#include "format/error.h"

void pm_rows_scratch_clear(struct pm_rows_scratch *scratch)
{
    free(scratch->column);
    free(scratch->runs);
    free(scratch->sorted);
    free(scratch->starts);
    free(scratch->slots);
    free(scratch->keys);
    *scratch = (struct pm_rows_scratch){0};
}

size_t pm_rows_scratch_bytes(const struct pm_rows_scratch *scratch)
{
    return scratch->capacity * (sizeof *scratch->column + sizeof *scratch->runs) +
           scratch->sorted_capacity * sizeof *scratch->sorted +
           scratch->table_capacity * 3 * sizeof *scratch->slots;
}

static int scratch_reserve(struct pm_rows_scratch *scratch, size_t n)
{
    if (n <= scratch->capacity)
        return PM_OK;
    size_t capacity = scratch->capacity < 64 ? 64 : scratch->capacity;
    while (capacity < n)
        capacity *= 2;
    uint64_t *column = realloc(scratch->column, capacity * sizeof *column);
    if (column)
        scratch->column = column;
    struct pm_rows_run *runs = realloc(scratch->runs, capacity * sizeof *runs);
    if (runs)
        scratch->runs = runs;
    if (!column || !runs)
        return PM_ERROR_MEMORY;
    scratch->capacity = capacity;
    return PM_OK;
}

static bool time_valid(int64_t value)
{
    return value >= 0 && value < PM_TIME_LIMIT;
}

bool pm_rows_waits_valid(const struct pm_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pm_rows_is_wait_valid(&waits[i]))
            return false;
    return true;
}

bool pm_rows_memory_head_valid(const struct pm_memory_head *head)
{
    return pm_fields_valid(&pm_memory_head_fields, head, 1) && head->place <= PM_SNAPSHOT_END &&
           (head->flags & ~PM_MEMORY_KNOWN_FLAGS) == 0;
}

/* Text, cut at the cap between two characters. */
static void encode_text(struct pm_bytes *to, struct pm_text text)
{
    uint32_t length = text.length;
    if (length > PM_TEXT_MAX) {
        length = PM_TEXT_MAX;
        while (length > 0 && ((uint8_t)text.bytes[length] & 0xc0) == 0x80)
            length--;
    }
    pm_bytes_add_varint(to, length);
    pm_bytes_add(to, text.bytes, length);
}

static struct pm_text decode_text(struct pm_cursor *from)
{
    uint32_t length = pm_cursor_varint32(from);
    if (length > PM_TEXT_MAX) {
        from->bad = true;
        return (struct pm_text){"", 0};
    }
    const uint8_t *bytes = pm_cursor_take(from, length);
    return !bytes ? (struct pm_text){"", 0} : (struct pm_text){(const char *)bytes, length};
}

void pm_rows_encode_facts(struct pm_bytes *to, const struct pm_facts *facts)
{
    pm_bytes_add_varint(to, facts->pid);
    pm_bytes_add_varint(to, pm_zigzag(facts->begin_ns));
    pm_bytes_add_varint(to, pm_zigzag(facts->begin_unix_ns));
    encode_text(to, facts->jvm);
    encode_text(to, facts->main);
    encode_text(to, facts->host);
    encode_text(to, facts->options);
    encode_text(to, facts->zone);
    encode_text(to, facts->not_recorded);
}

int pm_rows_decode_facts(struct pm_cursor *from, struct pm_facts *ret)
{
    struct pm_facts facts;
    facts.pid = pm_cursor_varint32(from);
    facts.begin_ns = pm_unzigzag(pm_cursor_varint(from));
    facts.begin_unix_ns = pm_unzigzag(pm_cursor_varint(from));
    facts.jvm = decode_text(from);
    facts.main = decode_text(from);
    facts.host = decode_text(from);
    facts.options = decode_text(from);
    facts.zone = decode_text(from);
    facts.not_recorded = decode_text(from);
    if (from->bad || !time_valid(facts.begin_ns))
        return PM_ERROR_MALFORMED;
    *ret = facts; /* what follows is a later version's */
    return PM_OK;
}

void pm_rows_encode_class(struct pm_bytes *to, const struct pm_class *value)
{
    pm_bytes_add_u8(to, PM_DEFINE_CLASS);
    pm_bytes_add_varint(to, value->id.n);
    encode_text(to, value->name);
}

void pm_rows_encode_method(struct pm_bytes *to, const struct pm_method *value)
{
    pm_bytes_add_u8(to, PM_DEFINE_METHOD);
    pm_bytes_add_varint(to, value->id.n);
    pm_bytes_add_varint(to, value->class_id.n);
    encode_text(to, value->name);
    encode_text(to, value->file);
}

void pm_rows_encode_chain(struct pm_bytes *to, const struct pm_chain *value)
{
    uint32_t n = value->n_frames < PM_FRAMES_MAX ? value->n_frames : PM_FRAMES_MAX;
    pm_bytes_add_u8(to, PM_DEFINE_CHAIN);
    pm_bytes_add_varint(to, value->id.n);
    pm_bytes_add_u8(to, value->truncated || n < value->n_frames);
    pm_bytes_add_varint(to, n);
    for (uint32_t i = 0; i < n; i++) {
        pm_bytes_add_varint(to, value->frames[i].method.n);
        pm_bytes_add_varint(to, pm_zigzag(value->frames[i].line));
    }
}

void pm_rows_encode_reached(struct pm_bytes *to, const struct pm_reached *value)
{
    pm_bytes_add_varint(to, value->chain.n);
    pm_bytes_add_varint(to, value->frame);
    pm_bytes_add_varint(to, value->field.n);
}

void pm_rows_encode_thread(struct pm_bytes *to, const struct pm_thread *value)
{
    pm_bytes_add_u8(to, PM_DEFINE_THREAD);
    pm_bytes_add_varint(to, value->id.n);
    pm_bytes_add_varint(to, pm_zigzag(value->tid));
    pm_bytes_add_u8(to, (uint8_t)(value->is_virtual | value->is_daemon << 1));
    encode_text(to, value->name);
}

void pm_rows_encode_blocker(struct pm_bytes *to, const struct pm_blocker *value)
{
    pm_bytes_add_u8(to, PM_DEFINE_BLOCKER);
    pm_bytes_add_varint(to, value->id.n);
    pm_bytes_add_varint(to, value->class_id.n);
    pm_bytes_add_varint(to, value->hash);
    pm_bytes_add_varint(to, value->parent.n);
    pm_bytes_add_varint(to, value->flags);
    pm_bytes_add_varint(to, value->first_chain.n);
    pm_bytes_add_varint(to, value->first_thread.n);
}

static int reserve_records(struct pm_rows *rows, size_t n, size_t each)
{
    size_t bytes = (n == 0 ? 1 : n) * each;
    if (bytes > rows->records_bytes) {
        void *records = realloc(rows->records, bytes);
        if (!records)
            return PM_ERROR_MEMORY;
        rows->records = records;
        rows->records_bytes = bytes;
    }
    return PM_OK;
}

#define CALL(member, value)                                                                        \
    if (visitor->member && !from->bad &&                                                           \
        (*ret_stop = visitor->member(visitor->context, value)) != 0)                               \
        return PM_OK;

int pm_rows_decode_definitions(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                               const struct pm_visitor *visitor, int *ret_stop)
{
    *ret_stop = 0;
    for (size_t i = 0; i < n && !from->bad; i++) {
        unsigned tag = pm_cursor_u8(from);
        uint32_t id = pm_cursor_varint32(from);
        from->bad |= id == 0;
        switch (tag) {
        case PM_DEFINE_CLASS: {
            struct pm_class value = {{id}, decode_text(from)};
            CALL(on_class, &value)
            break;
        }
        case PM_DEFINE_METHOD: {
            struct pm_method value = {.id = {id}};
            value.class_id.n = pm_cursor_varint32(from);
            value.name = decode_text(from);
            value.file = decode_text(from);
            CALL(on_method, &value)
            break;
        }
        case PM_DEFINE_CHAIN: {
            unsigned truncated = pm_cursor_u8(from);
            uint32_t n_frames = pm_cursor_varint32(from);
            if (truncated > 1 || n_frames > PM_FRAMES_MAX || n_frames > pm_cursor_left(from) / 2)
                return PM_ERROR_MALFORMED;
            int result = reserve_records(rows, n_frames, sizeof(struct pm_frame));
            if (result != PM_OK)
                return result;
            struct pm_frame *frames = rows->records;
            for (uint32_t k = 0; k < n_frames; k++) {
                frames[k].method.n = pm_cursor_varint32(from);
                frames[k].line = (int32_t)pm_unzigzag(pm_cursor_varint32(from));
            }
            struct pm_chain value = {{id}, n_frames, frames, truncated == 1};
            CALL(on_chain, &value)
            break;
        }
        case PM_DEFINE_THREAD: {
            struct pm_thread value = {.id = {id}};
            value.tid = pm_unzigzag(pm_cursor_varint(from));
            unsigned flags = pm_cursor_u8(from);
            from->bad |= flags > 3;
            value.is_virtual = (flags & 1) != 0;
            value.is_daemon = (flags & 2) != 0;
            value.name = decode_text(from);
            CALL(on_thread, &value)
            break;
        }
        case PM_DEFINE_BLOCKER: {
            struct pm_blocker value = {.id = {id}};
            value.class_id.n = pm_cursor_varint32(from);
            value.hash = pm_cursor_varint32(from);
            value.parent.n = pm_cursor_varint32(from);
            value.flags = pm_cursor_varint32(from);
            value.first_chain.n = pm_cursor_varint32(from);
            value.first_thread.n = pm_cursor_varint32(from);
            from->bad |= (value.flags & ~(uint32_t)PM_BLOCKER_KNOWN_FLAGS) != 0;
            CALL(on_blocker, &value)
            break;
        }
        default:
            return PM_ERROR_MALFORMED;
        }
    }
    return from->bad || from->at != from->end ? PM_ERROR_MALFORMED : PM_OK;
}

/* Which thread each run of rows is of: dense indices by a hash table of that size, a power of two,
 * which most blocks need little of; and in `starts` each thread's rows, counted. False: the table
 * is too small. */
static bool find_runs(struct pm_rows_scratch *s, const struct pm_wait *waits, size_t n,
                      size_t table, uint32_t *ret_threads, uint32_t *ret_runs)
{
    uint32_t n_threads = 0, n_runs = 0;
    memset(s->slots, 0, table * sizeof *s->slots); /* dense index of a thread + 1 */
    for (size_t i = 0; i < n;) {
        uint32_t thread = waits[i].thread.n;
        size_t at = (thread * 0x9E3779B1u >> 7) & (table - 1);
        while (s->slots[at] != 0 && s->keys[at] != thread)
            at = (at + 1) & (table - 1);
        if (s->slots[at] == 0) {
            if (n_threads == table / 2)
                return false;
            s->keys[at] = thread;
            s->starts[n_threads] = 0;
            s->slots[at] = ++n_threads;
        }
        size_t begin = i;
        while (i < n && waits[i].thread.n == thread)
            i++;
        s->runs[n_runs++] = (struct pm_rows_run){(uint32_t)begin, s->slots[at] - 1};
        s->starts[s->slots[at] - 1] += (uint32_t)(i - begin);
    }
    *ret_threads = n_threads;
    *ret_runs = n_runs;
    return true;
}

/* Gathers the rows by thread, threads in the order of their first row, each thread's rows in the
 * order they came. Sets `*ret_rows` to the rows in the better order: gathered, unless nearly every
 * row has a thread of its own. */
static int gather_by_thread(struct pm_rows_scratch *s, const struct pm_wait *waits, size_t n,
                            const struct pm_wait **ret_rows, bool *ret_gathered)
{
    size_t table = 64;
    while (table < n * 2)
        table *= 2;
    if (table > s->table_capacity) {
        free(s->starts);
        free(s->slots);
        free(s->keys);
        s->starts = malloc(table * sizeof *s->starts);
        s->slots = malloc(table * sizeof *s->slots);
        s->keys = malloc(table * sizeof *s->keys);
        s->table_capacity = table;
        if (!s->starts || !s->slots || !s->keys) {
            s->table_capacity = 0;
            return PM_ERROR_MEMORY;
        }
    }
    uint32_t n_threads = 0, n_runs = 0;
    for (size_t used = 64; !find_runs(s, waits, n, used, &n_threads, &n_runs);)
        used = used * 4 < table ? used * 4 : table;
    *ret_rows = waits;
    *ret_gathered = n_threads <= n / 2;
    if (!*ret_gathered || n_runs == n_threads)
        return PM_OK;
    if (n > s->sorted_capacity) {
        struct pm_wait *sorted = realloc(s->sorted, s->capacity * sizeof *sorted);
        if (!sorted)
            return PM_ERROR_MEMORY;
        s->sorted = sorted;
        s->sorted_capacity = s->capacity;
    }
    uint32_t start = 0;
    for (uint32_t i = 0; i < n_threads; i++) {
        uint32_t count = s->starts[i];
        s->starts[i] = start;
        start += count;
    }
    for (uint32_t i = 0; i < n_runs; i++) {
        const struct pm_rows_run *run = &s->runs[i];
        uint32_t count = (i + 1 < n_runs ? run[1].begin : (uint32_t)n) - run->begin;
        memcpy(s->sorted + s->starts[run->thread], waits + run->begin, count * sizeof *waits);
        s->starts[run->thread] += count;
    }
    *ret_rows = s->sorted;
    return PM_OK;
}

#define WAITS_GATHERED     1u
#define WAITS_BEGIN_ZIGZAG 2u
#define WAITS_WAKE_ZIGZAG  4u
#define WAITS_KNOWN        7u

/* The begin that a row would have if its thread had gone on waiting at once (gathered), or if it
 * had begun with the row before it. The first row of a thread, or of all, counts from `base`. */
static inline int64_t expected_begin(bool gathered, size_t i, uint32_t thread,
                                     uint32_t previous_thread, int64_t previous_begin,
                                     int64_t previous_end, int64_t base)
{
    if (i == 0)
        return base;
    return !gathered ? previous_begin : thread == previous_thread ? previous_end : base;
}

#define ENCODE_COLUMN(expression)                                                                  \
    do {                                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            column[i] = (uint64_t)(expression);                                                    \
        pm_column_encode(to, column, n);                                                           \
    } while (0)

/* What there is to know of the rows before they are encoded. */
struct waits_outline {
    int64_t base;          /* the first begin */
    bool wake_zigzag;      /* some woke after the end */
    struct pm_wait differ; /* of ids and smaller: 0 where all rows have the same */
};

#define N_SMALL ((sizeof(struct pm_wait) - offsetof(struct pm_wait, thread)) / sizeof(uint64_t))

_Static_assert(offsetof(struct pm_wait, thread) + N_SMALL * 8 == sizeof(struct pm_wait), "whole");

static struct waits_outline outline_of(const struct pm_wait *r, size_t n)
{
    struct waits_outline outline = {.base = INT64_MAX};
    uint64_t first[N_SMALL], row[N_SMALL], differ[N_SMALL] = {0};
    memcpy(first, &r[0].thread, sizeof first);
    for (size_t i = 0; i < n; i++) {
        outline.base = r[i].begin_ns < outline.base ? r[i].begin_ns : outline.base;
        outline.wake_zigzag |= r[i].wake_ns > r[i].begin_ns + r[i].duration_ns;
        memcpy(row, &r[i].thread, sizeof row);
        for (size_t k = 0; k < N_SMALL; k++)
            differ[k] |= row[k] ^ first[k];
    }
    memcpy(&outline.differ.thread, differ, sizeof differ);
    return outline;
}

/* The same of a field of waits that was looked at already. */
#define ENCODE_FIELD(differs, expression)                                                          \
    do {                                                                                           \
        if (differs) {                                                                             \
            ENCODE_COLUMN(expression);                                                             \
        } else {                                                                                   \
            size_t i = 0;                                                                          \
            pm_column_encode_constant(to, (uint64_t)(expression));                                 \
        }                                                                                          \
    } while (0)

int pm_rows_encode_waits(struct pm_bytes *to, const struct pm_wait *waits, size_t n,
                         struct pm_rows_scratch *scratch, const struct pm_wait **ret_rows)
{
    int result = scratch_reserve(scratch, n);
    if (result != PM_OK)
        return result;
    const struct pm_wait *r = waits;
    bool gathered = false;
    result = gather_by_thread(scratch, waits, n, &r, &gathered);
    if (result != PM_OK)
        return result;
    *ret_rows = r;
    const struct waits_outline outline = n == 0 ? (struct waits_outline){0} : outline_of(r, n);
    const struct pm_wait *differ = &outline.differ;
    uint64_t *column = scratch->column;
    bool begin_zigzag = false;
    for (size_t i = 0; i < n; i++) {
        int64_t gap =
            r[i].begin_ns -
            expected_begin(gathered, i, r[i].thread.n, i == 0 ? 0 : r[i - 1].thread.n,
                           i == 0 ? 0 : r[i - 1].begin_ns,
                           i == 0 ? 0 : r[i - 1].begin_ns + r[i - 1].duration_ns, outline.base);
        begin_zigzag |= gap < 0;
        column[i] = (uint64_t)gap;
    }
    pm_bytes_add_u8(to, (uint8_t)((gathered ? WAITS_GATHERED : 0) |
                                  (begin_zigzag ? WAITS_BEGIN_ZIGZAG : 0) |
                                  (outline.wake_zigzag ? WAITS_WAKE_ZIGZAG : 0)));
    pm_bytes_add_varint(to, (uint64_t)outline.base);
    if (n == 0)
        return PM_OK;
    if (begin_zigzag)
        for (size_t i = 0; i < n; i++)
            column[i] = pm_zigzag((int64_t)column[i]);
    pm_column_encode(to, column, n);
    ENCODE_COLUMN(r[i].duration_ns);
    for (size_t i = 0; i < n; i++) {
        int64_t late = r[i].begin_ns + r[i].duration_ns - r[i].wake_ns;
        column[i] =
            r[i].wake_ns == 0 ? 0 : (outline.wake_zigzag ? pm_zigzag(late) : (uint64_t)late) + 1;
    }
    pm_column_encode(to, column, n);
    ENCODE_FIELD(differ->thread.n, r[i].thread.n);
    ENCODE_FIELD(differ->blocker.n, r[i].blocker.n);
    ENCODE_FIELD(differ->chain.n, r[i].chain.n);
    ENCODE_FIELD(differ->owner.n, r[i].owner.n);
    ENCODE_FIELD(differ->waker.n, r[i].waker.n);
    ENCODE_FIELD(differ->waker_chain.n, r[i].waker_chain.n);
    ENCODE_FIELD(differ->aqs_state, pm_zigzag(r[i].aqs_state));
    ENCODE_FIELD(differ->flags, r[i].flags);
    ENCODE_FIELD(differ->kind, r[i].kind);
    ENCODE_FIELD(differ->wake_cause, r[i].wake_cause);
    return PM_OK;
}

void pm_rows_encode_head(struct pm_bytes *to, unsigned mark, int64_t at_ns)
{
    pm_bytes_add_u8(to, (uint8_t)mark);
    pm_bytes_add_varint(to, (uint64_t)at_ns);
}

void pm_rows_encode_memory_head(struct pm_bytes *to, const struct pm_memory_head *head)
{
    const struct pm_fields *numbers = &pm_memory_head_fields;
    pm_bytes_add_u8(to, head->place);
    pm_bytes_add_u8(to, head->flags);
    for (size_t i = 0; i < numbers->n; i++)
        pm_bytes_add_varint(to, pm_field_get(&numbers->fields[i], head));
}

int pm_rows_encode(struct pm_bytes *to, enum pm_block_type type, const void *rows, size_t n,
                   struct pm_rows_scratch *scratch)
{
    const struct pm_fields *fields = pm_fields_of(type);
    if (!fields)
        return PM_ERROR_ARGUMENT;
    int result = scratch_reserve(scratch, n);
    if (result != PM_OK)
        return result;
    for (size_t k = 0; k < fields->n; k++) {
        const struct pm_field *field = &fields->fields[k];
        const struct pm_field later = {.offset = field->before - 1, .size = field->size};
        const uint8_t *row = rows;
        for (size_t i = 0; i < n; i++, row += fields->row_size) {
            uint64_t value = pm_field_get(field, row);
            scratch->column[i] = field->before > 0 ? pm_field_get(&later, row) - value : value;
        }
        pm_column_encode(to, scratch->column, n);
    }
    return PM_OK;
}

void pm_rows_encode_footer(struct pm_bytes *to, const struct pm_footer *footer)
{
    pm_bytes_add_varint(to, footer->chunk);
    pm_bytes_add_varint(to, (uint64_t)footer->begin_ns);
    pm_bytes_add_varint(to, (uint64_t)footer->end_ns);
    pm_bytes_add_varint(to, (uint64_t)footer->waits);
    pm_bytes_add_varint(to, (uint64_t)footer->stored_bytes);
}

void pm_rows_clear(struct pm_rows *rows)
{
    free(rows->begin_ns); /* the first of one allocation */
    free(rows->records);
    *rows = (struct pm_rows){0};
}

/* All columns in one allocation, the widest first so that each is aligned. */
static int reserve_columns(struct pm_rows *rows, size_t n)
{
    if (n <= rows->capacity && rows->begin_ns)
        return PM_OK;
    size_t capacity = 64;
    while (capacity < n)
        capacity *= 2;
    uint8_t *at = malloc(capacity * (3 * 8 + 7 * 4 + 2 + 2));
    if (!at)
        return PM_ERROR_MEMORY;
    free(rows->begin_ns);
    rows->capacity = capacity;
#define TAKE(member)                                                                               \
    rows->member = (void *)at;                                                                     \
    at += capacity * sizeof *rows->member
    TAKE(begin_ns);
    TAKE(duration_ns);
    TAKE(wake_ns);
    TAKE(thread);
    TAKE(blocker);
    TAKE(chain);
    TAKE(owner);
    TAKE(waker);
    TAKE(waker_chain);
    TAKE(aqs_state);
    TAKE(flags);
    TAKE(kind);
    TAKE(wake_cause);
#undef TAKE
    return PM_OK;
}

static bool take_wait_head(struct pm_cursor *from, unsigned *ret_flags, int64_t *ret_base)
{
    *ret_flags = pm_cursor_u8(from);
    *ret_base = (int64_t)pm_cursor_varint(from);
    return !from->bad && (*ret_flags & ~WAITS_KNOWN) == 0 && time_valid(*ret_base);
}

int pm_rows_decode_waits(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                         struct pm_wait_columns *ret)
{
    int result = reserve_columns(rows, n);
    if (result != PM_OK)
        return result;
    unsigned flags;
    int64_t base;
    if (!take_wait_head(from, &flags, &base))
        return PM_ERROR_MALFORMED;
    pm_column_decode_u64(from, n, (uint64_t *)rows->begin_ns);
    pm_column_decode_u64(from, n, (uint64_t *)rows->duration_ns);
    pm_column_decode_u64(from, n, (uint64_t *)rows->wake_ns);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->thread);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->blocker);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->chain);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->owner);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->waker);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->waker_chain);
    pm_column_decode_u32(from, n, UINT32_MAX, (uint32_t *)rows->aqs_state);
    pm_column_decode_u16(from, n, PM_WAIT_KNOWN_FLAGS, rows->flags);
    pm_column_decode_u8(from, n, PM_N_KINDS - 1, rows->kind);
    pm_column_decode_u8(from, n, PM_N_WAKE_CAUSES - 1, rows->wake_cause);
    if (from->bad || from->at != from->end)
        return PM_ERROR_MALFORMED;
    /* Unsigned arithmetic: hostile sums wrap and are found by the check at the end. */
    uint64_t *begin = (uint64_t *)rows->begin_ns;
    const uint64_t *duration = (const uint64_t *)rows->duration_ns;
    uint64_t *wake = (uint64_t *)rows->wake_ns;
    bool gathered = (flags & WAITS_GATHERED) != 0;
    bool begin_zigzag = (flags & WAITS_BEGIN_ZIGZAG) != 0;
    bool wake_zigzag = (flags & WAITS_WAKE_ZIGZAG) != 0;
    uint64_t all = 0, previous = (uint64_t)base;
    uint32_t previous_thread = 0, zero_ids = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t gap = begin_zigzag ? (uint64_t)pm_unzigzag(begin[i]) : begin[i];
        if (gathered && rows->thread[i] != previous_thread) {
            previous = (uint64_t)base;
            previous_thread = rows->thread[i];
        }
        begin[i] = previous + gap;
        uint64_t end = begin[i] + duration[i];
        previous = gathered ? end : begin[i];
        if (wake[i] != 0) {
            uint64_t late = wake[i] - 1;
            wake[i] = end - (wake_zigzag ? (uint64_t)pm_unzigzag(late) : late);
        }
        all |= begin[i] | duration[i] | wake[i];
        zero_ids |= (rows->thread[i] == 0) | (rows->blocker[i] == 0);
        rows->aqs_state[i] = (int32_t)((uint32_t)rows->aqs_state[i] >> 1) ^
                             -(int32_t)((uint32_t)rows->aqs_state[i] & 1);
    }
    if (all >> 62 != 0 || zero_ids != 0)
        return PM_ERROR_MALFORMED;
    *ret = (struct pm_wait_columns){
        n,
        rows->begin_ns,
        rows->duration_ns,
        rows->wake_ns,
        rows->thread,
        rows->blocker,
        rows->chain,
        rows->owner,
        rows->waker,
        rows->waker_chain,
        rows->aqs_state,
        rows->flags,
        rows->kind,
        rows->wake_cause,
    };
    return PM_OK;
}

int pm_rows_decode_times(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                         struct pm_wait_columns *ret)
{
    unsigned flags;
    int64_t base;
    int result = reserve_columns(rows, n);
    if (result != PM_OK)
        return result;
    if (!take_wait_head(from, &flags, &base))
        return PM_ERROR_MALFORMED;
    pm_column_decode_u64(from, n, (uint64_t *)rows->begin_ns);
    pm_column_decode_u64(from, n, (uint64_t *)rows->duration_ns);
    pm_column_skip(from, n); /* wake_ns */
    pm_column_decode_u32(from, n, UINT32_MAX, rows->thread);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->blocker);
    pm_column_decode_u32(from, n, UINT32_MAX, rows->chain);
    for (int i = 0; i < 5; i++) /* owner, waker, waker_chain, aqs_state, flags */
        pm_column_skip(from, n);
    pm_column_decode_u8(from, n, PM_N_KINDS - 1, rows->kind);
    if (from->bad)
        return PM_ERROR_MALFORMED;
    uint64_t *begin = (uint64_t *)rows->begin_ns;
    const uint64_t *duration = (const uint64_t *)rows->duration_ns;
    bool gathered = (flags & WAITS_GATHERED) != 0;
    bool zigzag = (flags & WAITS_BEGIN_ZIGZAG) != 0;
    uint64_t all = 0, previous = (uint64_t)base;
    uint32_t previous_thread = 0, zero_ids = 0;
    for (size_t i = 0; i < n; i++) {
        if (gathered && rows->thread[i] != previous_thread) {
            previous = (uint64_t)base;
            previous_thread = rows->thread[i];
        }
        begin[i] = previous + (zigzag ? (uint64_t)pm_unzigzag(begin[i]) : begin[i]);
        previous = begin[i] + (gathered ? duration[i] : 0);
        all |= begin[i] | duration[i];
        zero_ids |= (rows->thread[i] == 0) | (rows->blocker[i] == 0);
    }
    if (all >> 62 != 0 || zero_ids != 0)
        return PM_ERROR_MALFORMED;
    *ret = (struct pm_wait_columns){.n = n,
                                    .begin_ns = rows->begin_ns,
                                    .duration_ns = rows->duration_ns,
                                    .thread = rows->thread,
                                    .blocker = rows->blocker,
                                    .chain = rows->chain,
                                    .kind = rows->kind};
    return PM_OK;
}

/* Of a block whose rows were all told at one instant. */
static bool take_head(struct pm_cursor *from, unsigned most, unsigned *ret_mark, int64_t *ret_at_ns)
{
    *ret_mark = pm_cursor_u8(from);
    *ret_at_ns = (int64_t)pm_cursor_varint(from);
    return !from->bad && *ret_mark <= most && time_valid(*ret_at_ns);
}

int pm_rows_decode_progress(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                            struct pm_wait **ret_waits, bool *ret_complete, int64_t *ret_at_ns)
{
    unsigned complete;
    int64_t at;
    if (!take_head(from, 1, &complete, &at))
        return PM_ERROR_MALFORMED;
    struct pm_wait_columns c;
    int result = pm_rows_decode_waits(from, n, rows, &c);
    if (result == PM_OK)
        result = reserve_records(rows, n, sizeof(struct pm_wait));
    if (result != PM_OK)
        return result;
    struct pm_wait *waits = rows->records;
    for (size_t i = 0; i < n; i++) {
        waits[i] = (struct pm_wait){
            .begin_ns = c.begin_ns[i],
            .duration_ns = c.duration_ns[i],
            .wake_ns = c.wake_ns[i],
            .thread = {c.thread[i]},
            .blocker = {c.blocker[i]},
            .chain = {c.chain[i]},
            .owner = {c.owner[i]},
            .waker = {c.waker[i]},
            .waker_chain = {c.waker_chain[i]},
            .aqs_state = c.aqs_state[i],
            .kind = c.kind[i],
            .wake_cause = c.wake_cause[i],
            .flags = c.flags[i],
        };
    }
    *ret_waits = waits;
    *ret_complete = complete == 1;
    *ret_at_ns = at;
    return PM_OK;
}

/* A column of the other rows, which are few, goes through the 64-bit one. */
static void decode_field(struct pm_cursor *from, const struct pm_field *field, uint64_t *column,
                         uint8_t *row, size_t n, size_t row_size)
{
    const struct pm_field later = {.offset = field->before - 1, .size = field->size};
    pm_column_decode_u64(from, n, column);
    for (size_t i = 0; i < n && !from->bad; i++, row += row_size) {
        uint64_t value = column[i];
        if (field->before > 0) {
            from->bad |= value > pm_field_get(&later, row);
            value = pm_field_get(&later, row) - value;
        }
        from->bad |= value > field->max || (value == 0 && field->required);
        pm_field_set(field, row, value);
    }
}

static int decode_fields(struct pm_cursor *from, const struct pm_fields *fields, size_t n_fields,
                         size_t n, struct pm_rows *rows)
{
    int result = reserve_columns(rows, n);
    if (result == PM_OK)
        result = reserve_records(rows, n, fields->row_size);
    if (result != PM_OK)
        return result;
    memset(rows->records, 0, n * fields->row_size);
    for (size_t k = 0; k < n_fields; k++)
        decode_field(from, &fields->fields[k], (uint64_t *)rows->begin_ns, rows->records, n,
                     fields->row_size);
    return from->bad || from->at != from->end ? PM_ERROR_MALFORMED : PM_OK;
}

int pm_rows_decode(struct pm_cursor *from, enum pm_block_type type, size_t n, struct pm_rows *rows,
                   const void **ret)
{
    const struct pm_fields *fields = pm_fields_of(type);
    if (!fields)
        return PM_ERROR_ARGUMENT;
    int result = decode_fields(from, fields, fields->n, n, rows);
    if (result == PM_OK)
        *ret = rows->records;
    return result;
}

int pm_rows_decode_old_samples(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                               const void **ret)
{
    const struct pm_fields *fields = pm_fields_of(PM_BLOCK_OWNER_SAMPLES);
    int result = decode_fields(from, fields, fields->n - 2, n, rows);
    if (result != PM_OK)
        return result;
    struct pm_owner_sample *samples = rows->records;
    for (size_t i = 0; i < n; i++)
        samples[i].weight = 1;
    *ret = samples;
    return PM_OK;
}

int pm_rows_decode_snapshot(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                            struct pm_snapshot *ret)
{
    unsigned place;
    int64_t at;
    const void *counters;
    if (!take_head(from, PM_SNAPSHOT_END, &place, &at))
        return PM_ERROR_MALFORMED;
    int result = pm_rows_decode(from, PM_BLOCK_SNAPSHOT, n, rows, &counters);
    if (result == PM_OK)
        *ret = (struct pm_snapshot){(enum pm_snapshot_place)place, at, counters, n};
    return result;
}

int pm_rows_decode_live(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                        struct pm_live_objects *ret)
{
    unsigned complete;
    int64_t at;
    const void *objects;
    if (!take_head(from, 1, &complete, &at))
        return PM_ERROR_MALFORMED;
    int result = pm_rows_decode(from, PM_BLOCK_LIVE_OBJECTS, n, rows, &objects);
    if (result == PM_OK)
        *ret = (struct pm_live_objects){complete == 1, at, objects, n};
    return result;
}

int pm_rows_decode_memory(struct pm_cursor *from, size_t n, struct pm_rows *rows,
                          struct pm_memory_snapshot *ret)
{
    const struct pm_fields *numbers = &pm_memory_head_fields;
    struct pm_memory_head head = {0};
    const void *cells;
    head.place = (uint8_t)pm_cursor_u8(from);
    head.flags = (uint8_t)pm_cursor_u8(from);
    for (size_t i = 0; i < numbers->n; i++)
        pm_field_set(&numbers->fields[i], &head, pm_cursor_varint(from));
    if (!pm_rows_memory_head_valid(&head))
        return PM_ERROR_MALFORMED;
    int result = pm_rows_decode(from, PM_BLOCK_MEMORY_SNAPSHOT, n, rows, &cells);
    if (result == PM_OK)
        *ret = (struct pm_memory_snapshot){head, cells, n};
    return result;
}

int pm_rows_decode_reached(struct pm_cursor *from, size_t n, struct pm_rows *rows, const void **ret)
{
    if (n > pm_cursor_left(from) / 3)
        return PM_ERROR_MALFORMED;
    int result = reserve_records(rows, n, sizeof(struct pm_reached));
    if (result != PM_OK)
        return result;
    struct pm_reached *reached = rows->records;
    for (size_t i = 0; i < n; i++) {
        reached[i].chain.n = pm_cursor_varint32(from);
        reached[i].frame = pm_cursor_varint32(from);
        reached[i].field.n = pm_cursor_varint32(from);
        from->bad |= reached[i].chain.n == 0 || reached[i].field.n == 0;
    }
    *ret = reached;
    return from->bad || from->at != from->end ? PM_ERROR_MALFORMED : PM_OK;
}

int pm_rows_decode_footer(struct pm_cursor *from, struct pm_footer *ret)
{
    struct pm_footer footer;
    footer.chunk = pm_cursor_varint(from);
    footer.begin_ns = (int64_t)pm_cursor_varint(from);
    footer.end_ns = (int64_t)pm_cursor_varint(from);
    footer.waits = (int64_t)pm_cursor_varint(from);
    footer.stored_bytes = (int64_t)pm_cursor_varint(from);
    if (from->bad || !time_valid(footer.begin_ns) || !time_valid(footer.end_ns) ||
        !time_valid(footer.waits) || !time_valid(footer.stored_bytes))
        return PM_ERROR_MALFORMED;
    *ret = footer; /* what follows is a later version's */
    return PM_OK;
}
