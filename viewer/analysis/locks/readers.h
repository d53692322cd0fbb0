/* Who shares a lock with others while somebody waits for it: readers of a ReentrantReadWriteLock or
 * a StampedLock. Only the last of them to go is seen to go. Who else held it, and until when, is
 * told by what is likely: from the lock's own count of readers, read as each wait begins; who had
 * waited and got it; who waits and so does not hold it; that somebody holds it all the time; and
 * how long each thread usually does. All of it is inferred, but where nobody else can have held it.
 */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmReaders PmReaders;

/* Can the waits of an object of that class be for a lock that readers share? */
gboolean pm_readers_is_shared_class(const char *class_name);

/* `rows`: the lock's waits, by begin. `repeated`: a bit for each wait of the recording, set where
 * its thread waited again at once, as it did not get what it had waited for. NULL: nobody shares
 * it, or too many do. */
PmReaders *pm_readers_new(const PmRecording *recording, const guint32 *repeated,
                          const guint32 *rows, gsize n);
void pm_readers_free(PmReaders *readers);

typedef enum {
    PM_READERS_NONE,   /* nobody is known to hold it */
    PM_READERS_WRITER, /* `thread`, who held it alone in the end */
    PM_READERS_ONE,    /* `thread` and nobody else */
    PM_READERS_SHARED, /* `thread`, beside others; each has its share of the time */
} PmReadersKind;

/* Splits [from, to) of the wait of `row` among those who held the lock at each instant, evenly:
 * calls `add` in order of time. From `to` on its waiter had been woken. */
typedef void (*PmReadersPart)(gint64 begin, gint64 end, PmReadersKind kind, guint32 thread,
                              guint32 chain, gpointer data);
void pm_readers_split(const PmReaders *readers, guint32 row, gint64 from, gint64 to,
                      PmReadersPart add, gpointer data);
