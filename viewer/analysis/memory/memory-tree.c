#include "viewer/analysis/memory/memory-tree.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

/* Of what one row tells: a cell of a state, a sample, a listed object. */
typedef struct {
    guint32 class_index, chain, thread;
    guint64 age; /* its key */
    PmEstimate total, live, live_begin;
} Row;

/* ---- aspects ---- */

/* Ages are told apart by doubling: how many collections an object survived. */
static const struct {
    guint32 least;
    const char *text;
} ages[] = {{0, "(not known)"}, {1, "1 GC"},        {2, "2 to 3 GCs"},
            {4, "4 to 7 GCs"},  {8, "8 to 15 GCs"}, {16, "16 GCs and more"}};

static guint64 age_key(guint32 age)
{
    guint64 key = 0;
    for (guint i = 0; i < G_N_ELEMENTS(ages); i++)
        if (age >= ages[i].least)
            key = i;
    return key;
}

static gboolean is_of(PmMemoryAspect aspect, enum pm_wait_column column)
{
    return aspect < PM_N_ASPECTS && !pm_aspect_is_split((PmAspect)aspect) &&
           pm_aspects[aspect].column == column;
}

static gboolean is_of_thread(PmMemoryAspect aspect)
{
    return is_of(aspect, PM_WAIT_COLUMN_THREAD);
}

static gboolean is_of_chain(PmMemoryAspect aspect)
{
    return is_of(aspect, PM_WAIT_COLUMN_CHAIN);
}

static gboolean is_known(PmMemoryAspect aspect)
{
    return aspect == PM_MEMORY_AGE || aspect == PM_ASPECT_CLASS || is_of_thread(aspect) ||
           is_of_chain(aspect);
}

/* Snapshots do not tell it. */
static gboolean needs_samples(PmMemoryAspect aspect)
{
    return aspect == PM_MEMORY_AGE || is_of_thread(aspect);
}

const char *pm_memory_aspect_name(PmMemoryAspect aspect)
{
    return aspect == PM_MEMORY_AGE ? "age" : pm_aspect_name((PmAspect)aspect);
}

gboolean pm_memory_aspect_parse(const char *name, PmMemoryAspect *ret_aspect)
{
    for (PmMemoryAspect aspect = 0; aspect <= PM_MEMORY_AGE; aspect++) {
        if (is_known(aspect) && strcmp(name, pm_memory_aspect_name(aspect)) == 0) {
            *ret_aspect = aspect;
            return TRUE;
        }
    }
    return FALSE;
}

char *pm_memory_aspect_names(void)
{
    GString *names = g_string_new(NULL);
    for (PmMemoryAspect aspect = 0; aspect <= PM_MEMORY_AGE; aspect++)
        if (is_known(aspect))
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "",
                                   pm_memory_aspect_name(aspect));
    return g_string_free(names, FALSE);
}

guint64 pm_memory_site(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *method = &r->methods[c->frames[i].method];
        if (!pm_label_is_platform(r->classes[method->class_index].name))
            return pm_frame_pack(c->frames[i]);
    }
    return c->n_frames > 0 ? pm_frame_pack(c->frames[0]) : 0;
}

static guint64 key_of(const PmRecording *r, PmMemoryAspect aspect, const Row *row)
{
    if (aspect == PM_MEMORY_AGE)
        return row->age;
    if (aspect == PM_ASPECT_CLASS)
        return row->class_index;
    if (aspect == PM_ASPECT_SITE)
        return pm_memory_site(r, row->chain);
    return pm_aspects[aspect].key(r, is_of_thread(aspect) ? row->thread : row->chain);
}

guint64 pm_memory_key(const PmRecording *r, PmMemoryAspect aspect, guint32 class_index,
                      guint32 chain)
{
    const Row row = {.class_index = class_index, .chain = chain};
    return needs_samples(aspect) ? G_MAXUINT64 : key_of(r, aspect, &row);
}

char *pm_memory_key_text(const PmRecording *r, PmMemoryAspect aspect, guint64 key)
{
    if (aspect == PM_MEMORY_AGE)
        return g_strdup(ages[MIN(key, G_N_ELEMENTS(ages) - 1)].text);
    if (aspect == PM_ASPECT_CLASS && key == 0)
        return g_strdup("(others)");
    return pm_aspect_key_text(r, (PmAspect)aspect, key);
}

/* ---- rows ---- */

typedef struct {
    PmMemoryTree *tree;
    const PmFilter *filter;
    GHashTable *nodes; /* parent and key → PmMemoryNode */
} Building;

typedef struct {
    const PmMemoryNode *parent;
    guint64 key;
} Place;

static guint place_hash(gconstpointer data)
{
    const Place *place = data;
    return (guint)((GPOINTER_TO_SIZE(place->parent) >> 4) * 31 + place->key * 0x9E3779B1u);
}

static gboolean place_equal(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;
    return x->parent == y->parent && x->key == y->key;
}

static void node_free(gpointer data)
{
    PmMemoryNode *node = data;
    g_ptr_array_unref(node->children);
    g_free(node);
}

static PmMemoryNode *node_new(PmMemoryAspect aspect, guint64 key)
{
    PmMemoryNode *node = g_new0(PmMemoryNode, 1);
    node->aspect = aspect;
    node->key = key;
    node->children = g_ptr_array_new_with_free_func(node_free);
    return node;
}

/* Chips of one aspect are or-ed, aspects and-ed; excluding ones always exclude. */
static gboolean passes(const Building *b, const Row *row)
{
    const GArray *chips = b->filter ? b->filter->chips : NULL;
    const PmRecording *r = b->tree->recording;
    for (guint i = 0; chips && i < chips->len; i++) {
        const PmChip *chip = &g_array_index(chips, PmChip, i);
        gboolean matches = FALSE;
        for (guint k = 0; k < chips->len && !matches; k++) {
            const PmChip *other = &g_array_index(chips, PmChip, k);
            matches =
                other->aspect == chip->aspect && other->exclude == chip->exclude &&
                pm_aspect_key_matches(r, other->aspect, key_of(r, other->aspect, row), other->key);
        }
        if (matches == chip->exclude)
            return FALSE;
    }
    return TRUE;
}

static void add_to_node(PmMemoryNode *node, const Row *row)
{
    pm_estimate_add(&node->total, &row->total);
    pm_estimate_add(&node->live, &row->live);
    pm_estimate_add(&node->live_begin, &row->live_begin);
}

static void add_row(Building *b, const Row *row)
{
    if (row->total.samples == 0 && row->live.samples == 0 && row->live_begin.samples == 0)
        return;
    if (!passes(b, row))
        return;
    PmMemoryNode *node = b->tree->root;
    add_to_node(node, row);
    for (guint i = 0; i < b->tree->n_aspects; i++) {
        const Place place = {node, key_of(b->tree->recording, b->tree->aspects[i], row)};
        PmMemoryNode *child = g_hash_table_lookup(b->nodes, &place);
        if (!child) {
            child = node_new(b->tree->aspects[i], place.key);
            g_ptr_array_add(node->children, child);
            g_hash_table_insert(b->nodes, g_memdup2(&place, sizeof place), child);
        }
        add_to_node(child, row);
        node = child;
    }
}

static void add_state(Building *b, const PmMemoryState *now, const PmMemoryState *before)
{
    for (guint i = 0; i < now->n_parts; i++) {
        const PmMemoryPart *part = &now->parts[i];
        const PmMemoryPart *then =
            before ? pm_memory_state_find(before, part->class_index, part->chain) : NULL;
        Row row = {.class_index = part->class_index,
                   .chain = part->chain,
                   .total = part->total,
                   .live = part->live};
        if (then) {
            row.total = pm_estimate_since(&part->total, &then->total);
            row.live_begin = then->live;
        }
        add_row(b, &row);
    }
}

static Row row_of(const PmAllocation *object)
{
    return (Row){.class_index = object->class_index,
                 .chain = object->chain,
                 .thread = object->thread,
                 .age = age_key(object->age)};
}

static void add_samples(Building *b)
{
    const PmMemoryTree *tree = b->tree;
    const PmRecording *r = tree->recording;
    const double interval = pm_memory_interval(r, tree->to);
    const double doubt = pm_memory_doubt(r, tree->to);
    gboolean by_age = FALSE; /* which only what lives has */
    for (guint i = 0; i < tree->n_aspects; i++)
        by_age |= tree->aspects[i] == PM_MEMORY_AGE;
    for (guint i = 0; i < r->n_allocations && !by_age; i++) {
        const PmAllocation *a = &r->allocations[i];
        if (a->at < tree->first || a->at > tree->last)
            continue;
        Row row = row_of(a);
        row.total = pm_estimate_of_object(a);
        row.total.interval = interval;
        row.total.doubt = doubt;
        add_row(b, &row);
    }
    for (guint i = 0; i < r->n_live; i++) {
        Row row = row_of(&r->live[i]);
        row.live = pm_estimate_of_object(&r->live[i]);
        row.live.interval = interval;
        row.live.doubt = doubt;
        add_row(b, &row);
    }
}

/* ---- the tree ---- */

/* Of what lives at the end and of totals the greater. */
static double weight_of(const PmMemoryNode *node)
{
    return MAX(node->live.bytes, node->total.bytes);
}

static int compare_nodes(gconstpointer a, gconstpointer b)
{
    const PmMemoryNode *x = *(PmMemoryNode *const *)a, *y = *(PmMemoryNode *const *)b;
    if (x->live.bytes != y->live.bytes)
        return x->live.bytes < y->live.bytes ? 1 : -1;
    if (weight_of(x) != weight_of(y))
        return weight_of(x) < weight_of(y) ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static void sort_nodes(PmMemoryNode *node)
{
    g_ptr_array_sort(node->children, compare_nodes);
    for (guint i = 0; i < node->children->len; i++)
        sort_nodes(node->children->pdata[i]);
}

static gboolean is_chip_known(const PmFilter *filter, GError **error)
{
    for (guint i = 0; filter && filter->chips && i < filter->chips->len; i++) {
        const PmChip *chip = &g_array_index(filter->chips, PmChip, i);
        if (is_known(chip->aspect))
            continue;
        g_autofree char *names = pm_memory_aspect_names();
        g_set_error(error, PM_RECORDING_ERROR, -PM_ERROR_ARGUMENT,
                    "allocations have no %s; they have %s", pm_aspect_name(chip->aspect), names);
        return FALSE;
    }
    return TRUE;
}

static gboolean is_sampled_aspect(const PmMemoryTree *tree, const PmFilter *filter)
{
    gboolean needs = FALSE;
    for (guint i = 0; i < tree->n_aspects; i++)
        needs |= needs_samples(tree->aspects[i]);
    for (guint i = 0; filter && filter->chips && i < filter->chips->len; i++)
        needs |= needs_samples(g_array_index(filter->chips, PmChip, i).aspect);
    return needs;
}

static void build_from_states(Building *b)
{
    PmMemoryTree *tree = b->tree;
    g_autoptr(PmMemoryState) now = pm_memory_state_new(tree->recording, tree->to);
    g_autoptr(PmMemoryState) before =
        tree->since_start ? NULL : pm_memory_state_new(tree->recording, tree->from);
    if (!now)
        return;
    tree->snapshot = now->last;
    tree->last = now->last->at;
    tree->live_at = now->last->live_at;
    tree->first = before ? before->last->at : tree->recording->snapshots[0].at;
    if (tree->recording->n_allocations > 0 && !before)
        tree->first = MIN(tree->first, tree->recording->allocations[0].at);
    tree->live_begin_at = before ? before->last->live_at : G_MININT64;
    add_state(b, now, before);
}

static void build_from_samples(Building *b)
{
    PmMemoryTree *tree = b->tree;
    const PmRecording *r = tree->recording;
    for (guint i = 0; i < r->n_snapshots && r->snapshots[i].at <= tree->to; i++)
        tree->snapshot = &r->snapshots[i];
    tree->from_samples = TRUE;
    tree->first = tree->from;
    tree->last = tree->to;
    if (tree->since_start && r->n_allocations > 0)
        tree->first = r->allocations[0].at;
    tree->live_at = r->listed_at;
    add_samples(b);
}

PmMemoryTree *pm_memory_tree_new(PmRecording *recording, const PmFilter *filter,
                                 const PmMemoryAspect *aspects, guint n_aspects, GError **error)
{
    g_return_val_if_fail(recording != NULL && n_aspects <= PM_MEMORY_MOST, NULL);
    if (!is_chip_known(filter, error))
        return NULL;
    PmMemoryTree *tree = g_new0(PmMemoryTree, 1);
    tree->recording = recording;
    tree->since_start = !filter || filter->from >= filter->to;
    tree->from = tree->since_start ? 0 : CLAMP(filter->from, 0, recording->duration);
    tree->to = tree->since_start ? G_MAXINT64 : CLAMP(filter->to, tree->from, recording->duration);
    tree->live_at = tree->live_begin_at = G_MININT64;
    tree->n_aspects = n_aspects;
    memcpy(tree->aspects, aspects, n_aspects * sizeof *aspects);
    tree->root = node_new(PM_MEMORY_AGE, 0);
    Building b = {.tree = tree,
                  .filter = filter,
                  .nodes = g_hash_table_new_full(place_hash, place_equal, g_free, NULL)};
    if (is_sampled_aspect(tree, filter))
        build_from_samples(&b);
    else
        build_from_states(&b);
    g_hash_table_unref(b.nodes);
    if (tree->to == G_MAXINT64)
        tree->to = recording->duration;
    tree->last = MIN(tree->last, tree->to);
    sort_nodes(tree->root);
    return tree;
}

void pm_memory_tree_free(PmMemoryTree *tree)
{
    if (!tree)
        return;
    node_free(tree->root);
    g_free(tree);
}

double pm_memory_growth(const PmMemoryNode *node, PmBounds *ret_bounds)
{
    const PmBounds now = pm_estimate_bytes(&node->live);
    const PmBounds then = pm_estimate_bytes(&node->live_begin);
    const double growth = node->live.bytes - node->live_begin.bytes;
    /* Independent errors, as squares; one-sided each. */
    ret_bounds->low =
        growth - hypot(node->live.bytes - now.low, then.high - node->live_begin.bytes);
    ret_bounds->high =
        growth + hypot(now.high - node->live.bytes, node->live_begin.bytes - then.low);
    return growth;
}

double pm_memory_rate(const PmMemoryTree *tree, const PmMemoryNode *node)
{
    const double seconds = (double)(tree->last - tree->first) / 1e9;
    return seconds > 0 ? node->total.bytes / seconds : NAN;
}

const PmMemoryNode *pm_memory_tree_top(const PmMemoryTree *tree)
{
    const GPtrArray *first = tree->root->children;
    const gboolean charged = tree->n_aspects > 1 && (tree->aspects[0] == PM_ASPECT_ACCOUNT ||
                                                     tree->aspects[0] == PM_ASPECT_PRINCIPAL);
    return first->len == 1 && charged ? first->pdata[0] : tree->root;
}

/* Counted without gap since the recording's begin, or a sum of samples; where every object is a
 * sample, but was not so from the begin on, some of the first went by. */
PmMemoryCertainty pm_memory_certainty(const PmMemoryTree *tree, const PmEstimate *estimate,
                                      gboolean live)
{
    const PmMemorySnapshot *s = tree->snapshot;
    if (!pm_estimate_is_exact(estimate))
        return PM_MEMORY_ESTIMATED;
    if (!s || s->exact_from == G_MININT64 || tree->from_samples ||
        (live && (s->flags & PM_MEMORY_LIVE_BOUND)))
        return PM_MEMORY_AT_LEAST;
    return PM_MEMORY_EXACT;
}

const char *pm_memory_sign(PmMemoryCertainty certainty, const PmEstimate *estimate)
{
    return estimate->samples == 0             ? ""
           : certainty == PM_MEMORY_EXACT     ? ""
           : certainty == PM_MEMORY_ESTIMATED ? "~"
                                              : "≥";
}
