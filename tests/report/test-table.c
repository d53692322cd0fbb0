#include <math.h>
#include <string.h>

#include "viewer/report/csv.h"
#include "viewer/report/json.h"
#include "viewer/report/metric.h"
#include "viewer/report/table.h"
#include "viewer/report/tree.h"
#include "viewer/report/unit.h"
#include "viewer/analysis/recording/label.h"

static const PmTerminal plain = {TRUE, FALSE, 30};

static void fit_cuts_in_the_middle(void)
{
    static const struct {
        const char *text;
        int columns;
        const char *fitted;
    } cases[] = {
        {"short", 5, "short"},        {"", 0, ""},          {"abcdefgh", 5, "ab…gh"},
        {"abcdefgh", 4, "a…gh"},      {"abcdefgh", 1, "…"}, {"abcdefgh", 0, ""},
        {"日本語日本語", 7, "日…語"}, /* wide characters are never halved */
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *fitted = pm_text_fit(cases[i].text, cases[i].columns);
        if (i < 6)
            g_assert_cmpstr(fitted, ==, cases[i].fitted);
        g_assert_cmpint(pm_text_width(fitted), <=, cases[i].columns);
    }
}

static void bars_are_never_longer_than_the_share(void)
{
    static const struct {
        double share;
        const char *bar;
    } cases[] = {{0.439, "████▍"},  {0.299, "██▉"}, {0.171, "█▋"}, {0.063, "▋"},
                 {0.019, "▏"},      {0.006, ""},    {0, ""},       {1, "██████████"},
                 {2, "██████████"}, {-1, ""}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        pm_text_append_bar(out, cases[i].share, 10);
        g_assert_cmpstr(out->str, ==, cases[i].bar);
    }
}

static void ascii_keeps_the_width(void)
{
    const PmTerminal ascii = {FALSE, FALSE, 100};
    const char *text = " 43.9 ████▍ └ Lock 1 · a…z 日本 µs";
    g_autofree char *encoded = pm_terminal_encode(&ascii, text);

    g_assert_cmpstr(encoded, ==, " 43.9 ####  ` Lock 1 - a.z ? ?  us");
    g_assert_cmpint(pm_text_width(encoded), ==, pm_text_width(text));
}

static void names_cannot_drive_the_terminal(void)
{
    g_autofree char *clean = pm_text_clean("a\033[31mb\nc\x9b"
                                           "d\xff"
                                           "e\xe2\x80\xae"
                                           "f");

    g_assert_true(g_utf8_validate(clean, -1, NULL));
    g_assert_null(strchr(clean, '\033'));
    g_assert_null(strchr(clean, '\n'));
    g_assert_null(strstr(clean, "\xe2\x80\xae"));
}

/* The last gate of every text: line feeds, our own styles where there are colours, nothing else. */
static void only_our_styles_reach_the_terminal(void)
{
    static const PmTerminal bright = {TRUE, TRUE, 100}, dull = {TRUE, FALSE, 100},
                            ascii = {FALSE, TRUE, 100};
    g_autoptr(GString) text = g_string_new("a\n\033[31m\t\xc2\x9b\xe2\x80\xae\x9b");
    pm_text_append_styled(text, &bright, PM_STYLE_ALARM, "b");
    g_autofree char *with = pm_terminal_encode(&bright, text->str);
    g_autofree char *without = pm_terminal_encode(&dull, text->str);
    g_autofree char *plain_text = pm_terminal_encode(&ascii, text->str);

    g_assert_cmpstr(with, ==, "a\n�[31m����\033[1;31mb\033[0m");
    g_assert_cmpstr(without, ==, "a\n�[31m�����[1;31mb�[0m");
    g_assert_cmpstr(plain_text, ==, "a\n?[31m????\033[1;31mb\033[0m");
}

static void wraps_at_blanks(void)
{
    g_autoptr(GString) out = g_string_new(NULL);

    pm_text_append_wrapped(out, "- ", "  ", "one two three four", 11);
    g_assert_cmpstr(out->str, ==, "- one two\n  three\n  four\n");
    g_string_truncate(out, 0);
    pm_text_append_wrapped(out, "", "", "it takes 77 % of (10.8 s); 5 of 9 wait", 11);
    g_assert_cmpstr(out->str, ==, "it takes\n77 % of\n(10.8 s); 5\nof 9 wait\n");
}

/* First what may shrink does, then what may be missing goes, and what is left has the room. */
static void optional_columns_give_way(void)
{
    static const PmTableColumn columns[] = {
        {"Blocker", "", 8, 0, FALSE, 8},
        {"Average", "", 7, 1, TRUE, 0, TRUE},
        {"Longest", "", 7, 1, TRUE, 0},
    };
    static const struct {
        int columns;
        const char *first;
    } cases[] = {
        {40, "Blocker        Average Longest\n"},
        {24, "Blocker  Average Longest\n"},
        {23, "Blocker        Longest\n"},
        {10, "Blocker  Longest\n"}, /* no room at all: what is needed stays */
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmTerminal terminal = {.columns = cases[i].columns, .utf8 = TRUE};
        g_autoptr(PmTable) table = pm_table_new(columns, 3);
        g_autoptr(GString) out = g_string_new(NULL);
        pm_table_add_row(table);
        pm_table_set(table, 0, "PriceCache.get");
        pm_table_set(table, 1, "1");
        pm_table_set(table, 2, "2");
        pm_table_write(table, &terminal, out);
        g_assert_true(g_str_has_prefix(out->str, cases[i].first));
    }
}

static void numbers_align_right(void)
{
    static const PmTableColumn columns[] = {
        {"Blocker", "", 8, 0, FALSE, 8},
        {"Times", "", 5, 1, TRUE, 0},
        {"Park", "ms", 4, 1, TRUE, 0},
    };
    g_autoptr(PmTable) table = pm_table_new(columns, 3);
    g_autoptr(GString) out = g_string_new(NULL);

    pm_table_add_row(table);
    pm_table_set(table, 0, "A lock with a rather long name");
    pm_table_printf(table, 1, "%d", 7);
    pm_table_set(table, 2, "1.5");
    pm_table_add_line(table, "  at a line that is cut because it is too long");
    pm_table_add_row(table);
    pm_table_set(table, 0, "B");
    pm_table_printf(table, 1, "%d", 123456);
    pm_table_write(table, &plain, out);
    g_assert_cmpstr(out->str, ==,
                    "Blocker             Times Park\n"
                    "                            ms\n"
                    "A lock w…long name      7  1.5\n"
                    "  at a line th… it is too long\n"
                    "B                  123456\n");
}

/* The method matters more than its file. */
static void frames_lose_their_file_first(void)
{
    static const PmTableColumn column = {"Site", "", 8, 0, FALSE, 8};
    static const struct {
        int columns;
        const char *line;
    } cases[] = {
        {52, "~HeldLock.hold (HeldLock.java:29) in Thread.sleep"},
        {48, "~HeldLock.hold:29 in Thread.sleep"},
        {33, "~HeldLock.hold:29 in Thread.sleep"},
        {32, "~HeldLock.hold:29 in …"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmTerminal terminal = {.columns = cases[i].columns, .utf8 = TRUE};
        g_autoptr(PmTable) table = pm_table_new(&column, 1);
        g_autoptr(GString) out = g_string_new(NULL);
        pm_table_add_row(table);
        pm_table_set(table, 0, "~HeldLock.hold (HeldLock.java:29) in Thread.sleep");
        pm_table_write(table, &terminal, out);
        g_autofree char *expected = g_strdup_printf("Site\n%s\n", cases[i].line);
        g_assert_cmpstr(out->str, ==, expected);
    }
}

/* Commands take an object by its number: what stands behind it goes first. */
static void numbers_are_not_cut(void)
{
    static const PmTableColumn column = {"Blocker", "", 8, 0, FALSE, 8};
    static const struct {
        const char *text;
        int columns;
        const char *line;
    } cases[] = {
        {"└ ReentrantLock 4f3c91d2 · Shop$Cache.lock", 42,
         "└ ReentrantLock 4f3c91d2 · Shop$Cache.lock"},
        {"└ ReentrantLock 4f3c91d2 · Shop$Cache.lock", 41,
         "└ ReentrantLock 4f3c91d2 · …$Cache.lock"},
        {"└ ReentrantLock 4f3c91d2 · Shop$Cache.lock", 38, "└ ReentrantLock 4f3c91d2"},
        {"ReentrantReadWriteLock 4f3c91d2", 24, "ReentrantRe…ock 4f3c91d2"},
        {"FutureTask (973) · Shop$Cache.load", 33, "FutureTask · Shop$Cache.load"},
        {"http-nio-8080-exec-* (40)", 20, "http-nio-8080-… (40)"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmTerminal terminal = {.columns = cases[i].columns, .utf8 = TRUE};
        g_autoptr(PmTable) table = pm_table_new(&column, 1);
        g_autoptr(GString) out = g_string_new(NULL);
        pm_table_add_row(table);
        pm_table_set(table, 0, cases[i].text);
        pm_table_write(table, &terminal, out);
        g_autofree char *expected = g_strdup_printf("Blocker\n%s\n", cases[i].line);
        g_assert_cmpstr(out->str, ==, expected);
    }
}

/* A wide column gives up its blanks before another one's letters go. */
static void blanks_go_before_letters(void)
{
    static const PmTableColumn columns[] = {{"Threads", "", 20, 0, FALSE, 4},
                                            {"For", "", 8, 1, FALSE, 4}};
    const PmTerminal terminal = {.columns = 25, .utf8 = TRUE};
    g_autoptr(PmTable) table = pm_table_new(columns, 2);
    g_autoptr(GString) out = g_string_new(NULL);

    pm_table_add_row(table);
    pm_table_set(table, 0, "main");
    pm_table_set(table, 1, "PriceCache.get:41");
    pm_table_write(table, &terminal, out);
    g_assert_cmpstr(out->str, ==, "Threads For\nmain    PriceCache.get:41\n");
}

static void csv_quotes_what_needs_it(void)
{
    PmCsv csv = {g_string_new(NULL), FALSE};

    pm_csv_text(&csv, "plain");
    pm_csv_text(&csv, "a,b");
    pm_csv_text(&csv, "say \"hi\"");
    pm_csv_text(&csv, "two\nlines");
    pm_csv_text(&csv, " blank");
    pm_csv_text(&csv, NULL);
    pm_csv_int(&csv, G_MININT64);
    pm_csv_double(&csv, NAN);
    pm_csv_double(&csv, 0.25);
    pm_csv_end_row(&csv);
    pm_csv_text(&csv, "");
    pm_csv_end_row(&csv);
    g_assert_cmpstr(csv.out->str, ==,
                    "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" blank\",,"
                    "-9223372036854775808,,0.25\n\n");
    g_string_free(csv.out, TRUE);
}

static void csv_guards_what_would_be_computed(void)
{
    static const struct {
        const char *text, *guarded;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"a=1+1-1@", "a=1+1-1@"},
        {"=1", "'=1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@A1", "'@A1"},
        {"＝1", "'＝1"},
        {" =1", "' =1"},
        {"\"=1", "'\"=1"},
        {"'=1", "''=1"},
        {"'quoted'", "'quoted'"},
        {"\t=1", "'�=1"},
        {"\r=1", "'�=1"},
        {"\n=1", "\n'=1"},
        {"a;=1;b; -2", "a;'=1;b;' -2"},
        {"\xc2\x9b\xe2\x80\xae\x1b[2J\xff", "���[2J�"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *guarded = pm_csv_guard(cases[i].text);
        g_assert_cmpstr(guarded, ==, cases[i].guarded);
        PmCsv csv = {g_string_new(NULL), FALSE};
        pm_csv_text(&csv, cases[i].text);
        g_autofree char *field = g_string_free(csv.out, FALSE);
        g_auto(GStrv) quotes = g_strsplit(guarded, "\"", -1);
        g_autofree char *doubled = g_strjoinv("\"\"", quotes);
        g_autofree char *quoted = g_strdup_printf("\"%s\"", doubled);
        g_assert_cmpstr(field, ==, field[0] == '"' ? quoted : guarded);
    }
}

static void json_escapes_what_acts(void)
{
    static const char name[] = "a\"\\\b\n\037\177\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81é";
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(GString) built = g_string_new(NULL);
    g_autoptr(GString) line = g_string_new(NULL);

    json_builder_begin_object(builder);
    pm_json_text(builder, name, name);
    json_builder_end_object(builder);
    pm_json_finish_line(builder, built);
    pm_json_append_string(line, name);
    for (guint i = 0; i < 2; i++) {
        const char *json = i == 0 ? built->str : line->str;
        g_assert_nonnull(strstr(json, "\\u001f\\u007f\\u009b\\u202e\\udb40\\udc01é"));
        g_assert_null(strpbrk(json, "\b\037\177"));
        g_assert_true(g_utf8_validate(json, -1, NULL));
    }
    g_autoptr(JsonNode) node = json_from_string(built->str, NULL);
    g_autoptr(JsonNode) text = json_from_string(line->str, NULL);
    g_assert_cmpstr(json_object_get_string_member(json_node_get_object(node), name), ==, name);
    g_assert_cmpstr(json_node_get_string(text), ==, name);
}

/* What is too small or too big to be written out has an exponent, and is a number all the same. */
static void json_numbers_are_numbers(void)
{
    static const double values[] = {0,      1,    0.5,    1e-5,  2e-12,  -2e-12,   1.5e-12,
                                    1e-300, 1e22, -3e100, 1e300, 5e-324, 123456789};
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    json_builder_begin_object(builder);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        /* Names that look like such a number, or end a string, change nothing. */
        g_autofree char *key = g_strdup_printf("%u\"\\\"1e-5.0", i);
        pm_json_double(builder, key, values[i]);
    }
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
    g_autoptr(JsonNode) node = json_from_string(out->str, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        g_autofree char *key = g_strdup_printf("%u\"\\\"1e-5.0", i);
        JsonNode *value = json_object_get_member(json_node_get_object(node), key);
        g_assert_nonnull(value);
        g_assert_cmpfloat(json_node_get_double(value), ==, values[i]);
    }
}

static void units_show_the_biggest_value(void)
{
    static const struct {
        double max;
        PmUnitStep preferred;
        int decimals;
        const char *name, *text;
    } cases[] = {
        {6225.7e9, PM_UNIT_S, 1, "s", "6225.7"},
        {0.4e9, PM_UNIT_S, 1, "ms", "400.0"},
        {3703.6e6, PM_UNIT_MS, 1, "ms", "3703.6"},
        {4.11e9, PM_UNIT_S, 2, "s", "4.11"},
        {900, PM_UNIT_MS, 1, "ns", "900"},
        {249748.8e6, PM_UNIT_MS, 1, "s", "249.7"},
        {0, PM_UNIT_S, 1, "s", "0.0"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmUnit unit = pm_unit_choose(cases[i].max, cases[i].preferred, cases[i].decimals);
        g_autofree char *text = pm_unit_text(unit, cases[i].max);
        g_assert_cmpstr(unit.name, ==, cases[i].name);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void bytes_have_three_digits(void)
{
    static const struct {
        guint64 bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},           {1, "1 byte"},          {999, "999 bytes"},
                 {1023, "1.00 KiB"},       {67108864, "64.0 MiB"}, {167936, "164 KiB"},
                 {G_MAXUINT64, "16.0 EiB"}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = pm_label_bytes(cases[i].bytes);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

/* What the window's and the terminal's tables are called is said, and said what it means. */
static void columns_say_what_they_mean(void)
{
    static const char *const keys[] = {"label",       "times_parked",   "parked_now",
                                       "peak_parked", "thread_time_ns", "thread_time_util",
                                       "avg_park_ns", "avg_hold_ns",    "real_time_util"};

    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        g_assert_cmpstr(pm_metric_column(keys[i])->help, >, "");
    for (guint i = 0; i < PM_N_TREE_COLUMNS; i++) {
        g_assert_cmpstr(pm_tree_columns[i].title, >, "");
        g_assert_cmpstr(pm_tree_columns[i].help, >, "");
    }
}

/* Where a thread hangs is cut once the other columns are as narrow as they may be, not before. */
static void what_is_last_shrinks_last(void)
{
    const PmTableColumn columns[] = {{"Threads", "", 4, 0, FALSE, 8},
                                     {"In", "", 4, 1, FALSE, 8, .last = TRUE}};
    for (int width = 30; width >= 20; width -= 10) {
        const PmTerminal terminal = {TRUE, FALSE, width};
        g_autoptr(PmTable) table = pm_table_new(columns, 2);
        g_autoptr(GString) out = g_string_new(NULL);
        pm_table_add_row(table);
        pm_table_set(table, 0, "http-handler-17");
        pm_table_set(table, 1, "Hangs.awaitsBarrier");
        pm_table_write(table, &terminal, out);
        g_assert_cmpint(strstr(out->str, " Hangs.awaitsBarrier\n") != NULL, ==, width == 30);
        g_auto(GStrv) lines = g_strsplit(out->str, "\n", -1);
        for (guint i = 0; lines[i]; i++)
            g_assert_cmpint(pm_text_width(lines[i]), <=, width);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/text/fit-cuts-in-the-middle", fit_cuts_in_the_middle);
    g_test_add_func("/report/table/frames-lose-their-file-first", frames_lose_their_file_first);
    g_test_add_func("/report/table/numbers-are-not-cut", numbers_are_not_cut);
    g_test_add_func("/report/table/blanks-go-before-letters", blanks_go_before_letters);
    g_test_add_func("/report/text/bars-are-never-longer-than-the-share",
                    bars_are_never_longer_than_the_share);
    g_test_add_func("/report/text/ascii-keeps-the-width", ascii_keeps_the_width);
    g_test_add_func("/report/text/names-cannot-drive-the-terminal",
                    names_cannot_drive_the_terminal);
    g_test_add_func("/report/text/only-our-styles-reach-the-terminal",
                    only_our_styles_reach_the_terminal);
    g_test_add_func("/report/text/wraps-at-blanks", wraps_at_blanks);
    g_test_add_func("/report/table/optional-columns-give-way", optional_columns_give_way);
    g_test_add_func("/report/table/numbers-align-right", numbers_align_right);
    g_test_add_func("/report/csv/quotes-what-needs-it", csv_quotes_what_needs_it);
    g_test_add_func("/report/csv/guards-what-would-be-computed", csv_guards_what_would_be_computed);
    g_test_add_func("/report/json/escapes-what-acts", json_escapes_what_acts);
    g_test_add_func("/report/json/numbers-are-numbers", json_numbers_are_numbers);
    g_test_add_func("/report/unit/shows-the-biggest-value", units_show_the_biggest_value);
    g_test_add_func("/report/unit/bytes-have-three-digits", bytes_have_three_digits);
    g_test_add_func("/report/table/columns-say-what-they-mean", columns_say_what_they_mean);
    g_test_add_func("/report/table/what-is-last-shrinks-last", what_is_last_shrinks_last);
    return g_test_run();
}
