/* Who shares a lock while a thread waits for it: readers of a ReentrantReadWriteLock or a
 * StampedLock. Only the release by the last reader is seen. Who else held it, and until when, is
 * estimated by likelihood: from the lock's own reader count, read when each wait begins; from
 * threads that waited and got it; from threads that wait and therefore do not hold it; from the
 * fact that it is always held by some thread; and from how long each thread usually holds it. All
 * of it is inferred, unless nobody else can have held it. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmReaders PmReaders;

/* Whether waits for an object of that class can be for a lock that readers share. */
gboolean pm_readers_is_shared_class(const char *class_name);
/* Whether it is a reader that waits or gives back there. */
gboolean pm_readers_is_read(const PmRecording *recording, guint32 chain);

/* `rows`: the lock's waits, by begin. `repeated`: a bit for each wait of the recording, set if its
 * thread waited again immediately because it did not get what it had waited for. NULL: nobody
 * shares it, or too many do. */
PmReaders *pm_readers_new(const PmRecording *recording, const guint32 *repeated,
                          const guint32 *rows, gsize n);
void pm_readers_free(PmReaders *readers);

typedef enum {
    PM_READERS_NONE,   /* nobody is known to hold it */
    PM_READERS_WRITER, /* `thread`, who held it alone in the end */
    PM_READERS_ONE,    /* `thread` and nobody else */
    PM_READERS_SHARED, /* `thread`, together with others; each has its share of the time */
} PmReadersKind;

/* Divides [from, to) of the wait of `row` evenly among the holders of the lock at each instant:
 * calls `add` in order of time. At `to` the waiter was woken. */
typedef void (*PmReadersPart)(gint64 begin, gint64 end, PmReadersKind kind, guint32 thread,
                              guint32 chain, gpointer data);
void pm_readers_split(const PmReaders *readers, guint32 row, gint64 from, gint64 to,
                      PmReadersPart add, gpointer data);
