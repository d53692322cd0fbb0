#include "format/reader.h"

#include <lz4.h>
#include <stdio.h>
#include <time.h>

#include "format/block.h"
#include "format/reader-block.h"
#include "format/rows.h"

#define WINDOW       (64u << 10) /* most bytes looked at in one step while searching … */
#define FIRST_WINDOW (4u << 10)  /* … and in the first: the next block is often near */
/* A head may be read while it is rewritten, and its writer may be off the CPU just then: look again
 * at once, then a millisecond apart, this often for one call of the reader. */
#define HEAD_RETRIES  3
#define HEAD_PATIENCE 20

struct chunk {
    struct pm_chunk_info info;
    uint64_t used;
    bool headless; /* its head is damaged; found by a block of it */
};

struct pm_reader {
    struct pm_source source;
    struct pm_file_header header;
    struct pm_file_info info;
    struct pm_block_buffer facts; /* what info.facts borrows from */
    struct chunk *chunks;
    size_t n_chunks;
};

/* ---- one block ---- */

void pm_block_buffer_clear(struct pm_block_buffer *buffer)
{
    free(buffer->stored);
    free(buffer->raw);
    *buffer = (struct pm_block_buffer){0};
}

static int reserve(uint8_t **bytes, size_t *capacity, size_t size)
{
    size += PM_COLUMN_SLACK;
    if (size > *capacity) {
        uint8_t *more = malloc(size);
        if (!more)
            return PM_ERROR_MEMORY;
        free(*bytes);
        *bytes = more;
        *capacity = size;
    }
    memset(*bytes + size - PM_COLUMN_SLACK, 0, PM_COLUMN_SLACK);
    return PM_OK;
}

int pm_block_read(const struct pm_source *source, uint64_t offset,
                  const uint8_t bytes[PM_BLOCK_HEADER_SIZE], const struct pm_block_header *header,
                  struct pm_block_buffer *buffer)
{
    uint64_t size = pm_block_size(header->stored_length) - PM_BLOCK_HEADER_SIZE;
    int result = reserve(&buffer->stored, &buffer->stored_capacity, size);
    if (result == PM_OK) {
        result =
            source->read_at(source->context, offset + PM_BLOCK_HEADER_SIZE, buffer->stored, size);
    }
    if (result != PM_OK)
        return result;
    if (pm_block_checksum(bytes, buffer->stored, header->stored_length) != header->checksum)
        return PM_ERROR_CHECKSUM;
    for (uint64_t i = header->stored_length; i < size; i++)
        if (buffer->stored[i] != 0)
            return PM_ERROR_CHECKSUM;
    memset(buffer->stored + header->stored_length, 0, PM_COLUMN_SLACK);
    return PM_OK;
}

int pm_block_unpack(const struct pm_block_header *header, struct pm_block_buffer *buffer,
                    struct pm_cursor *ret_cursor)
{
    if ((header->flags & PM_BLOCK_FLAG_LZ4) == 0) {
        *ret_cursor =
            (struct pm_cursor){buffer->stored, buffer->stored + header->stored_length, false};
        return PM_OK;
    }
    int result = reserve(&buffer->raw, &buffer->raw_capacity, header->raw_length);
    if (result != PM_OK)
        return result;
    int n = LZ4_decompress_safe((const char *)buffer->stored, (char *)buffer->raw,
                                (int)header->stored_length, (int)header->raw_length);
    if (n < 0 || (uint32_t)n != header->raw_length)
        return PM_ERROR_MALFORMED;
    *ret_cursor = (struct pm_cursor){buffer->raw, buffer->raw + header->raw_length, false};
    return PM_OK;
}

/* ---- the file's frame ---- */

static int read_header(const struct pm_source *source, uint64_t size,
                       struct pm_file_header *ret_header, struct pm_error_info *ret_info)
{
    uint8_t bytes[PM_FILE_HEADER_FIELDS] = {0};
    struct pm_file_header copies[2];
    int results[2] = {PM_ERROR_TRUNCATED, PM_ERROR_TRUNCATED};
    if (size == 0)
        return pm_error_set(ret_info, PM_ERROR_EMPTY, 0, "the file is empty");
    for (int i = 0; i < 2; i++) {
        uint64_t offset = i == 0 ? 0 : PM_FILE_HEADER_COPY;
        if (offset + sizeof bytes <= size) {
            results[i] = source->read_at(source->context, offset, bytes, sizeof bytes);
            if (results[i] == PM_OK)
                results[i] = pm_file_header_decode(bytes, &copies[i]);
        } else if (i == 0) {
            size_t most = size < 8 ? size : 8;
            results[i] = source->read_at(source->context, 0, bytes, most);
            if (results[i] == PM_OK) {
                results[i] = memcmp(bytes, PM_FILE_MAGIC, most) == 0 ? PM_ERROR_TRUNCATED
                                                                     : PM_ERROR_NOT_A_RECORDING;
            }
        }
    }
    if (results[0] == PM_OK || results[1] == PM_OK) {
        bool second =
            results[0] != PM_OK || (results[1] == PM_OK && copies[1].sequence > copies[0].sequence);
        *ret_header = copies[second];
        return PM_OK;
    }
    if (results[1] == PM_ERROR_NEWER)
        results[0] = PM_ERROR_NEWER;
    switch (results[0]) {
    case PM_ERROR_NOT_A_RECORDING:
        return pm_error_set(ret_info, results[0], 0, "not a Parkmeter recording");
    case PM_ERROR_NEWER:
        return pm_error_set(ret_info, results[0], 8,
                            "written by a newer Parkmeter; open it with that one");
    case PM_ERROR_CHECKSUM:
        return pm_error_set(ret_info, results[0], 0, "both copies of the file header are damaged");
    case PM_ERROR_TRUNCATED:
        return pm_error_set(ret_info, results[0], (int64_t)size,
                            "the file ends within its header, after %llu bytes",
                            (unsigned long long)size);
    case PM_ERROR_IO:
        return pm_error_set(ret_info, results[0], 0, "the file header cannot be read");
    default:
        return pm_error_set(ret_info, results[0], 0, "the file header breaks the format's rules");
    }
}

/* Reads the head at `offset`, again when it is being rewritten right now. PM_ERROR_TRUNCATED: an
 * empty slot or the end of the file. */
static int read_head(const struct pm_reader *reader, uint64_t offset, int *patience,
                     struct pm_chunk_head *ret)
{
    static const struct timespec millisecond = {0, 1000000};
    bool closed = (reader->header.state & PM_FILE_STATE_CLOSED) != 0;
    uint8_t bytes[PM_CHUNK_HEAD_SIZE];
    for (int i = 0;; i++) {
        int result = reader->source.read_at(reader->source.context, offset, bytes, sizeof bytes);
        if (result == PM_OK)
            result = pm_chunk_head_decode(bytes, reader->header.file_id, ret);
        if (result != PM_ERROR_CHECKSUM || closed)
            return result;
        if (i >= HEAD_RETRIES) {
            if (*patience == 0)
                return result;
            --*patience;
            nanosleep(&millisecond, NULL);
        }
    }
}

/* A block header that belongs to the chunk (0 = to any of this file) and ends before `end`. */
static bool plausible(const struct pm_reader *reader, const uint8_t *bytes, uint64_t chunk,
                      uint64_t offset, uint64_t end, struct pm_block_header *ret)
{
    struct pm_block_header h;
    if (!pm_block_header_decode(bytes, &h) || h.file_id != reader->header.file_id ||
        (chunk != 0 && h.chunk != chunk) || pm_block_size(h.stored_length) > end - offset)
        return false;
    *ret = h;
    return true;
}

/* The next block header in [from, end), both aligned: of `chunk`, or with chunk 0 of any, and with
 * `head` only a chunk's first. False when there is none. */
static bool find_block(const struct pm_reader *reader, uint64_t from, uint64_t end, uint64_t chunk,
                       bool head, uint64_t *ret_offset, struct pm_block_header *ret)
{
    uint8_t *window = malloc(WINDOW);
    bool found = false;
    size_t step = FIRST_WINDOW;
    while (window && !found && from < end && end - from >= PM_BLOCK_HEADER_SIZE) {
        size_t size = end - from < step ? (size_t)(end - from) : step;
        step = step * 2 < WINDOW ? step * 2 : WINDOW;
        if (reader->source.read_at(reader->source.context, from, window, size) != PM_OK)
            break;
        size_t at = 0;
        for (; at + PM_BLOCK_HEADER_SIZE <= size; at += PM_BLOCK_ALIGNMENT) {
            if (pm_get_u32(window + at) == PM_BLOCK_MAGIC &&
                plausible(reader, window + at, chunk, from + at, end, ret) &&
                (!head || ret->index == 0)) {
                *ret_offset = from + at;
                found = true;
                break;
            }
        }
        from += at;
    }
    free(window);
    return found;
}

/* ---- the list of chunks ---- */

struct list {
    struct chunk *chunks;
    size_t n, capacity;
    int patience;
};

static int list_add(struct list *list, const struct chunk *chunk)
{
    if (list->n == PM_SLOTS_MAX)
        return PM_ERROR_LIMIT;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        struct chunk *chunks = realloc(list->chunks, capacity * sizeof *chunks);
        if (!chunks)
            return PM_ERROR_MEMORY;
        list->chunks = chunks;
        list->capacity = capacity;
    }
    list->chunks[list->n++] = *chunk;
    return PM_OK;
}

static struct chunk chunk_of_head(const struct pm_chunk_head *head, uint64_t offset)
{
    return (struct chunk){
        .info =
            {
                .number = head->number,
                .offset = offset,
                .size = head->size,
                .overview = (head->flags & PM_CHUNK_FLAG_OVERVIEW) != 0,
                .closed = (head->flags & PM_CHUNK_FLAG_CLOSED) != 0,
                .begin_ns = head->begin_ns,
                .end_ns = head->end_ns,
                .waits = head->waits,
                .clock = head->clock,
            },
        .used = head->used,
    };
}

/* A chunk whose head is damaged is known by the first of its other blocks. */
static int list_headless(const struct pm_reader *reader, struct list *list, uint64_t offset,
                         uint64_t end)
{
    struct chunk chunk = {.info = {.offset = offset, .size = end - offset, .waits = -1},
                          .headless = true};
    struct pm_block_header block;
    uint64_t at;
    if (find_block(reader, offset + PM_BLOCK_ALIGNMENT, end, 0, false, &at, &block))
        chunk.info.number = block.chunk;
    return list_add(list, &chunk);
}

static int list_slots(const struct pm_reader *reader, uint64_t file_size, struct list *list)
{
    const struct pm_file_header *h = &reader->header;
    for (uint64_t slot = 0; slot < h->n_slots;) {
        uint64_t offset = h->header_size + slot * h->slot_size;
        uint64_t end = offset + h->slot_size < file_size ? offset + h->slot_size : file_size;
        if (offset + PM_CHUNK_HEAD_SIZE > file_size)
            break;
        struct pm_chunk_head head;
        int result = read_head(reader, offset, &list->patience, &head);
        slot++;
        if (result == PM_OK) {
            struct chunk chunk = chunk_of_head(&head, offset);
            result = list_add(list, &chunk);
            slot += (head.size - 1) / h->slot_size;
        } else if (result == PM_ERROR_CHECKSUM || result == PM_ERROR_MALFORMED) {
            result = list_headless(reader, list, offset, end & ~(uint64_t)7);
        } else if (result == PM_ERROR_TRUNCATED) {
            result = PM_OK;
        }
        if (result != PM_OK)
            return result;
    }
    return PM_OK;
}

static int list_compact(const struct pm_reader *reader, uint64_t file_size, struct list *list)
{
    uint64_t end = file_size & ~(uint64_t)(PM_BLOCK_ALIGNMENT - 1);
    uint64_t offset = reader->header.header_size, at;
    struct pm_block_header block;
    while (offset + PM_CHUNK_HEAD_SIZE <= file_size) {
        struct pm_chunk_head head;
        int result = read_head(reader, offset, &list->patience, &head);
        if (result == PM_OK) {
            struct chunk chunk = chunk_of_head(&head, offset);
            result = list_add(list, &chunk);
            if (chunk.info.closed) {
                offset += head.size;
            } else if (find_block(reader, offset + PM_BLOCK_ALIGNMENT, end, 0, true, &at, &block)) {
                list->chunks[list->n - 1].info.size = at - offset;
                offset = at;
            } else {
                offset = end;
            }
        } else if (result == PM_ERROR_IO) {
            return result;
        } else {
            uint64_t next = end;
            if (find_block(reader, offset + PM_BLOCK_ALIGNMENT, end, 0, true, &at, &block))
                next = at;
            result = list_headless(reader, list, offset, next);
            if (result == PM_OK && list->chunks[list->n - 1].info.number == 0 && next == end &&
                list->n > 1)
                list->n--; /* what follows the last chunk is nobody's */
            offset = next;
        }
        if (result != PM_OK)
            return result;
    }
    return PM_OK;
}

static int by_number(const void *a, const void *b)
{
    const struct chunk *x = a, *y = b;
    if (x->info.number != y->info.number)
        return x->info.number < y->info.number ? -1 : 1;
    /* Twice in the file after a crash while it was moved: the fuller copy first. */
    if (x->headless != y->headless)
        return x->headless ? 1 : -1;
    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    return x->info.offset < y->info.offset ? -1 : x->info.offset > y->info.offset;
}

static int list_chunks(struct pm_reader *reader, struct pm_error_info *ret_info)
{
    uint64_t size;
    struct pm_file_header header;
    int result = reader->source.size(reader->source.context, &size);
    if (result != PM_OK)
        return pm_error_set(ret_info, result, -1, "the file's size cannot be read");
    result = read_header(&reader->source, size, &header, ret_info);
    if (result != PM_OK)
        return result;
    reader->header = header;
    struct list list = {.patience = HEAD_PATIENCE};
    result =
        header.n_slots == 0 ? list_compact(reader, size, &list) : list_slots(reader, size, &list);
    if (result != PM_OK) {
        free(list.chunks);
        return pm_error_set(ret_info, result, -1, "the list of chunks: %s", pm_error_name(result));
    }
    if (list.n > 0)
        qsort(list.chunks, list.n, sizeof list.chunks[0], by_number);
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++) {
        if (n > 0 && list.chunks[i].info.number != 0 &&
            list.chunks[i].info.number == list.chunks[n - 1].info.number)
            continue;
        list.chunks[n] = list.chunks[i];
        if (list.chunks[n].headless && n > 0) {
            /* Its times are lost; it lies between its neighbours. */
            list.chunks[n].info.begin_ns = list.chunks[n - 1].info.end_ns;
            list.chunks[n].info.end_ns = list.chunks[n - 1].info.end_ns;
            list.chunks[n].info.clock = list.chunks[n - 1].info.clock;
        }
        n++;
    }
    for (size_t i = n; i-- > 0;) {
        if (list.chunks[i].headless && i + 1 < n) {
            list.chunks[i].info.end_ns = list.chunks[i + 1].info.begin_ns;
            if (i == 0) {
                list.chunks[i].info.begin_ns = list.chunks[i].info.end_ns;
                list.chunks[i].info.clock = list.chunks[i + 1].info.clock;
            }
            if (list.chunks[i].info.end_ns < list.chunks[i].info.begin_ns)
                list.chunks[i].info.end_ns = list.chunks[i].info.begin_ns;
        }
    }
    free(reader->chunks);
    reader->chunks = list.chunks;
    reader->n_chunks = n;
    reader->info.version = header.version;
    reader->info.file_size = size;
    reader->info.max_size = header.max_size;
    return PM_OK;
}

static int earlier_wait(void *context, const struct pm_wait_columns *columns)
{
    int64_t *earliest = context;
    for (size_t i = 0; i < columns->n; i++)
        *earliest = columns->begin_ns[i] < *earliest ? columns->begin_ns[i] : *earliest;
    return 0;
}

static int earlier_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    int64_t *earliest = context;
    *earliest = snapshot->at_ns < *earliest ? snapshot->at_ns : *earliest;
    return 0;
}

/* The only chunk has lost its head: it begins with the first thing that is known of it. */
static void begin_where_it_can_be_read(struct pm_reader *reader)
{
    struct pm_chunk_info *only = &reader->chunks[0].info;
    int64_t earliest = PM_TIME_LIMIT;
    const struct pm_visitor visitor = {
        .context = &earliest, .on_times = earlier_wait, .on_snapshot = earlier_snapshot};
    if (pm_reader_read_chunk(reader, 0, &visitor, NULL, NULL) == PM_OK && earliest < PM_TIME_LIMIT)
        only->begin_ns = only->end_ns = earliest;
}

/* The facts of the newest chunk that has them whole. */
static void read_facts(struct pm_reader *reader)
{
    static const struct pm_text none = {"", 0};
    struct pm_facts *facts = &reader->info.facts;
    *facts = (struct pm_facts){.jvm = none,
                               .main = none,
                               .host = none,
                               .options = none,
                               .zone = none,
                               .not_recorded = none};
    for (size_t i = reader->n_chunks; i-- > 0;) {
        const struct chunk *chunk = &reader->chunks[i];
        uint64_t offset = chunk->info.offset + PM_CHUNK_HEAD_SIZE;
        uint8_t bytes[PM_BLOCK_HEADER_SIZE];
        struct pm_block_header header;
        struct pm_cursor cursor;
        if (reader->source.read_at(reader->source.context, offset, bytes, sizeof bytes) == PM_OK &&
            plausible(reader, bytes, chunk->info.number, offset, UINT64_MAX, &header) &&
            header.type == PM_BLOCK_FACTS &&
            pm_block_read(&reader->source, offset, bytes, &header, &reader->facts) == PM_OK &&
            pm_block_unpack(&header, &reader->facts, &cursor) == PM_OK &&
            pm_rows_decode_facts(&cursor, facts) == PM_OK)
            return;
    }
    if (reader->n_chunks == 1 && reader->chunks[0].headless)
        begin_where_it_can_be_read(reader);
    const struct pm_chunk_info *first = &reader->chunks[0].info;
    int64_t since_clock_ns = first->begin_ns - first->clock.monotonic_ns;
    facts->begin_ns = first->begin_ns;
    /* The wall clock may be set to anything: an instant that it cannot show stays its last one. */
    if (__builtin_add_overflow(first->clock.unix_ns, since_clock_ns, &facts->begin_unix_ns))
        facts->begin_unix_ns = since_clock_ns < 0 ? INT64_MIN : INT64_MAX;
}

int pm_reader_open(struct pm_source source, struct pm_reader **ret_reader,
                   struct pm_error_info *ret_info)
{
    struct pm_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory for a reader");
    reader->source = source;
    int result = list_chunks(reader, ret_info);
    if (result == PM_OK && reader->n_chunks == 0) {
        result = pm_error_set(ret_info, PM_ERROR_EMPTY, -1,
                              "the recording holds nothing yet: a header and no chunk");
    }
    if (result != PM_OK) {
        reader->source.close = NULL; /* the caller's still */
        pm_reader_free(reader);
        return result;
    }
    read_facts(reader);
    *ret_reader = reader;
    return PM_OK;
}

void pm_reader_free(struct pm_reader *reader)
{
    if (!reader)
        return;
    if (reader->source.close)
        reader->source.close(reader->source.context);
    pm_block_buffer_clear(&reader->facts);
    free(reader->chunks);
    free(reader);
}

const struct pm_file_info *pm_reader_info(const struct pm_reader *reader)
{
    return &reader->info;
}

size_t pm_reader_n_chunks(const struct pm_reader *reader)
{
    return reader->n_chunks;
}

const struct pm_chunk_info *pm_reader_chunk(const struct pm_reader *reader, size_t index)
{
    return &reader->chunks[index].info;
}

int pm_reader_refresh(struct pm_reader *reader, struct pm_error_info *ret_info)
{
    return list_chunks(reader, ret_info);
}

const struct pm_file_header *pm_reader_header(const struct pm_reader *reader)
{
    return &reader->header;
}

uint64_t pm_reader_chunk_used(const struct pm_reader *reader, size_t index)
{
    return reader->chunks[index].used;
}

const struct pm_source *pm_reader_source(const struct pm_reader *reader)
{
    return &reader->source;
}

/* ---- one chunk ---- */

struct reading {
    const struct pm_reader *reader;
    const struct chunk *chunk;
    const struct pm_visitor *visitor;
    const struct pm_block_walk *walk; /* hand over blocks as stored instead; NULL = decode */
    struct pm_block_buffer buffer;
    struct pm_rows rows;
    struct pm_damage damage; /* gathered until a good block or the end; length 0 = none */
    int patience;
    uint64_t budget; /* bytes that may still be read: hostile headers cannot make it hang */
};

static bool wanted(const struct reading *r, unsigned type)
{
    const struct pm_visitor *v = r->visitor;
    if (r->walk)
        return true;
    switch (type) {
    case PM_BLOCK_DEFINITIONS:
        return v->on_class != NULL || v->on_method || v->on_chain || v->on_thread ||
               v->on_blocker != NULL;
    case PM_BLOCK_WAITS:
        return v->on_waits != NULL || v->on_times != NULL;
    case PM_BLOCK_PROGRESS:
        return v->on_progress != NULL;
    case PM_BLOCK_SNAPSHOT:
        return v->on_snapshot != NULL;
    case PM_BLOCK_OWNER_SAMPLES:
        return v->on_owner_sample != NULL;
    case PM_BLOCK_SPANS:
        return v->on_span != NULL;
    case PM_BLOCK_REACHED:
        return v->on_reached != NULL;
    case PM_BLOCK_CENSUS:
        return v->on_census != NULL;
    case PM_BLOCK_GAPS:
        return v->on_gap != NULL;
    case PM_BLOCK_ALLOCATIONS:
        return v->on_allocation != NULL;
    case PM_BLOCK_MEMORY_SNAPSHOT:
        return v->on_memory != NULL;
    case PM_BLOCK_LIVE_OBJECTS:
        return v->on_live != NULL;
    case PM_BLOCK_FOOTER:
        return v->on_footer != NULL;
    default:
        return false;
    }
}

/* The rows of a block that hands them over one by one. */
static int decode_rows(struct reading *r, const struct pm_block_header *header,
                       struct pm_cursor *cursor, const void **ret_rows)
{
    if (header->type == PM_BLOCK_REACHED)
        return pm_rows_decode_reached(cursor, header->rows, &r->rows, ret_rows);
    if (header->type == PM_BLOCK_OWNER_SAMPLES &&
        (r->reader->header.incompatible & PM_INCOMPATIBLE_ROLES) == 0)
        return pm_rows_decode_old_samples(cursor, header->rows, &r->rows, ret_rows);
    return pm_rows_decode(cursor, header->type, header->rows, &r->rows, ret_rows);
}

#define EACH(record, call)                                                                         \
    result = decode_rows(r, header, &cursor, &rows);                                               \
    for (size_t i = 0; result == PM_OK && i < n && stop == 0; i++)                                 \
    stop = call(v->context, (const struct record *)rows + i)

/* Hands one block's content to the visitor. `*ret_stop`: what a callback returned. */
static int deliver(struct reading *r, const struct pm_block_header *header, int *ret_stop)
{
    const struct pm_visitor *v = r->visitor;
    struct pm_cursor cursor;
    size_t n = header->rows;
    const void *rows = NULL;
    int stop = 0;
    int result = pm_block_unpack(header, &r->buffer, &cursor);
    if (result != PM_OK)
        return result;
    switch (header->type) {
    case PM_BLOCK_DEFINITIONS:
        result = pm_rows_decode_definitions(&cursor, n, &r->rows, v, &stop);
        break;
    case PM_BLOCK_WAITS: {
        struct pm_wait_columns columns;
        int (*take)(void *, const struct pm_wait_columns *) = v->on_waits;
        if (take) {
            result = pm_rows_decode_waits(&cursor, n, &r->rows, &columns);
        } else {
            take = v->on_times;
            result = pm_rows_decode_times(&cursor, n, &r->rows, &columns);
        }
        if (result == PM_OK)
            stop = take(v->context, &columns);
        break;
    }
    case PM_BLOCK_PROGRESS: {
        struct pm_wait *waits;
        bool complete;
        int64_t at_ns;
        result = pm_rows_decode_progress(&cursor, n, &r->rows, &waits, &complete, &at_ns);
        if (result == PM_OK)
            stop = v->on_progress(v->context, waits, n, complete, at_ns);
        break;
    }
    case PM_BLOCK_SNAPSHOT: {
        struct pm_snapshot snapshot;
        result = pm_rows_decode_snapshot(&cursor, n, &r->rows, &snapshot);
        if (result == PM_OK)
            stop = v->on_snapshot(v->context, &snapshot);
        break;
    }
    case PM_BLOCK_REACHED:
        EACH(pm_reached, v->on_reached);
        break;
    case PM_BLOCK_OWNER_SAMPLES:
        EACH(pm_owner_sample, v->on_owner_sample);
        break;
    case PM_BLOCK_CENSUS:
        EACH(pm_census_row, v->on_census);
        break;
    case PM_BLOCK_SPANS:
        EACH(pm_span, v->on_span);
        break;
    case PM_BLOCK_GAPS:
        EACH(pm_gap, v->on_gap);
        break;
    case PM_BLOCK_ALLOCATIONS:
        EACH(pm_allocation, v->on_allocation);
        break;
    case PM_BLOCK_MEMORY_SNAPSHOT: {
        struct pm_memory_snapshot snapshot;
        result = pm_rows_decode_memory(&cursor, n, &r->rows, &snapshot);
        if (result == PM_OK)
            stop = v->on_memory(v->context, &snapshot);
        break;
    }
    case PM_BLOCK_LIVE_OBJECTS: {
        struct pm_live_objects live;
        result = pm_rows_decode_live(&cursor, n, &r->rows, &live);
        if (result == PM_OK)
            stop = v->on_live(v->context, &live);
        break;
    }
    case PM_BLOCK_FOOTER: {
        struct pm_footer footer;
        result = pm_rows_decode_footer(&cursor, &footer);
        if (result == PM_OK)
            stop = v->on_footer(v->context, &footer);
        break;
    }
    case PM_BLOCK_FACTS: {
        struct pm_facts facts;
        result = pm_rows_decode_facts(&cursor, &facts);
        break;
    }
    default:
        break; /* of a later version */
    }
    *ret_stop = stop;
    return result;
}

static const char *damage_text(int code)
{
    switch (code) {
    case PM_ERROR_TRUNCATED:
        return "the file ends before the chunk does";
    case PM_ERROR_MALFORMED:
        return "a block's content breaks the format's rules";
    case PM_ERROR_IO:
        return "the file cannot be read here";
    default:
        return "stored bytes are not what was written";
    }
}

static int tell_damage(struct reading *r)
{
    if (r->damage.length == 0)
        return 0;
    struct pm_damage damage = r->damage;
    damage.text = damage_text(damage.code);
    r->damage.length = 0;
    return r->visitor->on_damage != NULL ? r->visitor->on_damage(r->visitor->context, &damage) : 0;
}

/* Neighbouring damage is one: what was gathered grows. */
static int add_damage(struct reading *r, uint64_t offset, uint64_t end, int code)
{
    int stop = 0;
    if (end <= offset)
        return 0;
    if (r->damage.length > 0 && r->damage.offset + r->damage.length == offset &&
        r->damage.code == code) {
        r->damage.length += end - offset;
        return 0;
    }
    stop = tell_damage(r);
    r->damage = (struct pm_damage){offset, end - offset, code, NULL};
    return stop;
}

/* Did the recorder reuse the slot meanwhile? */
static bool overwritten(struct reading *r)
{
    struct pm_chunk_head head;
    if (r->chunk->headless)
        return false;
    int result = read_head(r->reader, r->chunk->info.offset, &r->patience, &head);
    return result == PM_ERROR_TRUNCATED ||
           (result == PM_OK && head.number != r->chunk->info.number);
}

/* Reads up to `limit`; up to `used_end` everything must be whole. `cut`: the file ends at `limit`,
 * within what was used. */
static int read_blocks(struct reading *r, uint64_t used_end, uint64_t limit, bool cut)
{
    const struct pm_source *source = &r->reader->source;
    uint64_t at = r->chunk->info.offset + PM_CHUNK_HEAD_SIZE;
    int stop = 0;
    if (r->chunk->headless) {
        stop = add_damage(r, r->chunk->info.offset, at < limit ? at : limit, PM_ERROR_CHECKSUM);
        used_end = limit;
    }
    while (stop == 0 && at < limit) {
        uint8_t bytes[PM_BLOCK_HEADER_SIZE];
        struct pm_block_header header;
        int result = limit - at < sizeof bytes
                         ? PM_ERROR_TRUNCATED
                         : source->read_at(source->context, at, bytes, sizeof bytes);
        bool is_block = result == PM_OK &&
                        plausible(r->reader, bytes, r->chunk->info.number, at, limit, &header);
        uint64_t next = is_block ? at + pm_block_size(header.stored_length) : limit;
        if (is_block && wanted(r, header.type)) {
            if (r->budget < next - at)
                return add_damage(r, at, used_end, PM_ERROR_LIMIT);
            r->budget -= next - at;
            result = pm_block_read(source, at, bytes, &header, &r->buffer);
            if (result == PM_OK) {
                stop = tell_damage(r);
                if (stop == 0 && r->walk)
                    stop = r->walk->on_block(r->walk->context, at, &header, &r->buffer);
                if (stop == 0 && (!r->walk || r->walk->decode))
                    result = deliver(r, &header, &stop);
            }
            if (result == PM_ERROR_MEMORY || stop != 0)
                return stop != 0 ? stop : result;
            if (result == PM_ERROR_MALFORMED) {
                stop = add_damage(r, at, next, result);
                result = PM_OK;
            }
        } else if (is_block) {
            stop = tell_damage(r);
        }
        if (is_block && result == PM_OK) {
            at = next;
            continue;
        }
        if (overwritten(r))
            return PM_ERROR_OVERWRITTEN;
        if (at >= used_end)
            break; /* the end, or a block that is being written right now */
        /* Damage. Where the header looks right the next block is where it says; else search. */
        struct pm_block_header after;
        uint64_t found;
        bool follows =
            is_block && (next == used_end ||
                         (limit - next >= sizeof bytes &&
                          source->read_at(source->context, next, bytes, sizeof bytes) == PM_OK &&
                          plausible(r->reader, bytes, r->chunk->info.number, next, limit, &after)));
        if (follows) {
            found = next;
        } else if (r->budget < FIRST_WINDOW ||
                   !find_block(r->reader, at + PM_BLOCK_ALIGNMENT, limit, r->chunk->info.number,
                               false, &found, &after)) {
            found = used_end;
        } else {
            uint64_t cost = found - at + FIRST_WINDOW;
            r->budget -= cost < r->budget ? cost : r->budget;
        }
        int code = result == PM_ERROR_IO ? PM_ERROR_IO : PM_ERROR_CHECKSUM;
        stop = add_damage(r, at, found, cut && found == used_end ? PM_ERROR_TRUNCATED : code);
        at = found;
    }
    return stop;
}

static int read_chunk(struct pm_reader *reader, size_t index, const struct pm_visitor *visitor,
                      const struct pm_block_walk *walk, struct pm_chunk_head *ret_head,
                      struct pm_error_info *ret_info)
{
    if (index >= reader->n_chunks)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "there is no chunk %zu", index);
    const struct chunk *chunk = &reader->chunks[index];
    struct reading r = {.reader = reader,
                        .chunk = chunk,
                        .visitor = visitor,
                        .walk = walk,
                        .patience = HEAD_PATIENCE};
    uint64_t file_size;
    struct pm_chunk_head head, listed = {
                                   .file_id = reader->header.file_id,
                                   .number = chunk->info.number,
                                   .size = chunk->info.size,
                                   .used = chunk->used,
                                   .begin_ns = chunk->info.begin_ns,
                                   .end_ns = chunk->info.end_ns,
                                   .clock = chunk->info.clock,
                                   .flags = (chunk->info.closed ? PM_CHUNK_FLAG_CLOSED : 0) |
                                            (chunk->info.overview ? PM_CHUNK_FLAG_OVERVIEW : 0),
                               };
    int result = PM_OK;
    if (!chunk->headless) {
        /* The chunk may have grown since it was listed. */
        result = read_head(reader, chunk->info.offset, &r.patience, &head);
        if (result == PM_OK && head.number == chunk->info.number)
            listed = head;
        else if (result == PM_OK || result == PM_ERROR_TRUNCATED)
            result = PM_ERROR_OVERWRITTEN;
        else if (result != PM_ERROR_IO)
            result = PM_OK; /* damaged since; what was listed still tells where to look */
    }
    if (result == PM_OK) {
        /* After the head: what it counts as used is in the file by now. */
        result = reader->source.size(reader->source.context, &file_size);
    }
    if (result == PM_OK) {
        uint64_t begin = chunk->info.offset;
        uint64_t limit =
            begin + chunk->info.size < file_size ? begin + chunk->info.size : file_size;
        limit &= ~(uint64_t)(PM_BLOCK_ALIGNMENT - 1);
        uint64_t used_end = begin + listed.used;
        r.budget = 8 * chunk->info.size + (1u << 20);
        bool cut = used_end > limit;
        result = read_blocks(&r, cut ? limit : used_end, limit, cut);
        if (result == PM_OK && cut)
            result = add_damage(&r, limit, used_end, PM_ERROR_TRUNCATED);
        if (result == PM_OK)
            result = tell_damage(&r);
        if (result == PM_OK && overwritten(&r))
            result = PM_ERROR_OVERWRITTEN;
    }
    pm_block_buffer_clear(&r.buffer);
    pm_rows_clear(&r.rows);
    if (result == PM_OK)
        *ret_head = listed;
    if (result == PM_ERROR_OVERWRITTEN) {
        pm_error_set(ret_info, result, (int64_t)chunk->info.offset,
                     "chunk %llu was overwritten by the recorder while it was read",
                     (unsigned long long)chunk->info.number);
    } else if (result != PM_OK) {
        pm_error_set(ret_info, result, (int64_t)chunk->info.offset, "chunk %llu: %s",
                     (unsigned long long)chunk->info.number, pm_error_name(result));
    }
    return result;
}

int pm_reader_read_chunk(struct pm_reader *reader, size_t index, const struct pm_visitor *visitor,
                         int64_t *ret_end_ns, struct pm_error_info *ret_info)
{
    struct pm_chunk_head head;
    int result = read_chunk(reader, index, visitor, NULL, &head, ret_info);
    if (result == PM_OK && ret_end_ns)
        *ret_end_ns = head.end_ns;
    return result;
}

static int pass_block(void *context, uint64_t offset, const struct pm_block_header *header,
                      const struct pm_block_buffer *buffer)
{
    return 0;
}

static int refuse_damage(void *context, const struct pm_damage *damage)
{
    return PM_ERROR_CHECKSUM;
}

int pm_reader_check_chunk(struct pm_reader *reader, size_t index, struct pm_error_info *ret_info)
{
    const struct pm_block_walk walk = {.on_block = pass_block};
    const struct pm_visitor visitor = {.on_damage = refuse_damage};
    struct pm_chunk_head head;
    if (index < reader->n_chunks && reader->chunks[index].headless) {
        return pm_error_set(ret_info, PM_ERROR_CHECKSUM, (int64_t)reader->chunks[index].info.offset,
                            "chunk %llu: %s", (unsigned long long)reader->chunks[index].info.number,
                            pm_error_name(PM_ERROR_CHECKSUM));
    }
    return read_chunk(reader, index, &visitor, &walk, &head, ret_info);
}

int pm_reader_walk_chunk(struct pm_reader *reader, size_t index, const struct pm_block_walk *walk,
                         const struct pm_visitor *visitor, struct pm_chunk_head *ret_head,
                         struct pm_error_info *ret_info)
{
    return read_chunk(reader, index, visitor, walk, ret_head, ret_info);
}
