/* Allocations, snapshots of memory and what lives: what is written is what is read, in one chunk or
 * many; the END snapshots outlive their chunks; a reader that knows none of it reads the rest. */
#include <glib.h>
#include <string.h>

#include "format/block.h"
#include "format/verify.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

static struct pm_memory_sum random_sum(uint64_t *state)
{
    return (struct pm_memory_sum){
        (int64_t)syn_random_spread(state, 40), (int64_t)syn_random_spread(state, 40),
        (int64_t)syn_random_spread(state, 40), (int64_t)syn_random_spread(state, 20),
        (int64_t)syn_random_spread(state, 20)};
}

static struct pm_allocation random_allocation(uint64_t *state, bool lives)
{
    struct pm_allocation a = {
        .at_ns = (int64_t)syn_random_spread(state, 40),
        .size_bytes = (int64_t)syn_random_spread(state, 33),
        .interval_bytes = syn_random_below(state, 3) == 0 ? 0 : 524288,
        .thread = {(uint32_t)syn_random_below(state, 6)},
        .class_id = {(uint32_t)syn_random_below(state, 4)},
        .chain = {(uint32_t)syn_random_below(state, 9)},
        .age = lives ? (uint32_t)syn_random_spread(state, 32) : 0,
        .halvings = lives ? (uint8_t)syn_random_below(state, PM_HALVINGS_MAX + 1) : 0,
    };
    return a;
}

static struct syn *with_definitions(void)
{
    struct syn *s = syn_new();
    for (guint i = 1; i < 4; i++) {
        g_autofree char *name = g_strdup_printf("demo.Class%u", i);
        syn_class(s, g_intern_string(name));
    }
    for (guint i = 1; i < 6; i++)
        syn_thread(s, "worker");
    for (guint i = 1; i < 9; i++) {
        g_autofree char *frame = g_strdup_printf("demo.Main.run%u(Main.java:%u)", i, i);
        syn_chain(s, frame, NULL);
    }
    return s;
}

static void assert_same_allocation(const struct pm_allocation *x, const struct pm_allocation *y)
{
    g_assert_cmpint(x->at_ns + SYN_BEGIN_NS, ==, y->at_ns);
    g_assert_cmpint(x->size_bytes, ==, y->size_bytes);
    g_assert_cmpint(x->interval_bytes, ==, y->interval_bytes);
    g_assert_cmpuint(x->thread.n, ==, y->thread.n);
    g_assert_cmpuint(x->class_id.n, ==, y->class_id.n);
    g_assert_cmpuint(x->chain.n, ==, y->chain.n);
    g_assert_cmpuint(x->age, ==, y->age);
    g_assert_cmpuint(x->halvings, ==, y->halvings);
}

static void test_round_trip(gconstpointer data)
{
    uint64_t state = 7;
    struct syn *s = with_definitions();
    enum { N = 9000 };
    g_autofree struct pm_allocation *made = g_new0(struct pm_allocation, 2 * N);
    g_autofree struct pm_memory_cell *cells = g_new0(struct pm_memory_cell, N);
    for (guint i = 0; i < N; i++) {
        syn_allocation(s, made[i] = random_allocation(&state, false));
        syn_live(s, made[N + i] = random_allocation(&state, true));
        cells[i] = (struct pm_memory_cell){{(uint32_t)syn_random_below(&state, 4)},
                                           {(uint32_t)syn_random_below(&state, 9)},
                                           random_sum(&state),
                                           random_sum(&state)};
    }
    const struct pm_memory_head head = {.at_ns = 5 * SYN_S,
                                        .live_at_ns = 4 * SYN_S,
                                        .interval_bytes = 65536,
                                        .gcs = 12,
                                        .old_gcs = 3,
                                        .not_stored = 77,
                                        .place = PM_SNAPSHOT_PERIODIC,
                                        .flags = PM_MEMORY_KNOWN_FLAGS};
    syn_memory(s, head, cells, N);
    syn_options(s)->max_size = GPOINTER_TO_SIZE(data);
    g_autoptr(collected) c = collected_new();
    struct pm_source source = syn_finish(s, 20 * SYN_S);
    struct pm_verify_result verified;
    g_assert_cmpint(pm_verify(source, &verified, NULL), ==, PM_OK);
    g_assert_cmpstr(verified.first_problem, ==, "");
    g_assert_cmpint(collected_read_source(c, source), ==, PM_OK);
    g_assert_cmpuint(c->damage->len, ==, 0);
    g_assert_cmpuint(c->allocations->len, ==, N);
    g_assert_cmpuint(c->live->len, ==, N);
    g_assert_cmpuint(c->complete_listings, ==, 1);
    for (guint i = 0; i < N; i++) {
        assert_same_allocation(&made[i], &g_array_index(c->allocations, struct pm_allocation, i));
        assert_same_allocation(&made[N + i], &g_array_index(c->live, struct pm_allocation, i));
    }
    g_assert_cmpmem(c->cells->data, c->cells->len * sizeof *cells, cells, N * sizeof *cells);
    struct pm_memory_sum live = {0};
    for (guint i = 0; i < N; i++)
        live.bytes += cells[i].live.bytes;
    for (guint i = 0; i < c->memory->len; i++) {
        const struct pm_memory_head *read = &g_array_index(c->memory, struct pm_memory_head, i);
        g_assert_cmpint(read->at_ns, ==, SYN_BEGIN_NS + head.at_ns);
        g_assert_cmpint(read->live_at_ns, ==, SYN_BEGIN_NS + head.live_at_ns);
        g_assert_cmpint(read->interval_bytes, ==, head.interval_bytes);
        g_assert_cmpint(read->exact_from_ns, ==, 0);
        g_assert_cmpint(read->gcs, ==, head.gcs);
        g_assert_cmpint(read->old_gcs, ==, head.old_gcs);
        g_assert_cmpint(read->not_stored, ==, head.not_stored);
        g_assert_cmpuint(read->flags, ==, head.flags);
        g_assert_cmpint(read->live.bytes, ==, live.bytes);
    }
    syn_free(s);
}

/* ---- the second ring ---- */

struct telling {
    struct pm_memory_head head;
    struct pm_memory_cell cell;
};

static int tell_end(void *context, struct pm_writer *writer)
{
    struct telling *t = context;
    t->head.place = PM_SNAPSHOT_END;
    t->cell.total.bytes++;
    return pm_writer_add_memory(writer, &t->head, &t->cell, 1);
}

static void test_outlives(void)
{
    struct syn *s = with_definitions();
    struct telling telling = {.head = {.at_ns = SYN_BEGIN_NS + SYN_S},
                              .cell = {.class_id = {1}, .chain = {1}}};
    struct pm_writer_options options = {
        .max_size = PM_WRITER_MIN_SIZE, .on_chunk_end = tell_end, .context = &telling};
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer *writer = syn_writer(s, pm_memory_sink(memory), &options);
    uint64_t state = 3;
    struct pm_writer_stats stats;
    do {
        struct pm_allocation a = random_allocation(&state, false);
        a.at_ns += SYN_BEGIN_NS;
        g_assert_cmpint(pm_writer_add_allocation(writer, &a), ==, PM_OK);
        pm_writer_get_stats(writer, &stats);
    } while (stats.chunks < 60);
    const int64_t last = telling.cell.total.bytes;
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + SYN_S), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < c->cells->len; i++)
        g_hash_table_add(
            seen, GSIZE_TO_POINTER(g_array_index(c->cells, struct pm_memory_cell, i).total.bytes));
    for (int64_t i = 1; i <= last; i++)
        g_assert_true(g_hash_table_contains(seen, GSIZE_TO_POINTER(i)));
    g_assert_cmpuint(c->data_chunks, <, (guint)last); /* or nothing was lost to outlive */
    pm_memory_free(memory);
    syn_free(s);
}

/* A file says that it has such blocks where a reader need not know of it. */
static void test_flag(void)
{
    struct syn *s = syn_small();
    struct pm_file_header header;
    size_t size;
    struct pm_source source = syn_finish(s, SYN_SMALL_END);
    g_assert_cmpint(pm_file_header_decode(syn_bytes(s, &size), &header), ==, PM_OK);
    g_assert_cmpuint(header.compatible, ==, PM_COMPATIBLE_MEMORY);
    source.close(source.context);
    syn_free(s);
}

static void test_refused(void)
{
    struct syn *s = with_definitions();
    struct pm_memory *memory = syn_new_memory();
    struct pm_writer *writer =
        syn_writer(s, pm_memory_sink(memory), &(struct pm_writer_options){0});
    const struct pm_allocation bad[] = {
        {.at_ns = -1}, {.size_bytes = -1}, {.interval_bytes = PM_TIME_LIMIT}, {.halvings = 41}};
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_cmpint(pm_writer_add_allocation(writer, &bad[i]), ==, PM_ERROR_ARGUMENT);
    const struct pm_memory_head heads[] = {{.flags = 16}, {.place = 3}, {.live = {.bytes = -1}}};
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        g_assert_cmpint(pm_writer_add_memory(writer, &heads[i], NULL, 0), ==, PM_ERROR_ARGUMENT);
    pm_writer_abandon(writer);
    pm_memory_free(memory);
    syn_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/format/allocations/round-trip-compact", GSIZE_TO_POINTER(0),
                         test_round_trip);
    g_test_add_data_func("/format/allocations/round-trip-rolling", GSIZE_TO_POINTER(64u << 20),
                         test_round_trip);
    g_test_add_func("/format/allocations/end-snapshots-outlive-their-chunks", test_outlives);
    g_test_add_func("/format/allocations/a-reader-may-ignore-them", test_flag);
    g_test_add_func("/format/allocations/refuses-what-breaks-the-contract", test_refused);
    return g_test_run();
}
