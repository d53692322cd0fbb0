#include "viewer/ui/widgets/name-label.h"

#include <string.h>

#include "viewer/report/frame-text.h"
#include "viewer/ui/model/sentence.h"

struct _PmNameLabel {
    GtkWidget parent_instance;
    char *text, *alike; /* alike: the text that is that of others too; NULL = none */
    gboolean site_alike;
    int width_chars, max_width_chars; /* max: 0 = none */
};

G_DEFINE_FINAL_TYPE(PmNameLabel, pm_name_label, GTK_TYPE_WIDGET)

static int width_of(PangoLayout *layout, const char *text)
{
    int width;

    pango_layout_set_text(layout, text, -1);
    pango_layout_get_pixel_size(layout, &width, NULL);
    return width;
}

char *pm_name_label_fit(PmNameLabel *label, int width)
{
    g_return_val_if_fail(PM_IS_NAME_LABEL(label), NULL);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(label), NULL);
    char *text = g_strdup(label->text), *shorter;

    while (width_of(layout, text) > width) {
        shorter = label->site_alike ? pm_frame_text_shorter_site(text)
                  : label->alike    ? pm_frame_text_shorter_object(text)
                                    : pm_frame_text_shorter(text);
        if (!shorter)
            break;
        if (!g_strcmp0(shorter, label->alike)) {
            g_free(shorter);
            break;
        }
        g_free(text);
        text = shorter;
    }
    char *placed = pm_sentence_left_to_right(text);
    g_free(text);
    return placed;
}

/* The first `head` letters, "…", and those from `tail` on. Owned. */
static char *without_between(const gunichar *letters, glong head, glong tail, glong n)
{
    GString *text = g_string_new(NULL);

    for (glong i = 0; i < n; i++) {
        if (i == head && (!head || letters[head - 1] != 0x2026))
            g_string_append_unichar(text, 0x2026);
        if (i < head || i >= tail)
            g_string_append_unichar(text, letters[i]);
    }
    return g_string_free(text, FALSE);
}

/* Letters that are written from the right, or on top of others, are Pango's to cut. */
static gboolean is_plain(const gunichar *letters, glong n)
{
    for (glong i = 0; i < n; i++)
        if (letters[i] > 0x2e7f || g_unichar_ismark(letters[i]) ||
            (letters[i] >= 0x590 && letters[i] < 0x1e00))
            return FALSE;
    return TRUE;
}

char *pm_name_label_shown(PmNameLabel *label, int width)
{
    g_return_val_if_fail(PM_IS_NAME_LABEL(label), NULL);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(label), NULL);
    char *text = pm_name_label_fit(label, width);
    glong n;
    g_autofree gunichar *letters = g_utf8_to_ucs4_fast(text, -1, &n);

    if (width_of(layout, text) <= width || !is_plain(letters, n))
        return text;
    glong dot = n - 1;
    while (dot > 0 && letters[dot] != '.')
        dot--;
    /* A method is whole as long as anything stands before it. */
    for (int by_method = dot > 1; by_method >= 0; by_method--) {
        g_autofree char *best = NULL;
        glong low = 1, high = by_method ? dot : n;
        while (low < high) { /* the most letters that have room */
            const glong kept = (low + high) / 2;
            char *cut = without_between(letters, by_method ? kept : (kept + 1) / 2,
                                        by_method ? dot : n - kept / 2, n);
            const gboolean fits = width_of(layout, cut) <= width;
            g_free(fits ? best : cut);
            best = fits ? cut : best;
            low = fits ? kept + 1 : low;
            high = fits ? high : kept;
        }
        if (best) {
            g_free(text);
            return g_steal_pointer(&best);
        }
    }
    return text;
}

static void pm_name_label_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    PmNameLabel *label = PM_NAME_LABEL(widget);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, label->text);
    PangoFontMetrics *metrics =
        pango_context_get_metrics(pango_layout_get_context(layout), NULL, NULL);
    int width, height;

    pango_layout_get_pixel_size(layout, &width, &height);
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        const int letter = MAX(pango_font_metrics_get_approximate_char_width(metrics),
                               pango_font_metrics_get_approximate_digit_width(metrics));
        *minimum = label->width_chars * letter / PANGO_SCALE;
        *natural = MAX(width, *minimum);
        if (label->max_width_chars)
            *natural = MIN(*natural, label->max_width_chars * letter / PANGO_SCALE);
        *minimum = MIN(width, *minimum);
    } else {
        *minimum = *natural = height;
        *minimum_baseline = *natural_baseline = PANGO_PIXELS(pango_layout_get_baseline(layout));
    }
    pango_font_metrics_unref(metrics);
}

static void pm_name_label_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    const int width = gtk_widget_get_width(widget);
    g_autofree char *text = pm_name_label_shown(PM_NAME_LABEL(widget), width);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
    const int baseline = gtk_widget_get_allocated_baseline(widget);
    int height;

    pango_layout_set_auto_dir(layout,
                              FALSE); /* whatever the letters: names stand below each other */
    pango_layout_set_width(layout, width * PANGO_SCALE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    pango_layout_get_pixel_size(layout, NULL, &height);
    gtk_snapshot_render_layout(snapshot, gtk_widget_get_style_context(widget), 0,
                               baseline >= 0
                                   ? baseline - PANGO_PIXELS(pango_layout_get_baseline(layout))
                                   : (gtk_widget_get_height(widget) - height) / 2.0,
                               layout);
}

void pm_name_label_set_text(PmNameLabel *label, const char *text)
{
    g_return_if_fail(PM_IS_NAME_LABEL(label) && text);
    if (!strcmp(label->text, text))
        return;
    g_free(label->text);
    label->text = g_strdup(text);
    gtk_widget_set_tooltip_text(GTK_WIDGET(label), text);
    gtk_accessible_update_property(GTK_ACCESSIBLE(label), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
    gtk_widget_queue_resize(GTK_WIDGET(label));
}

void pm_name_label_set_alike(PmNameLabel *label, const char *shortest, gboolean site)
{
    g_return_if_fail(PM_IS_NAME_LABEL(label));
    if (!g_strcmp0(label->alike, shortest) && label->site_alike == site)
        return;
    g_free(label->alike);
    label->alike = g_strdup(shortest);
    label->site_alike = site;
    gtk_widget_queue_draw(GTK_WIDGET(label));
}

static gboolean has_form(const char *text, const char *form)
{
    g_auto(GStrv) forms = pm_frame_text_forms(text);

    return g_strv_contains((const char *const *)forms, form);
}

/* The longest form of `text` that `other` has too; NULL if there is none, or if it is all of
 * `text`: then the other one is not cut so far. Owned. */
static char *common_form(const char *text, const char *other)
{
    g_auto(GStrv) forms = pm_frame_text_forms(text);

    for (char **form = forms; *form; form++)
        if (has_form(other, *form))
            return form == forms ? NULL : g_strdup(*form);
    return NULL;
}

void pm_name_labels_tell_apart(PmNameLabel *const *labels, guint n)
{
    for (guint i = 0; i < n; i++) {
        g_autofree char *longest = NULL;
        for (guint k = 0; k < n; k++) {
            char *common = k == i ? NULL : common_form(labels[i]->text, labels[k]->text);
            if (common && (!longest || strlen(common) > strlen(longest))) {
                g_free(longest);
                longest = common;
            } else {
                g_free(common);
            }
        }
        pm_name_label_set_alike(labels[i], longest, FALSE);
    }
}

const char *pm_name_label_get_text(PmNameLabel *label)
{
    g_return_val_if_fail(PM_IS_NAME_LABEL(label), NULL);
    return label->text;
}

void pm_name_label_set_width_chars(PmNameLabel *label, int least, int most)
{
    g_return_if_fail(PM_IS_NAME_LABEL(label));
    label->width_chars = least;
    label->max_width_chars = most;
    gtk_widget_queue_resize(GTK_WIDGET(label));
}

static void pm_name_label_finalize(GObject *object)
{
    g_free(PM_NAME_LABEL(object)->text);
    g_free(PM_NAME_LABEL(object)->alike);
    G_OBJECT_CLASS(pm_name_label_parent_class)->finalize(object);
}

static void pm_name_label_class_init(PmNameLabelClass *class)
{
    G_OBJECT_CLASS(class)->finalize = pm_name_label_finalize;
    GTK_WIDGET_CLASS(class)->measure = pm_name_label_measure;
    GTK_WIDGET_CLASS(class)->snapshot = pm_name_label_snapshot;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "label");
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_LABEL);
}

static void pm_name_label_init(PmNameLabel *label)
{
    label->text = g_strdup("");
    label->width_chars = 6;
}

GtkWidget *pm_name_label_new(void)
{
    return g_object_new(PM_TYPE_NAME_LABEL, NULL);
}
