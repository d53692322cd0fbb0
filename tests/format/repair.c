#include "tests/format/repair.h"

#include "format/block.h"

void repair_checksums(uint8_t *data, size_t size)
{
    for (size_t at = 0; at <= PM_FILE_HEADER_COPY; at += PM_FILE_HEADER_COPY) {
        if (at + PM_FILE_HEADER_FIELDS <= size) {
            struct pm_file_header header = {
                .version = 1,
                .header_size = PM_FILE_HEADER_SIZE,
                .file_id = pm_get_u64(data + at + 24),
                .max_size = pm_get_u64(data + at + 32),
                .slot_size = pm_get_u32(data + at + 40),
                .n_slots = pm_get_u32(data + at + 44),
                .sequence = pm_get_u64(data + at + 48),
                .state = PM_FILE_STATE_CLOSED, /* no waiting for a recorder */
                .end = pm_get_u64(data + at + 64),
            };
            pm_file_header_encode(&header, data + at);
        }
    }
    size_t budget = 32u << 20; /* of bytes to hash: claims may overlap */
    for (size_t at = PM_FILE_HEADER_SIZE; at + PM_BLOCK_HEADER_SIZE <= size;
         at += PM_BLOCK_ALIGNMENT) {
        struct pm_block_header header;
        if (pm_block_header_decode(data + at, &header) &&
            header.stored_length <= size - at - PM_BLOCK_HEADER_SIZE &&
            header.stored_length <= budget) {
            budget -= header.stored_length;
            pm_block_header_encode(&header, data + at + PM_BLOCK_HEADER_SIZE, data + at);
        }
    }
}

/* splitmix64 */
static uint64_t draw(uint64_t *state, uint64_t limit)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % limit;
}

static uint64_t extreme(uint64_t *state)
{
    static const uint64_t values[] = {0,
                                      1,
                                      UINT64_MAX,
                                      (uint64_t)INT64_MAX,
                                      (uint64_t)INT64_MIN,
                                      UINT64_C(1) << 62,
                                      (UINT64_C(1) << 62) - 1,
                                      -(UINT64_C(1) << 62),
                                      UINT64_C(1) << 58,
                                      UINT64_C(1) << 32,
                                      UINT32_MAX};
    return values[draw(state, sizeof values / sizeof values[0])];
}

void repair_to_extremes(uint8_t *data, size_t size, uint64_t *state)
{
    for (size_t at = PM_FILE_HEADER_SIZE; at + PM_BLOCK_HEADER_SIZE <= size;
         at += PM_BLOCK_ALIGNMENT) {
        struct pm_block_header header;
        if (!pm_block_header_decode(data + at, &header) ||
            header.stored_length > size - at - PM_BLOCK_HEADER_SIZE)
            continue;
        uint8_t *payload = data + at + PM_BLOCK_HEADER_SIZE;
        if (header.type == PM_BLOCK_CHUNK && header.stored_length == PM_CHUNK_HEAD_PAYLOAD) {
            for (size_t field = 16; field <= 48; field += 8) /* times, waits, the clock pair */
                if (draw(state, 3) == 0)
                    pm_put_u64(payload + field, extreme(state));
        } else if (header.type == PM_BLOCK_FACTS && draw(state, 2) == 0) {
            data[at + 4] = PM_BLOCK_TIME_INDEX; /* nobody reads it: facts come from the head */
        } else if ((header.flags & PM_BLOCK_FLAG_LZ4) == 0 && header.stored_length >= 8 &&
                   draw(state, 3) == 0) {
            pm_put_u64(payload + draw(state, header.stored_length - 7), extreme(state));
        }
    }
    repair_checksums(data, size);
}
