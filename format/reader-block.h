/* Shared by the reader, verify and copy: blocks one by one, as stored. Inside format/ only. */
#pragma once

#include "format/block.h"
#include "format/reader.h"

/* Private memory to which a block is copied before it is validated. */
struct pm_block_buffer {
    uint8_t *stored, *raw;
    size_t stored_capacity, raw_capacity;
};
void pm_block_buffer_clear(struct pm_block_buffer *buffer);

/* Reads the payload of the block whose header `bytes` lies at `offset` and checks it:
 * PM_ERROR_CHECKSUM, _TRUNCATED, _IO, _MEMORY. */
int pm_block_read(const struct pm_source *source, uint64_t offset,
                  const uint8_t bytes[PM_BLOCK_HEADER_SIZE], const struct pm_block_header *header,
                  struct pm_block_buffer *buffer);
/* A cursor over the decoded payload; PM_COLUMN_SLACK zero bytes follow it. PM_ERROR_MALFORMED. */
int pm_block_unpack(const struct pm_block_header *header, struct pm_block_buffer *buffer,
                    struct pm_cursor *ret_cursor);

/* Visits every intact block of a chunk except its head, in file order, including types of later
 * versions; the stored payload is in `buffer->stored`. With `decode` the block is then decoded for
 * the visitor, whose `on_damage` is called either way. Otherwise as pm_reader_read_chunk;
 * `ret_head` is the chunk's head as it was when the walk began (or what is known about it, if it is
 * damaged). */
struct pm_block_walk {
    void *context;
    int (*on_block)(void *context, uint64_t offset, const struct pm_block_header *header,
                    const struct pm_block_buffer *buffer);
    bool decode;
};
int pm_reader_walk_chunk(struct pm_reader *reader, size_t index, const struct pm_block_walk *walk,
                         const struct pm_visitor *visitor, struct pm_chunk_head *ret_head,
                         struct pm_error_info *ret_info);

/* The file header that was last listed. */
const struct pm_file_header *pm_reader_header(const struct pm_reader *reader);
/* Bytes of a chunk that were complete when it was listed, including its head. */
uint64_t pm_reader_chunk_used(const struct pm_reader *reader, size_t index);
const struct pm_source *pm_reader_source(const struct pm_reader *reader);
