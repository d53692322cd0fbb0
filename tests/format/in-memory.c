#include "tests/format/in-memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct borrowed {
    const uint8_t *bytes;
    size_t size;
};

static int read_range(const uint8_t *bytes, size_t have, uint64_t offset, void *to, size_t size)
{
    if (offset > have || size > have - offset)
        return PM_ERROR_TRUNCATED;
    if (size > 0)
        memcpy(to, bytes + offset, size);
    return PM_OK;
}

static int borrowed_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct borrowed *b = context;
    return read_range(b->bytes, b->size, offset, bytes, size);
}

static int borrowed_size(void *context, uint64_t *ret_size)
{
    *ret_size = ((const struct borrowed *)context)->size;
    return PM_OK;
}

int pm_source_from_memory(const void *bytes, size_t size, struct pm_source *ret_source)
{
    struct borrowed *b = malloc(sizeof *b);
    if (!b)
        return PM_ERROR_MEMORY;
    *b = (struct borrowed){bytes, size};
    *ret_source = (struct pm_source){b, borrowed_read_at, borrowed_size, free};
    return PM_OK;
}

struct pm_memory {
    uint8_t *bytes;
    size_t size, capacity;
    uint64_t written, fail_after;
};

int pm_memory_new(uint64_t fail_after, struct pm_memory **ret_memory)
{
    struct pm_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return PM_ERROR_MEMORY;
    memory->fail_after = fail_after;
    *ret_memory = memory;
    return PM_OK;
}

void pm_memory_free(struct pm_memory *memory)
{
    if (memory) {
        free(memory->bytes);
        free(memory);
    }
}

static int memory_grow(struct pm_memory *memory, uint64_t size)
{
    if (size <= memory->size)
        return PM_OK;
    if (size > SIZE_MAX / 4)
        return PM_ERROR_MEMORY;
    if (size > memory->capacity) {
        size_t capacity = memory->capacity < 4096 ? 4096 : memory->capacity;
        while (capacity < size)
            capacity *= 2;
        uint8_t *bytes = realloc(memory->bytes, capacity);
        if (!bytes)
            return PM_ERROR_MEMORY;
        memory->bytes = bytes;
        memory->capacity = capacity;
    }
    memset(memory->bytes + memory->size, 0, size - memory->size);
    memory->size = size;
    return PM_OK;
}

static int memory_write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct pm_memory *memory = context;
    if (memory->fail_after != 0 && memory->written >= memory->fail_after) {
        errno = ENOSPC;
        return PM_ERROR_IO;
    }
    if (offset > UINT64_MAX - size)
        return PM_ERROR_ARGUMENT;
    int result = memory_grow(memory, offset + size);
    if (result != PM_OK)
        return result;
    if (size > 0)
        memcpy(memory->bytes + offset, bytes, size);
    memory->written += size;
    return PM_OK;
}

static int memory_allocate(void *context, uint64_t size)
{
    return memory_grow(context, size);
}

static int memory_truncate(void *context, uint64_t size)
{
    struct pm_memory *memory = context;
    if (size > memory->size)
        return memory_grow(memory, size);
    memory->size = size;
    return PM_OK;
}

static int memory_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct pm_memory *memory = context;
    return read_range(memory->bytes, memory->size, offset, bytes, size);
}

static int memory_size(void *context, uint64_t *ret_size)
{
    *ret_size = ((const struct pm_memory *)context)->size;
    return PM_OK;
}

static void memory_close(void *context)
{
}

struct pm_sink pm_memory_sink(struct pm_memory *memory)
{
    return (struct pm_sink){
        memory, memory_write_at, memory_allocate, memory_truncate, memory_read_at, memory_close,
    };
}

struct pm_source pm_memory_source(struct pm_memory *memory)
{
    return (struct pm_source){memory, memory_read_at, memory_size, memory_close};
}

const void *pm_memory_bytes(const struct pm_memory *memory, size_t *ret_size)
{
    *ret_size = memory->size;
    return memory->bytes;
}
