#include "viewer/report/reply.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/recording.h"

typedef struct {
    const char *text, *at; /* ends with a zero, which is no part of JSON */
    guint depth;
    const char *why; /* it is none; NULL so far */
} Reading;

static JsonNode *read_value(Reading *r);

static JsonNode *refuse(Reading *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return NULL;
}

static void skip_blanks(Reading *r)
{
    r->at += strspn(r->at, " \t\n\r");
}

static gboolean take(Reading *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return FALSE;
    r->at++;
    return TRUE;
}

/* Four hexadecimal digits, -1 when they are none. */
static gint32 read_unit(Reading *r)
{
    gint32 unit = 0;

    for (guint i = 0; i < 4; i++, r->at++) {
        if (!g_ascii_isxdigit(*r->at))
            return -1;
        unit = unit << 4 | g_ascii_xdigit_value(*r->at);
    }
    return unit;
}

/* What stands behind a backslash. FALSE when that is nothing. */
static gboolean read_escape(Reading *r, gunichar *ret_character)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *letter = *r->at ? strchr(letters, *r->at) : NULL;

    if (letter) {
        r->at++;
        *ret_character = (guchar)meant[letter - letters];
        return TRUE;
    }
    if (*r->at != 'u')
        return FALSE;
    r->at++;
    gint32 unit = read_unit(r);
    if (unit < 0)
        return FALSE;
    *ret_character = (gunichar)unit;
    if (unit == 0 || (unit >= 0xdc00 && unit < 0xe000))
        *ret_character = 0xfffd;
    if (unit < 0xd800 || unit >= 0xdc00)
        return TRUE;
    *ret_character = 0xfffd;
    const char *behind = r->at;
    if (r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        gint32 low = read_unit(r);
        if (low >= 0xdc00 && low < 0xe000) {
            *ret_character = 0x10000 + ((gunichar)(unit - 0xd800) << 10) + (gunichar)(low - 0xdc00);
            return TRUE;
        }
    }
    r->at = behind; /* half a pair; what follows is a character of its own */
    return TRUE;
}

/* A string, behind its first quote. Owned; NULL after `refuse`. */
static char *read_string(Reading *r)
{
    g_autoptr(GString) out = g_string_new(NULL);

    while (*r->at != '"') {
        gunichar c;
        if ((guchar)*r->at < 0x20) {
            refuse(r, *r->at ? "a control character in a string" : "it ends in a string");
            return NULL;
        }
        if (*r->at == '\\') {
            r->at++;
            if (!read_escape(r, &c)) {
                refuse(r, "a backslash that escapes nothing");
                return NULL;
            }
        } else {
            c = g_utf8_get_char(r->at);
            r->at = g_utf8_next_char(r->at);
        }
        if (out->len + 4 <= PM_REPLY_TEXT_MAX)
            g_string_append_unichar(out, c);
    }
    r->at++;
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static JsonNode *read_number(Reading *r)
{
    const char *begin = r->at;
    char *end;
    gsize digits;

    r->at += *r->at == '-';
    digits = strspn(r->at, "0123456789");
    gboolean whole = digits > 0 && (*r->at != '0' || digits == 1), is_int = TRUE;
    r->at += digits;
    if (whole && *r->at == '.') {
        is_int = FALSE;
        digits = strspn(++r->at, "0123456789");
        whole = digits > 0;
        r->at += digits;
    }
    if (whole && (*r->at == 'e' || *r->at == 'E')) {
        is_int = FALSE;
        r->at++;
        r->at += *r->at == '+' || *r->at == '-';
        digits = strspn(r->at, "0123456789");
        whole = digits > 0;
        r->at += digits;
    }
    if (!whole)
        return refuse(r, "an invalid number");
    errno = 0;
    gint64 value = g_ascii_strtoll(begin, &end, 10);
    if (is_int && errno == 0)
        return json_node_init_int(json_node_alloc(), value);
    double number = g_ascii_strtod(begin, NULL);
    return isfinite(number) ? json_node_init_double(json_node_alloc(), number)
                            : json_node_init_null(json_node_alloc());
}

static JsonNode *read_object(Reading *r)
{
    g_autoptr(JsonObject) object = json_object_new();

    if (take(r, '}'))
        return json_node_init_object(json_node_alloc(), object);
    do {
        if (!take(r, '"'))
            return refuse(r, "a member without a name");
        g_autofree char *key = read_string(r);
        if (!key)
            return NULL;
        if (!take(r, ':'))
            return refuse(r, "a member without a value");
        JsonNode *value = read_value(r);
        if (!value)
            return NULL;
        json_object_set_member(object, key, value);
    } while (take(r, ','));
    if (!take(r, '}'))
        return refuse(r, "an object without an end");
    return json_node_init_object(json_node_alloc(), object);
}

static JsonNode *read_array(Reading *r)
{
    g_autoptr(JsonArray) array = json_array_new();

    if (take(r, ']'))
        return json_node_init_array(json_node_alloc(), array);
    do {
        JsonNode *value = read_value(r);
        if (!value)
            return NULL;
        json_array_add_element(array, value);
    } while (take(r, ','));
    if (!take(r, ']'))
        return refuse(r, "a list without an end");
    return json_node_init_array(json_node_alloc(), array);
}

static gboolean take_word(Reading *r, const char *word)
{
    if (!g_str_has_prefix(r->at, word))
        return FALSE;
    r->at += strlen(word);
    return TRUE;
}

/* Owned; NULL after `refuse`. */
static JsonNode *read_value(Reading *r)
{
    JsonNode *value;

    if (r->depth == PM_REPLY_DEPTH)
        return refuse(r, "it is nested too deeply");
    r->depth++;
    if (take(r, '{')) {
        value = read_object(r);
    } else if (take(r, '[')) {
        value = read_array(r);
    } else if (take(r, '"')) {
        g_autofree char *text = read_string(r);
        value = text ? json_node_init_string(json_node_alloc(), text) : NULL;
    } else if (take_word(r, "true")) {
        value = json_node_init_boolean(json_node_alloc(), TRUE);
    } else if (take_word(r, "false")) {
        value = json_node_init_boolean(json_node_alloc(), FALSE);
    } else if (take_word(r, "null")) {
        value = json_node_init_null(json_node_alloc());
    } else {
        value = read_number(r);
    }
    r->depth--;
    return value;
}

JsonObject *pm_reply_parse(const char *text, gsize length, GError **error)
{
    g_return_val_if_fail(text != NULL, NULL);
    g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);
    Reading r = {.text = valid, .at = valid};
    g_autoptr(JsonNode) root = read_value(&r);

    skip_blanks(&r);
    if (root && *r.at)
        refuse(&r, "something after its end");
    else if (root && !JSON_NODE_HOLDS_OBJECT(root))
        refuse(&r, "it is not an object");
    if (!r.why)
        return json_node_dup_object(root);
    g_set_error(error, PM_RECORDING_ERROR, -PM_ERROR_MALFORMED,
                "not JSON that a recorder would write: %s, at byte %" G_GSIZE_FORMAT, r.why,
                (gsize)(r.at - r.text));
    return NULL;
}

/* NULL when there is no member `key` of that type. */
static JsonNode *member(JsonObject *reply, const char *key, GType type)
{
    JsonNode *node = reply ? json_object_get_member(reply, key) : NULL;

    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type ? node
                                                                                         : NULL;
}

gboolean pm_reply_has_int(JsonObject *reply, const char *key)
{
    return member(reply, key, G_TYPE_INT64) != NULL;
}

gboolean pm_reply_has_flag(JsonObject *reply, const char *key)
{
    return member(reply, key, G_TYPE_BOOLEAN) != NULL;
}

gint64 pm_reply_int(JsonObject *reply, const char *key)
{
    JsonNode *node = member(reply, key, G_TYPE_INT64);

    return node ? json_node_get_int(node) : 0;
}

gboolean pm_reply_flag(JsonObject *reply, const char *key)
{
    JsonNode *node = member(reply, key, G_TYPE_BOOLEAN);

    return node && json_node_get_boolean(node);
}

JsonArray *pm_reply_list(JsonObject *reply, const char *key)
{
    JsonNode *node = reply ? json_object_get_member(reply, key) : NULL;

    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

const char *pm_reply_text(JsonObject *reply, const char *key)
{
    JsonNode *node = member(reply, key, G_TYPE_STRING);

    return node ? json_node_get_string(node) : "";
}
