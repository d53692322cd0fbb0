/* The JSON of `hello` and `status`: whatever is in it, it reads as what it says and acts on
 * nothing. */
#include <json-glib/json-glib.h>
#include <string.h>

#include "recorder/agent/base/json.h"
#include "tests/attacks/hostile-text.h"

static void test_texts_are_whole_and_act_on_nothing(void)
{
    const char *const *const kinds[] = {hostile_marks, hostile_bytes, hostile_formulas};

    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        for (guint i = 0; kinds[k][i]; i++) {
            struct pm_json json;
            char bytes[4096];
            pm_json_begin(&json, bytes, sizeof bytes);
            pm_json_add_string(&json, "text", kinds[k][i]);
            pm_json_end(&json);
            g_assert_false(json.cut);
            hostile_assert_none(kinds[k][i], bytes);
            g_autoptr(GError) error = NULL;
            g_autoptr(JsonNode) node = json_from_string(bytes, &error);
            g_assert_no_error(error);
            const char *text = json_object_get_string_member(json_node_get_object(node), "text");
            if (g_utf8_validate(kinds[k][i], -1, NULL))
                g_assert_cmpstr(text, ==, kinds[k][i]);
            g_assert_true(g_utf8_validate(text, -1, NULL));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/json/texts-are-whole-and-act-on-nothing",
                    test_texts_are_whole_and_act_on_nothing);
    return g_test_run();
}
