/* recorder/agent/storage/gap.h: what a recording in memory then says was not stored. */
#include <glib.h>

#include "format/reader.h"
#include "recorder/agent/storage/gap.h"
#include "recorder/agent/tables/tables.h"
#include "tests/format/in-memory.h"

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_val((GArray *)context, *gap);
    return 0;
}

static GArray *read_gaps(struct pm_memory *memory)
{
    GArray *gaps = g_array_new(FALSE, FALSE, sizeof(struct pm_gap));
    struct pm_visitor visitor = {.context = gaps, .on_gap = on_gap};
    struct pm_reader *reader;
    g_assert_cmpint(pm_reader_open(pm_memory_source(memory), &reader, NULL), ==, 0);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++)
        g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, NULL), ==, 0);
    pm_reader_free(reader);
    return gaps;
}

static void test_gap_spans_and_sums_what_was_left_out(void)
{
    struct pm_memory *memory;
    struct pm_writer *writer;
    struct pm_facts facts = {.pid = 1, .begin_ns = 1000};
    struct pm_writer_options options = {0};
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_assert_cmpint(pm_memory_new(0, &memory), ==, 0);
    g_assert_cmpint(pm_writer_open(pm_memory_sink(memory), &facts, pm_tables_dictionary(), &options,
                                   &writer, NULL),
                    ==, 0);

    struct pm_gaps gaps = {0};
    pm_gaps_add(&gaps, &(struct pm_gap){2000, 3000, PM_GAP_MINTIME, 1, 1000});
    pm_gaps_add(&gaps, &(struct pm_gap){1500, 1700, PM_GAP_MINTIME, 1, 200});
    pm_gaps_add(&gaps, &(struct pm_gap){2500, 3500, PM_GAP_MINTIME, 2, 700});
    pm_gaps_add(&gaps, &(struct pm_gap){4000, 5000, PM_GAP_IDLE, 1, 1000});
    g_assert_cmpint(pm_gaps_write(&gaps, writer), ==, 0);
    g_assert_cmpint(pm_gaps_write(&gaps, writer), ==, 0); /* nothing left to tell */
    pm_gaps_add(&gaps, &(struct pm_gap){6000, 7000, PM_GAP_MINTIME, 1, 1000});
    g_assert_cmpint(pm_gaps_write(&gaps, writer), ==, 0);
    g_assert_cmpint(pm_writer_close(writer, 8000), ==, 0);

    static const struct pm_gap expected[] = {{1500, 3500, PM_GAP_MINTIME, 4, 1900},
                                             {4000, 5000, PM_GAP_IDLE, 1, 1000},
                                             {6000, 7000, PM_GAP_MINTIME, 1, 1000}};
    GArray *told = read_gaps(memory);
    g_assert_cmpuint(told->len, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < told->len; i++) {
        const struct pm_gap *gap = &g_array_index(told, struct pm_gap, i);
        g_assert_cmpint(gap->reason, ==, expected[i].reason);
        g_assert_cmpint(gap->begin_ns, ==, expected[i].begin_ns);
        g_assert_cmpint(gap->end_ns, ==, expected[i].end_ns);
        g_assert_cmpint(gap->waits, ==, expected[i].waits);
        g_assert_cmpint(gap->thread_time_ns, ==, expected[i].thread_time_ns);
    }
    g_array_unref(told);
    pm_memory_free(memory);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/gap/spans-and-sums-what-was-left-out",
                    test_gap_spans_and_sums_what_was_left_out);
    return g_test_run();
}
