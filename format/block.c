#include "format/block.h"

#include "format/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/*  0 magic | 8 version | 10 zero | 12 header size | 16 compatible | 20 incompatible | 24 file id
 * 32 max size | 40 slot size | 44 slots | 48 sequence | 56 state | 60 zero | 64 end | 72 zero
 * 120 checksum of 0..119 */
void pm_file_header_encode(const struct pm_file_header *header, uint8_t to[PM_FILE_HEADER_FIELDS])
{
    memset(to, 0, PM_FILE_HEADER_FIELDS);
    memcpy(to, PM_FILE_MAGIC, 8);
    pm_put_u16(to + 8, header->version);
    pm_put_u32(to + 12, header->header_size);
    pm_put_u32(to + 16, header->compatible);
    pm_put_u32(to + 20, header->incompatible);
    pm_put_u64(to + 24, header->file_id);
    pm_put_u64(to + 32, header->max_size);
    pm_put_u32(to + 40, header->slot_size);
    pm_put_u32(to + 44, header->n_slots);
    pm_put_u64(to + 48, header->sequence);
    pm_put_u32(to + 56, header->state);
    pm_put_u64(to + 64, header->end);
    pm_put_u64(to + 120, XXH3_64bits(to, 120));
}

int pm_file_header_decode(const uint8_t from[PM_FILE_HEADER_FIELDS],
                          struct pm_file_header *ret_header)
{
    if (memcmp(from, PM_FILE_MAGIC, 8) != 0)
        return PM_ERROR_NOT_A_RECORDING;
    if (pm_get_u64(from + 120) != XXH3_64bits(from, 120))
        return PM_ERROR_CHECKSUM;
    struct pm_file_header h = {
        .version = pm_get_u16(from + 8),
        .header_size = pm_get_u32(from + 12),
        .compatible = pm_get_u32(from + 16),
        .incompatible = pm_get_u32(from + 20),
        .file_id = pm_get_u64(from + 24),
        .max_size = pm_get_u64(from + 32),
        .slot_size = pm_get_u32(from + 40),
        .n_slots = pm_get_u32(from + 44),
        .sequence = pm_get_u64(from + 48),
        .state = pm_get_u32(from + 56),
        .end = pm_get_u64(from + 64),
    };
    if (h.version > PM_FORMAT_VERSION || (h.incompatible & ~PM_INCOMPATIBLE_KNOWN) != 0)
        return PM_ERROR_NEWER;
    bool compact = h.max_size == 0;
    if (h.version == 0 || h.header_size < PM_FILE_HEADER_SIZE ||
        h.header_size > PM_FILE_HEADER_MAX || h.header_size % PM_BLOCK_ALIGNMENT != 0 ||
        h.n_slots > PM_SLOTS_MAX || compact != (h.n_slots == 0) || compact != (h.slot_size == 0) ||
        (!compact && (h.slot_size < PM_SLOT_SIZE_MIN || h.slot_size > PM_SLOT_SIZE_MAX ||
                      h.slot_size % PM_BLOCK_ALIGNMENT != 0)))
        return PM_ERROR_MALFORMED;
    *ret_header = h;
    return PM_OK;
}

/*  0 magic | 4 type | 5 flags | 6 zero | 8 file id | 16 chunk | 24 index | 28 raw length
 * 32 stored length | 36 rows | 40 checksum */
uint64_t pm_block_checksum(const uint8_t header[PM_BLOCK_HEADER_SIZE], const uint8_t *payload,
                           size_t stored_length)
{
    return XXH3_64bits_withSeed(header, 40, XXH3_64bits(payload, stored_length));
}

void pm_block_header_encode(const struct pm_block_header *header, const uint8_t *payload,
                            uint8_t to[PM_BLOCK_HEADER_SIZE])
{
    pm_put_u32(to, PM_BLOCK_MAGIC);
    to[4] = header->type;
    to[5] = header->flags;
    pm_put_u16(to + 6, 0);
    pm_put_u64(to + 8, header->file_id);
    pm_put_u64(to + 16, header->chunk);
    pm_put_u32(to + 24, header->index);
    pm_put_u32(to + 28, header->raw_length);
    pm_put_u32(to + 32, header->stored_length);
    pm_put_u32(to + 36, header->rows);
    pm_put_u64(to + 40, pm_block_checksum(to, payload, header->stored_length));
}

bool pm_block_header_decode(const uint8_t from[PM_BLOCK_HEADER_SIZE],
                            struct pm_block_header *ret_header)
{
    if (pm_get_u32(from) != PM_BLOCK_MAGIC || pm_get_u16(from + 6) != 0)
        return false;
    struct pm_block_header h = {
        .type = from[4],
        .flags = from[5],
        .file_id = pm_get_u64(from + 8),
        .chunk = pm_get_u64(from + 16),
        .index = pm_get_u32(from + 24),
        .raw_length = pm_get_u32(from + 28),
        .stored_length = pm_get_u32(from + 32),
        .rows = pm_get_u32(from + 36),
        .checksum = pm_get_u64(from + 40),
    };
    if ((h.flags & ~PM_BLOCK_FLAGS_KNOWN) != 0 || h.raw_length > PM_BLOCK_RAW_MAX ||
        h.stored_length > PM_BLOCK_STORED_MAX || h.rows > PM_BLOCK_ROWS_MAX ||
        ((h.flags & PM_BLOCK_FLAG_LZ4) == 0 && h.raw_length != h.stored_length))
        return false;
    *ret_header = h;
    return true;
}

/* payload:  0 size | 8 used | 16 begin | 24 end | 32 waits | 40 monotonic | 48 unix | 56 flags
 *          60 zero */
void pm_chunk_head_encode(const struct pm_chunk_head *head, uint8_t to[PM_CHUNK_HEAD_SIZE])
{
    uint8_t *p = to + PM_BLOCK_HEADER_SIZE;
    pm_put_u64(p, head->size);
    pm_put_u64(p + 8, head->used);
    pm_put_u64(p + 16, (uint64_t)head->begin_ns);
    pm_put_u64(p + 24, (uint64_t)head->end_ns);
    pm_put_u64(p + 32, (uint64_t)head->waits);
    pm_put_u64(p + 40, (uint64_t)head->clock.monotonic_ns);
    pm_put_u64(p + 48, (uint64_t)head->clock.unix_ns);
    pm_put_u32(p + 56, head->flags);
    pm_put_u32(p + 60, 0);
    struct pm_block_header block = {
        .type = PM_BLOCK_CHUNK,
        .file_id = head->file_id,
        .chunk = head->number,
        .raw_length = PM_CHUNK_HEAD_PAYLOAD,
        .stored_length = PM_CHUNK_HEAD_PAYLOAD,
        .rows = 1,
    };
    pm_block_header_encode(&block, p, to);
}

int pm_chunk_head_decode(const uint8_t from[PM_CHUNK_HEAD_SIZE], uint64_t file_id,
                         struct pm_chunk_head *ret_head)
{
    static const uint8_t zeros[PM_CHUNK_HEAD_SIZE];
    if (memcmp(from, zeros, PM_CHUNK_HEAD_SIZE) == 0)
        return PM_ERROR_TRUNCATED;
    struct pm_block_header block;
    const uint8_t *p = from + PM_BLOCK_HEADER_SIZE;
    if (!pm_block_header_decode(from, &block) || block.type != PM_BLOCK_CHUNK ||
        block.stored_length != PM_CHUNK_HEAD_PAYLOAD || block.file_id != file_id ||
        block.checksum != pm_block_checksum(from, p, PM_CHUNK_HEAD_PAYLOAD))
        return PM_ERROR_CHECKSUM;
    struct pm_chunk_head h = {
        .file_id = block.file_id,
        .number = block.chunk,
        .size = pm_get_u64(p),
        .used = pm_get_u64(p + 8),
        .begin_ns = (int64_t)pm_get_u64(p + 16),
        .end_ns = (int64_t)pm_get_u64(p + 24),
        .waits = (int64_t)pm_get_u64(p + 32),
        .clock = {(int64_t)pm_get_u64(p + 40), (int64_t)pm_get_u64(p + 48)},
        .flags = pm_get_u32(p + 56),
    };
    if (block.index != 0 || block.flags != 0 || block.rows != 1 || h.used < PM_CHUNK_HEAD_SIZE ||
        h.used > h.size || h.size > PM_SLOT_SIZE_MAX || h.size % PM_BLOCK_ALIGNMENT != 0 ||
        h.used % PM_BLOCK_ALIGNMENT != 0 || h.begin_ns < 0 || h.begin_ns >= PM_TIME_LIMIT ||
        h.end_ns < h.begin_ns || h.clock.monotonic_ns < 0 ||
        h.clock.monotonic_ns >= PM_TIME_LIMIT || h.waits < 0 ||
        (h.flags & ~PM_CHUNK_FLAGS_KNOWN) != 0 || pm_get_u32(p + 60) != 0)
        return PM_ERROR_MALFORMED;
    *ret_head = h;
    return PM_OK;
}
