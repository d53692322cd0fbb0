#include "recorder/agent/hotspot/frozen.h"

#include <pthread.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/reservation.h"
#include "recorder/agent/hotspot/code.h"

#define N_ENTRIES  (PM_FROZEN_SETS * PM_FROZEN_WAYS)
#define LIST_BYTES ((size_t)2 << 20)
#define MAX_CHUNKS 16
#define MAX_FRAMES 1024

/* An interpreted frame, in words from its frame pointer; where pointers are distances from it. */
enum {
    SENDER_SP = -1,
    METHOD = -3,
    LOCALS = -7,
    BCP = -8,
    SENDER = 2, /* the caller's words begin there */
};

struct frozen_frame {
    uintptr_t method, bcp; /* as in pm_frame_seen */
    uint32_t compiled, stamp;
    bool is_interpreted;
};

/* What C knows of an entry, beside the list. */
struct frozen_frames {
    const struct frozen_frame *frames;
    uint32_t n;
    bool is_complete;
};

static struct {
    struct pm_reservation table;
    struct pm_reservation
        lists; /* all of it open: whoever reads what was replaced reads something */
    struct pm_reservation scratch; /* a struct gathered, from the first one on */
    _Atomic size_t used;
    struct frozen_frames known[N_ENTRIES];
    int64_t last_number;
    uint32_t next; /* way to be replaced */
    uint32_t max_frames;
    pthread_mutex_t lock;
} frozen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pm_frozen_entry *entries(void)
{
    return (struct pm_frozen_entry *)(void *)frozen.table.base;
}

static bool open_all(struct pm_reservation *reservation, size_t bytes)
{
    return pm_reservation_init(reservation, bytes) == 0 && pm_reservation_open(reservation, bytes);
}

static void clear(void)
{
    pm_reservation_clear(&frozen.table);
    pm_reservation_clear(&frozen.lists);
    pm_reservation_clear(&frozen.scratch);
    memset(frozen.known, 0, sizeof frozen.known);
    frozen.used = 0;
}

int pm_frozen_init(uint32_t max_frames)
{
    frozen.max_frames = max_frames < MAX_FRAMES ? max_frames : MAX_FRAMES;
    if (frozen.lists.base)
        return 0;
    if (open_all(&frozen.table, N_ENTRIES * sizeof(struct pm_frozen_entry)) &&
        open_all(&frozen.lists, LIST_BYTES))
        return 0;
    clear();
    return PM_ERROR_MEMORY;
}

const struct pm_frozen_entry *pm_frozen_table(void)
{
    return entries();
}

const int64_t *pm_frozen_last(void)
{
    return (const int64_t *)(const void *)(frozen.lists.base + LIST_BYTES) - 2;
}

/* -- a walk over the copy of a chunk -- */

/* Gathers frames and the list, under the lock. */
struct gathered {
    struct frozen_frame frames[MAX_FRAMES];
    uint32_t n_frames;
    int64_t list[2 * PM_FROZEN_MAX_PAIRS];
    size_t n_list;
};

struct chunk {
    const int64_t *words; /* from two above its top on */
    int64_t n;            /* words that were copied */
    int64_t bottom;       /* index behind its last frame */
    struct gathered *to;
};

static bool read_word(const struct chunk *chunk, int64_t at, int64_t *ret_word)
{
    struct gathered *to = chunk->to;
    if (at < 0 || at >= chunk->n || to->n_list + 4 > 2 * PM_FROZEN_MAX_PAIRS)
        return false;
    to->list[to->n_list++] = (at - 2) * (int64_t)sizeof(int64_t);
    to->list[to->n_list++] = *ret_word = chunk->words[at];
    return true;
}

/* A distance in words. */
static bool read_place(const struct chunk *chunk, int64_t from, int64_t at, int64_t *ret_place)
{
    int64_t distance;
    if (!read_word(chunk, at, &distance) || distance > INT32_MAX || distance < INT32_MIN)
        return false;
    *ret_place = from + distance;
    return true;
}

/* Of an interpreted frame; they follow from its method. */
static bool look(const struct chunk *chunk, int64_t at, int64_t *ret_word)
{
    if (at < 0 || at >= chunk->n)
        return false;
    *ret_word = chunk->words[at];
    return *ret_word >= INT32_MIN && *ret_word <= INT32_MAX;
}

/* The caller's sp in `*sp`, and where its compiled frame would begin in `*unextended_sp`; the
 * chunk's bottom when there is no caller in it. */
static bool step_interpreted(const struct chunk *chunk, int64_t *sp, int64_t *unextended_sp)
{
    int64_t fp, bcp, method, locals, sender;
    struct frozen_frame *frame = &chunk->to->frames[chunk->to->n_frames];
    if (!read_place(chunk, *sp - 2, *sp - 2, &fp) || fp <= *sp || fp >= chunk->n || fp + BCP < 0 ||
        !read_word(chunk, fp + BCP, &bcp) || !look(chunk, fp + LOCALS, &locals) ||
        !look(chunk, fp + SENDER_SP, &sender))
        return false;
    method = chunk->words[fp + METHOD];
    if (bcp == 0 && !read_word(chunk, fp + METHOD, &method))
        return false;
    *frame = (struct frozen_frame){
        .method = (uintptr_t)method, .bcp = (uintptr_t)bcp, .is_interpreted = true};
    *sp = fp + locals + 1 >= chunk->bottom + 2 ? chunk->bottom : fp + SENDER;
    *unextended_sp = fp + sender;
    /* A compiled caller begins there, which depends on how it called. */
    return *sp >= chunk->n || pm_code_at((uintptr_t)chunk->words[*sp - 1]).kind != PM_CODE_METHOD ||
           read_word(chunk, fp + SENDER_SP, &sender);
}

static bool step_compiled(const struct chunk *chunk, const struct pm_code *code, int64_t *sp,
                          int64_t *unextended_sp)
{
    int64_t original_pc;
    chunk->to->frames[chunk->to->n_frames] = (struct frozen_frame){
        .method = code->method, .compiled = code->compiled, .stamp = pm_code_stamp(code->compiled)};
    if (code->original_pc_at >= 0 &&
        !read_word(chunk, *unextended_sp + code->original_pc_at / (int64_t)sizeof(int64_t),
                   &original_pc))
        return false;
    *sp = *unextended_sp = *unextended_sp + code->frame_words;
    return true;
}

/* False: something of it is unknown. */
static bool walk_chunk(const struct chunk *chunk)
{
    struct gathered *to = chunk->to;
    int64_t sp = 2, unextended_sp = 2, pc;
    while (sp < chunk->bottom && to->n_frames < frozen.max_frames) {
        if (!read_word(chunk, sp - 1, &pc))
            return false;
        struct pm_code code = pm_code_at((uintptr_t)pc);
        int64_t before = sp;
        bool known =
            code.kind == PM_CODE_INTERPRETER
                ? step_interpreted(chunk, &sp, &unextended_sp)
                : code.kind == PM_CODE_METHOD && step_compiled(chunk, &code, &sp, &unextended_sp);
        if (!known || sp <= before)
            return false;
        to->n_frames++;
    }
    return true;
}

/* All chunks of the copy. `*ret_complete`: down to the outermost frame. */
static bool walk_copy(const int64_t *copy, size_t n, struct gathered *to, bool *ret_complete)
{
    size_t at = 0;
    for (int i = 0; to->n_frames < frozen.max_frames; i++) {
        if (i == MAX_CHUNKS || at >= n || copy[at] == PM_FROZEN_ANY)
            return false;
        if (copy[at] == PM_FROZEN_END)
            break;
        if (n - at < 2 || copy[at + 1] < 2 || (uint64_t)copy[at + 1] > n - at - 2)
            return false;
        struct chunk chunk = {.words = copy + at + 2,
                              .n = copy[at + 1],
                              .bottom = 2 + (int64_t)(int32_t)copy[at],
                              .to = to};
        size_t head = to->n_list;
        if (head + 4 > 2 * PM_FROZEN_MAX_PAIRS)
            return false;
        to->list[head] = copy[at];
        to->n_list += 2;
        if (!walk_chunk(&chunk))
            return false;
        to->list[head + 1] = (int64_t)(to->n_list - head - 2) / 2;
        at += 2 + (size_t)copy[at + 1];
    }
    *ret_complete = to->n_frames < frozen.max_frames;
    to->list[to->n_list++] = *ret_complete ? PM_FROZEN_END : PM_FROZEN_ANY;
    to->list[to->n_list++] = 0;
    return true;
}

/* -- the table -- */

/* Whoever compares with a list meanwhile looks at its number again. */
static void forget_all(void)
{
    for (size_t i = 0; i < N_ENTRIES; i++)
        atomic_store_explicit(&entries()[i].id, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    frozen.used = 0;
}

/* All lists are forgotten when there is no room left. */
static char *make_room(size_t bytes)
{
    if (frozen.used + bytes > LIST_BYTES)
        forget_all();
    char *room = frozen.lists.base + frozen.used;
    frozen.used += bytes;
    return room;
}

static int64_t keep(int64_t key, const struct gathered *from, bool is_complete)
{
    size_t list_bytes = from->n_list * sizeof *from->list;
    size_t frame_bytes = from->n_frames * sizeof *from->frames;
    char *room = make_room(list_bytes + frame_bytes);
    memcpy(room, from->list, list_bytes);
    memcpy(room + list_bytes, from->frames, frame_bytes);
    uint32_t first = ((uint32_t)((uint64_t)key >> 40) & (PM_FROZEN_SETS - 1)) * PM_FROZEN_WAYS;
    uint32_t way = 0;
    while (way < PM_FROZEN_WAYS && atomic_load(&entries()[first + way].id))
        way++;
    uint32_t number = first + (way < PM_FROZEN_WAYS ? way : frozen.next++ % PM_FROZEN_WAYS);
    struct pm_frozen_entry *entry = &entries()[number];
    atomic_store_explicit(&entry->id, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    entry->key = key;
    entry->list = (int64_t)(intptr_t)room;
    frozen.known[number] = (struct frozen_frames){
        .frames = (const struct frozen_frame *)(const void *)(room + list_bytes),
        .n = from->n_frames,
        .is_complete = is_complete};
    int64_t id = ++frozen.last_number * N_ENTRIES + number;
    atomic_store_explicit(&entry->id, id, memory_order_release);
    return id;
}

static struct gathered *scratch(void)
{
    if (!frozen.scratch.base && pm_reservation_init(&frozen.scratch, sizeof(struct gathered)) != 0)
        return NULL;
    if (!pm_reservation_open(&frozen.scratch, sizeof(struct gathered)))
        return NULL;
    struct gathered *gathered = (struct gathered *)(void *)frozen.scratch.base;
    gathered->n_frames = 0;
    gathered->n_list = 0;
    return gathered;
}

int64_t pm_frozen_learn(int64_t key, const int64_t *copy, size_t n)
{
    bool is_complete;
    int64_t id = PM_FROZEN_UNKNOWN;
    pthread_mutex_lock(&frozen.lock);
    struct gathered *gathered = scratch();
    if (gathered && walk_copy(copy, n, gathered, &is_complete))
        id = keep(key, gathered, is_complete);
    pthread_mutex_unlock(&frozen.lock);
    return id;
}

static struct pm_frozen_entry *entry_of(int64_t id)
{
    struct pm_frozen_entry *entry = id > 0 ? &entries()[id % N_ENTRIES] : NULL;
    return entry && atomic_load(&entry->id) == id ? entry : NULL;
}

/* Tells one compilation from another; whether it is in use does not matter here. */
static bool is_same_code(uint32_t compiled, uint32_t stamp)
{
    return pm_code_stamp(compiled) >> 3 == stamp >> 3;
}

static bool add_frame(const struct frozen_frame *frame, struct pm_frames *frames)
{
    uint32_t *n = &frames->n_facts[PM_FACT_CODE];
    if (frames->n == frames->max || *n == frames->max_facts)
        return false;
    if (!frame->is_interpreted) {
        uint32_t stamp = pm_code_stamp(frame->compiled);
        frames->facts[PM_FACT_CODE][(*n)++] = (struct pm_fact){frame->compiled, stamp};
        frames->has_old_code |= !pm_code_is_in_use(stamp);
    }
    struct pm_frame_seen *seen = &frames->seen[frames->n++];
    *seen = (struct pm_frame_seen){
        .method = frame->method, .bcp = frame->bcp, .is_interpreted = frame->is_interpreted};
    memcpy(seen->n_facts, frames->n_facts, sizeof seen->n_facts);
    return true;
}

bool pm_frozen_add(int64_t id, struct pm_frames *frames)
{
    pthread_mutex_lock(&frozen.lock);
    struct pm_frozen_entry *entry = entry_of(id);
    bool is_known = entry != NULL;
    const struct frozen_frames *known = &frozen.known[id > 0 ? id % N_ENTRIES : 0];
    for (uint32_t i = 0; is_known && i < known->n; i++)
        is_known = known->frames[i].is_interpreted ||
                   is_same_code(known->frames[i].compiled, known->frames[i].stamp);
    if (entry && !is_known) /* other code lies where it was */
        atomic_store(&entry->id, 0);
    bool is_whole = is_known && known->is_complete;
    for (uint32_t i = 0; is_known && i < known->n; i++)
        is_whole &= add_frame(&known->frames[i], frames);
    frames->is_complete = is_whole;
    pthread_mutex_unlock(&frozen.lock);
    return is_known;
}

void pm_frozen_forget(int64_t id)
{
    pthread_mutex_lock(&frozen.lock);
    struct pm_frozen_entry *entry = entry_of(id);
    if (entry)
        atomic_store(&entry->id, 0);
    pthread_mutex_unlock(&frozen.lock);
}

uint64_t pm_frozen_unused(void)
{
    return atomic_load(&frozen.lists.open) - frozen.used;
}
