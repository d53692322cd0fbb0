/* The rules for findings, one row each: when it applies, its name, what to try, when it is by
 * design, and what would disprove it. docs/guide/findings.md lists them. */
#pragma once

#include "viewer/analysis/findings/candidate.h"

typedef struct {
    const char *name;      /* "lock-dominates" */
    const char *when;      /* it applies, in words */
    const char *advice;    /* what to try, as far as the rule alone tells */
    const char *by_design; /* exceptions that are left out; NULL = none */
    const char *disproof;  /* what would show that the finding is wrong */
    PmSeverity severity;   /* at most: what is little becomes a note */
    gboolean of_memory;    /* no waits are told of */
    /* It either searches by itself and appends findings, complete except for rule, severity and
     * advice; or is asked about each cost and then gets its finding; or both. */
    void (*find)(const PmSearch *search, GArray *findings);
    gboolean (*applies)(const PmCandidate *candidate);
    char *(*title)(const PmCandidate *candidate);
    char *(*advise)(const PmCandidate *candidate); /* NULL, and where that returns NULL: `advice` */
    gboolean (*is_by_design)(const PmCandidate *candidate); /* NULL: never */
} PmRule;

const PmRule *pm_rule(PmRuleId id);
const char *pm_rule_name(PmRuleId id);
