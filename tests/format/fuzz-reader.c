/* One input of a fuzzer: any bytes as a recording. Must not crash, hang or run out of memory.
 *
 * For libFuzzer:
 *   clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. tests/format/fuzz-reader.c \
 *         format/[a-z]*.c -llz4 -o fuzz-reader
 * test-fuzz replays a few thousand inputs with every run of the tests. */
#include <stdlib.h>
#include <string.h>

#include "format/block.h"
#include "format/copy.h"
#include "format/reader.h"
#include "format/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sink; /* every value delivered is touched */

static int on_class(void *context, const struct pm_class *value)
{
    for (uint32_t i = 0; i < value->name.length; i++) {
        sink += (uint8_t)value->name.bytes[i];
    }
    return 0;
}
static int on_method(void *context, const struct pm_method *value)
{
    for (uint32_t i = 0; i < value->file.length; i++) {
        sink += (uint8_t)value->file.bytes[i];
    }
    sink += value->name.length;
    return 0;
}
static int on_chain(void *context, const struct pm_chain *value)
{
    for (uint32_t i = 0; i < value->n_frames; i++) {
        sink += value->frames[i].method.n + (uint32_t)value->frames[i].line;
    }
    return 0;
}
static int on_thread(void *context, const struct pm_thread *value)
{
    sink += value->is_virtual + value->is_daemon + value->name.length;
    return 0;
}
static int on_blocker(void *context, const struct pm_blocker *value)
{
    sink += value->hash;
    return 0;
}
static int on_waits(void *context, const struct pm_wait_columns *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->kind[i] >= PM_N_KINDS || c->wake_cause[i] >= PM_N_WAKE_CAUSES ||
            c->begin_ns[i] < 0 || c->duration_ns[i] < 0 || c->thread[i] == 0) {
            abort(); /* the reader promises more than not to crash */
        }
        sink += (uint64_t)c->wake_ns[i] + c->blocker[i] + c->chain[i] + c->owner[i] + c->waker[i] +
                c->waker_chain[i] + (uint32_t)c->aqs_state[i] + c->flags[i];
    }
    return 0;
}
static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    for (size_t i = 0; i < n; i++) {
        sink += (uint64_t)waits[i].begin_ns;
    }
    return 0;
}
static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->n_counters; i++) {
        sink += (uint64_t)snapshot->counters[i].times;
    }
    return 0;
}
static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    sink += sample->owner_state;
    return 0;
}
static int on_span(void *context, const struct pm_span *span)
{
    sink += span->kind;
    return 0;
}
static int on_gap(void *context, const struct pm_gap *gap)
{
    sink += gap->reason;
    return 0;
}
static int on_footer(void *context, const struct pm_footer *footer)
{
    sink += (uint64_t)footer->waits;
    return 0;
}
static int on_damage(void *context, const struct pm_damage *damage)
{
    sink += strlen(damage->text);
    return 0;
}

static void read_everything(const uint8_t *data, size_t size)
{
    static const struct pm_visitor visitor = {
        NULL,        on_class,    on_method,       on_chain, on_thread, on_blocker, on_waits,
        on_progress, on_snapshot, on_owner_sample, on_span,  on_gap,    on_footer,  on_damage,
    };
    struct pm_source source;
    struct pm_reader *reader;
    struct pm_verify_result verified;
    struct pm_error_info info;
    if (pm_source_from_memory(data, size, &source) != PM_OK) {
        return;
    }
    pm_verify(source, &verified, &info);
    if (pm_reader_open(source, &reader, &info) != PM_OK) {
        source.close(source.context);
        return;
    }
    sink += pm_reader_info(reader)->facts.jvm.length;
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        int64_t end_ns;
        pm_reader_read_chunk(reader, i, &visitor, &end_ns, &info);
    }
    struct pm_memory *memory;
    if (pm_memory_new(0, &memory) == PM_OK) {
        struct pm_copy_result copied;
        pm_copy(reader, 1, pm_memory_sink(memory), &copied, &info);
        pm_memory_free(memory);
    }
    pm_reader_refresh(reader, &info);
    pm_reader_free(reader);
}

/* Gives header and blocks right checksums, so that what is behind them is reached. */
static void repair(uint8_t *data, size_t size)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_everything(data, size);
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy != NULL && size > 0) {
        memcpy(copy, data, size);
        repair(copy, size);
        read_everything(copy, size);
    }
    free(copy);
    return 0;
}
