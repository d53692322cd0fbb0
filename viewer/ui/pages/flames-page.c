#include "viewer/ui/pages/flames-page.h"

#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/flame-graph.h"

#define PM_TYPE_FLAMES_PAGE (pm_flames_page_get_type())
G_DECLARE_FINAL_TYPE(PmFlamesPage, pm_flames_page, PM, FLAMES_PAGE, PmScaffold)

struct _PmFlamesPage {
    PmScaffold parent_instance;
    PmState *state; /* the scaffold's */
    GtkWidget *graph, *told, *fold;
    PmJob *job;        /* the scaffold's */
    gboolean unfolded; /* library frames are shown */
};

typedef struct {
    PmView *view;
    gboolean fold;
} Question;

G_DEFINE_FINAL_TYPE(PmFlamesPage, pm_flames_page, PM_TYPE_SCAFFOLD)

static void question_free(gpointer data)
{
    pm_view_unref(((Question *)data)->view);
    g_free(data);
}

static gpointer work(gpointer data, const gint *cancel)
{
    const Question *question = data;

    return pm_flame_new(question->view, question->fold, cancel);
}

static void work_done(gpointer answer, gpointer data)
{
    PmFlamesPage *page = data;
    const PmFlame *flame = answer;

    gtk_widget_set_visible(page->fold, flame->folded || page->unfolded);
    pm_flame_graph_set(PM_FLAME_GRAPH(page->graph), answer, pm_state_get_dark(page->state));
}

static void pm_flames_page_show(PmScaffold *scaffold)
{
    PmFlamesPage *page = PM_FLAMES_PAGE(scaffold);
    PmView *view = pm_state_get_view(page->state);

    if (!pm_scaffold_show_waits(scaffold) || !view)
        return;
    Question *question = g_new(Question, 1);
    *question = (Question){pm_view_ref(view), !page->unfolded};
    pm_job_ask(page->job, question);
}

/* What the button would do. */
static void offer_to_fold(PmFlamesPage *page)
{
    const gboolean fold = page->unfolded;

    gtk_button_set_label(GTK_BUTTON(page->fold), fold ? "Fold" : "Unfold");
    gtk_widget_set_tooltip_text(page->fold,
                                fold ? "Hide frames that only lead to the program's code"
                                     : "Show frames that only lead to the program's code");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(page->fold), fold ? "page.fold" : "page.unfold");
}

static void fold_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmFlamesPage *page = data;

    page->unfolded = g_str_equal(g_action_get_name(G_ACTION(action)), "unfold");
    offer_to_fold(page);
    pm_flames_page_show(PM_SCAFFOLD(page));
}

static void pm_flames_page_changed(PmScaffold *scaffold, guint mask)
{
    PmFlamesPage *page = PM_FLAMES_PAGE(scaffold);

    if (mask & PM_CHANGE_RECORDING)
        pm_flame_graph_set(PM_FLAME_GRAPH(page->graph), NULL, pm_state_get_dark(page->state));
}

static void moved_cb(PmFlameGraph *graph, PmFlamesPage *page)
{
    g_autofree char *text = pm_flame_graph_text(graph);

    gtk_label_set_text(GTK_LABEL(page->told), text ? text : "");
}

/* A box is no key of the waits: what is selected is the stack trace with most time through it. */
static void chosen_cb(PmFlameGraph *graph, PmFlamesPage *page)
{
    const PmFlameNode *node = pm_flame_graph_current(graph);

    if (node && node->parent != 0)
        pm_state_select_key(page->state, PM_ASPECT_CHAIN, node->chain);
    else
        pm_state_set_selection(page->state, NULL);
}

static gboolean pm_flames_page_grab_focus(GtkWidget *widget)
{
    return gtk_widget_get_mapped(widget) && gtk_widget_grab_focus(PM_FLAMES_PAGE(widget)->graph);
}

static void pm_flames_page_class_init(PmFlamesPageClass *class)
{
    PM_SCAFFOLD_CLASS(class)->show = pm_flames_page_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_flames_page_changed;
    GTK_WIDGET_CLASS(class)->grab_focus = pm_flames_page_grab_focus;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-flames-page");
}

static void pm_flames_page_init(PmFlamesPage *page)
{
}

GtkWidget *pm_flames_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmFlamesPage *page = g_object_new(PM_TYPE_FLAMES_PAGE, NULL);
    static const GActionEntry actions[] = {{.name = "unfold", .activate = fold_action},
                                           {.name = "fold", .activate = fold_action}};
    GtkWidget *scroller = gtk_scrolled_window_new(),
              *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

    page->state = state;
    page->job = pm_job_new(work, question_free, (GDestroyNotify)pm_flame_free, work_done, page);
    page->graph = pm_flame_graph_new();
    page->told = pm_element_text("", PM_TEXT_ELLIPSIZE, "numeric");
    gtk_widget_set_hexpand(page->told, TRUE);
    gtk_widget_add_css_class(bar, "pm-page-bar");
    page->fold = pm_element_link("", NULL);
    offer_to_fold(page);
    gtk_widget_set_visible(page->fold, FALSE);
    gtk_box_append(GTK_BOX(bar), page->told);
    gtk_box_append(GTK_BOX(bar), page->fold);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), page->graph);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_widget_set_vexpand(scroller, TRUE);
    g_signal_connect(page->graph, "moved", G_CALLBACK(moved_cb), page);
    g_signal_connect(page->graph, "chosen", G_CALLBACK(chosen_cb), page);
    pm_scaffold_set_up(PM_SCAFFOLD(page), state, bar, scroller,
                       PM_CHANGE_RESULTS | PM_CHANGE_TREE | PM_CHANGE_RECORDING | PM_CHANGE_DARK);
    pm_scaffold_set_job(PM_SCAFFOLD(page), page->job);
    pm_scaffold_add_actions(PM_SCAFFOLD(page), actions, G_N_ELEMENTS(actions), page);
    return GTK_WIDGET(page);
}
