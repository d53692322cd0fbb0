/* A path that keeps an object alive, as reported by the recorder
 * (recorder/agent/allocation/path-request.h): untrusted input. */
#pragma once

#include "viewer/report/output.h"

typedef struct {
    char *kind; /* "static", "local", "thread", …, "field", "element"; see docs/guide/memory.md */
    char *class, *field; /* of what refers; empty where there is none */
    gint64 index;        /* of an array's element; -1 */
    gboolean repeats;    /* any number of such steps, none as well */
    char *thread, *method;
    gint64 references; /* of a referrer: how many */
} PmHeapStep;

typedef struct {
    gboolean is_known; /* the class is loaded */
    gboolean refused;  /* the JVM allows no walk */
    gint64 walks, stopped, longest;
    gboolean aborted; /* at the deadline */
    gint64 objects;   /* of the class, that roots lead to */
    gint64 weak;      /* references to them that do not keep them */
    gint64 looked_at, alike;
    gint64 n_steps;       /* may exceed the number in `steps`: those in the middle are left out */
    gboolean found;       /* starts at a root; else only the last steps are known */
    GPtrArray *steps;     /* PmHeapStep */
    char *end;            /* the class of what is kept; NULL */
    GPtrArray *referrers; /* PmHeapStep, the most first */
    gint64 others;        /* references from elsewhere */
} PmHeapPath;

/* NULL: it is none. */
PmHeapPath *pm_heap_path_parse(const char *text);
void pm_heap_path_free(PmHeapPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmHeapPath, pm_heap_path_free)

/* `what`: the class, or the account. */
void pm_heap_path_write(const PmHeapPath *path, int pid, const char *what, gboolean is_account,
                        const PmOutput *output, GString *out);
