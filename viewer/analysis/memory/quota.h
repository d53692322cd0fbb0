/* Accounts that keep more alive than their quota (code/account.h) allows, at the last snapshot
 * after a collection of old objects. An excess that could be sampling error is not reported. */
#pragma once

#include "viewer/analysis/memory/memory-state.h"

typedef struct {
    guint32 account;
    guint32 class_index, chain; /* the class it keeps most of, if known */
    gint64 quota, at;
    PmEstimate live;
    double share; /* of live, by that class and stack trace */
} PmOverQuota;

/* For the range, largest excess first. Owned array of PmOverQuota. */
GArray *pm_quota_find(const PmRecording *recording, gint64 from, gint64 to);
