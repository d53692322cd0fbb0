/* Accounts that waits and allocations are charged to, defined by package and class patterns (002
 * §4, §5).
 *
 * Account definitions are entries separated by semicolons or line breaks; `#` starts a comment:
 *
 *     com.acme.*                         that package and all below it, an account of its own
 *     com.acme.db                        that package alone, or the class of that name
 *     db = com.acme.db org.h2.*          a group: one account of several patterns
 *     cache = com.acme.cache.* quota=64m what the account may keep alive at most
 *
 * A stack trace is charged to the account of the innermost frame that has one. If patterns of
 * several accounts match a class, the one with the most characters other than stars applies; among
 * equals the one without a star, regardless of order. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* Immutable, reference counted, any thread. Accounts are numbered from 1 in order of first mention;
 * 0 is none. */
typedef struct PmAccounts PmAccounts;

/* NULL and `error` (G_FILE_ERROR_INVAL) names the entry, and the line of a text with several. */
PmAccounts *pm_accounts_parse(const char *text, GError **error);
/* The same from the file of that name, if it exists or contains a slash; otherwise the argument is
 * the text itself. */
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
    PM_ACCOUNTS_UNREADABLE, /* the same, because the accounts given to the recorder cannot be parsed
                             */
    PM_ACCOUNTS_RECORDED,   /* the recorder's option accounts= */
    PM_ACCOUNTS_GIVEN,      /* pm_recording_set_accounts, pm_accounts_set_default */
} PmAccountsSource;

/* Sets the accounts for recordings whose accounts have not been used yet, replacing those given to
 * the recorder; NULL: use those. At program start, from one thread. */
void pm_accounts_set_default(PmAccounts *accounts);
/* Replaces the accounts of a recording; NULL: those given to the recorder, otherwise derived ones.
 * Computations in progress may see either. Earlier texts and numbers stay valid as long as the
 * recording. Cost: each frame once. */
void pm_recording_set_accounts(PmRecording *recording, PmAccounts *accounts);
/* Borrowed. Created on first use, as are the following. */
const PmAccounts *pm_recording_accounts(const PmRecording *recording, PmAccountsSource *ret_source);
/* The account that waited or allocated: that of the innermost frame that belongs to one. 0: none.
 */
guint32 pm_recording_account(const PmRecording *recording, guint32 chain);
/* The principal: the next different account further out, else the account itself. */
guint32 pm_recording_principal(const PmRecording *recording, guint32 chain);
/* "derived from the packages seen" and similar: where the accounts come from. */
const char *pm_accounts_source_text(PmAccountsSource source);
