/* Any bytes as a recording: read whole and copied. Must not crash, hang or run out of memory, and
 * what is delivered keeps the reader's promises. libc only, for libFuzzer:
 *
 *   clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. tests/fuzz/reader.c \
 *         tests/format/repair.c format/[a-z]*.c -llz4 -o fuzz-reader
 */
#include <stdlib.h>
#include <string.h>

#include "format/copy.h"
#include "format/reader.h"
#include "tests/format/repair.h"
#include "tests/format/in-memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sink; /* every value delivered is touched */

/* The reader promises more than not to crash. */
static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool is_time(int64_t ns)
{
    return ns >= 0 && ns < INT64_C(1) << 62;
}

static int on_class(void *context, const struct pm_class *value)
{
    for (uint32_t i = 0; i < value->name.length; i++)
        sink += (uint8_t)value->name.bytes[i];
    return 0;
}
static int on_method(void *context, const struct pm_method *value)
{
    for (uint32_t i = 0; i < value->file.length; i++)
        sink += (uint8_t)value->file.bytes[i];
    sink += value->name.length;
    return 0;
}
static int on_chain(void *context, const struct pm_chain *value)
{
    for (uint32_t i = 0; i < value->n_frames; i++)
        sink += value->frames[i].method.n + (uint32_t)value->frames[i].line;
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
        promise(c->kind[i] < PM_N_KINDS && c->wake_cause[i] < PM_N_WAKE_CAUSES);
        promise(is_time(c->begin_ns[i]) && is_time(c->duration_ns[i]) && is_time(c->wake_ns[i]));
        promise(c->thread[i] != 0 && c->blocker[i] != 0);
        sink += (uint64_t)c->wake_ns[i] + c->blocker[i] + c->chain[i] + c->owner[i] + c->waker[i] +
                c->waker_chain[i] + (uint32_t)c->aqs_state[i] + c->flags[i];
    }
    return 0;
}
static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    promise(is_time(at_ns));
    for (size_t i = 0; i < n; i++) {
        promise(is_time(waits[i].begin_ns) && is_time(waits[i].duration_ns));
        sink += (uint64_t)waits[i].begin_ns;
    }
    return 0;
}
static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->n_counters; i++)
        sink += (uint64_t)snapshot->counters[i].times;
    return 0;
}
static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    promise(is_time(sample->at_ns));
    sink += sample->owner_state + sample->role + sample->weight;
    return 0;
}
static int on_span(void *context, const struct pm_span *span)
{
    promise(is_time(span->begin_ns) && is_time(span->end_ns));
    sink += span->kind;
    return 0;
}
static int on_census(void *context, const struct pm_census_row *row)
{
    promise(is_time(row->since_ns) && is_time(row->at_ns) && row->since_ns <= row->at_ns);
    promise(is_time(row->cpu_ns) && is_time(row->run_delay_ns));
    sink += row->thread.n;
    return 0;
}
static int on_reached(void *context, const struct pm_reached *value)
{
    sink += value->chain.n + value->field.n;
    return 0;
}
static int on_gap(void *context, const struct pm_gap *gap)
{
    promise(is_time(gap->begin_ns) && is_time(gap->end_ns) && is_time(gap->thread_time_ns));
    sink += gap->reason;
    return 0;
}
static int on_allocation(void *context, const struct pm_allocation *allocation)
{
    promise(is_time(allocation->at_ns) && is_time(allocation->size_bytes));
    promise(allocation->halvings <= PM_HALVINGS_MAX);
    sink += allocation->thread.n;
    return 0;
}
static int on_live(void *context, const struct pm_live_objects *live)
{
    for (size_t i = 0; i < live->n; i++)
        on_allocation(context, &live->objects[i]);
    return 0;
}
static int on_memory(void *context, const struct pm_memory_snapshot *snapshot)
{
    promise(is_time(snapshot->head.at_ns) && is_time(snapshot->head.total.bytes));
    for (size_t i = 0; i < snapshot->n_cells; i++)
        promise(is_time(snapshot->cells[i].live.bytes_error));
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
    static const struct pm_visitor visitor = PM_VISITOR_OF_ALL(NULL);
    struct pm_source source;
    struct pm_reader *reader;
    struct pm_error_info info;
    if (pm_source_from_memory(data, size, &source) != PM_OK)
        return;
    if (pm_reader_open(source, &reader, &info) != PM_OK) {
        source.close(source.context);
        return;
    }
    sink += pm_reader_info(reader)->facts.jvm.length;
    promise(is_time(pm_reader_info(reader)->facts.begin_ns));
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        promise(chunk->begin_ns >= 0 && chunk->begin_ns <= chunk->end_ns);
        promise(is_time(chunk->clock.monotonic_ns));
        int64_t end_ns = 0;
        pm_reader_read_chunk(reader, i, &visitor, &end_ns, &info);
        promise(end_ns >= 0);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_everything(data, size);
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy && size > 0) {
        memcpy(copy, data, size);
        repair_checksums(copy, size);
        read_everything(copy, size);
    }
    free(copy);
    return 0;
}
