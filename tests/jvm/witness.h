/* What a workload saw of itself (tests/workloads/Witness.java), beside what a recording says of the
 * same waits. The witness decides: a wait belongs to what its thread wanted then; while it lasted,
 * it was due to who had still to give that, and from then on to who held it. A thread holds
 * something a moment longer than it can tell: it has it before lock() returns, and is rid of it
 * before unlock() does. So two instants of the recording are believed: when a thread that was
 * parked for a lock resumed for good, and when it woke the next one. */
#pragma once

#include "viewer/analysis/causes/contention.h"

typedef struct PmWitness PmWitness;

/* Reads what Witness.tell() printed. */
PmWitness *pm_witness_new(const char *text);
void pm_witness_free(PmWitness *witness);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmWitness, pm_witness_free)

/* What one thread made others wait, in ns. */
typedef struct {
    char *thread;
    gint64 truth;   /* as the witness saw it; several who held at once have it evenly */
    gint64 charged; /* as the parts of the recorded waits say */
} PmCharge;

/* All waits for one thing, summed. */
typedef struct {
    guint n_waits;
    gint64 waiting;   /* of these waits, in all */
    gint64 misplaced; /* charged to a thread for an instant at which it was not its doing */
    gint64 guessed;   /* of that, in inferred parts */
    gint64 foreign;   /* in exact parts of which no instant can have been that thread's doing */
    gint64 exact;     /* in exact parts */
    gint64 wrong;     /* of that, at instants that cannot have been that thread's doing */
    guint n_wrong;    /* parts with such instants */
    gint64 nobody;    /* when nobody held it, or all stood still */
    gint64 pseudo[PM_N_CAUSES]; /* charged to no thread */
    GArray *charges;            /* of PmCharge */
} PmAccount;

/* Compares the waits for `what`, and for each WHAT#NUMBER, of the recording at `path`. */
void pm_account_init(PmAccount *account, const PmWitness *witness, const char *path,
                     const char *what);
void pm_account_clear(PmAccount *account);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PmAccount, pm_account_clear)

/* A part of the waiting as a share of it. */
double pm_account_share(const PmAccount *account, gint64 part);
/* The same of one thread; 0 when it is not in the account. */
double pm_account_truth(const PmAccount *account, const char *thread);
double pm_account_charged(const PmAccount *account, const char *thread);
/* The account as lines of text, owned. */
char *pm_account_text(const PmAccount *account);
