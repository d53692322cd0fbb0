/* Allocation samples without a JVM: what they stand for, which are kept, how they are summed, which
 * objects are followed, what is told of it. Second sources: sums over every object that a test made
 * up, of which the module saw a sample. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/allocation/cells.h"
#include "recorder/agent/allocation/followed.h"
#include "recorder/agent/allocation/memory-log.h"
#include "recorder/agent/allocation/samples.h"
#include "recorder/agent/allocation/thinning.h"
#include "recorder/agent/allocation/wish.h"
#include "recorder/agent/hotspot/collections.h"
#include "recorder/agent/tables/tables.h"
#include "tests/format/collected.h"
#include "tests/format/synthetic.h"
#include "tests/format/in-memory.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

static int64_t told_base;
static guint n_told;

static void tell_base(int64_t bytes)
{
    told_base = bytes;
    n_told++;
}

/* ---- estimates ---- */

/* Objects of one size, each sampled with the probability that the interval gives it. */
static void test_estimate(void)
{
    static const int64_t sizes[] = {16, 1600, 64 * KIB, 512 * KIB, 4 * MIB};
    uint64_t state = 5;
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
        guint outside = 0;
        const guint n = (guint)(400 * MIB / sizes[s]);
        for (guint round = 0; round < 40; round++) {
            struct pm_estimate e = {0};
            const double p = pm_estimate_probability(sizes[s], 512 * KIB);
            /* How many of n are sampled: drawn by jumping from one to the next. */
            for (double at = 0; p < 1;) {
                double u = ((double)(syn_random(&state) >> 11) + 1) * 0x1p-53;
                at += 1 + floor(log(u) / log1p(-p));
                if (at > n)
                    break;
                pm_estimate_add(&e, sizes[s], 1 / p);
            }
            const double truth = (double)n * (double)sizes[s];
            outside += fabs(e.bytes - truth) > 3 * sqrt(e.bytes_variance) + 1;
        }
        g_assert_cmpuint(outside, <=, 2);
    }
    g_assert_true(pm_estimate_probability(16, 0) == 1);
    struct pm_estimate every = {0};
    for (guint i = 0; i < 1000; i++)
        pm_estimate_add(&every, 24, 1);
    const struct pm_memory_sum sum = pm_estimate_sum(&every);
    g_assert_cmpint(sum.objects, ==, 1000);
    g_assert_cmpint(sum.bytes, ==, 24000);
    g_assert_cmpint(sum.objects_error, ==, 0);
    g_assert_cmpint(sum.bytes_error, ==, 0);
    pm_estimate_add(&every, 24, 1.5);
    g_assert_cmpint(pm_estimate_sum(&every).bytes_error, >, 0); /* however little */
}

/* ---- thinning ---- */

/* A JVM that reports one object of `size` with the probability of its base. */
static gint64 run_jvm(guint n, int64_t size, uint64_t *state, int64_t *now_ns, int64_t step_ns,
                      double *ret_estimate)
{
    gint64 reported = 0;
    for (guint i = 0; i < n; i++) {
        int64_t interval;
        *now_ns += step_ns;
        const double u = (double)(syn_random(state) >> 11) * 0x1p-53;
        if (u >= pm_estimate_probability(size, told_base))
            continue;
        reported++;
        if (pm_thinning_keep(size, *now_ns, &interval))
            *ret_estimate += (double)size / pm_estimate_probability(size, interval);
    }
    return reported;
}

static void test_thinning(void)
{
    uint64_t state = 9;
    int64_t now_ns = SYN_S;
    double estimate = 0;
    told_base = 0;
    pm_thinning_init(true, 2, tell_base);
    g_assert_cmpint(pm_thinning_interval(), ==, PM_THINNING_OFF);
    pm_thinning_want(512 * KIB);
    g_assert_cmpint(told_base, ==, 32 * KIB); /* denser than wanted, as the JVM's are biased */
    g_assert_cmpint(pm_thinning_interval(), ==, 512 * KIB);
    run_jvm(4000000, 1000, &state, &now_ns, 100 * SYN_US, &estimate);
    g_assert_cmpfloat(fabs(estimate - 4e9), <, 5 * sqrt(4e9 * 524288)); /* 5 standard errors */
    g_assert_cmpint(pm_thinning_interval(), ==, 512 * KIB);

    pm_thinning_init(false, 2, tell_base);
    pm_thinning_want(512 * KIB);
    g_assert_cmpint(told_base, ==, 32 * KIB);
    pm_thinning_want(0);
    int64_t interval = -1;
    g_assert_cmpint(told_base, ==, 0);
    g_assert_true(pm_thinning_keep(16, now_ns, &interval));
    g_assert_cmpint(interval, ==, 0);
    pm_thinning_want(PM_THINNING_OFF);
    g_assert_false(pm_thinning_keep(16, now_ns, &interval));
}

/* A storm: 20 GB a second. The rate of reports sinks to the budget, what it is all thought to be
 * stays right, and once it is over the interval is as wanted again. */
static void test_budget(void)
{
    uint64_t state = 11;
    int64_t now_ns = SYN_S;
    double estimate = 0;
    pm_thinning_init(true, 1, tell_base);
    pm_thinning_want(512 * KIB);
    run_jvm(2000000, 10000, &state, &now_ns, 500, &estimate);
    g_assert_cmpint(pm_thinning_interval(), >=, 8 * MIB);
    g_assert_cmpint(told_base, ==, pm_thinning_interval() / 16);
    /* Where the JVM's samples will do, the base is given up first. */
    pm_thinning_init(false, 1, tell_base);
    pm_thinning_want(512 * KIB);
    run_jvm(2000000, 10000, &state, &now_ns, 500, &estimate);
    g_assert_cmpint(told_base, ==, pm_thinning_interval());
    g_assert_cmpint(pm_thinning_interval(), >=, 4 * MIB);

    pm_thinning_init(true, 1, tell_base);
    pm_thinning_want(512 * KIB);
    run_jvm(2000000, 10000, &state, &now_ns, 500, &estimate);
    estimate = 0;
    const int64_t begin_ns = now_ns;
    const gint64 reported = run_jvm(10000000, 10000, &state, &now_ns, 500, &estimate);
    g_assert_cmpfloat((double)reported * 1e9 / (double)(now_ns - begin_ns), <, 1500 * 1.1);
    g_assert_cmpfloat(fabs(estimate - 1e11), <, 5 * sqrt(1e11 * 64 * (double)MIB));
    for (guint i = 0; i < 30; i++)
        pm_thinning_settle(now_ns += SYN_S);
    g_assert_cmpint(pm_thinning_interval(), ==, 512 * KIB);
    g_assert_cmpint(told_base, ==, 32 * KIB);

    /* Who asks for a denser one gets more. */
    pm_thinning_want(16 * KIB);
    run_jvm(2000000, 10000, &state, &now_ns, 500, &estimate);
    const int64_t dense_ns = now_ns;
    const gint64 dense = run_jvm(10000000, 10000, &state, &now_ns, 500, &estimate);
    const double dense_rate = (double)dense * 1e9 / (double)(now_ns - dense_ns);
    g_assert_cmpfloat(dense_rate, >, 1500 * 1.1);
    g_assert_cmpfloat(dense_rate, <, 3000 * 1.1);
}

/* Where threads begin all the time the samples of the JVM depend on each other, on any JDK. */
static void test_many_threads(void)
{
    int64_t now_ns = SYN_S;
    pm_thinning_init(false, 2, tell_base);
    pm_thinning_want(512 * KIB);
    pm_thinning_settle(now_ns += SYN_S);
    for (guint i = 0; i < 1000; i++)
        pm_thinning_note_thread();
    pm_thinning_settle(now_ns += SYN_S);
    g_assert_cmpint(told_base, ==, 8 * KIB);
    pm_thinning_settle(now_ns += SYN_S);
    g_assert_cmpint(told_base, ==, 32 * KIB);
}

static void test_random(void)
{
    guint buckets[10] = {0};
    for (guint i = 0; i < 100000; i++) {
        const double u = pm_thinning_random();
        g_assert_true(u >= 0 && u < 1);
        buckets[(guint)(u * 10)]++;
    }
    for (guint i = 0; i < 10; i++)
        g_assert_cmpfloat(fabs(buckets[i] - 1e4), <, 500);
}

/* ---- cells ---- */

static struct pm_memory_cell copied[PM_CELLS_MAX];

static const struct pm_memory_cell *find_cell(uint32_t n, uint32_t class_id, uint32_t chain)
{
    for (uint32_t i = 0; i < n; i++)
        if (copied[i].class_id.n == class_id && copied[i].chain.n == chain)
            return &copied[i];
    return NULL;
}

static gpointer add_many(gpointer data)
{
    for (uint32_t i = 0; i < 100000; i++)
        pm_cells_add((pm_class_id){1 + i % 7}, (pm_chain_id){1 + i % 11}, 8 + i % 7, 1);
    return NULL;
}

static void test_cells(void)
{
    GThread *threads[4];
    g_assert_cmpint(pm_cells_init(), ==, 0);
    for (guint i = 0; i < 4; i++)
        threads[i] = g_thread_new("adds", add_many, NULL);
    for (guint i = 0; i < 4; i++)
        g_thread_join(threads[i]);
    struct pm_memory_head head = {0};
    const uint32_t n = pm_cells_copy(copied, &head);
    g_assert_cmpint(head.total.objects, ==, 400000);
    g_assert_cmpint(head.total.objects_error, ==, 0);
    int64_t objects = 0;
    for (uint32_t c = 1; c <= 7; c++) {
        for (uint32_t k = 1; k <= 11; k++) {
            const struct pm_memory_cell *cell = find_cell(n, c, k);
            g_assert_cmpint(cell->total.bytes, ==, cell->total.objects * (int64_t)(7 + c));
            objects += cell->total.objects;
        }
    }
    g_assert_cmpint(objects, ==, 400000);
}

/* More stack traces than there are cells: none is lost, a class keeps what is its. */
static void test_full(void)
{
    for (uint32_t i = 0; i < 2 * PM_CELLS_MAX; i++)
        pm_cells_add((pm_class_id){100}, (pm_chain_id){1000 + i}, 10, 1);
    for (uint32_t i = 0; i < 2 * PM_CELLS_MAX; i++)
        pm_cells_add((pm_class_id){1000 + i}, (pm_chain_id){7}, 10, 1);
    struct pm_memory_head head = {0};
    const uint32_t n = pm_cells_copy(copied, &head);
    g_assert_cmpuint(n, ==, PM_CELLS_MAX);
    g_assert_cmpint(head.total.objects, ==, 400000 + 4 * PM_CELLS_MAX);
    int64_t of_class = 0;
    for (uint32_t i = 0; i < n; i++)
        of_class += copied[i].class_id.n == 100 ? copied[i].total.objects : 0;
    g_assert_cmpint(of_class, ==, 2 * PM_CELLS_MAX);
    g_assert_cmpint(find_cell(n, 100, 0)->total.objects, >, PM_CELLS_MAX);
    g_assert_cmpint(find_cell(n, 0, 0)->total.objects, >, 0);
}

/* ---- followed objects ---- */

/* Objects of the test: a reference is the address of one; deleted twice, it is found out. */
struct object {
    gboolean collected, referenced;
};

static bool is_collected(void *context, void *reference)
{
    g_assert_true(((struct object *)reference)->referenced);
    return ((struct object *)reference)->collected;
}

static void drop(void *context, void *reference)
{
    g_assert_true(((struct object *)reference)->referenced);
    ((struct object *)reference)->referenced = FALSE;
}

static const struct pm_followed_hooks hooks = {.is_collected = is_collected, .drop = drop};

static void follow(struct object *object, int64_t size, int64_t interval, uint32_t gc)
{
    struct pm_followed followed = {.born_ns = SYN_BEGIN_NS,
                                   .size_bytes = size,
                                   .interval_bytes = interval,
                                   .cell = 1,
                                   .born_gc = gc};
    if (!pm_followed_admit(&followed.halvings))
        return;
    object->referenced = TRUE;
    followed.reference = object;
    pm_followed_add(&followed);
}

static struct pm_memory_sum live_now(void)
{
    struct pm_memory_head head = {0};
    pm_cells_copy(copied, &head);
    return head.live;
}

static void test_followed(void)
{
    enum { N = 5000 };
    g_autofree struct object *objects = g_new0(struct object, N);
    const struct pm_live_look look = {.at_ns = SYN_BEGIN_NS + 1, .gcs = 4, .old_gcs = 1};
    g_assert_cmpint(pm_followed_init(), ==, 0);
    for (guint i = 0; i < N; i++)
        follow(&objects[i], 32, 0, i < 4000 ? 3 : 4);
    for (guint i = 0; i < 1000; i++)
        objects[i].collected = TRUE;
    pm_followed_look(&hooks, 4, look);
    /* Of those born after the last collection it is not known. */
    g_assert_cmpint(live_now().objects, ==, 3000);
    g_assert_cmpint(live_now().bytes, ==, 3000 * 32);
    g_assert_cmpint(live_now().objects_error, ==, 0);
    g_assert_cmpint(pm_cells_live_look().old_gcs, ==, 1);
    g_assert_cmpuint(pm_followed_count(), ==, 4000);
    g_autofree struct pm_allocation *listed = g_new0(struct pm_allocation, N);
    g_assert_cmpuint(pm_followed_list(listed, N, 9), ==, 3000);
    g_assert_cmpuint(listed[0].age, ==, 6);
    pm_followed_look(&hooks, 5, look);
    g_assert_cmpint(live_now().objects, ==, 4000);
    pm_followed_drop_all(&hooks);
    g_assert_cmpuint(pm_followed_count(), ==, 0);
    for (guint i = 0; i < N; i++)
        g_assert_false(objects[i].referenced);
}

/* Ten times more than are followed: the bound holds, and what lives is estimated rightly. */
static void test_halving(void)
{
    const guint n = 10 * PM_FOLLOWED_MAX;
    g_autofree struct object *objects = g_new0(struct object, n);
    const struct pm_live_look look = {.at_ns = SYN_BEGIN_NS + 2};
    guint most = 0;
    for (guint i = 0; i < n; i++) {
        follow(&objects[i], 100, 0, 1);
        most = MAX(most, pm_followed_count());
        if (pm_followed_is_crowded() && i % 1000 == 0)
            pm_followed_look(&hooks, 2, look);
    }
    pm_followed_look(&hooks, 2, look);
    g_assert_cmpuint(most, <=, PM_FOLLOWED_MAX + PM_FOLLOWED_MAX / 4);
    g_assert_cmpuint(pm_followed_count(), <=, PM_FOLLOWED_MAX);
    g_assert_cmpuint(pm_followed_refused(), ==, 0);
    const struct pm_memory_sum live = live_now();
    g_assert_cmpint(live.objects_error, >, 0);
    g_assert_cmpint(ABS(live.objects - (gint64)n), <, 5 * live.objects_error);
    for (guint i = 0; i < n; i += 2)
        objects[i].collected = TRUE;
    pm_followed_look(&hooks, 3, look);
    const struct pm_memory_sum half = live_now();
    g_assert_cmpint(ABS(half.objects - (gint64)n / 2), <, 5 * half.objects_error);
    pm_followed_drop_all(&hooks);
}

/* A bound that sinks and rises again, as pauses of young collections get shorter and longer: what
 * lives is estimated rightly all the while, and it is told that a coin was thrown. */
static void test_bound(void)
{
    enum { N = 60000 };
    static const uint32_t bounds[] = {100000, 10000, 2000, 4000, 50000, 100000};
    g_autofree struct object *objects = g_new0(struct object, N);
    const struct pm_live_look look = {.at_ns = SYN_BEGIN_NS + 3};
    for (guint b = 0; b < G_N_ELEMENTS(bounds); b++) {
        pm_followed_bound(bounds[b]);
        pm_followed_look(&hooks, 2, look);
        for (guint i = b * 10000; i < (b + 1) * 10000; i++) {
            follow(&objects[i], 100, 0, 1);
            if (pm_followed_is_crowded() && i % 16 == 0)
                pm_followed_look(&hooks, 2, look);
        }
        for (guint i = 0; i < 8; i++) /* looks by which the coin is thrown less often again */
            pm_followed_look(&hooks, 2, look);
        const struct pm_memory_sum live = live_now();
        const gint64 n = 10000 * (gint64)(b + 1);
        g_test_message("bound %u: %u followed, %" G_GINT64_FORMAT " ± %" G_GINT64_FORMAT, bounds[b],
                       pm_followed_count(), live.objects, 3 * live.objects_error);
        g_assert_cmpuint(pm_followed_count(), <=, bounds[b]);
        g_assert_cmpint(pm_cells_live_look().thinned, ==, b > 0);
        g_assert_cmpint(ABS(live.objects - n), <=, 5 * live.objects_error);
    }
    g_assert_cmpuint(pm_followed_refused(), ==, 0);
    pm_followed_drop_all(&hooks);
    pm_followed_look(&hooks, 2, look);
    g_assert_false(pm_cells_live_look().thinned);
}

static void test_bearable(void)
{
    g_assert_cmpuint(pm_followed_bearable(0), ==, PM_FOLLOWED_MAX);
    g_assert_cmpuint(pm_followed_bearable(10 * SYN_MS), ==, PM_FOLLOWED_MAX);
    g_assert_cmpuint(pm_followed_bearable(120 * SYN_US), ==, 3750); /* of 8 ns: 30 µs */
    g_assert_cmpuint(pm_followed_bearable(SYN_US), ==, 2000);
}

/* ---- what is told ---- */

static void test_samples(void)
{
    struct pm_allocation one = {.at_ns = 1}, taken[64];
    const uint64_t lost = pm_samples_lost();
    for (guint i = 0; i < 5000; i++) {
        one.size_bytes = i;
        pm_samples_add(&one);
    }
    g_assert_cmpuint(pm_samples_lost() - lost, ==, 5000 - 4096);
    size_t n, sum = 0;
    while ((n = pm_samples_take(taken, 64)) > 0) {
        g_assert_cmpint(taken[0].size_bytes, ==, (int64_t)sum);
        sum += n;
    }
    g_assert_cmpuint(sum, ==, 4096);
}

static void test_log(void)
{
    struct pm_memory_log *log = NULL;
    struct pm_memory *memory = syn_new_memory();
    struct syn *s = syn_new();
    struct pm_writer *writer =
        syn_writer(s, pm_memory_sink(memory), &(struct pm_writer_options){0});
    g_assert_cmpint(pm_memory_log_tell(&log, writer, PM_SNAPSHOT_PERIODIC), ==, PM_OK);
    g_assert_nonnull(log);
    pm_cells_live_begin();
    pm_cells_live_publish(&(struct pm_live_look){.at_ns = G_MAXINT64 / 4, .gcs = 9, .old_gcs = 3});
    g_assert_cmpint(pm_memory_log_take(&log, writer), ==, PM_OK); /* too soon for another */
    pm_cells_add((pm_class_id){1}, (pm_chain_id){1}, 8, 1);
    pm_memory_log_want_all();
    g_assert_cmpint(pm_memory_log_take(&log, writer), ==, PM_OK);
    g_assert_cmpint(pm_writer_close(writer, SYN_BEGIN_NS + 3 * SYN_S), ==, PM_OK);
    g_autoptr(collected) c = collected_new();
    g_assert_cmpint(collected_read_source(c, pm_memory_source(memory)), ==, PM_OK);
    g_autoptr(GHashTable) instants = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < c->memory->len; i++)
        g_hash_table_add(instants, &g_array_index(c->memory, struct pm_memory_head, i).at_ns);
    g_assert_cmpuint(g_hash_table_size(instants), ==, 2);
    /* The second snapshot tells of the one cell that changed, and of all in its sums. */
    const struct pm_memory_head *last =
        &g_array_index(c->memory, struct pm_memory_head, c->memory->len - 1);
    const struct pm_memory_head *first = &g_array_index(c->memory, struct pm_memory_head, 0);
    g_assert_cmpint(last->total.objects, ==, first->total.objects + 1);
    g_assert_cmpint(last->old_gcs, ==, 3);
    g_assert_cmpuint(last->flags, ==, PM_MEMORY_AFTER_GC | PM_MEMORY_AFTER_OLD_GC);
    const struct pm_memory_cell *cell =
        &g_array_index(c->cells, struct pm_memory_cell, c->cells->len - 1);
    g_assert_cmpuint(cell->class_id.n, ==, 1);
    g_assert_cmpuint(cell->chain.n, ==, 1);
    pm_memory_log_free(log);
    pm_memory_free(memory);
    syn_free(s);
}

/* ---- collections ---- */

static void put32(GByteArray *bytes, guint32 value)
{
    g_byte_array_append(bytes, (const guint8 *)&value, 4);
}

/* An entry of HotSpot's perfData: one 64-bit number, or a text. */
static void put_entry(GByteArray *bytes, const char *name, gint64 value, const char *text)
{
    const guint name_length = (guint)((strlen(name) + 8) & ~7u);
    const guint data_length = text ? (guint)((strlen(text) + 8) & ~7u) : 8;
    const guint8 zeros[64] = {0};
    put32(bytes, 20 + name_length + data_length);
    put32(bytes, 20);                     /* the name's offset */
    put32(bytes, text ? data_length : 0); /* of a vector */
    put32(bytes, text ? 'B' : 'J');       /* type, flags, units, variability */
    put32(bytes, 20 + name_length);       /* the value's offset */
    const guint begin = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)name, (guint)strlen(name));
    g_byte_array_append(bytes, zeros, begin + name_length - bytes->len);
    if (text) {
        g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
        g_byte_array_append(bytes, zeros, begin + name_length + data_length - bytes->len);
    } else {
        g_byte_array_append(bytes, (const guint8 *)&value, 8);
    }
}

static GByteArray *perf_data(gint64 full, const char *name)
{
    GByteArray *bytes = g_byte_array_new();
    const guint8 head[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    g_byte_array_append(bytes, head, sizeof head);
    put32(bytes, 0);
    put32(bytes, 0);
    put32(bytes, 0);
    put32(bytes, 0);
    put32(bytes, 32);
    put32(bytes, 5);
    put_entry(bytes, "sun.rt.javaCommand", 0, "Main");
    put_entry(bytes, "sun.gc.collector.0.invocations", 77, NULL);
    put_entry(bytes, "sun.gc.collector.1.invocations", full, NULL);
    put_entry(bytes, "sun.gc.collector.2.invocations", 4, NULL);
    put_entry(bytes, "sun.gc.collector.2.name", 0, name);
    return bytes;
}

/* Where the number of an entry is, behind its name. */
static guint8 *find_value(GByteArray *bytes, const char *name)
{
    guint8 *at = memmem(bytes->data, bytes->len, name, strlen(name) + 1);
    g_assert_nonnull(at);
    return at + ((strlen(name) + 8) & ~7u);
}

static void test_collections(void)
{
    int64_t pauses = -1;
    g_autoptr(GByteArray) bytes = perf_data(3, "G1 concurrent cycle pauses");
    pm_collections_learn_from(bytes->data, bytes->len);
    g_assert_true(pm_collections_old(&pauses));
    g_assert_cmpint(pauses, ==, 7); /* not those of young objects */
    g_assert_cmpuint(pm_collections_lag(), ==, 1);
    g_autoptr(GByteArray) z = perf_data(0, "ZGC major collection pauses");
    pm_collections_learn_from(z->data, z->len);
    g_assert_cmpuint(pm_collections_lag(), >, 1);
    /* Pauses of young collections beside longer ones of old objects. */
    pm_collections_note(SYN_MS);
    g_assert_cmpint(pm_collections_young_pause(), ==, 0);
    pm_collections_learn_from(bytes->data, bytes->len);
    for (guint i = 0; i < 2 * PM_YOUNG_PAUSES + 2; i++) {
        *find_value(bytes, "sun.gc.collector.1.invocations") += i % 2;
        pm_collections_note(i % 2 ? 30 * SYN_MS : (i % 3) * SYN_MS);
    }
    g_assert_cmpint(pm_collections_young_pause(), ==, SYN_MS);
    pm_collections_learn_from(z->data, z->len);
    g_assert_cmpint(pm_collections_young_pause(), ==, 0); /* it looks at them beside the program */
    /* Cut short, or something else: not known, and no harm. */
    for (guint size = 0; size < bytes->len; size++)
        pm_collections_learn_from(bytes->data, size);
    bytes->data[0] = 0;
    pm_collections_learn_from(bytes->data, bytes->len);
    g_assert_false(pm_collections_old(&pauses));
    pm_collections_learn_from(NULL, 0);
    g_assert_false(pm_collections_old(&pauses));
}

/* ---- wishes ---- */

static int64_t granted;
static gboolean refuses;

/* Grants at once, on the asking thread. */
static void grant(void)
{
    int64_t interval;
    if (pm_wish_next_interval(&interval)) {
        granted = interval;
        pm_wish_answer_interval(interval, refuses);
    }
    pm_wish_answer_look(pm_wish_looks());
}

static void test_wishes(void)
{
    pm_wish_set_hurry(grant);
    g_assert_cmpint(pm_wish_interval(512 * KIB, SYN_S), ==, 0);
    g_assert_cmpint(granted, ==, 512 * KIB);
    g_assert_cmpint(pm_wish_look(SYN_S), ==, 0);
    refuses = TRUE;
    g_assert_cmpint(pm_wish_interval(0, SYN_S), ==, PM_ERROR_ARGUMENT);
    pm_wish_set_hurry(NULL);
    g_assert_cmpint(pm_wish_look(20 * SYN_MS), ==, PM_ERROR_IO);
    g_assert_cmpint(pm_wish_interval(1, 20 * SYN_MS), ==, PM_ERROR_IO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_test_add_func("/agent/allocation/estimates-hold-their-errors", test_estimate);
    g_test_add_func("/agent/allocation/thinned-samples-stand-for-all", test_thinning);
    g_test_add_func("/agent/allocation/a-storm-is-bounded-and-estimated", test_budget);
    g_test_add_func("/agent/allocation/many-threads-make-the-base-denser", test_many_threads);
    g_test_add_func("/agent/allocation/random-is-even", test_random);
    g_test_add_func("/agent/allocation/cells-sum-what-threads-add", test_cells);
    g_test_add_func("/agent/allocation/full-cells-lose-nothing", test_full);
    g_test_add_func("/agent/allocation/followed-objects-live-or-do-not", test_followed);
    g_test_add_func("/agent/allocation/too-many-followed-are-halved", test_halving);
    g_test_add_func("/agent/allocation/a-bound-that-sinks-and-rises", test_bound);
    g_test_add_func("/agent/allocation/young-pauses-bound-what-is-followed", test_bearable);
    g_test_add_func("/agent/allocation/samples-are-bounded", test_samples);
    g_test_add_func("/agent/allocation/the-log-tells-what-changed", test_log);
    g_test_add_func("/agent/allocation/old-collections-are-counted", test_collections);
    g_test_add_func("/agent/allocation/wishes-are-granted-or-refused", test_wishes);
    return g_test_run();
}
