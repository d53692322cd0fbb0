/* Exports waits for other programs: one row per wait, or folded by stack trace. Written in pieces,
 * so memory does not grow with the recording. */
#pragma once

#include "viewer/analysis/aggregation/tree.h"

typedef enum {
    PM_EXPORT_CSV,          /* a row a wait */
    PM_EXPORT_JSON,         /* the same */
    PM_EXPORT_COLLAPSED,    /* "outermost;…;innermost ns": flame graphs */
    PM_EXPORT_CHROME_TRACE, /* Trace Event Format: Perfetto, chrome://tracing */
    PM_N_EXPORTS,
} PmExport;

/* NULL-terminated names: "csv", "json", "collapsed", "chrome-trace". */
const char *const *pm_export_names(void);

/* Takes a piece of the answer; FALSE stops. */
typedef gboolean (*PmExportSink)(const char *bytes, gsize size, gpointer data);

/* `by`: the aspects that the stacks of PM_EXPORT_COLLAPSED consist of, outermost first, a stack
 * trace as its frames; NULL: chain, class. FALSE if the sink returned FALSE. */
gboolean pm_export_write(PmView *view, PmExport to, const PmAspect *by, guint n_by,
                         PmExportSink sink, gpointer data);
