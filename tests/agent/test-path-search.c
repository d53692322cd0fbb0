/* The search for what keeps an object, over heaps of our own: what is found is there, step by step,
 * and what a root leads to is found. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/allocation/path-search.h"

#define MAX_STEPS 48
#define MAX_WALKS 16
#define TARGET    1 /* the class that is looked for */

/* ---- a heap ---- */

struct edge {
    enum pm_path_kind kind;
    int32_t index;
    guint from, to;
};

struct heap {
    GArray *classes; /* guint32, of each object */
    GArray *edges;   /* of objects: in the order in which a walk meets them */
    GArray *roots;   /* `from` is the class whose static field it is */
    GArray **of;     /* the edges of each object: made last */
    gboolean samples_only;
};

static struct heap *heap_new(void)
{
    struct heap *heap = g_new0(struct heap, 1);
    heap->classes = g_array_new(FALSE, FALSE, sizeof(guint32));
    heap->edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
    heap->roots = g_array_new(FALSE, FALSE, sizeof(struct edge));
    return heap;
}

static guint add_object(struct heap *heap, guint32 class_n)
{
    g_array_append_val(heap->classes, class_n);
    return heap->classes->len - 1;
}

static void add_edge(struct heap *heap, enum pm_path_kind kind, int32_t index, guint from, guint to)
{
    const struct edge edge = {kind, index, from, to};
    g_array_append_val(kind == PM_PATH_STATIC ? heap->roots : heap->edges, edge);
}

static guint32 class_of(const struct heap *heap, guint object)
{
    return g_array_index(heap->classes, guint32, object);
}

static void seal(struct heap *heap)
{
    heap->of = g_new0(GArray *, heap->classes->len);
    for (guint i = 0; i < heap->classes->len; i++)
        heap->of[i] = g_array_new(FALSE, FALSE, sizeof(struct edge));
    for (guint i = 0; i < heap->edges->len; i++) {
        const struct edge *edge = &g_array_index(heap->edges, struct edge, i);
        g_array_append_val(heap->of[edge->from], *edge);
    }
}

static void heap_free(struct heap *heap)
{
    for (guint i = 0; i < heap->classes->len; i++)
        g_array_unref(heap->of[i]);
    g_free(heap->of);
    g_array_unref(heap->classes);
    g_array_unref(heap->edges);
    g_array_unref(heap->roots);
    g_free(heap);
}

/* ---- a walk, as the JVM goes: roots first, then always what was met last ---- */

static guint32 tell(const struct heap *heap, struct pm_path_search *search, const struct edge *edge,
                    guint32 *tags, guint32 moved)
{
    const gboolean root = edge->kind == PM_PATH_STATIC;
    struct pm_path_reference r = {.kind = edge->kind,
                                  .index = edge->index,
                                  .from_class = root ? edge->from : class_of(heap, edge->from),
                                  .to_class = class_of(heap, edge->to),
                                  .size = 16,
                                  .length = heap->of[edge->to]->len,
                                  .of_program = TRUE,
                                  .to_wanted =
                                      !heap->samples_only && class_of(heap, edge->to) == TARGET,
                                  .to_any = heap->samples_only,
                                  .from = root ? 0 : tags[edge->from],
                                  .to = tags[edge->to]};
    if (!root && !r.from && edge->kind == PM_PATH_FIELD)
        r.from = moved;
    const guint32 from = r.from;
    pm_path_take(search, &r);
    tags[edge->to] = r.to;
    if (!root && r.from != from)
        tags[edge->from] = r.from;
    if (root || !r.moves || !tags[edge->from])
        return moved;
    tags[edge->from] = 0;
    return r.from;
}

static void walk(const struct heap *heap, struct pm_path_search *search, guint32 *tags)
{
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *visited = g_new0(gboolean, heap->classes->len);
    pm_path_begin_walk(search);
    for (guint i = 0; i < heap->roots->len; i++) {
        const struct edge *root = &g_array_index(heap->roots, struct edge, i);
        tell(heap, search, root, tags, 0);
        g_array_append_val(stack, root->to);
    }
    while (stack->len > 0) {
        const guint at = g_array_index(stack, guint, stack->len - 1);
        guint32 moved = 0;
        g_array_set_size(stack, stack->len - 1);
        if (visited[at])
            continue;
        visited[at] = TRUE;
        for (guint i = 0; i < heap->of[at]->len; i++) {
            const struct edge *edge = &g_array_index(heap->of[at], struct edge, i);
            moved = tell(heap, search, edge, tags, moved);
            g_array_append_val(stack, edge->to);
        }
    }
}

/* ---- is it so? ---- */

/* The objects that are reached from `at` by one step, or by any number of them. */
static void take_step(const struct heap *heap, const struct pm_path_step *step, gboolean **at)
{
    gboolean *next = g_new0(gboolean, heap->classes->len);
    gboolean more = TRUE;
    if (step->repeats)
        memcpy(next, *at, heap->classes->len * sizeof *next);
    while (more) {
        more = FALSE;
        for (guint i = 0; i < heap->edges->len; i++) {
            const struct edge *edge = &g_array_index(heap->edges, struct edge, i);
            if (!(step->repeats ? next : *at)[edge->from] || next[edge->to] ||
                edge->kind != step->kind || edge->index != step->index ||
                class_of(heap, edge->from) != step->from_class)
                continue;
            next[edge->to] = TRUE;
            more = step->repeats;
        }
    }
    g_free(*at);
    *at = next;
}

/* Samples are targets, and any other of the class, unless samples alone are looked for. */
static gboolean is_target(const struct heap *heap, guint object, guint n_samples)
{
    guint before = 0;
    for (guint i = 0; i < object; i++)
        before += class_of(heap, i) == TARGET;
    return class_of(heap, object) == TARGET && (!heap->samples_only || before < n_samples);
}

static gboolean leads_to_target(const struct heap *heap, const struct pm_path_step *steps, size_t n,
                                guint n_samples)
{
    gboolean *at = g_new0(gboolean, heap->classes->len);
    gboolean found = FALSE;
    for (guint i = 0; i < heap->roots->len; i++) {
        const struct edge *root = &g_array_index(heap->roots, struct edge, i);
        if (steps[0].kind == root->kind && steps[0].index == root->index &&
            steps[0].from_class == root->from)
            at[root->to] = TRUE;
    }
    for (size_t i = 1; i < n; i++)
        take_step(heap, &steps[i], &at);
    for (guint i = 0; i < heap->classes->len; i++)
        found |= at[i] && is_target(heap, i, n_samples);
    g_free(at);
    return found;
}

static gboolean is_reachable(const struct heap *heap, guint n_samples)
{
    gboolean *reached = g_new0(gboolean, heap->classes->len), found = FALSE;
    gboolean more = TRUE;
    for (guint i = 0; i < heap->roots->len; i++)
        reached[g_array_index(heap->roots, struct edge, i).to] = TRUE;
    while (more) {
        more = FALSE;
        for (guint i = 0; i < heap->edges->len; i++) {
            const struct edge *edge = &g_array_index(heap->edges, struct edge, i);
            more |= reached[edge->from] && !reached[edge->to];
            reached[edge->to] |= reached[edge->from];
        }
    }
    for (guint i = 0; i < heap->classes->len; i++)
        found |= reached[i] && is_target(heap, i, n_samples);
    g_free(reached);
    return found;
}

/* The number of steps; 0: none was found. `*ret_walks` it took. The first objects of the class are
 * samples, `*n_samples` of them or as many as there are. */
static size_t search_in(const struct heap *heap, guint *n_samples, struct pm_path_step *steps,
                        guint *ret_walks)
{
    guint samples = 0;
    g_autofree guint32 *tags = g_new0(guint32, heap->classes->len);
    struct pm_path_search *search = pm_path_new();
    uint32_t class_n = 0, alike = 0;
    size_t n_broken;
    *ret_walks = 0;
    for (guint i = 0; i < heap->classes->len && samples < *n_samples; i++)
        if (class_of(heap, i) == TARGET) {
            tags[i] = pm_path_add_target(search, TARGET);
            samples++;
        }
    *n_samples = samples;
    do
        walk(heap, search, tags);
    while (++*ret_walks < MAX_WALKS && pm_path_wants_walk(search));
    const size_t n = pm_path_best(search, steps, MAX_STEPS, &class_n, &alike, &n_broken);
    g_assert_true(n == 0 || class_n == TARGET);
    g_assert_true(n == 0 || (alike > 0 && alike <= pm_path_n_targets(search)));
    pm_path_free(search);
    return n;
}

/* ---- tests ---- */

static struct heap *random_heap(void)
{
    struct heap *heap = heap_new();
    const guint n = (guint)g_test_rand_int_range(2, 200);
    const gint classes = g_test_rand_int_range(3, 12);
    for (guint i = 0; i < n; i++)
        add_object(heap, (guint32)g_test_rand_int_range(1, classes));
    for (guint i = 0; i < n * 2; i++)
        add_edge(heap, g_test_rand_bit() ? PM_PATH_FIELD : PM_PATH_ELEMENT,
                 g_test_rand_int_range(0, 3), (guint)g_test_rand_int_range(0, (gint)n),
                 (guint)g_test_rand_int_range(0, (gint)n));
    for (gint i = g_test_rand_int_range(1, 4); i > 0; i--)
        add_edge(heap, PM_PATH_STATIC, i, 100, (guint)g_test_rand_int_range(0, (gint)n));
    seal(heap);
    return heap;
}

static void test_random(void)
{
    guint n_reachable = 0, n_found = 0;
    for (int i = 0; i < 3000; i++) {
        struct heap *heap = random_heap();
        struct pm_path_step steps[MAX_STEPS];
        guint walks;
        heap->samples_only = i % 3 == 0;
        guint n_samples = i % 2 || heap->samples_only ? (guint)g_test_rand_int_range(1, 32) : 0;
        const size_t n = search_in(heap, &n_samples, steps, &walks);
        const gboolean reachable = is_reachable(heap, n_samples);
        g_assert_cmpuint(n, <=, MAX_STEPS);
        g_assert_true(n == 0 || leads_to_target(heap, steps, n, n_samples));
        n_reachable += reachable;
        n_found += n > 0;
        g_assert_true(reachable || n == 0);
        heap_free(heap);
    }
    g_test_message("%u of %u found", n_found, n_reachable);
    g_assert_cmpuint(n_reachable, >, 1000);
    g_assert_cmpuint(n_found, ==, n_reachable);
}

/* A list of more objects than there are nodes, and its last one refers to what is looked for. */
static void test_list(void)
{
    struct heap *heap = heap_new();
    struct pm_path_step steps[MAX_STEPS];
    guint none = 0, walks, at = add_object(heap, 2);
    add_edge(heap, PM_PATH_STATIC, 7, 100, at);
    for (guint i = 0; i < PM_PATH_NODES + PM_PATH_SHARED; i++) {
        const guint next = add_object(heap, 2);
        add_edge(heap, PM_PATH_FIELD, 1, at, next);
        at = next;
    }
    add_edge(heap, PM_PATH_FIELD, 0, at, add_object(heap, TARGET));
    seal(heap);
    g_assert_cmpuint(search_in(heap, &none, steps, &walks), ==, 3);
    g_assert_cmpuint(walks, ==, 1);
    g_assert_true(steps[1].repeats);
    g_assert_cmpint(steps[1].index, ==, 1);
    g_assert_cmpint(steps[2].index, ==, 0);
    heap_free(heap);
}

/* An array of more trees than there are nodes, a target at the end of each: from both sides. */
static void test_backwards(void)
{
    struct heap *heap = heap_new();
    struct pm_path_step steps[MAX_STEPS];
    const guint depth = 8;
    guint none = 0, walks;
    const guint array = add_object(heap, 3);
    add_edge(heap, PM_PATH_STATIC, 7, 100, array);
    for (guint i = 0; i < PM_PATH_NODES; i++) {
        guint at = add_object(heap, 4);
        add_edge(heap, PM_PATH_ELEMENT, (int32_t)i, array, at);
        for (guint k = 1; k < depth; k++) {
            const guint next = add_object(heap, k + 1 == depth ? TARGET : 4 + k);
            add_edge(heap, PM_PATH_FIELD, (int32_t)k, at, next);
            at = next;
        }
    }
    seal(heap);
    g_assert_cmpuint(search_in(heap, &none, steps, &walks), ==, depth + 1);
    g_assert_cmpuint(walks, >, 1);
    g_assert_cmpint(steps[0].kind, ==, PM_PATH_STATIC);
    g_assert_cmpint(steps[1].kind, ==, PM_PATH_ELEMENT);
    for (guint k = 1; k < depth; k++)
        g_assert_cmpint(steps[k + 1].index, ==, k);
    heap_free(heap);
}

/* Far from a root a manager keeps thousands of targets, each of which refers to it: they are not
 * all that is remembered of those who do. */
static void test_manager(void)
{
    struct heap *heap = heap_new();
    struct pm_path_step steps[MAX_STEPS];
    const guint depth = 30;
    guint none = 0, walks, at = add_object(heap, 10);
    add_edge(heap, PM_PATH_STATIC, 7, 100, at);
    for (guint i = 1; i < depth; i++) {
        const guint next = add_object(heap, 10 + i);
        add_edge(heap, PM_PATH_FIELD, 0, at, next);
        at = next;
    }
    const guint manager = at, array = add_object(heap, 3);
    add_edge(heap, PM_PATH_FIELD, 1, manager, array);
    for (gint i = 0; i < 2000; i++) {
        const guint target = add_object(heap, TARGET);
        add_edge(heap, PM_PATH_ELEMENT, i, array, target);
        add_edge(heap, PM_PATH_FIELD, 2, target, manager);
    }
    seal(heap);
    g_assert_cmpuint(search_in(heap, &none, steps, &walks), ==, depth + 2);
    g_assert_cmpint(steps[0].kind, ==, PM_PATH_STATIC);
    heap_free(heap);
}

/* The second of many targets is the first of a list, the last of which keeps, through many others,
 * all targets that come after it. The list soon is no target any more: ways lead along it. */
static void test_dropped(void)
{
    struct heap *heap = heap_new();
    struct pm_path_step steps[MAX_STEPS];
    const guint depth = 30;
    guint none = 0, walks;
    const guint holder = add_object(heap, 2);
    const guint first = add_object(heap, TARGET), last = add_object(heap, TARGET);
    add_edge(heap, PM_PATH_STATIC, 7, 100, holder);
    add_edge(heap, PM_PATH_FIELD, 1, holder, add_object(heap, TARGET));
    add_edge(heap, PM_PATH_FIELD, 2, holder, first);
    add_edge(heap, PM_PATH_FIELD, 0, first, last);
    guint at = last;
    for (guint i = 0; i < depth; i++) {
        const guint next = add_object(heap, 10 + i);
        add_edge(heap, PM_PATH_FIELD, 1, at, next);
        at = next;
    }
    for (gint i = 0; i < 200; i++)
        add_edge(heap, PM_PATH_ELEMENT, i, at, add_object(heap, TARGET));
    seal(heap);
    g_assert_cmpuint(search_in(heap, &none, steps, &walks), ==, depth + 4);
    g_assert_true(steps[2].repeats);
    g_assert_cmpint(steps[depth + 3].kind, ==, PM_PATH_ELEMENT);
    heap_free(heap);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path-search/what-is-found-is-there", test_random);
    g_test_add_func("/path-search/along-a-list-longer-than-all-nodes", test_list);
    g_test_add_func("/path-search/from-both-sides", test_backwards);
    g_test_add_func("/path-search/what-is-kept-refers-to-its-keeper", test_manager);
    g_test_add_func("/path-search/past-what-is-no-target-any-more", test_dropped);
    return g_test_run();
}
