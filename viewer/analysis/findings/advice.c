#include "viewer/analysis/findings/advice.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"

static const char busy_machine_advice[] = "check the machine's load: woken threads wait for a core";

/* The program's own frame that takes a lock of the JDK's, "NioEndpoint$Poller.wakeup"; NULL when
 * the lock is the program's. */
static char *caller_of_jdk_lock(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = c->site; i < c->n_frames; i++) {
        const char *name = pm_recording_class_at(r, c, i);
        if (!pm_label_is_platform(name))
            return i == c->site ? NULL : pm_label_method(r, c->frames[i].method);
    }
    return NULL;
}

/* Those who hold it can take it less often: where that is known, else who they are; when nobody
 * else is known to, those who wait for it. */
static char *advice_of_jdk_lock(const PmRecording *r, const PmFinding *finding, const char *caller)
{
    g_autofree char *holder = NULL;
    for (guint i = 0; i < finding->n_causes && !holder; i++)
        if (finding->causes[i].kind == PM_CAUSE_OWNER && finding->causes[i].share >= 0.1 &&
            finding->causes[i].chain)
            holder = caller_of_jdk_lock(r, finding->causes[i].chain);
    if (!holder && finding->n_causes && finding->causes[0].kind == PM_CAUSE_OWNER &&
        finding->n_victims &&
        r->threads[finding->causes[0].thread].group != finding->victims[0].group)
        return g_strdup_printf("the lock is inside the JDK: let %s take it less often",
                               finding->causes[0].text);
    return g_strdup_printf("the lock is inside the JDK: call it less often from %s",
                           holder ? holder : caller);
}

/* The class whose code takes the lock there, "java.util.concurrent.LinkedBlockingQueue": not the
 * one that the lock is made of. NULL: that is the program's. */
static const char *taker_of(const PmRecording *r, guint32 chain)
{
    const guint32 at = pm_label_taking_frame(r, chain);
    if (at >= r->chains[chain].n_frames)
        return NULL;
    const guint32 method = r->chains[chain].frames[at].method;
    return pm_own_is(pm_own_code(r), r, method) ? NULL : pm_recording_class_of(r, method);
}

/* What that class calls of the program's own code in `chain`; -1: nothing. Whoever runs a task does
 * not call it under a lock. */
static gint called_by(const PmRecording *r, const char *taker, guint32 chain)
{
    static const char *const loops[] = {"run", "runWorker", "doExec", NULL};
    const PmOwnCode *own = pm_own_code(r);
    const PmFrame *frames = r->chains[chain].frames;
    const gint first = pm_own_frame(own, chain);
    gint called = first;
    for (gint i = MAX(first, 0); first >= 0 && (guint)i < r->chains[chain].n_frames; i++) {
        const PmMethod *method = &r->methods[frames[i].method];
        if (strcmp(r->classes[method->class_index].name, taker) == 0)
            return g_strv_contains(loops, method->name) ? -1 : called;
        if (!pm_own_is(own, r, frames[i].method))
            continue;
        if (i > called + 1)
            return -1; /* code of another library is between */
        called = i;
    }
    return -1;
}

char *pm_advice_of_callback(const PmCandidate *candidate)
{
    const PmFinding *finding = candidate->finding;
    const PmFindingCause *first = finding->n_causes ? &finding->causes[0] : NULL;
    const PmRecording *r = candidate->search->summary->metrics->view->recording;
    const char *taker = taker_of(r, finding->chain);
    if (!taker || !first || !first->culprit || !first->chain)
        return NULL;
    const gint called = called_by(r, taker, first->chain);
    if (called < 0)
        return NULL;
    g_autofree char *library = pm_label_class(taker);
    g_autofree char *method = pm_label_method(r, r->chains[first->chain].frames[called].method);
    return g_strdup_printf("%s calls %s while it holds its lock: do what is slow before, or in "
                           "another thread",
                           library, method);
}

char *pm_advice_of_lock(const PmCandidate *candidate)
{
    const PmFinding *finding = candidate->finding;
    if (finding->category == PM_CATEGORY_CLASS_INIT)
        return g_strdup("do less in the class's initialiser, or run it before it is needed");
    const PmRecording *r = candidate->search->summary->metrics->view->recording;
    char *callback = pm_advice_of_callback(candidate);
    if (callback)
        return callback;
    if (candidate->many)
        return g_strdup(
            "hold such locks for less time, or let fewer threads need the same one at once");
    g_autofree char *caller = caller_of_jdk_lock(r, finding->chain);
    /* Who takes it adds or removes an element, which no one can shorten. */
    gboolean in_queue = pm_label_is_in_queue(r, finding->chain);
    if (pm_finding_is_hand_over(finding))
        return g_strdup(in_queue ? "let fewer threads share the queue: woken ones wait for a core"
                                 : busy_machine_advice);
    if (in_queue)
        return g_strdup("let fewer threads share the queue, or put more work into each element");
    return caller ? advice_of_jdk_lock(r, finding, caller) : NULL;
}

char *pm_advice_of_permits(const PmCandidate *candidate)
{
    const PmFinding *finding = candidate->finding;
    if (pm_candidate_is_brought(candidate) && finding->causes[0].culprit)
        return g_strdup_printf("look at why %s takes so long, or begins so late",
                               finding->causes[0].culprit);
    /* Of a class of another kind's own, it is not known whether there may be more. */
    return pm_category_family(finding->category) == PM_FAMILY_RESOURCE
               ? NULL
               : g_strdup("give it back sooner, take it less often, or let more in at once");
}

char *pm_advice_of_wait(const PmCandidate *candidate)
{
    const PmFinding *finding = candidate->finding;
    if (pm_finding_is_hand_over(finding))
        return g_strdup(busy_machine_advice);
    /* Who makes most of it last is named: nothing is left to search for. */
    const PmFindingCause *first = finding->n_causes ? &finding->causes[0] : NULL;
    if (first && first->kind == PM_CAUSE_ARRIVAL &&
        (finding->category == PM_CATEGORY_FUTURE || (candidate->many && first->share >= 0.5)))
        return g_strdup("look at who answers, and at the network; if they wait for news, that is "
                        "what they are for");
    const PmRecording *r = candidate->search->summary->metrics->view->recording;
    if (first && first->culprit && first->chain == finding->chain &&
        pm_label_is_within(r, finding->chain, G_MAXUINT, "java.lang.VirtualThread", "joinNanos"))
        return g_strdup_printf("look at what the virtual threads do whose end %s waits for, which "
                               "is not recorded",
                               first->culprit);
    return first && first->culprit && first->share >= 0.5
               ? g_strdup_printf("look at why %s takes so long, or begins so late", first->culprit)
               : NULL;
}
