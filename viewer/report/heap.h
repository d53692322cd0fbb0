/* The JVM's own histogram of its heap (what jcmd calls GC.class_histogram), read and written anew:
 * a stranger's text. */
#pragma once

#include "viewer/report/output.h"

typedef struct {
    char *name; /* as in source, "byte[]" */
    gint64 objects, bytes;
} PmHeapClass;

typedef struct {
    GArray *classes; /* PmHeapClass, the most bytes first */
    gint64 objects, bytes;
} PmHeap;

/* NULL: it is no histogram. */
PmHeap *pm_heap_parse(const char *text);
void pm_heap_free(PmHeap *heap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmHeap, pm_heap_free)

/* Bytes in use, from what GC.heap_info says; 0: it does not. */
gint64 pm_heap_used(const char *info);

/* How long a walk over so many bytes stops the program: the most likely, and the bounds. */
typedef struct {
    double low, likely, high; /* seconds */
} PmHeapPause;
PmHeapPause pm_heap_pause(gint64 used_bytes);
/* The same of a walk along all references, for a path (heap-path.h). */
PmHeapPause pm_heap_path_pause(gint64 used_bytes);

/* `took_ns`: of the request, in which the walk is. */
void pm_heap_write(const PmHeap *heap, int pid, gint64 took_ns, const PmOutput *output,
                   GString *out);
