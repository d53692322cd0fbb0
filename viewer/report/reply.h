/* Parses JSON replies from a recorder's socket, which are untrusted input. Strict JSON (RFC 8259),
 * a few levels deep, no string longer than a path; members are accessed by their expected type, and
 * one of another type counts as missing. */
#pragma once

#include <json-glib/json-glib.h>

#define PM_REPLY_DEPTH    8    /* a recorder sends one flat object, parkctl a list of them */
#define PM_REPLY_TEXT_MAX 4096 /* bytes of a string; what is longer is cut */

/* The object in `text`, or NULL and a sentence in `error`. Invalid UTF-8, unpaired surrogates and
 * U+0000 become U+FFFD. Of two members with the same name the last counts. Owned:
 * json_object_unref. Cost: linear. */
JsonObject *pm_reply_parse(const char *text, gsize length, GError **error);

/* A NULL `reply` has no members. Text may contain control characters: clean it before display. */
gboolean pm_reply_has_int(JsonObject *reply, const char *key);
gboolean pm_reply_has_flag(JsonObject *reply, const char *key);
gint64 pm_reply_int(JsonObject *reply, const char *key);       /* 0 when there is none */
gboolean pm_reply_flag(JsonObject *reply, const char *key);    /* FALSE when there is none */
JsonArray *pm_reply_list(JsonObject *reply, const char *key);  /* NULL when there is none */
const char *pm_reply_text(JsonObject *reply, const char *key); /* "" when there is none; borrowed */
