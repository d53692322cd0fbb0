/* The colours of families (docs/ui.md, Five encodings): one table. Hue = family of the wait,
 * everywhere; three lightness steps by rank within a family; hatching = not attributed to code
 * (idle, pseudo-keys); red only for stuck; the accent only for the selection. Never colour alone:
 * each use also has a label or a pattern. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/recording/category.h"

#define PM_PALETTE_STEPS 3

/* `step` 0..2: clamped. */
void pm_palette_family(PmFamily family, guint step, gboolean dark, GdkRGBA *ret_color);
void pm_palette_category(PmCategory category, guint step, gboolean dark, GdkRGBA *ret_color);
/* The colour of a band; the others' band is neutral. */
void pm_palette_band(const PmBand *band, gboolean dark, GdkRGBA *ret_color);
/* Drawn hatched with an outline. */
gboolean pm_palette_is_hatched(PmFamily family, gboolean pseudo);

typedef enum {
    PM_COLOR_PAPER,     /* behind a chart */
    PM_COLOR_INK,       /* text, lines */
    PM_COLOR_FAINT_INK, /* secondary text, axis; contrast ≥ 4.5 on paper */
    PM_COLOR_GRID,      /* lines of a grid */
    PM_COLOR_ENVELOPE,  /* min–max of parked now */
    PM_COLOR_STEP,      /* its line */
    PM_COLOR_OTHERS,    /* the band "others" */
    PM_COLOR_STUCK,     /* red: stuck and deadlock, nothing else */
    PM_COLOR_ACCENT,    /* selection, nothing else */
    PM_COLOR_GC,        /* shade of a GC pause */
    PM_COLOR_GAP,       /* crossed area: not recorded */
    PM_N_COLORS,
} PmColor;

/* In high contrast, secondary text is like the rest, and lines of a grid are stronger. */
void pm_palette_color(PmColor color, gboolean dark, GdkRGBA *ret_color);
void pm_palette_set_high_contrast(gboolean high);

/* A swatch for tables and legends: filled, or hatched with an outline. */
void pm_palette_snapshot_swatch(GtkSnapshot *snapshot, const graphene_rect_t *rect,
                                const GdkRGBA *color, gboolean hatched);
/* The same as text colour in a label: "#b0400a". Owned by the caller. */
char *pm_palette_hex(const GdkRGBA *color);
/* The focus outline of a widget that draws itself. */
void pm_palette_snapshot_focus(GtkWidget *widget, GtkSnapshot *snapshot, gboolean dark);
