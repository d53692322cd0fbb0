#include "format/writer.h"

#include <lz4.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "format/block.h"
#include "format/idset.h"
#include "format/rows.h"
#include "format/slots.h"

#define COMPACT_CHUNK_SIZE (4u << 20)
#define BLOCK_WAITS        4096
#define OTHER_ROWS         256 /* samples, spans, gaps, census rows gathered before they become a block */
#define N_REDEFINED        64   /* threads; of more, the others are told at their next use */
#define SNAPSHOT_ROWS      4096 /* rows of one snapshot block, or of a listing of live objects */
#define PARENT_DEPTH       8
#define END_ROW_BYTES      40  /* what a row of an END snapshot takes at most, as a rule */
#define FOOTER_ROOM        256 /* kept free in every chunk: its footer always fits */

/* A chunk that blocks are being added to. */
struct open_chunk {
    bool open;
    bool fresh; /* holds nothing but what opened it */
    bool overview;
    uint64_t offset; /* in the file */
    struct pm_chunk_head head;
    uint32_t n_blocks;
    uint32_t n_blockers;     /* defined in it: as many rows its END snapshot may have */
    int64_t thread_time_ns;  /* of its waits */
    struct pm_idset defined; /* tag << 32 | id */
};

/* While a callback opens or closes a chunk, what it adds stays in that chunk: a second chunk begun
 * from within would never end. */
enum phase { PHASE_NORMAL, PHASE_OPENING, PHASE_CLOSING };

/* Blocks whose rows are added one by one, in the order they are stored. */
static const enum pm_block_type other_types[] = {
    PM_BLOCK_OWNER_SAMPLES, PM_BLOCK_SPANS, PM_BLOCK_GAPS, PM_BLOCK_CENSUS, PM_BLOCK_ALLOCATIONS};
#define N_OTHERS (sizeof other_types / sizeof other_types[0])

/* Rows of one kind on their way into a block. */
struct batch {
    enum pm_block_type type;
    const void *rows;
    size_t n, each;
    enum pm_snapshot_place place;
    bool complete;
    int64_t at_ns;
    const struct pm_memory_head *memory;
};

struct pm_writer {
    struct pm_sink sink;
    struct pm_dictionary dictionary;
    struct pm_writer_options options;
    struct pm_file_header header;
    struct pm_slots slots;
    struct open_chunk data, overview;
    enum phase phase;
    uint64_t last_number;
    uint64_t end;          /* of what was written: where a compact file's next chunk begins */
    uint64_t evicted;      /* data chunks that made room */
    uint64_t last_closing; /* bytes that the last chunk's END snapshot took */
    int64_t last_end_ns;   /* of the last data chunk: the next one's begin */
    int64_t first_begin_ns;
    bool with_overview; /* a rolling file's footers and END snapshots are kept a second time */
    bool failing;       /* the sink's last write failed, and a caller was told */
    bool has_sink;

    struct pm_bytes facts;       /* payload, the same for each chunk */
    struct pm_bytes definitions; /* payload of the next definitions block */
    uint32_t n_definitions;
    struct pm_bytes reached; /* payload of the block that tells of the chains among them */
    uint32_t n_reached;
    pm_thread_id redefined[N_REDEFINED]; /* to be among the next definitions */
    size_t n_redefined;
    struct {
        uint64_t *keys;
        size_t n, capacity;
    } pending; /* keys in `definitions`, to take back when they could not be stored */
    struct pm_bytes raw, out;
    struct pm_rows_scratch scratch;
    void *lz4;

    struct pm_wait *waits;
    size_t n_waits, block_waits;
    struct gathered {
        const struct pm_fields *fields;
        size_t n;
        union {
            struct pm_owner_sample samples[OTHER_ROWS];
            struct pm_span spans[OTHER_ROWS];
            struct pm_gap gaps[OTHER_ROWS];
            struct pm_census_row census[OTHER_ROWS];
            struct pm_allocation allocations[OTHER_ROWS];
        } rows;
    } others[N_OTHERS];
    struct pm_gap lost[PM_N_GAP_REASONS]; /* to be told once the sink works: waits and gaps that
                                             met a failing one */
    struct pm_gap told[PM_N_GAP_REASONS]; /* in this file … */
    struct pm_gap left[PM_N_GAP_REASONS]; /* … and with files that were given up: to be told in the
                                             next, with the waits they held */
    struct pm_writer_stats stats;
};

/* ---- the sink ---- */

static int write_at(struct pm_writer *w, uint64_t offset, const void *bytes, size_t size)
{
    if (!w->has_sink)
        return PM_ERROR_IO;
    int result = w->sink.write_at(w->sink.context, offset, bytes, size);
    if (result == PM_OK) {
        w->failing = false;
        if (offset + size > w->end)
            w->end = offset + size;
    }
    return result;
}

/* The first failure of a row of them is the caller's to hear; the rest are in the statistics. */
static int report(struct pm_writer *w, int result)
{
    if (result == PM_ERROR_IO) {
        if (w->failing)
            return PM_OK;
        w->failing = true;
    }
    return result;
}

static int write_header(struct pm_writer *w)
{
    uint8_t fields[PM_FILE_HEADER_FIELDS];
    w->header.sequence++;
    pm_file_header_encode(&w->header, fields);
    int result = write_at(w, PM_FILE_HEADER_COPY, fields, sizeof fields);
    return result == PM_OK ? write_at(w, 0, fields, sizeof fields) : result;
}

static int write_head(struct pm_writer *w, struct open_chunk *c)
{
    uint8_t head[PM_CHUNK_HEAD_SIZE];
    pm_chunk_head_encode(&c->head, head);
    return write_at(w, c->offset, head, sizeof head);
}

/* ---- definitions ---- */

static uint64_t definition_key(enum pm_definition_tag tag, uint32_t id)
{
    return (uint64_t)tag << 32 | id;
}

static void forget_definitions(struct pm_writer *w)
{
    w->pending.n = 0;
    w->n_definitions = w->n_reached = 0;
    pm_bytes_reset(&w->definitions);
    pm_bytes_reset(&w->reached);
}

static void take_back_pending(struct pm_writer *w, struct open_chunk *c)
{
    for (size_t i = 0; i < w->pending.n; i++)
        pm_idset_remove(&c->defined, w->pending.keys[i]);
    forget_definitions(w);
}

/* True when the chunk lacks the definition, which then counts as given. */
static bool lacks(struct pm_writer *w, struct open_chunk *c, enum pm_definition_tag tag,
                  uint32_t id)
{
    uint64_t key = definition_key(tag, id);
    if (id == 0 || pm_idset_has(&c->defined, key))
        return false;
    if (w->pending.n == w->pending.capacity) {
        size_t capacity = w->pending.capacity == 0 ? 256 : w->pending.capacity * 2;
        uint64_t *keys = realloc(w->pending.keys, capacity * sizeof *keys);
        if (!keys) {
            w->definitions.failed = true;
            return false;
        }
        w->pending.keys = keys;
        w->pending.capacity = capacity;
    }
    if (pm_idset_add(&c->defined, key) < 0) {
        w->definitions.failed = true;
        return false;
    }
    w->pending.keys[w->pending.n++] = key;
    w->n_definitions++;
    return true;
}

static const struct pm_text unknown_text = {"?", 1};

static void define_class(struct pm_writer *w, struct open_chunk *c, pm_class_id id)
{
    if (!lacks(w, c, PM_DEFINE_CLASS, id.n))
        return;
    struct pm_class value = {.id = id};
    if (w->dictionary.get_class(w->dictionary.context, id, &value) != PM_OK)
        value = (struct pm_class){.name = unknown_text};
    value.id = id;
    pm_rows_encode_class(&w->definitions, &value);
}

static void define_method(struct pm_writer *w, struct open_chunk *c, pm_method_id id)
{
    if (!lacks(w, c, PM_DEFINE_METHOD, id.n))
        return;
    struct pm_method value = {.id = id};
    if (w->dictionary.get_method(w->dictionary.context, id, &value) != PM_OK)
        value = (struct pm_method){.name = unknown_text, .file = {"", 0}};
    value.id = id;
    define_class(w, c, value.class_id);
    pm_rows_encode_method(&w->definitions, &value);
}

static void define_chain(struct pm_writer *w, struct open_chunk *c, pm_chain_id id)
{
    if (!lacks(w, c, PM_DEFINE_CHAIN, id.n))
        return;
    struct pm_chain value = {.id = id};
    if (w->dictionary.get_chain(w->dictionary.context, id, &value) != PM_OK)
        value = (struct pm_chain){0};
    value.id = id;
    for (uint32_t i = 0; i < value.n_frames && i < PM_FRAMES_MAX; i++)
        define_method(w, c, value.frames[i].method);
    pm_rows_encode_chain(&w->definitions, &value);
    if (value.field.n) {
        define_method(w, c, value.field);
        const struct pm_reached reached = {id, value.field_frame, value.field};
        pm_rows_encode_reached(&w->reached, &reached);
        w->n_reached++;
    }
}

static void define_thread(struct pm_writer *w, struct open_chunk *c, pm_thread_id id)
{
    if (!lacks(w, c, PM_DEFINE_THREAD, id.n))
        return;
    struct pm_thread value = {.id = id};
    if (w->dictionary.get_thread(w->dictionary.context, id, &value) != PM_OK)
        value = (struct pm_thread){.name = unknown_text};
    value.id = id;
    pm_rows_encode_thread(&w->definitions, &value);
}

static void define_blocker(struct pm_writer *w, struct open_chunk *c, pm_blocker_id id, int depth)
{
    if (!lacks(w, c, PM_DEFINE_BLOCKER, id.n))
        return;
    struct pm_blocker value = {.id = id};
    if (w->dictionary.get_blocker(w->dictionary.context, id, &value) != PM_OK)
        value = (struct pm_blocker){0};
    value.id = id;
    value.flags &= PM_BLOCKER_KNOWN_FLAGS;
    if (depth == 0 || value.parent.n == id.n)
        value.parent.n = 0;
    define_class(w, c, value.class_id);
    define_chain(w, c, value.first_chain);
    define_thread(w, c, value.first_thread);
    define_blocker(w, c, value.parent, depth - 1);
    pm_rows_encode_blocker(&w->definitions, &value);
}

/* `before`, the row before, spares the look-up of what both mention. */
static inline void define_wait(struct pm_writer *w, struct open_chunk *c,
                               const struct pm_wait *wait, const struct pm_wait *before)
{
    const size_t ids = offsetof(struct pm_wait, aqs_state) - offsetof(struct pm_wait, thread);
    if (memcmp(&wait->thread, &before->thread, ids) == 0)
        return;
    if (wait->thread.n != before->thread.n)
        define_thread(w, c, wait->thread);
    if (wait->blocker.n != before->blocker.n)
        define_blocker(w, c, wait->blocker, PARENT_DEPTH);
    if (wait->chain.n != before->chain.n)
        define_chain(w, c, wait->chain);
    if (wait->owner.n != before->owner.n)
        define_thread(w, c, wait->owner);
    if (wait->waker.n != before->waker.n)
        define_thread(w, c, wait->waker);
    if (wait->waker_chain.n != before->waker_chain.n)
        define_chain(w, c, wait->waker_chain);
}

static void define_waits(struct pm_writer *w, struct open_chunk *c, const struct pm_wait *waits,
                         size_t n)
{
    static const struct pm_wait none;
    for (size_t i = 0; i < n; i++)
        define_wait(w, c, &waits[i], i == 0 ? &none : &waits[i - 1]);
}

static void define(struct pm_writer *w, struct open_chunk *c, unsigned tag, uint32_t id)
{
    switch (tag) {
    case PM_DEFINE_CLASS:
        define_class(w, c, (pm_class_id){id});
        break;
    case PM_DEFINE_CHAIN:
        define_chain(w, c, (pm_chain_id){id});
        break;
    case PM_DEFINE_THREAD:
        define_thread(w, c, (pm_thread_id){id});
        break;
    case PM_DEFINE_BLOCKER:
        define_blocker(w, c, (pm_blocker_id){id}, PARENT_DEPTH);
        break;
    }
}

static void define_batch(struct pm_writer *w, struct open_chunk *c, const struct batch *b,
                         const void *rows)
{
    const struct pm_fields *fields = pm_fields_of(b->type);
    for (size_t i = 0; !c->overview && i < w->n_redefined; i++)
        define_thread(w, c, w->redefined[i]);
    if (b->type == PM_BLOCK_WAITS || b->type == PM_BLOCK_PROGRESS)
        define_waits(w, c, rows, b->n);
    for (size_t i = 0; fields && i < b->n; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * fields->row_size;
        for (size_t k = 0; k < fields->n; k++)
            if (fields->fields[k].tag != 0)
                define(w, c, fields->fields[k].tag,
                       (uint32_t)pm_field_get(&fields->fields[k], row));
    }
}

/* ---- blocks ---- */

/* `ret_rows`: the rows again, waits in the order stored. */
static int encode_batch(struct pm_writer *w, const struct batch *b, const void **ret_rows)
{
    const struct pm_wait *waits = b->rows;

    pm_bytes_reset(&w->raw);
    int result = PM_OK;
    if (b->type == PM_BLOCK_SNAPSHOT)
        pm_rows_encode_head(&w->raw, b->place, b->at_ns);
    if (b->type == PM_BLOCK_PROGRESS || b->type == PM_BLOCK_LIVE_OBJECTS)
        pm_rows_encode_head(&w->raw, b->complete, b->at_ns);
    if (b->type == PM_BLOCK_MEMORY_SNAPSHOT)
        pm_rows_encode_memory_head(&w->raw, b->memory);
    if (b->type == PM_BLOCK_FOOTER)
        pm_rows_encode_footer(&w->raw, b->rows);
    else if (b->type == PM_BLOCK_WAITS || b->type == PM_BLOCK_PROGRESS)
        result = pm_rows_encode_waits(&w->raw, b->rows, b->n, &w->scratch, &waits);
    else
        result = pm_rows_encode(&w->raw, b->type, b->rows, b->n, &w->scratch);
    *ret_rows = waits;
    return result != PM_OK ? result : w->raw.failed ? PM_ERROR_MEMORY : PM_OK;
}

/* Appends a whole block, header and zeros included, to w->out. Its payload is `raw`, or its LZ4
 * form when that is smaller. */
static int build_block(struct pm_writer *w, const struct open_chunk *c, uint32_t index,
                       enum pm_block_type type, uint32_t rows, const struct pm_bytes *raw)
{
    int bound = LZ4_compressBound((int)raw->size);
    uint8_t *to =
        pm_bytes_reserve(&w->out, PM_BLOCK_HEADER_SIZE + (size_t)bound + PM_BLOCK_ALIGNMENT);
    if (!to)
        return PM_ERROR_MEMORY;
    uint8_t *payload = to + PM_BLOCK_HEADER_SIZE;
    int stored = raw->size < 32
                     ? 0
                     : LZ4_compress_fast_extState(w->lz4, (const char *)raw->data, (char *)payload,
                                                  (int)raw->size, bound, 1);
    struct pm_block_header header = {
        .type = (uint8_t)type,
        .flags = PM_BLOCK_FLAG_LZ4,
        .file_id = w->header.file_id,
        .chunk = c->head.number,
        .index = index,
        .raw_length = (uint32_t)raw->size,
        .stored_length = (uint32_t)stored,
        .rows = rows,
    };
    if (stored <= 0 || (size_t)stored >= raw->size) {
        memcpy(payload, raw->data, raw->size);
        header.flags = 0;
        header.stored_length = (uint32_t)raw->size;
    }
    memset(payload + header.stored_length, 0, PM_BLOCK_ALIGNMENT);
    pm_block_header_encode(&header, payload, to);
    w->out.size += pm_block_size(header.stored_length);
    return PM_OK;
}

#define NO_ROOM 1 /* the chunk cannot take it; nothing was written */

/* How far blocks may fill the chunk now: what closes it must still fit, and what opens it must
 * leave room for what it was opened for. */
static uint64_t chunk_limit(const struct pm_writer *w, const struct open_chunk *c)
{
    uint64_t size = c->head.size - FOOTER_ROOM;
    if (c->overview || w->phase == PHASE_CLOSING)
        return size;
    if (w->phase == PHASE_OPENING)
        return size / 2;
    uint64_t closing = w->last_closing + w->last_closing / 4;
    uint64_t expected = (uint64_t)c->n_blockers * END_ROW_BYTES;
    closing = (closing > expected ? closing : expected) + size / 32;
    return size - (closing < size / 3 ? closing : size / 3);
}

/* A sum stays one that a reader takes, whatever it is made of. */
static void add_to(int64_t *sum, int64_t part)
{
    *sum = part < PM_TIME_LIMIT - 1 - *sum ? *sum + part : PM_TIME_LIMIT - 1;
}

static bool is_empty_gap(const struct pm_gap *gap)
{
    return gap->waits == 0 && gap->thread_time_ns == 0;
}

/* One gap of both. */
static void join_gaps(struct pm_gap *sum, const struct pm_gap *part)
{
    if (is_empty_gap(sum)) {
        *sum = *part;
        return;
    }
    sum->begin_ns = part->begin_ns < sum->begin_ns ? part->begin_ns : sum->begin_ns;
    sum->end_ns = part->end_ns > sum->end_ns ? part->end_ns : sum->end_ns;
    add_to(&sum->waits, part->waits);
    add_to(&sum->thread_time_ns, part->thread_time_ns);
}

/* To the sums of each reason. */
static void sum_gaps(struct pm_gap *sums, const struct pm_gap *gaps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_empty_gap(&gaps[i]))
            join_gaps(&sums[gaps[i].reason], &gaps[i]);
}

static void sum_waits(struct open_chunk *c, const struct pm_wait *waits, size_t n)
{
    int64_t end_ns = c->head.end_ns;
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t its_end_ns = waits[i].begin_ns + waits[i].duration_ns;
        end_ns = its_end_ns > end_ns ? its_end_ns : end_ns;
        sum += (uint64_t)waits[i].duration_ns;
    }
    c->head.end_ns = end_ns < PM_TIME_LIMIT ? end_ns : PM_TIME_LIMIT - 1; /* the next one's begin */
    add_to(&c->thread_time_ns, sum < PM_TIME_LIMIT ? (int64_t)sum : PM_TIME_LIMIT - 1);
}

static int store_block(struct pm_writer *w, struct open_chunk *c, const struct batch *b,
                       uint64_t limit)
{
    pm_bytes_reset(&w->out);
    if (w->definitions.failed || w->reached.failed)
        return PM_ERROR_MEMORY;
    if (w->raw.size > PM_BLOCK_RAW_MAX || w->definitions.size > PM_BLOCK_RAW_MAX ||
        w->reached.size > PM_BLOCK_RAW_MAX || w->n_definitions > PM_BLOCK_ROWS_MAX ||
        b->n > PM_BLOCK_ROWS_MAX)
        return NO_ROOM;
    uint32_t n_blocks = 0;
    int result = PM_OK;
    if (w->n_definitions > 0) {
        result = build_block(w, c, c->n_blocks + n_blocks++, PM_BLOCK_DEFINITIONS, w->n_definitions,
                             &w->definitions);
    }
    if (result == PM_OK && w->n_reached > 0) {
        result = build_block(w, c, c->n_blocks + n_blocks++, PM_BLOCK_REACHED, w->n_reached,
                             &w->reached);
    }
    size_t definition_bytes = w->out.size;
    if (result == PM_OK)
        result = build_block(w, c, c->n_blocks + n_blocks++, b->type, (uint32_t)b->n, &w->raw);
    if (result != PM_OK)
        return result;
    if (c->head.used + w->out.size > limit)
        return NO_ROOM;
    result = write_at(w, c->offset + c->head.used, w->out.data, w->out.size);
    if (result != PM_OK)
        return result;
    c->head.used += w->out.size;
    c->n_blocks += n_blocks;
    w->stats.stored_bytes += w->out.size;
    if (b->type == PM_BLOCK_WAITS) {
        w->stats.wait_bytes += w->out.size - definition_bytes;
        c->head.waits += (int64_t)b->n;
        sum_waits(c, b->rows, b->n);
    }
    if (b->type == PM_BLOCK_GAPS)
        sum_gaps(w->told, b->rows, b->n);
    for (size_t i = 0; i < w->pending.n; i++)
        c->n_blockers += w->pending.keys[i] >> 32 == PM_DEFINE_BLOCKER;
    forget_definitions(w);
    if (!c->overview)
        w->n_redefined = 0;
    return PM_OK;
}

static void count_lost(struct pm_writer *w, const struct batch *b)
{
    if (b->type == PM_BLOCK_GAPS) {
        sum_gaps(w->lost, b->rows, b->n);
        return;
    }
    w->stats.lost_rows += b->n;
    if (b->type != PM_BLOCK_WAITS)
        return;
    w->stats.lost_waits += b->n;
    const struct pm_wait *waits = b->rows;
    for (size_t i = 0; i < b->n; i++) {
        struct pm_gap gap = {waits[i].begin_ns, waits[i].begin_ns + waits[i].duration_ns,
                             PM_GAP_WRITE, 1, waits[i].duration_ns};
        join_gaps(&w->lost[PM_GAP_WRITE], &gap);
    }
}

static struct gathered *gathered_of(struct pm_writer *w, enum pm_block_type type)
{
    struct gathered *other = w->others;
    while (other->fields->type != type)
        other++;
    return other;
}

/* What is to be told of losses joins the gaps that were gathered. */
static void gather_gaps(struct pm_writer *w, struct pm_gap *sums)
{
    struct gathered *gaps = gathered_of(w, PM_BLOCK_GAPS);
    for (size_t i = 0; i < PM_N_GAP_REASONS && gaps->n < OTHER_ROWS; i++) {
        if (!is_empty_gap(&sums[i])) {
            gaps->rows.gaps[gaps->n++] = sums[i];
            sums[i] = (struct pm_gap){0};
        }
    }
}

static int open_chunk(struct pm_writer *w, struct open_chunk *c);
static int close_chunk(struct pm_writer *w, struct open_chunk *c);

/* Stores the batch in the chunk; begins the next one when it is full; splits the batch when even a
 * fresh chunk cannot take it whole. Rows that cannot be stored are counted. */
static int store_batch(struct pm_writer *w, struct open_chunk *c, const struct batch *b)
{
    int result;
    for (;;) {
        if (!c->open && (result = open_chunk(w, c)) != PM_OK) {
            count_lost(w, b);
            return result;
        }
        take_back_pending(w, c);
        const void *rows;
        result = encode_batch(w, b, &rows);
        if (result == PM_OK) {
            define_batch(w, c, b, rows);
            result = store_block(w, c, b, chunk_limit(w, c));
        }
        if (result == PM_OK) {
            c->fresh = c->fresh && w->phase == PHASE_OPENING;
            return PM_OK;
        }
        take_back_pending(w, c);
        if (result != NO_ROOM) {
            count_lost(w, b);
            return result;
        }
        if (c->fresh || (!c->overview && w->phase != PHASE_NORMAL))
            break;
        close_chunk(w, c); /* its failure shows again when the next one is opened */
    }
    if (b->n < 2) {
        count_lost(w, b);
        return PM_ERROR_LIMIT;
    }
    struct batch half = *b;
    half.n = b->n / 2;
    half.complete = false;
    result = store_batch(w, c, &half);
    struct batch rest = half;
    rest.complete = b->complete && b->type == PM_BLOCK_LIVE_OBJECTS; /* it ends a listing */
    rest.n = b->n - half.n;
    rest.rows = (const uint8_t *)b->rows + half.n * b->each;
    if (result != PM_OK) {
        count_lost(w, &rest);
        return result;
    }
    return store_batch(w, c, &rest);
}

/* ---- chunks ---- */

static int read_clock(const struct pm_writer *w, struct pm_clock *ret)
{
    if (w->options.clock)
        return w->options.clock(w->options.context, ret);
    struct timespec monotonic, real;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_REALTIME, &real);
    ret->monotonic_ns = monotonic.tv_sec * INT64_C(1000000000) + monotonic.tv_nsec;
    ret->unix_ns = real.tv_sec * INT64_C(1000000000) + real.tv_nsec;
    return PM_OK;
}

static uint64_t slot_offset(const struct pm_writer *w, uint32_t slot)
{
    return PM_FILE_HEADER_SIZE + (uint64_t)slot * w->slots.slot_size;
}

/* Takes a stored chunk out of the file: each of its slots begins with zeros, an empty one. */
static int evict(struct pm_writer *w, struct pm_stored_chunk *chunk)
{
    static const uint8_t zeros[PM_CHUNK_HEAD_SIZE];
    int result = PM_OK;
    for (uint32_t i = 0; i < chunk->n_slots && result == PM_OK; i++)
        result = write_at(w, slot_offset(w, chunk->slot + i), zeros, sizeof zeros);
    w->evicted += chunk->overview ? 0 : 1;
    pm_slots_remove(&w->slots, chunk);
    return result;
}

/* Where the next chunk goes. */
static int find_room(struct pm_writer *w, const struct open_chunk *c, uint32_t *ret_slot)
{
    int64_t slot;
    while ((slot = pm_slots_find(&w->slots, c->overview)) < 0) {
        struct pm_stored_chunk *victim = pm_slots_oldest(&w->slots, c->overview);
        if (!victim)
            return PM_ERROR_LIMIT;
        int result = evict(w, victim);
        if (result != PM_OK)
            return result;
    }
    *ret_slot = (uint32_t)slot;
    return PM_OK;
}

static int open_chunk(struct pm_writer *w, struct open_chunk *c)
{
    if (!w->has_sink)
        return PM_ERROR_IO;
    bool rolling = w->header.max_size != 0;
    uint32_t slot = 0;
    c->offset = (w->end + PM_BLOCK_ALIGNMENT - 1) & ~(uint64_t)(PM_BLOCK_ALIGNMENT - 1);
    if (rolling) {
        int result = find_room(w, c, &slot);
        if (result != PM_OK)
            return result;
        c->offset = slot_offset(w, slot);
    } else if (c->offset < PM_FILE_HEADER_SIZE) {
        c->offset = PM_FILE_HEADER_SIZE;
    }
    c->head = (struct pm_chunk_head){
        .file_id = w->header.file_id,
        .number = w->last_number + 1,
        .size = rolling ? w->slots.slot_size : w->options.slot_size,
        .used = PM_CHUNK_HEAD_SIZE,
        .begin_ns = w->last_end_ns,
        .end_ns = w->last_end_ns,
        .flags = c->overview ? PM_CHUNK_FLAG_OVERVIEW : 0,
    };
    read_clock(w, &c->head.clock);
    pm_idset_reset(&c->defined);
    pm_bytes_reset(&w->out);
    c->n_blockers = 0;
    c->thread_time_ns = 0;
    c->n_blocks = 1;
    int result = build_block(w, c, c->n_blocks, PM_BLOCK_FACTS, 1, &w->facts);
    if (result != PM_OK)
        return result;
    /* The head first: from then on blocks of the slot's former chunk are stale by their number. */
    result = write_head(w, c);
    if (result == PM_OK)
        result = write_at(w, c->offset + c->head.used, w->out.data, w->out.size);
    if (result == PM_OK && rolling) {
        struct pm_stored_chunk stored = {
            .number = c->head.number,
            .slot = slot,
            .n_slots = 1,
            .overview = c->overview,
            .open = true,
            .begin_ns = c->head.begin_ns,
            .end_ns = c->head.end_ns,
        };
        result = pm_slots_add(&w->slots, &stored);
    }
    if (result != PM_OK)
        return result;
    w->last_number++;
    w->stats.chunks++;
    w->stats.stored_bytes += PM_CHUNK_HEAD_SIZE + w->out.size;
    c->head.used += w->out.size;
    c->n_blocks++;
    c->open = true;
    c->fresh = true;
    if (!c->overview && w->options.on_chunk_begin) {
        w->phase = PHASE_OPENING;
        w->options.on_chunk_begin(w->options.context, w);
        w->phase = PHASE_NORMAL;
    }
    return PM_OK;
}

/* Nothing is added to the chunk any more: its head says so if it is `whole`, footer and all, and a
 * compact file's next one follows it. */
static int seal_chunk(struct pm_writer *w, struct open_chunk *c, bool whole)
{
    if (w->header.max_size == 0)
        c->head.size = c->head.used;
    c->head.flags |= whole ? PM_CHUNK_FLAG_CLOSED : 0;
    c->open = false;
    struct pm_stored_chunk *stored = pm_slots_get(&w->slots, c->head.number);
    if (stored) {
        stored->open = false;
        stored->used = c->head.used;
        stored->end_ns = c->head.end_ns;
        stored->waits = c->head.waits;
        stored->thread_time_ns = c->thread_time_ns;
    }
    return write_head(w, c);
}

static int close_chunk(struct pm_writer *w, struct open_chunk *c)
{
    if (c->overview)
        return seal_chunk(w, c, true);
    enum phase phase = w->phase;
    w->phase = PHASE_CLOSING;
    uint64_t used = c->head.used;
    if (w->options.on_chunk_end)
        w->options.on_chunk_end(w->options.context, w);
    w->last_closing = c->head.used - used;
    struct pm_footer footer = {
        c->head.number, c->head.begin_ns, c->head.end_ns, c->head.waits, (int64_t)c->head.used,
    };
    struct batch b = {.type = PM_BLOCK_FOOTER, .rows = &footer, .n = 1, .each = sizeof footer};
    take_back_pending(w, c);
    const void *rows;
    int result = encode_batch(w, &b, &rows);
    if (result == PM_OK)
        result = store_block(w, c, &b, c->head.size);
    if (w->with_overview) {
        store_batch(w, &w->overview, &b);
        w->overview.head.end_ns = c->head.end_ns;
    }
    w->phase = phase;
    w->last_end_ns = c->head.end_ns;
    int sealed = seal_chunk(w, c, result == PM_OK);
    return result != PM_OK ? result : sealed;
}

/* ---- opening and closing ---- */

static uint64_t new_file_id(void)
{
    uint64_t id = 0;
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != (ssize_t)sizeof id || id == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        id = ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) * 0x9E3779B97F4A7C15u ^
             (uint64_t)getpid();
    }
    return id | 1;
}

void pm_writer_abandon(struct pm_writer *w)
{
    if (!w)
        return;
    if (w->has_sink && w->sink.close)
        w->sink.close(w->sink.context);
    pm_idset_clear(&w->data.defined);
    pm_idset_clear(&w->overview.defined);
    pm_slots_clear(&w->slots);
    pm_bytes_clear(&w->facts);
    pm_bytes_clear(&w->definitions);
    pm_bytes_clear(&w->reached);
    pm_bytes_clear(&w->raw);
    pm_bytes_clear(&w->out);
    pm_rows_scratch_clear(&w->scratch);
    free(w->pending.keys);
    free(w->lz4);
    free(w->waits);
    free(w);
}

/* Nothing of the file is known any more but its lay-out, which the next one has as well. */
static void leave_sink(struct pm_writer *w)
{
    if (w->has_sink && w->sink.close)
        w->sink.close(w->sink.context);
    w->has_sink = false;
    w->sink = (struct pm_sink){0};
    w->slots.n = 0;
    memset(w->told, 0, sizeof w->told);
    w->data.open = w->overview.open = false;
    w->end = 0;
    w->evicted = 0;
    w->stats.file_bytes = 0;
}

/* The header and the first chunk of a new file. On failure there is no sink, and it is the caller's
 * still. */
static int begin_file(struct pm_writer *w, struct pm_sink sink, struct pm_error_info *ret_info)
{
    int result = PM_OK;
    if (w->header.max_size != 0 && w->options.preallocate) {
        uint64_t size = PM_FILE_HEADER_SIZE + (uint64_t)w->slots.n_slots * w->slots.slot_size;
        result = sink.allocate(sink.context, size);
        if (result != PM_OK) {
            return pm_error_set(ret_info, result, -1, "cannot reserve %llu bytes for the recording",
                                (unsigned long long)size);
        }
        w->header.end = size;
        w->stats.file_bytes = size;
    }
    w->sink = sink;
    w->has_sink = true;
    uint8_t zeros[PM_FILE_HEADER_SIZE] = {0};
    result = write_at(w, 0, zeros, sizeof zeros);
    if (result == PM_OK)
        result = write_header(w);
    if (result == PM_OK)
        result = open_chunk(w, &w->data);
    if (result != PM_OK) {
        w->sink.close = NULL;
        leave_sink(w);
        return pm_error_set(ret_info, result, -1, "cannot write the recording's first bytes");
    }
    return PM_OK;
}

int pm_writer_open(struct pm_sink sink, const struct pm_facts *facts,
                   const struct pm_dictionary *dictionary, const struct pm_writer_options *options,
                   struct pm_writer **ret_writer, struct pm_error_info *ret_info)
{
    if (options->max_size != 0 && options->max_size < PM_WRITER_MIN_SIZE) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "a rolling file needs at least %u bytes, not %llu", PM_WRITER_MIN_SIZE,
                            (unsigned long long)options->max_size);
    }
    if (facts->begin_ns < 0 || facts->begin_ns >= PM_TIME_LIMIT)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "the recording's begin is no time");
    struct pm_writer *w = calloc(1, sizeof *w);
    if (!w)
        return pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory for a writer");
    w->dictionary = *dictionary;
    w->options = *options;
    w->overview.overview = true;
    for (size_t i = 0; i < N_OTHERS; i++)
        w->others[i].fields = pm_fields_of(other_types[i]);
    w->with_overview = options->max_size != 0;
    w->header = (struct pm_file_header){
        .version = PM_FORMAT_VERSION,
        .header_size = PM_FILE_HEADER_SIZE,
        .compatible = PM_COMPATIBLE_KNOWN,
        .incompatible = PM_INCOMPATIBLE_KNOWN,
        .file_id = new_file_id(),
        .max_size = options->max_size,
    };
    if (options->max_size != 0) {
        w->slots.slot_size = pm_slots_size_for(options->max_size, options->slot_size);
        w->slots.n_slots =
            (uint32_t)((options->max_size - PM_FILE_HEADER_SIZE) / w->slots.slot_size);
        w->header.slot_size = w->slots.slot_size;
        w->header.n_slots = w->slots.n_slots;
        w->options.slot_size = w->slots.slot_size;
    } else if (options->slot_size < PM_SLOT_SIZE_MIN || options->slot_size > PM_SLOT_SIZE_MAX) {
        w->options.slot_size = COMPACT_CHUNK_SIZE;
    } else {
        w->options.slot_size = options->slot_size & ~(PM_BLOCK_ALIGNMENT - 1u);
    }
    /* A block must stay small beside its chunk, or little of the slot is used. */
    size_t most = w->options.slot_size / 64;
    w->block_waits = options->block_waits != 0 ? options->block_waits : BLOCK_WAITS;
    w->block_waits = w->block_waits > most ? most : w->block_waits;
    w->block_waits = w->block_waits < 16 ? 16 : w->block_waits;
    w->block_waits = w->block_waits > PM_BLOCK_ROWS_MAX ? PM_BLOCK_ROWS_MAX : w->block_waits;
    w->waits = malloc(w->block_waits * sizeof *w->waits);
    w->lz4 = malloc((size_t)LZ4_sizeofState());
    w->last_end_ns = facts->begin_ns;
    w->first_begin_ns = facts->begin_ns;
    pm_rows_encode_facts(&w->facts, facts);
    int result = PM_OK;
    if (!w->waits || !w->lz4 || w->facts.failed) {
        result = pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory for a writer");
        goto fail;
    }
    result = begin_file(w, sink, ret_info);
    if (result != PM_OK)
        goto fail;
    *ret_writer = w;
    return PM_OK;
fail:
    pm_writer_abandon(w);
    return result;
}

static bool has_untold_gaps(const struct pm_writer *w)
{
    for (size_t i = 0; i < PM_N_GAP_REASONS; i++)
        if (!is_empty_gap(&w->lost[i]))
            return true;
    return false;
}

/* All chunks closed, the file cut to what it uses. If any of that fails, it is left as a crash
 * leaves it: a file that says it was closed must hold the end of each chunk, and every wait or a
 * gap that tells of it. */
static int end_file(struct pm_writer *w, int64_t now_ns)
{
    int result = pm_writer_flush(w, now_ns);
    if (has_untold_gaps(w)) /* of this flush */
        result = pm_writer_flush(w, now_ns);
    uint64_t lost_rows = w->stats.lost_rows;
    bool rolling = w->header.max_size != 0;
    /* Nothing made room yet: the overview says nothing that the chunks do not say themselves. */
    bool drop_overview = rolling && w->evicted == 0;
    w->with_overview = w->with_overview && !drop_overview;
    if (w->data.open) {
        int closed = close_chunk(w, &w->data);
        result = result == PM_OK ? closed : result;
    }
    if (w->overview.open) {
        int sealed = seal_chunk(w, &w->overview, true);
        result = result == PM_OK ? sealed : result;
    }
    if (drop_overview) {
        for (size_t i = w->slots.n; i-- > 0;)
            if (w->slots.chunks[i].overview)
                evict(w, &w->slots.chunks[i]);
    }
    if (rolling) {
        w->end = PM_FILE_HEADER_SIZE;
        for (size_t i = 0; i < w->slots.n; i++) {
            uint64_t end = slot_offset(w, w->slots.chunks[i].slot) + w->slots.chunks[i].used;
            w->end = end > w->end ? end : w->end;
        }
    }
    if (result == PM_OK && (w->stats.lost_rows != lost_rows || has_untold_gaps(w)))
        result = PM_ERROR_IO;
    if (result != PM_OK)
        return result;
    w->header.state |= PM_FILE_STATE_CLOSED;
    w->header.end = w->end;
    result = write_header(w);
    if (result == PM_OK) /* what is behind the end is not read: only its space is not given back */
        (void)w->sink.truncate(w->sink.context, w->header.end);
    return result;
}

int pm_writer_close(struct pm_writer *w, int64_t now_ns)
{
    int result = w->has_sink ? end_file(w, now_ns) : PM_ERROR_IO;
    pm_writer_abandon(w);
    return result;
}

/* ---- another sink ---- */

int pm_writer_seal(struct pm_writer *w, int64_t now_ns)
{
    if (!w->has_sink || w->header.max_size == 0 || w->phase != PHASE_NORMAL)
        return PM_ERROR_ARGUMENT;
    int result = end_file(w, now_ns);
    leave_sink(w);
    return result;
}

void pm_writer_give_up(struct pm_writer *w)
{
    if (!w->has_sink || w->phase != PHASE_NORMAL)
        return;
    if (w->data.open)
        w->last_end_ns = w->data.head.end_ns;
    int64_t end_ns = w->last_end_ns > 0 ? w->last_end_ns - 1 : 0;
    for (size_t i = 0; i < w->slots.n; i++) {
        const struct pm_stored_chunk *chunk = &w->slots.chunks[i];
        struct pm_gap gap = {chunk->begin_ns, end_ns, PM_GAP_WRITE,
                             chunk->open ? w->data.head.waits : chunk->waits,
                             chunk->open ? w->data.thread_time_ns : chunk->thread_time_ns};
        if (!chunk->overview && gap.waits > 0) {
            join_gaps(&w->told[PM_GAP_WRITE], &gap);
            w->stats.left_waits += (uint64_t)gap.waits;
        }
    }
    sum_gaps(w->left, w->told, PM_N_GAP_REASONS);
    for (size_t i = 0; i < PM_N_GAP_REASONS; i++) {
        struct pm_gap *left = &w->left[i];
        left->end_ns = left->end_ns < end_ns ? left->end_ns : end_ns;
        left->begin_ns = left->begin_ns < end_ns ? left->begin_ns : end_ns;
    }
    leave_sink(w);
}

int pm_writer_move(struct pm_writer *w, struct pm_sink sink, struct pm_error_info *ret_info)
{
    if (w->has_sink || w->header.max_size == 0 || w->phase != PHASE_NORMAL) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "only a rolling recording without a sink moves to another");
    }
    w->with_overview = true;
    w->header.file_id = new_file_id();
    w->header.sequence = 0;
    w->header.state = 0;
    w->header.end = 0;
    int result = begin_file(w, sink, ret_info);
    if (result == PM_OK)
        gather_gaps(w, w->left);
    return result;
}

/* ---- records ---- */

static int store_waits(struct pm_writer *w)
{
    if (w->n_waits == 0)
        return PM_OK;
    struct batch b = {
        .type = PM_BLOCK_WAITS, .rows = w->waits, .n = w->n_waits, .each = sizeof w->waits[0]};
    w->n_waits = 0;
    return store_batch(w, &w->data, &b);
}

static int store_others(struct pm_writer *w)
{
    struct batch batches[N_OTHERS];
    int result = PM_OK;
    for (size_t i = 0; i < N_OTHERS; i++) {
        struct gathered *other = &w->others[i];
        batches[i] = (struct batch){.type = other->fields->type,
                                    .rows = &other->rows,
                                    .n = other->n,
                                    .each = other->fields->row_size};
        other->n = 0;
    }
    for (size_t i = 0; i < N_OTHERS; i++) {
        if (batches[i].n > 0) {
            int stored = store_batch(w, &w->data, &batches[i]);
            result = result == PM_OK ? stored : result;
        }
    }
    return result;
}

static bool is_time(int64_t ns)
{
    return ns >= 0 && ns < PM_TIME_LIMIT;
}

/* A row that is gathered with others of its kind. Where there is no room left for it, it is lost.
 */
static int add_row(struct pm_writer *w, enum pm_block_type type, const void *row)
{
    struct gathered *other = gathered_of(w, type);
    if (!pm_fields_valid(other->fields, row, 1))
        return PM_ERROR_ARGUMENT;
    int result = PM_OK;
    if (other->n == OTHER_ROWS && w->phase == PHASE_NORMAL)
        result = store_others(w);
    if (other->n < OTHER_ROWS) {
        size_t size = other->fields->row_size;
        memcpy((uint8_t *)&other->rows + other->n++ * size, row, size);
    } else if (type == PM_BLOCK_GAPS) {
        const struct pm_gap *gap = row;
        join_gaps(&w->lost[gap->reason], gap);
    } else {
        w->stats.lost_rows++;
    }
    return report(w, result);
}

/* A callback's: the gathered ones may be on their way right now. */
static int add_at_once(struct pm_writer *w, const struct pm_wait *wait)
{
    struct batch b = {.type = PM_BLOCK_WAITS, .rows = wait, .n = 1, .each = sizeof *wait};
    if (!pm_rows_is_wait_valid(wait))
        return PM_ERROR_ARGUMENT;
    w->stats.waits++;
    return report(w, store_batch(w, &w->data, &b));
}

/* As many as the block takes. Returns how many were looked at; `*invalid` is set if one was. */
static size_t gather(struct pm_writer *w, const struct pm_wait *waits, size_t n, bool *invalid)
{
    struct pm_wait *begin = w->waits + w->n_waits, *to = begin;
    /* None left when the file became smaller meanwhile. */
    size_t room = w->n_waits < w->block_waits ? w->block_waits - w->n_waits : 0;
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        if (pm_rows_is_wait_valid(&waits[i]))
            *to++ = waits[i];
        else
            *invalid = true;
    w->n_waits += (size_t)(to - begin);
    w->stats.waits += (uint64_t)(to - begin);
    return n;
}

static int store_full(struct pm_writer *w)
{
    int others = store_others(w); /* before waits fill the chunk that they belong to */
    int result = store_waits(w);
    return report(w, result == PM_OK ? others : result);
}

int pm_writer_add_waits(struct pm_writer *w, const struct pm_wait *waits, size_t n_waits)
{
    int first = PM_OK;
    for (size_t done = 0; done < n_waits;) {
        bool invalid = false;
        int result = PM_OK;
        if (w->phase != PHASE_NORMAL)
            result = add_at_once(w, &waits[done++]);
        else
            done += gather(w, waits + done, n_waits - done, &invalid);
        if (w->phase == PHASE_NORMAL && w->n_waits >= w->block_waits)
            result = store_full(w);
        first = first != PM_OK ? first : invalid ? PM_ERROR_ARGUMENT : result;
    }
    return first;
}

int pm_writer_add_wait(struct pm_writer *w, const struct pm_wait *wait)
{
    return pm_writer_add_waits(w, wait, 1);
}

int pm_writer_add_progress(struct pm_writer *w, const struct pm_wait *waits, size_t n_waits,
                           bool complete, int64_t at_ns)
{
    if (!pm_rows_waits_valid(waits, n_waits) || !is_time(at_ns))
        return PM_ERROR_ARGUMENT;
    int result = w->phase == PHASE_NORMAL ? store_waits(w) : PM_OK;
    struct batch b = {
        .type = PM_BLOCK_PROGRESS,
        .rows = waits,
        .n = n_waits,
        .each = sizeof *waits,
        .complete = complete,
        .at_ns = at_ns,
    };
    int stored = store_batch(w, &w->data, &b);
    return report(w, result == PM_OK ? stored : result);
}

/* Stores all rows of a snapshot, the first `n` of b->rows, in as many blocks as they need: and in
 * the overview too, if it is the chunk's last. */
static int store_snapshot(struct pm_writer *w, const struct batch *snapshot, size_t n)
{
    bool twice = w->phase == PHASE_CLOSING && w->with_overview;
    int result = PM_OK;
    size_t done = 0;
    do {
        struct batch b = *snapshot;
        b.rows = (const char *)snapshot->rows + done * b.each;
        b.n = n - done < SNAPSHOT_ROWS ? n - done : SNAPSHOT_ROWS;
        int stored = store_batch(w, &w->data, &b);
        result = result == PM_OK ? stored : result;
        if (twice) {
            stored = store_batch(w, &w->overview, &b);
            result = result == PM_OK ? stored : result;
        }
        done += b.n;
    } while (done < n);
    return result;
}

int pm_writer_add_snapshot(struct pm_writer *w, enum pm_snapshot_place place, int64_t at_ns,
                           const struct pm_counters *counters, size_t n_counters)
{
    if (!pm_fields_valid(pm_fields_of(PM_BLOCK_SNAPSHOT), counters, n_counters) ||
        !is_time(at_ns) || (unsigned)place > PM_SNAPSHOT_END)
        return PM_ERROR_ARGUMENT;
    int waits = w->phase == PHASE_NORMAL ? store_waits(w) : PM_OK;
    const struct batch snapshot = {.type = PM_BLOCK_SNAPSHOT,
                                   .rows = counters,
                                   .each = sizeof *counters,
                                   .place = place,
                                   .at_ns = at_ns};
    int result = store_snapshot(w, &snapshot, n_counters);
    return report(w, waits == PM_OK ? result : waits);
}

int pm_writer_add_owner_sample(struct pm_writer *w, const struct pm_owner_sample *sample)
{
    return add_row(w, PM_BLOCK_OWNER_SAMPLES, sample);
}

int pm_writer_add_span(struct pm_writer *w, const struct pm_span *span)
{
    return add_row(w, PM_BLOCK_SPANS, span);
}

int pm_writer_add_census(struct pm_writer *w, const struct pm_census_row *row)
{
    return add_row(w, PM_BLOCK_CENSUS, row);
}

int pm_writer_add_allocation(struct pm_writer *w, const struct pm_allocation *allocation)
{
    /* Age and halvings are not stored here, but must be right all the same. */
    bool valid = pm_fields_valid(pm_fields_of(PM_BLOCK_LIVE_OBJECTS), allocation, 1);
    return valid ? add_row(w, PM_BLOCK_ALLOCATIONS, allocation) : PM_ERROR_ARGUMENT;
}

int pm_writer_add_gap(struct pm_writer *w, const struct pm_gap *gap)
{
    return gap->reason < PM_N_GAP_REASONS ? add_row(w, PM_BLOCK_GAPS, gap) : PM_ERROR_ARGUMENT;
}

int pm_writer_add_memory(struct pm_writer *w, const struct pm_memory_head *head,
                         const struct pm_memory_cell *cells, size_t n_cells)
{
    if (!pm_rows_memory_head_valid(head) ||
        !pm_fields_valid(pm_fields_of(PM_BLOCK_MEMORY_SNAPSHOT), cells, n_cells))
        return PM_ERROR_ARGUMENT;
    const struct batch snapshot = {
        .type = PM_BLOCK_MEMORY_SNAPSHOT, .rows = cells, .each = sizeof *cells, .memory = head};
    return report(w, store_snapshot(w, &snapshot, n_cells));
}

int pm_writer_add_live(struct pm_writer *w, const struct pm_allocation *objects, size_t n_objects,
                       int64_t at_ns)
{
    if (!pm_fields_valid(pm_fields_of(PM_BLOCK_LIVE_OBJECTS), objects, n_objects) ||
        !is_time(at_ns))
        return PM_ERROR_ARGUMENT;
    int result = PM_OK;
    size_t done = 0;
    do {
        size_t left = n_objects - done;
        struct batch b = {
            .type = PM_BLOCK_LIVE_OBJECTS,
            .rows = objects + done,
            .n = left < SNAPSHOT_ROWS ? left : SNAPSHOT_ROWS,
            .each = sizeof *objects,
            .complete = left <= SNAPSHOT_ROWS,
            .at_ns = at_ns,
        };
        int stored = store_batch(w, &w->data, &b);
        result = result == PM_OK ? stored : result;
        done += b.n;
    } while (done < n_objects);
    return report(w, result);
}

/* ---- time passing ---- */

/* Empties chunks that ended before max_age, and ends the present one now and then so that it can
 * age too. */
static int age(struct pm_writer *w, int64_t now_ns)
{
    int64_t max_age = w->options.max_age_ns;
    if (max_age <= 0 || w->header.max_size == 0)
        return PM_OK;
    int result = PM_OK;
    if (w->data.open && !w->data.fresh && now_ns - w->data.head.begin_ns > max_age / 4) {
        result = close_chunk(w, &w->data);
        if (result == PM_OK)
            result = open_chunk(w, &w->data);
    }
    for (size_t i = w->slots.n; i-- > 0;) {
        struct pm_stored_chunk *chunk = &w->slots.chunks[i];
        if (!chunk->open && !chunk->overview && chunk->end_ns < now_ns - max_age) {
            int evicted = evict(w, chunk);
            result = result == PM_OK ? evicted : result;
        }
    }
    return result;
}

int pm_writer_flush(struct pm_writer *w, int64_t now_ns)
{
    int result = store_waits(w);
    if (w->has_sink && !w->failing && result == PM_OK) {
        gather_gaps(w, w->left);
        gather_gaps(w, w->lost);
    }
    int others = store_others(w);
    result = result == PM_OK ? others : result;
    if (w->data.open) {
        if (now_ns > w->data.head.end_ns && now_ns < PM_TIME_LIMIT)
            w->data.head.end_ns = now_ns;
        int head = write_head(w, &w->data);
        result = result == PM_OK ? head : result;
    }
    if (w->overview.open) {
        int head = write_head(w, &w->overview);
        result = result == PM_OK ? head : result;
    }
    int aged = age(w, now_ns);
    return report(w, result == PM_OK ? aged : result);
}

void pm_writer_redefine_thread(struct pm_writer *w, pm_thread_id id)
{
    pm_idset_remove(&w->data.defined, definition_key(PM_DEFINE_THREAD, id.n));
    pm_idset_remove(&w->overview.defined, definition_key(PM_DEFINE_THREAD, id.n));
    if (w->n_redefined < N_REDEFINED)
        w->redefined[w->n_redefined++] = id;
}

void pm_writer_redefine_blocker(struct pm_writer *w, pm_blocker_id id)
{
    pm_idset_remove(&w->data.defined, definition_key(PM_DEFINE_BLOCKER, id.n));
    pm_idset_remove(&w->overview.defined, definition_key(PM_DEFINE_BLOCKER, id.n));
}

void pm_writer_set_max_age(struct pm_writer *w, int64_t max_age_ns)
{
    w->options.max_age_ns = max_age_ns;
}

/* ---- another size ---- */

/* Gives a stored chunk its new place: the body first, the head last, so that a crash in between
 * leaves the old copy the whole one. */
static int move_chunk(struct pm_writer *w, uint64_t from, uint64_t to, uint64_t used, uint64_t size)
{
    uint8_t bytes[PM_CHUNK_HEAD_SIZE];
    struct pm_chunk_head head;
    int result = w->sink.read_at(w->sink.context, from, bytes, sizeof bytes);
    if (result == PM_OK)
        result = pm_chunk_head_decode(bytes, w->header.file_id, &head);
    pm_bytes_reset(&w->out);
    uint8_t *window = pm_bytes_reserve(&w->out, PM_SLOT_SIZE_MIN);
    if (result != PM_OK || !window)
        return result != PM_OK ? result : PM_ERROR_MEMORY;
    uint64_t at = sizeof bytes;
    while (from != to && at < used && result == PM_OK) {
        size_t n = used - at < PM_SLOT_SIZE_MIN ? (size_t)(used - at) : PM_SLOT_SIZE_MIN;
        result = w->sink.read_at(w->sink.context, from + at, window, n);
        if (result == PM_OK)
            result = write_at(w, to + at, window, n);
        at += n;
    }
    if (result != PM_OK)
        return result;
    head.size = size;
    pm_chunk_head_encode(&head, bytes);
    return write_at(w, to, bytes, sizeof bytes);
}

/* Everything is stored and no chunk is open: rearranges the file. What cannot be moved is dropped,
 * so that the recording can go on in any case. */
static int shrink(struct pm_writer *w, uint32_t slot_size, uint32_t n_slots)
{
    static const uint8_t zeros[PM_CHUNK_HEAD_SIZE];
    struct pm_slots to;
    int result = pm_slots_plan(&w->slots, slot_size, n_slots, &to);
    if (result != PM_OK)
        return result;
    uint32_t old_size = w->slots.slot_size;
    for (size_t i = 0; i < w->slots.n;) {
        struct pm_stored_chunk *chunk = &w->slots.chunks[i];
        if (!w->sink.read_at || !pm_slots_get(&to, chunk->number))
            evict(w, chunk); /* the oldest first: no hole, whenever it ends */
        else
            i++;
    }
    for (size_t i = to.n; i-- > 0;) {
        struct pm_stored_chunk *chunk = &to.chunks[i];
        const struct pm_stored_chunk *old = pm_slots_get(&w->slots, chunk->number);
        uint64_t target = PM_FILE_HEADER_SIZE + (uint64_t)chunk->slot * slot_size;
        if (!old || move_chunk(w, slot_offset(w, old->slot), target, chunk->used,
                               (uint64_t)chunk->n_slots * slot_size) != PM_OK) {
            write_at(w, target, zeros, sizeof zeros);
            pm_slots_remove(&to, chunk);
        }
    }
    /* A finer grid has slots that begin within what a former chunk held: they are empty now. */
    for (uint32_t slot = 0; slot_size != old_size && slot < n_slots; slot++) {
        uint64_t offset = PM_FILE_HEADER_SIZE + (uint64_t)slot * slot_size;
        if (offset < w->end && pm_slots_is_free(&to, slot, 1))
            write_at(w, offset, zeros, sizeof zeros);
    }
    pm_slots_clear(&w->slots);
    w->slots = to;
    return PM_OK;
}

int pm_writer_resize(struct pm_writer *w, uint64_t max_size, struct pm_error_info *ret_info)
{
    if (w->header.max_size == 0 || w->phase != PHASE_NORMAL) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "only a rolling file has a size to change");
    }
    if (max_size < PM_WRITER_MIN_SIZE) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "a rolling file needs at least %u bytes, not %llu", PM_WRITER_MIN_SIZE,
                            (unsigned long long)max_size);
    }
    uint32_t slot_size = w->slots.slot_size;
    if ((max_size - PM_FILE_HEADER_SIZE) / slot_size < 16) {
        uint32_t smaller = pm_slots_size_for(max_size, 0);
        slot_size = smaller < slot_size ? smaller : slot_size;
    }
    uint64_t n_slots = (max_size - PM_FILE_HEADER_SIZE) / slot_size;
    n_slots = n_slots > PM_SLOTS_MAX ? PM_SLOTS_MAX : n_slots;
    uint64_t size = PM_FILE_HEADER_SIZE + n_slots * slot_size;
    bool smaller = slot_size != w->slots.slot_size || n_slots < w->slots.n_slots;
    int result = PM_OK;
    if (!w->has_sink) {
        w->slots.slot_size = pm_slots_size_for(max_size, 0);
        w->slots.n_slots = (uint32_t)((max_size - PM_FILE_HEADER_SIZE) / w->slots.slot_size);
        w->options.slot_size = w->slots.slot_size;
        size_t most = w->slots.slot_size / 64;
        w->block_waits = w->block_waits > most ? most : w->block_waits;
        w->header.slot_size = w->slots.slot_size;
        w->header.n_slots = w->slots.n_slots;
        w->header.max_size = max_size;
        return PM_OK;
    }
    if (w->options.preallocate && !smaller) {
        result = w->sink.allocate(w->sink.context, size);
        if (result != PM_OK) {
            return pm_error_set(ret_info, result, -1, "cannot reserve %llu bytes for the recording",
                                (unsigned long long)size);
        }
    }
    store_waits(w);
    store_others(w);
    if (smaller) {
        if (w->data.open)
            close_chunk(w, &w->data);
        if (w->overview.open)
            seal_chunk(w, &w->overview, true);
        result = shrink(w, slot_size, (uint32_t)n_slots);
        if (result != PM_OK) {
            return pm_error_set(ret_info, result, -1, "the recording keeps its size: %s",
                                pm_error_name(result));
        }
    }
    w->slots.slot_size = slot_size;
    w->slots.n_slots = (uint32_t)n_slots;
    w->options.slot_size = slot_size;
    size_t most = slot_size / 64;
    w->block_waits = w->block_waits > most ? most : w->block_waits;
    w->header.slot_size = slot_size;
    w->header.n_slots = (uint32_t)n_slots;
    w->header.max_size = max_size;
    w->header.end = w->options.preallocate ? size : 0;
    result = write_header(w);
    if (smaller) {
        uint64_t end = w->options.preallocate || w->end > size ? size : w->end;
        int cut = w->sink.truncate(w->sink.context, end);
        w->end = w->end > end ? end : w->end;
        result = result == PM_OK ? cut : result;
        if (!w->data.open) {
            int opened = open_chunk(w, &w->data);
            result = result == PM_OK ? opened : result;
        }
    }
    w->stats.file_bytes = w->options.preallocate ? size : 0;
    if (result != PM_OK) {
        pm_error_set(ret_info, result, -1, "the recording's new size could not be written: %s",
                     pm_error_name(result));
    }
    return result;
}

bool pm_writer_is_crowded(const struct pm_writer *w)
{
    return w->data.open && w->data.head.used > chunk_limit(w, &w->data) / 4 * 3;
}

void pm_writer_get_stats(const struct pm_writer *w, struct pm_writer_stats *ret_stats)
{
    struct pm_writer_stats stats = w->stats;
    stats.file_chunks = w->slots.n;
    stats.data_chunk = w->data.open ? w->data.head.number : 0;
    stats.overview_chunk = w->overview.open ? w->overview.head.number : 0;
    stats.file_bytes = w->end > stats.file_bytes ? w->end : stats.file_bytes;
    stats.oldest_ns = w->has_sink ? w->data.head.begin_ns : w->last_end_ns;
    if (w->header.max_size == 0)
        stats.oldest_ns = w->first_begin_ns;
    for (size_t i = 0; i < w->slots.n; i++) {
        if (!w->slots.chunks[i].overview) {
            stats.oldest_ns = w->slots.chunks[i].begin_ns;
            break;
        }
    }
    stats.memory_bytes =
        sizeof *w + w->block_waits * sizeof *w->waits + (size_t)LZ4_sizeofState() +
        (w->data.defined.capacity + w->overview.defined.capacity + w->pending.capacity) * 8 +
        w->slots.capacity * sizeof *w->slots.chunks + w->facts.capacity + w->definitions.capacity +
        w->reached.capacity + w->raw.capacity + w->out.capacity +
        pm_rows_scratch_bytes(&w->scratch);
    *ret_stats = stats;
}
