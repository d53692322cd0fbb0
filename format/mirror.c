#include "format/mirror.h"

#include <stdlib.h>
#include <time.h>

#include "format/reader-block.h"

/* A piece begins with its kind, then:
 *
 *   header   the file's size (8 bytes), the newest copy of the file header
 *   chunk    offset in the file (8), offset in the chunk (8), the chunk's head, then its bytes from
 *            there to what the head says is used
 */
enum { PIECE_HEADER = 1, PIECE_CHUNK = 2 };
#define HEADER_PIECE (1 + 8 + PM_FILE_HEADER_FIELDS)
#define CHUNK_PIECE  (1 + 8 + 8 + PM_CHUNK_HEAD_SIZE)

/* A head may be read while it is rewritten. */
#define HEAD_RETRIES 20

/* ---- what a copy holds ---- */

void pm_mirror_mark_of(struct pm_source copy, struct pm_mirror_mark *ret_mark)
{
    struct pm_mirror_mark mark = {0};
    struct pm_reader *reader;
    copy.close = NULL; /* stays the caller's */
    *ret_mark = mark;
    if (pm_reader_open(copy, &reader, NULL) != PM_OK)
        return;
    const struct pm_file_header *header = pm_reader_header(reader);
    mark.file_id = header->file_id;
    mark.slot_size = header->slot_size;
    mark.n_slots = header->n_slots;
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        if (chunk->waits >= 0 && !chunk->closed) {
            if (mark.n_open == PM_MIRROR_OPEN_MAX)
                break; /* what follows is asked for whole */
            mark.open[mark.n_open].number = chunk->number;
            mark.open[mark.n_open++].used = pm_reader_chunk_used(reader, i);
        }
        mark.below = chunk->number + 1;
    }
    *ret_mark = mark;
    pm_reader_free(reader);
}

/* From where on the copy needs a chunk; 0: not at all. */
static uint64_t wanted_from(const struct pm_mirror_mark *have, const struct pm_chunk_head *head)
{
    for (size_t i = 0; i < have->n_open; i++) {
        if (have->open[i].number != head->number)
            continue;
        uint64_t used = have->open[i].used;
        return used >= PM_CHUNK_HEAD_SIZE && used <= head->used ? used : PM_CHUNK_HEAD_SIZE;
    }
    return head->number < have->below ? 0 : PM_CHUNK_HEAD_SIZE;
}

/* ---- giving ---- */

struct giving {
    const struct pm_source *source;
    const struct pm_mirror_mark *have;
    uint64_t file_id;
    int (*give)(void *context, const void *bytes, size_t size);
    void *context;
    uint8_t *bytes; /* of a piece */
    size_t capacity;
};

static int give_header(struct giving *g, const struct pm_file_header *header, uint64_t file_size)
{
    uint8_t bytes[HEADER_PIECE] = {PIECE_HEADER};
    pm_put_u64(bytes + 1, file_size);
    pm_file_header_encode(header, bytes + 9);
    return g->give(g->context, bytes, sizeof bytes);
}

static int read_head(const struct giving *g, uint64_t offset, uint8_t *bytes,
                     struct pm_chunk_head *ret)
{
    static const struct timespec millisecond = {0, 1000000};
    for (int i = 0;; i++) {
        int result = g->source->read_at(g->source->context, offset, bytes, PM_CHUNK_HEAD_SIZE);
        if (result == PM_OK)
            result = pm_chunk_head_decode(bytes, g->file_id, ret);
        if (result != PM_ERROR_CHECKSUM || i == HEAD_RETRIES)
            return result;
        nanosleep(&millisecond, NULL);
    }
}

static int reserve(struct giving *g, size_t size)
{
    if (size <= g->capacity)
        return PM_OK;
    uint8_t *more = realloc(g->bytes, size);
    if (!more)
        return PM_ERROR_MEMORY;
    g->bytes = more;
    g->capacity = size;
    return PM_OK;
}

/* What cannot be read, or is overwritten meanwhile, is left out. */
static int give_chunk(struct giving *g, const struct pm_chunk_info *chunk)
{
    uint8_t head_bytes[PM_CHUNK_HEAD_SIZE], *at;
    struct pm_chunk_head head, after;
    if (read_head(g, chunk->offset, head_bytes, &head) != PM_OK || head.number != chunk->number)
        return PM_OK;
    uint64_t from = wanted_from(g->have, &head);
    if (from == 0)
        return PM_OK;
    size_t length = (size_t)(head.used - from);
    if (reserve(g, CHUNK_PIECE + length) != PM_OK)
        return PM_ERROR_MEMORY;
    at = g->bytes;
    at[0] = PIECE_CHUNK;
    pm_put_u64(at + 1, chunk->offset);
    pm_put_u64(at + 9, from);
    memcpy(at + 17, head_bytes, sizeof head_bytes);
    if (g->source->read_at(g->source->context, chunk->offset + from, at + CHUNK_PIECE, length) !=
        PM_OK)
        return PM_OK;
    if (read_head(g, chunk->offset, head_bytes, &after) != PM_OK || after.number != head.number)
        return PM_OK;
    return g->give(g->context, at, CHUNK_PIECE + length);
}

int pm_mirror_news(struct pm_reader *reader, const struct pm_mirror_mark *have, int64_t from_ns,
                   int (*give)(void *context, const void *bytes, size_t size), void *context,
                   struct pm_error_info *ret_info)
{
    static const struct pm_mirror_mark nothing;
    const struct pm_file_header *header = pm_reader_header(reader);
    bool same = have->file_id == header->file_id && have->slot_size == header->slot_size &&
                have->n_slots == header->n_slots;
    struct giving g = {.source = pm_reader_source(reader),
                       .have = same ? have : &nothing,
                       .file_id = header->file_id,
                       .give = give,
                       .context = context};
    int result = give_header(&g, header, pm_reader_info(reader)->file_size);
    for (size_t i = 0; result == PM_OK && i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        bool old = chunk->closed && !chunk->overview && chunk->end_ns < from_ns;
        if (!old && chunk->waits >= 0)
            result = give_chunk(&g, chunk);
    }
    free(g.bytes);
    if (result < 0)
        pm_error_set(ret_info, result, -1, "no chunk can be copied: %s", pm_error_name(result));
    return result;
}

/* ---- applying ---- */

static int read_header(const struct pm_sink *copy, struct pm_file_header *ret_header)
{
    uint8_t bytes[PM_FILE_HEADER_FIELDS];
    int result = copy->read_at(copy->context, 0, bytes, sizeof bytes);
    return result == PM_OK ? pm_file_header_decode(bytes, ret_header) : result;
}

static int apply_header(const struct pm_sink *copy, const uint8_t *bytes)
{
    struct pm_file_header header, mine;
    uint64_t file_size = pm_get_u64(bytes);
    int result = pm_file_header_decode(bytes + 8, &header);
    if (result != PM_OK)
        return result;
    if (file_size < PM_FILE_HEADER_SIZE || file_size > INT64_MAX)
        return PM_ERROR_MALFORMED;
    if (read_header(copy, &mine) != PM_OK || mine.file_id != header.file_id ||
        mine.slot_size != header.slot_size || mine.n_slots != header.n_slots)
        result = copy->truncate(copy->context, 0);
    if (result == PM_OK)
        result = copy->truncate(copy->context, file_size);
    if (result == PM_OK) {
        result =
            copy->write_at(copy->context, PM_FILE_HEADER_COPY, bytes + 8, PM_FILE_HEADER_FIELDS);
    }
    if (result == PM_OK)
        result = copy->write_at(copy->context, 0, bytes + 8, PM_FILE_HEADER_FIELDS);
    return result;
}

/* In the order in which a recorder writes: a slot that is reused has no head until it has blocks,
 * and the head is written when they are there. */
static int apply_chunk(const struct pm_sink *copy, const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[PM_CHUNK_HEAD_SIZE];
    struct pm_file_header header;
    struct pm_chunk_head head;
    const uint8_t *head_bytes = bytes + 16, *body = head_bytes + PM_CHUNK_HEAD_SIZE;
    uint64_t offset = pm_get_u64(bytes), from = pm_get_u64(bytes + 8);
    size_t length = size - 16 - PM_CHUNK_HEAD_SIZE;
    int result = read_header(copy, &header);
    if (result == PM_OK)
        result = pm_chunk_head_decode(head_bytes, header.file_id, &head);
    if (result != PM_OK || offset < header.header_size || offset > INT64_MAX - head.used ||
        offset % PM_BLOCK_ALIGNMENT != 0 || from < PM_CHUNK_HEAD_SIZE || from > head.used ||
        head.used - from != length)
        return PM_ERROR_MALFORMED;
    if (from == PM_CHUNK_HEAD_SIZE)
        result = copy->write_at(copy->context, offset, zeros, sizeof zeros);
    if (result == PM_OK)
        result = copy->write_at(copy->context, offset + from, body, length);
    if (result == PM_OK)
        result = copy->write_at(copy->context, offset, head_bytes, PM_CHUNK_HEAD_SIZE);
    return result;
}

int pm_mirror_apply(struct pm_sink copy, const void *bytes, size_t size,
                    struct pm_error_info *ret_info)
{
    const uint8_t *piece = bytes;
    int result = PM_ERROR_MALFORMED;
    if (size == HEADER_PIECE && piece[0] == PIECE_HEADER)
        result = apply_header(&copy, piece + 1);
    else if (size >= CHUNK_PIECE && size <= PM_MIRROR_PIECE_MAX && piece[0] == PIECE_CHUNK)
        result = apply_chunk(&copy, piece + 1, size - 1);
    if (result != PM_OK)
        pm_error_set(ret_info, result, -1, "the copy cannot go on: %s", pm_error_name(result));
    return result;
}
