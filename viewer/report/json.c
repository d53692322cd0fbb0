#include "viewer/report/json.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/base/sum.h"

#include "format/character.h"

void pm_json_text(JsonBuilder *builder, const char *key, const char *text)
{
    json_builder_set_member_name(builder, key);
    if (!text) {
        json_builder_add_null_value(builder);
        return;
    }
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    json_builder_add_string_value(builder, valid);
}

void pm_json_int(JsonBuilder *builder, const char *key, gint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, value);
}

void pm_json_double(JsonBuilder *builder, const char *key, double value)
{
    json_builder_set_member_name(builder, key);
    if (isnan(value) || isinf(value))
        json_builder_add_null_value(builder);
    else
        json_builder_add_double_value(builder, value);
}

void pm_json_ns(JsonBuilder *builder, const char *key, double value)
{
    if (isnan(value))
        pm_json_null(builder, key);
    else
        pm_json_int(builder, key, pm_rounded(value));
}

void pm_json_bool(JsonBuilder *builder, const char *key, gboolean value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_boolean_value(builder, value);
}

void pm_json_null(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_null_value(builder);
}

void pm_json_begin_array(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_array(builder);
}

void pm_json_begin_object(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_object(builder);
}

static void append_escaped(GString *out, gunichar c)
{
    if (c > 0xffff) {
        g_string_append_printf(out, "\\u%04x", 0xd7c0 + (c >> 10));
        c = 0xdc00 | (c & 0x3ff);
    }
    g_string_append_printf(out, "\\u%04x", c);
}

void pm_json_append_string(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    g_string_append_c(out, '"');
    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (pm_character_acts(c)) {
            append_escaped(out, c);
            continue;
        }
        if (c == '"' || c == '\\')
            g_string_append_c(out, '\\');
        g_string_append_unichar(out, c);
    }
    g_string_append_c(out, '"');
}

/* Behind the string that begins at `text`. */
static const char *string_end(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        text += *text == '\\' && text[1];
    return *text ? text + 1 : text;
}

static void finish(JsonBuilder *builder, gboolean pretty, GString *out)
{
    JsonNode *root = json_builder_get_root(builder);
    g_autoptr(JsonGenerator) generator = json_generator_new();

    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, pretty);
    json_generator_set_indent(generator, 1);
    g_autofree char *json = json_generator_to_data(generator, NULL);
    json_node_unref(root);
    /* The generator leaves two things to do. It escapes most of ASCII, U+001F not, and nothing
     * beyond; a line feed is its own, anything else that acts stands in a string. And it writes
     * 2e-12 as "2e-12.0", which is no number. */
    const char *end = json; /* of the string that was begun */
    gboolean exponent = FALSE;
    for (const char *p = json; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (p >= end) {
            if (c == '"')
                end = string_end(p);
            exponent = (c == 'e' && p > json && g_ascii_isdigit(p[-1])) ||
                       (exponent && strchr("+-.0123456789", (int)c));
            if (exponent && c == '.') {
                p += strspn(p + 1, "0");
                continue;
            }
        }
        if (c != '\n' && pm_character_acts(c))
            append_escaped(out, c);
        else
            g_string_append_unichar(out, c);
    }
    g_string_append_c(out, '\n');
}

void pm_json_finish(JsonBuilder *builder, GString *out)
{
    finish(builder, TRUE, out);
}

void pm_json_finish_line(JsonBuilder *builder, GString *out)
{
    finish(builder, FALSE, out);
}
