/* Answers in JSON: beside json-glib's own reader, which may be fed what ours takes. */
#include <string.h>

#include "tests/format/synthetic.h"
#include "viewer/report/reply.h"

static JsonObject *parse(const char *text)
{
    return pm_reply_parse(text, strlen(text), NULL);
}

static void members_are_what_they_are(void)
{
    g_autoptr(JsonObject) reply =
        parse(" {\"int\" : -12 "
              ",\"flag\":true,\"text\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\","
              "\"list\":[1,[2,{}]],\"null\":null,\"double\":1.5e3,\"int\":9223372036854775807}\n");

    g_assert_nonnull(reply);
    g_assert_cmpint(pm_reply_int(reply, "int"), ==, G_MAXINT64); /* the last of two */
    g_assert_true(pm_reply_flag(reply, "flag"));
    g_assert_cmpstr(pm_reply_text(reply, "text"), ==, "a\"\\/\b\f\n\r\té😀");
    g_assert_cmpuint(json_array_get_length(pm_reply_list(reply, "list")), ==, 2);
    static const char *const keys[] = {"int", "flag", "text", "list", "null", "double", "none"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_assert_cmpint(pm_reply_int(reply, keys[i]) != 0, ==, i == 0);
        g_assert_cmpint(pm_reply_has_int(reply, keys[i]), ==, i == 0);
        g_assert_cmpint(pm_reply_flag(reply, keys[i]), ==, i == 1);
        g_assert_cmpint(pm_reply_has_flag(reply, keys[i]), ==, i == 1);
        g_assert_cmpint(*pm_reply_text(reply, keys[i]) != 0, ==, i == 2);
        g_assert_cmpint(pm_reply_list(reply, keys[i]) != NULL, ==, i == 3);
    }
    g_assert_cmpint(pm_reply_int(NULL, "int"), ==, 0);
    g_assert_cmpstr(pm_reply_text(NULL, "text"), ==, "");
    g_assert_null(pm_reply_list(NULL, "list"));
}

static void what_is_half_is_mended(void)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"{\"t\":\"a\\ud800b\"}", "a�b"},     {"{\"t\":\"a\\ude00b\"}", "a�b"},
        {"{\"t\":\"\\ud800\\u0041\"}", "�A"}, {"{\"t\":\"\\ud800\\ud83d\\ude00\"}", "�😀"},
        {"{\"t\":\"a\\u0000b\"}", "a�b"},     {"{\"t\":\"\xff\"}", "�"},
        {"{\"t\":\"\xed\xa0\x80\"}", "���"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(JsonObject) reply = parse(cases[i].json);
        g_assert_nonnull(reply);
        g_assert_cmpstr(pm_reply_text(reply, "t"), ==, cases[i].text);
    }
}

static void bounds_hold(void)
{
    for (guint depth = 1; depth < 200000; depth = depth < 20 ? depth + 1 : depth * 3) {
        g_autoptr(GString) json = g_string_new("{\"a\":");
        for (guint i = 1; i < depth; i++)
            g_string_append_c(json, '[');
        for (guint i = 1; i < depth; i++)
            g_string_append_c(json, ']');
        g_string_append(json, depth == 1 ? "1}" : "}");
        g_autoptr(JsonObject) reply = parse(json->str);
        /* The empty list at the bottom has no value of its own. */
        g_assert_cmpint(reply != NULL, ==, MAX(depth, 2) <= PM_REPLY_DEPTH);
    }
    for (gsize length = PM_REPLY_TEXT_MAX - 8; length < PM_REPLY_TEXT_MAX + 8; length++) {
        g_autofree char *long_text = g_strnfill(length, 'a');
        g_autofree char *json = g_strdup_printf("{\"t\":\"%sé😀\"}", long_text);
        g_autoptr(JsonObject) reply = parse(json);
        g_assert_true(g_utf8_validate(pm_reply_text(reply, "t"), -1, NULL));
        g_assert_cmpuint(strlen(pm_reply_text(reply, "t")), <=, PM_REPLY_TEXT_MAX);
    }
}

/* What ours takes is JSON to the library too, with the same numbers in it. */
static void takes_nothing_that_is_none(void)
{
    static const char seed[] =
        "{\"pid\":-12,\"m\":\"a\\u00e9\\\"\",\"b\":[true,false,null,1.5e-3,0],\"o\":{}}";
    uint64_t state = 5;
    guint taken = 0;

    for (guint round = 0; round < 200000; round++) {
        char json[sizeof seed];
        memcpy(json, seed, sizeof seed);
        for (guint i = 0; i < 1 + round % 3; i++) {
            const guint at = (guint)syn_random_below(&state, sizeof seed - 1);
            json[at] = syn_random_below(&state, 2) ? seed[syn_random_below(&state, sizeof seed - 1)]
                                                   : (char)syn_random_below(&state, 256);
        }
        g_autoptr(JsonObject) reply = parse(json);
        if (!reply)
            continue;
        taken++;
        g_autofree char *valid = g_utf8_make_valid(json, -1);
        g_autoptr(JsonNode) node = strstr(valid, "\\ud") ? NULL : json_from_string(valid, NULL);
        if (strstr(valid, "\\ud"))
            continue;
        g_assert_nonnull(node);
        JsonNode *pid = json_object_get_member(json_node_get_object(node), "pid");
        if (pid && pm_reply_has_int(reply, "pid"))
            g_assert_cmpint(json_node_get_int(pid), ==, pm_reply_int(reply, "pid"));
    }
    g_assert_cmpuint(taken, >, 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/reply/members-are-what-they-are", members_are_what_they_are);
    g_test_add_func("/report/reply/what-is-half-is-mended", what_is_half_is_mended);
    g_test_add_func("/report/reply/bounds-hold", bounds_hold);
    g_test_add_func("/report/reply/takes-nothing-that-is-none", takes_nothing_that_is_none);
    return g_test_run();
}
