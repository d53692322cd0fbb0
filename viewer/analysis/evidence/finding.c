#include "viewer/analysis/evidence/finding.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"

const char *pm_severity_name(PmSeverity severity)
{
    static const char *const names[] = {"stuck", "high", "note"};
    return severity <= PM_SEVERITY_NOTE ? names[severity] : "?";
}

static const char *add_cause(PmFinding *finding, const PmRecording *r, PmCauseKind kind,
                             guint32 thread, guint32 chain, char *text)
{
    finding->causes = g_renew(PmFindingCause, finding->causes, finding->n_causes + 1);
    finding->causes[finding->n_causes++] =
        (PmFindingCause){.kind = kind,
                         .thread = thread,
                         .group = thread ? r->threads[thread].group : PM_GROUP_NONE,
                         .chain = chain,
                         .text = text,
                         .share = 1,
                         .inferred = TRUE};
    return text;
}

void pm_finding_add_cause(PmFinding *finding, const PmRecording *r, PmCauseKind kind,
                          guint32 thread, guint32 chain)
{
    add_cause(finding, r, kind, thread, chain, pm_label_code(r, chain, 3));
}

const char *pm_finding_add_cause_from(PmFinding *finding, const PmRecording *r, PmCauseKind kind,
                                      guint32 thread, guint32 chain, gint frame)
{
    return add_cause(finding, r, kind, thread, chain, pm_label_code_from(r, chain, frame, 3));
}

const char *pm_finding_cause_by(const PmFinding *finding, const PmRecording *r,
                                const PmFindingCause *cause)
{
    if (!cause->thread || cause->group >= r->n_groups || !cause->chain ||
        (finding->n_victims && finding->victims[0].group == cause->group))
        return NULL;
    return r->groups[cause->group].shown;
}

char *pm_finding_through(const PmFinding *finding, const PmRecording *r)
{
    if (!finding->n_causes || !finding->causes[0].brought)
        return g_strdup("");
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *through = pm_label_method(r, finding->causes[0].brought);
    return strcmp(where, through) == 0 ? g_strdup("") : g_strdup_printf(", through %s", through);
}

char *pm_finding_margin_text(const PmFindingCause *cause)
{
    if (cause->margin <= 0)
        return NULL;
    const double low = 100 * (cause->share - cause->margin);
    const double high = 100 * (cause->share + cause->margin);
    return high > 100 && low > 0   ? g_strdup_printf("≥ %.0f", floor(low))
           : low < 0 && high < 100 ? g_strdup_printf("≤ %.0f", ceil(high))
                                   : g_strdup_printf("± %.0f", CLAMP(100 * cause->margin, 1, 100));
}

static int victim_compare(const void *left, const void *right)
{
    const PmVictim *a = left, *b = right;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

void pm_finding_sort_victims(PmVictim *victims, guint n)
{
    if (n > 0)
        qsort(victims, n, sizeof *victims, victim_compare);
}

void pm_finding_add_to_title(PmFinding *finding, char *text)
{
    g_autofree char *title = g_steal_pointer(&finding->title);
    g_autofree char *taken = text;
    finding->title = g_strdup_printf("%s; %s", title, taken);
}

void pm_finding_advise(PmFinding *finding, const char *advice)
{
    g_free(finding->advice);
    finding->advice = g_strdup(advice);
}

void pm_finding_clear(PmFinding *finding)
{
    for (guint i = 0; i < finding->n_causes; i++) {
        g_free(finding->causes[i].text);
        g_free(finding->causes[i].culprit);
    }
    for (guint i = 0; i < finding->n_evidence; i++)
        g_free(finding->evidence[i].text);
    g_free(finding->causes);
    g_free(finding->victims);
    g_free(finding->evidence);
    g_free(finding->title);
    g_free(finding->advice);
    g_free(finding->command);
    g_free(finding->keeps);
}

gboolean pm_finding_is_hand_over(const PmFinding *finding)
{
    return finding->n_causes && finding->causes[0].kind == PM_CAUSE_HAND_OVER &&
           finding->causes[0].share > 0.5;
}

gpointer pm_finding_told_key(guint32 blocker, guint8 kind)
{
    return GSIZE_TO_POINTER((gsize)blocker << 8 | kind);
}
