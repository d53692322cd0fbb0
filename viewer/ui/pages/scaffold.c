#include "viewer/ui/pages/scaffold.h"

#include "viewer/ui/model/keys.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/widgets/page-style.h"

typedef struct {
    PmState *state;
    GtkWidget *box, *stack, *empty; /* box: of the bar and the stack */
    GtkWidget *bar;                 /* NULL = it has none */
    PmJob *job;
    GSimpleActionGroup *actions;
    guint changes;
    gboolean stale; /* the state changed while the page could not be seen */
} PmScaffoldPrivate;

G_DEFINE_TYPE_WITH_PRIVATE(PmScaffold, pm_scaffold, GTK_TYPE_WIDGET)

static PmScaffoldPrivate *private_of(gpointer scaffold)
{
    return pm_scaffold_get_instance_private(scaffold);
}

static void show(PmScaffold *scaffold)
{
    PmScaffoldPrivate *private = private_of(scaffold);

    private->stale = !gtk_widget_get_mapped(GTK_WIDGET(scaffold));
    if (private->stale && private->job)
        pm_job_stop(private->job); /* its answer would be to a question of before */
    if (!private->stale)
        PM_SCAFFOLD_GET_CLASS(scaffold)->show(scaffold);
}

static void changed_cb(PmState *state, guint mask, PmScaffold *scaffold)
{
    PmScaffoldClass *class = PM_SCAFFOLD_GET_CLASS(scaffold);
    PmJob *job = private_of(scaffold)->job;

    if (mask & PM_CHANGE_RECORDING && job)
        pm_job_stop(job); /* another recording's keys mean other things */
    if (class->changed)
        class->changed(scaffold, mask);
    if (mask & private_of(scaffold)->changes)
        show(scaffold);
}

static void pm_scaffold_map(GtkWidget *widget)
{
    GTK_WIDGET_CLASS(pm_scaffold_parent_class)->map(widget);
    if (private_of(widget)->stale)
        show(PM_SCAFFOLD(widget));
}

/* GTK's own way ends with grab_focus() on the widget itself once its child is through; where that
 * hands the focus to the child again, Tab would never leave it. */
static gboolean pm_scaffold_focus(GtkWidget *widget, GtkDirectionType direction)
{
    return gtk_widget_child_focus(private_of(widget)->box, direction);
}

static void pm_scaffold_dispose(GObject *object)
{
    PmScaffoldPrivate *private = private_of(object);

    if (private->state)
        g_signal_handlers_disconnect_by_data(private->state, object);
    g_clear_pointer(&private->job, pm_job_free);
    g_clear_pointer(&private->box, gtk_widget_unparent);
    g_clear_object(&private->actions);
    g_clear_object(&private->state);
    G_OBJECT_CLASS(pm_scaffold_parent_class)->dispose(object);
}

static void pm_scaffold_class_init(PmScaffoldClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_scaffold_dispose;
    widget_class->focus = pm_scaffold_focus;
    widget_class->map = pm_scaffold_map;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void pm_scaffold_init(PmScaffold *scaffold)
{
    PmScaffoldPrivate *private = private_of(scaffold);

    private->stale = TRUE;
    private->empty = pm_state_page_new();
    private->stack = gtk_stack_new();
    gtk_stack_add_named(GTK_STACK(private->stack), private->empty, "empty");
    private->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(private->box), private->stack);
    gtk_widget_set_parent(private->box, GTK_WIDGET(scaffold));
    private->actions = g_simple_action_group_new();
    gtk_widget_insert_action_group(GTK_WIDGET(scaffold), "page", G_ACTION_GROUP(private->actions));
    pm_keys_bind(GTK_WIDGET(scaffold), PM_KEYS_PAGE);
    pm_page_style_install(gtk_widget_get_display(GTK_WIDGET(scaffold)));
}

void pm_scaffold_set_up(PmScaffold *scaffold, PmState *state, GtkWidget *bar, GtkWidget *content,
                        guint changes)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    PmScaffoldPrivate *private = private_of(scaffold);

    g_return_if_fail(!private->state);
    g_return_if_fail(PM_IS_STATE(state) && GTK_IS_WIDGET(content));
    private->state = g_object_ref(state);
    private->changes = changes;
    private->bar = bar;
    if (bar)
        gtk_box_prepend(GTK_BOX(private->box), bar);
    gtk_stack_add_named(GTK_STACK(private->stack), content, "content");
    pm_scaffold_show_content(scaffold);
    g_signal_connect(state, "changed", G_CALLBACK(changed_cb), scaffold);
}

void pm_scaffold_set_job(PmScaffold *scaffold, PmJob *job)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    PmScaffoldPrivate *private = private_of(scaffold);

    g_return_if_fail(!private->job);
    private->job = job;
}

void pm_scaffold_add_actions(PmScaffold *scaffold, const GActionEntry *entries, int n_entries,
                             gpointer data)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    g_action_map_add_action_entries(pm_scaffold_get_actions(scaffold), entries, n_entries, data);
}

PmState *pm_scaffold_get_state(PmScaffold *scaffold)
{
    g_return_val_if_fail(PM_IS_SCAFFOLD(scaffold), NULL);
    return private_of(scaffold)->state;
}

GActionMap *pm_scaffold_get_actions(PmScaffold *scaffold)
{
    g_return_val_if_fail(PM_IS_SCAFFOLD(scaffold), NULL);
    return G_ACTION_MAP(private_of(scaffold)->actions);
}

void pm_scaffold_show_bar(PmScaffold *scaffold, gboolean shown)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    GtkWidget *bar = private_of(scaffold)->bar;

    if (bar)
        gtk_widget_set_visible(bar, shown);
}

static void show_child(PmScaffold *scaffold, gboolean content)
{
    PmScaffoldPrivate *private = private_of(scaffold);

    gtk_stack_set_visible_child_name(GTK_STACK(private->stack), content ? "content" : "empty");
    pm_scaffold_show_bar(scaffold, content);
}

gboolean pm_scaffold_show_waits(PmScaffold *scaffold)
{
    g_return_val_if_fail(PM_IS_SCAFFOLD(scaffold), FALSE);
    PmScaffoldPrivate *private = private_of(scaffold);
    const gboolean empty = pm_state_page_explain(PM_STATE_PAGE(private->empty), private->state);
    show_child(scaffold, !empty);
    return !empty;
}

void pm_scaffold_show_state(PmScaffold *scaffold, PmStateId id, const char *const *pairs)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    pm_state_page_show(PM_STATE_PAGE(private_of(scaffold)->empty), id, pairs);
    show_child(scaffold, FALSE);
}

void pm_scaffold_show_content(PmScaffold *scaffold)
{
    g_return_if_fail(PM_IS_SCAFFOLD(scaffold));
    show_child(scaffold, TRUE);
}
