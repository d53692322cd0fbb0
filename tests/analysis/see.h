/* The command that proves a finding, taken as parkctl takes it: its aspects and filters are ones,
 * and it shows something. */
#pragma once

#include <string.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/memory/memory-tree.h"

/* A "--by=…" or a filter of a command. */
static inline void pm_see_option(const char *option, PmFilter *filter, PmAspect *by, guint *n_by)
{
    g_auto(GStrv) halves = g_strsplit(option + 2, "=", 2);
    g_assert_true(g_str_has_prefix(option, "--") && halves[0] && halves[1] && *halves[1]);
    g_auto(GStrv) names = g_strsplit(halves[1], ",", -1);
    PmAspect aspect;
    PmCategory category;
    if (strcmp(halves[0], "by") == 0) {
        for (guint i = 0; names[i]; i++)
            g_assert_true(pm_aspect_parse(names[i], &by[(*n_by)++]));
        return;
    }
    g_assert_true(pm_aspect_parse(halves[0], &aspect));
    g_assert_true(aspect != PM_ASPECT_CATEGORY || pm_category_parse(halves[1], &category));
    pm_filter_add_chip(filter, aspect, halves[1], FALSE);
}

/* "memory --by=…", with nothing but aspects. */
static inline void pm_see_memory(const PmView *view, const char *by)
{
    g_auto(GStrv) names = g_strsplit(by, ",", -1);
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    for (guint i = 0; names[i]; i++)
        g_assert_true(pm_memory_aspect_parse(names[i], &aspects[i]));
    g_autoptr(PmMemoryTree) tree =
        pm_memory_tree_new(view->recording, NULL, aspects, g_strv_length(names), NULL);
    g_assert_cmpuint(tree->root->children->len, >, 0);
}

static inline void pm_see(const PmFindings *findings)
{
    const PmView *view = findings->summary->metrics->view;
    for (guint i = 0; i < findings->n; i++) {
        const char *command = findings->findings[i].command;
        if (!command)
            continue;
        if (strcmp(command, "now --chains") == 0) {
            g_assert_cmpuint(findings->summary->n_still, >, 0);
            continue;
        }
        if (g_str_has_prefix(command, "memory --by=") && !strchr(command + 7, ' ')) {
            pm_see_memory(view, command + strlen("memory --by="));
            continue;
        }
        g_autoptr(PmFilter) filter = pm_filter_copy(view->filter);
        PmAspect by[PM_N_ASPECTS];
        guint n_by = 0;
        g_auto(GStrv) words = g_strsplit(command, " ", -1);
        for (guint k = 0; words[k]; k++)
            pm_see_option(words[k], filter, by, &n_by);
        g_autoptr(PmView) seen = pm_view_new(view->recording, filter, NULL);
        g_autoptr(PmTree) tree = pm_tree_new(seen, by, n_by, NULL);
        g_assert_cmpuint(tree->root->n_children, >, 0);
    }
}

/* The findings of a view of a recording, and its summary. Both are owned. */
static inline PmFindings *pm_find_in(PmView *view, PmSummary **ret_summary)
{
    *ret_summary = pm_summary_new(view, view->recording->duration, NULL);
    return pm_findings_new(*ret_summary, pm_recording_contention(view->recording, NULL), NULL);
}

static inline PmFindings *pm_find_all(PmRecording *recording, PmSummary **ret_summary)
{
    g_autoptr(PmView) view = pm_made_view(recording);
    return pm_find_in(view, ret_summary);
}

/* Of what is seen of one thread alone. */
static inline PmFindings *pm_find_of_thread(PmRecording *recording, const char *thread,
                                            PmSummary **ret_summary)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_filter_add_chip(filter, PM_ASPECT_THREAD, thread, FALSE);
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    return pm_find_in(view, ret_summary);
}
