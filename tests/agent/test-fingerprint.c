/* recorder/agent/fingerprint.h */
#include <glib.h>
#include <string.h>

#include "recorder/agent/fingerprint.h"

#define LOW  UINT64_C(0x7f12fff00000)
#define HIGH UINT64_C(0x7f130ef00000) /* spans a change of the high half */

static uintptr_t some_word(GRand *random)
{
    uintptr_t inside = LOW + g_rand_int(random) % (HIGH - LOW);
    switch (g_rand_int_range(random, 0, 8)) {
    case 0:
        return inside;
    case 1:
        return LOW - 1 + (uintptr_t)g_rand_int_range(random, 0, 2); /* just outside and just in */
    case 2:
        return HIGH - 1 + (uintptr_t)g_rand_int_range(random, 0, 2);
    case 3:
        return inside | UINT64_C(0xffff) << 48;
    case 4:
        return g_rand_int(random);
    default:
        return (uintptr_t)g_rand_int(random) << 32 | g_rand_int(random);
    }
}

static void test_ways_agree(void)
{
    GRand *random = g_rand_new_with_seed(7);
    uintptr_t words[300];
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)g_rand_int_range(random, 0, 300);
        for (size_t i = 0; i < n; i++)
            words[i] = some_word(random);
        struct pm_fingerprint plain, other;
        const uintptr_t *last = NULL;
        for (size_t i = 0; i < n; i++) {
            if (words[i] >= LOW && words[i] < HIGH)
                last = &words[i];
        }
        g_assert_true(pm_fingerprint_take_by("plain", words, words + n, LOW, HIGH, &plain));
        g_assert_true(plain.last == last);
        static const char *const ways[] = {"sse2", "avx2"};
        for (gsize w = 0; w < G_N_ELEMENTS(ways); w++) {
            if (pm_fingerprint_take_by(ways[w], words, words + n, LOW, HIGH, &other)) {
                g_assert_cmphex(other.hash, ==, plain.hash);
                g_assert_true(other.last == plain.last);
            }
        }
        other = pm_fingerprint_take(words, words + n, LOW, HIGH);
        g_assert_cmphex(other.hash, ==, plain.hash);
    }
    g_rand_free(random);
}

static void test_place_and_value_count(void)
{
    uintptr_t words[40] = {0};
    words[10] = LOW + 8;
    words[20] = LOW + 16;
    uint64_t hash = pm_fingerprint_take(words, words + 40, LOW, HIGH).hash;
    words[30] = 12345; /* no code: does not count */
    g_assert_cmphex(pm_fingerprint_take(words, words + 40, LOW, HIGH).hash, ==, hash);
    words[20] = LOW + 17;
    g_assert_cmphex(pm_fingerprint_take(words, words + 40, LOW, HIGH).hash, !=, hash);
    words[20] = 0;
    words[21] = LOW + 16;
    g_assert_cmphex(pm_fingerprint_take(words, words + 40, LOW, HIGH).hash, !=, hash);
    words[21] = LOW + 8;
    words[10] = LOW + 16;
    g_assert_cmphex(pm_fingerprint_take(words, words + 40, LOW, HIGH).hash, !=, hash);
    memset(words, 0, sizeof words);
    g_assert_null(pm_fingerprint_take(words, words + 40, LOW, HIGH).last);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/fingerprint/all-ways-of-scanning-agree", test_ways_agree);
    g_test_add_func("/agent/fingerprint/place-and-value-count", test_place_and_value_count);
    return g_test_run();
}
