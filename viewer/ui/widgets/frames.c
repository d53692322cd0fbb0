#include "viewer/ui/widgets/frames.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"

/* Frames of the JDK, and around the program's own code whatever calls that: folded, unless they
 * are all there is. What own code calls tells what it does. */
static gboolean is_library(const PmRecording *recording, guint32 chain_index, guint at)
{
    const guint32 method = recording->chains[chain_index].frames[at].method;

    return pm_label_is_platform(pm_recording_class_of(recording, method)) ||
           pm_own_is_around(pm_own_code(recording), recording, chain_index, (gint)at);
}

GtkWidget *pm_frames_new(const PmRecording *recording, guint32 chain_index, gboolean unfolded)
{
    const PmChain *chain = &recording->chains[chain_index];
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);

    for (guint i = 0; i < chain->n_frames;) {
        guint folded = 0;
        while (!unfolded && i + folded < chain->n_frames && i + folded != chain->site &&
               is_library(recording, chain_index, i + folded))
            folded++;
        if (folded > 1 && folded < chain->n_frames) {
            g_autofree char *count = pm_number_plural(folded, "library frame", "library frames");
            g_autofree char *text = g_strdup_printf("⋯ %s", count);
            GtkWidget *fold = pm_element_link(text, "page.unfold");
            gtk_widget_set_halign(fold, GTK_ALIGN_START);
            gtk_widget_add_css_class(fold, "pm-fold");
            gtk_widget_set_tooltip_text(fold, "Show them");
            gtk_box_append(GTK_BOX(box), fold);
            i += folded;
            continue;
        }
        g_autofree char *frame = pm_label_frame(recording, chain->frames[i]);
        g_autofree char *text = pm_frame_text_short(frame);
        g_autofree char *full = pm_label_frame_full(recording, chain->frames[i]);
        GtkWidget *label = pm_element_text(text, PM_TEXT_NAME, NULL);
        gtk_widget_set_tooltip_text(label, full);
        if (i == chain->site)
            gtk_widget_add_css_class(label, "pm-sentence");
        else if (is_library(recording, chain_index, i))
            gtk_widget_add_css_class(label, "dim-label");
        gtk_box_append(GTK_BOX(box), label);
        i++;
    }
    if (!chain->n_frames)
        gtk_box_append(GTK_BOX(box), pm_element_text("(no frames)", PM_TEXT_WRAP, NULL));
    if (chain->truncated)
        gtk_box_append(GTK_BOX(box),
                       pm_element_text("… deeper frames were not recorded", PM_TEXT_WRAP, NULL));
    return box;
}
