#include "viewer/ui/panes/summary-side.h"

#include "viewer/analysis/slices/summary.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/stacked-bar.h"

#define MAX_GROUPS 5

#define PM_TYPE_SUMMARY_SIDE (pm_summary_side_get_type())
G_DECLARE_FINAL_TYPE(PmSummarySide, pm_summary_side, PM, SUMMARY_SIDE, PmScaffold)

struct _PmSummarySide {
    PmScaffold parent_instance;
    PmState *state; /* the scaffold's */
    GtkWidget *content;
    const char *unread; /* as last shown */
};

G_DEFINE_FINAL_TYPE(PmSummarySide, pm_summary_side, PM_TYPE_SCAFFOLD)

/* ---- where threads spend their time ---- */

static const PmFamily waiting[] = {PM_FAMILY_LOCK, PM_FAMILY_RESOURCE, PM_FAMILY_SIGNAL,
                                   PM_FAMILY_JOIN, PM_FAMILY_OTHER};

static gint64 waiting_time(const PmGroupTime *time)
{
    gint64 sum = 0;

    for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
        sum += time->family[waiting[i]];
    return sum;
}

/* "waits 12.1 % · idle 87.3 %"; what there was none of is left out. */
static char *numbers_of(double waits, double idle, double unknown)
{
    const struct {
        const char *name;
        double part;
    } parts[] = {{"waits", waits}, {"idle", idle}, {"not recorded", unknown}};
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(parts) && unknown < 1; i++) {
        g_autofree char *part = pm_number_percent(parts[i].part);
        if (parts[i].part > 0)
            g_string_append_printf(text, "%s%s %s", text->len > 0 ? " · " : "", parts[i].name,
                                   part);
    }
    if (text->len == 0)
        g_string_append(text, unknown < 1 ? "no waits" : "not recorded");
    return g_string_free(text, FALSE);
}

static void add_group(PmSummarySide *side, const PmRecording *recording, const PmGroupTime *time)
{
    const gboolean dark = pm_state_get_dark(side->state);
    const double life = (double)MAX(time->life, 1);
    GtkWidget *bar = pm_stacked_bar_new(14);
    PmBarPart parts[PM_STACKED_BAR_MAX];
    guint n = 0;
    GdkRGBA outline;
    const gint64 all = waiting_time(time);

    for (guint i = 0; i < G_N_ELEMENTS(waiting); i++) {
        parts[n].share = (double)time->family[waiting[i]] / life;
        parts[n].hatched = FALSE;
        pm_palette_family(waiting[i], 0, dark, &parts[n++].color);
    }
    /* Running or other lies between what waits and what idles; it stays blank. */
    const double idle = (double)time->idle / life, busy = (double)all / life;
    const double unknown = (double)time->unknown / life;
    parts[n].share = MAX(0, 1 - idle - busy - unknown);
    parts[n].hatched = FALSE;
    parts[n++].color = (GdkRGBA){0, 0, 0, 0};
    parts[n].share = idle;
    parts[n].hatched = TRUE;
    pm_palette_family(PM_FAMILY_IDLE, 0, dark, &parts[n++].color);
    pm_palette_color(PM_COLOR_FAINT_INK, dark, &outline);
    parts[n++] = (PmBarPart){unknown, outline, TRUE};

    g_autofree char *name = pm_summary_group_text(recording, time->group, time->n_threads);
    g_autofree char *numbers = numbers_of(busy, idle, unknown);
    g_autofree char *label = g_strdup_printf("%s %s", name, numbers);
    pm_stacked_bar_set(PM_STACKED_BAR(bar), parts, n, &outline, label);
    GtkWidget *left = pm_element_text(name, PM_TEXT_NAME, NULL);
    GtkWidget *right = pm_element_text(numbers, PM_TEXT_ELLIPSIZE, "dim-label");
    gtk_label_set_ellipsize(GTK_LABEL(right), PANGO_ELLIPSIZE_NONE);
    gtk_widget_add_css_class(right, "numeric");
    gtk_box_append(GTK_BOX(side->content), pm_element_pair(left, right));
    gtk_box_append(GTK_BOX(side->content), bar);
}

/* One swatch of the legend. */
static GtkWidget *swatch_new(const char *name, const GdkRGBA *color, gboolean hatched,
                             const GdkRGBA *outline)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *bar = pm_stacked_bar_new(12);

    pm_stacked_bar_set(PM_STACKED_BAR(bar), &(PmBarPart){1, *color, hatched}, 1, outline, name);
    gtk_widget_set_size_request(bar, 12, -1);
    gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), bar);
    gtk_box_append(GTK_BOX(box), pm_element_text(name, PM_TEXT_WRAP, "pm-small"));
    return box;
}

static void add_legend(PmSummarySide *side)
{
    const gboolean dark = pm_state_get_dark(side->state);
    GtkWidget *legend = gtk_flow_box_new();
    GdkRGBA color, outline;

    pm_element_set_name(legend, "Colours of what is waited for");
    gtk_flow_box_set_selection_mode(GTK_FLOW_BOX(legend), GTK_SELECTION_NONE);
    gtk_flow_box_set_column_spacing(GTK_FLOW_BOX(legend), 8);
    gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(legend), 7);
    pm_palette_color(PM_COLOR_FAINT_INK, dark, &outline);
    for (guint i = 0; i < G_N_ELEMENTS(waiting); i++) {
        pm_palette_family(waiting[i], 0, dark, &color);
        gtk_flow_box_append(GTK_FLOW_BOX(legend),
                            swatch_new(pm_family_name(waiting[i]), &color, FALSE, &outline));
    }
    pm_palette_family(PM_FAMILY_IDLE, 0, dark, &color);
    gtk_flow_box_append(GTK_FLOW_BOX(legend), swatch_new("idle", &color, TRUE, &outline));
    gtk_flow_box_append(GTK_FLOW_BOX(legend),
                        swatch_new("running", &(GdkRGBA){0, 0, 0, 0}, FALSE, &outline));
    /* The box itself too: one whose children refuse the focus holds Tab fast. */
    gtk_widget_set_can_focus(legend, FALSE);
    gtk_box_append(GTK_BOX(side->content), legend);
}

/* A single thread that neither waited nor idled, as the JVM's own, tells nothing, nor do threads of
 * which only instants are known, but a pool that was always busy does. */
static gboolean tells(const PmGroupTime *time)
{
    return time->life > 0 &&
           (time->n_threads > 1 || time->busy < time->life || waiting_time(time) > 0);
}

static void add_groups(PmSummarySide *side, const PmSummary *summary)
{
    const PmRecording *recording = pm_state_get_recording(side->state);
    guint n_threads = 0;

    for (guint i = 0; i < summary->n_groups; i++)
        n_threads += summary->groups[i].n_threads;
    gtk_box_append(GTK_BOX(side->content),
                   pm_element_text("Where threads spend their time", PM_TEXT_WRAP, "pm-heading"));
    g_autofree char *threads = pm_number_plural(n_threads, "thread", "threads");
    g_autofree char *groups = pm_number_plural(summary->n_groups, "group", "groups");
    g_autofree char *text = g_strdup_printf("%s in %s", threads, groups);
    gtk_box_append(GTK_BOX(side->content), pm_element_text(text, PM_TEXT_WRAP, "dim-label"));
    guint shown = 0;
    for (guint i = 0; i < summary->n_groups && shown < MAX_GROUPS; i++)
        if (tells(&summary->groups[i])) {
            add_group(side, recording, &summary->groups[i]);
            shown++;
        }
    if (summary->n_groups > shown) {
        g_autofree char *more = g_strdup_printf("%u more", summary->n_groups - shown);
        GtkWidget *button = gtk_button_new_with_label(more);
        gtk_widget_add_css_class(button, "flat");
        gtk_widget_add_css_class(button, "pm-fold");
        gtk_widget_set_halign(button, GTK_ALIGN_START);
        gtk_widget_set_tooltip_text(button, "All groups, on the page Threads");
        gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(button), "win.page::threads");
        gtk_box_append(GTK_BOX(side->content), button);
    }
    add_legend(side);
}

/* ---- what is left out ---- */

static void add_line(PmSummarySide *side, const char *text)
{
    gtk_box_append(GTK_BOX(side->content), pm_element_text(text, PM_TEXT_WRAP, NULL));
}

/* What is said of waits before those that are shown, as a format of the instant; NULL: nothing. */
static const char *unread_text(const PmSummarySide *side)
{
    const PmRecording *recording = pm_state_get_recording(side->state);
    const PmLoading *loading = pm_state_get_loading(side->state);

    if (loading->newest_only && pm_state_get_live(side->state) == PM_LIVE_FOLLOWING)
        return "What was before %s, while the JVM is followed. Pause shows it.";
    if (loading->end_only || loading->newest_only)
        return "What was before %s, until it is read.";
    if (loading->partial && recording && recording->window_begin > 0)
        return "What was before %s: not read.";
    return NULL;
}

static void add_left_out(PmSummarySide *side, const PmResults *results)
{
    const PmSummary *summary = results->summary;
    const PmView *view = results->view;
    const PmRecordingFacts *facts = &view->recording->facts;
    GtkWidget *heading = pm_element_text("Left out", PM_TEXT_WRAP, "pm-heading");

    gtk_widget_set_margin_top(heading, 10);
    gtk_box_append(GTK_BOX(side->content), heading);
    if (view->idle_waits) {
        const PmUnit unit = pm_number_unit(view->idle_time);
        g_autofree char *time = pm_number_time(&unit, (double)view->idle_time);
        g_autofree char *waits = pm_number_plural((gint64)view->idle_waits, "wait", "waits");
        g_autofree char *text = g_strdup_printf("Idle: %s in %s. ", time, waits);
        GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
        GtkWidget *label = pm_element_text(text, PM_TEXT_WRAP, NULL);
        GtkWidget *button = gtk_button_new_with_label("Show");
        gtk_widget_set_hexpand(label, TRUE);
        gtk_widget_add_css_class(button, "flat");
        gtk_widget_add_css_class(button, "pm-link");
        gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.toggle-idle");
        gtk_box_append(GTK_BOX(line), label);
        gtk_box_append(GTK_BOX(line), button);
        gtk_box_append(GTK_BOX(side->content), line);
    }
    if (facts->dropped) {
        g_autofree char *waits = pm_number_plural(facts->dropped, "wait", "waits");
        g_autofree char *text = g_strdup_printf(
            "Dropped: %s, because a buffer was full. They are counted, not stored.", waits);
        add_line(side, text);
    }
    if (summary->n_gaps) {
        g_autofree char *gaps = pm_number_plural(summary->n_gaps, "gap", "gaps");
        add_line(side, gaps);
    }
    const PmLoading *loading = pm_state_get_loading(side->state);
    side->unread = unread_text(side);
    if (side->unread) {
        g_autofree char *begin = pm_label_clock(view->recording, view->recording->window_begin, 0);
        g_autofree char *text = g_strdup_printf(side->unread, begin);
        add_line(side, text);
    }
    const gint64 stopped = view->to - view->from - view->recorded;
    if (stopped) {
        g_autofree char *time = pm_label_duration(stopped);
        g_autofree char *text =
            g_strdup_printf(loading->partial ? "Not read: %s."
                                             : "Not recorded: %s, while the recorder was stopped.",
                            time);
        add_line(side, text);
    }
    if (facts->damaged_blocks) {
        g_autofree char *blocks =
            pm_number_plural(facts->damaged_blocks, "damaged block", "damaged blocks");
        g_autofree char *bytes = pm_label_bytes(facts->lost_bytes);
        g_autofree char *text = g_strdup_printf("%s (%s)", blocks, bytes);
        add_line(side, text);
    }
    if (!side->unread && !loading->partial && !view->idle_waits && !facts->dropped &&
        !summary->n_gaps && !stopped && !facts->damaged_blocks)
        add_line(side, "Nothing that was recorded.");
    /* Where nothing stands out the page says it. */
    if (summary->not_recorded && (!view->n || results->findings->verdict.level != PM_VERDICT_NONE))
        gtk_box_append(GTK_BOX(side->content),
                       pm_element_text(summary->not_recorded, PM_TEXT_WRAP, "dim-label"));
}

/* ---- the widget ---- */

static void pm_summary_side_show(PmScaffold *scaffold)
{
    PmSummarySide *side = PM_SUMMARY_SIDE(scaffold);
    PmResults *results = pm_state_get_results(side->state);

    pm_element_clear(side->content);
    if (!results || !pm_state_get_recording(side->state))
        return;
    add_groups(side, results->summary);
    add_left_out(side, results);
}

/* Once reading is stopped, what has not been read remains left out. */
static void pm_summary_side_changed(PmScaffold *scaffold, guint mask)
{
    PmSummarySide *side = PM_SUMMARY_SIDE(scaffold);

    if (mask & (PM_CHANGE_LOADING | PM_CHANGE_LIVE) && side->unread != unread_text(side))
        pm_summary_side_show(scaffold);
}

static void pm_summary_side_class_init(PmSummarySideClass *class)
{
    PM_SCAFFOLD_CLASS(class)->show = pm_summary_side_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_summary_side_changed;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_REGION);
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-summary-side");
}

static void pm_summary_side_init(PmSummarySide *side)
{
}

GtkWidget *pm_summary_side_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmSummarySide *side = g_object_new(PM_TYPE_SUMMARY_SIDE, NULL);
    GtkWidget *scroller = gtk_scrolled_window_new();

    side->state = state;
    side->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    gtk_widget_add_css_class(side->content, "pm-section");
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), side->content);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_widget_set_vexpand(GTK_WIDGET(side), TRUE);
    pm_element_set_name(GTK_WIDGET(side), "Where threads spend their time");
    pm_scaffold_set_up(PM_SCAFFOLD(side), state, NULL, scroller,
                       PM_CHANGE_RESULTS | PM_CHANGE_RECORDING | PM_CHANGE_DARK);
    return GTK_WIDGET(side);
}
