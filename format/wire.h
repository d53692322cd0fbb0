/* The encoding primitives below the blocks: little-endian integers, varints, a growing buffer for
 * writing and a bounds-checked cursor for reading. Inside format/ only. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void pm_put_u16(uint8_t *to, uint16_t value)
{
    value = htole16(value);
    memcpy(to, &value, sizeof value);
}
static inline void pm_put_u32(uint8_t *to, uint32_t value)
{
    value = htole32(value);
    memcpy(to, &value, sizeof value);
}
static inline void pm_put_u64(uint8_t *to, uint64_t value)
{
    value = htole64(value);
    memcpy(to, &value, sizeof value);
}
static inline uint16_t pm_get_u16(const uint8_t *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return le16toh(value);
}
static inline uint32_t pm_get_u32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return le32toh(value);
}
static inline uint64_t pm_get_u64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

static inline uint64_t pm_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}
static inline int64_t pm_unzigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

#define PM_VARINT_MAX 10 /* bytes of the longest varint */

/* LEB128: seven bits a byte, low first, the high bit means "more". Returns the position after it.
 */
static inline uint8_t *pm_put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* A growing buffer. A failed allocation sets `failed` and drops the bytes; the owner checks once at
 * the end. */
struct pm_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

static inline void pm_bytes_clear(struct pm_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct pm_bytes){0};
}

static inline void pm_bytes_reset(struct pm_bytes *bytes)
{
    bytes->size = 0;
    bytes->failed = false;
}

/* Makes room for `more` bytes and returns their position, NULL if out of memory. The caller adds
 * what it wrote to `size`. */
static inline uint8_t *pm_bytes_reserve(struct pm_bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->size < more) {
        size_t capacity = bytes->capacity < 1024 ? 1024 : bytes->capacity;
        while (capacity - bytes->size < more)
            capacity *= 2;
        uint8_t *data = (uint8_t *)realloc(bytes->data, capacity);
        if (!data) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->size;
}

static inline void pm_bytes_add(struct pm_bytes *bytes, const void *data, size_t size)
{
    uint8_t *to = pm_bytes_reserve(bytes, size);
    if (to && size > 0) {
        memcpy(to, data, size);
        bytes->size += size;
    }
}

static inline void pm_bytes_add_u8(struct pm_bytes *bytes, uint8_t value)
{
    pm_bytes_add(bytes, &value, 1);
}

static inline void pm_bytes_add_varint(struct pm_bytes *bytes, uint64_t value)
{
    uint8_t *to = pm_bytes_reserve(bytes, PM_VARINT_MAX);
    if (to)
        bytes->size += (size_t)(pm_put_varint(to, value) - to);
}

/* Reads never pass `end`: one that would sets `bad` and returns 0. */
struct pm_cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline size_t pm_cursor_left(const struct pm_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static inline uint8_t pm_cursor_u8(struct pm_cursor *cursor)
{
    if (cursor->at >= cursor->end) {
        cursor->bad = true;
        return 0;
    }
    return *cursor->at++;
}

static inline uint64_t pm_cursor_varint(struct pm_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = pm_cursor_u8(cursor);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cursor->bad = true;
    return 0;
}

/* A varint that must fit 32 bits. */
static inline uint32_t pm_cursor_varint32(struct pm_cursor *cursor)
{
    uint64_t value = pm_cursor_varint(cursor);
    if (value > UINT32_MAX) {
        cursor->bad = true;
        return 0;
    }
    return (uint32_t)value;
}

static inline const uint8_t *pm_cursor_take(struct pm_cursor *cursor, size_t size)
{
    if (size > pm_cursor_left(cursor)) {
        cursor->bad = true;
        return NULL;
    }
    const uint8_t *at = cursor->at;
    cursor->at += size;
    return at;
}
