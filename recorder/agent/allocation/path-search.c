#include "recorder/agent/allocation/path-search.h"

#include <string.h>
#include <sys/mman.h>

#define NONE       UINT16_MAX /* a cost */
#define UP_NODES   (PM_PATH_NODES / 2)
#define ROOT_NODES (PM_PATH_NODES / 4 * 3)
#define UP_COST    48  /* how far from a root objects are remembered */
#define UP_ELEMENT 512 /* of longer arrays not, once a third of the room is used */
#define FAN_IN     64  /* of what many refer to, as many are followed backwards, */
#define FAN_ALIKE  32  /* of those that refer to it alike, one after the other, as many */
#define MAX_CHAIN  4096
#define MAX_CREEPS 6 /* a list is not worth a walk for each step */

const char *const pm_path_kind_names[PM_PATH_KINDS] = {
    "static", "local", "jni-local", "thread", "monitor", "jni-global", "system-class",
    "root",   "field", "element",   "static", "class",   "loader",     "class-part"};

/* How an object is referred to. */
struct by {
    uint32_t from_class;
    int32_t index;
    uint8_t kind;
};

struct node {
    uint32_t up, down; /* nodes; 0: a root, an object that is looked for */
    struct by up_by, down_by;
    uint32_t class_n;
    struct pm_path_place place; /* of a root */
    int32_t list_index;         /* the field by which objects of this node follow each other */
    uint32_t length;
    uint16_t up_cost, down_cost;
    uint16_t n_in;      /* that refer to it, and were remembered for that */
    uint16_t walk;      /* in which `up` was found */
    uint16_t list_walk; /* in which it was found to be a list; 0: it is one object */
    bool was_list; /* of what is looked for: several objects that have nothing more in common */
    bool met;
    uint8_t n_alike; /* of `n_in`, the last ones, */
    uint8_t swept;   /* see `forget_ways` */
    uint16_t alike;  /* by class and field */
};

struct pm_path_search {
    uint32_t n, n_shared, n_targets;
    uint32_t targets[PM_PATH_TARGETS];
    uint32_t n_samples;          /* of the targets, and of the nodes, the first: they were given */
    uint64_t seen, next, stride; /* bytes of what is looked for: so far; until the next target */
    uint16_t walk;
    uint8_t n_sweeps;
    bool grew, crept;  /* backwards in this walk: to an object of another class; at all */
    uint16_t n_creeps; /* walks in a row without the first */
    uint64_t n_others;
    struct pm_path_referrer referrers[PM_PATH_REFERRERS];
    struct node nodes[PM_PATH_NODES];
};

struct pm_path_search *pm_path_new(void)
{
    /* Given back whole at the end. */
    struct pm_path_search *search =
        mmap(NULL, sizeof *search, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (search == MAP_FAILED)
        return NULL;
    search->stride = search->n = 1;
    return search;
}

void pm_path_free(struct pm_path_search *search)
{
    if (search)
        munmap(search, sizeof *search);
}

void pm_path_begin_walk(struct pm_path_search *search)
{
    search->walk++;
    search->n_creeps = search->grew ? 0 : search->n_creeps + 1;
    search->grew = search->crept = false;
}

static uint32_t add_node(struct pm_path_search *search, uint32_t limit, uint32_t class_n,
                         uint32_t length)
{
    if (search->n >= limit)
        return 0;
    search->nodes[search->n] =
        (struct node){.class_n = class_n, .length = length, .up_cost = NONE, .down_cost = NONE};
    return search->n++;
}

static uint32_t add_target(struct pm_path_search *search, uint32_t class_n)
{
    uint32_t n =
        search->n_targets < PM_PATH_TARGETS ? add_node(search, PM_PATH_NODES, class_n, 0) : 0;
    if (n) {
        search->nodes[n].down_cost = 0;
        search->targets[search->n_targets++] = n;
    }
    return n;
}

uint32_t pm_path_add_target(struct pm_path_search *search, uint32_t class_n)
{
    search->n_samples++;
    return add_target(search, class_n);
}

uint32_t pm_path_n_targets(const struct pm_path_search *search)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < search->n_targets; i++)
        n += search->nodes[search->targets[i]].met;
    return n;
}

static uint16_t cost_of(const struct pm_path_search *search, const struct pm_path_reference *r)
{
    static const struct {
        uint8_t program, platform;
    } costs[PM_PATH_KINDS] = {
        [PM_PATH_STATIC] = {8, 26},        [PM_PATH_LOCAL] = {14, 18},
        [PM_PATH_JNI_LOCAL] = {22, 22},    [PM_PATH_THREAD] = {12, 12},
        [PM_PATH_MONITOR] = {32, 32},      [PM_PATH_JNI_GLOBAL] = {36, 36},
        [PM_PATH_SYSTEM_CLASS] = {40, 40}, [PM_PATH_OTHER_ROOT] = {40, 40},
        [PM_PATH_FIELD] = {2, 3},          [PM_PATH_ELEMENT] = {2, 2},
        [PM_PATH_STATIC_OF] = {2, 2},      [PM_PATH_CLASS_OF] = {16, 16},
        [PM_PATH_LOADER_OF] = {8, 8},      [PM_PATH_OF_CLASS] = {20, 20},
    };
    unsigned cost = r->of_program ? costs[r->kind].program : costs[r->kind].platform;
    /* What is one of many leads to much, and to little of that which is looked for. */
    for (uint32_t n = r->kind == PM_PATH_ELEMENT ? search->nodes[r->from].length : 0; n > 1; n /= 2)
        cost++;
    return (uint16_t)cost;
}

static bool is_root(enum pm_path_kind kind)
{
    return kind < PM_PATH_FIELD;
}

/* A way from a root that was found in this walk: the program may have changed since others. */
static bool has_up(const struct pm_path_search *search, uint32_t n)
{
    const struct node *node = &search->nodes[n];
    return n && node->up_cost != NONE && node->walk == search->walk;
}

static void relax_up(struct pm_path_search *search, const struct pm_path_reference *r)
{
    struct node *to = &search->nodes[r->to];
    bool root = is_root(r->kind);
    uint32_t cost = cost_of(search, r) + (root ? 0u : search->nodes[r->from].up_cost);
    if (cost >= NONE || (has_up(search, r->to) && cost >= to->up_cost))
        return;
    to->up = root ? 0 : r->from;
    to->up_by = (struct by){r->from_class, r->index, (uint8_t)r->kind};
    to->place = r->place;
    to->up_cost = (uint16_t)cost;
    to->walk = search->walk;
}

static void relax_down(struct pm_path_search *search, const struct pm_path_reference *r)
{
    struct node *from = &search->nodes[r->from];
    uint32_t cost = cost_of(search, r) + search->nodes[r->to].down_cost;
    if (cost >= from->down_cost)
        return;
    search->crept |= from->down_cost == NONE;
    search->grew |= from->down_cost == NONE && r->from_class != search->nodes[r->to].class_n;
    from->down = r->to;
    from->down_by = (struct by){r->from_class, r->index, (uint8_t)r->kind};
    from->down_cost = (uint16_t)cost;
}

static void count(struct pm_path_search *search, const struct pm_path_reference *r)
{
    int32_t index =
        r->kind == PM_PATH_FIELD || r->kind == PM_PATH_STATIC || r->kind == PM_PATH_STATIC_OF
            ? r->index
            : 0;
    uint32_t hash = (r->from_class * 31 + (uint32_t)index) * 0x9e3779b1u + r->kind;
    for (uint32_t i = 0; i < 16; i++) {
        struct pm_path_referrer *place = &search->referrers[((hash >> 16) + i) % PM_PATH_REFERRERS];
        if (place->n == 0)
            *place = (struct pm_path_referrer){r->kind, index, r->from_class, 0};
        if (place->kind != r->kind || place->index != index || place->from_class != r->from_class)
            continue;
        place->n++;
        return;
    }
    search->n_others++;
}

/* Is an object that a way leads to worth a node? */
static bool is_worth(const struct pm_path_search *search, const struct pm_path_reference *r)
{
    if (r->to_leaf || r->kind == PM_PATH_OF_CLASS)
        return false;
    if (is_root(r->kind))
        return true;
    const struct node *from = &search->nodes[r->from];
    bool back = from->list_walk && r->from_class == r->to_class; /* against the list's direction */
    if ((back || (r->kind == PM_PATH_ELEMENT && from->length > UP_ELEMENT)) &&
        search->n > UP_NODES / 2)
        return false;
    return from->up_cost + cost_of(search, r) <= UP_COST;
}

/* What is no target any more is searched past, as any other object: no way down ends there. Each
 * node is looked at once: a heap walk waits. */
static void forget_ways(struct pm_path_search *search)
{
    struct node *nodes = search->nodes;
    search->n_sweeps++;
    for (uint32_t first = 1; first < search->n; first++) {
        uint32_t end = first;
        while (nodes[end].swept != search->n_sweeps && nodes[end].down_cost != 0 &&
               nodes[end].down_cost != NONE)
            end = nodes[end].down;
        for (uint32_t n = first; n != end; n = nodes[n].down) {
            nodes[n].swept = search->n_sweeps;
            if (nodes[end].down_cost == NONE)
                nodes[n].down_cost = NONE;
        }
    }
}

/* Of objects that are looked for some become targets, evenly over their bytes: of many in the end
 * every other one is none any more, and twice as many are passed over. */
static void choose_target(struct pm_path_search *search, struct pm_path_reference *r)
{
    uint32_t *chosen = &search->targets[search->n_samples];
    uint32_t n = search->n_targets - search->n_samples;
    if (search->walk > 1 || r->to)
        return;
    search->seen += r->size;
    if (search->seen < search->next)
        return;
    if (search->n_targets == PM_PATH_TARGETS && n > 1) {
        for (uint32_t i = 0; i < n; i++)
            if (i % 2)
                search->nodes[chosen[i]].down_cost = NONE;
            else
                chosen[i / 2] = chosen[i];
        search->n_targets = search->n_samples + (n + 1) / 2;
        search->stride *= 2;
        forget_ways(search);
    }
    search->next = search->seen + search->stride;
    r->to = add_target(search, r->to_class);
}

/* May the way that led to a node lead on from it? */
static bool leads_on(const struct pm_path_search *search, uint32_t n)
{
    return has_up(search, n) && !search->nodes[n].was_list;
}

/* Lists are found anew in each walk: which of its objects was the first nobody knows any more. */
static void forget_list(struct pm_path_search *search, uint32_t *n)
{
    struct node *node = &search->nodes[*n];
    if (node->list_walk == 0 || node->list_walk == search->walk)
        return;
    if (node->down_cost)
        *n = 0;
    node->was_list = node->down_cost == 0;
    node->list_walk = node->was_list ? 0 : node->list_walk;
}

/* Is the next object of a list referred to? Then it has the list's node. */
static void follow_list(struct pm_path_search *search, struct pm_path_reference *r)
{
    if (r->to || r->kind != PM_PATH_FIELD || r->from_class != r->to_class ||
        !leads_on(search, r->from))
        return;
    /* A sample in a list has a node to itself. */
    const struct node *from = &search->nodes[r->from];
    bool sample = r->from <= search->n_samples;
    if (sample && (from->up_by.kind != PM_PATH_FIELD || from->up_by.index != r->index ||
                   from->up_by.from_class != r->from_class))
        return;
    uint32_t n = sample ? from->up : r->from;
    struct node *list = &search->nodes[n];
    bool goes_on = list->list_walk ? list->list_index == r->index : n == r->from;
    /* What is looked for stays known by the first of its list. */
    r->moves = n == r->from && (list->down_cost || (list->list_walk && n > search->n_samples));
    if (!goes_on || (!r->moves && search->n_shared == PM_PATH_SHARED))
        return;
    search->n_shared += !r->moves;
    list->list_walk = search->walk;
    list->list_index = r->index;
    r->to = n;
}

static void take_forward(struct pm_path_search *search, struct pm_path_reference *r)
{
    if (!is_root(r->kind) && !leads_on(search, r->from))
        return;
    if (!r->to && is_worth(search, r))
        r->to = add_node(search, is_root(r->kind) ? ROOT_NODES : UP_NODES, r->to_class, r->length);
    /* Of the objects of a list only the first leads to all others. */
    if (r->to && r->to != r->from && !search->nodes[r->to].list_walk)
        relax_up(search, r);
}

/* Is there room for one more that refers to a node? Where thousands do so alike, as all sessions to
 * their manager, who else does is remembered, too. */
static bool has_room(struct node *to, const struct pm_path_reference *r)
{
    uint32_t index = r->kind == PM_PATH_ELEMENT ? 0 : (uint32_t)r->index;
    uint32_t hash = (r->from_class * 31 + index) * 0x9e3779b1u + r->kind;
    uint16_t alike = (uint16_t)(hash >> 16);
    to->n_alike = alike == to->alike ? to->n_alike : 0;
    to->alike = alike;
    if (to->n_in >= FAN_IN || to->n_alike >= FAN_ALIKE)
        return false;
    to->n_alike++;
    return true;
}

static void take_backward(struct pm_path_search *search, struct pm_path_reference *r)
{
    struct node *to = &search->nodes[r->to];
    if (!r->to || to->down_cost == NONE || is_root(r->kind) || r->from == r->to ||
        (to->list_walk && to->down_cost))
        return;
    if (!r->from && !has_up(search, r->to) && has_room(to, r)) {
        r->from = add_node(search, PM_PATH_NODES, r->from_class, 0);
        to->n_in += r->from != 0;
    }
    if (r->from)
        relax_down(search, r);
}

void pm_path_take(struct pm_path_search *search, struct pm_path_reference *r)
{
    r->moves = false;
    forget_list(search, &r->from);
    forget_list(search, &r->to);
    follow_list(search, r);
    if (r->to_wanted)
        choose_target(search, r);
    bool is_target = r->to && search->nodes[r->to].down_cost == 0;
    if (is_target)
        search->nodes[r->to].met = true;
    if (search->walk == 1 && (r->to_wanted || (is_target && r->to_any)))
        count(search, r);
    take_forward(search, r);
    take_backward(search, r);
}

/* ---- what was found ---- */

/* The object that is looked for at the end; 0: none, for a number of steps that cannot be. */
static uint32_t end_of(const struct pm_path_search *search, uint32_t n)
{
    for (int i = 0; i < MAX_CHAIN && n; i++) {
        if (search->nodes[n].down_cost == 0)
            return n;
        n = search->nodes[n].down;
    }
    return 0;
}

struct way {
    uint32_t target, meets; /* `meets` has a way up and one down; 0: there is no path */
    uint32_t cost;
    uint64_t likeness; /* the same of paths by the same fields of the same classes */
};

/* Steps from the root on: the first half of the room and the last, where they are more. */
struct trace {
    struct pm_path_step *steps;
    size_t max, n;
};

static void put(struct trace *trace, size_t at, const struct pm_path_step *step)
{
    size_t left_out = trace->n > trace->max ? trace->n - trace->max : 0;
    if (at < trace->max / 2)
        trace->steps[at] = *step;
    else if (at >= trace->max / 2 + left_out)
        trace->steps[at - left_out] = *step;
}

static struct pm_path_step step_of(const struct by *by, const struct pm_path_place *place)
{
    return (struct pm_path_step){by->kind, by->index, by->from_class, false,
                                 place ? *place : (struct pm_path_place){0}};
}

static struct pm_path_step step_along(const struct node *list)
{
    return (struct pm_path_step){PM_PATH_FIELD, list->list_index, list->class_n, true, {0}};
}

static bool goes_up(const struct pm_path_search *search, const struct node **node)
{
    bool more = !is_root((*node)->up_by.kind);
    *node = &search->nodes[(*node)->up];
    return more;
}

static size_t count_up(const struct pm_path_search *search, uint32_t meets)
{
    const struct node *node = &search->nodes[meets];
    size_t n = 0;
    do
        n += node->list_walk ? 2 : 1;
    while (goes_up(search, &node) && n < MAX_CHAIN);
    return n;
}

/* The way down alone when there is none up. */
static size_t trace_path(const struct pm_path_search *search, uint32_t first, bool up,
                         struct pm_path_step *ret_steps, size_t max)
{
    struct trace trace = {ret_steps, max, 0};
    size_t n_up = up ? count_up(search, first) : 0, at = n_up;
    const struct node *node = &search->nodes[first];
    for (trace.n = n_up; node->down_cost && trace.n < MAX_CHAIN;) {
        node = &search->nodes[node->down];
        trace.n += node->list_walk ? 2 : 1;
    }
    node = &search->nodes[first];
    while (at > 0) {
        const struct pm_path_step along = step_along(node);
        const struct pm_path_step step = step_of(&node->up_by, &node->place);
        if (node->list_walk)
            put(&trace, --at, &along);
        if (at > 0)
            put(&trace, --at, &step);
        goes_up(search, &node);
    }
    node = &search->nodes[first];
    for (at = n_up; at < trace.n;) {
        const struct pm_path_step step = step_of(&node->down_by, NULL);
        put(&trace, at++, &step);
        node = &search->nodes[node->down];
        const struct pm_path_step along = step_along(node);
        if (node->list_walk && at < trace.n)
            put(&trace, at++, &along);
    }
    return trace.n;
}

static uint64_t likeness_of(const struct pm_path_step *steps, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pm_path_step *step = &steps[i];
        if (step->repeats)
            continue;
        /* Of a class that is loaded many times each has a number of its own. */
        uint64_t class_n = step->kind == PM_PATH_STATIC_OF ? 0 : step->from_class;
        uint64_t index = step->kind == PM_PATH_ELEMENT ? 0 : (uint64_t)step->index;
        sum += (class_n << 24 ^ index << 8 ^ (uint64_t)step->kind ^
                (uint64_t)(uintptr_t)step->place.method) *
               0x9e3779b97f4a7c15u;
    }
    return sum;
}

static uint32_t find_ways(const struct pm_path_search *search, struct way *ret_ways)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < search->n_targets; i++)
        ret_ways[i] = (struct way){.target = search->targets[i], .cost = UINT32_MAX};
    for (uint32_t n = 1; n < search->n; n++) {
        const struct node *node = &search->nodes[n];
        uint32_t end = has_up(search, n) && node->down_cost != NONE ? end_of(search, n) : 0;
        uint32_t cost = (uint32_t)node->up_cost + node->down_cost;
        for (uint32_t i = 0; end && i < search->n_targets; i++)
            if (ret_ways[i].target == end && cost < ret_ways[i].cost) {
                found += ret_ways[i].meets == 0;
                ret_ways[i].meets = n;
                ret_ways[i].cost = cost;
            }
    }
    return found;
}

bool pm_path_wants_walk(const struct pm_path_search *search)
{
    struct way ways[PM_PATH_TARGETS];
    uint32_t n = pm_path_n_targets(search);
    return n > 0 && find_ways(search, ways) * 2 <= n &&
           (search->grew || (search->crept && search->n_creeps < MAX_CREEPS));
}

/* Of what leads to an object that is looked for, the one furthest from it. */
static uint32_t furthest(const struct pm_path_search *search)
{
    uint32_t best = 0;
    for (uint32_t n = 1; n < search->n; n++)
        if (search->nodes[n].down_cost != NONE && end_of(search, n) &&
            (!best || search->nodes[n].down_cost > search->nodes[best].down_cost))
            best = n;
    return best;
}

size_t pm_path_best(const struct pm_path_search *search, struct pm_path_step *ret_steps, size_t max,
                    uint32_t *ret_class, uint32_t *ret_alike, size_t *ret_broken)
{
    struct way ways[PM_PATH_TARGETS], *best = NULL;
    uint32_t found = find_ways(search, ways);
    *ret_alike = 0;
    *ret_broken = 0;
    for (uint32_t i = 0; found && i < search->n_targets; i++) {
        size_t n = ways[i].meets ? trace_path(search, ways[i].meets, true, ret_steps, max) : 0;
        ways[i].likeness = likeness_of(ret_steps, n < max ? n : max);
    }
    for (uint32_t i = 0; found && i < search->n_targets; i++) {
        uint32_t alike = 0;
        for (uint32_t k = 0; ways[i].meets && k < search->n_targets; k++)
            alike += ways[k].meets && ways[k].likeness == ways[i].likeness;
        if (alike > *ret_alike || (best && alike == *ret_alike && ways[i].cost < best->cost)) {
            *ret_alike = alike;
            best = &ways[i];
        }
    }
    uint32_t first = best ? best->meets : furthest(search);
    uint32_t end = end_of(search, first);
    if (!end)
        return 0;
    *ret_class = search->nodes[end].class_n;
    size_t n = trace_path(search, first, best != NULL, ret_steps, max);
    *ret_broken = best ? 0 : n;
    return best ? n : 0;
}

const struct pm_path_referrer *pm_path_referrers(const struct pm_path_search *search,
                                                 uint64_t *ret_others)
{
    *ret_others = search->n_others;
    return search->referrers;
}
