/* Accounts: to whom waits and allocations are charged, by patterns of packages and classes
 * (002 §4, §5).
 *
 * A text of accounts has one entry between semicolons or ends of lines, `#` begins a comment:
 *
 *     com.acme.*                         that package and all below it, an account of its own
 *     com.acme.db                        that package alone, or the class of that name
 *     db = com.acme.db org.h2.*          a group: one account of several patterns
 *     cache = com.acme.cache.* quota=64m what the account may keep alive at most
 *
 * A stack trace is charged to the account of the innermost frame that has one. Where patterns of
 * several accounts match a class, the one with most letters beside its stars counts; of two with
 * equally many the one without a star: in whatever order they are written. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Immutable, counted, of any thread. Accounts are numbered from 1 in the order in which they are
 * first named; 0 is none. */
typedef struct PmAccounts PmAccounts;

/* NULL and `error` (G_FILE_ERROR_INVAL) names the entry, and the line of a text with several. */
PmAccounts *pm_accounts_parse(const char *text, GError **error);
/* The same from the file of that name where there is one, or where it holds a slash; else the word
 * is the text itself. */
PmAccounts *pm_accounts_read(const char *file_or_text, GError **error);
PmAccounts *pm_accounts_ref(PmAccounts *accounts);
void pm_accounts_unref(PmAccounts *accounts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmAccounts, pm_accounts_unref)

guint pm_accounts_n(const PmAccounts *accounts);
/* "db"; the pattern of an account without a name. NULL: no such account. */
const char *pm_accounts_name(const PmAccounts *accounts, guint account);
/* "com.acme.db org.h2.*". Borrowed. */
const char *pm_accounts_patterns(const PmAccounts *accounts, guint account);
/* Bytes; -1: it has none. */
gint64 pm_accounts_quota(const PmAccounts *accounts, guint account);
/* The account of a class by its full name, "com.acme.db.Pool$Worker"; 0: none. */
guint pm_accounts_of_class(const PmAccounts *accounts, const char *class_name);

/* Where the accounts of a recording come from. */
typedef enum {
    PM_ACCOUNTS_DERIVED,    /* from the packages seen, as nobody gave any */
    PM_ACCOUNTS_UNREADABLE, /* the same, as what the recorder was given cannot be read */
    PM_ACCOUNTS_RECORDED,   /* the recorder's option accounts= */
    PM_ACCOUNTS_GIVEN,      /* pm_recording_set_accounts, pm_accounts_set_default */
} PmAccountsSource;

/* What recordings are charged to that have not been asked for theirs yet, in place of what the
 * recorder was given; NULL: that. For a program's start, from one thread. */
void pm_accounts_set_default(PmAccounts *accounts);
/* What the stack traces of a recording are charged to from now on, whatever was before; NULL: what
 * the recorder was given, else derived. What is being computed meanwhile may see either. Texts and
 * numbers of before stay valid as long as the recording. Cost: each frame once. */
void pm_recording_set_accounts(PmRecording *recording, PmAccounts *accounts);
/* Borrowed. Made when first asked for, as the following. */
const PmAccounts *pm_recording_accounts(const PmRecording *recording, PmAccountsSource *ret_source);
/* Who waited or allocated: the account of the innermost frame that has one. 0: none has. */
guint32 pm_recording_account(const PmRecording *recording, guint32 chain);
/* On whose behalf: the next other account further out, else the account itself. */
guint32 pm_recording_principal(const PmRecording *recording, guint32 chain);
/* "derived from the packages seen" and the like: how the answer got its accounts. */
const char *pm_accounts_source_text(PmAccountsSource source);
