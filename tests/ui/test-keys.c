/* The key table: every row can be bound, no key means two things, everything that shows it agrees.
 */
#include <string.h>

#include "viewer/ui/model/keys.h"

static void test_every_trigger_and_action_is_well_formed(void)
{
    for (gsize i = 0; i < pm_n_keys; i++) {
        g_autofree char *name = NULL;
        g_autoptr(GVariant) target = NULL;
        GtkShortcutTrigger *trigger = gtk_shortcut_trigger_parse_string(pm_keys[i].triggers);
        g_assert_nonnull(trigger);
        g_object_unref(trigger);
        g_assert_true(g_action_parse_detailed_name(pm_keys[i].action, &name, &target, NULL));
        g_assert_cmpstr(pm_keys[i].title, !=, "");
    }
}

static void test_no_key_means_two_things(void)
{
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (gsize i = 0; i < pm_n_keys; i++) {
        g_auto(GStrv) triggers = g_strsplit(pm_keys[i].triggers, "|", -1);
        for (guint j = 0; triggers[j]; j++) {
            for (guint scope = 0; scope < PM_N_KEY_SCOPES; scope++) {
                /* A chart's keys and a page's never meet, and those of the flame graph come before
                 * its page's; all others do. */
                const gboolean chart = scope == PM_KEYS_CHART || pm_keys[i].scope == PM_KEYS_CHART;
                const gboolean page = scope == PM_KEYS_PAGE || pm_keys[i].scope == PM_KEYS_PAGE;
                const gboolean flames =
                    scope == PM_KEYS_FLAMES || pm_keys[i].scope == PM_KEYS_FLAMES;
                const gboolean apart = chart + page + flames == 2;
                g_autofree char *other = g_strdup_printf("%u %s", scope, triggers[j]);
                if (!apart && g_hash_table_contains(taken, other)) {
                    g_test_message("%s of %s", triggers[j], pm_keys[i].action);
                    g_test_fail();
                }
            }
            g_hash_table_add(taken, g_strdup_printf("%u %s", (guint)pm_keys[i].scope, triggers[j]));
        }
    }
}

static void test_letters_are_never_accelerators(void)
{
    for (gsize i = 0; i < pm_n_keys; i++) {
        guint key;
        GdkModifierType modifiers;
        g_auto(GStrv) triggers = g_strsplit(pm_keys[i].triggers, "|", -1);
        for (guint j = 0; triggers[j]; j++) {
            g_assert_true(gtk_accelerator_parse(triggers[j], &key, &modifiers));
            if (pm_keys[i].scope == PM_KEYS_APP) {
                gboolean function = key >= GDK_KEY_F1 && key <= GDK_KEY_F12;
                g_assert_true(function || (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK)));
            }
        }
    }
}

static void test_the_markdown_has_every_row(void)
{
    g_autofree char *text = pm_keys_markdown();

    for (gsize i = 0; i < pm_n_keys; i++)
        g_assert_nonnull(strstr(text, pm_keys[i].title));
}

int main(int argc, char **argv)
{
    gtk_init_check();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ui/keys/every-trigger-and-action-is-well-formed",
                    test_every_trigger_and_action_is_well_formed);
    g_test_add_func("/ui/keys/no-key-means-two-things", test_no_key_means_two_things);
    g_test_add_func("/ui/keys/letters-are-never-accelerators", test_letters_are_never_accelerators);
    g_test_add_func("/ui/keys/the-markdown-has-every-row", test_the_markdown_has_every_row);
    return g_test_run();
}
