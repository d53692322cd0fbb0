/* Characters beside GLib, which knows them too. */
#include <glib.h>
#include <string.h>

#include "format/character.h"

/* Every string of up to four bytes that begins in a way of its own is one character here exactly
 * when it is one to GLib. */
static void test_reads_as_glib_does(void)
{
    static const unsigned char bytes[] = {0x00, 0x01, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                          0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
                                          0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xf8, 0xff};
    const guint n = G_N_ELEMENTS(bytes);

    for (guint i = 0; i < n * n * n * n; i++) {
        const char text[] = {(char)bytes[i % n], (char)bytes[i / n % n], (char)bytes[i / n / n % n],
                             (char)bytes[i / n / n / n]};
        for (gsize left = 1; left <= sizeof text; left++) {
            uint32_t character = 0;
            gsize length = pm_character_read(text, left, &character);
            gunichar known = g_utf8_get_char_validated(text, (gssize)left);
            if (text[0] == 0) { /* ends a text there */
                g_assert_cmpuint(length, ==, 1);
                continue;
            }
            g_assert_cmpint(length > 0, ==, known != (gunichar)-1 && known != (gunichar)-2);
            if (length > 0) {
                g_assert_cmpuint(character, ==, known);
                g_assert_cmpuint(length, ==, (gsize)g_unichar_to_utf8(known, NULL));
            }
        }
    }
}

static void test_writes_what_it_reads(void)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char bytes[4];
        uint32_t again = 0;
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        gsize length = pm_character_write(c, bytes);
        g_assert_cmpuint(pm_character_read(bytes, length, &again), ==, length);
        g_assert_cmpuint(again, ==, c);
        g_assert_cmpuint(length > 1 ? pm_character_read(bytes, length - 1, &again) : 0, ==, 0);
    }
}

/* What Unicode calls a control or a separator of lines acts; so does each format character but
 * those that can be seen or make words. */
static void test_what_acts_is_what_unicode_says(void)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        const GUnicodeType type = g_unichar_type(c);
        if (type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR ||
            type == G_UNICODE_PARAGRAPH_SEPARATOR)
            g_assert_true(pm_character_acts(c));
        else if (type != G_UNICODE_FORMAT && type != G_UNICODE_UNASSIGNED)
            g_assert_false(pm_character_acts(c));
    }
    static const uint32_t seen[] = {' ',    '~',    0xa0,   0xad,   0xe9,
                                    0x0600, 0x200c, 0x200d, 0xfffd, 0x1f600};
    for (guint i = 0; i < G_N_ELEMENTS(seen); i++)
        g_assert_false(pm_character_acts(seen[i]));
    static const uint32_t acting[] = {0x061c, 0x200b, 0x200e, 0x200f, 0x202a, 0x202e,
                                      0x2060, 0x2066, 0x2069, 0xfeff, 0xe0041};
    for (guint i = 0; i < G_N_ELEMENTS(acting); i++)
        g_assert_true(pm_character_acts(acting[i]));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/character/reads-as-glib-does", test_reads_as_glib_does);
    g_test_add_func("/format/character/writes-what-it-reads", test_writes_what_it_reads);
    g_test_add_func("/format/character/what-acts-is-what-unicode-says",
                    test_what_acts_is_what_unicode_says);
    return g_test_run();
}
