/* The state texts are one table, and docs/ui.md holds it and the key table word for word. */
#include <string.h>

#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/model/state-text.h"

static void names_are_filled(void)
{
    g_autofree char *text =
        pm_state_text_fill("{file}: {n} of {n} {other} {", "file", "a.park", "n", "3", NULL);

    g_assert_cmpstr(text, ==, "a.park: 3 of 3 {other} {");
    g_autofree char *file = pm_state_text_file("/tmp/a.park"), *pipe = pm_state_text_file("-");
    g_assert_cmpstr(file, ==, "a.park");
    g_assert_cmpstr(pipe, ==, "standard input");
}

static void every_state_has_a_text(void)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

    for (PmStateId id = 0; id < PM_N_STATES; id++) {
        const PmStateText *text = pm_state_text_get(id);
        g_assert_nonnull(text->title);
        g_assert_nonnull(text->body);
        g_assert_cmpstr(text->title, !=, "");
        g_assert_true(g_hash_table_add(names, (gpointer)text->name));
        for (guint i = 0; i < PM_STATE_MAX_ACTIONS && text->actions[i].label; i++)
            g_assert_nonnull(text->actions[i].action);
    }
}

/* What stands between <!-- name --> and <!-- /name -->. */
static char *documented(const char *name)
{
    g_autofree char *path = g_build_filename(g_getenv("PM_SOURCE"), "docs", "ui.md", NULL);
    g_autofree char *begin = g_strdup_printf("<!-- %s -->\n", name);
    g_autofree char *end = g_strdup_printf("<!-- /%s -->", name);
    g_autofree char *page = NULL;
    g_autoptr(GError) error = NULL;

    g_file_get_contents(path, &page, NULL, &error);
    g_assert_no_error(error);
    char *from = strstr(page, begin);
    g_assert_nonnull(from);
    from += strlen(begin);
    char *to = strstr(from, end);
    g_assert_nonnull(to);
    return g_strndup(from, (gsize)(to - from));
}

static char *states_in_code(void)
{
    GString *table = g_string_new("| where | title | body | actions |\n|---|---|---|---|\n");

    for (PmStateId id = 0; id < PM_N_STATES; id++) {
        const PmStateText *state = pm_state_text_get(id);
        g_string_append_printf(table, "| %s | %s | %s | ", state->where, state->title, state->body);
        for (guint j = 0; j < PM_STATE_MAX_ACTIONS && state->actions[j].label; j++)
            g_string_append_printf(table, "%s[%s]", j ? " " : "", state->actions[j].label);
        g_string_append(table, " |\n");
    }
    return g_string_free(table, FALSE);
}

static void document_has_the_states(void)
{
    g_autofree char *in_code = states_in_code();
    g_autofree char *in_document = documented("states");

    g_assert_cmpstr(in_document, ==, in_code);
}

static void document_has_the_keys(void)
{
    g_autofree char *in_code = pm_keys_markdown();
    g_autofree char *in_document = documented("keys");

    g_assert_cmpstr(in_document, ==, in_code);
}

static void check_time(gint64 biggest, double ns, const char *wanted)
{
    const PmUnit unit = pm_number_unit(biggest);
    g_autofree char *text = pm_number_time(&unit, ns);

    g_assert_cmpstr(text, ==, wanted);
}

static void one_unit_a_column(void)
{
    check_time(G_GINT64_CONSTANT(1891600000000), 1891.6e9, "1\u202f891.6\u202fs");
    check_time(G_GINT64_CONSTANT(1891600000000), 27e9, "27.0\u202fs");
    check_time(2310000000, 0.19e9, "0.19\u202fs");
    check_time(146500000, 44e6, "44.0\u202fms");
    check_time(G_GINT64_CONSTANT(55731400000000), 55731.4e9, "55\u202f731\u202fs");
    check_time(999, 12, "12\u202fns");
    check_time(0, 0, "0.00\u202fs");
}

static void check_most(double biggest, double most, const char *wanted)
{
    double values[] = {most, biggest, most, most};
    const PmUnit unit = pm_number_unit_of(values, G_N_ELEMENTS(values));
    g_autofree char *text = pm_number_time(&unit, biggest);

    g_assert_cmpstr(text, ==, wanted);
}

/* One value that dwarfs the rest is not cut in a column that is made for the rest. */
static void the_biggest_of_a_column_fits(void)
{
    check_most(9.9e9, 2.3e6, "9\u202f900.0\u202fms");
    check_most(11.0113e9, 2.3e6, "11\u202f011\u202fms");
    check_most(11.0113e9, 23e6, "11\u202f011\u202fms");
    check_most(178.057e6, 42e3, "178.06\u202fms");
    check_most(99.9e9, 2.3e6, "99\u202f900\u202fms");
    check_most(999e9, 2.3e6, "999.00\u202fs");
    check_most(3600e9, 2.3e6, "3\u202f600.0\u202fs");
}

static void small_shares_are_not_nothing(void)
{
    g_autofree char *small = pm_number_percent(0.0001), *none = pm_number_percent(0);
    g_autofree char *most = pm_number_percent(0.439);

    g_assert_cmpstr(small, ==, "<0.1\u202f%");
    g_assert_cmpstr(none, ==, "0.0\u202f%");
    g_assert_cmpstr(most, ==, "43.9\u202f%");
}

static void counts_are_grouped(void)
{
    g_autofree char *three = pm_number_count(999), *many = pm_number_count(24118);
    g_autofree char *one = pm_number_plural(1, "wait", "waits");

    g_assert_cmpstr(three, ==, "999");
    g_assert_cmpstr(many, ==, "24\u202f118");
    g_assert_cmpstr(one, ==, "1 wait");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ui/state-text/names-are-filled", names_are_filled);
    g_test_add_func("/ui/state-text/every-state-has-a-text", every_state_has_a_text);
    g_test_add_func("/ui/state-text/document-has-the-states", document_has_the_states);
    g_test_add_func("/ui/keys/document-has-the-keys", document_has_the_keys);
    g_test_add_func("/ui/number/one-unit-a-column", one_unit_a_column);
    g_test_add_func("/ui/number/the-biggest-of-a-column-fits", the_biggest_of_a_column_fits);
    g_test_add_func("/ui/number/small-shares-are-not-nothing", small_shares_are_not_nothing);
    g_test_add_func("/ui/number/counts-are-grouped", counts_are_grouped);
    return g_test_run();
}
