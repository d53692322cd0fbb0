#include "tests/format/repair.h"

#include <lz4.h>
#include <stdbool.h>
#include <string.h>

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

/* One that is at the end of what some type holds, by one more or less. */
static uint64_t extreme(uint64_t *state)
{
    static const uint8_t bits[] = {0, 0, 7, 8, 12, 16, 31, 32, 58, 61, 62, 62, 63};
    uint64_t value = UINT64_C(1) << bits[draw(state, sizeof bits)];
    value = value - 2 + draw(state, 4);
    return draw(state, 4) == 0 ? -value : value;
}

/* Puts `number`, in seven bits a byte, in the place of that which lies at `at`. */
static size_t put_varint(uint8_t *bytes, size_t size, size_t at, uint64_t number)
{
    uint8_t coded[10];
    size_t length = 0, begin = at, end = at;
    for (; number >= 0x80; number >>= 7)
        coded[length++] = (uint8_t)(number | 0x80);
    coded[length++] = (uint8_t)number;
    while (begin > 0 && bytes[begin - 1] & 0x80)
        begin--;
    while (end + 1 < size && bytes[end] & 0x80)
        end++;
    end++;
    memmove(bytes + begin + length, bytes + end, size - end);
    memcpy(bytes + begin, coded, length);
    return size - (end - begin) + length;
}

/* Of one block, and what they and its header may add to it. */
#define CHANGES      4
#define CHANGED_MOST (CHANGES * 10 + PM_BLOCK_HEADER_SIZE + PM_BLOCK_ALIGNMENT)

static void change(struct pm_block_header *header, uint8_t *bytes, uint64_t *state)
{
    static const char *const texts[] = {"\033]0;x\a",
                                        "=cmd|' /C calc'!A0",
                                        "\xe2\x80\xae"
                                        "abc",
                                        "\xc2\x9b"
                                        "31m",
                                        "\xed\xa0\x80",
                                        "a\nb\rc",
                                        "%s%n",
                                        "<b>&amp;",
                                        "\"\\"};
    size_t size = header->raw_length;
    if (size == 0)
        return;
    size_t at = draw(state, draw(state, 3) == 0 && size > 64 ? 64 : size);
    uint64_t number = extreme(state);
    const char *text = texts[draw(state, sizeof texts / sizeof texts[0])];
    switch (draw(state, 8)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << draw(state, 8));
        break;
    case 1:
        memcpy(bytes + at, &number, size - at < sizeof number ? size - at : sizeof number);
        break;
    case 2:
        memcpy(bytes + at, text, size - at < strlen(text) ? size - at : strlen(text));
        break;
    case 3:
        header->raw_length = (uint32_t)at;
        break;
    case 4:
        header->rows = draw(state, 2) ? header->rows + (uint32_t)draw(state, 3) - 1
                                      : (uint32_t)draw(state, PM_BLOCK_ROWS_MAX + 1);
        break;
    default:
        header->raw_length =
            (uint32_t)put_varint(bytes, size, at, draw(state, 2) ? number : draw(state, 2000));
    }
}

/* The payload as it was before it was packed; false: it cannot be had, or not in `room`. */
static bool unpack(const struct pm_block_header *header, const uint8_t *stored, size_t size,
                   uint8_t *to, size_t room)
{
    if (header->stored_length > size || header->raw_length > room)
        return false;
    if (header->flags & PM_BLOCK_FLAG_LZ4)
        return LZ4_decompress_safe((const char *)stored, (char *)to, (int)header->stored_length,
                                   (int)header->raw_length) == (int)header->raw_length;
    if (header->raw_length != header->stored_length)
        return false;
    memcpy(to, stored, header->raw_length);
    return true;
}

static void put_block(struct pm_block_header *header, uint8_t *to)
{
    header->flags = 0;
    header->stored_length = header->raw_length;
    memset(to + PM_BLOCK_HEADER_SIZE + header->stored_length, 0,
           pm_block_size(header->stored_length) - PM_BLOCK_HEADER_SIZE - header->stored_length);
    pm_block_header_encode(header, to + PM_BLOCK_HEADER_SIZE, to);
}

/* A chunk of so many bytes, its head before them. */
static void put_head(struct pm_block_header *header, uint8_t *to, uint64_t size, uint64_t *state)
{
    uint8_t *payload = to + PM_BLOCK_HEADER_SIZE;
    pm_put_u64(payload, size);
    pm_put_u64(payload + 8, size);
    if (draw(state, 6) == 0) /* times, waits, the pair of clocks */
        pm_put_u64(payload + 16 + 8 * draw(state, 5), extreme(state));
    put_block(header, to);
}

size_t repair_reshaped(const uint8_t *data, size_t size, uint8_t *to, size_t room, uint64_t *state)
{
    if (size < PM_FILE_HEADER_SIZE || room < size)
        return 0;
    memset(to, 0, PM_FILE_HEADER_SIZE);
    pm_file_header_encode(&(struct pm_file_header){.version = 1,
                                                   .header_size = PM_FILE_HEADER_SIZE,
                                                   .file_id = pm_get_u64(data + 24),
                                                   .sequence = 1,
                                                   .state = PM_FILE_STATE_CLOSED},
                          to);
    uint32_t changed = UINT32_C(1) << draw(state, 32) | UINT32_C(1) << draw(state, 13);
    uint64_t rarely = 1 + draw(state, 6);
    struct pm_block_header head, header;
    size_t head_at = 0, end = PM_FILE_HEADER_SIZE;
    uint32_t index = 0;
    for (size_t at = PM_FILE_HEADER_SIZE, next; at + PM_BLOCK_HEADER_SIZE <= size; at = next) {
        next = at + PM_BLOCK_ALIGNMENT;
        if (room - end < CHANGED_MOST || !pm_block_header_decode(data + at, &header) ||
            !unpack(&header, data + at + PM_BLOCK_HEADER_SIZE, size - at - PM_BLOCK_HEADER_SIZE,
                    to + end + PM_BLOCK_HEADER_SIZE, room - end - CHANGED_MOST))
            continue;
        next = at + pm_block_size(header.stored_length);
        bool begins = header.type == PM_BLOCK_CHUNK && header.raw_length == PM_CHUNK_HEAD_PAYLOAD;
        if (begins) {
            if (head_at > 0)
                put_head(&head, to + head_at, end - head_at, state);
            head = header;
            head_at = end;
            index = 0;
        } else if (header.type < 32 && changed >> header.type & 1 && draw(state, rarely) == 0) {
            for (uint64_t left = 1 + draw(state, CHANGES); left > 0; left--)
                change(&header, to + end + PM_BLOCK_HEADER_SIZE, state);
        }
        size_t whole = pm_block_size(header.raw_length);
        uint64_t times = begins || draw(state, 40) > 0 ? 1 : 2 * draw(state, 2);
        for (uint64_t i = 0; i < times && head_at > 0 && room - end >= whole; i++) {
            if (i > 0)
                memcpy(to + end, to + end - whole, whole);
            header.index = index++;
            put_block(&header, to + end);
            end += whole;
        }
    }
    if (head_at > 0)
        put_head(&head, to + head_at, end - head_at, state);
    return end;
}
