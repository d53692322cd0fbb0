#include "tests/attacks/hostile-text.h"

#include <string.h>

const char *const hostile_formulas[] = {
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "'=1+1",
    "\"=1+1",
    "=1,\"=2",
    "-",
    "x;=1+1",
    "x;\"=1+1\"",
    "x; @SUM(A1)",
    "x\n=1+1",
    "\xc2\xa0=1+1", /* a blank that does not break */
    "\xef\xbc\x9d"  /* as wide as a letter of Chinese: */
    "1+1",          /* equals, */
    "\xef\xbc\x8b"  /* plus, */
    "1",            /* */
    "\xef\xbc\x8d"  /* minus, */
    "1",            /* */
    "\xef\xbc\xa0"  /* at */
    "SUM(A1)",
    "\xef\xbb\xbf=1+1", /* a byte order mark before it */
    "\xe2\x80\x8b=1+1", /* nothing to be seen before it */
    NULL,
};

const char *const hostile_marks[] = {
    "escape \033[31;1m\033]0;title\007\033[2J",
    "control \001\002\003\004\005\006\007\b\t\013\014\016\017\020\025\037\177",
    "return a\rb",
    "line a\nb\n\nc",
    "C1 \xc2\x9b"
    "31m\xc2\x9d"
    "0;title\xc2\x9c\xc2\x85\xc2\x80\xc2\x9f",
    "order \xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad"
    "\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9 end",
    "lines a\xe2\x80\xa8"
    "b\xe2\x80\xa9"
    "c",
    "hidden a\xe2\x80\x8b"
    "b\xe2\x81\xa0"
    "c\xef\xbb\xbf"
    "d\xf3\xa0\x80\x81"
    "e",
    "colours \033[1mStrong\033[0m",
    NULL,
};

const char *const hostile_bytes[] = {
    "bytes \x9b"
    "31m \xff\xfe",
    "cut \xe2\x80",
    "surrogates \xed\xa0\x80\xed\xb0\x80 \xed\xb2\x9b",
    "long \xc0\x80 \xc0\x9b \xe0\x82\x9b",
    NULL,
};

static gboolean acts(gunichar c)
{
    static const struct {
        gunichar first, last;
    } ranges[] = {
        {0x00, 0x09},     {0x0b, 0x1f},     {0x7f, 0x9f},       {0x061c, 0x061c},
        {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe0001}, {0xe0020, 0xe007f},
    };

    for (guint i = 0; i < G_N_ELEMENTS(ranges); i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return TRUE;
    return FALSE;
}

const char *hostile_find(const char *text)
{
    const char *end;

    if (!g_utf8_validate(text, -1, &end))
        return end;
    for (const char *p = text; *p; p = g_utf8_next_char(p))
        if (acts(g_utf8_get_char(p)))
            return p;
    return NULL;
}

void hostile_assert_none(const char *what, const char *text)
{
    const char *found = hostile_find(text);

    if (!found)
        return;
    const char *line = found;
    while (line > text && line[-1] != '\n')
        line--;
    g_autofree char *shown = g_strndup(line, strcspn(line, "\n"));
    g_autofree char *escaped = g_strescape(shown, NULL);
    g_error("%s: byte %d of \"%s\"", what, (int)(found - line), escaped);
}

GPtrArray *hostile_read_csv(const char *text)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    GPtrArray *row = g_ptr_array_new();

    for (const char *p = text; *p;) {
        GString *field = g_string_new(NULL);
        if (*p == '"') {
            for (p++; !(*p == '"' && p[1] != '"'); p++) {
                if (!*p)
                    g_error("a quoted field has no end: %.80s", field->str);
                p += *p == '"';
                g_string_append_c(field, *p);
            }
            p++;
        } else {
            for (; *p && !strchr(",\n", *p); p++) {
                if (*p == '"' || *p == '\r')
                    g_error("a quote or a return in a field without quotes: %.80s", p);
                g_string_append_c(field, *p);
            }
        }
        g_ptr_array_add(row, g_string_free(field, FALSE));
        if (*p != ',' && *p != '\n')
            g_error("a row without an end");
        if (*p == '\n') {
            g_ptr_array_add(row, NULL);
            g_ptr_array_add(rows, g_ptr_array_free(row, FALSE));
            row = g_ptr_array_new();
        }
        p++;
    }
    g_assert_cmpuint(row->len, ==, 0);
    g_ptr_array_free(row, TRUE);
    return rows;
}

static gboolean begins_formula(const char *text)
{
    for (;; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        if (!g_unichar_isspace(c) && c != '"' && c != 0xfeff && c != 0x200b)
            break;
    }
    gunichar c = g_utf8_get_char(text);
    return c && (strchr("=+-@", c < 0x80 ? (int)c : 'x') || c == 0xff1d || c == 0xff0b ||
                 c == 0xff0d || c == 0xff20);
}

gboolean hostile_is_formula(const char *field)
{
    if (begins_formula(field) || strchr("\t\r", *field ? *field : 'x'))
        return TRUE;
    for (const char *p = field; *p; p++)
        if (strchr(";\t\n\r", *p) && begins_formula(p + 1))
            return TRUE;
    return FALSE;
}
