/* The small elements that pages, bars and dialogs are made of. Texts may come from a recording:
 * they are cleaned here. New widgets are floating, as usual. Main thread only. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PM_TEXT_WRAP,
    PM_TEXT_ELLIPSIZE, /* at its end */
    PM_TEXT_NAME,      /* methods and objects: a PmNameLabel */
} PmTextFit;

/* Left-aligned, one that is cut with a tooltip; `text` NULL = "", `css_class` NULL = none. */
GtkWidget *pm_element_text(const char *text, PmTextFit fit, const char *css_class);
/* A section at the end of `box`, under its title (NULL = none) with `end` (nullable) at the right.
 */
GtkWidget *pm_element_section(GtkWidget *box, const char *title, GtkWidget *end);
/* A button that looks like a link. */
GtkWidget *pm_element_link(const char *label, const char *action);
/* `action` NULL = none; `name` is its tooltip and what a screen reader says. */
GtkWidget *pm_element_icon_button(const char *icon, const char *action, const char *name);
/* Of many elements: it scrolls, and never widens the window. */
GtkWidget *pm_element_scrolled_line(GtkWidget *line);
/* How much wider letters are here than those that fixed widths are made for; at least 1. */
double pm_element_letter_scale(GtkWidget *widget);
/* A label's lines break neither in "65 %" nor in the names of threads, "http-nio-* (40)". Anew for
 * each text. */
void pm_element_keep_together(GtkLabel *label);
/* What a screen reader says of a widget. */
void pm_element_set_name(GtkWidget *widget, const char *name);
/* What it was so given; NULL = nothing. Borrowed. */
const char *pm_element_get_name(GtkWidget *widget);
/* Takes all children out of a GtkBox. */
void pm_element_clear(GtkWidget *box);
