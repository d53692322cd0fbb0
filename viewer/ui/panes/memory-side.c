#include "viewer/ui/panes/memory-side.h"

#include <math.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/memory-text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/frames.h"

#define MAX_CHAINS 3

#define PM_TYPE_MEMORY_SIDE (pm_memory_side_get_type())
G_DECLARE_FINAL_TYPE(PmMemorySide, pm_memory_side, PM, MEMORY_SIDE, PmScaffold)

struct answer {
    PmRecording *recording;
    PmMemoryTree *tree;       /* of the selection's levels, and stack traces */
    const PmMemoryNode *node; /* what is selected; NULL: there is nothing of it */
    PmSelection selection;
};

struct _PmMemorySide {
    PmScaffold parent_instance;
    GtkWidget *content;
    PmJob *job; /* the scaffold's */
    struct answer *answer;
    gboolean unfolded;
};

G_DEFINE_FINAL_TYPE(PmMemorySide, pm_memory_side, PM_TYPE_SCAFFOLD)

/* ---- the work: in a worker ---- */

struct question {
    PmRecording *recording;
    PmFilter *filter;
    PmSelection selection;
};

static void question_free(gpointer data)
{
    struct question *question = data;
    pm_recording_unref(question->recording);
    pm_filter_free(question->filter);
    g_free(question);
}

static void answer_free(gpointer data)
{
    struct answer *answer = data;
    g_clear_pointer(&answer->tree, pm_memory_tree_free);
    pm_recording_unref(answer->recording);
    g_free(answer);
}

static const PmMemoryNode *child_of(const PmMemoryNode *node, guint64 key)
{
    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        if (child->key == key)
            return child;
    }
    return NULL;
}

static gpointer work(gpointer data, const gint *cancel)
{
    const struct question *question = data;
    struct answer *answer = g_new0(struct answer, 1);
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    guint n = 0;
    answer->recording = pm_recording_ref(question->recording);
    answer->selection = question->selection;
    while (n < question->selection.n && n + 1 < PM_MEMORY_MOST) {
        aspects[n] = (PmMemoryAspect)question->selection.aspects[n];
        n++;
    }
    if (aspects[n - 1] != PM_ASPECT_CHAIN)
        aspects[n++] = PM_ASPECT_CHAIN;
    for (guint i = 0; i < n; i++) {
        PmMemoryAspect known;
        if (!pm_memory_aspect_parse(pm_memory_aspect_name(aspects[i]), &known))
            return answer; /* waits have it, allocations have not */
    }
    answer->tree = pm_memory_tree_new(answer->recording, question->filter, aspects, n, NULL);
    answer->node = answer->tree ? answer->tree->root : NULL;
    for (guint i = 0; answer->node && i < question->selection.n; i++)
        answer->node = child_of(answer->node, question->selection.keys[i]);
    return answer;
}

/* ---- sections ---- */

static void add_line(GtkWidget *section, const char *name, const char *value, const char *more)
{
    g_autofree char *text =
        g_strdup_printf("%s: %s%s%s", name, value, more ? ", " : "", more ? more : "");
    gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, NULL));
}

/* What the whole recording says of it, if it is or holds what grows. */
static void add_leak(PmMemorySide *side, GtkWidget *section)
{
    const struct answer *answer = side->answer;
    const PmMemorySeries *series =
        pm_state_get_memory_series(pm_scaffold_get_state(PM_SCAFFOLD(side)));
    PmMemoryAspect aspects[PM_N_ASPECTS];
    for (guint i = 0; i < answer->selection.n; i++)
        aspects[i] = (PmMemoryAspect)answer->selection.aspects[i];
    const PmGrowth *growth =
        series
            ? pm_memory_series_growth(series, aspects, answer->selection.keys, answer->selection.n)
            : NULL;
    if (!growth)
        return;
    g_autofree char *class =
        pm_memory_key_text(series->recording, PM_ASPECT_CLASS, growth->class_index);
    g_autofree char *slope = pm_label_bytes((guint64)(60 * growth->slope));
    g_autofree char *low = pm_label_bytes((guint64)(60 * MAX(growth->slope_low, 0)));
    g_autofree char *high = pm_label_bytes((guint64)(60 * MAX(growth->slope_high, 0)));
    g_autofree char *text = g_strdup_printf(
        "%s grows by ~%s a minute (%s to %s), over %u collections of the old generation", class,
        slope, low, high, growth->n_snapshots);
    gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, "pm-more"));
}

static void add_head(PmMemorySide *side)
{
    const struct answer *answer = side->answer;
    const PmMemoryTree *tree = answer->tree;
    const PmMemoryNode *node = answer->node;
    GtkWidget *section = pm_element_section(side->content, NULL, NULL);
    g_autoptr(GString) above = g_string_new(NULL);
    PmBounds bounds;
    const guint last = answer->selection.n - 1;
    for (guint i = 0; i < last; i++) {
        g_autofree char *step =
            pm_memory_key_text(answer->recording, (PmMemoryAspect)answer->selection.aspects[i],
                               answer->selection.keys[i]);
        g_string_append_printf(above, "%s%s", i ? " › " : "", step);
    }
    if (above->len) {
        GtkWidget *path = pm_element_text(above->str, PM_TEXT_ELLIPSIZE, "dim-label");
        gtk_widget_add_css_class(path, "pm-small");
        gtk_box_append(GTK_BOX(section), path);
    }
    g_autofree char *title =
        pm_memory_key_text(answer->recording, (PmMemoryAspect)answer->selection.aspects[last],
                           answer->selection.keys[last]);
    gtk_box_append(GTK_BOX(section), pm_element_text(title, PM_TEXT_WRAP, "title-4"));
    add_leak(side, section);
    g_autofree char *live = pm_memory_bytes_text(tree, &node->live, TRUE),
                    *live_bounds = pm_memory_bounds_text(tree, &node->live, TRUE),
                    *total = pm_memory_bytes_text(tree, &node->total, FALSE),
                    *total_bounds = pm_memory_bounds_text(tree, &node->total, FALSE),
                    *growth = pm_memory_growth_text(tree, node, &bounds);
    add_line(section, "Live", live, live_bounds);
    if (node->live.samples > 0) {
        g_autofree char *count = pm_number_count((gint64)(node->live.objects + 0.5));
        g_autofree char *objects = g_strconcat(
            pm_memory_sign(pm_memory_certainty(tree, &node->live, TRUE), &node->live), count, NULL);
        add_line(section, "Objects", objects, NULL);
    }
    if (tree->live_begin_at != G_MININT64) {
        g_autofree char *low = pm_label_bytes((guint64)fabs(bounds.low)),
                        *high = pm_label_bytes((guint64)fabs(bounds.high)),
                        *between =
                            g_strdup_printf("between %s%s and %s%s", bounds.low < 0 ? "−" : "+",
                                            low, bounds.high < 0 ? "−" : "+", high);
        add_line(section, "Growth in the range", growth, between);
    }
    add_line(section, "Allocated", total, total_bounds);
    const double rate = pm_memory_rate(tree, node);
    if (!isnan(rate)) {
        g_autofree char *text = pm_label_bytes((guint64)rate);
        g_autofree char *signed_text = g_strconcat(
            pm_memory_sign(pm_memory_certainty(tree, &node->total, FALSE), &node->total), text,
            " a second", NULL);
        add_line(section, "Rate", signed_text, NULL);
    }
}

static void add_chains(PmMemorySide *side)
{
    const struct answer *answer = side->answer;
    const PmMemoryNode *node = answer->node;
    const gboolean is_chain = node->aspect == PM_ASPECT_CHAIN;
    const guint n = is_chain ? 1 : MIN(node->children->len, MAX_CHAINS);
    for (guint i = 0; i < n; i++) {
        const PmMemoryNode *chain = is_chain ? node : node->children->pdata[i];
        g_autofree char *live = pm_memory_bytes_text(answer->tree, &chain->live, TRUE),
                        *total = pm_memory_bytes_text(answer->tree, &chain->total, FALSE),
                        *text = g_strdup_printf("%s live, %s allocated", live, total);
        GtkWidget *end = i > 0 ? NULL
                               : pm_element_link(side->unfolded ? "Fold" : "Unfold",
                                                 side->unfolded ? "page.fold" : "page.unfold");
        GtkWidget *section =
            pm_element_section(side->content, i > 0 ? "Another stack trace" : "Allocated at", end);
        gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, "dim-label"));
        gtk_box_append(GTK_BOX(section),
                       pm_frames_new(answer->recording, (guint32)chain->key, side->unfolded));
    }
    if (!is_chain && node->children->len > n) {
        g_autofree char *text = g_strdup_printf("%u more stack traces", node->children->len - n);
        GtkWidget *section = pm_element_section(side->content, NULL, NULL);
        gtk_box_append(GTK_BOX(section), pm_element_text(text, PM_TEXT_WRAP, "dim-label"));
    }
}

/* How the numbers were got. */
static void add_how(PmMemorySide *side)
{
    const PmMemoryTree *tree = side->answer->tree;
    const PmMemorySnapshot *snapshot = tree->snapshot;
    GtkWidget *section = pm_element_section(side->content, NULL, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    if (snapshot->interval > 0) {
        g_autofree char *interval = pm_label_bytes((guint64)snapshot->interval);
        g_string_append_printf(
            text, "Estimated from one sample in %s; bounds at three standard errors.", interval);
    } else {
        g_string_append(
            text, snapshot->exact_from == G_MININT64
                      ? "Every object is counted since sampling was switched on: a lower bound."
                      : "Every object is counted.");
    }
    if (tree->live_at == G_MININT64 || snapshot->gcs == 0) {
        g_string_append(text, " Live data is not known yet: it is determined after a GC.");
    } else {
        g_autofree char *at = pm_label_clock(tree->recording, tree->live_at, 1);
        g_string_append_printf(
            text, " Live as of %s; old objects count as live until a collection has examined them.",
            at);
        if (snapshot->flags & PM_MEMORY_LIVE_BOUND)
            g_string_append(text, " Not all live objects could be followed: a lower bound.");
    }
    GtkWidget *label = pm_element_text(text->str, PM_TEXT_WRAP, "dim-label");
    gtk_widget_add_css_class(label, "pm-small");
    gtk_box_append(GTK_BOX(section), label);
}

static void rebuild(PmMemorySide *side)
{
    const struct answer *answer = side->answer;
    pm_element_clear(side->content);
    if (!answer || !answer->node || !answer->tree->snapshot) {
        const char *pairs[] = {"name", "the selection", NULL};
        if (!answer)
            pm_scaffold_show_state(PM_SCAFFOLD(side), PM_STATE_NOTHING_SELECTED, NULL);
        else
            pm_scaffold_show_state(PM_SCAFFOLD(side), PM_STATE_NO_ALLOCATION_OF, pairs);
        return;
    }
    add_head(side);
    add_chains(side);
    add_how(side);
    pm_scaffold_show_content(PM_SCAFFOLD(side));
}

/* ---- the widget ---- */

static void set_answer(PmMemorySide *side, struct answer *answer)
{
    if (side->answer)
        answer_free(side->answer);
    side->answer = answer;
    rebuild(side);
}

static void answered_cb(gpointer answer, gpointer data)
{
    set_answer(data, answer);
}

static void pm_memory_side_show(PmScaffold *scaffold)
{
    PmMemorySide *side = PM_MEMORY_SIDE(scaffold);
    PmState *state = pm_scaffold_get_state(scaffold);
    const PmSelection *selection = pm_state_get_selection(state);
    PmRecording *recording = pm_state_get_recording(state);
    if (!recording || !selection->n) {
        pm_job_stop(side->job);
        set_answer(side, NULL);
        return;
    }
    struct question *question = g_new0(struct question, 1);
    question->recording = pm_recording_ref(recording);
    question->filter = pm_filter_copy(pm_state_get_filter(state));
    if (!pm_state_get_range(state, &question->filter->from, &question->filter->to))
        question->filter->from = question->filter->to = 0;
    question->selection = *selection;
    pm_job_ask(side->job, question);
}

static void pm_memory_side_changed(PmScaffold *scaffold, guint mask)
{
    if (mask & PM_CHANGE_RECORDING)
        set_answer(PM_MEMORY_SIDE(scaffold), NULL);
}

static void fold_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmMemorySide *side = data;
    side->unfolded = g_str_equal(g_action_get_name(G_ACTION(action)), "unfold");
    rebuild(side);
}

static void pm_memory_side_dispose(GObject *object)
{
    G_OBJECT_CLASS(pm_memory_side_parent_class)->dispose(object);
    g_clear_pointer(&PM_MEMORY_SIDE(object)->answer, answer_free);
}

static void pm_memory_side_class_init(PmMemorySideClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_memory_side_dispose;
    PM_SCAFFOLD_CLASS(class)->show = pm_memory_side_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_memory_side_changed;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_REGION);
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-memory-side");
}

static void pm_memory_side_init(PmMemorySide *side)
{
}

GtkWidget *pm_memory_side_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    static const GActionEntry actions[] = {{.name = "fold", .activate = fold_action},
                                           {.name = "unfold", .activate = fold_action}};
    PmMemorySide *side = g_object_new(PM_TYPE_MEMORY_SIDE, NULL);
    GtkWidget *scroller = gtk_scrolled_window_new();
    side->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), side->content);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_widget_set_vexpand(GTK_WIDGET(side), TRUE);
    pm_element_set_name(GTK_WIDGET(side), "What allocated it");
    side->job = pm_job_new(work, question_free, answer_free, answered_cb, side);
    pm_scaffold_set_up(PM_SCAFFOLD(side), state, NULL, scroller,
                       PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_SELECTION |
                           PM_CHANGE_FILTER | PM_CHANGE_RANGE | PM_CHANGE_CURVES);
    pm_scaffold_set_job(PM_SCAFFOLD(side), side->job);
    pm_scaffold_add_actions(PM_SCAFFOLD(side), actions, G_N_ELEMENTS(actions), side);
    return GTK_WIDGET(side);
}
