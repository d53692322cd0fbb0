/* Time on a horizontal axis: conversion between instants and pixels, and the positions of ticks.
 * Plain values. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct {
    gint64 from, to; /* from < to */
    double width_px;
} PmTimescale;

double pm_timescale_x(const PmTimescale *scale, gint64 at);
/* Clamped to the scale. */
gint64 pm_timescale_at(const PmTimescale *scale, double x);

typedef struct {
    double x;
    gint64 at;
    char *label;
} PmTick;

/* Ticks at round clock times in the recording's zone, with labels at least `gap_px` apart if a
 * character is `char_px` wide. The array frees its labels. */
GArray *pm_timescale_ticks(const PmTimescale *scale, const PmRecording *recording, double char_px,
                           double gap_px);

/* The top of a y axis for `value`: a round number, never below 1. */
double pm_axis_top(double value);
