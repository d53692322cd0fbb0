/* What is known of a resource while its takes and gives are matched: shared by the files that match
 * them (token-match), learn how long a hold takes (hold-lengths), find holds that were seen by half
 * or not at all (unseen-holds, swept) and build the result (tokens). */
#pragma once

#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/tokens/tokens.h"

/* What is known of a thread or of a group of threads while takes and gives are matched. */
typedef struct {
    gint64 took_at; /* G_MININT64: holds none that it was seen to take */
    gint64 waited;  /* for that */
    gint64 gave_at;
    guint32 chain;   /* where it took */
    guint32 gave_in; /* the chain; 0 = it never gave */
    guint32 strays;  /* gives without a take before */
    gboolean takes;  /* ever */
    gboolean missed; /* what it gave last went to none of those that waited */
    /* Gives of what others had abandoned, and such as may be, but by whom was not seen. */
    guint32 swept, unswept;
} PmTokenHolder;

/* How long one is held, as far as both ends were seen, by the code that gives it back, alone and
 * with the thread (call_key), and by the group of the threads. */
typedef struct {
    GHashTable *by_chain, *by_call, *by_group;
} PmTokenLengths;

typedef struct {
    gint64 begin, end;
} PmTokenAsked;

/* Until as late as can be. */
typedef struct {
    PmTokenHold hold;
    guint32 taken_in; /* the chain */
} PmTokenUnreturned;

struct PmTokenMatch {
    const PmActivity *activity;
    gboolean lent;        /* what it is of is a resource for certain */
    gboolean counts_only; /* nothing is kept but holders and given_back */
    guint n_gives;
    guint n_takes, stride;             /* of so many takes one is checked */
    GArray *checked;                   /* of PmTake */
    GArray *other_gives, *other_takes; /* to sort in */
    GArray *holds;                     /* of PmTokenHold */
    GArray *half_seen;  /* the same, of gives that had no take that was seen: since its last give */
    GArray *asked;      /* of PmTokenAsked: when anybody waited for one, by time */
    GArray *unserved;   /* the same, but only until they were woken */
    GArray *served;     /* the same, from then on */
    GArray *unreturned; /* of PmTokenUnreturned: takes that had no give that was seen */
    GHashTable *holders; /* thread → PmTokenHolder */
    PmTotals taken;      /* by stack trace: how often one was taken there */
    PmTokenLengths lengths;
    guint given_back;
};

static inline guint pm_token_count(const PmTotals *counts, guint32 chain)
{
    const gint64 *count = pm_totals_find(counts, chain);
    return count ? (guint)*count : 0;
}

/* token-match */

/* The entry of a thread, made if there is none. */
PmTokenHolder *pm_token_holder(GHashTable *holders, guint32 thread);
/* What the holds were found by. */
void pm_token_match_forget(PmTokenMatch *m);
void pm_token_match_free(PmTokenMatch *m);
/* The thread asks for the next one: it has given back what it took, and that woke nobody. */
void pm_token_add_unreturned(PmTokenMatch *m, guint32 thread, const PmTokenHolder *holder,
                             gint64 until);
/* The methods of the program's own in which one is taken. Owned. */
GHashTable *pm_token_taking_methods(const PmTokenMatch *m);
/* Is one taken where it gives? */
gboolean pm_token_gives_where_taken(const PmTokenMatch *m, GHashTable *methods,
                                    const PmTokenHolder *holder);
/* Do too many gives come from who never takes? */
gboolean pm_token_is_of_strangers(const PmTokenMatch *m);
/* Do too few gives come from who was seen to take since its last one, or pm_token_is_of_strangers?
 */
gboolean pm_token_is_no_resource(const PmTokenMatch *m);

/* hold-lengths */

/* The first stretch in which somebody asked that ends after `at`. */
guint pm_token_asked_after(const GArray *asked, gint64 at);
/* How long the thread usually holds what it gives back by `chain` (0: any). */
gboolean pm_token_usual_hold(const PmTokenMatch *m, guint32 thread, guint32 chain,
                             gint64 *ret_length);
/* How long a thread of its group does. */
gboolean pm_token_usual_in_group(const PmTokenMatch *m, guint32 thread, gint64 *ret_length);
/* How long the thread does whatever it gives back, else its group, even if one hold only is known.
 */
gboolean pm_token_usual_of_user(const PmTokenMatch *m, guint32 thread, gint64 *ret_length);
/* While somebody waits for one to be given, and nobody who was given one is about to take it, each
 * give wakes somebody. The instant nearest to `at` at which one may have been given or taken
 * unseen, among those from `from` to `to`; `otherwise` if there is none. */
gint64 pm_token_nearest_unseen(const PmTokenMatch *m, gint64 at, gint64 from, gint64 to,
                               gint64 otherwise);
/* Between two tasks a pool's thread waits for the next one outside all code of the program: a task
 * that borrows from a pool gives that back. The first such wait within the hold, and the last. */
gboolean pm_token_find_rests(const PmTokenMatch *m, const PmTokenHold *hold, gint64 *ret_first,
                             gint64 *ret_last);
/* Of a thread of which too few are sure all are taken as they look. */
void pm_token_learn_lengths(PmTokenMatch *m);
/* Where nobody waited it may have been given back and taken again; between two tasks it was. */
void pm_token_cut_unsure(PmTokenMatch *m);
/* Of groups of which no whole hold was seen, what else is known of how long they hold. */
void pm_token_learn_others(PmTokenMatch *m);

/* swept */

/* Does it give what others have abandoned, and hold none itself? */
gboolean pm_token_is_sweeper(const PmTokenHolder *holder);
/* A few are given by who never takes any, nor anybody where it gives, as a sweeper that takes back
 * what others have abandoned: those held it until then, from where they took it. What is known of
 * such holds goes to `ret_swept` and is left out of the rest. */
void pm_token_take_swept(PmTokenMatch *m, GArray *ret_swept);

/* unseen-holds */

/* Adds holds of which the take, the give or both were not seen. */
void pm_token_add_unseen(PmTokenMatch *m);

/* tokens */

/* Did `sample` see the call of the own code at a frame of `give`? */
gboolean pm_token_is_in_call(const PmRecording *r, guint32 give, gint own, guint32 sample);
/* Is that call past the line that gave back? Then it holds nothing any more. */
gboolean pm_token_is_behind(const PmRecording *r, guint32 give, gint own, guint32 sample);
