/* What is written is what is read, for every kind of record. */
#include <glib.h>
#include <string.h>

#include "format/reader.h"
#include "tests/format/synthetic.h"

struct seen {
    GArray *waits, *progress, *samples, *spans, *gaps, *counters;
    guint classes, methods, chains, threads, blockers, footers, damage;
    gboolean complete;
};

static int see_waits(void *context, const struct pm_wait_columns *c)
{
    struct seen *seen = context;
    for (size_t i = 0; i < c->n; i++) {
        struct pm_wait wait = {
            .begin_ns = c->begin_ns[i],
            .duration_ns = c->duration_ns[i],
            .wake_ns = c->wake_ns[i],
            .thread = {c->thread[i]},
            .blocker = {c->blocker[i]},
            .chain = {c->chain[i]},
            .owner = {c->owner[i]},
            .waker = {c->waker[i]},
            .waker_chain = {c->waker_chain[i]},
            .aqs_state = c->aqs_state[i],
            .kind = c->kind[i],
            .wake_cause = c->wake_cause[i],
            .flags = c->flags[i],
        };
        g_array_append_val(seen->waits, wait);
    }
    return 0;
}

static int see_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                        int64_t at_ns)
{
    struct seen *seen = context;
    g_array_append_vals(seen->progress, waits, (guint)n);
    seen->complete = complete;
    return 0;
}

static int see_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    struct seen *seen = context;
    g_array_append_vals(seen->counters, snapshot->counters, (guint)snapshot->n_counters);
    return 0;
}

static int see_sample(void *context, const struct pm_owner_sample *sample)
{
    g_array_append_vals(((struct seen *)context)->samples, sample, 1);
    return 0;
}

static int see_span(void *context, const struct pm_span *span)
{
    g_array_append_vals(((struct seen *)context)->spans, span, 1);
    return 0;
}

static int see_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_vals(((struct seen *)context)->gaps, gap, 1);
    return 0;
}

static int see_footer(void *context, const struct pm_footer *footer)
{
    ((struct seen *)context)->footers++;
    return 0;
}

static int see_damage(void *context, const struct pm_damage *damage)
{
    ((struct seen *)context)->damage++;
    return 0;
}

static int see_thread(void *context, const struct pm_thread *thread)
{
    ((struct seen *)context)->threads++;
    return 0;
}

static void seen_init(struct seen *seen)
{
    *seen = (struct seen){
        .waits = g_array_new(FALSE, TRUE, sizeof(struct pm_wait)),
        .progress = g_array_new(FALSE, TRUE, sizeof(struct pm_wait)),
        .samples = g_array_new(FALSE, TRUE, sizeof(struct pm_owner_sample)),
        .spans = g_array_new(FALSE, TRUE, sizeof(struct pm_span)),
        .gaps = g_array_new(FALSE, TRUE, sizeof(struct pm_gap)),
        .counters = g_array_new(FALSE, TRUE, sizeof(struct pm_counters)),
    };
}

static void seen_clear(struct seen *seen)
{
    g_array_unref(seen->waits);
    g_array_unref(seen->progress);
    g_array_unref(seen->samples);
    g_array_unref(seen->spans);
    g_array_unref(seen->gaps);
    g_array_unref(seen->counters);
}

static void read_all(struct pm_source source, struct seen *seen)
{
    struct pm_visitor visitor = {
        .context = seen,
        .on_thread = see_thread,
        .on_waits = see_waits,
        .on_progress = see_progress,
        .on_snapshot = see_snapshot,
        .on_owner_sample = see_sample,
        .on_span = see_span,
        .on_gap = see_gap,
        .on_footer = see_footer,
        .on_damage = see_damage,
    };
    struct pm_reader *reader = NULL;
    struct pm_error_info info = {0};
    int result = pm_reader_open(source, &reader, &info);
    if (result != PM_OK) {
        g_error("open: %s", info.text);
    }
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, &info), ==, PM_OK);
    }
    pm_reader_free(reader);
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const struct pm_wait *x = a, *y = b;
    if (x->begin_ns != y->begin_ns) {
        return x->begin_ns < y->begin_ns ? -1 : 1;
    }
    return memcmp(x, y, sizeof *x); /* any order will do, the struct has no padding */
}

static void assert_waits_equal(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++) {
        const struct pm_wait *x = &g_array_index(a, struct pm_wait, i);
        const struct pm_wait *y = &g_array_index(b, struct pm_wait, i);
        g_assert_cmpint(x->begin_ns, ==, y->begin_ns);
        g_assert_cmpint(x->duration_ns, ==, y->duration_ns);
        g_assert_cmpint(x->wake_ns, ==, y->wake_ns);
        g_assert_cmpuint(x->thread.n, ==, y->thread.n);
        g_assert_cmpuint(x->blocker.n, ==, y->blocker.n);
        g_assert_cmpuint(x->chain.n, ==, y->chain.n);
        g_assert_cmpuint(x->owner.n, ==, y->owner.n);
        g_assert_cmpuint(x->waker.n, ==, y->waker.n);
        g_assert_cmpuint(x->waker_chain.n, ==, y->waker_chain.n);
        g_assert_cmpint(x->aqs_state, ==, y->aqs_state);
        g_assert_cmpuint(x->kind, ==, y->kind);
        g_assert_cmpuint(x->wake_cause, ==, y->wake_cause);
        g_assert_cmpuint(x->flags, ==, y->flags);
    }
}

/* Waits whose every field is of any size it may have, for three shapes: few threads, as many as
 * rows, in between. */
static void test_waits(gconstpointer data)
{
    guint max_size = GPOINTER_TO_UINT(data);
    uint64_t state = 42;
    for (guint round = 0; round < 12; round++) {
        struct syn *s = syn_new();
        pm_class_id class_id = syn_class(s, "demo.Lock");
        guint n_threads = round % 3 == 0 ? 2 : round % 3 == 1 ? 5000 : 300;
        guint n_waits = 1 + (guint)syn_random_below(&state, 6000);
        guint n_chains = round % 2 == 0 ? 3 : 700;
        for (guint i = 0; i < n_threads; i++) {
            syn_thread(s, "thread");
        }
        for (guint i = 0; i < n_chains; i++) {
            g_autofree char *frame = g_strdup_printf("demo.Main.run%u(Main.java:%u)", i, i);
            syn_chain(s, frame, NULL);
        }
        for (guint i = 0; i < 400; i++) {
            syn_blocker(s, class_id, i);
        }
        GArray *written = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
        int64_t time = 0;
        for (guint i = 0; i < n_waits; i++) {
            time += (int64_t)syn_random_spread(&state, 30);
            struct pm_wait *w =
                syn_wait(s, (pm_thread_id){1 + (uint32_t)syn_random_below(&state, n_threads)},
                         (pm_blocker_id){1 + (uint32_t)syn_random_below(&state, 400)}, time,
                         (int64_t)syn_random_spread(&state, 44));
            w->chain.n = (uint32_t)syn_random_below(&state, n_chains + 1);
            w->owner.n = (uint32_t)syn_random_below(&state, n_threads + 1);
            w->waker.n = (uint32_t)syn_random_below(&state, n_threads + 1);
            w->waker_chain.n = (uint32_t)syn_random_below(&state, n_chains + 1);
            w->wake_ns =
                syn_random_below(&state, 3) == 0 ? 0 : (int64_t)syn_random_spread(&state, 61);
            w->aqs_state = (int32_t)(uint32_t)syn_random_spread(&state, 32);
            w->kind = (uint8_t)syn_random_below(&state, PM_N_KINDS);
            w->wake_cause = (uint8_t)syn_random_below(&state, PM_N_WAKE_CAUSES);
            w->flags = (uint16_t)(syn_random(&state) & PM_WAIT_KNOWN_FLAGS & ~PM_WAIT_IN_PROGRESS);
            g_array_append_vals(written, w, 1);
        }
        syn_options(s)->max_size = max_size;
        struct pm_source source = syn_finish(s, time + SYN_S);
        struct seen seen;
        seen_init(&seen);
        read_all(source, &seen);
        g_assert_cmpuint(seen.damage, ==, 0);
        g_array_sort(written, by_begin);
        g_array_sort(seen.waits, by_begin);
        assert_waits_equal(written, seen.waits);
        seen_clear(&seen);
        g_array_unref(written);
        syn_free(s);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/format/round-trip/waits-compact", GUINT_TO_POINTER(0), test_waits);
    g_test_add_data_func("/format/round-trip/waits-rolling", GUINT_TO_POINTER(64u << 20),
                         test_waits);
    return g_test_run();
}
