/* The frame of a recording: file header, block headers, chunk heads. docs/format.md §2 and §3 are
 * the normative tables; tests/format/test-document.c compares its numbers with these. */
#pragma once

#include "format/record.h"
#include "format/wire.h"

#define PM_FILE_MAGIC          "\x89PARK\r\n\x1a"
#define PM_FORMAT_VERSION      1
#define PM_FILE_HEADER_SIZE    4096 /* where the first slot begins */
#define PM_FILE_HEADER_COPY    2048 /* the header's second copy */
#define PM_FILE_HEADER_FIELDS  128
#define PM_FILE_HEADER_MAX     (1u << 20) /* largest header_size a reader takes */
#define PM_COMPATIBLE_MEMORY   1u         /* blocks of allocations may occur */
#define PM_COMPATIBLE_KNOWN    1u
#define PM_INCOMPATIBLE_UNSEEN 1u /* missed events: PM_WAIT_AT_MOST, PM_GAP_UNSEEN may occur */
#define PM_INCOMPATIBLE_ROLES  2u /* rows of PM_BLOCK_OWNER_SAMPLES have a role and a weight */
#define PM_INCOMPATIBLE_KNOWN  3u
#define PM_FILE_STATE_CLOSED   1u
#define PM_BLOCK_MAGIC         0x424B5250u /* "PRKB" */
#define PM_BLOCK_HEADER_SIZE   48
#define PM_BLOCK_ALIGNMENT     8
#define PM_BLOCK_RAW_MAX       (4u << 20) /* decoded payload */
#define PM_BLOCK_STORED_MAX    (4u << 20) /* stored payload */
#define PM_BLOCK_ROWS_MAX      (1u << 16)
#define PM_BLOCK_FLAG_LZ4      1u
#define PM_BLOCK_FLAGS_KNOWN   1u
#define PM_CHUNK_HEAD_PAYLOAD  64
#define PM_CHUNK_HEAD_SIZE     (PM_BLOCK_HEADER_SIZE + PM_CHUNK_HEAD_PAYLOAD)
#define PM_CHUNK_FLAG_CLOSED   1u
#define PM_CHUNK_FLAG_OVERVIEW 2u
#define PM_CHUNK_FLAGS_KNOWN   3u
#define PM_SLOT_SIZE_MIN       (64u << 10)
#define PM_SLOT_SIZE_MAX       (64u << 20)
#define PM_SLOTS_MAX           (1u << 20)

enum pm_block_type {
    PM_BLOCK_CHUNK = 1,
    PM_BLOCK_FACTS = 2,
    PM_BLOCK_DEFINITIONS = 3,
    PM_BLOCK_WAITS = 4,
    PM_BLOCK_PROGRESS = 5,
    PM_BLOCK_SNAPSHOT = 6,
    PM_BLOCK_OWNER_SAMPLES = 7,
    PM_BLOCK_SPANS = 8,
    PM_BLOCK_GAPS = 9,
    PM_BLOCK_FOOTER = 10,
    PM_BLOCK_CENSUS = 11,
    PM_BLOCK_REACHED = 12,
    /* 16 to 19 are reserved for later use; current readers skip them. */
    PM_BLOCK_TIME_INDEX = 16,
    PM_BLOCK_HOLDS = 17,
    PM_BLOCK_WAKES = 18,
    PM_BLOCK_ALLOCATION_SITES = 19,
    PM_BLOCK_ALLOCATIONS = 20,
    PM_BLOCK_MEMORY_SNAPSHOT = 21,
    PM_BLOCK_LIVE_OBJECTS = 22,
};

struct pm_file_header {
    uint16_t version;
    uint32_t header_size;
    uint32_t compatible, incompatible;
    uint64_t file_id;
    uint64_t max_size;  /* 0: compact, chunks follow one another */
    uint32_t slot_size; /* 0 when compact */
    uint32_t n_slots;   /* 0 when compact */
    uint64_t sequence;  /* of this writing; the valid copy with the highest number counts */
    uint32_t state;
    uint64_t end; /* minimum size of the file; 0 = not known */
};

void pm_file_header_encode(const struct pm_file_header *header, uint8_t to[PM_FILE_HEADER_FIELDS]);
/* PM_ERROR_NOT_A_RECORDING, _NEWER, _CHECKSUM, _MALFORMED. */
int pm_file_header_decode(const uint8_t from[PM_FILE_HEADER_FIELDS],
                          struct pm_file_header *ret_header);

struct pm_block_header {
    uint8_t type;
    uint8_t flags;
    uint64_t file_id;
    uint64_t chunk;
    uint32_t index; /* 0 = the chunk's head */
    uint32_t raw_length, stored_length;
    uint32_t rows;
    uint64_t checksum;
};

/* The size of a block in the file: header, payload, zeros up to the alignment. */
static inline uint64_t pm_block_size(uint64_t stored_length)
{
    uint64_t size = PM_BLOCK_HEADER_SIZE + stored_length;
    return (size + PM_BLOCK_ALIGNMENT - 1) & ~(uint64_t)(PM_BLOCK_ALIGNMENT - 1);
}

/* Writes the header before `payload` (stored_length bytes), checksum included. */
void pm_block_header_encode(const struct pm_block_header *header, const uint8_t *payload,
                            uint8_t to[PM_BLOCK_HEADER_SIZE]);
/* Parses the header and checks what can be checked without the payload: magic, lengths within their
 * limits, reserved bits zero. False: not a block. */
bool pm_block_header_decode(const uint8_t from[PM_BLOCK_HEADER_SIZE],
                            struct pm_block_header *ret_header);
/* The checksum of header and payload as the block has them in the file. */
uint64_t pm_block_checksum(const uint8_t header[PM_BLOCK_HEADER_SIZE], const uint8_t *payload,
                           size_t stored_length);

/* The first block of a chunk: rewritten in place at each flush, so that it always says how much of
 * the chunk is complete. */
struct pm_chunk_head {
    uint64_t file_id, number;
    uint64_t size; /* space that the chunk may fill, from its first byte */
    uint64_t used; /* bytes complete so far, including the head */
    int64_t begin_ns, end_ns;
    int64_t waits;
    struct pm_clock clock;
    uint32_t flags;
};

void pm_chunk_head_encode(const struct pm_chunk_head *head, uint8_t to[PM_CHUNK_HEAD_SIZE]);
/* PM_ERROR_TRUNCATED: all bytes are zero, an empty slot. PM_ERROR_CHECKSUM, _MALFORMED. */
int pm_chunk_head_decode(const uint8_t from[PM_CHUNK_HEAD_SIZE], uint64_t file_id,
                         struct pm_chunk_head *ret_head);
