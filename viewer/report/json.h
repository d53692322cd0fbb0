/* JSON output: members of an object under construction. NAN becomes null, text becomes valid UTF-8.
 * Control characters (format/character.h) are written as \u…: a JSON parser gets the recorded text,
 * and a terminal that shows the JSON is not affected. */
#pragma once

#include <json-glib/json-glib.h>

void pm_json_text(JsonBuilder *builder, const char *key, const char *text); /* NULL: null */
void pm_json_int(JsonBuilder *builder, const char *key, gint64 value);
void pm_json_double(JsonBuilder *builder, const char *key, double value);
/* An averaged number of ns: rounded to an integer. */
void pm_json_ns(JsonBuilder *builder, const char *key, double value);
void pm_json_bool(JsonBuilder *builder, const char *key, gboolean value);
void pm_json_null(JsonBuilder *builder, const char *key);
void pm_json_begin_array(JsonBuilder *builder, const char *key);
void pm_json_begin_object(JsonBuilder *builder, const char *key);
/* Appends `text` as a JSON string, including quotes: for output too long to be built first. */
void pm_json_append_string(GString *out, const char *text);
/* Appends the built object, indented, with a line feed. */
void pm_json_finish(JsonBuilder *builder, GString *out);
/* The same in one line without blanks. */
void pm_json_finish_line(JsonBuilder *builder, GString *out);
