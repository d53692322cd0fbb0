/* The small elements that pages, bars and dialogs are made of. Texts may come from a recording:
 * they are cleaned here. New widgets are floating, as usual. Main thread only. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PM_TEXT_WRAP,
    PM_TEXT_ELLIPSIZE, /* at its end */
    PM_TEXT_NAME,      /* methods and objects: a PmNameLabel */
} PmTextFit;

/* Left-aligned, ellipsized with a tooltip; `text` NULL = "", `css_class` NULL = none. */
GtkWidget *pm_element_text(const char *text, PmTextFit fit, const char *css_class);
/* For a label that wraps: `text`, clean, is broken where its names and amounts allow it. */
void pm_element_set_text(GtkLabel *label, const char *text);
/* A section appended to `box`, below its title (NULL = none), with `end` (nullable) on the right.
 */
GtkWidget *pm_element_section(GtkWidget *box, const char *title, GtkWidget *end);
/* A button that looks like a link. */
GtkWidget *pm_element_link(const char *label, const char *action);
/* `action` NULL = none; `name` is its tooltip and accessible name. */
GtkWidget *pm_element_icon_button(const char *icon, const char *action, const char *name);
/* A container for many elements: it scrolls, and never widens the window. */
GtkWidget *pm_element_scrolled_line(GtkWidget *line);
/* Two texts, side by side where both have room, else the second below the first, whatever becomes
 * of the width. */
GtkWidget *pm_element_pair(GtkWidget *left, GtkWidget *right);
/* Of such an element, once it has its text: it gets shorter before the line scrolls. */
void pm_element_let_shrink(GtkLabel *label, PangoEllipsizeMode mode);
/* The font width relative to the one that fixed widths are designed for; at least 1. */
double pm_element_letter_scale(GtkWidget *widget);
/* Prevents line breaks within "65 %" or "891 ms" and within thread names, "http-nio-* (40)". To be
 * called for each new text of a label; pm_element_text() has done it. */
void pm_element_keep_together(GtkLabel *label);
/* What a screen reader says of a widget. */
void pm_element_set_name(GtkWidget *widget, const char *name);
/* What it was so given; NULL = nothing. Borrowed. */
const char *pm_element_get_name(GtkWidget *widget);
/* To the clipboard; the window says so. */
void pm_element_copy(GtkWidget *widget, const char *text);
/* The same of all that its labels say, what stands side by side in one line. */
void pm_element_copy_said(GtkWidget *widget);
/* What a screen reader says of a widget behind its name: all that the labels in `content` say after
 * their first line. */
void pm_element_describe(GtkWidget *widget, GtkWidget *content);
/* Takes all children out of a GtkBox. */
void pm_element_clear(GtkWidget *box);
/* A menu of its window is open: the pointer means that, and nothing below. */
gboolean pm_element_is_under_menu(GtkWidget *widget);
/* The class of a widget that paints itself. Its role is an image, unless another one is set. */
typedef void (*PmMeasure)(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline);
void pm_element_class_painted(gpointer widget_class, const char *css_name, PmMeasure measure,
                              void (*snapshot)(GtkWidget *widget, GtkSnapshot *snapshot));
/* The size of a small picture in a table's cell. */
void pm_element_measure_cell(GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline);
/* Adds a gesture or the like, a GtkEventController: pairs of its signals and their handlers, which
 * get `data`, until NULL. */
void pm_element_listen(GtkWidget *widget, gpointer controller, gpointer data,
                       const char *first_signal, ...) G_GNUC_NULL_TERMINATED;
