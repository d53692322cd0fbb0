#include "viewer/ui/widgets/element.h"

#include <string.h>

#include "viewer/report/text.h"
#include "viewer/ui/model/sentence.h"
#include "viewer/ui/widgets/name-label.h"

#define BREAK        "\u200b"
#define WORD_MAX     24 /* letters: what is longer may break before a capital */
#define TOGETHER_MAX 30 /* letters: what is longer may break */
#define SHRUNK_CHARS 7
#define PAIR_GAP_PX  8
#define DIGIT_PX     9.0 /* of the font that fixed widths are made for */

/* Lets words that are too long for a narrow pane break before their own words: the names of classes
 * have no others; paths break at their slashes. Owned. */
static char *breakable(const char *text)
{
    GString *result = g_string_new(NULL);

    while (*text) {
        const gsize length = strcspn(text, " ");
        const gboolean breaks = length > WORD_MAX && !memchr(text, '/', length);
        for (const char *at = text; at < text + length; at++) {
            const gboolean begins =
                at > text &&
                (strchr(".$:", *at) || (g_ascii_isupper(*at) && g_ascii_islower(at[-1])));
            if (begins && breaks)
                g_string_append(result, BREAK);
            g_string_append_c(result, *at);
        }
        text += length;
        if (*text)
            g_string_append_c(result, *text++);
    }
    return g_string_free(result, FALSE);
}

void pm_element_set_text(GtkLabel *label, const char *text)
{
    g_return_if_fail(GTK_IS_LABEL(label) && text);
    g_autofree char *placed = pm_sentence_left_to_right(text), *broken = breakable(placed);

    gtk_label_set_text(label, broken);
    if (strcmp(broken, text) != 0 || pm_element_get_name(GTK_WIDGET(label)))
        pm_element_set_name(GTK_WIDGET(label), text);
    pm_element_keep_together(label);
}

GtkWidget *pm_element_text(const char *text, PmTextFit fit, const char *css_class)
{
    g_autofree char *clean = pm_text_clean(text ? text : ""),
                    *placed = pm_sentence_left_to_right(clean);
    GtkWidget *label = fit == PM_TEXT_NAME ? pm_name_label_new() : gtk_label_new(placed);

    if (fit == PM_TEXT_NAME) {
        pm_name_label_set_text(PM_NAME_LABEL(label), clean);
    } else {
        gtk_label_set_xalign(GTK_LABEL(label), 0);
        gtk_label_set_wrap(GTK_LABEL(label), fit == PM_TEXT_WRAP);
        gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    }
    if (fit == PM_TEXT_WRAP)
        pm_element_set_text(GTK_LABEL(label), clean);
    if (fit == PM_TEXT_ELLIPSIZE) {
        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
        gtk_widget_set_tooltip_text(label, clean);
    }
    if (css_class)
        gtk_widget_add_css_class(label, css_class);
    return label;
}

GtkWidget *pm_element_section(GtkWidget *box, const char *title, GtkWidget *end)
{
    GtkWidget *section = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

    gtk_widget_add_css_class(section, "pm-section");
    if (title) {
        GtkWidget *heading = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
        GtkWidget *label = pm_element_text(title, PM_TEXT_WRAP, "pm-heading");
        gtk_widget_set_hexpand(label, TRUE);
        gtk_box_append(GTK_BOX(heading), label);
        if (end)
            gtk_box_append(GTK_BOX(heading), end);
        gtk_box_append(GTK_BOX(section), heading);
    }
    gtk_box_append(GTK_BOX(box), section);
    return section;
}

GtkWidget *pm_element_link(const char *label, const char *action)
{
    GtkWidget *button = gtk_button_new_with_label(label);

    gtk_widget_add_css_class(button, "flat");
    gtk_widget_add_css_class(button, "pm-link");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    return button;
}

GtkWidget *pm_element_icon_button(const char *icon, const char *action, const char *name)
{
    g_return_val_if_fail(icon && name, NULL);
    GtkWidget *button = gtk_button_new_from_icon_name(icon);

    if (action)
        gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_tooltip_text(button, name);
    pm_element_set_name(button, name);
    return button;
}

GtkWidget *pm_element_scrolled_line(GtkWidget *line)
{
    GtkWidget *scroller = gtk_scrolled_window_new();

    g_return_val_if_fail(GTK_IS_WIDGET(line), NULL);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_EXTERNAL,
                                   GTK_POLICY_NEVER);
    gtk_scrolled_window_set_propagate_natural_width(GTK_SCROLLED_WINDOW(scroller), TRUE);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), line);
    gtk_widget_add_css_class(scroller, "pm-line");
    return scroller;
}

static int pair_request(GtkWidget *pair, int *ret_left, int *ret_right)
{
    GtkWidget *first = gtk_widget_get_first_child(pair), *last = gtk_widget_get_last_child(pair);

    gtk_widget_measure(first, GTK_ORIENTATION_HORIZONTAL, -1, NULL, ret_left, NULL, NULL);
    gtk_widget_measure(last, GTK_ORIENTATION_HORIZONTAL, -1, NULL, ret_right, NULL, NULL);
    return *ret_left + *ret_right + (*ret_left && *ret_right ? PAIR_GAP_PX : 0);
}

static int height_of(GtkWidget *widget, int width)
{
    int height;

    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
    return height;
}

static void pair_measure(GtkWidget *pair, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
    GtkWidget *first = gtk_widget_get_first_child(pair), *last = gtk_widget_get_last_child(pair);
    int left, right;
    const int width = pair_request(pair, &left, &right);

    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        gtk_widget_measure(first, orientation, -1, &left, NULL, NULL, NULL);
        gtk_widget_measure(last, orientation, -1, &right, NULL, NULL, NULL);
        *minimum = MAX(left, right);
        *natural = width;
        return;
    }
    *minimum = *natural = for_size < 0 || for_size >= width
                              ? MAX(height_of(first, -1), height_of(last, -1))
                              : height_of(first, for_size) + height_of(last, for_size);
}

/* What is left over is in the last one, if that expands, else in the first. */
static void pair_allocate(GtkWidget *pair, int width, int height, int baseline)
{
    GtkWidget *first = gtk_widget_get_first_child(pair), *last = gtk_widget_get_last_child(pair);
    int left, right;
    const int request = pair_request(pair, &left, &right), over = width - request;
    const int above = over < 0 ? height_of(first, width) : 0;

    if (over < 0)
        left = right = width;
    else if (gtk_widget_compute_expand(last, GTK_ORIENTATION_HORIZONTAL))
        right += over;
    else
        left += over;
    gtk_widget_size_allocate(first, &(GtkAllocation){0, 0, left, over < 0 ? above : height}, -1);
    gtk_widget_size_allocate(
        last, &(GtkAllocation){width - right, above, right, MAX(height - above, 0)}, -1);
}

static GtkSizeRequestMode pair_mode(GtkWidget *pair)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

GtkWidget *pm_element_pair(GtkWidget *left, GtkWidget *right)
{
    GtkWidget *pair = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    g_return_val_if_fail(GTK_IS_WIDGET(left) && GTK_IS_WIDGET(right), NULL);
    gtk_box_append(GTK_BOX(pair), left);
    gtk_box_append(GTK_BOX(pair), right);
    gtk_widget_set_layout_manager(pair,
                                  gtk_custom_layout_new(pair_mode, pair_measure, pair_allocate));
    return pair;
}

void pm_element_let_shrink(GtkLabel *label, PangoEllipsizeMode mode)
{
    g_return_if_fail(GTK_IS_LABEL(label));

    if (g_utf8_strlen(gtk_label_get_text(label), -1) <= SHRUNK_CHARS)
        return;
    gtk_label_set_ellipsize(label, mode);
    gtk_label_set_width_chars(label, SHRUNK_CHARS);
}

/* "(~", "≥ ": what may stand before an amount. */
static gsize before_amount(const char *word)
{
    static const char bound[] = "≥\u202f";
    const gsize length = strspn(word, "(~+<");

    return length + (g_str_has_prefix(word + length, bound) ? strlen(bound) : 0);
}

/* How much of a text belongs together from a word on: "65 %", "(1 min 0 s", "web-*", "web-* (40)",
 * "A.b", "parkctl 2217 dump"; 0 = nothing. */
static gsize together(const char *word)
{
    const gsize length = strcspn(word, " ");

    if (g_ascii_isdigit(word[before_amount(word)]) && pm_text_unit_length(word + length)) {
        const gsize amount = length + pm_text_unit_length(word + length);
        const gboolean more = word[amount] == ' ' && g_ascii_isdigit(word[amount + 1]);
        return more ? amount + 1 + MAX(together(word + amount + 1), 1) : amount;
    }
    if (g_str_has_prefix(word, "parkctl "))
        return strcspn(word, ",");
    if (!memchr(word, '-', length))
        return memchr(word, '.', length) && length <= WORD_MAX ? length : 0;
    const char *count = word + length;
    return g_str_has_prefix(count, " (") && g_ascii_isdigit(count[2])
               ? length + 1 + strcspn(count + 1, " ")
               : length;
}

void pm_element_keep_together(GtkLabel *label)
{
    g_return_if_fail(GTK_IS_LABEL(label));
    const char *text = gtk_label_get_text(label);
    PangoAttrList *list = pango_attr_list_new();

    pango_attr_list_insert(list, pango_attr_insert_hyphens_new(FALSE));
    for (const char *word = text; *word; word += strcspn(word, " "), word += *word == ' ') {
        const gsize length = together(word);
        if (!length || length > TOGETHER_MAX)
            continue;
        PangoAttribute *attribute = pango_attr_allow_breaks_new(FALSE);
        attribute->start_index = (guint)(word - text);
        attribute->end_index = (guint)((gsize)(word - text) + length);
        pango_attr_list_insert(list, attribute);
    }
    gtk_label_set_attributes(label, list);
    pango_attr_list_unref(list);
}

double pm_element_letter_scale(GtkWidget *widget)
{
    g_return_val_if_fail(GTK_IS_WIDGET(widget), 1);
    PangoContext *context = gtk_widget_get_pango_context(widget);
    PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
    const double digit = (double)pango_font_metrics_get_approximate_digit_width(metrics);

    pango_font_metrics_unref(metrics);
    return MAX(digit / PANGO_SCALE / DIGIT_PX, 1);
}

/* GTK tells nobody what it was given. */
static GQuark name_quark(void)
{
    return g_quark_from_static_string("pm-element-name");
}

void pm_element_set_name(GtkWidget *widget, const char *name)
{
    g_return_if_fail(GTK_IS_WIDGET(widget) && name);
    g_object_set_qdata_full(G_OBJECT(widget), name_quark(), g_strdup(name), g_free);
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

const char *pm_element_get_name(GtkWidget *widget)
{
    g_return_val_if_fail(GTK_IS_WIDGET(widget), NULL);
    return g_object_get_qdata(G_OBJECT(widget), name_quark());
}

void pm_element_copy(GtkWidget *widget, const char *text)
{
    g_return_if_fail(GTK_IS_WIDGET(widget) && text);
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
    gtk_widget_activate_action(widget, "win.say", "s", "Copied");
}

/* Boxes, and pairs of this file, which have a layout of their own. */
static gboolean is_line(GtkWidget *widget)
{
    return GTK_IS_BOX(widget) &&
           (!GTK_IS_BOX_LAYOUT(gtk_widget_get_layout_manager(widget)) ||
            gtk_orientable_get_orientation(GTK_ORIENTABLE(widget)) == GTK_ORIENTATION_HORIZONTAL);
}

/* Without what lets a label's words break. */
static const char *label_text(GtkWidget *label)
{
    const char *text = gtk_label_get_text(GTK_LABEL(label)), *name = pm_element_get_name(label);

    return strstr(text, BREAK) && name ? name : text;
}

/* `beside`: in one line with what was said before. */
static void append_said(GtkWidget *widget, GString *text, gboolean beside)
{
    const char *said = GTK_IS_LABEL(widget)       ? label_text(widget)
                       : PM_IS_NAME_LABEL(widget) ? pm_name_label_get_text(PM_NAME_LABEL(widget))
                                                  : NULL;
    const gsize before = text->len;
    const gboolean line = is_line(widget);

    if (said && *said)
        g_string_append_printf(text, "%s%s", !before ? "" : beside ? " " : "\n", said);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        append_said(child, text, line && text->len > before);
}

void pm_element_copy_said(GtkWidget *widget)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_return_if_fail(GTK_IS_WIDGET(widget));
    append_said(widget, text, FALSE);
    pm_element_copy(widget, text->str);
}

void pm_element_describe(GtkWidget *widget, GtkWidget *content)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_return_if_fail(GTK_IS_WIDGET(widget) && GTK_IS_WIDGET(content));
    append_said(content, text, FALSE);
    const char *rest = strchr(text->str, '\n');
    g_auto(GStrv) lines = g_strsplit(rest ? rest + 1 : "", "\n", -1);
    g_autofree char *description = g_strjoinv("; ", lines);
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   description, -1);
}

static gboolean has_open_menu(GtkWidget *widget)
{
    if (GTK_IS_POPOVER(widget))
        return gtk_widget_get_mapped(widget);
    GtkWidget *child = gtk_widget_get_first_child(widget);
    while (child && !has_open_menu(child))
        child = gtk_widget_get_next_sibling(child);
    return child != NULL;
}

gboolean pm_element_is_under_menu(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);

    return root && has_open_menu(GTK_WIDGET(root));
}

void pm_element_clear(GtkWidget *box)
{
    GtkWidget *child;

    g_return_if_fail(GTK_IS_BOX(box));
    while ((child = gtk_widget_get_first_child(box)))
        gtk_box_remove(GTK_BOX(box), child);
}

/* A frame around the focus is painted too, and no style sheet tells GTK so. */
static void redraw_focus(GtkWidget *widget, GtkStateFlags before)
{
    const GtkStateFlags focus = GTK_STATE_FLAG_FOCUSED | GTK_STATE_FLAG_FOCUS_VISIBLE;

    if ((before ^ gtk_widget_get_state_flags(widget)) & focus)
        gtk_widget_queue_draw(widget);
}

void pm_element_class_painted(gpointer widget_class, const char *css_name, PmMeasure measure,
                              void (*snapshot)(GtkWidget *widget, GtkSnapshot *snapshot))
{
    GtkWidgetClass *class = GTK_WIDGET_CLASS(widget_class);

    class->measure = measure;
    class->snapshot = snapshot;
    class->state_flags_changed = redraw_focus;
    gtk_widget_class_set_accessible_role(class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(class, css_name);
}

void pm_element_measure_cell(GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
    *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 60 : 20;
    *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 120 : 20;
    *minimum_baseline = *natural_baseline = -1;
}

void pm_element_listen(GtkWidget *widget, gpointer controller, gpointer data,
                       const char *first_signal, ...)
{
    va_list pairs;

    g_return_if_fail(GTK_IS_WIDGET(widget) && GTK_IS_EVENT_CONTROLLER(controller));
    va_start(pairs, first_signal);
    for (const char *signal = first_signal; signal; signal = va_arg(pairs, const char *))
        g_signal_connect(controller, signal, va_arg(pairs, GCallback), data);
    va_end(pairs);
    gtk_widget_add_controller(widget, controller);
}
