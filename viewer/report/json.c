#include "viewer/report/json.h"

#include <math.h>

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
        pm_json_int(builder, key, (gint64)llround(value));
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

void pm_json_finish(JsonBuilder *builder, GString *out)
{
    JsonNode *root = json_builder_get_root(builder);
    g_autoptr(JsonGenerator) generator = json_generator_new();

    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_indent(generator, 1);
    json_generator_to_gstring(generator, out);
    g_string_append_c(out, '\n');
    json_node_unref(root);
}
