/* What the rows of a block are made of, as tables: where each number lies in its struct, how large
 * it may be, and of what it is the id. The encoder and the decoder of columns (rows), the writer,
 * which defines what rows mention, and verify, which looks whether it did, read them. Waits are not
 * among them but for their ids: they are many, and have code of their own. Inside format/ only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/block.h"

/* Tags of docs/format.md §4.3; 0 = nothing that is defined. */
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
    uint8_t tag;     /* enum pm_definition_tag of an id, else 0 */
    bool required;   /* it is not 0 */
    uint16_t before; /* 1 + the offset of the number that it is stored as the distance to, and is
                      * not above; 0 = it is stored itself */
    uint64_t max;    /* of what it may be; signed numbers are never negative */
};

struct pm_fields {
    enum pm_block_type type;
    size_t row_size; /* of the struct */
    size_t n;
    const struct pm_field *fields; /* in the order of their columns */
};

/* NULL: rows of that type are not stored as these tables say. */
const struct pm_fields *pm_fields_of(enum pm_block_type type);
/* The numbers of a struct pm_memory_head, in the order stored. */
extern const struct pm_fields pm_memory_head_fields;
/* The ids of a struct pm_wait. */
extern const struct pm_fields pm_wait_ids;

/* Whether each number of `n` rows is one that a file may hold. */
bool pm_fields_valid(const struct pm_fields *fields, const void *rows, size_t n);

uint64_t pm_field_get(const struct pm_field *field, const void *row);
void pm_field_set(const struct pm_field *field, void *row, uint64_t value);
