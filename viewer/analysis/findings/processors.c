#include "viewer/analysis/findings/processors.h"

#include "viewer/analysis/aggregation/no-core.h"
#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/code/silent-sample.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/category.h"

#define MIN_NO_CORE 0.5
/* So many threads without a processor for each wait at a time, and so many processors in use. */
#define MIN_NO_CORE_OF_WAITING 0.3
#define MIN_OWN_PROCESSORS     0.5
/* What is less than both is a note: others have the processors, for a reason of their own. */
#define HIGH_BUSY_SHARE   0.3
#define HIGH_MEAN_THREADS 1.0
#define MIN_SAMPLES       3
#define MIN_AT_WORK       0.5

/* Who uses them. */
typedef struct {
    guint32 group;
    double share, processors; /* its part; of all, on average */
    guint32 thread, chain;    /* one of them, where most of them were seen at work; 0 = not known */
} Users;

/* Where the group's threads were seen at work most often. */
static void look_at_users(const PmView *view, Users *users)
{
    const PmRecording *r = view->recording;
    const PmOwnCode *own = pm_own_code(r);
    g_auto(PmTotals) times = {0}; /* by method: how often */
    gint64 most = MIN_SAMPLES - 1;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at < view->from || sample->at > view->to || !sample->chain ||
            sample->role != PM_SAMPLE_ENDER || sample->state != PM_OWNER_RUNNING ||
            !sample->weight || r->threads[sample->owner].group != users->group)
            continue;
        const gint frame = pm_own_frame(own, sample->chain);
        if (frame < 0)
            continue;
        const gint64 n = ++*pm_totals_at(&times, r->chains[sample->chain].frames[frame].method);
        if (n > most) {
            most = n;
            users->thread = sample->owner;
            users->chain = sample->chain;
        }
    }
}

static gboolean is_at_work(const PmRecording *r, const PmFindingCause *cause)
{
    return cause->thread && !pm_owner_activity_is_slow(r, cause->chain) &&
           !pm_chain_waits(r, cause->chain);
}

/* The first cause; where that is nobody, or at rest, the first that is at work, if such ones and
 * those who were told in time are most of it. NULL: none. */
static const PmFindingCause *cause_at_work(const PmRecording *r, const PmFinding *finding)
{
    const PmFindingCause *first = NULL;
    double share = 0;
    for (guint i = 0; i < finding->n_causes; i++) {
        const PmFindingCause *cause = &finding->causes[i];
        const gboolean works = is_at_work(r, cause);
        if (works && !first)
            first = cause;
        if (works || (cause->kind == PM_CAUSE_HAND_OVER &&
                      pm_category_family(finding->category) != PM_FAMILY_LOCK))
            share += cause->share;
    }
    return first == finding->causes || share >= MIN_AT_WORK ? first : NULL;
}

/* So much of what is the first cause's is due to them. */
static void blame_users(PmFinding *finding, const PmRecording *r, const Users *users, double share)
{
    const double first = finding->causes[0].share;
    finding->causes[0].share = first * (1 - share);
    finding->causes[0].margin *= 1 - share;
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, users->thread, users->chain);
    PmFindingCause added = finding->causes[finding->n_causes - 1];
    added.share = first * share;
    for (guint i = finding->n_causes - 1; i > 0; i--)
        finding->causes[i] = finding->causes[i - 1];
    finding->causes[0] = added;
}

static void advise(PmFinding *finding, const PmRecording *r, const Users *users)
{
    g_free(finding->advice);
    finding->advice = users->processors < MIN_OWN_PROCESSORS
                          ? g_strdup("check the machine's load, or the container's CPU limit: the "
                                     "program itself uses little")
                          : g_strdup_printf("let fewer threads run at once, those of %s first: the "
                                            "thread that others wait for gets no processor",
                                            r->groups[users->group].shown);
}

static void tell_users(PmFinding *finding, const PmView *view, Users *users, guint32 group,
                       double share)
{
    const PmRecording *r = view->recording;
    const gboolean others =
        users->group != group && users->share >= 0.5 && users->processors >= MIN_OWN_PROCESSORS;
    g_autofree char *title = g_steal_pointer(&finding->title);
    g_autofree char *told = g_strdup("");
    if (others) {
        look_at_users(view, users);
        g_autofree char *method = users->chain ? pm_label_code_method(r, users->chain) : NULL;
        g_free(told);
        told = g_strdup_printf("; %s uses the processors%s%s", r->groups[users->group].shown,
                               method ? ", in " : "", method ? method : "");
    }
    finding->title = g_strdup_printf("%s, without a core for %.0f %% of the time it could run%s",
                                     title, 100 * share, told);
    if (users->chain)
        blame_users(finding, r, users, share);
    advise(finding, r, users);
}

void pm_processors_tell(const PmCandidate *candidate, PmFinding *finding)
{
    const PmView *view = candidate->search->summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmFindingCause *first = cause_at_work(r, finding);
    if (!first || view->known <= 0 || pm_candidate_is_held_over_io(candidate))
        return;
    const guint32 group = r->threads[first->thread].group;
    const double covered = (double)candidate->cost->covered / (double)view->known;
    const PmNoCore without = pm_no_core(view, group);
    Users users = {0};
    if (without.of_runnable < MIN_NO_CORE || without.threads < MIN_NO_CORE_OF_WAITING * covered ||
        !pm_no_core_most(view, &users.group, &users.share, &users.processors))
        return;
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s had no processor for %.0f %% of the time it was runnable",
                                    r->groups[group].shown, 100 * without.of_runnable));
    pm_evidence_add(
        finding, TRUE,
        g_strdup_printf("the program used %.1f processors on average, %.0f %% of that %s",
                        users.processors, 100 * users.share, r->groups[users.group].shown));
    if (finding->busy_share < HIGH_BUSY_SHARE && finding->mean_threads < HIGH_MEAN_THREADS)
        finding->severity = PM_SEVERITY_NOTE;
    if (finding->severity != PM_SEVERITY_NOTE && first == finding->causes)
        tell_users(finding, view, &users, group, without.of_runnable);
}
