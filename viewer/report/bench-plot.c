/* bench-plot IN.json OUT.svg|OUT.png: draws
 *   {"title","subtitle","x_label","y_label","x_log":true|false,"y_min","y_max",
 *    "series":[{"name","points":[[x,y],…]},…]}
 * Every member but "series" may be missing. Exit status 0, 1 (message on stderr), 2 (usage). */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "viewer/report/plot.h"

typedef struct {
    char *name;
    GArray *x, *y; /* of double */
} Line;

static double number_of(JsonNode *node)
{
    return node && JSON_NODE_HOLDS_VALUE(node) &&
                   g_type_is_a(json_node_get_value_type(node), G_TYPE_INT64)
               ? (double)json_node_get_int(node)
           : node && json_node_get_value_type(node) == G_TYPE_DOUBLE ? json_node_get_double(node)
                                                                     : NAN;
}

static void add_points(Line *line, JsonArray *points)
{
    for (guint i = 0; points && i < json_array_get_length(points); i++) {
        JsonNode *node = json_array_get_element(points, i);
        JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
        if (!pair || json_array_get_length(pair) != 2)
            continue;
        double x = number_of(json_array_get_element(pair, 0));
        double y = number_of(json_array_get_element(pair, 1));
        g_array_append_val(line->x, x);
        g_array_append_val(line->y, y);
    }
}

static const char *text_member(JsonObject *object, const char *key)
{
    return json_object_get_string_member_with_default(object, key, NULL);
}

static gboolean plot(JsonObject *root, const char *path, GError **error)
{
    JsonNode *node = json_object_get_member(root, "series");
    JsonArray *all = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    guint n = all ? json_array_get_length(all) : 0;
    g_autofree Line *lines = g_new0(Line, n + 1);
    g_autofree PmPlotSeries *series = g_new0(PmPlotSeries, n + 1);

    for (guint i = 0; i < n; i++) {
        JsonNode *element = json_array_get_element(all, i);
        JsonObject *object = JSON_NODE_HOLDS_OBJECT(element) ? json_node_get_object(element) : NULL;
        JsonNode *points = object ? json_object_get_member(object, "points") : NULL;
        lines[i].x = g_array_new(FALSE, FALSE, sizeof(double));
        lines[i].y = g_array_new(FALSE, FALSE, sizeof(double));
        if (points && JSON_NODE_HOLDS_ARRAY(points))
            add_points(&lines[i], json_node_get_array(points));
        series[i].name =
            object ? json_object_get_string_member_with_default(object, "name", "?") : "?";
        series[i].n = lines[i].x->len;
        series[i].x = (const double *)lines[i].x->data;
        series[i].y = (const double *)lines[i].y->data;
    }
    PmPlot chart = {
        .title = text_member(root, "title"),
        .subtitle = text_member(root, "subtitle"),
        .x_label = text_member(root, "x_label"),
        .y_label = text_member(root, "y_label"),
        .x_log = json_object_get_boolean_member_with_default(root, "x_log", FALSE),
        .y_min = number_of(json_object_get_member(root, "y_min")),
        .y_max = number_of(json_object_get_member(root, "y_max")),
        .n_series = n,
        .series = series,
    };
    gboolean done = pm_plot_write(&chart, path, error);
    for (guint i = 0; i < n; i++) {
        g_array_free(lines[i].x, TRUE);
        g_array_free(lines[i].y, TRUE);
    }
    return done;
}

int main(int argc, char **argv)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) error = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: bench-plot IN.json OUT.svg|OUT.png\n");
        return 2;
    }
    if (!json_parser_load_from_file(parser, argv[1], &error)) {
        fprintf(stderr, "bench-plot: %s: %s\n", argv[1], error->message);
        return 1;
    }
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        fprintf(stderr, "bench-plot: %s: no JSON object\n", argv[1]);
        return 1;
    }
    if (!plot(json_node_get_object(root), argv[2], &error)) {
        fprintf(stderr, "bench-plot: %s\n", error->message);
        return 1;
    }
    return 0;
}
