#include "viewer/ui/model/sentence.h"

#include <string.h>

/* Letters of Hebrew, Arabic and their relatives. */
static gboolean runs_to_the_left(gunichar c)
{
    return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
           (c >= 0xfe70 && c <= 0xfeff) || (c >= 0x10800 && c <= 0x10fff);
}

/* Words in such letters, up to what is not part of a name. */
static const char *end_of_words(const char *text)
{
    const char *end = text;

    while (runs_to_the_left(g_utf8_get_char(text))) {
        end = text = g_utf8_next_char(text);
        if (*text && strchr(" -_.", *text))
            text++;
    }
    return end;
}

char *pm_sentence_left_to_right(const char *text)
{
    GString *result = g_string_new(NULL);

    while (*text) {
        const char *end = end_of_words(text);
        const gboolean is_name = end > text;
        if (!is_name)
            end = g_utf8_next_char(text);
        if (is_name)
            g_string_append(result, "\u200e");
        g_string_append_len(result, text, end - text);
        if (is_name)
            g_string_append(result, "\u200e");
        text = end;
    }
    return g_string_free(result, FALSE);
}
