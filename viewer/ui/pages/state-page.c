#include "viewer/ui/pages/state-page.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"

struct _PmStatePage {
    GtkWidget parent_instance;
    PmStateId state;
    gboolean shown;      /* `state` is */
    GtkWidget *scroller; /* for a small window and large letters */
    GtkWidget *title, *body, *actions;
};

G_DEFINE_FINAL_TYPE(PmStatePage, pm_state_page, GTK_TYPE_WIDGET)

static void pm_state_page_dispose(GObject *object)
{
    g_clear_pointer(&PM_STATE_PAGE(object)->scroller, gtk_widget_unparent);
    G_OBJECT_CLASS(pm_state_page_parent_class)->dispose(object);
}

/* On what is to be done first; also before it is shown. */
static gboolean pm_state_page_grab_focus(GtkWidget *widget)
{
    GtkWidget *first = gtk_widget_get_first_child(PM_STATE_PAGE(widget)->actions);

    return first && gtk_widget_grab_focus(first);
}

static void pm_state_page_class_init(PmStatePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_state_page_dispose;
    widget_class->grab_focus = pm_state_page_grab_focus;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_STATUS);
    gtk_widget_class_set_css_name(widget_class, "pm-state");
}

/* A stop for the keyboard where there is more to read. */
static void sized_cb(GtkAdjustment *adjustment, GtkWidget *scroller)
{
    gtk_widget_set_focusable(scroller, gtk_adjustment_get_upper(adjustment) >
                                           gtk_adjustment_get_page_size(adjustment));
}

static void pm_state_page_init(PmStatePage *page)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_margin_start(box, 24);
    gtk_widget_set_margin_end(box, 24);
    page->title = gtk_label_new(NULL);
    gtk_widget_add_css_class(page->title, "title-2");
    page->body = gtk_label_new(NULL);
    gtk_widget_add_css_class(page->body, "dim-label");
    gtk_label_set_selectable(GTK_LABEL(page->body), TRUE);
    /* Selectable for a pointer, but no stop for the keyboard: a label that can have the focus and
     * is not focusable would hold Tab fast. */
    gtk_widget_set_can_focus(page->body, FALSE);
    GtkWidget *labels[] = {page->title, page->body};
    for (guint i = 0; i < G_N_ELEMENTS(labels); i++) {
        gtk_label_set_wrap(GTK_LABEL(labels[i]), TRUE);
        gtk_label_set_wrap_mode(GTK_LABEL(labels[i]), PANGO_WRAP_WORD_CHAR);
        gtk_label_set_justify(GTK_LABEL(labels[i]), GTK_JUSTIFY_CENTER);
        gtk_label_set_max_width_chars(GTK_LABEL(labels[i]), 60);
        gtk_box_append(GTK_BOX(box), labels[i]);
    }
    GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    page->actions = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_box_append(GTK_BOX(buttons), page->actions);
    gtk_widget_set_halign(buttons, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), buttons);
    page->scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(page->scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(page->scroller), box);
    gtk_widget_set_focusable(page->scroller, FALSE);
    g_signal_connect_object(
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(page->scroller)), "changed",
        G_CALLBACK(sized_cb), page->scroller, 0);
    gtk_widget_set_parent(page->scroller, GTK_WIDGET(page));
    gtk_widget_set_hexpand(GTK_WIDGET(page), TRUE);
    gtk_widget_set_vexpand(GTK_WIDGET(page), TRUE);
}

GtkWidget *pm_state_page_new(void)
{
    return g_object_new(PM_TYPE_STATE_PAGE, NULL);
}

void pm_state_page_show(PmStatePage *page, PmStateId state, const char *const *pairs)
{
    g_return_if_fail(PM_IS_STATE_PAGE(page));
    const PmStateText *text = pm_state_text_get(state);
    g_autofree char *filled_title = pm_state_text_fill_pairs(text->title, pairs);
    g_autofree char *filled_body = pm_state_text_fill_pairs(text->body, pairs);
    /* Paths, and what parkctl said of a JVM. */
    g_autofree char *title = pm_text_clean(filled_title);
    g_autofree char *body = pm_text_clean(filled_body);

    pm_element_set_text(GTK_LABEL(page->title), title);
    pm_element_set_text(GTK_LABEL(page->body), body);
    gtk_widget_set_visible(page->body, *body != '\0');
    gtk_widget_set_visible(page->actions, TRUE);
    pm_element_set_name(GTK_WIDGET(page), title);
    if (page->shown && page->state == state)
        return; /* the buttons are there; one may have the focus */
    page->shown = TRUE;
    page->state = state;
    pm_element_clear(page->actions);
    for (guint i = 0; i < PM_STATE_MAX_ACTIONS && text->actions[i].label; i++) {
        GtkWidget *button = gtk_button_new_with_label(text->actions[i].label);
        gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(button), text->actions[i].action);
        if (i == 0)
            gtk_widget_add_css_class(button, "suggested-action");
        gtk_box_append(GTK_BOX(page->actions), button);
    }
}

void pm_state_page_add(PmStatePage *page, GtkWidget *button)
{
    g_return_if_fail(PM_IS_STATE_PAGE(page));
    gtk_box_append(GTK_BOX(gtk_widget_get_parent(page->actions)), button);
}

PmStateId pm_state_page_get(PmStatePage *page)
{
    g_return_val_if_fail(PM_IS_STATE_PAGE(page), 0);
    return page->state;
}

/* The action is to show idle waits. */
static void show_no_waits(PmStatePage *page, const PmView *view, PmStateId id,
                          const char *const *pairs)
{
    pm_state_page_show(page, id, pairs);
    gtk_widget_set_visible(page->actions, view->idle_waits > 0);
}

static void explain_filters(PmStatePage *page, PmState *state, gboolean range, guint n_chips)
{
    const PmRecording *recording = pm_state_get_recording(state);
    g_autofree char *chips = pm_number_plural(n_chips, "filter", "filters");
    g_autofree char *waits = pm_number_plural((gint64)recording->waits.n, "wait", "waits");
    g_autofree char *set = n_chips && range ? g_strdup_printf("%s and a range are set", chips)
                           : range          ? g_strdup("A range is set")
                           : n_chips == 1   ? g_strdup("A filter is set")
                                            : g_strdup_printf("%s are set", chips);
    const char *them = n_chips + range > 1 ? "them" : "it";
    const char *pairs[] = {"set", set, "them", them, "waits", waits, NULL};

    pm_state_page_show(page, PM_STATE_FILTERS_EMPTY, pairs);
    /* What would do nothing is not offered. */
    gtk_widget_set_visible(gtk_widget_get_first_child(page->actions), n_chips > 0);
    gtk_widget_set_visible(gtk_widget_get_last_child(page->actions), range);
}

/* Single waits were not to be stored (events=off), at least for a part of the view. */
static gboolean is_only_counted(const PmRecording *recording, const PmView *view)
{
    for (guint32 i = 0; i < recording->n_gaps; i++) {
        const PmGap *gap = &recording->gaps[i];
        if (gap->reason == PM_GAP_EVENTS_OFF && gap->begin < view->to && gap->end > view->from)
            return TRUE;
    }
    return recording->waits.n == 0 && recording->n_ledger;
}

gboolean pm_state_page_explain(PmStatePage *page, PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE_PAGE(page), FALSE);
    const PmRecording *recording = pm_state_get_recording(state);
    const PmView *view = pm_state_get_view(state);
    gint64 from, to;
    const gboolean range = pm_state_get_range(state, &from, &to);
    const guint n_chips = pm_state_n_chips(state);

    if (!recording || !view || view->n)
        return FALSE;
    g_autofree char *pid = pm_state_text_pid(recording->facts.pid, recording->facts.file);
    if (!n_chips && is_only_counted(recording, view)) {
        const char *pairs[] = {"pid", pid, "file", recording->facts.file, NULL};
        pm_state_page_show(page, PM_STATE_ONLY_COUNTERS, pairs);
        return TRUE;
    }
    if ((range || n_chips) && recording->waits.n) {
        explain_filters(page, state, range, n_chips);
        return TRUE;
    }
    g_autofree char *duration = pm_label_duration(view->to - view->from);
    if (recording->facts.damaged_blocks > 0 && !recording->waits.n) {
        g_autofree char *blocks =
            pm_number_plural(recording->facts.damaged_blocks, "damaged block", "damaged blocks");
        const char *pairs[] = {"duration", duration, "blocks", blocks, "pid", pid, NULL};
        pm_state_page_show(page, PM_STATE_NO_WAITS_DAMAGED, pairs);
        return TRUE;
    }
    const gboolean partial = pm_state_get_loading(state)->partial;
    if ((partial || view->recorded == 0) && view->to > view->from) {
        const char *pairs[] = {"duration", duration, "pid", pid, NULL};
        pm_state_page_show(page, partial ? PM_STATE_NOTHING_READ : PM_STATE_NOTHING_RECORDED,
                           pairs);
        return TRUE;
    }
    if (recording->n_stopped && view->recorded < view->to - view->from) {
        g_autofree char *begin = pm_label_clock(recording, recording->stopped[0].begin, 1);
        g_autofree char *end = pm_label_clock(recording, recording->stopped[0].end, 1);
        g_autofree char *recorded = pm_label_duration(view->recorded);
        const char *pairs[] = {"duration", recorded, "from", begin, "to", end, "pid", pid, NULL};
        show_no_waits(page, view, PM_STATE_NO_WAITS_STOPPED, pairs);
        return TRUE;
    }
    g_autofree char *threads =
        pm_number_plural(recording->n_threads ? recording->n_threads - 1 : 0, "thread", "threads");
    const char *pairs[] = {"duration", duration, "threads", threads, NULL};
    show_no_waits(page, view, PM_STATE_NO_WAITS, pairs);
    return TRUE;
}
