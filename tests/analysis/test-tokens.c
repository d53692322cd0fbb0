/* Who holds a resource, beside the answer of each instant. */
#include "viewer/analysis/tokens/tokens.h"

#include <string.h>

#include "tests/analysis/made.h"

#define MS G_GINT64_CONSTANT(1000000)

/* Takes and gives, and the waits that tell of the takes. */
typedef struct {
    PmMade made;
    guint32 pool;
    GArray *gives, *takes;
    PmRecording *recording;
    PmActivity *activity;
    PmTokens *tokens;
    gboolean lent; /* by a pool, as is known */
} Scene;

static void scene_begin(Scene *s)
{
    *s = (Scene){.made = pm_made_begin(),
                 .gives = g_array_new(FALSE, FALSE, sizeof(PmGive)),
                 .takes = g_array_new(FALSE, FALSE, sizeof(PmTake))};
    s->pool = pm_made_blocker(&s->made, s->made.queue_class, 1, s->made.other_chain);
}

/* Each a group of its own. */
static void three_threads(Scene *s, guint32 *ret_threads)
{
    static const char *const names[] = {"a", "b", "c"};
    for (guint t = 0; t < G_N_ELEMENTS(names); t++)
        ret_threads[t] = pm_made_thread(&s->made, "%s", names[t]);
}

static void scene_take(Scene *s, guint32 thread, gint64 begin, gint64 end, gboolean took)
{
    PmTake take = {
        .begin = begin, .end = end, .woken = end, .thread = thread, .chain = 1, .took = took};
    g_array_append_val(s->takes, take);
    pm_made_wait(&s->made, thread, s->pool, s->made.other_chain, begin, end, 0);
}

static void scene_give_in(Scene *s, guint32 thread, gint64 at, guint32 chain)
{
    PmGive give = {.at = at, .thread = thread, .chain = chain};
    g_array_append_val(s->gives, give);
}

static void scene_give(Scene *s, guint32 thread, gint64 at)
{
    scene_give_in(s, thread, at, 2);
}

static gint compare_begins(gconstpointer a, gconstpointer b)
{
    const gint64 x = ((const PmTake *)a)->begin, y = ((const PmTake *)b)->begin;
    return (x > y) - (x < y);
}

/* The same as of all gives and takes at once. */
static void check_slices(const Scene *s, const GArray *all_gives, const GArray *all_takes,
                         gint64 duration)
{
    enum { SLICES = 50 };
    g_autoptr(GArray) gives = g_array_new(FALSE, FALSE, sizeof(PmGive));
    g_autoptr(GArray) takes = g_array_new(FALSE, FALSE, sizeof(PmTake));
    PmTokenMatch *match = pm_token_match_new(s->activity, all_takes->len, FALSE, s->lent);
    gint64 from = G_MININT64;
    for (gint64 i = 1; i <= SLICES; i++) {
        const gint64 limit = i < SLICES ? duration / SLICES * i : G_MAXINT64;
        for (guint k = 0; k < all_gives->len; k++) {
            const PmGive *give = &g_array_index(all_gives, PmGive, k);
            if (give->at >= from && give->at < limit)
                g_array_append_vals(gives, give, 1);
        }
        for (guint k = 0; k < all_takes->len; k++) {
            const PmTake *take = &g_array_index(all_takes, PmTake, k);
            if (take->begin >= from && take->begin < limit)
                g_array_append_vals(takes, take, 1);
        }
        pm_token_match_add(match, gives, takes, limit);
        from = limit;
    }
    PmTokens *tokens = pm_token_match_end(match);
    g_assert_cmpint(tokens != NULL, ==, s->tokens != NULL);
    g_assert_cmpuint(tokens ? tokens->n : 0, ==, s->tokens ? s->tokens->n : 0);
    for (guint i = 0; tokens && i < tokens->n; i++) {
        const PmTokenHold a = pm_tokens_hold(tokens, i), b = pm_tokens_hold(s->tokens, i);
        g_assert_cmpmem(&a, sizeof a, &b, sizeof b);
    }
    pm_tokens_free(tokens);
}

static const PmTokens *scene_end(Scene *s, gint64 duration)
{
    s->made.assembly->duration = duration;
    s->recording = pm_assembly_finish(s->made.assembly);
    s->activity = pm_activity_new(s->recording, NULL);
    PmTokenMatch *counts = pm_token_match_new(s->activity, s->takes->len, TRUE, s->lent);
    g_array_sort(s->takes, compare_begins);
    g_autoptr(GArray) gives = g_array_copy(s->gives), all_gives = g_array_copy(s->gives);
    g_autoptr(GArray) takes = g_array_copy(s->takes), all_takes = g_array_copy(s->takes);
    pm_token_match_add(counts, gives, takes, G_MAXINT64);
    const gboolean may_be = pm_token_match_may_be(counts);
    PmTokenMatch *match = pm_token_match_new(s->activity, s->takes->len, FALSE, s->lent);
    pm_token_match_add(match, s->gives, s->takes, G_MAXINT64);
    s->tokens = pm_token_match_end(match);
    g_assert_true(may_be || s->tokens == NULL);
    check_slices(s, all_gives, all_takes, duration);
    return s->tokens;
}

static void scene_clear(Scene *s)
{
    pm_tokens_free(s->tokens);
    pm_activity_free(s->activity);
    pm_recording_unref(s->recording);
    g_array_unref(s->gives);
    g_array_unref(s->takes);
}

typedef struct {
    const PmTokens *tokens;
    gint64 at;
    double *times; /* by hold; the last one's: nobody's */
} Sums;

/* The first of those that are the same. */
static guint index_of(const PmTokens *tokens, const PmTokenHold *hold)
{
    guint i = 0;
    for (; i < tokens->n; i++) {
        const PmTokenHold other = pm_tokens_hold(tokens, i);
        if (memcmp(&other, hold, sizeof other) == 0)
            break;
    }
    g_assert_cmpuint(i, <, tokens->n);
    return i;
}

static void add_sum(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    Sums *sums = data;
    g_assert_cmpint(begin, ==, sums->at);
    g_assert_cmpint(end, >, begin);
    sums->at = end;
    sums->times[hold ? index_of(sums->tokens, hold) : sums->tokens->n] += (double)(end - begin);
}

static gboolean holds_at(const PmTokenHold *hold, guint32 self, gint64 at)
{
    return hold->thread != self && hold->begin <= at && hold->end > at;
}

/* The time of each hold in [from, to), and the same added up instant by instant. */
static void check_split(const PmTokens *tokens, guint32 self, gint64 from, gint64 to)
{
    g_autofree double *times = g_new0(double, tokens->n + 1);
    g_autofree double *exact = g_new0(double, tokens->n + 1);
    Sums sums = {tokens, from, times};
    pm_tokens_split(tokens, self, FALSE, from, to, add_sum, &sums);
    g_assert_cmpint(sums.at, ==, to);
    guint n_cuts = 1;
    g_autofree PmTokenHold *holds = g_new(PmTokenHold, tokens->n);
    for (guint i = 0; i < tokens->n; i++) {
        holds[i] = pm_tokens_hold(tokens, i);
        n_cuts += 3 * (holds[i].end > from && holds[i].begin < to);
    }
    for (gint64 at = from; at < to; at++) {
        double whole = 0;
        for (guint i = 0; i < tokens->n; i++)
            if (holds_at(&holds[i], self, at))
                whole++;
        for (guint i = 0; i < tokens->n; i++)
            if (holds_at(&holds[i], self, at))
                exact[index_of(tokens, &holds[i])] += 1 / whole;
        guint next = tokens->n; /* nobody is known to hold it: who may have */
        for (guint i = 0; i < tokens->n; i++) {
            const PmTokenHold *hold = &holds[i];
            if (hold->thread != self && hold->earliest <= at && hold->begin > at &&
                hold->begin < to && (next == tokens->n || hold->begin < holds[next].begin))
                next = i;
        }
        if (whole <= 0)
            exact[next] += 1;
    }
    for (guint i = 0; i <= tokens->n; i++) /* each part is rounded to a whole instant */
        g_assert_cmpfloat_with_epsilon(times[i], exact[i], n_cuts);
    g_assert_cmpfloat(times[tokens->n], ==, exact[tokens->n]);
}

/* Threads that take, hold and give; some takes do not wait, and are unseen. */
static void split_is_that_of_each_instant(void)
{
    guint n_resources = 0;
    for (guint32 seed = 1; seed <= 40; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        guint32 threads[6];
        Scene s;
        scene_begin(&s);
        for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
            gint64 at = g_rand_int_range(rand, 0, 100);
            threads[t] = pm_made_thread(&s.made, t < 3 ? "exec-1" : "report-1");
            while (at < 2000) {
                gint64 begin = at, end = at + g_rand_int_range(rand, 0, 60);
                gboolean took = g_rand_int_range(rand, 0, 8) > 0;
                if (g_rand_int_range(rand, 0, 5) > 0)
                    scene_take(&s, threads[t], begin, end, took);
                at = end + g_rand_int_range(rand, 1, t == 0 ? 400 : 60);
                if (took)
                    scene_give(&s, threads[t], at);
                at += g_rand_int_range(rand, 1, 40);
            }
        }
        const PmTokens *tokens = scene_end(&s, 3000);
        n_resources += tokens != NULL;
        if (tokens)
            s.tokens->usual = 0; /* what is missing is told below */
        for (guint i = 0; tokens && i < 30; i++) {
            gint64 from = g_rand_int_range(rand, -100, 2500);
            check_split(tokens, threads[i % G_N_ELEMENTS(threads)], from,
                        from + g_rand_int_range(rand, 1, 500));
        }
        for (guint i = 1; tokens && i < tokens->n; i++)
            g_assert_cmpint(pm_tokens_begin(tokens, i - 1), <=, pm_tokens_begin(tokens, i));
        scene_clear(&s);
    }
    g_assert_cmpuint(n_resources, >, 30);
}

/* Two threads take one thing in turns, twenty times; it is given by the one that held it, or each
 * time by another that never takes. */
static void alternate(Scene *s, gboolean is_given_back)
{
    scene_begin(s);
    guint32 a = pm_made_thread(&s->made, "a"), b = pm_made_thread(&s->made, "b");
    guint32 producer = pm_made_thread(&s->made, "producer");
    scene_take(s, a, 0, MS, TRUE);
    for (gint64 i = 1; i <= 20; i++) {
        guint32 holder = i % 2 ? a : b, next = i % 2 ? b : a;
        scene_give(s, is_given_back ? holder : producer, i * 10 * MS);
        scene_take(s, next, (i - 1) * 10 * MS + 2 * MS, i * 10 * MS, TRUE);
    }
}

static void what_is_given_back_is_a_resource(void)
{
    Scene s;
    alternate(&s, TRUE);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    gint64 held = 0;
    for (guint i = 0; i < tokens->n; i++)
        held += pm_tokens_hold(tokens, i).end - pm_tokens_hold(tokens, i).begin;
    gint64 whole = pm_tokens_hold(tokens, tokens->n - 1).end - pm_tokens_hold(tokens, 0).begin;
    g_assert_cmpfloat_with_epsilon((double)held / (double)whole, 1, 0.01);
    scene_clear(&s);
}

static void what_others_give_is_none(void)
{
    Scene s;
    alternate(&s, FALSE);
    g_assert_null(scene_end(&s, 300 * MS));
    scene_clear(&s);
}

/* Thread "a" takes it again ahead of the one that it woke, nine times of ten; or, if nothing is
 * missed, each of its gives reached somebody: then it gives what it never took. */
static void take_again(Scene *s, gboolean is_missed)
{
    scene_begin(s);
    guint32 a = pm_made_thread(&s->made, "a"), b = pm_made_thread(&s->made, "b");
    scene_take(s, a, 0, MS, TRUE);
    scene_take(s, b, 2 * MS, 12 * MS, FALSE);
    for (gint64 i = 1; i <= 20; i++) {
        PmGive give = {.at = i * 10 * MS, .thread = a, .chain = 2, .missed = is_missed && i < 20};
        g_array_append_val(s->gives, give);
        scene_take(s, b, i * 10 * MS + 2 * MS, (i + 1) * 10 * MS, i == 19);
    }
}

static void what_its_giver_takes_again_is_a_resource(void)
{
    Scene s;
    take_again(&s, TRUE);
    g_assert_nonnull(scene_end(&s, 300 * MS));
    scene_clear(&s);
    take_again(&s, FALSE);
    g_assert_null(scene_end(&s, 300 * MS));
    scene_clear(&s);
}

static void nine_gives_tell_nothing(void)
{
    Scene s;
    alternate(&s, TRUE);
    g_array_set_size(s.gives, 9);
    g_assert_null(scene_end(&s, 300 * MS));
    scene_clear(&s);
}

/* One wake that reached ten waiters is no ten gives. */
static void one_wake_is_one_give(void)
{
    Scene s;
    alternate(&s, TRUE);
    g_array_set_size(s.gives, 9);
    for (guint i = 0; i < 9; i++) {
        PmGive give = g_array_index(s.gives, PmGive, i);
        g_array_append_val(s.gives, give);
    }
    g_assert_null(scene_end(&s, 300 * MS));
    scene_clear(&s);
}

/* Who gave without having waited at all held it about as long as its like do: since 142 ms, as from
 * then on somebody waited. */
static void unseen_take_is_as_long_as_usual(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 quick = pm_made_thread(&s.made, "a"); /* of the group of `a` */
    scene_give(&s, quick, 155 * MS);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    guint n = 0;
    for (guint i = 0; i < tokens->n; i++) {
        if (pm_tokens_hold(tokens, i).thread != quick)
            continue;
        g_assert_cmpint(pm_tokens_hold(tokens, i).begin, ==, 142 * MS);
        g_assert_cmpint(pm_tokens_hold(tokens, i).end, ==, 155 * MS);
        n++;
    }
    g_assert_cmpuint(n, ==, 1);
    scene_clear(&s);
}

/* The length of the thread's hold that ends at `end`. */
static gint64 length_of_hold(const PmTokens *tokens, guint32 thread, gint64 end)
{
    for (guint i = 0; i < tokens->n; i++)
        if (pm_tokens_hold(tokens, i).thread == thread && pm_tokens_hold(tokens, i).end == end)
            return pm_tokens_hold(tokens, i).end - pm_tokens_hold(tokens, i).begin;
    return -1;
}

/* An element is kept long by some code of a pool's threads and briefly by other: each is known by
 * where it gives back. */
static void unseen_take_is_as_long_as_its_code_takes(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 slow = pm_made_thread(&s.made, "a"); /* of the group of `a` */
    PmGive give = {.thread = slow,
                   .chain = pm_made_chain(s.made.assembly, "com.acme.Pool.giveBack",
                                          "com.acme.Export.write", "java.lang.Thread.run", NULL)};
    scene_take(&s, slow, 0, 5 * MS, TRUE);
    for (give.at = 65 * MS; give.at < 300 * MS; give.at += 60 * MS)
        g_array_append_val(s.gives, give);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpint(length_of_hold(tokens, slow, 65 * MS), ==, 60 * MS);
    g_assert_cmpint(length_of_hold(tokens, slow, 125 * MS), ==, 60 * MS);
    scene_clear(&s);
}

/* A thread that was seen to hold longer than others by the same code does so when it was not. */
static void unseen_take_is_as_long_as_the_thread_takes(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 slow = pm_made_thread(&s.made, "slow");
    for (gint64 at = 1000 * MS; at < 1300 * MS; at += 100 * MS) {
        scene_take(&s, slow, at, at + 5 * MS, TRUE);
        scene_give(&s, slow, at + 65 * MS);
    }
    scene_give(&s, slow, 1500 * MS);
    const PmTokens *tokens = scene_end(&s, 2000 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpint(length_of_hold(tokens, slow, 1500 * MS), ==, 60 * MS);
    scene_clear(&s);
}

/* Code that was never seen to take holds as long as the samples say, and else as its group does. */
static void unseen_code_holds_as_long_as_samples_say(void)
{
    Scene s;
    alternate(&s, TRUE);
    PmAssembly *a = s.made.assembly;
    guint32 slow = pm_made_thread(&s.made, "a");
    PmGive give = {.thread = slow,
                   .chain = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                          "com.acme.Export.write", "java.lang.Thread.run", NULL)};
    guint32 writes = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Export.write",
                                   "java.lang.Thread.run", NULL);
    guint32 rests = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Worker.rest",
                                  "java.lang.Thread.run", NULL);
    for (give.at = 65 * MS; give.at < 300 * MS; give.at += 60 * MS)
        g_array_append_val(s.gives, give);
    for (gint64 at = 80 * MS; at < 125 * MS; at += 5 * MS) { /* rests until 90 ms, then writes */
        PmOwnerSample sample = {.at = at,
                                .owner = slow,
                                .chain = at <= 90 * MS ? rests : writes,
                                .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
    }
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    /* From 92 to 100 ms, and from 172 to 180, somebody waits: it took its one before. */
    g_assert_cmpint(length_of_hold(tokens, slow, 125 * MS), ==, 33 * MS);
    g_assert_cmpint(length_of_hold(tokens, slow, 185 * MS), ==, 13 * MS); /* no sample */
    scene_clear(&s);
}

/* What a thread does while it holds one is what it was seen in then: in the call that gives it
 * back, and not behind that line. */
static void who_holds_is_seen_at_work(void)
{
    for (guint n_seen = 3; n_seen <= 4; n_seen++) {
        Scene s;
        alternate(&s, TRUE);
        PmAssembly *a = s.made.assembly;
        const guint32 thread = g_array_index(s.gives, PmGive, 0).thread;
        const guint32 other = g_array_index(s.gives, PmGive, 1).thread;
        const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                            "java.util.concurrent.Semaphore.releaseShared",
                                            "java.util.concurrent.Semaphore.release",
                                            "com.acme.Export.write", "java.lang.Thread.run", NULL);
        const guint32 loads = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Prices.load",
                                            "com.acme.Export.write", "java.lang.Thread.run", NULL);
        const guint32 rests =
            pm_made_chain(a, "jdk.Timer.sleep", "jdk.Timer.nap", "jdk.Timer.pause",
                          "jdk.Timer.rest", "com.acme.Export.write", "java.lang.Thread.run", NULL);
        const guint32 begs = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Export.write",
                                           "java.lang.Thread.run", NULL);
        const guint32 nested =
            pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                          "java.util.concurrent.Semaphore.releaseShared",
                          "java.util.concurrent.Semaphore.release", "com.acme.Export.write",
                          "com.acme.Nested.run", "java.lang.Thread.run", NULL);
        for (guint i = 0; i < s.gives->len; i++)
            g_array_index(s.gives, PmGive, i).chain = gives;
        for (guint i = 0; i < n_seen; i++) { /* in its holds, from 20, 40, 60, 80 ms on */
            const gint64 at = (20 + 20 * (gint64)i) * MS;
            const PmOwnerSample samples[] = {
                {.at = at + 5 * MS, .owner = thread, .chain = i ? loads : rests, .role = 1},
                {.at = at + 15 * MS, .owner = thread, .chain = begs, .role = 1}};
            g_array_append_vals(a->samples, samples, 2);
        }
        const PmTokens *tokens = scene_end(&s, 300 * MS);
        g_assert_nonnull(tokens);
        const guint32 seen = n_seen == 4 ? loads : 0;
        g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, gives, 25 * MS), ==, seen);
        g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, gives, 55 * MS), ==, seen);
        g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, nested, 55 * MS), ==, seen);
        g_assert_cmpuint(pm_tokens_seen_holding(tokens, other, gives, 55 * MS), ==, 0);
        g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, s.made.idle_chain, 55 * MS), ==, 0);
        scene_clear(&s);
    }
}

/* In each of four holds of the first giver of a scene, from 20, 40, 60, 80 ms on. */
static void see_holder(Scene *s, gint64 after, guint32 chain, guint8 role)
{
    const guint32 thread = g_array_index(s->gives, PmGive, 0).thread;
    for (gint64 at = 20 * MS; at <= 80 * MS; at += 20 * MS) {
        const PmOwnerSample sample = {
            .at = at + after, .owner = thread, .chain = chain, .role = role};
        g_array_append_val(s->made.assembly->samples, sample);
    }
}

/* Who owns a lock that others wait for is sampled for that, too, as often as they wait: that says
 * nothing of how long those that hold one do what they do with the lock. */
static void who_is_seen_as_owner_is_no_sample_of_holders(void)
{
    Scene s;
    alternate(&s, TRUE);
    PmAssembly *a = s.made.assembly;
    const guint32 thread = g_array_index(s.gives, PmGive, 0).thread;
    const guint32 gives =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                      "java.util.concurrent.Semaphore.releaseShared",
                      "java.util.concurrent.Semaphore.release", "com.acme.Payments.pay", NULL);
    const guint32 sends = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Gateway.send",
                                        "com.acme.Payments.pay", NULL);
    const guint32 signs = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Device.sign",
                                        "com.acme.Payments.pay", NULL);
    for (guint i = 0; i < s.gives->len; i++)
        g_array_index(s.gives, PmGive, i).chain = gives;
    see_holder(&s, 2 * MS, sends, PM_SAMPLE_ENDER);
    see_holder(&s, 5 * MS, signs, PM_SAMPLE_OWNER);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, gives, 45 * MS), ==, sends);
    scene_clear(&s);
}

/* A stream is written by one method, and another one, close, gives back by a third: what both are
 * called by was active all the time. */
static void who_gives_by_a_wrapper_is_seen_in_its_callers_call(void)
{
    Scene s;
    alternate(&s, TRUE);
    PmAssembly *a = s.made.assembly;
    const guint32 thread = g_array_index(s.gives, PmGive, 0).thread;
    const guint32 gives =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                      "java.util.concurrent.Semaphore.release", "com.acme.Pool.giveBack",
                      "com.acme.Rows.close", "com.acme.Writer.run", "java.lang.Thread.run", NULL);
    const guint32 sends = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Body.write",
                                        "com.acme.Writer.run", "java.lang.Thread.run", NULL);
    for (guint i = 0; i < s.gives->len; i++)
        g_array_index(s.gives, PmGive, i).chain = gives;
    see_holder(&s, 5 * MS, sends, PM_SAMPLE_ENDER);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpuint(pm_tokens_seen_holding(tokens, thread, gives, 45 * MS), ==, sends);
    scene_clear(&s);
}

/* Who is sampled behind the line that takes one and before that which gives it back holds one, even
 * if no take of it was seen, nor what it gave: from one sample to the next, but for other code. */
static void who_is_seen_between_take_and_give_holds_one(void)
{
    Scene s;
    alternate(&s, TRUE);
    PmAssembly *a = s.made.assembly;
    const guint32 keeper = pm_made_thread(&s.made, "crawl-1");
    const guint32 other = pm_made_thread(&s.made, "crawl-2");
    const guint32 takes =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Semaphore.acquire",
                      "com.acme.Crawl.run", "java.lang.Thread.run", NULL);
    const guint32 works =
        pm_made_chain(a, "java.lang.Thread.sleep0", "java.lang.Thread.sleep", "com.acme.Crawl.walk",
                      "com.acme.Crawl.run", "java.lang.Thread.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                        "java.util.concurrent.Semaphore.signalNext",
                                        "java.util.concurrent.Semaphore.releaseShared",
                                        "java.util.concurrent.Semaphore.release",
                                        "com.acme.Crawl.run", "java.lang.Thread.run", NULL);
    const guint32 rests =
        pm_made_chain(a, "java.lang.Thread.sleep0", "java.lang.Thread.sleep",
                      "java.lang.Thread.nap", "java.lang.Thread.rest", "java.lang.Thread.pause",
                      "com.acme.Crawl.run", "java.lang.Thread.run", NULL);
    const guint32 prepares = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Crawl.run",
                                           "java.lang.Thread.run", NULL);
    scene_give_in(&s, keeper, 20 * MS, gives);
    scene_take(&s, other, 250 * MS, 255 * MS, TRUE);
    g_array_index(s.takes, PmTake, s.takes->len - 1).chain = takes;
    for (gint64 at = 60 * MS; at <= 200 * MS; at += 20 * MS) {
        PmOwnerSample sample = {.at = at, .owner = keeper, .chain = works, .role = 1};
        if (at >= 120 * MS && at <= 140 * MS)
            sample.chain = at == 120 * MS ? rests : prepares;
        g_array_append_val(a->samples, sample);
    }
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpint(length_of_hold(tokens, keeper, 100 * MS), ==, 40 * MS);
    g_assert_cmpint(length_of_hold(tokens, keeper, 200 * MS), ==, 40 * MS);
    guint n = 0;
    for (guint i = 0; i < tokens->n; i++)
        n += pm_tokens_hold(tokens, i).thread == keeper;
    g_assert_cmpuint(n, ==, 2);
    scene_clear(&s);
}

/* Who waits for something else behind the line that takes one and before that which gives it back
 * holds one meanwhile, however long others usually do; not who waits before that line. */
static void who_waits_between_take_and_give_holds_one(void)
{
    Scene s;
    alternate(&s, TRUE);
    PmAssembly *a = s.made.assembly;
    const guint32 keeper = pm_made_thread(&s.made, "desk-1");
    const guint32 other = pm_made_thread(&s.made, "desk-2");
    const guint32 lock = pm_made_blocker(&s.made, s.made.lock_class, 2, s.made.lock_chain);
    const guint32 takes =
        pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Semaphore.acquire",
                      "com.acme.Claims.file", "java.lang.Thread.run", NULL);
    const guint32 draws = pm_made_chain(
        a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.Lock.lock",
        "com.acme.Numbers.next", "com.acme.Claims.file", "java.lang.Thread.run", NULL);
    const guint32 gives = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                        "java.util.concurrent.Semaphore.signalNext",
                                        "java.util.concurrent.Semaphore.releaseShared",
                                        "java.util.concurrent.Semaphore.release",
                                        "com.acme.Claims.file", "java.lang.Thread.run", NULL);
    const guint32 prepares = pm_made_chain(a, "java.util.concurrent.locks.Lock.lock",
                                           "com.acme.Claims.file", "java.lang.Thread.run", NULL);
    scene_give_in(&s, keeper, 20 * MS, gives);
    scene_take(&s, other, 250 * MS, 255 * MS, TRUE);
    g_array_index(s.takes, PmTake, s.takes->len - 1).chain = takes;
    pm_made_wait(&s.made, keeper, lock, prepares, 40 * MS, 60 * MS, 0);
    pm_made_wait(&s.made, keeper, lock, draws, 61 * MS, 160 * MS, 0);
    scene_give_in(&s, keeper, 170 * MS, gives);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    gint64 held = 0;
    g_assert_nonnull(tokens);
    for (guint i = 0; i < tokens->n; i++) {
        const PmTokenHold hold = pm_tokens_hold(tokens, i);
        if (hold.thread == keeper && hold.begin >= 40 * MS && hold.begin < 160 * MS) {
            g_assert_cmpint(hold.begin, ==, 61 * MS);
            held += hold.end - hold.begin;
        }
    }
    g_assert_cmpint(held, ==, 99 * MS);
    scene_clear(&s);
}

/* One that was never given back is held until its thread's usual time is over. */
static void what_is_not_given_back_is_held_on(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 keeper = pm_made_thread(&s.made, "keeper");
    scene_take(&s, keeper, 40 * MS, 45 * MS, TRUE);
    const PmTokens *tokens = scene_end(&s, 300 * MS);
    g_assert_nonnull(tokens);
    for (guint i = 0; i < tokens->n; i++)
        if (pm_tokens_hold(tokens, i).thread == keeper)
            g_assert_cmpint(pm_tokens_hold(tokens, i).end, ==, 300 * MS);
    scene_clear(&s);
}

/* Nobody waited as it was given back: as long as possible, as nothing is usual. */
static void what_is_given_back_unseen_was_held(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 keeper = pm_made_thread(&s.made, "keeper");
    scene_take(&s, keeper, 395 * MS, 400 * MS, TRUE);
    scene_take(&s, keeper, 600 * MS, 605 * MS, FALSE);
    const PmTokens *tokens = scene_end(&s, 1000 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpint(length_of_hold(tokens, keeper, 600 * MS), ==, 200 * MS);
    scene_clear(&s);
}

/* For 60 ms, while another asks. */
static void hold_three_times(Scene *s, guint32 holder, guint32 other)
{
    for (gint64 at = 1000 * MS; at < 1300 * MS; at += 100 * MS) {
        scene_take(s, holder, at, at + 5 * MS, TRUE);
        scene_take(s, other, at, at + 66 * MS, FALSE);
        scene_give(s, holder, at + 65 * MS);
    }
}

/* Between a take and a give that were seen, while nobody waited, may lie some that were not. */
static void what_nobody_watched_may_be_two(void)
{
    Scene s;
    alternate(&s, TRUE);
    guint32 slow = pm_made_thread(&s.made, "slow"), other = pm_made_thread(&s.made, "other");
    hold_three_times(&s, slow, other);
    scene_take(&s, slow, 1500 * MS, 1505 * MS, TRUE);
    scene_take(&s, other, 1910 * MS, 2001 * MS, FALSE);
    scene_give(&s, slow, 2000 * MS);
    const PmTokens *tokens = scene_end(&s, 3000 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpint(length_of_hold(tokens, slow, 1265 * MS), ==, 60 * MS);
    g_assert_cmpint(length_of_hold(tokens, slow, 1565 * MS), ==, 60 * MS);
    g_assert_cmpint(length_of_hold(tokens, slow, 2000 * MS), ==, 90 * MS); /* it was waited for */
    scene_clear(&s);
}

/* One takes for 60 ms and was not seen to give back, though others asked all the time: as one of
 * them had been woken and had not taken yet, if so, else between two of them. */
static void what_is_not_seen_to_come_back_came_while_nobody_asked(void)
{
    for (guint is_woken = 0; is_woken < 2; is_woken++) {
        Scene s;
        alternate(&s, TRUE);
        guint32 slow = pm_made_thread(&s.made, "slow"), other = pm_made_thread(&s.made, "other");
        guint32 third = pm_made_thread(&s.made, "third");
        hold_three_times(&s, slow, other);
        scene_take(&s, slow, 1495 * MS, 1500 * MS, TRUE);
        scene_take(&s, other, 1490 * MS, 1550 * MS, FALSE);
        scene_take(&s, other, 1552 * MS, 2950 * MS, FALSE);
        scene_take(&s, third, 1553 * MS, 1564 * MS, FALSE);
        if (is_woken)
            g_array_index(s.takes, PmTake, s.takes->len - 1).woken = 1563 * MS;
        scene_take(&s, slow, 2900 * MS, 2905 * MS, FALSE);
        const PmTokens *tokens = scene_end(&s, 3000 * MS);
        g_assert_nonnull(tokens);
        g_assert_cmpint(length_of_hold(tokens, slow, (is_woken ? 1563 : 1552) * MS), ==,
                        (is_woken ? 63 : 52) * MS);
        scene_clear(&s);
    }
}

/* A thread takes one, waits for its next task for long, and gives one: though somebody asks all the
 * time, that is another one, if a pool lends it. */
static void between_two_tasks_nothing_is_held(void)
{
    for (guint lent = 0; lent < 2; lent++) {
        Scene s;
        alternate(&s, TRUE);
        s.lent = lent;
        guint32 worker = pm_made_thread(&s.made, "worker"),
                other = pm_made_thread(&s.made, "other");
        const guint32 tasks = pm_made_blocker(&s.made, s.made.queue_class, 2, s.made.idle_chain);
        hold_three_times(&s, worker, other);
        scene_take(&s, worker, 1500 * MS, 1505 * MS, TRUE);
        scene_take(&s, other, 1500 * MS, 2001 * MS, FALSE);
        pm_made_wait(&s.made, worker, tasks, s.made.idle_chain, 1520 * MS, 1990 * MS, 0);
        scene_give(&s, worker, 2000 * MS);
        const PmTokens *tokens = scene_end(&s, 3000 * MS);
        g_assert_nonnull(tokens);
        g_assert_cmpint(length_of_hold(tokens, worker, 2000 * MS), ==, lent ? 10 * MS : 495 * MS);
        if (lent)
            g_assert_cmpint(length_of_hold(tokens, worker, 1520 * MS), ==, 15 * MS);
        scene_clear(&s);
    }
}

static void add_to_thread(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    gint64 *times = data;
    times[hold ? hold->thread : 0] += end - begin;
}

/* Of two permits both are held while somebody waits, also where nothing is known of it; but by
 * nobody while the one that was given is on its way. */
static void what_is_missing_is_held_by_who_does_not_wait(void)
{
    Scene s;
    guint32 threads[3];
    gint64 times[8] = {0}, woken[8] = {0}, known[8] = {0};
    scene_begin(&s);
    three_threads(&s, threads);
    for (gint64 k = 1; k < 40; k++) {
        scene_take(&s, threads[k % 3], (k * 10 - 10) * MS, k * 10 * MS, TRUE);
        scene_give(&s, threads[k % 3], (k * 10 + 20) * MS - 1);
    }
    scene_take(&s, threads[0], 1000 * MS, 1010 * MS, FALSE);
    scene_take(&s, threads[0], 1100 * MS, 1110 * MS, FALSE);
    scene_take(&s, threads[1], 1100 * MS, 1110 * MS, FALSE);
    const PmTokens *tokens = scene_end(&s, 2000 * MS);
    g_assert_nonnull(tokens);
    g_assert_cmpuint(tokens->usual, ==, 2);
    pm_tokens_split(tokens, threads[0], FALSE, 1000 * MS, 1010 * MS, add_to_thread, times);
    g_assert_cmpint(times[threads[1]], ==, 5 * MS);
    g_assert_cmpint(times[threads[2]], ==, 5 * MS);
    pm_tokens_split(tokens, threads[0], FALSE, 1100 * MS, 1110 * MS, add_to_thread, times);
    g_assert_cmpint(times[threads[2]], ==, 15 * MS); /* the other waits itself */
    pm_tokens_split(tokens, threads[0], TRUE, 1000 * MS, 1010 * MS, add_to_thread, woken);
    g_assert_cmpint(woken[0], ==, 10 * MS);
    pm_tokens_split(tokens, threads[0], TRUE, 202 * MS, 208 * MS, add_to_thread, known);
    g_assert_cmpint(known[0], ==, 0);
    scene_clear(&s);
}

static void add_to_chain(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    gint64 *times = data;
    times[hold ? hold->chain : 0] += end - begin;
}

/* What was seen long and seldom is likelier to be what is missing than what was seen briefly, if
 * often, and last. */
static void what_is_missing_is_held_where_most_of_the_time_is(void)
{
    Scene s;
    guint32 threads[3];
    gint64 times[8] = {0};
    scene_begin(&s);
    three_threads(&s, threads);
    for (gint64 k = 1; k < 40; k++) {
        scene_take(&s, threads[k % 3], (k * 10 - 10) * MS, k * 10 * MS, TRUE);
        scene_give(&s, threads[k % 3], (k * 10 + 20) * MS - 1);
    }
    for (gint64 k = 0; k < 60; k++) {
        scene_take(&s, threads[k % 3], (1000 + k * 4) * MS, (1001 + k * 4) * MS, TRUE);
        scene_give_in(&s, threads[k % 3], (1002 + k * 4) * MS, 3);
    }
    scene_take(&s, threads[0], 2000 * MS, 2010 * MS, FALSE);
    const PmTokens *tokens = scene_end(&s, 3000 * MS);
    g_assert_nonnull(tokens);
    pm_tokens_split(tokens, threads[0], FALSE, 2000 * MS, 2010 * MS, add_to_chain, times);
    g_assert_cmpint(times[2], >, 9 * MS);
    g_assert_cmpint(times[3], <, 1 * MS);
    scene_clear(&s);
}

/* Who never takes is no user because it woke somebody twice in no code of the program's; but if it
 * did so often, or in some. */
static void who_woke_once_is_no_user(void)
{
    for (guint what = 0; what < 3; what++) {
        const gboolean own = what == 1;
        Scene s;
        guint32 threads[3];
        gint64 times[8] = {0};
        scene_begin(&s);
        s.lent = TRUE;
        three_threads(&s, threads);
        const guint32 poller = pm_made_thread(&s.made, "poller"),
                      wakes = pm_made_chain(
                          s.made.assembly, "java.util.concurrent.locks.LockSupport.unpark",
                          own ? "com.acme.Till.close" : "java.lang.Thread.run", NULL);
        for (gint64 k = 0; k < 30; k++) {
            scene_take(&s, threads[k % 3], k * 100 * MS, (k * 100 + 80) * MS, TRUE);
            scene_give(&s, threads[k % 3], (k * 100 + 90) * MS);
        }
        for (gint64 k = 0; k < (what == 2 ? 5 : 2); k++)
            scene_give_in(&s, poller, (k * 300 + 40) * MS, wakes);
        g_assert_nonnull(scene_end(&s, 3000 * MS));
        pm_tokens_split(s.tokens, threads[0], FALSE, 2100 * MS, 2180 * MS, add_to_thread, times);
        g_assert_cmpint(times[poller] > 0, ==, what != 0);
        scene_clear(&s);
    }
}

/* Of what a pool lends somebody has each one while somebody waits, however few are seen. */
static void what_is_lent_is_held_by_somebody(void)
{
    for (guint lent = 0; lent < 2; lent++) {
        Scene s;
        guint32 threads[3];
        gint64 times[8] = {0};
        scene_begin(&s);
        s.lent = lent != 0;
        three_threads(&s, threads);
        for (gint64 k = 0; k < 30; k++) {
            scene_take(&s, threads[k % 3], k * 100 * MS, (k * 100 + 80) * MS, TRUE);
            scene_give(&s, threads[k % 3], (k * 100 + 90) * MS);
        }
        const PmTokens *tokens = scene_end(&s, 3000 * MS);
        g_assert_cmpint(tokens != NULL, ==, lent != 0);
        if (lent) {
            pm_tokens_split(tokens, threads[0], FALSE, 0, 80 * MS, add_to_thread, times);
            g_assert_cmpint(times[0], ==, 0);
            g_assert_cmpint(times[threads[1]], ==, 40 * MS);
        }
        scene_clear(&s);
    }
}

/* Where many wait though permits are left some want several: how many hold any tells nothing. */
static void several_permits_of_one_are_not_counted(void)
{
    for (gint32 left = 0; left < 2; left++) {
        Scene s;
        guint32 threads[3];
        scene_begin(&s);
        const guint32 chain =
            pm_made_chain(s.made.assembly, "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Memory.within", NULL);
        s.pool = pm_made_blocker(
            &s.made,
            pm_assembly_add_class(s.made.assembly, "java.util.concurrent.Semaphore$FairSync"), 2,
            chain);
        three_threads(&s, threads);
        for (gint64 k = 1; k < 40; k++) {
            const PmTake take = {.begin = (k * 10 - 10) * MS,
                                 .end = k * 10 * MS,
                                 .woken = k * 10 * MS,
                                 .thread = threads[k % 3],
                                 .chain = 1,
                                 .took = TRUE};
            g_array_append_val(s.takes, take);
            PM_MADE_WAIT(s.made.assembly, take.begin, take.end, take.thread, s.pool, chain,
                         .aqs_state = left);
            scene_give(&s, take.thread, take.end + 20 * MS - 1);
        }
        const PmTokens *tokens = scene_end(&s, 2000 * MS);
        g_assert_nonnull(tokens);
        g_assert_cmpuint(tokens->usual, ==, left ? 0 : 2);
        scene_clear(&s);
    }
}

static void count_part(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    g_assert_cmpint(end, >, begin);
    ++*(guint *)data;
}

static void hostile_times_do_not_overflow(void)
{
    const gint64 far = G_MAXINT64 / 4;
    Scene s;
    guint n = 0;
    scene_begin(&s);
    guint32 a = pm_made_thread(&s.made, "a"), b = pm_made_thread(&s.made, "b");
    for (gint64 i = 0; i < 12; i++) {
        scene_take(&s, i % 2 ? a : b, -far + i * (far / 8), -far + (i + 1) * (far / 8), TRUE);
        scene_give(&s, i % 2 ? a : b, -far + (i + 2) * (far / 8));
    }
    const PmTokens *tokens = scene_end(&s, far);
    g_assert_nonnull(tokens);
    pm_tokens_split(tokens, 0, FALSE, G_MININT64, G_MAXINT64, count_part, &n);
    g_assert_cmpuint(n, >, 2);
    scene_clear(&s);
}

/* Twelve wait for one signal, and each that has it gives up its lock to the next: none of them
 * keeps anything. */
static void count_known(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    ((gint64 *)data)[hold != NULL] += end - begin;
}

/* 300 tasks come at once for what each keeps for 10 ms: most wait through more holds than are
 * looked at together, and somebody is known to hold it nearly all the time. */
static void long_line_is_for_a_resource(void)
{
    enum { TASKS = 300 };
    Scene s;
    gint64 sums[2] = {0};
    scene_begin(&s);
    guint32 last = 0;
    for (guint i = 0; i < TASKS; i++) {
        const guint32 task = pm_made_thread(&s.made, "task-%u", i);
        if (last)
            scene_give(&s, last, i * 10 * MS);
        scene_take(&s, task, i / 30 * MS, i * 10 * MS + 10000, TRUE);
        last = task;
    }
    const PmTokens *tokens = scene_end(&s, TASKS * 10 * MS);
    g_assert_nonnull(tokens);
    pm_tokens_split(tokens, last, FALSE, 0, TASKS * 10 * MS, count_known, sums);
    g_assert_cmpint(sums[1], >, 9 * sums[0]);
    scene_clear(&s);
}

static void who_passes_a_signal_on_gives_nothing_back(void)
{
    Scene s;
    guint32 threads[12];
    scene_begin(&s);
    for (guint t = 0; t < G_N_ELEMENTS(threads); t++)
        threads[t] = pm_made_thread(&s.made, "poll-%u", t);
    guint32 editor = pm_made_thread(&s.made, "editor");
    for (gint64 k = 0; k < 10; k++) {
        gint64 at = (k + 1) * 1000000000;
        scene_give(&s, editor, at);
        for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
            at += 10000;
            scene_take(&s, threads[t], k * 1000000000 + 5000000, at, TRUE);
            scene_give(&s, threads[t], at + 5000);
        }
    }
    g_assert_null(scene_end(&s, 12000000000));
    scene_clear(&s);
}

/* Two use it in turn; then one of it is lost, and both wait for ever. */
static void what_nobody_gets_any_more_is_a_resource(void)
{
    Scene s;
    scene_begin(&s);
    const guint32 one = pm_made_thread(&s.made, "one"), two = pm_made_thread(&s.made, "two");
    for (gint64 k = 0; k < 20; k++) {
        scene_take(&s, k % 2 ? one : two, (k * 100 + 10) * MS, (k * 100 + 90) * MS, TRUE);
        scene_give(&s, k % 2 ? two : one, (k * 100 + 90) * MS);
    }
    scene_take(&s, one, 3000 * MS, 90000 * MS, FALSE);
    scene_take(&s, two, 3000 * MS, 90000 * MS, FALSE);
    g_assert_nonnull(scene_end(&s, 90000 * MS));
    scene_clear(&s);
}

/* B gives back nothing every fifth time, and asks for the next one; the sweeper, who never takes
 * any, gives one back 400 ms after that was taken, in some place; `more`: and another one, which
 * nobody was seen to keep. Who waits all the time would have seen it come back. Returns how often B
 * had kept it. */
static guint n_swept_in(guint32 chain, gboolean more)
{
    Scene s;
    scene_begin(&s);
    const guint32 a = pm_made_thread(&s.made, "a"), b = pm_made_thread(&s.made, "b"),
                  sweeper = pm_made_thread(&s.made, "sweeper");
    for (gint64 k = 0; k < 20; k++) {
        const gint64 at = k * 100 * MS;
        scene_take(&s, a, at, at + 10 * MS, TRUE);
        scene_give(&s, a, at + 60 * MS);
        scene_take(&s, b, at + MS, at + 2 * MS, TRUE);
        if (k % 5)
            scene_give(&s, b, at + 30 * MS);
        else
            scene_give_in(&s, sweeper, at + 402 * MS, chain);
    }
    if (more)
        scene_give_in(&s, sweeper, 1950 * MS, chain);
    scene_take(&s, pm_made_thread(&s.made, "c"), 0, 2000 * MS, FALSE);
    const PmTokens *tokens = scene_end(&s, 2000 * MS);
    g_assert_nonnull(tokens);
    guint n_swept = 0;
    for (guint i = 0; i < tokens->n; i++) {
        const PmTokenHold hold = pm_tokens_hold(tokens, i);
        g_assert_true(hold.thread != sweeper || chain == 1);
        n_swept += hold.thread == b && hold.length == 400 * MS;
    }
    scene_clear(&s);
    return n_swept;
}

/* Where others take, too, it gives back what it took itself, without a wait. */
static void what_a_sweeper_takes_back_was_kept_until_then(void)
{
    g_assert_cmpuint(n_swept_in(2, FALSE), ==, 4);
    g_assert_cmpuint(n_swept_in(2, TRUE), ==, 5);
    g_assert_cmpuint(n_swept_in(1, FALSE), ==, 0);
}

/* Each request has a thread of its own: every other one takes one without a wait, and gives it back
 * in some place. */
static gboolean is_resource_of_requests(guint32 chain)
{
    Scene s;
    scene_begin(&s);
    for (gint64 k = 0; k < 40; k++) {
        const gint64 at = k * 100 * MS;
        const guint32 thread = pm_made_thread(&s.made, "request-%d", (int)k);
        if (k % 2)
            scene_take(&s, thread, at - 30 * MS, at, TRUE);
        scene_give_in(&s, thread, at + 90 * MS, chain);
    }
    const gboolean is = scene_end(&s, 4100 * MS) != NULL;
    scene_clear(&s);
    return is;
}

static void who_gives_once_where_others_take_took_it(void)
{
    g_assert_true(is_resource_of_requests(1));
    g_assert_false(is_resource_of_requests(2));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/tokens/split-is-that-of-each-instant",
                    split_is_that_of_each_instant);
    g_test_add_func("/analysis/tokens/what-is-given-back-is-a-resource",
                    what_is_given_back_is_a_resource);
    g_test_add_func("/analysis/tokens/what-others-give-is-none", what_others_give_is_none);
    g_test_add_func("/analysis/tokens/what-its-giver-takes-again-is-a-resource",
                    what_its_giver_takes_again_is_a_resource);
    g_test_add_func("/analysis/tokens/nine-gives-tell-nothing", nine_gives_tell_nothing);
    g_test_add_func("/analysis/tokens/one-wake-is-one-give", one_wake_is_one_give);
    g_test_add_func("/analysis/tokens/unseen-take-is-as-long-as-usual",
                    unseen_take_is_as_long_as_usual);
    g_test_add_func("/analysis/tokens/unseen-take-is-as-long-as-its-code-takes",
                    unseen_take_is_as_long_as_its_code_takes);
    g_test_add_func("/analysis/tokens/unseen-take-is-as-long-as-the-thread-takes",
                    unseen_take_is_as_long_as_the_thread_takes);
    g_test_add_func("/analysis/tokens/unseen-code-holds-as-long-as-samples-say",
                    unseen_code_holds_as_long_as_samples_say);
    g_test_add_func("/analysis/tokens/who-holds-is-seen-at-work", who_holds_is_seen_at_work);
    g_test_add_func("/analysis/tokens/who-is-seen-as-owner-is-no-sample-of-holders",
                    who_is_seen_as_owner_is_no_sample_of_holders);
    g_test_add_func("/analysis/tokens/who-gives-by-a-wrapper-is-seen-in-its-callers-call",
                    who_gives_by_a_wrapper_is_seen_in_its_callers_call);
    g_test_add_func("/analysis/tokens/who-is-seen-between-take-and-give-holds-one",
                    who_is_seen_between_take_and_give_holds_one);
    g_test_add_func("/analysis/tokens/who-waits-between-take-and-give-holds-one",
                    who_waits_between_take_and_give_holds_one);
    g_test_add_func("/analysis/tokens/what-is-not-given-back-is-held-on",
                    what_is_not_given_back_is_held_on);
    g_test_add_func("/analysis/tokens/what-is-given-back-unseen-was-held",
                    what_is_given_back_unseen_was_held);
    g_test_add_func("/analysis/tokens/what-is-not-seen-to-come-back-came-while-nobody-asked",
                    what_is_not_seen_to_come_back_came_while_nobody_asked);
    g_test_add_func("/analysis/tokens/what-nobody-watched-may-be-two",
                    what_nobody_watched_may_be_two);
    g_test_add_func("/analysis/tokens/between-two-tasks-nothing-is-held",
                    between_two_tasks_nothing_is_held);
    g_test_add_func("/analysis/tokens/what-is-missing-is-held-where-most-of-the-time-is",
                    what_is_missing_is_held_where_most_of_the_time_is);
    g_test_add_func("/analysis/tokens/who-woke-once-is-no-user", who_woke_once_is_no_user);
    g_test_add_func("/analysis/tokens/what-is-lent-is-held-by-somebody",
                    what_is_lent_is_held_by_somebody);
    g_test_add_func("/analysis/tokens/what-is-missing-is-held-by-who-does-not-wait",
                    what_is_missing_is_held_by_who_does_not_wait);
    g_test_add_func("/analysis/tokens/several-permits-of-one-are-not-counted",
                    several_permits_of_one_are_not_counted);
    g_test_add_func("/analysis/tokens/hostile-times-do-not-overflow",
                    hostile_times_do_not_overflow);
    g_test_add_func("/analysis/tokens/long-line-is-for-a-resource", long_line_is_for_a_resource);
    g_test_add_func("/analysis/tokens/who-passes-a-signal-on-gives-nothing-back",
                    who_passes_a_signal_on_gives_nothing_back);
    g_test_add_func("/analysis/tokens/what-nobody-gets-any-more-is-a-resource",
                    what_nobody_gets_any_more_is_a_resource);
    g_test_add_func("/analysis/tokens/what-a-sweeper-takes-back-was-kept-until-then",
                    what_a_sweeper_takes_back_was_kept_until_then);
    g_test_add_func("/analysis/tokens/who-gives-once-where-others-take-took-it",
                    who_gives_once_where_others_take_took_it);
    return g_test_run();
}
