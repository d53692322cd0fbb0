/* A single-line name that omits what matters least if space is short, using
 * pm_frame_text_shorter(), then the end of a method's class, and cuts within a method last. Its
 * tooltip is the full text. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#define PM_TYPE_NAME_LABEL (pm_name_label_get_type())
G_DECLARE_FINAL_TYPE(PmNameLabel, pm_name_label, PM, NAME_LABEL, GtkWidget)

GtkWidget *pm_name_label_new(void);
void pm_name_label_set_text(PmNameLabel *label, const char *text);
/* What would be read for others too, and so is not shown; NULL = nothing. And whether others have
 * its site, so that rather that is cut than its object. */
void pm_name_label_set_alike(PmNameLabel *label, const char *shortest, gboolean site);
/* Sets that for names that stand below each other: of each, the longest form that another has too.
 */
void pm_name_labels_tell_apart(PmNameLabel *const *labels, guint n);
const char *pm_name_label_get_text(PmNameLabel *label);
/* The minimum width it requests, initially enough for a few letters, and the natural one at most;
 * 0: what the text needs. */
void pm_name_label_set_width_chars(PmNameLabel *label, int least, int most);
/* For tests: the form that is shown for a width, and what is left of that where it has no room
 * either. Owned by the caller. */
char *pm_name_label_fit(PmNameLabel *label, int width);
char *pm_name_label_shown(PmNameLabel *label, int width);
