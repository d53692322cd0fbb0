#include "viewer/analysis/packed.h"

#include <sys/mman.h>

#define PADDING 8 /* the last value is read as eight bytes */
#define PAGE    4096

static gboolean make_room(PmPacked *list, gsize bytes)
{
    gsize wanted = list->used + bytes + PADDING;

    if (wanted <= list->room)
        return TRUE;
    wanted = (MAX(wanted, list->room + list->room / 2) + PAGE - 1) / PAGE * PAGE;
    void *data = list->data == NULL ? mmap(NULL, wanted, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                    : mremap(list->data, list->room, wanted, MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        return FALSE;
    list->data = data;
    list->room = wanted;
    return TRUE;
}

gboolean pm_packed_reserve(PmPacked *list, gsize n)
{
    return make_room(list, n * sizeof(gint64));
}

static guint32 width_of(guint64 spread)
{
    const guint32 width = spread == 0 ? 0 : 64 - (guint32)__builtin_clzll(spread);

    return width > 56 ? 64 : width;
}

gboolean pm_packed_append(PmPacked *list, const gint64 *values, gsize n)
{
    gint64 least = n > 0 ? values[0] : 0, most = least;

    for (gsize i = 1; i < n; i++) {
        least = MIN(least, values[i]);
        most = MAX(most, values[i]);
    }
    const guint32 width = width_of((guint64)most - (guint64)least);
    const gsize bytes = (n * width + 7) / 8;
    if (!make_room(list, bytes))
        return FALSE;
    if (list->n_blocks == list->blocks_room) {
        list->blocks_room = MAX(2 * list->blocks_room, 16);
        list->blocks = g_renew(PmPackedBlock, list->blocks, list->blocks_room);
    }
    list->blocks[list->n_blocks++] =
        (PmPackedBlock){.base = least,
                        .mask = width == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << width) - 1,
                        .start = list->used,
                        .width = width};
    guint8 *to = list->data + list->used;
    if (width == 64) {
        for (gsize i = 0; i < n; i++) {
            const guint64 value = (guint64)values[i] - (guint64)least;
            memcpy(to + i * sizeof value, &value, sizeof value);
        }
    } else if (width > 0) {
        /* Whole bytes leave the word after each value; no branch depends on the values. What is
         * written behind the last one is padding, or written again. */
        guint64 word = 0;
        guint filled = 0;
        for (gsize i = 0; i < n; i++) {
            word |= ((guint64)values[i] - (guint64)least) << filled;
            filled += width;
            memcpy(to, &word, sizeof word);
            to += filled >> 3;
            word >>= filled & ~7u;
            filled &= 7;
        }
        memcpy(to, &word, sizeof word);
    }
    list->used += bytes;
    list->n += n;
    return TRUE;
}

void pm_packed_trim(PmPacked *list)
{
    const gsize room = (list->used + PADDING + PAGE - 1) / PAGE * PAGE;

    if (list->data != NULL && room < list->room) {
        void *data = mremap(list->data, list->room, room, 0);
        if (data != MAP_FAILED)
            list->room = room;
    }
    if (list->n_blocks > 0 && list->n_blocks < list->blocks_room) {
        list->blocks = g_renew(PmPackedBlock, list->blocks, list->n_blocks);
        list->blocks_room = list->n_blocks;
    }
}

void pm_packed_clear(PmPacked *list)
{
    if (list->data != NULL)
        munmap(list->data, list->room);
    g_free(list->blocks);
    *list = (PmPacked){0};
}

gsize pm_packed_bytes(const PmPacked *list)
{
    return list->room + list->blocks_room * sizeof *list->blocks;
}
