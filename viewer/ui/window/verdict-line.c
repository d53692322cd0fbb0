#include "viewer/ui/window/verdict-line.h"

#include "viewer/report/text.h"
#include "viewer/ui/widgets/element.h"

#define PM_TYPE_VERDICT_LINE (pm_verdict_line_get_type())
G_DECLARE_FINAL_TYPE(PmVerdictLine, pm_verdict_line, PM, VERDICT_LINE, GtkBox)

struct _PmVerdictLine {
    GtkBox parent_instance;
    PmState *state;
    GtkWidget *sign, *sentence, *show;
    gint64 since; /* there is no verdict, in µs; 0 = there is one */
    guint tick;
};

gint64 pm_verdict_line_patience_s = 3;

G_DEFINE_FINAL_TYPE(PmVerdictLine, pm_verdict_line, GTK_TYPE_BOX)

/* Signs are icons, for fonts that have ⛔ are rare. */
static const struct {
    const char *icon, *spoken, *css;
} levels[] = {
    [PM_VERDICT_STUCK] = {"dialog-error-symbolic", "Stuck: ", "stuck"},
    [PM_VERDICT_HIGH] = {"dialog-warning-symbolic", "", "high"},
    [PM_VERDICT_NONE] = {"object-select-symbolic", "", "none"},
    [PM_VERDICT_EMPTY] = {"dialog-information-symbolic", "", "none"},
};

static void update(PmVerdictLine *line);

static gboolean tick_cb(gpointer data)
{
    PmVerdictLine *line = data;

    line->tick = 0;
    update(line);
    return G_SOURCE_REMOVE;
}

/* Where it takes long, what is done, and for how long already. */
static void update_computing(PmVerdictLine *line)
{
    const gint64 now = g_get_monotonic_time();
    g_autoptr(GString) text = g_string_new("Computing");

    line->since = line->since ? line->since : now;
    const gint64 seconds = (now - line->since) / G_USEC_PER_SEC;
    if (seconds >= pm_verdict_line_patience_s)
        g_string_append_printf(text, " %s, %" G_GINT64_FORMAT " s so far",
                               pm_state_get_tree_results(line->state)
                                   ? "who causes the waits; the tree is ready"
                                   : "the tree of waits",
                               seconds);
    gtk_image_set_from_icon_name(GTK_IMAGE(line->sign), "content-loading-symbolic");
    gtk_label_set_text(GTK_LABEL(line->sentence), text->str);
    gtk_widget_set_visible(line->show, FALSE);
    if (!line->tick && pm_state_get_recording(line->state))
        line->tick = g_timeout_add_seconds(1, tick_cb, line);
}

static void update(PmVerdictLine *line)
{
    const PmVerdict *verdict = pm_state_get_verdict(line->state);

    for (guint i = 0; i < G_N_ELEMENTS(levels); i++)
        gtk_widget_remove_css_class(GTK_WIDGET(line), levels[i].css);
    if (!verdict) {
        update_computing(line);
        return;
    }
    line->since = 0;
    g_clear_handle_id(&line->tick, g_source_remove);
    guint level = MIN(verdict->level, G_N_ELEMENTS(levels) - 1);
    g_autofree char *sentence =
        pm_text_clean(verdict->sentence ? verdict->sentence : "No wait stands out");
    g_autofree char *spoken = g_strconcat(levels[level].spoken, sentence, NULL);
    gtk_widget_add_css_class(GTK_WIDGET(line), levels[level].css);
    gtk_image_set_from_icon_name(GTK_IMAGE(line->sign), verdict->of_note
                                                            ? levels[PM_VERDICT_EMPTY].icon
                                                            : levels[level].icon);
    pm_element_set_text(GTK_LABEL(line->sentence), sentence);
    gtk_widget_set_tooltip_text(line->sentence, sentence);
    gtk_widget_set_visible(line->show, level <= PM_VERDICT_HIGH);
    pm_element_set_name(line->sentence, spoken);
}

static void changed_cb(PmState *state, guint mask, PmVerdictLine *line)
{
    if (mask & PM_CHANGE_RECORDING)
        line->since = 0;
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_TREE | PM_CHANGE_RESULTS))
        update(line);
}

static void pm_verdict_line_dispose(GObject *object)
{
    PmVerdictLine *line = PM_VERDICT_LINE(object);

    g_clear_handle_id(&line->tick, g_source_remove);
    g_clear_object(&line->state);
    G_OBJECT_CLASS(pm_verdict_line_parent_class)->dispose(object);
}

static void pm_verdict_line_class_init(PmVerdictLineClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_verdict_line_dispose;
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_STATUS);
}

static void pm_verdict_line_init(PmVerdictLine *line)
{
    gtk_widget_add_css_class(GTK_WIDGET(line), "verdict");
    gtk_box_set_spacing(GTK_BOX(line), 8);
    line->sign = gtk_image_new();
    gtk_widget_add_css_class(line->sign, "sign");
    line->sentence = gtk_label_new("");
    /* The answer is read in full, as who is to blame stands at its end: large letters in a small
     * window need four lines. */
    gtk_label_set_ellipsize(GTK_LABEL(line->sentence), PANGO_ELLIPSIZE_END);
    gtk_label_set_wrap(GTK_LABEL(line->sentence), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(line->sentence), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_lines(GTK_LABEL(line->sentence), 4);
    gtk_label_set_xalign(GTK_LABEL(line->sentence), 0);
    gtk_widget_set_hexpand(line->sentence, TRUE);
    line->show = gtk_button_new_with_label("Show");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(line->show), "win.show-verdict");
    gtk_widget_set_valign(line->show, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(line), line->sign);
    gtk_box_append(GTK_BOX(line), line->sentence);
    gtk_box_append(GTK_BOX(line), line->show);
    pm_element_set_name(GTK_WIDGET(line), "Verdict");
}

GtkWidget *pm_verdict_line_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmVerdictLine *line = g_object_new(PM_TYPE_VERDICT_LINE, NULL);

    line->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), line, 0);
    return GTK_WIDGET(line);
}
