/* recorder/agent/drain/mailbox.h, with a thread that answers and threads that ask. */
#include <glib.h>
#include <pthread.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/drain/mailbox.h"

#define NEVER INT64_MAX /* a deadline that only a hang meets */

static struct pm_mailbox mailbox;

static void set_up(void)
{
    pm_mailbox_init(&mailbox);
    pm_mailbox_open(&mailbox);
}

static int ask(enum pm_request_what what, int64_t until_ns, struct pm_answer *ret_answer)
{
    return pm_mailbox_ask(&mailbox, &(struct pm_request){.what = what}, until_ns, ret_answer);
}

/* Says of each request which one it was. */
static void *answer_all(void *context)
{
    struct pm_request request;
    while (pm_mailbox_wait(&mailbox, NEVER, &request)) {
        if (request.what != PM_REQUEST_NONE) {
            struct pm_answer answer = {.error = request.on ? PM_ERROR_MEMORY : 0,
                                       .n_wishes = (size_t)request.options.maxsize};
            pm_mailbox_answer(&mailbox, &request, &answer);
        }
    }
    pm_mailbox_leave(&mailbox);
    return NULL;
}

#define N_ASKERS   4
#define N_REQUESTS 500

static void *ask_often(void *context)
{
    uint64_t first = *(const uint64_t *)context;
    for (uint64_t i = first; i < first + N_REQUESTS; i++) {
        struct pm_request request = {
            .what = PM_REQUEST_SET, .on = i % 2, .options = {.maxsize = i}};
        struct pm_answer answer;
        int error = pm_mailbox_ask(&mailbox, &request, NEVER, &answer);
        g_assert_cmpint(error, ==, i % 2 ? PM_ERROR_MEMORY : 0);
        g_assert_cmpuint(answer.n_wishes, ==, i);
    }
    return NULL;
}

static void test_everyone_gets_the_answer_to_what_they_asked(void)
{
    pthread_t answerer, askers[N_ASKERS];
    uint64_t firsts[N_ASKERS];
    set_up();
    g_assert_cmpint(pthread_create(&answerer, NULL, answer_all, NULL), ==, 0);
    for (uint64_t i = 0; i < N_ASKERS; i++) {
        firsts[i] = 1 + i * N_REQUESTS;
        g_assert_cmpint(pthread_create(&askers[i], NULL, ask_often, &firsts[i]), ==, 0);
    }
    for (int i = 0; i < N_ASKERS; i++)
        pthread_join(askers[i], NULL);
    g_assert_true(pm_mailbox_close(&mailbox));
    g_assert_true(pm_mailbox_wait_left(&mailbox, NEVER));
    pthread_join(answerer, NULL);
}

static void test_who_gave_up_is_not_answered(void)
{
    struct pm_request request;
    set_up();
    g_assert_cmpint(ask(PM_REQUEST_PRINT, pm_clock_now(), NULL), ==, PM_ERROR_IO);
    g_assert_true(pm_mailbox_wait(&mailbox, pm_clock_now(), &request));
    g_assert_cmpint(request.what, ==, PM_REQUEST_NONE);
}

static void *ask_for_flush(void *context)
{
    *(int *)context = ask(PM_REQUEST_FLUSH, NEVER, NULL);
    return NULL;
}

/* A thread asks for a flush; its request is taken. */
static pthread_t begin_flush(int *error, struct pm_request *ret_request)
{
    pthread_t asker;
    g_assert_cmpint(pthread_create(&asker, NULL, ask_for_flush, error), ==, 0);
    do {
        g_assert_true(pm_mailbox_wait(&mailbox, NEVER, ret_request));
    } while (ret_request->what == PM_REQUEST_NONE);
    return asker;
}

/* The first asker gave up while it was answered; the second does not take its answer. */
static void test_late_answer_is_for_nobody(void)
{
    struct pm_request late = {.what = PM_REQUEST_PRINT, .number = 1}, request;
    struct pm_answer wrong = {.error = PM_ERROR_LIMIT}, right = {.error = PM_ERROR_MEMORY};
    set_up();
    g_assert_cmpint(ask(PM_REQUEST_PRINT, pm_clock_now(), NULL), ==, PM_ERROR_IO);
    int error;
    pthread_t asker = begin_flush(&error, &request);
    pm_mailbox_answer(&mailbox, &late, &wrong);
    g_assert_true(pm_mailbox_wait(&mailbox, NEVER, &request));
    g_assert_cmpint(request.what, ==, PM_REQUEST_FLUSH);
    pm_mailbox_answer(&mailbox, &request, &right);
    pthread_join(asker, NULL);
    g_assert_cmpint(error, ==, PM_ERROR_MEMORY);
    g_assert_cmpint(ask(PM_REQUEST_FLUSH, pm_clock_now(), NULL), ==, PM_ERROR_IO);
}

static void test_closed_mailbox_keeps_nobody(void)
{
    struct pm_request request;
    pm_mailbox_init(&mailbox);
    g_assert_cmpint(ask(PM_REQUEST_FLUSH, NEVER, NULL), ==, PM_ERROR_IO);
    g_assert_false(pm_mailbox_close(&mailbox));

    set_up();
    int error;
    pthread_t asker = begin_flush(&error, &request);
    g_assert_true(pm_mailbox_close(&mailbox));
    pthread_join(asker, NULL);
    g_assert_cmpint(error, ==, PM_ERROR_IO);
    g_assert_false(pm_mailbox_wait(&mailbox, NEVER, &request));
    g_assert_false(pm_mailbox_close(&mailbox));
    g_assert_false(pm_mailbox_wait_left(&mailbox, pm_clock_now()));
}

static void test_hurry_ends_one_wait(void)
{
    struct pm_request request;
    set_up();
    pm_mailbox_hurry(&mailbox);
    g_assert_true(pm_mailbox_wait(&mailbox, NEVER, &request));
    g_assert_cmpint(request.what, ==, PM_REQUEST_NONE);
    int64_t until_ns = pm_clock_now() + 1000000;
    g_assert_true(pm_mailbox_wait(&mailbox, until_ns, &request));
    g_assert_cmpint(pm_clock_now(), >=, until_ns);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/mailbox/everyone-gets-the-answer-to-what-they-asked",
                    test_everyone_gets_the_answer_to_what_they_asked);
    g_test_add_func("/agent/mailbox/who-gave-up-is-not-answered", test_who_gave_up_is_not_answered);
    g_test_add_func("/agent/mailbox/late-answer-is-for-nobody", test_late_answer_is_for_nobody);
    g_test_add_func("/agent/mailbox/closed-one-keeps-nobody", test_closed_mailbox_keeps_nobody);
    g_test_add_func("/agent/mailbox/hurry-ends-one-wait", test_hurry_ends_one_wait);
    return g_test_run();
}
