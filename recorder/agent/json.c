#include "recorder/agent/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    int length = snprintf(text, sizeof(text), ",\"%s\":%s", key, value);
    if (length > 0 && length < (int)sizeof(text)) {
        put(json, text, (size_t)length);
    }
}

void pm_json_begin(struct pm_json *json, char *bytes, size_t size)
{
    *json = (struct pm_json){.bytes = bytes, .size = size};
    static const char begin[] = "{\"schema\":1";
    put(json, begin, sizeof(begin) - 1);
}

void pm_json_add_int(struct pm_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64, value);
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

/* Length of the UTF-8 character at `bytes`, 0 when it is none. */
static size_t character_length(const unsigned char *bytes, size_t left)
{
    size_t length = bytes[0] < 0x80                        ? 1
                    : bytes[0] >= 0xc2 && bytes[0] <= 0xdf ? 2
                    : bytes[0] >= 0xe0 && bytes[0] <= 0xef ? 3
                    : bytes[0] >= 0xf0 && bytes[0] <= 0xf4 ? 4
                                                           : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    if ((bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xed && bytes[1] > 0x9f) ||
        (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f)) {
        return 0;
    }
    return length;
}

void pm_json_add_text(struct pm_json *json, const char *key, struct pm_text text)
{
    size_t before = json->length;
    char piece[160];
    int length = snprintf(piece, sizeof(piece), ",\"%s\":\"", key);
    bool fits = put(json, piece, (size_t)length);
    for (size_t i = 0; i < text.length && fits;) {
        const unsigned char *at = (const unsigned char *)text.bytes + i;
        size_t n = character_length(at, text.length - i);
        if (n == 0) {
            fits = put(json, "?", 1);
            i++;
        } else if (n == 1 && (*at == '"' || *at == '\\')) {
            char escaped[2] = {'\\', (char)*at};
            fits = put(json, escaped, 2);
            i++;
        } else if (n == 1 && (*at < 0x20 || *at == 0x7f)) {
            snprintf(piece, sizeof(piece), "\\u%04x", *at);
            fits = put(json, piece, 6);
            i++;
        } else {
            fits = put(json, (const char *)at, n);
            i += n;
        }
    }
    if (!fits || !put(json, "\"", 1)) {
        json->length = before;
    }
}

void pm_json_add_string(struct pm_json *json, const char *key, const char *string)
{
    pm_json_add_text(json, key, (struct pm_text){string, (uint32_t)strlen(string)});
}

void pm_json_end(struct pm_json *json)
{
    json->bytes[json->length++] = '}';
    json->bytes[json->length++] = '\n';
    json->bytes[json->length] = 0;
}
