/* bench-generate N FILE [hand-off]: a synthetic recording of N waits, the same each time, for the
 * benchmarks of reader, analysis and viewer. Prints what was written as JSON. */
#include <glib.h>
#include <stdio.h>

#include "tests/format/synthetic.h"

int main(int argc, char **argv)
{
    guint64 waits;
    if (argc < 3 || argc > 4 ||
        !g_ascii_string_to_unsigned(argv[1], 10, 1, G_MAXINT64, &waits, NULL)) {
        fprintf(stderr, "usage: %s N FILE [hand-off]\n", argv[0]);
        return 2;
    }
    struct syn_shape shape = {.waits = waits, .hand_off = argc == 4};
    struct syn_totals *totals = g_new0(struct syn_totals, 1);
    gint64 begin = g_get_monotonic_time();
    syn_generate_file(&shape, argv[2], totals);
    double seconds = (double)(g_get_monotonic_time() - begin) / 1e6;
    printf("{\"waits\":%" G_GUINT64_FORMAT ",\"recorded_s\":%.3f,\"file_bytes\":%" G_GUINT64_FORMAT
           ",\"bytes_per_wait\":%.2f,\"wait_bytes_per_wait\":%.2f,\"seconds\":%.3f}\n",
           waits, (double)totals->end_ns / 1e9, (guint64)totals->stats.stored_bytes,
           (double)totals->stats.stored_bytes / (double)waits,
           (double)totals->stats.wait_bytes / (double)waits, seconds);
    g_free(totals);
    return 0;
}
