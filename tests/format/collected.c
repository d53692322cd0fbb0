#include "tests/format/collected.h"

#include <string.h>

struct collected *collected_new(void)
{
    struct collected *c = g_new0(struct collected, 1);
    c->waits = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    c->progress = g_array_new(FALSE, TRUE, sizeof(struct pm_wait));
    c->samples = g_array_new(FALSE, TRUE, sizeof(struct pm_owner_sample));
    c->census = g_array_new(FALSE, TRUE, sizeof(struct pm_census_row));
    c->spans = g_array_new(FALSE, TRUE, sizeof(struct pm_span));
    c->gaps = g_array_new(FALSE, TRUE, sizeof(struct pm_gap));
    c->counters = g_array_new(FALSE, TRUE, sizeof(struct pm_counters));
    c->end_counters = g_array_new(FALSE, TRUE, sizeof(struct pm_counters));
    c->allocations = g_array_new(FALSE, TRUE, sizeof(struct pm_allocation));
    c->live = g_array_new(FALSE, TRUE, sizeof(struct pm_allocation));
    c->memory = g_array_new(FALSE, TRUE, sizeof(struct pm_memory_head));
    c->cells = g_array_new(FALSE, TRUE, sizeof(struct pm_memory_cell));
    c->footers = g_array_new(FALSE, TRUE, sizeof(struct pm_footer));
    c->damage = g_array_new(FALSE, TRUE, sizeof(struct pm_damage));
    c->classes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->methods = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->chains = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->reached = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->blockers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return c;
}

void collected_free(struct collected *c)
{
    if (!c)
        return;
    g_array_unref(c->waits);
    g_array_unref(c->progress);
    g_array_unref(c->samples);
    g_array_unref(c->census);
    g_array_unref(c->spans);
    g_array_unref(c->gaps);
    g_array_unref(c->counters);
    g_array_unref(c->end_counters);
    g_array_unref(c->allocations);
    g_array_unref(c->live);
    g_array_unref(c->memory);
    g_array_unref(c->cells);
    g_array_unref(c->footers);
    g_array_unref(c->damage);
    g_hash_table_unref(c->classes);
    g_hash_table_unref(c->threads);
    g_hash_table_unref(c->methods);
    g_hash_table_unref(c->chains);
    g_hash_table_unref(c->reached);
    g_hash_table_unref(c->blockers);
    g_free(c);
}

static char *text(struct pm_text t)
{
    return g_strndup(t.bytes, t.length);
}

static int on_class(void *context, const struct pm_class *value)
{
    struct collected *c = context;
    g_hash_table_replace(c->classes, GUINT_TO_POINTER(value->id.n), text(value->name));
    return 0;
}

static int on_method(void *context, const struct pm_method *value)
{
    struct collected *c = context;
    g_autofree char *name = text(value->name);
    g_autofree char *file = text(value->file);
    g_hash_table_replace(c->methods, GUINT_TO_POINTER(value->id.n),
                         g_strdup_printf("%u %s %s", value->class_id.n, name, file));
    return 0;
}

static int on_chain(void *context, const struct pm_chain *value)
{
    struct collected *c = context;
    GString *frames = g_string_new(value->truncated ? "…" : "");
    for (uint32_t i = 0; i < value->n_frames; i++)
        g_string_append_printf(frames, "%u:%d ", value->frames[i].method.n, value->frames[i].line);
    g_hash_table_replace(c->chains, GUINT_TO_POINTER(value->id.n), g_string_free(frames, FALSE));
    return 0;
}

static int on_reached(void *context, const struct pm_reached *value)
{
    struct collected *c = context;
    g_hash_table_replace(c->reached, GUINT_TO_POINTER(value->chain.n),
                         g_strdup_printf("%u %u", value->frame, value->field.n));
    return 0;
}

static int on_thread(void *context, const struct pm_thread *value)
{
    struct collected *c = context;
    g_hash_table_replace(c->threads, GUINT_TO_POINTER(value->id.n), text(value->name));
    return 0;
}

static int on_blocker(void *context, const struct pm_blocker *value)
{
    struct collected *c = context;
    g_hash_table_replace(c->blockers, GUINT_TO_POINTER(value->id.n),
                         g_strdup_printf("%u %x %u %u %u %u", value->class_id.n, value->hash,
                                         value->parent.n, value->flags, value->first_chain.n,
                                         value->first_thread.n));
    return 0;
}

static int on_waits(void *context, const struct pm_wait_columns *w)
{
    struct collected *c = context;
    for (size_t i = 0; i < w->n; i++) {
        struct pm_wait wait = {
            .begin_ns = w->begin_ns[i],
            .duration_ns = w->duration_ns[i],
            .wake_ns = w->wake_ns[i],
            .thread = {w->thread[i]},
            .blocker = {w->blocker[i]},
            .chain = {w->chain[i]},
            .owner = {w->owner[i]},
            .waker = {w->waker[i]},
            .waker_chain = {w->waker_chain[i]},
            .aqs_state = w->aqs_state[i],
            .kind = w->kind[i],
            .wake_cause = w->wake_cause[i],
            .flags = w->flags[i],
        };
        g_array_append_val(c->waits, wait);
    }
    return 0;
}

static int on_progress(void *context, const struct pm_wait *waits, size_t n, bool complete,
                       int64_t at_ns)
{
    struct collected *c = context;
    if (complete)
        g_array_set_size(c->progress, 0);
    g_array_append_vals(c->progress, waits, (guint)n);
    c->complete = complete;
    c->progress_at_ns = at_ns;
    c->progress_blocks++;
    return 0;
}

static int on_snapshot(void *context, const struct pm_snapshot *snapshot)
{
    struct collected *c = context;
    g_array_append_vals(c->counters, snapshot->counters, (guint)snapshot->n_counters);
    if (snapshot->place == PM_SNAPSHOT_END)
        g_array_append_vals(c->end_counters, snapshot->counters, (guint)snapshot->n_counters);
    return 0;
}

static int on_owner_sample(void *context, const struct pm_owner_sample *sample)
{
    g_array_append_vals(((struct collected *)context)->samples, sample, 1);
    return 0;
}

static int on_span(void *context, const struct pm_span *span)
{
    g_array_append_vals(((struct collected *)context)->spans, span, 1);
    return 0;
}

static int on_census(void *context, const struct pm_census_row *row)
{
    g_array_append_vals(((struct collected *)context)->census, row, 1);
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_array_append_vals(((struct collected *)context)->gaps, gap, 1);
    return 0;
}

static int on_allocation(void *context, const struct pm_allocation *allocation)
{
    g_array_append_vals(((struct collected *)context)->allocations, allocation, 1);
    return 0;
}

static int on_live(void *context, const struct pm_live_objects *live)
{
    struct collected *c = context;
    g_array_append_vals(c->live, live->objects, (guint)live->n);
    c->complete_listings += live->complete;
    return 0;
}

static int on_memory(void *context, const struct pm_memory_snapshot *snapshot)
{
    struct collected *c = context;
    g_array_append_vals(c->memory, &snapshot->head, 1);
    g_array_append_vals(c->cells, snapshot->cells, (guint)snapshot->n_cells);
    return 0;
}

static int on_footer(void *context, const struct pm_footer *footer)
{
    g_array_append_vals(((struct collected *)context)->footers, footer, 1);
    return 0;
}

static int on_damage(void *context, const struct pm_damage *damage)
{
    g_array_append_vals(((struct collected *)context)->damage, damage, 1);
    return 0;
}

void collected_read(struct collected *c, struct pm_reader *reader, enum collected_scope scope)
{
    const struct pm_visitor visitor = PM_VISITOR_OF_ALL(c);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        bool overview = pm_reader_chunk(reader, i)->overview;
        if ((scope == COLLECT_DATA && overview) || (scope == COLLECT_OVERVIEW && !overview))
            continue;
        int64_t end_ns = 0;
        int result = pm_reader_read_chunk(reader, i, &visitor, &end_ns, NULL);
        c->overwritten += result == PM_ERROR_OVERWRITTEN;
        c->failed += result != PM_OK && result != PM_ERROR_OVERWRITTEN;
        c->overview_chunks += overview;
        c->data_chunks += !overview;
        c->end_ns = MAX(c->end_ns, end_ns);
    }
}

int collected_read_source(struct collected *c, struct pm_source source)
{
    struct pm_reader *reader = NULL;
    int result = pm_reader_open(source, &reader, NULL);
    if (result == PM_OK) {
        collected_read(c, reader, COLLECT_ALL);
        pm_reader_free(reader);
    } else {
        source.close(source.context);
    }
    return result;
}

gint collected_compare_waits(gconstpointer a, gconstpointer b)
{
    const struct pm_wait *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return memcmp(x, y, sizeof *x); /* any order will do, the struct has no padding */
}

void collected_assert_waits_equal(GArray *a, GArray *b)
{
    g_array_sort(a, collected_compare_waits);
    g_array_sort(b, collected_compare_waits);
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
