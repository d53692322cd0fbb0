#include "recorder/agent/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/character.h"

#define END_ROOM 3 /* "}\n" and the zero always fit */

/* Adds all of it or nothing. */
static bool put(struct pm_json *json, const char *bytes, size_t length)
{
    if (json->length + length + END_ROOM > json->size) {
        json->cut = true;
        return false;
    }
    memcpy(json->bytes + json->length, bytes, length);
    json->length += length;
    return true;
}

static void put_member(struct pm_json *json, const char *key, const char *value)
{
    char text[128];
    int length = snprintf(text, sizeof text, ",\"%s\":%s", key, value);
    if (length > 0 && length < (int)sizeof text)
        put(json, text, (size_t)length);
}

void pm_json_begin(struct pm_json *json, char *bytes, size_t size)
{
    assert(bytes && size > 20);
    *json = (struct pm_json){.bytes = bytes, .size = size};
    static const char begin[] = "{\"schema\":1";
    put(json, begin, sizeof begin - 1);
}

void pm_json_add_int(struct pm_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_member(json, key, text);
}

void pm_json_add_bool(struct pm_json *json, const char *key, bool value)
{
    put_member(json, key, value ? "true" : "false");
}

void pm_json_add_null(struct pm_json *json, const char *key)
{
    put_member(json, key, "null");
}

/* One character, as it stands in a JSON string. False when it does not fit. */
static bool put_character(struct pm_json *json, uint32_t character)
{
    char piece[16];
    if (character == '"' || character == '\\') {
        char escaped[2] = {'\\', (char)character};
        return put(json, escaped, 2);
    }
    if (!pm_character_acts(character))
        return put(json, piece, pm_character_write(character, piece));
    int length = character > 0xffff
                     ? snprintf(piece, sizeof piece, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10),
                                0xdc00 | (character & 0x3ff))
                     : snprintf(piece, sizeof piece, "\\u%04x", character);
    return put(json, piece, (size_t)length);
}

void pm_json_add_text(struct pm_json *json, const char *key, struct pm_text text)
{
    size_t before = json->length;
    char piece[160];
    int length = snprintf(piece, sizeof piece, ",\"%s\":\"", key);
    bool fits = put(json, piece, (size_t)length);
    for (size_t i = 0; i < text.length && fits;) {
        uint32_t character = '?';
        size_t n = pm_character_read(text.bytes + i, text.length - i, &character);
        fits = put_character(json, character);
        i += n > 0 ? n : 1;
    }
    if (!fits || !put(json, "\"", 1))
        json->length = before;
}

void pm_json_add_string(struct pm_json *json, const char *key, const char *string)
{
    pm_json_add_text(json, key, (struct pm_text){string, (uint32_t)strlen(string)});
}

void pm_json_end(struct pm_json *json)
{
    assert(json->length + 2 <= json->size);
    json->bytes[json->length++] = '}';
    json->bytes[json->length++] = '\n';
    json->bytes[json->length] = 0;
}
