/* Tables of the fields of each block type: the offset of each number in its struct, how large it
 * may be, and what it is the id of. Used by the encoder and decoder of columns (rows), by the
 * writer, which defines what rows refer to, and by verify, which checks that. Of waits only the ids
 * are listed: there are many waits, so they have their own code. Inside format/ only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/block.h"

/* Tags of docs/format.md §4.3; 0 = not an id. */
enum pm_definition_tag {
    PM_DEFINE_CLASS = 1,
    PM_DEFINE_METHOD = 2,
    PM_DEFINE_CHAIN = 3,
    PM_DEFINE_THREAD = 4,
    PM_DEFINE_BLOCKER = 5,
};

struct pm_field {
    uint16_t offset;
    uint8_t size;    /* bytes: 1, 2, 4 or 8 */
    uint8_t tag;     /* enum pm_definition_tag for an id, otherwise 0 */
    bool required;   /* it is not 0 */
    uint16_t before; /* 1 + the offset of the number, never smaller, that it is stored relative to;
                      * 0 = stored as is */
    uint64_t max;    /* of what it may be; signed numbers are never negative */
};

struct pm_fields {
    enum pm_block_type type;
    size_t row_size; /* of the struct */
    size_t n;
    const struct pm_field *fields; /* in the order of their columns */
};

/* NULL: these tables do not describe rows of that type. */
const struct pm_fields *pm_fields_of(enum pm_block_type type);
/* The numbers of a struct pm_memory_head, in the order stored. */
extern const struct pm_fields pm_memory_head_fields;
/* The ids of a struct pm_wait. */
extern const struct pm_fields pm_wait_ids;

/* Whether each number of `n` rows is one that a file may hold. */
bool pm_fields_valid(const struct pm_fields *fields, const void *rows, size_t n);

uint64_t pm_field_get(const struct pm_field *field, const void *row);
void pm_field_set(const struct pm_field *field, void *row, uint64_t value);
