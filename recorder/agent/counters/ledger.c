#include "recorder/agent/counters/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/transition.h"

struct cell {
    pm_blocker_id blocker; /* 0 = free */
    uint32_t next_free;
    uint32_t pending; /* transitions not swept yet */
    uint32_t now;
    uint32_t peak;
    uint8_t kind;
    bool bound;
    bool has_event;
    bool collected;
    bool told;     /* by itself, in a snapshot */
    bool is_fold;  /* others are counted here */
    uint32_t fold; /* of one that others are counted in: its number in `folds`; else the blocker
                      that it is folded under, 0 = not asked for yet, NONE = not to be folded */
    uint64_t arrivals;
    int64_t times;
    int64_t thread_time_ns;
    int64_t real_time_ns;
    int64_t longest_ns;
    int64_t first_ns;
    int64_t last_ns;    /* last event */
    int64_t counted_ns; /* thread-time and real-time are summed up to here */
    int64_t touched_ns; /* the sweep that last changed anything */
    int64_t not_stored;
    int64_t not_stored_time_ns;
    int64_t crowd_age_ns; /* of all, as of the ledger's `crowd_at_ns` */
    uint32_t crowd;       /* waits in progress that left no transitions */
};

#define NONE      UINT32_MAX
#define MAX_RUN   128 /* of waits, for which there is room at once */
#define MAX_FOLDS 4096

/* A row under which many blockers are told. */
struct fold {
    pm_blocker_id blocker; /* 0 = free */
    uint32_t next_free;
    uint8_t kind;
    struct pm_counters sum; /* of the cells that are folded into it just now */
};

struct pm_ledger {
    struct cell *cells;
    uint32_t n_cells; /* ever used */
    uint32_t n_alive;
    uint32_t capacity;
    uint32_t free;   /* first of the free list */
    uint32_t *index; /* open addressing: cell number, NONE = empty; twice the capacity */
    uint32_t index_mask;
    uint32_t last; /* the cell told of last */

    struct fold *folds;
    uint32_t n_folds, fold_capacity; /* n: ever used */
    uint32_t free_fold;              /* first of the free list */

    struct pm_transitions transitions;
    int64_t swept_ns;
    int64_t crowd_at_ns;
};

int pm_ledger_new(struct pm_ledger **ret_ledger)
{
    struct pm_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return PM_ERROR_MEMORY;
    ledger->free = ledger->free_fold = NONE;
    ledger->swept_ns = INT64_MIN;
    *ret_ledger = ledger;
    return 0;
}

void pm_ledger_free(struct pm_ledger *ledger)
{
    if (ledger) {
        free(ledger->cells);
        free(ledger->index);
        free(ledger->folds);
        pm_transitions_clear(&ledger->transitions);
        free(ledger);
    }
}

/* -- cells -- */

static uint32_t home_of(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind)
{
    uint64_t key = (uint64_t)blocker.n * PM_N_KINDS + kind;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & ledger->index_mask;
}

static uint32_t find_cell(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind)
{
    if (!ledger->index)
        return NONE;
    for (uint32_t at = home_of(ledger, blocker, kind);; at = (at + 1) & ledger->index_mask) {
        uint32_t number = ledger->index[at];
        if (number == NONE)
            return NONE;
        if (ledger->cells[number].blocker.n == blocker.n && ledger->cells[number].kind == kind)
            return number;
    }
}

static void enter_index(struct pm_ledger *ledger, uint32_t number)
{
    const struct cell *cell = &ledger->cells[number];
    uint32_t at = home_of(ledger, cell->blocker, cell->kind);
    while (ledger->index[at] != NONE)
        at = (at + 1) & ledger->index_mask;
    ledger->index[at] = number;
}

static int grow_cells(struct pm_ledger *ledger)
{
    uint32_t capacity = ledger->capacity ? ledger->capacity * 2 : 64;
    if (capacity > 1u << PM_TRANSITION_CELL_BITS)
        return PM_ERROR_MEMORY;
    struct cell *cells = realloc(ledger->cells, capacity * sizeof *cells);
    if (!cells)
        return PM_ERROR_MEMORY;
    ledger->cells = cells;
    uint32_t *index = malloc((size_t)capacity * 2 * sizeof *index);
    if (!index)
        return PM_ERROR_MEMORY;
    free(ledger->index);
    ledger->index = index;
    ledger->capacity = capacity;
    ledger->index_mask = capacity * 2 - 1;
    memset(index, 0xff, (size_t)capacity * 2 * sizeof *index);
    for (uint32_t i = 0; i < ledger->n_cells; i++)
        if (cells[i].blocker.n)
            enter_index(ledger, i);
    return 0;
}

static int get_cell(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                    uint32_t *ret_number)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    if (number == NONE) {
        if (ledger->free == NONE && ledger->n_cells == ledger->capacity) {
            int error = grow_cells(ledger);
            if (error)
                return error;
        }
        if (ledger->free != NONE) {
            number = ledger->free;
            ledger->free = ledger->cells[number].next_free;
        } else {
            number = ledger->n_cells++;
        }
        ledger->cells[number] = (struct cell){.blocker = blocker, .kind = kind};
        ledger->n_alive++;
        enter_index(ledger, number);
    }
    *ret_number = number;
    return 0;
}

static void remove_cell(struct pm_ledger *ledger, uint32_t number)
{
    uint32_t at = home_of(ledger, ledger->cells[number].blocker, ledger->cells[number].kind);
    while (ledger->index[at] != number)
        at = (at + 1) & ledger->index_mask;
    /* Close the hole: move back what a probe could otherwise no longer reach. */
    uint32_t hole = at;
    for (;;) {
        at = (at + 1) & ledger->index_mask;
        uint32_t other = ledger->index[at];
        if (other == NONE)
            break;
        uint32_t home = home_of(ledger, ledger->cells[other].blocker, ledger->cells[other].kind);
        if (((at - home) & ledger->index_mask) >= ((at - hole) & ledger->index_mask)) {
            ledger->index[hole] = other;
            hole = at;
        }
    }
    ledger->index[hole] = NONE;
    if (ledger->cells[number].is_fold) {
        uint32_t fold = ledger->cells[number].fold;
        ledger->folds[fold] = (struct fold){.next_free = ledger->free_fold};
        ledger->free_fold = fold;
    }
    ledger->cells[number] = (struct cell){.next_free = ledger->free};
    ledger->free = number;
    ledger->n_alive--;
}

/* -- transitions -- */

/* Adds a transition that came late, or of a wait that lasted longer than fits. */
static __attribute__((noinline)) void add_amended(struct pm_ledger *ledger, uint32_t number,
                                                  enum pm_transition_what what, uint64_t key,
                                                  int64_t duration_ns, bool counted)
{
    struct cell *cell = &ledger->cells[number];
    if (duration_ns > PM_TRANSITION_DURATION_MAX) {
        if (what == PM_TRANSITION_UNDO)
            cell->thread_time_ns -= duration_ns - PM_TRANSITION_DURATION_MAX;
        else if (duration_ns > cell->longest_ns)
            cell->longest_ns = duration_ns; /* its age was told already */
        duration_ns = PM_TRANSITION_DURATION_MAX;
    }
    int64_t at_ns = (int64_t)(key >> 2);
    if (at_ns < ledger->swept_ns) {
        bool begins = what == PM_TRANSITION_BEGIN;
        int64_t late_ns = ledger->swept_ns - at_ns;
        cell->thread_time_ns += begins ? late_ns : -late_ns;
        cell->bound = true;
        /* Moved to one instant, a wait's begin must still come before its end. */
        key = (uint64_t)ledger->swept_ns << 2 |
              (begins ? PM_TRANSITION_RANK_FIRST : PM_TRANSITION_RANK_LAST);
    }
    const struct pm_transition transition = {
        key, pm_transition_pack(number, what, counted, duration_ns)};
    pm_transitions_add(&ledger->transitions, transition);
}

static inline void add_transition(struct pm_ledger *ledger, uint32_t number,
                                  enum pm_transition_what what, int64_t at_ns,
                                  enum pm_transition_rank rank, int64_t duration_ns, bool counted)
{
    uint64_t key = (uint64_t)at_ns << 2 | rank;
    if (__builtin_expect(duration_ns > PM_TRANSITION_DURATION_MAX || at_ns < ledger->swept_ns, 0)) {
        add_amended(ledger, number, what, key, duration_ns, counted);
        return;
    }
    const struct pm_transition transition = {
        key, pm_transition_pack(number, what, counted, duration_ns)};
    pm_transitions_add(&ledger->transitions, transition);
}

/* Room for so many transitions of that cell, which are added at once. */
static inline __attribute__((always_inline)) int prepare(struct pm_ledger *ledger,
                                                         pm_blocker_id blocker, uint8_t kind,
                                                         size_t n_transitions, uint32_t *ret_number)
{
    int error = pm_transitions_reserve(&ledger->transitions, n_transitions);
    if (error)
        return error;
    /* Most often the same as the one before. */
    uint32_t last = ledger->last;
    if (last >= ledger->n_cells || ledger->cells[last].blocker.n != blocker.n ||
        ledger->cells[last].kind != kind) {
        error = get_cell(ledger, blocker, kind, &last);
        if (error)
            return error;
        ledger->last = last;
    }
    ledger->cells[last].pending += (uint32_t)n_transitions;
    *ret_number = last;
    return 0;
}

int pm_ledger_begin(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                    bool counted)
{
    uint32_t number;
    int error = prepare(ledger, blocker, kind, 1, &number);
    if (error)
        return error;
    ledger->cells[number].arrivals += counted;
    add_transition(ledger, number, PM_TRANSITION_BEGIN, begin_ns, PM_TRANSITION_RANK_BEGIN, 0,
                   counted);
    return 0;
}

static enum pm_transition_rank end_rank(int64_t begin_ns, int64_t end_ns)
{
    return end_ns > begin_ns ? PM_TRANSITION_RANK_END : PM_TRANSITION_RANK_END_AT_ONCE;
}

int pm_ledger_end(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                  int64_t end_ns)
{
    uint32_t number;
    int error = prepare(ledger, blocker, kind, 1, &number);
    if (error)
        return error;
    add_transition(ledger, number, PM_TRANSITION_END, end_ns, end_rank(begin_ns, end_ns),
                   end_ns - begin_ns, true);
    return 0;
}

static inline void add_both(struct pm_ledger *ledger, uint32_t number, int64_t begin_ns,
                            int64_t end_ns, bool counted)
{
    ledger->cells[number].arrivals += counted;
    add_transition(ledger, number, PM_TRANSITION_BEGIN, begin_ns, PM_TRANSITION_RANK_BEGIN, 0,
                   counted);
    add_transition(ledger, number, PM_TRANSITION_END, end_ns, end_rank(begin_ns, end_ns),
                   end_ns - begin_ns, counted);
}

int pm_ledger_waits(struct pm_ledger *ledger, const struct pm_wait *waits, size_t n)
{
    int first = 0;
    for (size_t i = 0, end; i < n; i = end) {
        const struct pm_wait *wait = &waits[i];
        uint32_t number;
        for (end = i + 1; end < n && end - i < MAX_RUN && waits[end].blocker.n == wait->blocker.n &&
                          waits[end].kind == wait->kind;)
            end++;
        int error = prepare(ledger, wait->blocker, wait->kind, 2 * (end - i), &number);
        first = first ? first : error;
        for (; !error && wait < waits + end; wait++)
            add_both(ledger, number, wait->begin_ns, wait->begin_ns + wait->duration_ns,
                     !(wait->flags & PM_WAIT_BEGIN_UNKNOWN));
    }
    return first;
}

int pm_ledger_undo(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t begin_ns,
                   int64_t last_seen_ns, bool counted)
{
    if (last_seen_ns < begin_ns)
        last_seen_ns = begin_ns;
    uint32_t number;
    int error = prepare(ledger, blocker, kind, 1, &number);
    if (error)
        return error;
    struct cell *cell = &ledger->cells[number];
    cell->arrivals -= counted && cell->arrivals > 0;
    add_transition(ledger, number, PM_TRANSITION_UNDO, last_seen_ns,
                   end_rank(begin_ns, last_seen_ns), last_seen_ns - begin_ns, counted);
    return 0;
}

/* Some of the crowd have ended, at most so many: they are not counted twice until the crowd is told
 * anew. */
static void leave_crowd(struct cell *cell, const struct pm_overflow *overflow)
{
    cell->crowd -= overflow->waits < cell->crowd ? (uint32_t)overflow->waits : cell->crowd;
    if (cell->crowd == 0 || overflow->thread_time_ns > cell->crowd_age_ns)
        cell->crowd_age_ns = 0;
    else
        cell->crowd_age_ns -= overflow->thread_time_ns;
}

int pm_ledger_overflow(struct pm_ledger *ledger, const struct pm_overflow *overflow)
{
    uint32_t number;
    int error = prepare(ledger, overflow->blocker, overflow->kind, 0, &number);
    if (error)
        return error;
    struct cell *cell = &ledger->cells[number];
    cell->bound = true;
    cell->touched_ns = ledger->swept_ns;
    if (overflow->no_slot)
        leave_crowd(cell, overflow);
    cell->arrivals += (uint64_t)overflow->waits;
    cell->times += overflow->waits;
    cell->thread_time_ns += overflow->thread_time_ns;
    cell->not_stored += overflow->waits;
    cell->not_stored_time_ns += overflow->thread_time_ns;
    if (overflow->longest_ns > cell->longest_ns)
        cell->longest_ns = overflow->longest_ns;
    if (overflow->first_begin_ns && (!cell->has_event || overflow->first_begin_ns < cell->first_ns))
        cell->first_ns = overflow->first_begin_ns;
    if (!cell->has_event || overflow->last_end_ns > cell->last_ns)
        cell->last_ns = overflow->last_end_ns;
    cell->has_event = true;
    if (cell->peak == 0 && cell->times > 0)
        cell->peak = 1;
    return 0;
}

void pm_ledger_clear_crowds(struct pm_ledger *ledger, int64_t at_ns)
{
    ledger->crowd_at_ns = at_ns;
    for (uint32_t i = 0; i < ledger->n_cells; i++) {
        struct cell *cell = &ledger->cells[i];
        if (cell->crowd)
            cell->touched_ns = ledger->swept_ns;
        cell->crowd = 0;
        cell->crowd_age_ns = 0;
    }
}

int pm_ledger_add_to_crowd(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                           int64_t begin_ns)
{
    uint32_t number;
    int error = prepare(ledger, blocker, kind, 0, &number);
    if (error)
        return error;
    struct cell *cell = &ledger->cells[number];
    int64_t age_ns = ledger->crowd_at_ns > begin_ns ? ledger->crowd_at_ns - begin_ns : 0;
    cell->crowd++;
    cell->crowd_age_ns += age_ns;
    cell->bound = true;
    cell->longest_ns = age_ns > cell->longest_ns ? age_ns : cell->longest_ns;
    cell->peak = cell->now + cell->crowd > cell->peak ? cell->now + cell->crowd : cell->peak;
    if (!cell->has_event || begin_ns < cell->first_ns)
        cell->first_ns = begin_ns;
    cell->last_ns = cell->has_event && cell->last_ns > begin_ns ? cell->last_ns : begin_ns;
    cell->has_event = true;
    return 0;
}

void pm_ledger_not_stored(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                          int64_t duration_ns)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    if (number != NONE) {
        ledger->cells[number].touched_ns = ledger->swept_ns;
        ledger->cells[number].not_stored++;
        ledger->cells[number].not_stored_time_ns += duration_ns;
    }
}

void pm_ledger_age(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind, int64_t age_ns)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    if (number != NONE && ledger->cells[number].longest_ns < age_ns)
        ledger->cells[number].longest_ns = age_ns;
}

uint64_t pm_ledger_arrivals(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    return number == NONE ? 0 : ledger->cells[number].arrivals;
}

/* -- the sweep -- */

static void count_up_to(struct cell *cell, int64_t at_ns)
{
    if (cell->now > 0) {
        int64_t elapsed_ns = at_ns - cell->counted_ns;
        cell->thread_time_ns += (int64_t)cell->now * elapsed_ns;
        cell->real_time_ns += elapsed_ns;
    }
    cell->counted_ns = at_ns;
}

/* The first of the transitions, and those of the same cell that come right after it, in order of
 * time. Returns how many. */
static size_t apply_run(struct cell *cell, const struct pm_transition *run, size_t n)
{
    const struct pm_transition *next = run;
    uint32_t number = pm_transition_cell(*run), now = cell->now, peak = cell->peak;
    int64_t at_ns = cell->counted_ns, thread_time_ns = 0, real_time_ns = 0, times = 0;
    int64_t longest_ns = cell->longest_ns;
    for (; next < run + n && pm_transition_cell(*next) == number; next++) {
        int64_t elapsed_ns = (int64_t)(next->key >> 2) - at_ns;
        at_ns += elapsed_ns;
        thread_time_ns += (int64_t)now * elapsed_ns;
        real_time_ns += now > 0 ? elapsed_ns : 0;
        if (pm_transition_what(*next) == PM_TRANSITION_BEGIN) {
            now++;
            times += pm_transition_is_counted(*next);
            peak = now > peak ? now : peak;
            continue;
        }
        int64_t duration_ns = pm_transition_duration(*next);
        now -= now > 0;
        if (pm_transition_what(*next) == PM_TRANSITION_END) {
            longest_ns = duration_ns > longest_ns ? duration_ns : longest_ns;
        } else {
            times -= pm_transition_is_counted(*next);
            thread_time_ns -= duration_ns;
            cell->bound = true;
        }
    }
    int64_t first_ns = (int64_t)(run[0].key >> 2);
    cell->first_ns = cell->has_event && cell->first_ns < first_ns ? cell->first_ns : first_ns;
    cell->last_ns = cell->has_event && cell->last_ns > at_ns ? cell->last_ns : at_ns;
    cell->has_event = true;
    cell->now = now;
    cell->peak = peak;
    cell->counted_ns = at_ns;
    cell->thread_time_ns += thread_time_ns;
    cell->real_time_ns += real_time_ns;
    cell->times += times;
    cell->longest_ns = longest_ns;
    cell->pending -= (uint32_t)(next - run);
    return (size_t)(next - run);
}

void pm_ledger_sweep(struct pm_ledger *ledger, int64_t watermark_ns)
{
    if (watermark_ns <= ledger->swept_ns)
        return;
    size_t n_due;
    const struct pm_transition *due =
        pm_transitions_sort_due(&ledger->transitions, (uint64_t)watermark_ns << 2, &n_due);
    for (size_t i = 0; i < n_due;) {
        struct cell *cell = &ledger->cells[pm_transition_cell(due[i])];
        cell->touched_ns = watermark_ns;
        i += apply_run(cell, due + i, n_due - i);
    }
    pm_transitions_drop_due(&ledger->transitions, n_due);
    ledger->swept_ns = watermark_ns;
}

int64_t pm_ledger_swept_ns(const struct pm_ledger *ledger)
{
    return ledger->swept_ns;
}

/* -- reading -- */

static bool has_waiters(const struct cell *cell)
{
    return cell->now > 0 || cell->crowd > 0;
}

static struct pm_counters counters_of(const struct pm_ledger *ledger, const struct cell *cell)
{
    struct cell now = *cell;
    if (now.now > 0 && ledger->swept_ns > now.counted_ns) {
        count_up_to(&now, ledger->swept_ns);
        now.last_ns = ledger->swept_ns; /* the instant asked for counts as the last event */
    }
    if (now.crowd > 0) {
        now.now += now.crowd;
        now.times += now.crowd;
        now.thread_time_ns += now.crowd_age_ns;
        now.not_stored += now.crowd;
        now.not_stored_time_ns += now.crowd_age_ns;
    }
    return (struct pm_counters){
        .blocker = now.blocker,
        .kind = now.kind,
        .bound = now.bound,
        .now = now.now,
        .peak = now.peak,
        .times = now.times,
        .thread_time_ns = now.thread_time_ns,
        .real_time_ns = now.real_time_ns,
        .longest_ns = now.longest_ns,
        .first_ns = now.first_ns,
        .last_ns = now.last_ns,
        .not_stored = now.not_stored,
        .not_stored_time_ns = now.not_stored_time_ns,
    };
}

int pm_ledger_each(const struct pm_ledger *ledger, int64_t since_ns, bool with_collected,
                   int (*each)(void *context, const struct pm_counters *counters), void *context)
{
    for (uint32_t i = 0; i < ledger->n_cells; i++) {
        const struct cell *cell = &ledger->cells[i];
        if (cell->blocker.n && cell->has_event && (with_collected || !cell->collected) &&
            (has_waiters(cell) || cell->touched_ns >= since_ns)) {
            struct pm_counters counters = counters_of(ledger, cell);
            int result = each(context, &counters);
            if (result)
                return result;
        }
    }
    return 0;
}

bool pm_ledger_get(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind,
                   struct pm_counters *ret_counters)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    if (number == NONE)
        return false;
    *ret_counters = counters_of(ledger, &ledger->cells[number]);
    return true;
}

/* -- folding -- */

static struct fold *find_fold(const struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind)
{
    uint32_t number = find_cell(ledger, blocker, kind);
    if (number == NONE || !ledger->cells[number].is_fold)
        return NULL;
    return &ledger->folds[ledger->cells[number].fold];
}

/* The number of a free entry; NONE: there are as many as there can be, or there is no memory. */
static uint32_t reserve_fold(struct pm_ledger *ledger)
{
    uint32_t number = ledger->free_fold;
    if (number != NONE) {
        ledger->free_fold = ledger->folds[number].next_free;
        return number;
    }
    if (ledger->n_folds == MAX_FOLDS)
        return NONE;
    if (ledger->n_folds == ledger->fold_capacity) {
        uint32_t capacity = ledger->fold_capacity ? ledger->fold_capacity * 2 : 16;
        struct fold *folds = realloc(ledger->folds, capacity * sizeof *folds);
        if (!folds)
            return NONE;
        ledger->folds = folds;
        ledger->fold_capacity = capacity;
    }
    return ledger->n_folds++;
}

static struct fold *add_fold(struct pm_ledger *ledger, pm_blocker_id blocker, uint8_t kind)
{
    uint32_t number, fold = reserve_fold(ledger);
    if (fold == NONE)
        return NULL;
    if (get_cell(ledger, blocker, kind, &number)) {
        ledger->folds[fold] = (struct fold){.next_free = ledger->free_fold};
        ledger->free_fold = fold;
        return NULL;
    }
    ledger->cells[number].is_fold = true;
    ledger->cells[number].fold = fold;
    ledger->folds[fold] = (struct fold){.blocker = blocker, .kind = kind};
    return &ledger->folds[fold];
}

/* The fold of the cell under this number, NULL when it is told by itself. Cells and folds may move.
 * A fold may have been forgotten since it was asked for; then it is another one now. */
static struct fold *fold_of_cell(struct pm_ledger *ledger, uint32_t number,
                                 const struct pm_ledger_telling *telling)
{
    const struct cell *cell = &ledger->cells[number];
    if (ledger->n_alive <= telling->fold_above || cell->times > 1 || has_waiters(cell) ||
        cell->pending > 0 || cell->told || cell->is_fold || cell->fold == NONE)
        return NULL;
    uint8_t kind = cell->kind;
    struct fold *fold = NULL;
    if (cell->fold)
        fold = find_fold(ledger, (pm_blocker_id){cell->fold}, kind);
    if (!fold) {
        pm_blocker_id blocker = telling->fold_of(cell->blocker);
        if (blocker.n)
            fold = find_fold(ledger, blocker, kind);
        if (blocker.n && !fold)
            fold = add_fold(ledger, blocker, kind);
        ledger->cells[number].fold = fold ? blocker.n : NONE;
    }
    return fold;
}

static void add_counters(struct pm_counters *sum, const struct pm_counters *more)
{
    bool first = sum->times == 0 && sum->thread_time_ns == 0 && sum->first_ns == 0;
    sum->first_ns = first || more->first_ns < sum->first_ns ? more->first_ns : sum->first_ns;
    sum->last_ns = first || more->last_ns > sum->last_ns ? more->last_ns : sum->last_ns;
    sum->bound |= more->bound;
    sum->now += more->now;
    sum->peak = more->peak > sum->peak ? more->peak : sum->peak;
    sum->times += more->times;
    sum->thread_time_ns += more->thread_time_ns;
    sum->real_time_ns += more->real_time_ns;
    sum->longest_ns = more->longest_ns > sum->longest_ns ? more->longest_ns : sum->longest_ns;
    sum->not_stored += more->not_stored;
    sum->not_stored_time_ns += more->not_stored_time_ns;
}

int pm_ledger_tell(struct pm_ledger *ledger, const struct pm_ledger_telling *telling)
{
    for (uint32_t i = 0; i < ledger->n_folds; i++)
        ledger->folds[i].sum = (struct pm_counters){0};
    uint32_t n_cells = ledger->n_cells; /* those of folds may come, at the end */
    for (uint32_t i = 0; i < n_cells; i++) {
        if (ledger->cells[i].blocker.n == 0 || !ledger->cells[i].has_event ||
            ledger->cells[i].is_fold)
            continue;
        struct fold *fold = fold_of_cell(ledger, i, telling);
        struct cell *cell = &ledger->cells[i];
        struct pm_counters counters = counters_of(ledger, cell);
        if (fold) {
            add_counters(&fold->sum, &counters);
            continue;
        }
        if ((cell->collected && !telling->with_collected) ||
            (!has_waiters(cell) && cell->touched_ns < telling->since_ns))
            continue;
        cell->told = true;
        int result = telling->each(telling->context, &counters);
        if (result)
            return result;
    }
    for (uint32_t i = 0; i < ledger->n_folds; i++) {
        struct fold *fold = &ledger->folds[i];
        if (!fold->blocker.n)
            continue;
        uint32_t number = find_cell(ledger, fold->blocker, fold->kind);
        struct pm_counters counters = {.blocker = fold->blocker, .kind = fold->kind};
        if (number != NONE && ledger->cells[number].has_event)
            counters = counters_of(ledger, &ledger->cells[number]);
        if (fold->sum.times > 0 || fold->sum.thread_time_ns > 0)
            add_counters(&counters, &fold->sum);
        if (counters.times > 0 || counters.now > 0) {
            int result = telling->each(telling->context, &counters);
            if (result)
                return result;
        }
    }
    return 0;
}

bool pm_ledger_fold(struct pm_ledger *ledger, pm_blocker_id blocker,
                    const struct pm_ledger_telling *telling)
{
    for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
        uint32_t number = find_cell(ledger, blocker, kind);
        if (number != NONE && !fold_of_cell(ledger, number, telling))
            return false;
    }
    for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
        uint32_t number = find_cell(ledger, blocker, kind);
        if (number == NONE)
            continue;
        struct fold *fold = fold_of_cell(ledger, number, telling);
        uint32_t target_number = find_cell(ledger, fold->blocker, fold->kind);
        struct pm_counters from = counters_of(ledger, &ledger->cells[number]);
        struct cell *target = &ledger->cells[target_number];
        struct pm_counters sum = counters_of(ledger, target);
        sum.first_ns = target->has_event ? sum.first_ns : from.first_ns;
        add_counters(&sum, &from);
        target->bound = sum.bound;
        target->times += from.times;
        target->thread_time_ns += from.thread_time_ns;
        target->real_time_ns += from.real_time_ns;
        target->not_stored += from.not_stored;
        target->not_stored_time_ns += from.not_stored_time_ns;
        target->peak = sum.peak;
        target->longest_ns = sum.longest_ns;
        target->first_ns = sum.first_ns;
        target->last_ns = sum.last_ns;
        target->has_event = true;
        target->touched_ns = ledger->swept_ns;
    }
    pm_ledger_forget(ledger, blocker);
    return true;
}

void pm_ledger_fold_all(struct pm_ledger *ledger, int64_t before_ns,
                        const struct pm_ledger_telling *telling)
{
    uint32_t n_cells = ledger->n_cells;
    for (uint32_t i = 0; i < n_cells && ledger->n_alive > telling->fold_above; i++) {
        const struct cell *cell = &ledger->cells[i];
        if (cell->blocker.n && cell->has_event && cell->last_ns < before_ns)
            pm_ledger_fold(ledger, cell->blocker, telling);
    }
}

bool pm_ledger_is_settled(const struct pm_ledger *ledger, pm_blocker_id blocker)
{
    for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
        uint32_t number = find_cell(ledger, blocker, kind);
        if (number != NONE &&
            (ledger->cells[number].pending > 0 || has_waiters(&ledger->cells[number])))
            return false;
    }
    return true;
}

void pm_ledger_mark_collected(struct pm_ledger *ledger, pm_blocker_id blocker)
{
    for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
        uint32_t number = find_cell(ledger, blocker, kind);
        if (number != NONE)
            ledger->cells[number].collected = ledger->cells[number].told = true;
    }
}

void pm_ledger_forget(struct pm_ledger *ledger, pm_blocker_id blocker)
{
    for (uint8_t kind = 0; kind < PM_N_KINDS; kind++) {
        uint32_t number = find_cell(ledger, blocker, kind);
        if (number != NONE)
            remove_cell(ledger, number);
    }
}

void pm_ledger_forget_collected(struct pm_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->n_cells; i++)
        if (ledger->cells[i].blocker.n && ledger->cells[i].collected)
            remove_cell(ledger, i);
}

uint32_t pm_ledger_n_cells(const struct pm_ledger *ledger)
{
    return ledger->n_alive;
}

uint64_t pm_ledger_n_pending(const struct pm_ledger *ledger)
{
    return ledger->transitions.n;
}

uint64_t pm_ledger_memory(const struct pm_ledger *ledger)
{
    return ledger->capacity * (sizeof(struct cell) + 2 * sizeof(uint32_t)) +
           ledger->transitions.capacity * 2 * sizeof(struct pm_transition) +
           ledger->fold_capacity * sizeof(struct fold);
}
