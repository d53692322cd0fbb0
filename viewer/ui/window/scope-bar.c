#include "viewer/ui/window/scope-bar.h"

#include <adwaita.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/report/frame-text.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/name-label.h"

#define NS      G_GINT64_CONSTANT(1000000000)
#define N_FORMS 3 /* of what 100 % is, the longest first */

#define PM_TYPE_SCOPE_BAR (pm_scope_bar_get_type())
G_DECLARE_FINAL_TYPE(PmScopeBar, pm_scope_bar, PM, SCOPE_BAR, GtkBox)

struct _PmScopeBar {
    GtkBox parent_instance;
    PmState *state;
    GtkWidget *chips, *whole, *forms[N_FORMS], *left_out, *idle, *gaps;
};

G_DEFINE_FINAL_TYPE(PmScopeBar, pm_scope_bar, GTK_TYPE_BOX)

static void remove_range_cb(GtkButton *button, PmScopeBar *bar)
{
    pm_state_set_range(bar->state, 0, 0);
}

static void remove_chip_cb(GtkButton *button, PmScopeBar *bar)
{
    guint index = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "pm-index"));

    pm_state_remove_chip(bar->state, index);
}

static GtkWidget *chip_new(const char *text, const char *tooltip, const char *remove,
                           GCallback removed, PmScopeBar *bar, guint index)
{
    const gboolean is_name = removed == G_CALLBACK(remove_chip_cb); /* times are not cut */
    g_autofree char *clean = pm_text_clean(text);
    GtkWidget *chip = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
              *label = is_name ? pm_name_label_new() : gtk_label_new(clean),
              *button = pm_element_icon_button("window-close-symbolic", NULL, remove);

    gtk_widget_add_css_class(chip, "pm-chip");
    if (is_name) {
        pm_name_label_set_text(PM_NAME_LABEL(label), clean);
        pm_name_label_set_width_chars(PM_NAME_LABEL(label), 12, 36);
    }
    gtk_widget_set_tooltip_text(label, tooltip);
    gtk_widget_set_tooltip_text(chip, tooltip);
    gtk_widget_add_css_class(button, "flat");
    g_object_set_data(G_OBJECT(button), "pm-index", GUINT_TO_POINTER(index));
    g_signal_connect(button, "clicked", removed, bar);
    gtk_box_append(GTK_BOX(chip), label);
    gtk_box_append(GTK_BOX(chip), button);
    return chip;
}

static void update_chips(PmScopeBar *bar)
{
    PmRecording *recording = pm_state_get_recording(bar->state);
    const PmFilter *filter = pm_state_get_filter(bar->state);
    guint n_chips = pm_state_n_chips(bar->state);
    GtkWidget *scroller = gtk_widget_get_ancestor(bar->chips, GTK_TYPE_SCROLLED_WINDOW);
    int range_px = -1; /* times are seen to their end */
    gint64 from, to;

    pm_element_clear(bar->chips);
    if (!recording)
        return;
    gboolean range = pm_state_get_range(bar->state, &from, &to);
    /* A scroller without a child that takes the focus takes it itself, unseen. */
    gtk_widget_set_can_focus(scroller, range || n_chips > 0);
    gtk_widget_set_visible(scroller, range || n_chips > 0);
    if (range) {
        g_autofree char *from_text = pm_label_clock(recording, from, 3);
        g_autofree char *to_text = pm_label_clock(recording, to, 3);
        g_autofree char *width = pm_label_duration(to - from);
        g_autofree char *text = g_strdup_printf("%s – %s", from_text, to_text);
        g_autofree char *tooltip = g_strdup_printf("Range of %s", width);
        gtk_box_append(GTK_BOX(bar->chips), chip_new(text, tooltip, "Clear the range",
                                                     G_CALLBACK(remove_range_cb), bar, 0));
        gtk_widget_measure(bar->chips, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &range_px, NULL, NULL);
    }
    gtk_scrolled_window_set_min_content_width(GTK_SCROLLED_WINDOW(scroller), range_px);
    for (guint i = 0; i < n_chips; i++) {
        const PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        g_autofree char *key = pm_frame_text_short(chip->key);
        g_autofree char *tooltip = g_strdup_printf("%s %s %s", pm_aspect_title(chip->aspect),
                                                   chip->exclude ? "is not" : "is", chip->key);
        GtkWidget *widget =
            chip_new(key, tooltip, "Remove this filter", G_CALLBACK(remove_chip_cb), bar, i);
        if (chip->exclude) {
            /* A word of its own: a name is not shortened as a part of a sentence. */
            gtk_box_prepend(GTK_BOX(widget), gtk_label_new("not"));
            gtk_box_set_spacing(GTK_BOX(widget), 4);
            gtk_widget_add_css_class(widget, "exclude");
        }
        gtk_box_append(GTK_BOX(bar->chips), widget);
    }
}

/* All of it, without the mean, which stands beside its chart, too, or the time alone. */
static void update_whole(PmScopeBar *bar, const PmView *view, const PmUnit *unit)
{
    g_autofree char *time = pm_number_time(unit, (double)view->thread_time);
    g_autofree char *threads =
        view->known > 0 ? pm_number_mean((double)view->thread_time / (double)view->known) : NULL;
    g_autofree char *mean = threads ? g_strdup_printf(", %s threads on average", threads)
                                    : g_strdup(": no part of this time is known");
    g_autofree char *waits = pm_number_plural((gint64)view->n, "wait", "waits");
    g_autofree char *least = g_strdup_printf("100 %% = %s", time);
    g_autofree char *less = g_strdup_printf("%s in %s", least, waits);
    g_autofree char *all = g_strconcat(less, mean, NULL);

    gtk_label_set_text(GTK_LABEL(bar->forms[0]), all);
    gtk_label_set_text(GTK_LABEL(bar->forms[1]), less);
    gtk_label_set_text(GTK_LABEL(bar->forms[2]), least);
    gtk_widget_set_tooltip_text(bar->whole, all);
}

static void update_numbers(PmScopeBar *bar)
{
    PmRecording *recording = pm_state_get_recording(bar->state);
    PmView *view = pm_state_get_view(bar->state);
    PmSummary *summary = pm_state_get_summary(bar->state);

    if (!recording || !view) {
        for (guint i = 0; i < N_FORMS; i++)
            gtk_label_set_text(GTK_LABEL(bar->forms[i]), "");
        gtk_label_set_text(GTK_LABEL(bar->left_out), "");
        gtk_widget_set_visible(bar->idle, FALSE);
        return;
    }
    const PmUnit unit = pm_number_unit(100 * NS);
    update_whole(bar, view, &unit);
    GString *left_out = g_string_new(NULL);
    gboolean idle = pm_state_get_filter(bar->state)->idle;
    if (!idle && view->idle_time > 0) {
        g_autofree char *amount = pm_number_time(&unit, (double)view->idle_time);
        g_string_append_printf(left_out, "idle %s hidden", amount);
    } else if (idle) {
        g_string_append(left_out, "idle shown");
    }
    gtk_widget_set_visible(bar->idle, left_out->len > 0);
    gtk_button_set_label(GTK_BUTTON(bar->idle), idle ? "Hide" : "Show");
    gtk_label_set_text(GTK_LABEL(bar->left_out), left_out->str);
    guint gaps = summary ? summary->n_gaps : recording->n_gaps;
    g_string_truncate(left_out, 0);
    if (recording->facts.dropped > 0) {
        g_autofree char *dropped = pm_number_count(recording->facts.dropped);
        g_string_append_printf(left_out, "%s dropped · ", dropped);
    }
    g_string_append_printf(left_out, "%u gap%s", gaps, gaps == 1 ? "" : "s");
    if (recording->facts.damaged_blocks > 0) {
        g_autofree char *damaged =
            pm_number_plural(recording->facts.damaged_blocks, "damaged block", "damaged blocks");
        g_string_append_printf(left_out, " · %s", damaged);
    }
    gtk_label_set_text(GTK_LABEL(bar->gaps), left_out->str);
    g_string_free(left_out, TRUE);
}

static void changed_cb(PmState *state, guint mask, PmScopeBar *bar)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_RANGE | PM_CHANGE_FILTER))
        update_chips(bar);
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_RESULTS))
        update_numbers(bar);
}

static void pm_scope_bar_dispose(GObject *object)
{
    g_clear_object(&PM_SCOPE_BAR(object)->state);
    G_OBJECT_CLASS(pm_scope_bar_parent_class)->dispose(object);
}

static void pm_scope_bar_class_init(PmScopeBarClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_scope_bar_dispose;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_GROUP);
}

/* In two lines rather than that the window gets wider. */
static GtkWidget *wrapping_new(void)
{
    GtkWidget *label = gtk_label_new("");

    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_natural_wrap_mode(GTK_LABEL(label), GTK_NATURAL_WRAP_NONE);
    gtk_label_set_xalign(GTK_LABEL(label), 1);
    return label;
}

static void pm_scope_bar_init(PmScopeBar *bar)
{
    gtk_widget_add_css_class(GTK_WIDGET(bar), "scope");
    bar->chips = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_set_valign(bar->chips, GTK_ALIGN_CENTER);
    GtkWidget *scroller = pm_element_scrolled_line(bar->chips),
              *numbers = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    bar->whole = adw_squeezer_new();
    adw_squeezer_set_xalign(ADW_SQUEEZER(bar->whole), 0);
    pm_element_set_name(bar->whole, "What 100 % is");
    gtk_widget_set_hexpand(bar->whole, TRUE);
    for (guint i = 0; i < N_FORMS; i++) {
        bar->forms[i] = gtk_label_new("");
        gtk_label_set_xalign(GTK_LABEL(bar->forms[i]), 0);
        adw_squeezer_add(ADW_SQUEEZER(bar->whole), bar->forms[i]);
    }
    bar->left_out = wrapping_new();
    bar->idle = gtk_button_new_with_label("Show");
    gtk_widget_add_css_class(bar->idle, "flat");
    gtk_widget_add_css_class(bar->idle, "small");
    gtk_widget_set_valign(bar->idle, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(bar->idle, "Show or hide idle waits (I)");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(bar->idle), "win.toggle-idle");
    bar->gaps = wrapping_new();
    gtk_box_append(GTK_BOX(numbers), bar->whole);
    gtk_box_append(GTK_BOX(numbers), bar->left_out);
    gtk_box_append(GTK_BOX(numbers), bar->idle);
    gtk_box_append(GTK_BOX(numbers), bar->gaps);
    GtkWidget *line = pm_element_pair(scroller, numbers);
    gtk_widget_set_hexpand(line, TRUE);
    gtk_box_append(GTK_BOX(bar), line);
    pm_element_set_name(GTK_WIDGET(bar), "Scope of the numbers");
}

GtkWidget *pm_scope_bar_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmScopeBar *bar = g_object_new(PM_TYPE_SCOPE_BAR, NULL);

    bar->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), bar, 0);
    return GTK_WIDGET(bar);
}
