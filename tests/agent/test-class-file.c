/* recorder/agent/bytecode/class-file.h: calls go to another method, nothing else changes, and what
 * is no class file is refused wherever it ends; the class that an instruction needs is named. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/bytecode/class-file.h"

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

/* -- the class that an instruction needs -- */

/* 1 "a/B", 2 class 1, 3 a long of two numbers, 5 "c", 6 "I", 7 name and type 5 6, 8 field 2 7, 9
 * method 2 7, 10 interface method 2 7. */
static const guint8 constants[] = {1, 0, 3, 'a', '/', 'B', 7, 0, 1, 5,   0,  0, 0, 0, 0, 0,
                                   0, 1, 1, 0,   1,   'c', 1, 0, 1, 'I', 12, 0, 5, 0, 6, 9,
                                   0, 2, 0, 7,   10,  0,   2, 0, 7, 11,  0,  2, 0, 7};
#define N_CONSTANTS 11

static int needed(guint8 opcode, guint8 index, gsize size, char name[8])
{
    const guint8 code[] = {0, opcode, 0, index};
    return pm_class_file_needed_class(code, sizeof code, 1, constants, size, N_CONSTANTS, name, 8);
}

static void test_needed_class(void)
{
    static const struct {
        guint8 opcode, index;
        int error;
    } cases[] = {
        {0xbb, 2, 0},                   /* new */
        {0xb2, 8, 0},                   /* getstatic */
        {0xb3, 8, 0},                   /* putstatic */
        {0xb8, 9, 0},                   /* invokestatic */
        {0xb8, 10, 0},                  /* of an interface */
        {0xb6, 9, PM_ERROR_ARGUMENT},   /* invokevirtual */
        {0xbb, 8, PM_ERROR_MALFORMED},  /* new of a field */
        {0xb2, 2, PM_ERROR_MALFORMED},  /* getstatic of a class */
        {0xb2, 4, PM_ERROR_MALFORMED},  /* within the long */
        {0xb2, 99, PM_ERROR_MALFORMED}, /* none */
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        char name[8] = "";
        g_assert_cmpint(needed(cases[i].opcode, cases[i].index, sizeof constants, name), ==,
                        cases[i].error);
        g_assert_cmpstr(name, ==, cases[i].error ? "" : "a/B");
    }
}

static void test_needed_class_cut(void)
{
    static const guint8 code[] = {0xbb, 0, 2};
    char name[8] = "", small[3] = "";
    for (gsize cut = 0; cut < sizeof constants; cut++) {
        guint8 *part = g_memdup2(constants, cut);
        g_assert_cmpint(pm_class_file_needed_class(code, sizeof code, 0, part, cut, N_CONSTANTS,
                                                   name, sizeof name),
                        ==, PM_ERROR_MALFORMED);
        g_free(part);
    }
    for (gsize at = 1; at < 5; at++)
        g_assert_cmpint(pm_class_file_needed_class(code, sizeof code, at, constants,
                                                   sizeof constants, N_CONSTANTS, name,
                                                   sizeof name),
                        ==, PM_ERROR_MALFORMED);
    g_assert_cmpint(pm_class_file_needed_class(code, 2, 0, constants, sizeof constants, N_CONSTANTS,
                                               name, sizeof name),
                    ==, PM_ERROR_MALFORMED);
    g_assert_cmpint(pm_class_file_needed_class(code, sizeof code, 0, constants, sizeof constants,
                                               N_CONSTANTS, small, sizeof small),
                    ==, PM_ERROR_MALFORMED);
    g_assert_cmpstr(small, ==, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/class-file/calls-go-to-another-method", test_redirects);
    g_test_add_func("/agent/class-file/without-calls-it-stays-as-it-was", test_without_calls);
    g_test_add_func("/agent/class-file/cut-anywhere-it-is-refused", test_cut_anywhere);
    g_test_add_func("/agent/class-file/what-is-none-is-refused", test_no_class);
    g_test_add_func("/agent/class-file/names-the-class-that-an-instruction-needs",
                    test_needed_class);
    g_test_add_func("/agent/class-file/names-none-of-what-is-cut", test_needed_class_cut);
    return g_test_run();
}
