#include "viewer/ui/model/damage.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/number.h"

#define MAX_LINES 12

static char *span(const PmRecording *recording, gint64 begin, gint64 end)
{
    g_autofree char *from = pm_label_clock(recording, begin, 0);
    g_autofree char *to = pm_label_clock(recording, end, 0);

    return g_strdup_printf("%s–%s", from, to);
}

char *pm_damage_span(const PmRecording *recording)
{
    gint64 begin = recording->window_begin, end = recording->duration;

    for (guint32 i = 0; i < recording->n_damage; i++) {
        const PmDamage *damage = &recording->damage[i];
        begin = i ? MIN(begin, damage->begin) : damage->begin;
        end = i ? MAX(end, damage->end) : damage->end;
    }
    return span(recording, begin, end);
}

char *pm_damage_list(const PmRecording *recording)
{
    GString *text = g_string_new(NULL);
    const guint32 shown = MIN(recording->n_damage, MAX_LINES);

    for (guint32 i = 0; i < shown; i++) {
        const PmDamage *damage = &recording->damage[i];
        g_autofree char *size = pm_label_bytes(damage->length);
        g_autofree char *when = span(recording, damage->begin, damage->end);
        g_autofree char *offset = pm_number_count((gint64)MIN(damage->offset, G_MAXINT64));
        g_string_append_printf(text, "%s at byte %s, in the chunk of %s: %s\n", size, offset, when,
                               damage->text);
    }
    if (recording->facts.damaged_blocks > shown)
        g_string_append_printf(text, "and %u more\n", recording->facts.damaged_blocks - shown);
    g_string_append(text,
                    "\nWaits of these blocks are missing from every number. A crash or a full disk "
                    "can cause this; the file itself is not changed. More: parkctl verify ");
    g_string_append(text, recording->facts.file);
    return g_string_free(text, FALSE);
}
