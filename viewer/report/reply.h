/* What was answered in JSON by whatever sits behind a recorder's socket: a stranger's text, read
 * with that in mind. Strict JSON (RFC 8259), a few levels deep, no string longer than a path;
 * members are asked for by the type they should have, and what is of another is as good as missing.
 */
#pragma once

#include <json-glib/json-glib.h>

#define PM_REPLY_DEPTH    8    /* recorders answer one flat object, parkctl a list of them */
#define PM_REPLY_TEXT_MAX 4096 /* bytes of a string; what is longer is cut */

/* The object that `text` is, or NULL and a sentence in `error`. What is no UTF-8 in it, half a
 * surrogate pair and U+0000 become U+FFFD. Of two members of one name the last counts. Owned:
 * json_object_unref. Cost: linear. */
JsonObject *pm_reply_parse(const char *text, gsize length, GError **error);

/* NULL as `reply` has no members. Text may hold characters that act: clean it where it is shown. */
gboolean pm_reply_has_int(JsonObject *reply, const char *key);
gboolean pm_reply_has_flag(JsonObject *reply, const char *key);
gint64 pm_reply_int(JsonObject *reply, const char *key);       /* 0 when there is none */
gboolean pm_reply_flag(JsonObject *reply, const char *key);    /* FALSE when there is none */
JsonArray *pm_reply_list(JsonObject *reply, const char *key);  /* NULL when there is none */
const char *pm_reply_text(JsonObject *reply, const char *key); /* "" when there is none; borrowed */
