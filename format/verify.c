#include "format/verify.h"

#include <stdarg.h>
#include <stdio.h>

#include "format/idset.h"
#include "format/reader-block.h"
#include "format/rows.h"

struct check {
    struct pm_verify_result result;
    const struct pm_chunk_info *chunk;
    struct pm_idset defined;
    uint64_t last_index;
    uint64_t waits; /* of this chunk */
    bool damaged;   /* this chunk: what is missing may have held what seems to lack */
    bool no_memory;
    int64_t footer_waits; /* -1 = no footer seen */
    uint32_t unknown_tag, unknown_id;
    uint64_t damage_end; /* of the last damaged span in the file */
};

__attribute__((format(printf, 2, 3))) static void problem(struct check *c, const char *format, ...)
{
    if (c->result.ok) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->result.first_problem, sizeof c->result.first_problem, format, arguments);
        va_end(arguments);
    }
    c->result.ok = false;
}

static void define(struct check *c, enum pm_definition_tag tag, uint32_t id)
{
    if (pm_idset_add(&c->defined, (uint64_t)tag << 32 | id) < 0)
        c->no_memory = true;
}

static void mention(struct check *c, enum pm_definition_tag tag, uint32_t id)
{
    if (id != 0 && c->unknown_tag == 0 && !pm_idset_has(&c->defined, (uint64_t)tag << 32 | id)) {
        c->unknown_tag = tag;
        c->unknown_id = id;
    }
}

static int on_class(void *context, const struct pm_class *value)
{
    define(context, PM_DEFINE_CLASS, value->id.n);
    return 0;
}

static int on_method(void *context, const struct pm_method *value)
{
    mention(context, PM_DEFINE_CLASS, value->class_id.n);
    define(context, PM_DEFINE_METHOD, value->id.n);
    return 0;
}

static int on_chain(void *context, const struct pm_chain *value)
{
    for (uint32_t i = 0; i < value->n_frames; i++)
        mention(context, PM_DEFINE_METHOD, value->frames[i].method.n);
    define(context, PM_DEFINE_CHAIN, value->id.n);
    return 0;
}

static int on_thread(void *context, const struct pm_thread *value)
{
    define(context, PM_DEFINE_THREAD, value->id.n);
    return 0;
}

static int on_blocker(void *context, const struct pm_blocker *value)
{
    mention(context, PM_DEFINE_CLASS, value->class_id.n);
    mention(context, PM_DEFINE_BLOCKER, value->parent.n);
    mention(context, PM_DEFINE_CHAIN, value->first_chain.n);
    mention(context, PM_DEFINE_THREAD, value->first_thread.n);
    define(context, PM_DEFINE_BLOCKER, value->id.n);
    return 0;
}

/* The same id many times in a row is the usual case. */
static void mention_column(struct check *c, enum pm_definition_tag tag, const uint32_t *ids,
                           size_t n)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (ids[i] != last) {
            mention(c, tag, ids[i]);
            last = ids[i];
        }
    }
}

static int on_waits(void *context, const struct pm_wait_columns *columns)
{
    struct check *c = context;
    mention_column(c, PM_DEFINE_THREAD, columns->thread, columns->n);
    mention_column(c, PM_DEFINE_BLOCKER, columns->blocker, columns->n);
    mention_column(c, PM_DEFINE_CHAIN, columns->chain, columns->n);
    mention_column(c, PM_DEFINE_THREAD, columns->owner, columns->n);
    mention_column(c, PM_DEFINE_THREAD, columns->waker, columns->n);
    mention_column(c, PM_DEFINE_CHAIN, columns->waker_chain, columns->n);
    c->waits += columns->n;
    return 0;
}

static void mention_rows(struct check *c, const struct pm_fields *fields, const void *rows,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * fields->row_size;
        for (size_t k = 0; k < fields->n; k++)
            if (fields->fields[k].tag != 0)
                mention(c, fields->fields[k].tag, (uint32_t)pm_field_get(&fields->fields[k], row));
    }
}

static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    mention_rows(context, &pm_wait_ids, waits, n);
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_SNAPSHOT), snapshot->counters,
                 snapshot->n_counters);
    return 0;
}

static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_OWNER_SAMPLES), sample, 1);
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_SPANS), span, 1);
    return 0;
}

static int on_reached(void *context, const struct pm_reached *reached)
{
    mention(context, PM_DEFINE_CHAIN, reached->chain.n);
    mention(context, PM_DEFINE_METHOD, reached->field.n);
    return 0;
}

static int on_census(void *context, const struct pm_census_row *row)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_CENSUS), row, 1);
    return 0;
}

static int on_allocation(void *context, const struct pm_allocation *allocation)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_ALLOCATIONS), allocation, 1);
    return 0;
}

static int on_live(void *context, const struct pm_live_objects *live)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_LIVE_OBJECTS), live->objects, live->n);
    return 0;
}

static int on_memory(void *context, const struct pm_memory_snapshot *snapshot)
{
    mention_rows(context, pm_fields_of(PM_BLOCK_MEMORY_SNAPSHOT), snapshot->cells,
                 snapshot->n_cells);
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    return 0;
}

static int on_footer(void *context, const struct pm_footer *footer)
{
    struct check *c = context;
    if (footer->chunk == c->chunk->number)
        c->footer_waits = footer->waits;
    if (footer->end_ns < footer->begin_ns) {
        problem(c, "chunk %llu: a footer ends before it begins",
                (unsigned long long)c->chunk->number);
    }
    return 0;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    struct check *c = context;
    problem(c, "chunk %llu: at byte %llu: %s", (unsigned long long)c->chunk->number,
            (unsigned long long)damage->offset, damage->text);
    c->result.damaged_blocks++;
    c->result.lost_bytes += damage->length;
    if (damage->offset + damage->length > c->damage_end)
        c->damage_end = damage->offset + damage->length;
    c->damaged = true;
    return 0;
}

static int on_block(void *context, uint64_t offset, const struct pm_block_header *header,
                    const struct pm_block_buffer *buffer)
{
    struct check *c = context;
    if (header->index != c->last_index + 1 && !c->damaged) {
        problem(c, "chunk %llu: at byte %llu: block %u follows block %llu",
                (unsigned long long)c->chunk->number, (unsigned long long)offset, header->index,
                (unsigned long long)c->last_index);
    }
    c->last_index = header->index;
    c->result.stored_bytes += pm_block_size(header->stored_length);
    return 0;
}

static void check_chunk(struct check *c, const struct pm_chunk_head *head)
{
    static const char *const nouns[] = {"", "class", "method", "chain", "thread", "blocker"};
    unsigned long long number = c->chunk->number;
    bool overview = (head->flags & PM_CHUNK_FLAG_OVERVIEW) != 0;
    bool closed = (head->flags & PM_CHUNK_FLAG_CLOSED) != 0;
    if (c->damaged)
        return; /* told already; the rest follows from it */
    if (c->unknown_tag != 0) {
        problem(c, "chunk %llu mentions %s %u and does not define it", number,
                nouns[c->unknown_tag], c->unknown_id);
    }
    if (closed && !overview && c->footer_waits < 0)
        problem(c, "chunk %llu is closed and has no footer", number);
    if (c->footer_waits >= 0 && (uint64_t)c->footer_waits != c->waits) {
        problem(c, "chunk %llu holds %llu waits, its footer says %lld", number,
                (unsigned long long)c->waits, (long long)c->footer_waits);
    }
    if (closed && (uint64_t)head->waits != c->waits) {
        problem(c, "chunk %llu holds %llu waits, its head says %lld", number,
                (unsigned long long)c->waits, (long long)head->waits);
    }
}

static void check_file(struct check *c, const struct pm_reader *reader)
{
    const struct pm_file_header *header = pm_reader_header(reader);
    uint64_t size = pm_reader_info(reader)->file_size;
    if (size < header->end) {
        problem(c, "the file ends after %llu of %llu bytes", (unsigned long long)size,
                (unsigned long long)header->end);
    }
    const struct pm_chunk_info *before[2] = {NULL, NULL};
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        const struct pm_chunk_info *last = before[chunk->overview];
        if (last && chunk->begin_ns < last->end_ns && chunk->waits >= 0) {
            problem(c, "chunk %llu begins before chunk %llu ends",
                    (unsigned long long)chunk->number, (unsigned long long)last->number);
        }
        if ((header->state & PM_FILE_STATE_CLOSED) != 0 && !chunk->closed) {
            problem(c, "chunk %llu has no end, though the recording was closed",
                    (unsigned long long)chunk->number);
        }
        before[chunk->overview] = chunk;
    }
}

/* The caller keeps the source: a reader must not close it. */
static void keep_open(void *context)
{
}

int pm_verify(struct pm_source source, struct pm_verify_result *ret_result,
              struct pm_error_info *ret_info)
{
    struct pm_reader *reader;
    source.close = keep_open;
    int result = pm_reader_open(source, &reader, ret_info);
    if (result != PM_OK)
        return result;
    struct check c = {.result = {.ok = true}};
    const struct pm_visitor visitor = PM_VISITOR_OF_ALL(&c);
    const struct pm_block_walk walk = {&c, on_block, true};
    int64_t begin_ns = pm_reader_info(reader)->facts.begin_ns;
    int64_t first_ns = INT64_MAX, last_ns = begin_ns;
    check_file(&c, reader);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        struct pm_chunk_head head;
        c.chunk = pm_reader_chunk(reader, i);
        c.waits = 0;
        c.damaged = false;
        c.footer_waits = -1;
        c.unknown_tag = 0;
        c.last_index = 0;
        pm_idset_reset(&c.defined);
        result = pm_reader_walk_chunk(reader, i, &walk, &visitor, &head, ret_info);
        if (result == PM_ERROR_OVERWRITTEN) {
            result = PM_OK; /* a live file: the chunk is no more, which is no damage */
            continue;
        }
        if (result == PM_OK && c.no_memory)
            result = pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory to check the ids");
        if (result != PM_OK)
            break;
        check_chunk(&c, &head);
        c.result.chunks++;
        c.result.stored_bytes += PM_CHUNK_HEAD_SIZE;
        if (!c.chunk->overview) {
            c.result.waits += c.waits;
            first_ns = head.begin_ns < first_ns ? head.begin_ns : first_ns;
            last_ns = head.end_ns > last_ns ? head.end_ns : last_ns;
        }
    }
    /* What was cut off, where no damaged span reaches that far already. */
    uint64_t end = pm_reader_header(reader)->end, size = pm_reader_info(reader)->file_size;
    uint64_t told = c.damage_end > size ? c.damage_end : size;
    c.result.lost_bytes += end > told ? end - told : 0;
    c.result.first_ns = (first_ns == INT64_MAX ? begin_ns : first_ns) - begin_ns;
    c.result.last_ns = last_ns - begin_ns;
    pm_idset_clear(&c.defined);
    pm_reader_free(reader);
    if (result == PM_OK)
        *ret_result = c.result;
    return result;
}
