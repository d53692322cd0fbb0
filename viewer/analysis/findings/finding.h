/* What stands out in a view, as sentences with their proof, by the rules of rule.h. A
 * finding is reported when something is stuck, or when its waits take at least 5 % of the busy time
 * of a thread group (busy = life − idle) and a tenth of a thread on average, or keep at least one
 * thread waiting on average. Many small blockers of one class and site are one finding. Stuck
 * ones come first, then by busy share; five at most, what is left becomes notes. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/findings/rule.h"
#include "viewer/analysis/findings/summary.h"
#include "viewer/analysis/whatif/whatif.h"

typedef enum { PM_SEVERITY_STUCK, PM_SEVERITY_HIGH, PM_SEVERITY_NOTE } PmSeverity;

typedef struct {
    char *text;
    gboolean exact;
    gboolean model; /* what would be, by a model (what_ifs), not what was */
} PmEvidence;

/* Who or what made the waits last; shares add up to 1. */
typedef struct {
    PmCauseKind kind;
    guint32 chain;  /* 0 = not known */
    guint32 thread; /* one of its threads; 0 for pseudo-causes */
    char *text; /* "PriceCache.refresh (PriceCache.java:88) < Scheduler.tick (Scheduler.java:31)" */
    double share;
    gboolean inferred;
} PmFindingCause;

typedef struct {
    guint32 group;
    guint32 n_threads; /* of it, that waited here */
    gint64 thread_time;
    double busy_share; /* of the group's busy time; NAN when that is 0 */
} PmVictim;

typedef struct {
    PmRule rule;
    PmSeverity severity;
    char *title;     /* one sentence without a full stop */
    guint32 blocker; /* 0 = none, or many */
    guint32 one_of;  /* where they are many; 0 = none */
    guint8 kind, category;
    guint32 chain; /* of the waits: where most of them stood */
    gint64 thread_time, waits, longest;
    gint64 blamed;       /* of thread_time, what has a cause that can be named */
    double busy_share;   /* the biggest of the victims' */
    double mean_threads; /* waiting, on average over the recorded time */
    guint n_causes;
    PmFindingCause *causes; /* biggest first */
    guint n_victims;
    PmVictim *victims; /* biggest first */
    guint n_evidence;
    PmEvidence *evidence;
    guint n_what_ifs;
    PmWhatIf
        what_ifs[2]; /* of a lock: held half and a quarter as long; only where the model fits */
    char *advice;    /* "Try" */
    char *command; /* what proves it: options of `tree`, "--blocker=4f3c91d2 --by=cause-chain,site";
                      or with the command itself first, "now --chains" */
    gint64 from, to;
} PmFinding;

typedef struct {
    PmSummary *summary; /* borrowed */
    guint n;
    PmFinding *findings; /* at most five that are no notes, then the notes */
} PmFindings;

const char *pm_severity_name(PmSeverity severity); /* "stuck", "high", "note" */

/* Cost: one pass over the view's waits, one over their parts. NULL when `cancel` was set. The
 * summary's verdict becomes the first finding that is no note. */
PmFindings *pm_findings_new(PmSummary *summary, const PmContention *contention, const gint *cancel);
void pm_findings_free(PmFindings *findings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmFindings, pm_findings_free)
