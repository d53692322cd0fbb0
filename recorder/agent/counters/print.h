/* The thesis' table (004 §3.7) as text, from the ledger: what `report=stderr|PATH` prints at exit.
 * All metrics of each blocker by name, blockers with the most thread-time first. Names are made
 * safe for display (text.h) and truncated if long. */
#pragma once

#include "format/writer.h"
#include "recorder/agent/counters/ledger.h"

struct pm_print_options {
    int64_t run_time_ns;
    uint64_t min_parks; /* blockers parked on less often are left out and counted */
    struct pm_text main;
    uint32_t pid;
};

/* `where` as in the option `report=`: nowhere (empty, `off`), `stderr`, or the name of a file,
 * which is overwritten. 0 or PM_ERROR_IO, PM_ERROR_MEMORY; a file that cannot be opened is reported
 * on stderr and is not an error. */
int pm_print_report(const char *where, const struct pm_ledger *ledger,
                    const struct pm_dictionary *dictionary, const struct pm_print_options *options);
