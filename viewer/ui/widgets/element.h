/* The small elements that pages, bars and dialogs are made of. Texts may come from a recording:
 * they are cleaned here. New widgets are floating, as usual. Main thread only. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PM_TEXT_WRAP,
    PM_TEXT_ELLIPSIZE, /* as pm_element_set_text() */
} PmTextFit;

/* Left-aligned; `text` NULL = "", `css_class` NULL = none. */
GtkWidget *pm_element_text(const char *text, PmTextFit fit, const char *css_class);
/* A name on one line, cut where that costs least: a frame ("Shop.load:18"), or a blocker with its
 * site ("Cache 4f3c · Shop.load"), at the begin, so that the method stays; all else at the end,
 * where of a stack trace the outer methods are. The tooltip is the whole text. */
void pm_element_set_text(GtkLabel *label, const char *text);
/* `action` NULL = none; `name` is its tooltip and what a screen reader says. */
GtkWidget *pm_element_icon_button(const char *icon, const char *action, const char *name);
/* How much wider letters are here than those that fixed widths are made for; at least 1. */
double pm_element_letter_scale(GtkWidget *widget);
/* What a screen reader says of a widget. */
void pm_element_set_name(GtkWidget *widget, const char *name);
/* Takes all children out of a GtkBox. */
void pm_element_clear(GtkWidget *box);
