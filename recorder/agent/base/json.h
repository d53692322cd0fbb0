/* A writer of one flat JSON object into a bounded text: the answers to `hello` and `status`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/record.h"

struct pm_json {
    char *bytes;
    size_t size;   /* room, with the zero at the end */
    size_t length; /* stops at size - 1: a member that does not fit is omitted entirely */
    bool cut;      /* something did not fit */
};

void pm_json_begin(struct pm_json *json, char *bytes, size_t size); /* {"schema":1 */
void pm_json_add_int(struct pm_json *json, const char *key, int64_t value);
void pm_json_add_bool(struct pm_json *json, const char *key, bool value);
void pm_json_add_null(struct pm_json *json, const char *key);
/* Bytes that are not UTF-8 become "?"; control characters (format/character.h) are escaped. */
void pm_json_add_text(struct pm_json *json, const char *key, struct pm_text text);
void pm_json_add_string(struct pm_json *json, const char *key, const char *string);
void pm_json_end(struct pm_json *json); /* } */
