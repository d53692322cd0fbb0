/* recorder/agent/hotspot/class-file.h: calls go to another method, nothing else changes, and what
 * is no class file is refused wherever it ends. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/hotspot/class-file.h"

static const struct pm_class_redirect redirects[] = {
    {{"Access", "park", "()V"}, {"Other", "rest", "(LAccess;)V"}},
    {{"Access", "park", "(J)V"}, {"Other", "rest", "(LAccess;J)V"}},
    {{"Access", "absent", "()V"}, {"Other", "rest", "(LAccess;)V"}},
};
#define N_REDIRECTS G_N_ELEMENTS(redirects)

/* A class that calls park() twice, and once by a method reference, which is no call; park(J) twice;
 * between switches, a wide increment and a handler. */
static guint8 *read_calls(gsize *ret_size)
{
    g_autofree char *path =
        g_build_filename(g_getenv("PM_SOURCE"), "tests/fuzz/corpus/classfile/calls", NULL);
    char *bytes = NULL;
    g_assert_true(g_file_get_contents(path, &bytes, ret_size, NULL));
    return (guint8 *)bytes;
}

static void test_redirects(void)
{
    gsize size;
    g_autofree guint8 *bytes = read_calls(&size);
    uint8_t *once, *twice;
    size_t n, n_twice;
    uint32_t calls[N_REDIRECTS], again[N_REDIRECTS];

    g_assert_cmpint(pm_class_file_redirect(bytes, size, redirects, N_REDIRECTS, &once, &n, calls),
                    ==, 0);
    g_assert_cmpuint(calls[0], ==, 2);
    g_assert_cmpuint(calls[1], ==, 2);
    g_assert_cmpuint(calls[2], ==, 0);
    g_assert_cmpuint(n, >, size);

    g_assert_cmpint(
        pm_class_file_redirect(once, n, redirects, N_REDIRECTS, &twice, &n_twice, again), ==, 0);
    for (guint i = 0; i < N_REDIRECTS; i++)
        g_assert_cmpuint(again[i], ==, 0);

    /* Behind the constants only the calls differ: opcode, number, and the two bytes that follow. */
    gsize n_differ = 0;
    for (gsize i = 1; i <= 200; i++)
        n_differ += bytes[size - i] != once[n - i];
    g_assert_cmpuint(n_differ, <=, 5 * 4);
    g_free(once);
    g_free(twice);
}

static void test_without_calls(void)
{
    gsize size;
    g_autofree guint8 *bytes = read_calls(&size);
    uint8_t *same;
    size_t n;
    uint32_t none;

    g_assert_cmpint(pm_class_file_redirect(bytes, size, NULL, 0, &same, &n, &none), ==, 0);
    g_assert_cmpmem(same, n, bytes, size);
    g_free(same);
}

static void test_cut_anywhere(void)
{
    gsize size;
    g_autofree guint8 *bytes = read_calls(&size);
    uint8_t *out = NULL;
    size_t n = 0;
    uint32_t calls[N_REDIRECTS];

    for (gsize cut = 0; cut < size; cut++) {
        guint8 *part = g_memdup2(bytes, cut);
        int error = pm_class_file_redirect(part, cut, redirects, N_REDIRECTS, &out, &n, calls);
        /* What follows the methods is not looked at. */
        if (error == 0) {
            g_assert_cmpuint(cut, >, size - 200);
            g_clear_pointer(&out, g_free);
        } else {
            g_assert_cmpint(error, ==, PM_ERROR_MALFORMED);
            g_assert_null(out);
        }
        g_free(part);
    }
}

static void test_no_class(void)
{
    uint8_t *out = NULL;
    size_t n = 0;
    uint32_t calls[N_REDIRECTS];
    static const guint8 text[] = "no class file at all, but some text of some length";

    g_assert_cmpint(
        pm_class_file_redirect(text, sizeof text, redirects, N_REDIRECTS, &out, &n, calls), ==,
        PM_ERROR_MALFORMED);
    g_assert_null(out);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/class-file/calls-go-to-another-method", test_redirects);
    g_test_add_func("/agent/class-file/without-calls-it-stays-as-it-was", test_without_calls);
    g_test_add_func("/agent/class-file/cut-anywhere-it-is-refused", test_cut_anywhere);
    g_test_add_func("/agent/class-file/what-is-none-is-refused", test_no_class);
    return g_test_run();
}
