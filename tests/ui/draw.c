/* draw FOLDER NAME LOOK FILE VIEW…: draws views of a recording, of no recording (FILE is -) or of
 * what is none, at each size with each size of letters: FOLDER/NAME-VIEW-SIZE-LETTERS-LOOK.png. A
 * view is a page, `selected` (the first row of the tree), `range` (four seconds, with idle) or
 * `state`. The colours are those of its environment. For `pictures`; one process draws many, as
 * starting takes longer than drawing. */
#include <stdio.h>
#include <string.h>

#include "tests/ui/drive.h"

static const int sizes[][2] = {{800, 600}, {1280, 800}, {1920, 1080}};
static const char *const letters[] = {"10", "12.5", "15"};

static void select_first(PmState *state)
{
    const PmResults *results = pm_state_get_results(state);
    const PmTreeNode *root = results && results->tree ? results->tree->root : NULL;

    if (root && root->n_children)
        pm_state_select_key(state, root->children[0]->aspect, root->children[0]->key);
}

static void show(PmWindow *window, const char *view)
{
    PmState *state = pm_window_get_state(window);
    const gboolean range = g_str_equal(view, "range");
    PmPage page = PM_PAGE_TREE;
    gint64 from, to;

    if (g_str_equal(view, "state"))
        return;
    if (!pm_page_parse(view, &page) && !range && !g_str_equal(view, "selected"))
        g_error("unknown view %s", view);
    pm_state_get_whole(state, &from, &to);
    pm_state_set_idle(state, range);
    pm_state_set_range(state, range ? from + 2000000000 : 0, range ? from + 6000000000 : 0);
    pm_state_set_selection(state, NULL);
    pm_state_set_page(state, page);
    drive_settle(window);
    if (!g_str_equal(view, "selected"))
        return;
    select_first(state);
    pm_state_set_detail(state, TRUE);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 6) {
        fprintf(stderr, "usage: draw FOLDER NAME LOOK FILE|- VIEW...\n");
        return 2;
    }
    if (!drive_init(&argc, &argv))
        return 77;
    for (guint l = 0; l < G_N_ELEMENTS(letters); l++) {
        g_autofree char *font = g_strconcat("Sans ", letters[l], NULL);
        g_object_set(gtk_settings_get_default(), "gtk-font-name", font, NULL);
        PmWindow *window = drive_open(g_str_equal(argv[4], "-") ? NULL : argv[4]);
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
            gtk_window_set_default_size(GTK_WINDOW(window), sizes[s][0], sizes[s][1]);
            for (int v = 5; v < argc; v++) {
                g_autofree char *path =
                    g_strdup_printf("%s/%s-%s-%dx%d-%s-%s.png", argv[1], argv[2], argv[v],
                                    sizes[s][0], sizes[s][1], letters[l], argv[3]);
                show(window, argv[v]);
                drive_settle(window);
                if (!pm_window_save_png(window, path, &error))
                    g_error("%s: %s", path, error->message);
            }
        }
        gtk_window_destroy(GTK_WINDOW(window));
    }
    if (*drive_said())
        fputs(drive_said(), stderr);
    return 0;
}
