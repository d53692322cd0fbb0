#include "viewer/analysis/code/account.h"

#include <string.h>

#include <glib/gstdio.h>

#include "tests/analysis/made.h"

static char *account_of(const PmAccounts *accounts, const char *class_name)
{
    const char *name = pm_accounts_name(accounts, pm_accounts_of_class(accounts, class_name));
    return g_strdup(name ? name : "-");
}

/* "class account": what each class is charged to by the accounts of a text. */
static void charges_classes(const char *text, const char *const *expected, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PmAccounts) accounts = pm_accounts_parse(text, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < n; i++) {
        g_auto(GStrv) words = g_strsplit(expected[i], " ", 2);
        g_autofree char *found = account_of(accounts, words[0]);
        if (strcmp(found, words[1]) != 0)
            g_error("%s of \"%s\": %s, not %s", words[0], text, found, words[1]);
    }
}

static void a_pattern_is_a_package_with_or_without_those_below_or_a_class(void)
{
    static const char *const expected[] = {
        "com.acme.Main com.acme.*",
        "com.acme.db.Pool com.acme.*",
        "com.acmeplus.Main -",
        "org.foo.Parser org.foo",
        "org.foo.Parser$1 org.foo",
        "org.foo.Parser$$Lambda.0x00007f001.12 org.foo",
        "org.foo.sax.Parser -",
        "org.food.Parser -",
        "net.Tool net.Tool",
        "net.Tool$Part net.Tool",
        "net.Toolbox -",
        "Main -",
        " -",
    };
    charges_classes("com.acme.*;org.foo;net.Tool", expected, G_N_ELEMENTS(expected));
}

/* Every order of the same patterns charges the same. */
static void the_most_specific_pattern_wins_in_any_order(void)
{
    static const char *const patterns[] = {"com.acme.*", "com.acme.db", "com.acme.db.*",
                                           "com.acme.db.Pool"};
    static const char *const expected[] = {
        "com.acme.Main com.acme.*",
        "com.acme.db.Query com.acme.db",
        "com.acme.db.sql.Parser com.acme.db.*",
        "com.acme.db.Pool com.acme.db.Pool",
        "com.acme.db.Pool$Entry com.acme.db.Pool",
    };
    for (guint order = 0; order < 256; order++) {
        guint at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
        if ((1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) != 15)
            continue;
        g_autofree char *text = g_strjoin(";", patterns[at[0]], patterns[at[1]], patterns[at[2]],
                                          patterns[at[3]], NULL);
        charges_classes(text, expected, G_N_ELEMENTS(expected));
    }
}

static void a_file_names_groups_and_quotas(void)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "test-account.txt", NULL);
    static const char text[] = "# who pays\n"
                               "db = com.acme.db.* org.h2.*  quota=64m\n"
                               "\n"
                               "com.acme.*   quota=2g # the rest\n"
                               "db=org.postgresql.*\n"
                               "net.a; net.b quota=7\n";
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autoptr(GError) error = NULL;
    g_autoptr(PmAccounts) accounts = pm_accounts_read(path, &error);
    g_assert_no_error(error);
    g_unlink(path);
    static const struct {
        const char *name, *patterns;
        gint64 quota;
    } expected[] = {
        {"db", "com.acme.db.* org.h2.* org.postgresql.*", 64 << 20},
        {"com.acme.*", "com.acme.*", G_GINT64_CONSTANT(2) << 30},
        {"net.a", "net.a", -1},
        {"net.b", "net.b", 7},
    };
    g_assert_cmpuint(pm_accounts_n(accounts), ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpstr(pm_accounts_name(accounts, i + 1), ==, expected[i].name);
        g_assert_cmpstr(pm_accounts_patterns(accounts, i + 1), ==, expected[i].patterns);
        g_assert_cmpint(pm_accounts_quota(accounts, i + 1), ==, expected[i].quota);
    }
    g_assert_null(pm_accounts_name(accounts, 0));
    g_assert_null(pm_accounts_name(accounts, 5));
    g_autofree char *h2 = account_of(accounts, "org.h2.mvstore.Page");
    g_assert_cmpstr(h2, ==, "db");
}

static void what_cannot_be_read_is_named(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "no package or class"},
        {" ; # nothing", "no package or class"},
        {"com/acme/*", "com/acme/*"},
        {"com..acme", "com..acme"},
        {"com.acme.", "com.acme."},
        {"db =", "given for db"},
        {"a.*\n\nb.* c.* a.*", "line 3: a.* is given twice"},
        {"a.* quota=much", "quota=much"},
        {"a.* quota=9999999999g", "quota=9999999999g"},
        {"a.* quota=64mb", "quota=64mb"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(pm_accounts_parse(cases[i].text, &error));
        g_assert_nonnull(error);
        if (!strstr(error->message, cases[i].message))
            g_error("\"%s\": %s", cases[i].text, error->message);
    }
    g_autoptr(GError) error = NULL;
    g_assert_null(pm_accounts_read("/nowhere/accounts", &error));
    g_assert_nonnull(strstr(error->message, "/nowhere/accounts"));
}

/* Account and principal of a chain, "account principal". */
static void is_charged(const PmRecording *r, guint32 chain, const char *account,
                       const char *principal)
{
    const PmAccounts *accounts = pm_recording_accounts(r, NULL);
    g_assert_cmpstr(pm_accounts_name(accounts, pm_recording_account(r, chain)), ==, account);
    g_assert_cmpstr(pm_accounts_name(accounts, pm_recording_principal(r, chain)), ==, principal);
}

static void the_nearest_frame_is_charged_and_who_called_it(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    guint32 both = pm_made_chain(a, "java.lang.Object.wait", "org.xml.Pool.get",
                                 "org.xml.Parser.parse", "java.util.List.forEach",
                                 "com.acme.Order.read", "org.server.Worker.run", NULL);
    guint32 alone = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Order.read",
                                  "com.acme.Main.main", NULL);
    guint32 nobody = pm_made_chain(a, "java.lang.Object.wait", "java.lang.Thread.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmAccounts) accounts =
        pm_accounts_parse("server=org.server.*;com.acme.*;org.xml.*", NULL);
    pm_recording_set_accounts(r, accounts);
    PmAccountsSource source;
    pm_recording_accounts(r, &source);
    g_assert_cmpint(source, ==, PM_ACCOUNTS_GIVEN);
    is_charged(r, both, "org.xml.*", "com.acme.*");
    is_charged(r, alone, "com.acme.*", "com.acme.*");
    is_charged(r, nobody, NULL, NULL);
    is_charged(r, 0, NULL, NULL);

    g_autoptr(PmAccounts) fewer = pm_accounts_parse("server=org.server.*;org.xml.*", NULL);
    pm_recording_set_accounts(r, fewer);
    is_charged(r, both, "org.xml.*", "server");
    is_charged(r, alone, NULL, NULL);
}

static void the_recorder_says_which_accounts_count(void)
{
    static const struct {
        const char *options, *account;
        PmAccountsSource source;
    } cases[] = {
        {"maxsize=64m,accounts=com.acme.*;org.xml.*", "org.xml.*", PM_ACCOUNTS_RECORDED},
        {"accounts=org.*,accounts=com.acme.*", "com.acme.*", PM_ACCOUNTS_RECORDED},
        {"accounts=", "org.xml.*", PM_ACCOUNTS_DERIVED},
        {"accounts=com/acme", "org.xml.*", PM_ACCOUNTS_UNREADABLE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmMade m = pm_made_begin();
        m.assembly->facts.options = cases[i].options;
        guint32 chain = pm_made_chain(m.assembly, "org.xml.Pool.get", "com.acme.Order.read", NULL);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        PmAccountsSource source;
        const PmAccounts *accounts = pm_recording_accounts(r, &source);
        g_assert_cmpint(source, ==, cases[i].source);
        g_assert_cmpstr(pm_accounts_name(accounts, pm_recording_account(r, chain)), ==,
                        cases[i].account);
    }
}

/* What a program's user gave counts for recordings that were not asked before. */
static void a_default_comes_before_the_recorders(void)
{
    g_autoptr(PmAccounts) accounts = pm_accounts_parse("shop=com.acme.*", NULL);
    PmMade m = pm_made_begin();
    m.assembly->facts.options = "accounts=com.*";
    guint32 chain = pm_made_chain(m.assembly, "com.acme.Order.read", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    pm_accounts_set_default(accounts);
    is_charged(r, chain, "shop", "shop");
    pm_accounts_set_default(NULL);
    pm_recording_set_accounts(r, NULL);
    is_charged(r, chain, "com.*", "com.*");
}

/* Nobody gave any: libraries by the part that tells them apart, the program's own code by what is
 * below its package, the platform not at all. */
static void accounts_are_derived_from_the_packages_seen(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->facts.main = "net.acme.shop.Main";
    guint32 db = pm_made_chain(a, "java.util.concurrent.Semaphore.acquire",
                               "net.acme.shop.db.sql.Pool.take", "net.acme.shop.Main.main", NULL);
    guint32 cache =
        pm_made_chain(a, "net.acme.shop.cache.Cache.get", "net.acme.shop.Main.main", NULL);
    guint32 tomcat =
        pm_made_chain(a, "org.apache.tomcat.util.Queue.poll", "org.apache.catalina.Pipe.run", NULL);
    guint32 plain = pm_made_chain(a, "Tool.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    is_charged(r, db, "net.acme.shop.db.*", "net.acme.shop.*");
    is_charged(r, cache, "net.acme.shop.cache.*", "net.acme.shop.*");
    is_charged(r, tomcat, "org.apache.tomcat.*", "org.apache.catalina.*");
    is_charged(r, plain, "(no package)", "(no package)");
}

int main(int argc, char *argv[])
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, name) g_test_add_func("/analysis/account/" path, name)
    ADD("pattern-is-package-subpackages-or-class",
        a_pattern_is_a_package_with_or_without_those_below_or_a_class);
    ADD("most-specific-wins-in-any-order", the_most_specific_pattern_wins_in_any_order);
    ADD("groups-and-quotas", a_file_names_groups_and_quotas);
    ADD("names-what-cannot-be-read", what_cannot_be_read_is_named);
    ADD("nearest-frame-and-principal", the_nearest_frame_is_charged_and_who_called_it);
    ADD("of-the-recorder", the_recorder_says_which_accounts_count);
    ADD("default", a_default_comes_before_the_recorders);
    ADD("derived", accounts_are_derived_from_the_packages_seen);
    return g_test_run();
}
