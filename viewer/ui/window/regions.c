#include "viewer/ui/window/regions.h"

#include "viewer/ui/charts/charts.h"
#include "viewer/ui/widgets/element.h"

#define DIVIDER_PX 8 /* at most */

struct _PmRegions {
    GtkWidget parent_instance;
    GtkWidget *top, *charts, *paned;
    GtkWidget *page, *detail; /* in frames, which are hidden in their place: they can be measured */
    int width, height;        /* last allocated to the paned */
    gboolean shown;
    gboolean told;                  /* that it is squeezed */
    gboolean placed, narrow, under; /* as it is, or will be in an idle handler */
    gboolean squeezed;              /* there is no room for both; as these */
    guint idle;
};

G_DEFINE_FINAL_TYPE(PmRegions, pm_regions, GTK_TYPE_WIDGET)

enum { SQUEEZED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void pm_regions_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                               int *minimum, int *natural, int *minimum_baseline,
                               int *natural_baseline)
{
    PmRegions *regions = PM_REGIONS(widget);
    GtkWidget *children[] = {regions->top, regions->charts, regions->paned};

    for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
        int child_minimum, child_natural;
        gtk_widget_measure(children[i], orientation, -1, &child_minimum, &child_natural, NULL,
                           NULL);
        if (orientation == GTK_ORIENTATION_HORIZONTAL) {
            *minimum = MAX(*minimum, child_minimum);
            *natural = MAX(*natural, child_natural);
        } else {
            *minimum += child_minimum;
            *natural += child_natural;
        }
    }
}

static GtkWidget *frame_new(GtkWidget *child)
{
    GtkWidget *frame = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    gtk_widget_set_hexpand(child, TRUE);
    gtk_box_append(GTK_BOX(frame), child);
    return frame;
}

static void update_shown(PmRegions *regions)
{
    gtk_widget_set_visible(gtk_widget_get_parent(regions->detail), regions->shown);
    gtk_widget_set_visible(gtk_widget_get_parent(regions->page),
                           !regions->shown || !regions->squeezed);
}

/* What the window gains or loses is the page's. */
static void let_page_resize(PmRegions *regions, gboolean page)
{
    gtk_paned_set_resize_start_child(GTK_PANED(regions->paned), page);
    gtk_paned_set_resize_end_child(GTK_PANED(regions->paned), !page);
}

/* Sides change in an idle handler: a size must not change while sizes are given. */
static gboolean rotate_cb(gpointer data)
{
    PmRegions *regions = data;
    const double scale = pm_element_letter_scale(GTK_WIDGET(regions));
    int detail = MIN(PM_DETAIL_WIDTH_PX, regions->width * 36 / 100);

    /* Large letters take more where the page has plenty. */
    detail = MAX(detail, MIN((int)(PM_DETAIL_WIDTH_PX * scale), regions->width * 28 / 100));
    regions->idle = 0;
    if (regions->squeezed != regions->told) {
        regions->told = regions->squeezed;
        g_signal_emit(regions, signals[SQUEEZED], 0);
    }
    update_shown(regions);
    /* GtkPaned takes a height for a growing width when it is turned: what comes next is not a
     * change of the page's size. */
    let_page_resize(regions, FALSE);
    gtk_orientable_set_orientation(GTK_ORIENTABLE(regions->paned),
                                   regions->under ? GTK_ORIENTATION_VERTICAL
                                                  : GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_set_position(GTK_PANED(regions->paned), regions->under
                                                          ? regions->height * 55 / 100
                                                          : MAX(regions->width - detail, 300));
    /* Even if nothing moved: what comes after that is one. */
    gtk_widget_queue_allocate(GTK_WIDGET(regions));
    return G_SOURCE_REMOVE;
}

static int minimum_width(GtkWidget *widget)
{
    int minimum;

    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
    return minimum;
}

/* Beside the detail pane. */
static int most_of_page(const PmRegions *regions, int width)
{
    return width - minimum_width(regions->detail) - DIVIDER_PX;
}

static gboolean divide_cb(gpointer data)
{
    PmRegions *regions = data;

    regions->idle = 0;
    gtk_paned_set_position(GTK_PANED(regions->paned), most_of_page(regions, regions->width));
    gtk_widget_queue_allocate(GTK_WIDGET(regions));
    return G_SOURCE_REMOVE;
}

/* Where the detail pane goes at this size, if anywhere; when that changes, so does the divider. */
static void place_detail(PmRegions *regions, int width, int height)
{
    gboolean narrow = width < PM_REGIONS_NARROW_PX, under = narrow && height >= PM_REGIONS_LOW_PX;

    gboolean squeezed = !under && minimum_width(regions->page) > most_of_page(regions, width);
    /* The divider leaves the pane what it needs. */
    if (!regions->idle && !under && !squeezed && regions->shown &&
        gtk_paned_get_position(GTK_PANED(regions->paned)) > most_of_page(regions, width))
        regions->idle = g_idle_add_full(G_PRIORITY_HIGH_IDLE, divide_cb, regions, NULL);
    if (regions->placed && narrow == regions->narrow && under == regions->under &&
        squeezed == regions->squeezed)
        return;
    regions->placed = TRUE;
    regions->narrow = narrow;
    regions->under = under;
    regions->squeezed = squeezed;
    g_clear_handle_id(&regions->idle, g_source_remove);
    regions->idle = g_idle_add_full(G_PRIORITY_HIGH_IDLE, rotate_cb, regions, NULL);
}

static void pm_regions_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    PmRegions *regions = PM_REGIONS(widget);
    int top_height, charts_minimum, paned_minimum, y = 0;

    gtk_widget_measure(regions->top, GTK_ORIENTATION_VERTICAL, width, NULL, &top_height, NULL,
                       NULL);
    gtk_widget_measure(regions->charts, GTK_ORIENTATION_VERTICAL, -1, &charts_minimum, NULL, NULL,
                       NULL);
    gtk_widget_measure(regions->paned, GTK_ORIENTATION_VERTICAL, -1, &paned_minimum, NULL, NULL,
                       NULL);
    int charts_height = MIN(pm_charts_height_for(height), height - top_height - paned_minimum);
    charts_height = MAX(charts_height, charts_minimum);
    gtk_widget_size_allocate(regions->top, &(GtkAllocation){0, y, width, top_height}, -1);
    y += top_height;
    gtk_widget_size_allocate(regions->charts, &(GtkAllocation){0, y, width, charts_height}, -1);
    y += charts_height;
    int rest = MAX(height - y, paned_minimum);
    regions->width = width;
    regions->height = rest;
    place_detail(regions, width, rest);
    gtk_widget_size_allocate(regions->paned, &(GtkAllocation){0, y, width, rest}, -1);
    if (!regions->idle)
        let_page_resize(regions, TRUE);
}

static void pm_regions_dispose(GObject *object)
{
    PmRegions *regions = PM_REGIONS(object);

    g_clear_handle_id(&regions->idle, g_source_remove);
    g_clear_pointer(&regions->top, gtk_widget_unparent);
    g_clear_pointer(&regions->charts, gtk_widget_unparent);
    g_clear_pointer(&regions->paned, gtk_widget_unparent);
    G_OBJECT_CLASS(pm_regions_parent_class)->dispose(object);
}

static void pm_regions_class_init(PmRegionsClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_regions_dispose;
    widget_class->measure = pm_regions_measure;
    widget_class->size_allocate = pm_regions_size_allocate;
    signals[SQUEEZED] = g_signal_new("squeezed", PM_TYPE_REGIONS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                     NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_css_name(widget_class, "regions");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void pm_regions_init(PmRegions *regions)
{
}

GtkWidget *pm_regions_new(GtkWidget *top, GtkWidget *charts, GtkWidget *page, GtkWidget *detail)
{
    PmRegions *regions = g_object_new(PM_TYPE_REGIONS, NULL);

    regions->top = top;
    regions->charts = charts;
    regions->page = page;
    regions->detail = detail;
    regions->paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    pm_element_set_name(GTK_WIDGET(regions), "The recording");
    pm_element_set_name(regions->paned, "Page and details");
    gtk_paned_set_start_child(GTK_PANED(regions->paned), frame_new(page));
    gtk_paned_set_end_child(GTK_PANED(regions->paned), frame_new(detail));
    let_page_resize(regions, TRUE);
    gtk_paned_set_shrink_start_child(GTK_PANED(regions->paned), FALSE);
    /* Else the window would be as wide as both. */
    gtk_paned_set_shrink_end_child(GTK_PANED(regions->paned), TRUE);
    gtk_widget_set_parent(top, GTK_WIDGET(regions));
    gtk_widget_set_parent(charts, GTK_WIDGET(regions));
    gtk_widget_set_parent(regions->paned, GTK_WIDGET(regions));
    return GTK_WIDGET(regions);
}

void pm_regions_show_detail(PmRegions *regions, gboolean shown)
{
    g_return_if_fail(PM_IS_REGIONS(regions));
    regions->shown = shown;
    update_shown(regions);
}

gboolean pm_regions_is_squeezed(PmRegions *regions)
{
    g_return_val_if_fail(PM_IS_REGIONS(regions), FALSE);
    return regions->told;
}
