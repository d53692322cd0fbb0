/* Accounts that keep more alive than their quota (code/account.h) allows, at the last snapshot
 * after a collection of old objects. Nothing is told of an excess that errors could make. */
#pragma once

#include "viewer/analysis/memory/memory-state.h"

typedef struct {
    guint32 account;
    guint32 class_index, chain; /* what it keeps most of, if anything is told apart */
    gint64 quota, at;
    PmEstimate live;
    double share; /* of live, by that class and stack trace */
} PmOverQuota;

/* Those in the range, the one furthest beyond first. Owned array of PmOverQuota. */
GArray *pm_quota_find(const PmRecording *recording, gint64 from, gint64 to);
