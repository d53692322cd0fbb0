/* A finding: a problem in a view, as a sentence with its evidence, the affected threads, the
 * causes, and what to try. rule.h defines when there is one. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/evidence/knot.h"
#include "viewer/analysis/slices/summary.h"
#include "viewer/analysis/whatif/whatif.h"

/* Stuck ones are listed in this order; for a wait, the first rule that applies is used. */
typedef enum {
    PM_RULE_DEADLOCK,
    PM_RULE_OWN_POOL,
    PM_RULE_NOBODY_LEFT,
    PM_RULE_FORGOTTEN,
    PM_RULE_STUCK_WAIT,
    PM_RULE_GC,
    PM_RULE_CARRIERS,
    PM_RULE_BUSY_POOL,
    PM_RULE_EVENT_LOOP,
    PM_RULE_TIMED_POLLING,
    PM_RULE_RESOURCE_EXHAUSTED,
    PM_RULE_LOCK_HELD_OVER_IO,
    PM_RULE_CONVOY,
    PM_RULE_FAIR_HAND_OVER,
    PM_RULE_LOCK_DOMINATES,
    PM_RULE_LAST_THREAD,
    PM_RULE_LEAK,
    PM_RULE_OVER_QUOTA,
    PM_RULE_HOT_SPOT,
    PM_RULE_WAIT_DOMINATES,
    PM_N_RULES,
} PmRuleId;

typedef enum { PM_SEVERITY_STUCK, PM_SEVERITY_HIGH, PM_SEVERITY_NOTE } PmSeverity;

typedef struct {
    char *text;
    gboolean exact;
    gboolean model; /* a prediction of a model (what_ifs), not an observation */
} PmEvidence;

#define PM_GROUP_NONE    G_MAXUINT32
#define PM_GROUP_SEVERAL (G_MAXUINT32 - 1)

/* Who or what made the waits last; shares add up to 1. */
typedef struct {
    PmCauseKind kind;
    guint32 chain;  /* 0 = not known */
    guint32 thread; /* one of its threads; 0 for pseudo-causes */
    guint32 group;  /* the group of all its threads; PM_GROUP_SEVERAL, or PM_GROUP_NONE for
                     * pseudo-causes */
    char *text; /* "PriceCache.refresh (PriceCache.java:88) < Scheduler.tick (Scheduler.java:31)" */
    char *culprit;   /* "PriceCache.refresh": see culprit.h; NULL for pseudo-causes */
    guint32 method;  /* the culprit's; 0 = not known */
    guint32 brought; /* the method that passed more than half of an arrival on; 0 = none */
    guint32 taker;   /* the method further out that took what it holds; 0 = not known */
    double share;
    double order;  /* the greatest is told first: the share, but for one that counts more: who keeps
                    * one of a resource longest at a time */
    double margin; /* so far off it may be; 0: it rests on no samples (margin.h) */
    gboolean inferred;
} PmFindingCause;

typedef struct {
    guint32 group;
    guint32 n_threads; /* of it, that waited here */
    gint64 thread_time;
    double busy_share; /* of the group's busy time; NAN when that is 0 */
} PmVictim;

typedef struct {
    PmRuleId rule;
    PmSeverity severity;
    char *title;     /* one sentence without a full stop */
    guint32 blocker; /* 0 = none, or many */
    guint32 one_of;  /* where they are many; 0 = none */
    guint8 kind, category;
    guint32 chain; /* of the waits: where most of them stood */
    gint64 thread_time, waits, longest;
    gint64 blamed;       /* of thread_time, the part with a known cause */
    double busy_share;   /* the biggest of the victims' */
    double mean_threads; /* waiting, on average over the known time */
    gboolean estimated;  /* both, and the victims' shares: from a part of the time */
    guint n_causes;
    PmFindingCause *causes; /* biggest first */
    guint n_victims;
    PmVictim *victims; /* biggest first */
    guint n_evidence;
    PmEvidence *evidence;
    guint n_what_ifs;
    PmWhatIf what_ifs[2]; /* for a lock: held half and a quarter as long; only if the model fits */
    char *advice;         /* "Try" */
    char *command;        /* shows the evidence: options of `tree`, "--blocker=4f3c91d2
                           * --by=cause-chain,site"; or starting with the command, "now --chains" */
    char *keeps;          /* for memory: a class or an account, for `heap --path` */
    gint64 from, to;
    gboolean since_before; /* the recording began */
} PmFinding;

/* The input for finding problems. All borrowed. */
typedef struct {
    const PmSummary *summary;
    const PmContention *contention;
    const PmOperations *operations;
    gboolean estimated;  /* the summary is of a part of the time asked for */
    const GArray *knots; /* of PmKnot */
    GHashTable *told;    /* pm_finding_told_key of what stuck findings tell */
    GHashTable *costs;   /* pm_blocker_costs_gather's; NULL: not known yet */
    GHashTable *links;   /* pm_lock_links_new: what owners of locks wait for */
    GArray *gives;       /* replies.c's: who gave whom something; empty until that is asked for */
    const gint *cancel;
} PmSearch;

const char *pm_severity_name(PmSeverity severity); /* "stuck", "high", "note" */

/* The lock was never held for long: woken threads waited to run. */
gboolean pm_finding_is_hand_over(const PmFinding *finding);
/* "scheduler-*", the group (or its only thread) that the cause belongs to, if that is not the one
 * that waits most there. NULL for none, or for several groups. Borrowed. */
const char *pm_finding_cause_by(const PmFinding *finding, const PmRecording *recording,
                                const PmFindingCause *cause);
/* ", through Selector.run": who passes on what its first cause, an arrival, brings; "" if that is
 * not known, or is where the wait is. Owned by the caller. */
char *pm_finding_through(const PmFinding *finding, const PmRecording *recording);
/* "± 7" percent points; "≥ 51", "≤ 43" if one end of that is no share. NULL without a margin. Owned
 * by the caller. */
char *pm_finding_margin_text(const PmFindingCause *cause);
/* Adds to the title, where a finding is read first, who is behind it. Takes the text. */
void pm_finding_add_to_title(PmFinding *finding, char *text);
/* In place of the rule's advice. */
void pm_finding_advise(PmFinding *finding, const char *advice);
/* Appends a cause with the whole share, inferred: where a thread gives, or should give. */
void pm_finding_add_cause(PmFinding *finding, const PmRecording *recording, PmCauseKind kind,
                          guint32 thread, guint32 chain);
/* The same, told from that frame of the stack trace on. Its text, borrowed. */
const char *pm_finding_add_cause_from(PmFinding *finding, const PmRecording *recording,
                                      PmCauseKind kind, guint32 thread, guint32 chain, gint frame);
gpointer pm_finding_told_key(guint32 blocker, guint8 kind);
/* Biggest first. */
void pm_finding_sort_victims(PmVictim *victims, guint n);
/* Frees what it owns. */
void pm_finding_clear(PmFinding *finding);
