/* A name on one line that gives up what matters least where room is short, as
 * pm_frame_text_shorter() says, and never half of a method. Its tooltip is the whole text. Main
 * thread only. */
#pragma once

#include <gtk/gtk.h>

#define PM_TYPE_NAME_LABEL (pm_name_label_get_type())
G_DECLARE_FINAL_TYPE(PmNameLabel, pm_name_label, PM, NAME_LABEL, GtkWidget)

GtkWidget *pm_name_label_new(void);
void pm_name_label_set_text(PmNameLabel *label, const char *text);
const char *pm_name_label_get_text(PmNameLabel *label);
/* The least width it asks for; at first as for a few letters. */
void pm_name_label_set_width_chars(PmNameLabel *label, int n);
/* For tests: what is shown in a width. Owned by the caller. */
char *pm_name_label_fit(PmNameLabel *label, int width);
