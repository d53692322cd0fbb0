/* JSON out: members of an object under construction. NAN becomes null, text becomes valid UTF-8. */
#pragma once

#include <json-glib/json-glib.h>

void pm_json_text(JsonBuilder *builder, const char *key, const char *text); /* NULL: null */
void pm_json_int(JsonBuilder *builder, const char *key, gint64 value);
void pm_json_double(JsonBuilder *builder, const char *key, double value);
/* A number of ns that was averaged: rounded to a whole one. */
void pm_json_ns(JsonBuilder *builder, const char *key, double value);
void pm_json_bool(JsonBuilder *builder, const char *key, gboolean value);
void pm_json_null(JsonBuilder *builder, const char *key);
void pm_json_begin_array(JsonBuilder *builder, const char *key);
void pm_json_begin_object(JsonBuilder *builder, const char *key);
/* Appends what was built, indented, with a line feed. */
void pm_json_finish(JsonBuilder *builder, GString *out);
