/* The JVM's own heap histogram (GC.class_histogram in jcmd), parsed and formatted again: untrusted
 * input. */
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

/* Bytes in use, from the output of GC.heap_info; 0: unknown. */
gint64 pm_heap_used(const char *info);

/* How long a walk over this many bytes stops the program: the most likely value, and the bounds. */
typedef struct {
    double low, likely, high; /* seconds */
} PmHeapPause;
PmHeapPause pm_heap_pause(gint64 used_bytes);
/* The same for a walk along all references, for a path (heap-path.h). */
PmHeapPause pm_heap_path_pause(gint64 used_bytes);

/* `took_ns`: duration of the request, including the walk. */
void pm_heap_write(const PmHeap *heap, int pid, gint64 took_ns, const PmOutput *output,
                   GString *out);
