/* Texts from the JVM into UTF-8, and from there to people. */
#include <glib.h>
#include <string.h>

#include "recorder/agent/base/text.h"
#include "tests/attacks/hostile-text.h"

static void assert_converts(const char *from_java, const char *expected)
{
    char to[256];
    g_autofree char *in_place = g_strdup(from_java);

    g_assert_cmpuint(pm_text_from_java(to, sizeof to, from_java), ==, strlen(expected));
    g_assert_cmpstr(to, ==, expected);
    g_assert_cmpuint(pm_text_from_java(in_place, strlen(in_place) + 1, in_place), ==,
                     strlen(expected));
    g_assert_cmpstr(in_place, ==, expected);
}

static void test_what_java_spells_is_utf8(void)
{
    assert_converts("", "");
    assert_converts("worker-1", "worker-1");
    assert_converts("wörker €", "wörker €");
    assert_converts("\033[1m\n", "\033[1m\n"); /* a name is kept as it is */
    assert_converts("\xed\xa0\xbd\xed\xb8\x80", "😀");
    assert_converts("a\xed\xaf\xbf\xed\xbf\xbf", "a\xf4\x8f\xbf\xbf");
    assert_converts("😀", "😀"); /* an option comes as it was typed */
    assert_converts("\xc0\x80", "?");
    assert_converts("\xed\xa0\xbd", "?");
    assert_converts("\xed\xb8\x80\xed\xa0\xbd", "??");
    assert_converts("\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", "?😀");
    assert_converts("\xed\xa0\xbd\xed", "??");
    assert_converts("\xed\xa0", "??");
    assert_converts("\xff\xfe\x80", "???");
    assert_converts("\xe2\x82", "??");
    assert_converts("\xe0\x80\xaf", "???");
    assert_converts("\xf4\x90\x80\x80", "????");
}

/* As Java does it: all strings of up to four UTF-16 units out of telling ones. */
static void test_every_string_of_four_units(void)
{
    static const gunichar2 units[] = {0x41,   0x7f,   0x80,   0x7ff,  0x800,  0xd7ff,
                                      0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff};
    const guint n = G_N_ELEMENTS(units);

    for (guint i = 0; i < n * n * n * n; i++) {
        const gunichar2 string[] = {units[i % n], units[i / n % n], units[i / n / n % n],
                                    units[i / n / n / n]};
        g_autoptr(GString) java = g_string_new(NULL);
        g_autoptr(GString) expected = g_string_new(NULL);
        for (guint k = 0; k < 4; k++) {
            const gunichar2 c = string[k];
            if (c < 0x80)
                g_string_append_c(java, (char)c);
            else if (c < 0x800)
                g_string_append_printf(java, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
            else
                g_string_append_printf(java, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f),
                                       0x80 | (c & 0x3f));
            if (c >= 0xd800 && c < 0xdc00 && k < 3 && string[k + 1] >= 0xdc00 &&
                string[k + 1] < 0xe000)
                continue; /* the next one is appended with it */
            if (c >= 0xdc00 && c < 0xe000 && k > 0 && string[k - 1] >= 0xd800 &&
                string[k - 1] < 0xdc00)
                g_string_append_unichar(
                    expected, 0x10000 + ((gunichar)(string[k - 1] - 0xd800) << 10) + (c - 0xdc00));
            else if (c >= 0xd800 && c < 0xe000)
                g_string_append_c(expected, '?');
            else
                g_string_append_unichar(expected, c);
        }
        assert_converts(java->str, expected->str);
    }
}

static void test_cuts_between_characters(void)
{
    static const char from_java[] = "aä€\xed\xa0\xbd\xed\xb8\x80z";
    static const char whole[] = "aä€😀z";
    static const gsize ends[] = {0, 1, 3, 6, 10, 11};

    for (gsize size = 1; size < 20; size++) {
        char to[20];
        gsize most = 0;
        for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
            most = ends[i] < size ? ends[i] : most;
        memset(to, 'x', sizeof to);
        g_assert_cmpuint(pm_text_from_java(to, size, from_java), ==, most);
        g_assert_cmpmem(to, most, whole, most);
        g_assert_cmpint(to[most], ==, 0);
        g_assert_true(size == sizeof to || to[size] == 'x');
        memset(to, 'x', sizeof to);
        struct pm_text text = {whole, strlen(whole)};
        g_assert_cmpuint(pm_text_plain(to, size, text), ==, most);
        g_assert_cmpmem(to, most, whole, most);
    }
}

static void test_plain_text_acts_on_nothing(void)
{
    const char *const *const kinds[] = {hostile_marks, hostile_bytes, hostile_formulas};
    char to[256];

    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        for (guint i = 0; kinds[k][i]; i++) {
            struct pm_text text = {kinds[k][i], (uint32_t)strlen(kinds[k][i])};
            pm_text_plain(to, sizeof to, text);
            hostile_assert_none(kinds[k][i], to);
            g_assert_null(strchr(to, '\n'));
        }
    }
    pm_text_plain(to, sizeof to, (struct pm_text){"a\0b\033[1m\xc2\x9b\xff é", 13});
    g_assert_cmpstr(to, ==, "a?b?[1m?? é");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/text/what-java-spells-is-utf8", test_what_java_spells_is_utf8);
    g_test_add_func("/agent/text/every-string-of-four-units", test_every_string_of_four_units);
    g_test_add_func("/agent/text/cuts-between-characters", test_cuts_between_characters);
    g_test_add_func("/agent/text/plain-text-acts-on-nothing", test_plain_text_acts_on_nothing);
    return g_test_run();
}
