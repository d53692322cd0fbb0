/* Memory in regions, for data that is written once and then read. A full region is sealed. Beyond
 * pm_region_most, sealed regions are moved to an unnamed file in $TMPDIR or /var/tmp and remain
 * readable at their addresses: the kernel caches as much of them as fits into memory, and only what
 * the process is reading is resident, in huge pages where the file system has them: a small page
 * costs more to map than to read. They stay in memory if that file would itself be in memory, or
 * would fill its disk. */
#pragma once

#include <glib.h>

/* How many bytes are kept in memory. Tests reduce it. */
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

/* As g_malloc, for what is soon written all over: in huge pages, if it is big, as the first look at
 * each page costs much more than what is written there. */
gpointer pm_region_malloc(gsize size);
/* The same for an array that has room for `n` elements; pages that nobody writes to take nothing.
 */
GArray *pm_region_array(guint element_size, guint n);

/* What is freed of the C library's memory is kept from now on for what is asked for next, up to 256
 * MiB: else the kernel takes it back and clears it anew, again and again, while a large recording
 * is computed. */
void pm_region_keep_freed(void);

/* How much is in the file. */
guint64 pm_region_file_bytes(void);
/* Nothing of it is resident any more, until it is read. */
void pm_region_release(void);
/* The same if much is. A thread looks by itself, but may come late; whoever reads much calls this
 * now and then. */
void pm_region_look(void);
