#include "viewer/analysis/code/account.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/base/glob.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

#define NO_PACKAGE "(no package)"

typedef struct {
    char *text;
    guint account;
    gsize letters; /* beside the stars, and the dot before a last one */
    gboolean star;
} Pattern;

typedef struct {
    char *name;
    GString *patterns;
    gint64 quota;
} Account;

struct PmAccounts {
    int ref_count;
    GArray *accounts; /* of Account; number 1 is the first */
    GArray *patterns; /* of Pattern, the most specific first */
};

static void account_clear(gpointer data)
{
    Account *account = data;
    g_free(account->name);
    g_string_free(account->patterns, TRUE);
}

static void pattern_clear(gpointer data)
{
    g_free(((Pattern *)data)->text);
}

PmAccounts *pm_accounts_ref(PmAccounts *accounts)
{
    g_atomic_int_inc(&accounts->ref_count);
    return accounts;
}

void pm_accounts_unref(PmAccounts *accounts)
{
    if (!accounts || !g_atomic_int_dec_and_test(&accounts->ref_count))
        return;
    g_array_unref(accounts->accounts);
    g_array_unref(accounts->patterns);
    g_free(accounts);
}

/* ---- reading ---- */

static PmAccounts *accounts_new(void)
{
    PmAccounts *accounts = g_new0(PmAccounts, 1);
    accounts->ref_count = 1;
    accounts->accounts = g_array_new(FALSE, TRUE, sizeof(Account));
    accounts->patterns = g_array_new(FALSE, TRUE, sizeof(Pattern));
    g_array_set_clear_func(accounts->accounts, account_clear);
    g_array_set_clear_func(accounts->patterns, pattern_clear);
    return accounts;
}

static guint account_named(PmAccounts *accounts, const char *name)
{
    for (guint i = 0; i < accounts->accounts->len; i++)
        if (strcmp(g_array_index(accounts->accounts, Account, i).name, name) == 0)
            return i + 1;
    Account account = {.name = g_strdup(name), .patterns = g_string_new(NULL), .quota = -1};
    g_array_append_val(accounts->accounts, account);
    return accounts->accounts->len;
}

static void add_pattern(PmAccounts *accounts, guint account, const char *text)
{
    Pattern pattern = {.text = g_strdup(text), .account = account};
    for (const char *at = text; *at; at++) {
        pattern.letters += *at != '*';
        pattern.star |= *at == '*';
    }
    if (g_str_has_suffix(text, ".*"))
        pattern.letters--;
    g_array_append_val(accounts->patterns, pattern);
    GString *all = g_array_index(accounts->accounts, Account, account - 1).patterns;
    g_string_append_printf(all, "%s%s", all->len ? " " : "", text);
}

static gboolean is_pattern(const char *text)
{
    if (*text == '.' || g_str_has_suffix(text, ".") || strstr(text, ".."))
        return FALSE;
    for (const char *at = text; *at; at++)
        if (!g_ascii_isalnum(*at) && !strchr("._$*-", *at) && (guchar)*at < 0x80)
            return FALSE;
    return *text != 0;
}

/* "64m" as bytes; -1: it is none. */
static gint64 read_size(const char *text)
{
    static const char units[] = "kmgt";
    char *end = NULL;
    if (!g_ascii_isdigit(*text))
        return -1;
    guint64 value = g_ascii_strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, g_ascii_tolower(*end)) : NULL;
    guint shift = unit ? 10 * (guint)(unit - units + 1) : 0;
    if ((*end && (!unit || end[1])) || value > (guint64)G_MAXINT64 >> shift)
        return -1;
    return (gint64)(value << shift);
}

static gboolean add_word(PmAccounts *accounts, guint group, const char *word, GError **error)
{
    if (!is_pattern(word)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "\"%s\" is no package or class; write com.acme.* (with what is below), "
                    "com.acme.db or com.acme.db.Pool",
                    word);
        return FALSE;
    }
    for (guint i = 0; i < accounts->patterns->len; i++) {
        if (strcmp(g_array_index(accounts->patterns, Pattern, i).text, word) == 0) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is given twice", word);
            return FALSE;
        }
    }
    add_pattern(accounts, group ? group : account_named(accounts, word), word);
    return TRUE;
}

/* Of the group, or where there is none of every account from `first` on. */
static gboolean set_quota(PmAccounts *accounts, guint group, guint first, const char *word,
                          GError **error)
{
    gint64 quota = read_size(word);
    if (quota < 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "quota=%s is no size; write quota=64m or quota=2g", word);
        return FALSE;
    }
    for (guint i = group ? group : first; i <= (group ? group : accounts->accounts->len); i++)
        g_array_index(accounts->accounts, Account, i - 1).quota = quota;
    return TRUE;
}

/* "db = com.acme.db org.h2.* quota=64m", cut up in place. */
static gboolean read_entry(PmAccounts *accounts, char *entry, GError **error)
{
    const char *quota = NULL;
    guint group = 0, first = accounts->accounts->len + 1;
    gsize name = strcspn(entry, " \t=");
    char *behind = entry + name + strspn(entry + name, " \t");
    if (*behind == '=' && name > 0 && strncmp(entry, "quota", MAX(name, 5)) != 0) {
        entry[name] = 0;
        group = account_named(accounts, entry);
        entry = behind + 1;
    }
    g_auto(GStrv) words = g_strsplit_set(entry, " \t\r", -1);
    guint n = 0;
    for (guint i = 0; words[i]; i++)
        if (g_str_has_prefix(words[i], "quota="))
            quota = words[i] + strlen("quota=");
        else if (*words[i] && ++n && !add_word(accounts, group, words[i], error))
            return FALSE;
    if (n == 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "no package or class is given%s%s",
                    group ? " for " : "", group ? pm_accounts_name(accounts, group) : "");
        return FALSE;
    }
    return !quota || set_quota(accounts, group, first, quota, error);
}

/* The more letters, the more is said of the class. Never equal but for one text. */
static int compare_patterns(gconstpointer left, gconstpointer right)
{
    const Pattern *a = left, *b = right;
    if (a->letters != b->letters)
        return a->letters > b->letters ? -1 : 1;
    if (a->star != b->star)
        return a->star ? 1 : -1;
    return strcmp(a->text, b->text);
}

PmAccounts *pm_accounts_parse(const char *text, GError **error)
{
    g_autoptr(PmAccounts) accounts = accounts_new();
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        lines[i][strcspn(lines[i], "#")] = 0;
        g_auto(GStrv) entries = g_strsplit(lines[i], ";", -1);
        for (guint k = 0; entries[k]; k++) {
            if (*g_strstrip(entries[k]) == 0 || read_entry(accounts, entries[k], error))
                continue;
            if (lines[1])
                g_prefix_error(error, "line %u: ", i + 1);
            return NULL;
        }
    }
    if (accounts->patterns->len == 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "no package or class is given");
        return NULL;
    }
    g_array_sort(accounts->patterns, compare_patterns);
    return g_steal_pointer(&accounts);
}

PmAccounts *pm_accounts_read(const char *word, GError **error)
{
    g_autofree char *text = NULL;
    gboolean file = strchr(word, '/') || g_file_test(word, G_FILE_TEST_IS_REGULAR);
    if (file && !g_file_get_contents(word, &text, NULL, error))
        return NULL;
    if (file && !g_utf8_validate(text, -1, NULL)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: this is no text", word);
        return NULL;
    }
    PmAccounts *accounts = pm_accounts_parse(file ? text : word, error);
    if (!accounts)
        g_prefix_error(error, "%s: ", file ? word : "accounts");
    return accounts;
}

/* ---- asking ---- */

guint pm_accounts_n(const PmAccounts *accounts)
{
    return accounts->accounts->len;
}

static const Account *account_of(const PmAccounts *accounts, guint account)
{
    return account > 0 && account <= accounts->accounts->len
               ? &g_array_index(accounts->accounts, Account, account - 1)
               : NULL;
}

const char *pm_accounts_name(const PmAccounts *accounts, guint account)
{
    const Account *found = account_of(accounts, account);
    return found ? found->name : NULL;
}

const char *pm_accounts_patterns(const PmAccounts *accounts, guint account)
{
    const Account *found = account_of(accounts, account);
    return found ? found->patterns->str : NULL;
}

gint64 pm_accounts_quota(const PmAccounts *accounts, guint account)
{
    const Account *found = account_of(accounts, account);
    return found ? found->quota : -1;
}

/* Where a class's own name ends: a hidden class has an address behind it, which may hold dots. */
static gsize name_length(const char *class_name)
{
    const char *slash = strstr(class_name, "/0x"), *dot = strstr(class_name, ".0x");
    const char *end = slash ? slash : dot;
    return end ? (gsize)(end - class_name) : strlen(class_name);
}

static gboolean covers(const Pattern *pattern, const char *class_name, gsize length)
{
    if (strcmp(pattern->text, NO_PACKAGE) == 0)
        return !memchr(class_name, '.', length);
    if (pattern->star)
        return pm_glob_match(pattern->text, class_name);
    gsize prefix = strlen(pattern->text);
    if (prefix > length || strncmp(pattern->text, class_name, prefix) != 0)
        return FALSE;
    if (prefix == length || class_name[prefix] == '$')
        return TRUE;
    return class_name[prefix] == '.' && !memchr(class_name + prefix + 1, '.', length - prefix - 1);
}

guint pm_accounts_of_class(const PmAccounts *accounts, const char *class_name)
{
    gsize length = name_length(class_name);
    for (guint i = 0; length && i < accounts->patterns->len; i++) {
        const Pattern *pattern = &g_array_index(accounts->patterns, Pattern, i);
        if (covers(pattern, class_name, length))
            return pattern->account;
    }
    return 0;
}

/* ---- accounts of a program that was given none ---- */

/* The packages that all of the program's own classes of one root lie in, by that root
 * (pm_own_package_root), each with a dot at its end. Owned. */
static GHashTable *own_packages(const PmRecording *r)
{
    const PmOwnCode *own = pm_own_code(r);
    GHashTable *packages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (guint32 m = 1; m < r->n_methods; m++) {
        const char *name = pm_recording_class_of(r, m);
        if (!pm_own_is(own, r, m))
            continue;
        g_autofree char *root = pm_own_package_root(name);
        char *common = g_hash_table_lookup(packages, root);
        if (!common) {
            const char *last = strrchr(name, '.');
            common = g_strndup(name, last ? (gsize)(last - name) + 1 : 0);
            g_hash_table_insert(packages, g_steal_pointer(&root), common);
        }
        gsize same = 0;
        for (gsize i = 0; common[i] && common[i] == name[i]; i++)
            if (common[i] == '.')
                same = i + 1;
        common[same] = 0;
    }
    return packages;
}

/* The package that a class is charged to: of libraries the part that tells them apart, of the
 * program's own code one word more than all of it has. */
static char *derived_pattern(const char *class_name, GHashTable *own)
{
    if (!strchr(class_name, '.'))
        return g_strdup(NO_PACKAGE);
    g_autofree char *root = pm_own_package_root(class_name);
    const char *package = g_hash_table_lookup(own, root);
    if (package && g_str_has_prefix(class_name, package)) {
        const char *rest = class_name + strlen(package);
        const char *dot = strchr(rest, '.');
        return g_strdup_printf("%.*s*", (int)((dot ? dot + 1 : rest) - class_name), class_name);
    }
    return g_strconcat(root, "*", NULL);
}

static PmAccounts *accounts_derived(const PmRecording *r)
{
    PmAccounts *accounts = accounts_new();
    g_autoptr(GHashTable) own = own_packages(r);
    g_autofree guint8 *seen = g_new0(guint8, MAX(r->n_classes, 1));
    for (guint32 m = 1; m < r->n_methods; m++) {
        guint32 class_index = r->methods[m].class_index;
        const char *name = r->classes[class_index].name;
        if (seen[class_index] || !*name || pm_label_is_platform(name) || strchr(name, '/'))
            continue;
        seen[class_index] = TRUE;
        g_autofree char *pattern = derived_pattern(name, own);
        guint account = account_named(accounts, pattern);
        if (g_array_index(accounts->accounts, Account, account - 1).patterns->len == 0)
            add_pattern(accounts, account, pattern);
    }
    g_array_sort(accounts->patterns, compare_patterns);
    return accounts;
}

/* ---- what stack traces are charged to ---- */

typedef struct PmCharges PmCharges;
struct PmCharges {
    PmAccounts *accounts;
    PmAccountsSource source;
    guint32 *account, *principal; /* by stack trace */
    PmCharges *before;            /* somebody may still read it */
};

static void charges_free(gpointer data)
{
    for (PmCharges *charges = data, *before; charges; charges = before) {
        before = charges->before;
        pm_accounts_unref(charges->accounts);
        g_free(charges->account);
        g_free(charges->principal);
        g_free(charges);
    }
}

/* "accounts=com.acme.*;org.foo" of the recorder's options, of which the last counts. NULL: none, or
 * none that can be read. */
static PmAccounts *accounts_recorded(const PmRecording *r, PmAccountsSource *ret_source)
{
    g_auto(GStrv) options = g_strsplit(r->facts.options ? r->facts.options : "", ",", -1);
    const char *text = NULL;
    for (guint i = 0; options[i]; i++)
        if (g_str_has_prefix(options[i], "accounts="))
            text = options[i] + strlen("accounts=");
    PmAccounts *accounts = text && *text ? pm_accounts_parse(text, NULL) : NULL;
    *ret_source = accounts        ? PM_ACCOUNTS_RECORDED
                  : text && *text ? PM_ACCOUNTS_UNREADABLE
                                  : PM_ACCOUNTS_DERIVED;
    return accounts;
}

static void charge(PmCharges *charges, const PmRecording *r)
{
    g_autofree guint32 *of_class = g_new0(guint32, MAX(r->n_classes, 1));
    charges->account = g_new0(guint32, MAX(r->n_chains, 1));
    charges->principal = g_new0(guint32, MAX(r->n_chains, 1));
    for (guint32 i = 1; i < r->n_classes; i++)
        of_class[i] = pm_accounts_of_class(charges->accounts, r->classes[i].name);
    for (guint32 c = 1; c < r->n_chains; c++) {
        const PmChain *chain = &r->chains[c];
        guint32 account = 0, principal = 0;
        for (guint32 f = 0; f < chain->n_frames && !principal; f++) {
            guint32 of_frame = of_class[r->methods[chain->frames[f].method].class_index];
            if (!account)
                account = of_frame;
            else if (of_frame && of_frame != account)
                principal = of_frame;
        }
        charges->account[c] = account;
        charges->principal[c] = principal ? principal : account;
    }
}

static PmAccounts *default_accounts;

void pm_accounts_set_default(PmAccounts *accounts)
{
    PmAccounts *before = default_accounts;
    default_accounts = accounts ? pm_accounts_ref(accounts) : NULL;
    pm_accounts_unref(before);
}

/* `accounts`: borrowed; NULL for those that the recording has itself. Owned. */
static PmCharges *charges_new(const PmRecording *recording, PmAccounts *accounts)
{
    PmCharges *charges = g_new0(PmCharges, 1);
    charges->source = accounts ? PM_ACCOUNTS_GIVEN : PM_ACCOUNTS_RECORDED;
    charges->accounts =
        accounts ? pm_accounts_ref(accounts) : accounts_recorded(recording, &charges->source);
    if (!charges->accounts)
        charges->accounts = accounts_derived(recording);
    charge(charges, recording);
    return charges;
}

/* Takes the charges. `first`: only where there are none yet. */
static void install(const PmRecording *recording, PmCharges *charges, gboolean first)
{
    PmRecordingPrivate *p = pm_recording_private(recording);
    g_mutex_lock(&p->lock);
    if (first && p->charges) {
        charges_free(charges);
    } else {
        charges->before = g_dataset_remove_no_notify(recording, "charges");
        g_dataset_set_data_full(recording, "charges", charges, charges_free);
        g_atomic_pointer_set(&p->charges, charges);
    }
    g_mutex_unlock(&p->lock);
}

void pm_recording_set_accounts(PmRecording *recording, PmAccounts *accounts)
{
    install(recording, charges_new(recording, accounts), FALSE);
}

static const PmCharges *charges_of(const PmRecording *of)
{
    const PmRecording *recording = pm_recording_whole(of);
    PmRecordingPrivate *p = pm_recording_private(recording);
    if (!g_atomic_pointer_get(&p->charges))
        install(recording, charges_new(recording, default_accounts), TRUE);
    return g_atomic_pointer_get(&p->charges);
}

const PmAccounts *pm_recording_accounts(const PmRecording *recording, PmAccountsSource *ret_source)
{
    const PmCharges *charges = charges_of(recording);
    if (ret_source)
        *ret_source = charges->source;
    return charges->accounts;
}

guint32 pm_recording_account(const PmRecording *recording, guint32 chain)
{
    return charges_of(recording)->account[chain];
}

guint32 pm_recording_principal(const PmRecording *recording, guint32 chain)
{
    return charges_of(recording)->principal[chain];
}

const char *pm_accounts_source_text(PmAccountsSource source)
{
    static const char *const texts[] = {
        [PM_ACCOUNTS_DERIVED] = "derived from the packages seen",
        [PM_ACCOUNTS_UNREADABLE] =
            "derived from the packages seen, as the recorder's accounts= cannot be read",
        [PM_ACCOUNTS_RECORDED] = "as the recorder was told",
        [PM_ACCOUNTS_GIVEN] = "as given",
    };
    return texts[source];
}
