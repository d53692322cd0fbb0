/* How findings about what makes no progress are begun, and what several of them say. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Findings of one kind, causes or groups that are told, at most. */
#define PM_STUCK_MAX 3

/* A finding of these waits: whom they cost what; without title, causes and evidence. */
PmFinding pm_stuck_finding(const PmSearch *search, const guint32 *rows, guint n);
/* All causes have the same share. */
void pm_stuck_share_evenly(PmFinding *finding);
/* Who suffers most, and how many others. Owned by the caller. */
char *pm_stuck_victims_text(const PmRecording *r, const PmFinding *finding);
/* Who waits within such a call for another one, of those that wait for results; or, of several
 * `pools` that wait for each other, within a task of theirs. FALSE: nobody. */
gboolean pm_stuck_add_nested(const PmRecording *r, PmFinding *finding, const guint32 *rows, guint n,
                             gboolean pools);
/* Does nobody live who often ended such waits, beside who waits there? Few may be told wrong. Of a
 * virtual thread that does not wait it is not known whether it has ended. */
gboolean pm_stuck_givers_have_ended(const PmSearch *search, const PmOperation *operation,
                                    guint32 waiter);
/* Of those who ended such waits, one waits itself for what only threads gave that have ended: then
 * nobody goes on. FALSE: that is not so. */
gboolean pm_stuck_add_ended(const PmSearch *search, gpointer enders, PmFinding *finding);
/* Nothing is the program's in the tasks of a pool that wait for others, as that of `row`: where the
 * program waits for such results, which may be what put them all into one pool. */
void pm_stuck_add_who_asks(const PmSummary *summary, PmFinding *finding, guint32 row);
