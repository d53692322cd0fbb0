/* Drives a fuzz target without a fuzzer: runs it over its corpus, then over random changes of it.
 *
 *     fuzz-NAME [--seconds=N] [--random=N|time] FILE|FOLDER…
 *
 * One target is one function, LLVMFuzzerTestOneInput, so that libFuzzer and AFL++ can drive it too.
 * The input at work lies in fuzz-NAME.input of the working folder and stays there when the target
 * crashes or hangs; `fuzz-NAME fuzz-NAME.input` runs it again. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIZE (1 << 20)
#define HANG_S   60 /* an input that takes longer ends the program by SIGALRM */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes an input as the target wants it; one that has none gets changes of any bytes. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                                     unsigned seed);

static GPtrArray *corpus; /* of GBytes */
static int seconds;
static int64_t seed = 1;
static int input = -1; /* the file that outlives a crash */

static void run(const uint8_t *data, size_t size)
{
    /* A block of the input's very size: a sanitizer sees each step beyond. */
    uint8_t *exact = malloc(size);
    if (size)
        memcpy(exact, data, size);
    g_assert_cmpint(pwrite(input, data, size, 0), ==, (ssize_t)size);
    g_assert_cmpint(ftruncate(input, (off_t)size), ==, 0);
    alarm(HANG_S);
    LLVMFuzzerTestOneInput(exact, size);
    alarm(0);
    free(exact);
}

static const uint8_t *pick(GRand *random, gsize *ret_size)
{
    return g_bytes_get_data(corpus->pdata[g_rand_int_range(random, 0, (gint32)corpus->len)],
                            ret_size);
}

static size_t below(GRand *random, size_t limit)
{
    return (size_t)g_rand_int_range(random, 0, (gint32)limit);
}

/* One random change of `size` bytes; returns how many there are then. */
static size_t change(GRand *random, uint8_t *data, size_t size)
{
    size_t at = size == 0 ? 0 : below(random, size);
    size_t count = 1 + below(random, below(random, 2) ? 16 : 300);
    uint32_t number = g_rand_int(random) >> below(random, 32);
    gsize other_size;
    const uint8_t *other = pick(random, &other_size);
    size_t from = other_size == 0 ? 0 : below(random, other_size);
    count = MIN(count, size - at);
    if (count == 0)
        return size;
    switch (below(random, 8)) {
    case 0:
        data[at] ^= (uint8_t)(1u << below(random, 8));
        return size;
    case 1:
        data[at] = (uint8_t)number;
        return size;
    case 2:
        memset(data + at, below(random, 2) ? 0xff : 0, count);
        return size;
    case 3:
        memcpy(data + at, other + from, MIN(count, other_size - from));
        return size;
    case 4:
        memcpy(data + at, &number, MIN(sizeof number, size - at));
        return size;
    case 5:
        memmove(data + at, data + at + count, size - at - count);
        return size - count;
    case 6:
        count = MIN(count, MIN(other_size - from, MAX_SIZE - size));
        memmove(data + at + count, data + at, size - at);
        memcpy(data + at, other + from, count);
        return size + count;
    default:
        return below(random, 4) == 0 ? at : size;
    }
}

static void test_corpus(void)
{
    for (guint i = 0; i < corpus->len; i++) {
        gsize size;
        const uint8_t *data = g_bytes_get_data(corpus->pdata[i], &size);
        run(data, size);
    }
    run((const uint8_t *)"", 0);
}

static void test_changes(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed((guint32)seed);
    g_autofree uint8_t *data = g_malloc(MAX_SIZE);
    gint64 end_us = g_get_monotonic_time() + seconds * G_TIME_SPAN_SECOND;
    guint64 rounds = 0;
    for (; g_get_monotonic_time() < end_us; rounds++) {
        gsize whole;
        const uint8_t *from = pick(random, &whole);
        size_t size = whole;
        memcpy(data, from, size);
        if (LLVMFuzzerCustomMutator)
            size = LLVMFuzzerCustomMutator(data, size, MAX_SIZE, g_rand_int(random));
        else
            for (size_t left = 1 + below(random, 6); left > 0; left--)
                size = change(random, data, size);
        run(data, size);
    }
    g_assert_true(rounds > 0 || seconds == 0);
    g_test_message("%" G_GUINT64_FORMAT " inputs, --random=%" G_GINT64_FORMAT, rounds, seed);
}

static void read_file(const char *path)
{
    char *contents;
    gsize size;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &contents, &size, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(size, <=, MAX_SIZE);
    g_ptr_array_add(corpus, g_bytes_new_take(contents, size));
}

static void read_corpus(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    if (!folder) {
        read_file(path);
        return;
    }
    GList *paths = NULL; /* sorted, so that a seed means the same everywhere */
    for (const char *name; (name = g_dir_read_name(folder)) != NULL;)
        paths = g_list_insert_sorted(paths, g_build_filename(path, name, NULL),
                                     (GCompareFunc)g_strcmp0);
    for (GList *at = paths; at != NULL; at = at->next)
        read_file(at->data);
    g_list_free_full(paths, g_free);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *name = g_path_get_basename(argv[0]);
    g_autofree char *path = g_strconcat(name, ".input", NULL);
    g_autofree char *corpus_name = g_strdup_printf("/fuzz/%s/corpus", name + strlen("fuzz-"));
    g_autofree char *changes_name = g_strdup_printf("/fuzz/%s/changes", name + strlen("fuzz-"));
    corpus = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    for (int i = 1; i < argc; i++)
        if (g_str_has_prefix(argv[i], "--seconds="))
            seconds = atoi(strchr(argv[i], '=') + 1);
        else if (strcmp(argv[i], "--random=time") == 0)
            seed = g_get_real_time() & INT32_MAX;
        else if (g_str_has_prefix(argv[i], "--random="))
            seed = g_ascii_strtoll(strchr(argv[i], '=') + 1, NULL, 10);
        else
            read_corpus(argv[i]);
    input = g_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(input, >=, 0);
    g_test_add_func(corpus_name, test_corpus);
    if (corpus->len > 0)
        g_test_add_func(changes_name, test_changes);
    int status = g_test_run();
    if (status == 0)
        g_unlink(path);
    close(input);
    g_ptr_array_unref(corpus);
    return status;
}
