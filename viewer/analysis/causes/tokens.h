/* Resources: objects that are taken and given back, as permits and the elements of a pool are. Who
 * holds one is told by what its waits show of takes and gives, not by its class: a pool made of a
 * queue is a resource, a semaphore that is used as a signal is none.
 *
 * A take that did not wait and a give that woke nobody are unseen. While somebody waits each give
 * is seen, and so a hold is sure as far as somebody waited; of the rest the length is the median of
 * the sure ones that the same code of the thread gave back, else of those of the thread, the code,
 * or its thread's group, at least as long as samples saw that code; at most what the thread's other
 * waits leave. While somebody waits as many are held as usual: those of which nothing is known by
 * the next that may have begun, else by who does not wait. All of it is inferred. */
#pragma once

#include "viewer/analysis/causes/activity.h"

/* Somebody gave: as the origin of a wake. */
typedef struct {
    gint64 at;
    guint32 thread, chain;
} PmGive;

/* Somebody waited and got one. */
typedef struct {
    gint64 end, begin;
    guint32 thread, chain;
    gboolean took; /* else the wait timed out, was interrupted or is in progress */
} PmTake;

/* One thread's keeping of one. */
typedef struct {
    gint64 begin, end;
    gint64 earliest; /* it may have begun since then; begin, when that was seen */
    gint64 length;   /* as far as known or usual */
    guint32 thread, chain;
} PmTokenHold;

typedef struct {
    guint n; /* holds, by begin: pm_tokens_hold */
    PmPacked begins, lengths, threads, chains;
    PmPacked earlier; /* how much earlier each may have begun; what is before all waits is one */
    guint width;      /* of the tree over them: how many leaves, a power of two */
    gboolean fills;   /* what nobody is known to hold with the next that may */
    guint usual;      /* so many are held while somebody waits */
    GArray *users;    /* of PmTokenHold: one of each thread's, from 0, as long as usual */
    const PmActivity *activity;
    GHashTable *seen; /* tokens.c's: what holders were seen in, by where they give back */
    gint64 *counts;   /* while they are counted: how long so many were held */
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

/* Matches gives and takes of one operation on one object, which come in slices of time. */
typedef struct PmTokenMatch PmTokenMatch;

/* By time, and what one wake gave to several once. */
void pm_token_gives_sort(GArray *gives);
/* `gives`: all of them, sorted; the reference is kept until the end. `counts_only`: for
 * pm_token_match_may_be, in little memory. */
PmTokenMatch *pm_token_match_new(const PmActivity *activity, GArray *gives, guint n_takes,
                                 gboolean counts_only);
/* Uses up what of `takes` ends before `limit`, as whatever is added later does not; with G_MAXINT64
 * all. What is left stays in `takes`. */
void pm_token_match_add(PmTokenMatch *match, GArray *takes, gint64 limit);
/* Instead of pm_token_match_end; frees the match. FALSE: that would give NULL. */
gboolean pm_token_match_may_be(PmTokenMatch *match);
/* Frees the match. NULL when the object is not used as a resource. */
PmTokens *pm_token_match_end(PmTokenMatch *match);
void pm_tokens_free(PmTokens *tokens);

/* What a thread of the same group was seen in while it held one, in the same call of own code that
 * `chain` gave one back in, or of that one's caller: the nearest to `at`, a stack trace. 0: too few
 * were seen. */
guint32 pm_tokens_seen_holding(const PmTokens *tokens, guint32 thread, guint32 chain, gint64 at);

/* Splits [from, to) among those who hold one at each instant, each weighing as much as its hold is
 * long: calls `add` in order of time, with hold NULL where nobody is known to. `self` holds none;
 * `woken`: it has been given one, so others matter only where they hold all the same. */
typedef void (*PmTokenPart)(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data);
void pm_tokens_split(const PmTokens *tokens, guint32 self, gboolean woken, gint64 from, gint64 to,
                     PmTokenPart add, gpointer data);
