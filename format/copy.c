#include "format/copy.h"

#include "format/reader-block.h"

struct copying {
    const struct pm_sink *sink;
    uint64_t begin, used; /* of the chunk in the copy */
    struct pm_chunk_head head;
    uint32_t n_blocks;
    int64_t waits;
    uint64_t damaged;
    struct pm_error_info *info;
};

static int write_at(struct copying *c, uint64_t offset, const void *bytes, size_t size)
{
    int result = c->sink->write_at(c->sink->context, offset, bytes, size);
    if (result != PM_OK) {
        pm_error_set(c->info, result, (int64_t)offset, "the copy cannot be written at byte %llu",
                     (unsigned long long)offset);
    }
    return result;
}

static int on_block(void *context, uint64_t offset, const struct pm_block_header *header,
                    const struct pm_block_buffer *buffer)
{
    struct copying *c = context;
    uint8_t bytes[PM_BLOCK_HEADER_SIZE];
    struct pm_block_header mine = *header;
    mine.index = c->n_blocks;
    pm_block_header_encode(&mine, buffer->stored, bytes);
    uint64_t size = pm_block_size(header->stored_length);
    int result = write_at(c, c->begin + c->used, bytes, sizeof bytes);
    if (result == PM_OK) {
        /* The zeros after the payload were checked with it. */
        result =
            write_at(c, c->begin + c->used + sizeof bytes, buffer->stored, size - sizeof bytes);
    }
    if (result == PM_OK) {
        c->used += size;
        c->n_blocks++;
        c->waits += header->type == PM_BLOCK_WAITS ? header->rows : 0;
    }
    return result;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    ((struct copying *)context)->damaged++;
    return 0;
}

static int write_head(struct copying *c)
{
    uint8_t bytes[PM_CHUNK_HEAD_SIZE];
    c->head.size = c->head.used = c->used;
    c->head.waits = c->waits;
    pm_chunk_head_encode(&c->head, bytes);
    return write_at(c, c->begin, bytes, sizeof bytes);
}

static int write_header(struct copying *c, const struct pm_file_header *from, uint64_t end)
{
    uint8_t bytes[PM_FILE_HEADER_SIZE] = {0};
    struct pm_file_header header = {
        .version = from->version,
        .header_size = PM_FILE_HEADER_SIZE,
        .compatible = from->compatible,
        .incompatible = from->incompatible,
        .file_id = from->file_id,
        .sequence = 1,
        .end = end,
    };
    pm_file_header_encode(&header, bytes);
    pm_file_header_encode(&header, bytes + PM_FILE_HEADER_COPY);
    return write_at(c, 0, bytes, sizeof bytes);
}

int pm_copy(struct pm_reader *reader, int64_t from_ns, struct pm_sink sink,
            struct pm_copy_result *ret_result, struct pm_error_info *ret_info)
{
    struct pm_copy_result done = {0};
    struct copying c = {.sink = &sink, .begin = PM_FILE_HEADER_SIZE, .info = ret_info};
    const struct pm_block_walk walk = {&c, on_block, false};
    const struct pm_visitor visitor = {.context = &c, .on_damage = on_damage};
    int result = write_header(&c, pm_reader_header(reader), 0);
    for (size_t i = 0; result == PM_OK && i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        /* The chunk being written is always newer than what was listed of it. */
        if (chunk->closed && !chunk->overview && chunk->end_ns < from_ns) {
            done.skipped_chunks++;
            continue;
        }
        c.used = PM_CHUNK_HEAD_SIZE;
        c.n_blocks = 1;
        c.waits = 0;
        c.damaged = 0;
        result = pm_reader_walk_chunk(reader, i, &walk, &visitor, &c.head, ret_info);
        if (result == PM_ERROR_OVERWRITTEN || (result == PM_OK && c.n_blocks == 1)) {
            done.skipped_chunks++; /* its bytes are written over by the next one's */
            done.damaged_blocks += c.damaged;
            result = PM_OK;
            continue;
        }
        if (result == PM_OK)
            result = write_head(&c);
        if (result == PM_OK) {
            c.begin += c.used;
            done.chunks++;
            done.damaged_blocks += c.damaged;
        }
    }
    if (result == PM_OK) {
        result = sink.truncate(sink.context, c.begin);
        if (result != PM_OK)
            pm_error_set(ret_info, result, -1, "the copy cannot be cut to its length");
    }
    if (result == PM_OK)
        result = write_header(&c, pm_reader_header(reader), c.begin);
    if (result == PM_OK) {
        done.bytes = c.begin;
        *ret_result = done;
    }
    return result;
}
