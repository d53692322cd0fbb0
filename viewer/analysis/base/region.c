#include "viewer/analysis/base/region.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGE      4096
#define HUGE_PAGE (2u << 20)

/* Of memory that is freed: in all, and of what is as big at once nothing. */
#define MOST_KEPT     (256 << 20)
#define MOST_KEPT_ONE (8 << 20)

/* Smaller ones are not worth a mapping of their own. */
#define LEAST_MOVED (256u << 10)
/* So much of its disk the file leaves free. */
#define LEAST_FREE (G_GUINT64_CONSTANT(1) << 30)
/* From so much on what was read of the file is released, unless less than MOST_IN_ALL is resident
 * with all else; how often that is looked at: more often
 * for a while after it became more, the less is left. A fault maps what lies around, too: looks at
 * one value here and there make a gigabyte resident in a tenth of a second. */
#define MOST_RESIDENT (128u << 20)
#define MOST_IN_ALL   (1u << 30)
#define MORE          (1u << 20)
#define MORE_A_US     20000 /* at the most */
#define LOOK_US       10000
#define LOOK_SOON_US  250
#define SOON_US       2000000

#define TMPFS 0x01021994 /* linux/magic.h */
#define RAMFS 0x858458f6

gsize pm_region_most = 256u << 20;

static struct {
    GMutex lock;
    GCond moved_one;
    gsize in_memory; /* atomic */
    int file;        /* 0: not made yet, < 0: there is none */
    int statm;       /* the same */
    goffset end;
    guint64 in_file;
    GArray *moved;        /* of PmRegion; NULL: none was yet */
    gint any_moved;       /* atomic */
    gint64 more_us;       /* when it had become more */
    gint64 look_us;       /* when it is looked at next */
    gsize before, others; /* resident: when it was looked at last; of other files */
} all;

static gsize pages(gsize bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

gboolean pm_region_init(PmRegion *region, gsize size)
{
    size = pages(size);
    const gsize more = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    guint8 *memory = mmap(NULL, size + more, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return FALSE;
    if (more > 0) {
        const gsize before = -(gsize)memory % HUGE_PAGE;
        if (before > 0)
            munmap(memory, before);
        if (before < more)
            munmap(memory + before + size, more - before);
        memory += before;
        madvise(memory, size, MADV_HUGEPAGE); /* where it cannot, smaller ones do */
    }
    g_atomic_pointer_add(&all.in_memory, (gssize)size);
    *region = (PmRegion){memory, size, -1};
    return TRUE;
}

/* What of it is whole ones. */
static void want_huge_pages(guint8 *memory, gsize size)
{
    const gsize before = -(gsize)memory % HUGE_PAGE;
    if (size > before && size - before >= HUGE_PAGE)
        madvise(memory + before, (size - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
}

gpointer pm_region_malloc(gsize size)
{
    guint8 *memory = g_malloc(size);
    want_huge_pages(memory, size);
    return memory;
}

GArray *pm_region_array(guint element_size, guint n)
{
    GArray *array = g_array_sized_new(FALSE, FALSE, element_size, n);
    if (n > 0)
        want_huge_pages((guint8 *)array->data, (gsize)element_size * n);
    return array;
}

void pm_region_keep_freed(void)
{
    mallopt(M_MMAP_THRESHOLD, MOST_KEPT_ONE);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
}

/* ---- what of the file is resident ---- */

static void release(void)
{
    for (guint i = 0; i < all.moved->len; i++) {
        const PmRegion *region = &g_array_index(all.moved, PmRegion, i);
        madvise(region->memory, region->size, MADV_DONTNEED);
    }
}

/* Of this process, all files together; `*ret_own`: of all else. Under the lock. */
static gsize resident(gsize *ret_own)
{
    unsigned long size, all_resident, of_files;
    char text[128];
    if (all.statm == 0)
        all.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const gssize n = pread(all.statm, text, sizeof text - 1, 0);
    *ret_own = MOST_IN_ALL;
    if (n <= 0)
        return 0;
    text[n] = 0;
    if (sscanf(text, "%lu %lu %lu", &size, &all_resident, &of_files) != 3)
        return 0;
    *ret_own = (all_resident - of_files) * PAGE;
    return of_files * PAGE;
}

/* Under the lock. Returns for how long nobody has to look again. */
static gulong look(void)
{
    const gint64 at_us = g_get_monotonic_time();
    gsize own;
    const gsize now = resident(&own),
                most_here = MAX(MOST_RESIDENT, MOST_IN_ALL - MIN(own, MOST_IN_ALL));
    if (now > all.before + MORE)
        all.more_us = at_us;
    all.before = now;
    if (now > all.others + most_here) {
        release();
        all.before = all.others = resident(&own);
    }
    all.others = MIN(all.others, now);
    const gsize most = all.others + most_here, left = most - MIN(all.before, most);
    const gulong wait_us =
        at_us - all.more_us < SOON_US ? CLAMP(left / MORE_A_US, LOOK_SOON_US, LOOK_US) : LOOK_US;
    all.look_us = at_us + (gint64)wait_us;
    return wait_us;
}

void pm_region_look(void)
{
    if (!g_atomic_int_get(&all.any_moved) || !g_mutex_trylock(&all.lock))
        return;
    if (all.moved->len > 0 && g_get_monotonic_time() >= all.look_us)
        look();
    g_mutex_unlock(&all.lock);
}

static gpointer watch(gpointer data)
{
    for (;;) {
        g_mutex_lock(&all.lock);
        while (all.moved->len == 0)
            g_cond_wait(&all.moved_one, &all.lock);
        const gulong wait_us = look();
        g_mutex_unlock(&all.lock);
        g_usleep(wait_us);
    }
    return NULL;
}

/* ---- the file ---- */

static gboolean is_on_disk(int file)
{
    struct statfs its;
    return fstatfs(file, &its) == 0 && (guint32)its.f_type != TMPFS && (guint32)its.f_type != RAMFS;
}

/* -1: there is none. */
static int file_new(void)
{
    const char *folder = g_getenv("TMPDIR");
    g_autofree char *path =
        g_build_filename(folder && *folder ? folder : "/var/tmp", "parkmeter-XXXXXX", NULL);
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return -1;
    unlink(path);
    if (is_on_disk(file) && file > 0)
        return file;
    close(file);
    return -1;
}

static gboolean has_room(int file, gsize size)
{
    struct statvfs its;
    return fstatvfs(file, &its) == 0 && (guint64)its.f_bavail * its.f_frsize >= LEAST_FREE + size;
}

/* What is written at once the kernel may keep, and later map, in one piece. */
#define WRITTEN HUGE_PAGE

static gboolean write_all(int file, const guint8 *from, gsize size, goffset place)
{
    while (size > 0) {
        const gssize n = pwrite(file, from, MIN(size, WRITTEN), place);
        if (n <= 0)
            return FALSE;
        from += n;
        size -= (gsize)n;
        place += n;
    }
    return TRUE;
}

static void make_hole(int file, goffset place, gsize size)
{
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place, (off_t)size);
}

/* A place in the file; < 0: there is none. */
static goffset take_place(gsize size, int *ret_file)
{
    goffset place = -1;
    g_mutex_lock(&all.lock);
    if (all.file == 0)
        all.file = file_new();
    if (all.file > 0) {
        place = size >= HUGE_PAGE ? (all.end + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE : all.end;
        all.end = place + (goffset)size;
    }
    *ret_file = all.file;
    g_mutex_unlock(&all.lock);
    return place;
}

static void note_moved(const PmRegion *region)
{
    g_mutex_lock(&all.lock);
    if (!all.moved) {
        all.moved = g_array_new(FALSE, FALSE, sizeof(PmRegion));
        gsize own;
        all.before = all.others = resident(&own);
        g_atomic_int_set(&all.any_moved, TRUE);
        GThread *thread = g_thread_try_new("pm-region", watch, NULL, NULL);
        if (thread) /* else they are resident until there is no memory */
            g_thread_unref(thread);
    }
    g_array_append_val(all.moved, *region);
    all.in_file += region->size;
    g_cond_signal(&all.moved_one);
    g_mutex_unlock(&all.lock);
}

static void move(PmRegion *region)
{
    int file;
    const goffset place = take_place(region->size, &file);
    if (place < 0 || !has_room(file, region->size))
        return;
    if (!write_all(file, region->memory, region->size, place) ||
        mmap(region->memory, region->size, PROT_READ, MAP_SHARED | MAP_FIXED, file, place) ==
            MAP_FAILED) {
        make_hole(file, place, region->size);
        return;
    }
    g_atomic_pointer_add(&all.in_memory, -(gssize)region->size);
    region->place = place;
    note_moved(region);
}

void pm_region_seal(PmRegion *region, gsize used)
{
    gsize kept = MAX(pages(used), PAGE);
    if (-kept % HUGE_PAGE < LEAST_MOVED) /* whole ones, if hardly more is written */
        kept = MIN(kept + -kept % HUGE_PAGE, region->size);
    const gsize more = region->size - kept;
    if (kept < region->size && munmap(region->memory + kept, more) == 0) {
        region->size = kept;
        g_atomic_pointer_add(&all.in_memory, -(gssize)more);
    }
    if (region->size >= LEAST_MOVED &&
        (gsize)g_atomic_pointer_get((gpointer *)&all.in_memory) > pm_region_most)
        move(region);
}

void pm_region_clear(PmRegion *region)
{
    if (region->place < 0) {
        g_atomic_pointer_add(&all.in_memory, -(gssize)region->size);
    } else {
        g_mutex_lock(&all.lock);
        for (guint i = 0; i < all.moved->len; i++)
            if (g_array_index(all.moved, PmRegion, i).memory == region->memory) {
                g_array_remove_index_fast(all.moved, i);
                break;
            }
        all.in_file -= region->size;
        make_hole(all.file, region->place, region->size);
        g_mutex_unlock(&all.lock);
    }
    munmap(region->memory, region->size);
}

guint64 pm_region_file_bytes(void)
{
    g_mutex_lock(&all.lock);
    const guint64 bytes = all.in_file;
    g_mutex_unlock(&all.lock);
    return bytes;
}

void pm_region_release(void)
{
    g_mutex_lock(&all.lock);
    if (all.moved)
        release();
    g_mutex_unlock(&all.lock);
}
