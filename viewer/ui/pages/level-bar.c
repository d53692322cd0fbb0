#include "viewer/ui/pages/level-bar.h"

#include "viewer/ui/widgets/element.h"

struct _PmLevelBar {
    GtkBox parent_instance;
    PmState *state;
    const PmLevels *levels;
    GtkWidget *preset, *chips;
    GtkWidget *adds;   /* holds the button that adds a level */
    gboolean updating; /* the drop-down is set by us */
};

G_DEFINE_FINAL_TYPE(PmLevelBar, pm_level_bar, GTK_TYPE_BOX)

static void set_aspects(PmLevelBar *bar, const PmAspect *aspects, guint n)
{
    if (n)
        bar->levels->set(bar->state, aspects, n);
}

static void remove_aspect(PmLevelBar *bar, guint index)
{
    PmAspect aspects[PM_N_ASPECTS];
    guint n, kept = 0;
    const PmAspect *old = bar->levels->get(bar->state, &n);

    for (guint i = 0; i < n; i++)
        if (i != index)
            aspects[kept++] = old[i];
    set_aspects(bar, aspects, kept);
}

static void move_aspect(PmLevelBar *bar, guint from, guint to)
{
    PmAspect aspects[PM_N_ASPECTS], moved;
    guint n;
    const PmAspect *old = bar->levels->get(bar->state, &n);

    if (from >= n || to >= n || from == to)
        return;
    memcpy(aspects, old, n * sizeof *aspects);
    moved = aspects[from];
    for (guint i = from; i < to; i++)
        aspects[i] = aspects[i + 1];
    for (guint i = from; i > to; i--)
        aspects[i] = aspects[i - 1];
    aspects[to] = moved;
    set_aspects(bar, aspects, n);
}

static guint chip_index(GtkWidget *chip)
{
    return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(chip), "index"));
}

/* The chip that has the focus, or G_MAXUINT. */
static guint focused_chip(PmLevelBar *bar)
{
    for (GtkWidget *chip = gtk_widget_get_first_child(bar->chips); chip;
         chip = gtk_widget_get_next_sibling(chip))
        if (gtk_widget_get_focus_child(bar->chips) == chip && GTK_IS_BOX(chip))
            return chip_index(chip);
    return G_MAXUINT;
}

static void focus_chip(PmLevelBar *bar, guint index)
{
    GtkWidget *chip = gtk_widget_get_first_child(bar->chips);

    while (chip && index--)
        chip = gtk_widget_get_next_sibling(chip);
    if (chip)
        gtk_widget_child_focus(chip, GTK_DIR_TAB_FORWARD);
}

static void step_chip(PmLevelBar *bar, int step)
{
    const guint index = focused_chip(bar);
    guint n;

    bar->levels->get(bar->state, &n);
    if (index == G_MAXUINT || (int)index + step < 0 || index + step >= n)
        return;
    move_aspect(bar, index, index + step);
    focus_chip(bar, index + step);
}

static void step_action(GSimpleAction *action, GVariant *value, gpointer bar)
{
    step_chip(bar, g_str_equal(g_action_get_name(G_ACTION(action)), "chip-left") ? -1 : +1);
}

static void chip_removed(GtkButton *button, PmLevelBar *bar)
{
    remove_aspect(bar, chip_index(gtk_widget_get_parent(GTK_WIDGET(button))));
}

static GdkContentProvider *chip_dragged(GtkDragSource *source, double x, double y, gpointer data)
{
    GtkWidget *chip = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(source));

    return gdk_content_provider_new_typed(G_TYPE_UINT, chip_index(chip));
}

static gboolean chip_dropped(GtkDropTarget *target, const GValue *value, double x, double y,
                             PmLevelBar *bar)
{
    GtkWidget *chip = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(target));

    move_aspect(bar, g_value_get_uint(value), chip_index(chip));
    return TRUE;
}

static GtkWidget *chip_new(PmLevelBar *bar, PmAspect aspect, guint index, gboolean only)
{
    GtkWidget *chip = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *label = gtk_label_new(bar->levels->title(aspect));
    g_autofree char *tooltip =
        g_strdup_printf("%s. Drag to move, or Ctrl+Shift+← →", bar->levels->title(aspect));
    GtkDragSource *drag = gtk_drag_source_new();
    GtkDropTarget *drop = gtk_drop_target_new(G_TYPE_UINT, GDK_ACTION_COPY);

    g_object_set_data(G_OBJECT(chip), "index", GUINT_TO_POINTER(index));
    gtk_widget_add_css_class(chip, "pm-chip");
    gtk_widget_set_valign(chip, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(chip, tooltip);
    pm_element_let_shrink(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_box_append(GTK_BOX(chip), label);
    if (!only) {
        g_autofree char *name = g_strdup_printf("Remove the level %s", bar->levels->title(aspect));
        GtkWidget *remove = pm_element_icon_button("window-close-symbolic", NULL, name);
        gtk_widget_add_css_class(remove, "flat");
        g_signal_connect(remove, "clicked", G_CALLBACK(chip_removed), bar);
        gtk_box_append(GTK_BOX(chip), remove);
    }
    g_signal_connect(drag, "prepare", G_CALLBACK(chip_dragged), NULL);
    g_signal_connect(drop, "drop", G_CALLBACK(chip_dropped), bar);
    gtk_widget_add_controller(chip, GTK_EVENT_CONTROLLER(drag));
    gtk_widget_add_controller(chip, GTK_EVENT_CONTROLLER(drop));
    return chip;
}

static GtkWidget *add_button_new(PmLevelBar *bar, const PmAspect *aspects, guint n)
{
    GtkWidget *button = gtk_menu_button_new();
    g_autoptr(GMenu) menu = g_menu_new();

    for (PmAspect aspect = 0; aspect <= PM_MEMORY_AGE; aspect++) {
        const char *name = bar->levels->name(aspect);
        gboolean used = !name;
        for (guint i = 0; i < n; i++)
            used = used || aspects[i] == aspect;
        if (used)
            continue;
        g_autofree char *action = g_strdup_printf("page.add-level::%s", name);
        g_menu_append(menu, bar->levels->title(aspect), action);
    }
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "list-add-symbolic");
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
    gtk_widget_set_tooltip_text(button, "Add a level");
    pm_element_set_name(button, "Add a level");
    return button;
}

static void show_aspects(PmLevelBar *bar)
{
    const guint n_presets = *bar->levels->n_presets;
    const PmTreePreset *presets = bar->levels->presets;
    guint n, preset = n_presets;
    const PmAspect *aspects = bar->levels->get(bar->state, &n);

    pm_element_clear(bar->chips);
    pm_element_clear(bar->adds);
    for (guint i = 0; i < n; i++)
        gtk_box_append(GTK_BOX(bar->chips), chip_new(bar, aspects[i], i, n == 1));
    gtk_box_append(GTK_BOX(bar->adds), add_button_new(bar, aspects, n));
    for (guint i = 0; i < n_presets; i++)
        if (presets[i].n_aspects == n && !memcmp(presets[i].aspects, aspects, n * sizeof *aspects))
            preset = MIN(preset, i);
    bar->updating = TRUE;
    gtk_drop_down_set_selected(GTK_DROP_DOWN(bar->preset), preset);
    bar->updating = FALSE;
}

static void preset_chosen(GtkDropDown *drop_down, GParamSpec *pspec, PmLevelBar *bar)
{
    const guint index = gtk_drop_down_get_selected(drop_down);

    if (!bar->updating && index < *bar->levels->n_presets)
        set_aspects(bar, bar->levels->presets[index].aspects,
                    bar->levels->presets[index].n_aspects);
}

static void changed_cb(PmState *state, guint mask, PmLevelBar *bar)
{
    if (mask & bar->levels->change)
        show_aspects(bar);
}

static void add_level_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    PmLevelBar *bar = data;
    const char *wanted = g_variant_get_string(value, NULL);
    PmAspect aspects[PM_N_ASPECTS];
    guint n, added = 0;
    const PmAspect *old = bar->levels->get(bar->state, &n);

    while (added <= PM_MEMORY_AGE && g_strcmp0(bar->levels->name(added), wanted) != 0)
        added++;
    if (added > PM_MEMORY_AGE || n + 1 > MIN((guint)PM_N_ASPECTS, PM_MEMORY_MOST))
        return;
    memcpy(aspects, old, n * sizeof *aspects);
    aspects[n] = added;
    set_aspects(bar, aspects, n + 1);
}

const GActionEntry pm_level_bar_actions[] = {
    {.name = "chip-left", .activate = step_action},
    {.name = "chip-right", .activate = step_action},
    {.name = "add-level", .activate = add_level_action, .parameter_type = "s"},
};
const int pm_n_level_bar_actions = G_N_ELEMENTS(pm_level_bar_actions);

static void pm_level_bar_dispose(GObject *object)
{
    g_clear_object(&PM_LEVEL_BAR(object)->state);
    G_OBJECT_CLASS(pm_level_bar_parent_class)->dispose(object);
}

static void pm_level_bar_class_init(PmLevelBarClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_level_bar_dispose;
}

static void pm_level_bar_init(PmLevelBar *bar)
{
    bar->preset = gtk_drop_down_new(NULL, NULL);
    gtk_widget_set_tooltip_text(bar->preset, "Levels of the tree");
    pm_element_set_name(bar->preset, "Levels");
    g_signal_connect(bar->preset, "notify::selected", G_CALLBACK(preset_chosen), bar);
    bar->chips = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_box_set_spacing(GTK_BOX(bar), 6);
    gtk_box_append(GTK_BOX(bar), bar->preset);
    bar->adds = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *scroller = pm_element_scrolled_line(bar->chips);
    gtk_box_append(GTK_BOX(bar), scroller);
    gtk_box_append(GTK_BOX(bar), bar->adds);
}

PmLevelBar *pm_level_bar_new(PmState *state, const PmLevels *levels)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLevelBar *bar = g_object_new(PM_TYPE_LEVEL_BAR, NULL);
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

    bar->levels = levels;
    bar->updating = TRUE;
    for (guint i = 0; i < *levels->n_presets; i++)
        gtk_string_list_append(names, levels->presets[i].name);
    gtk_string_list_append(names, "Own levels");
    gtk_drop_down_set_model(GTK_DROP_DOWN(bar->preset), G_LIST_MODEL(names));

    bar->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), bar, 0);
    show_aspects(bar);
    return bar;
}
