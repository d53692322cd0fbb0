/* Resources: objects that are taken and given back, such as permits and elements of a pool. Holders
 * are determined from the takes and gives visible in its waits, not from its class: a pool built on
 * a queue is a resource, a semaphore used as a signal is not.
 *
 * A take that did not wait and a give that woke nobody are not seen. While some thread waits, every
 * give is seen, so a hold is certain as long as some thread waited. The length of any other is the
 * median of the certain ones that the same code of the thread gave back, else of those of the
 * thread, the code, or the thread's group; at least as long as samples show that code, at most what
 * the thread's other waits allow, and from or until an instant at which it could go unseen: nobody
 * waited, or one that had been given was on its way. Who is sampled, or waits for something else,
 * behind a line that takes one and before that which gives it back holds one, too. While some
 * thread waits, the usual number is held, the greatest that is for 15 % of the time: unknown ones
 * by the next hold that may have begun, else by threads that do not wait, the likelier the more of
 * the time they are known to hold one; but not where some take several permits at once. All of it
 * is inferred. */
#pragma once

#include "viewer/analysis/code/activity.h"

/* Somebody gave: as the origin of a wake. */
typedef struct {
    gint64 at;
    guint32 thread, chain;
    gboolean missed; /* who was woken found none: somebody had taken it meanwhile */
} PmGive;

/* Somebody waited and got one. */
typedef struct {
    gint64 end, begin;
    gint64 woken; /* when it was given one; end, if that is not known, or nobody did */
    guint32 thread, chain;
    gboolean took; /* else the wait timed out, was interrupted or is in progress */
} PmTake;

/* One thread's keeping of one. */
typedef struct {
    gint64 begin, end;
    gint64 earliest; /* the earliest possible begin; begin, if that was observed */
    gint64 length;   /* as far as known or usual */
    guint32 thread, chain;
} PmTokenHold;

typedef struct {
    guint n; /* holds, by begin: pm_tokens_hold */
    PmPacked begins, lengths, threads, chains;
    PmPacked earlier; /* how much earlier each may have begun; what is before all waits is one */
    guint width;      /* number of leaves of the tree over them, a power of two */
    gboolean fills;   /* assigns what nobody is known to hold to the next possible hold */
    guint usual;      /* so many are held while somebody waits */
    GArray *users;    /* private to tokens.c: who may hold one unseen */
    const PmActivity *activity;
    GHashTable *seen; /* private to tokens.c: samples of holders, by where they give back */
    gint64 *counts;   /* while counting: for how long each number was held */
    gint64 *latest;   /* by node of that tree: the latest end below it */
} PmTokens;

#define PM_TOKEN_LEAF 16 /* holds */

static inline gint64 pm_tokens_begin(const PmTokens *tokens, gsize i)
{
    return pm_packed_get(&tokens->begins, i);
}

static inline gint64 pm_tokens_end(const PmTokens *tokens, gsize i)
{
    return pm_tokens_begin(tokens, i) + pm_packed_get(&tokens->lengths, i);
}

static inline PmTokenHold pm_tokens_hold(const PmTokens *tokens, gsize i)
{
    const gint64 begin = pm_tokens_begin(tokens, i), length = pm_packed_get(&tokens->lengths, i);
    return (PmTokenHold){.begin = begin,
                         .end = begin + length,
                         .earliest = begin - pm_packed_get(&tokens->earlier, i),
                         .length = length,
                         .thread = (guint32)pm_packed_get(&tokens->threads, i),
                         .chain = (guint32)pm_packed_get(&tokens->chains, i)};
}

/* Whether so many of the gives come from who never takes that nothing is given back. */
gboolean pm_tokens_are_strange(gsize n_strangers, gsize n_gives);

/* Matches gives and takes of one operation on one object, which arrive in time slices: what lies in
 * memory does not grow with their number, but for what is found. */
typedef struct PmTokenMatch PmTokenMatch;

/* `counts_only`: for pm_token_match_may_be, in little memory. `lent`: it is known to be a resource,
 * even if all that is seen given comes from who never waits for it. */
PmTokenMatch *pm_token_match_new(const PmActivity *activity, guint n_takes, gboolean counts_only,
                                 gboolean lent);
/* Consumes the gives (of PmGive) and the takes (of PmTake) before `limit`, at which no later
 * addition has any; with G_MAXINT64 all. The rest stays in both. One wake that gave to several is
 * one give. */
void pm_token_match_add(PmTokenMatch *match, GArray *gives, GArray *takes, gint64 limit);
/* Instead of pm_token_match_end; frees the match. FALSE: that would return NULL. */
gboolean pm_token_match_may_be(PmTokenMatch *match);
/* Frees the match. NULL if the object is not used as a resource. */
PmTokens *pm_token_match_end(PmTokenMatch *match);
void pm_tokens_free(PmTokens *tokens);

/* A stack trace in which a thread of the same group was sampled while it held one, in the same call
 * of own code in which `chain` gave one back, or in its caller: the nearest to `at`. 0: too few
 * samples. */
guint32 pm_tokens_seen_holding(const PmTokens *tokens, guint32 thread, guint32 chain, gint64 at);

/* Divides [from, to) evenly among the holders at each instant: calls `add` in order of time, with
 * hold NULL if no holder is known. `self` holds none; `woken`:
 * it has been given one, so others count only if they hold one as well. */
typedef void (*PmTokenPart)(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data);
void pm_tokens_split(const PmTokens *tokens, guint32 self, gboolean woken, gint64 from, gint64 to,
                     PmTokenPart add, gpointer data);
