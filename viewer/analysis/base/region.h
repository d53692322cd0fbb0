/* Memory in regions, for what is written once and then read. A full one is sealed. Of more memory
 * than pm_region_most, sealed regions are moved to a file without a name, in $TMPDIR or /var/tmp,
 * and stay readable at their addresses: the kernel keeps of them what there is memory for, and the
 * process has resident only what it reads now. They stay in memory where that file would be in
 * memory itself, or leave no room on its disk. */
#pragma once

#include <glib.h>

/* So much is kept in memory. Tests make it less. */
extern gsize pm_region_most;

typedef struct {
    guint8 *memory;
    gsize size;    /* whole pages */
    goffset place; /* in the file; < 0: it is in memory */
} PmRegion;

/* Of at least `size` bytes, zero. FALSE: no memory. */
gboolean pm_region_init(PmRegion *region, gsize size);
/* After its last write, of which it has `used` bytes: gives up the rest. Any thread may read on. */
void pm_region_seal(PmRegion *region, gsize used);
void pm_region_clear(PmRegion *region);

/* How much is in the file. */
guint64 pm_region_file_bytes(void);
/* Nothing of it is resident any more, until it is read. */
void pm_region_release(void);
/* The same if much is. A thread looks by itself, but may come late; whoever reads much calls this
 * now and then. */
void pm_region_look(void);
