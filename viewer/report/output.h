/* Output options, and text shared by all kinds of output. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/report/json.h"
#include "viewer/report/text.h"

typedef enum { PM_FORMAT_TEXT, PM_FORMAT_CSV, PM_FORMAT_JSON } PmFormat;

typedef struct {
    PmFormat format;
    PmTerminal terminal;
    guint limit;      /* rows (for a tree, per level); 0 = the format's default */
    const char *sort; /* one of the output's sort keys; NULL = its default order */
    gboolean chains;  /* whole stack traces in text */
    gboolean full;    /* every metric of each row in text */
    gboolean idle;    /* idle categories are included: for totals, to which no filter applies */
} PmOutput;

#define PM_OUTPUT_SCHEMA 1

gboolean pm_format_parse(const char *name, PmFormat *ret_format);

/* "orders.park   pid 2217   orders-service.jar"; of a live JVM without the file. Owned. */
char *pm_heading_who(const PmRecording *recording);
/* "2026-11-21 14:00:00 to 14:05:00 UTC (300.0 s)", `from` and `to` since the begin. Owned. */
char *pm_heading_range(const PmRecording *recording, gint64 from, gint64 to);
/* "300.0 s"; "15 h 52 min" if long, "31.2 ms" if short. Owned. */
char *pm_heading_span(gint64 ns);
/* "2026-11-21 14:06:23.118 UTC". Owned. */
char *pm_heading_instant(const PmRecording *recording, gint64 at, int digits);
/* "2026-11-21T14:06:23.118000000Z": in JSON. Owned. */
char *pm_heading_rfc3339(const PmRecording *recording, gint64 at);
/* Appends `left`, three blanks and `right`, on two lines if one is too short, and a line feed.
 * `left` is truncated to the terminal. */
void pm_heading_append_pair(GString *out, const PmTerminal *terminal, PmStyle style,
                            const char *left, const char *right);
/* Says that threads were renamed, and under which names their waits are listed; NULL: none was.
 * Owned. */
char *pm_renamed_text(const PmRecording *recording);
/* ", 3 gaps" and anything else that is missing from the numbers; appended to a heading. */
void pm_heading_append_losses(GString *out, const PmRecording *recording, gint64 from, gint64 to);

/* "No wait matches. 2 filters and a range are set; without them 24118 waits." NULL if nothing is
 * set, so that there really is no wait. Owned. Cost: one pass over the waits. */
char *pm_no_match_text(const PmView *view);

/* A line about the accounts charged by output with these aspects; nothing if there are none. */
void pm_accounts_append(GString *out, const PmRecording *recording, const PmAspect *aspects,
                        guint n_aspects, guint columns);
/* The same as a member "accounts" of JSON. */
void pm_accounts_json(JsonBuilder *builder, const PmRecording *recording, const PmAspect *aspects,
                      guint n_aspects);

/* Its frames, with full names, as an array member in JSON. */
void pm_chain_json(JsonBuilder *builder, const char *key, const PmRecording *recording,
                   guint32 chain);
/* Complete names, joined by " < ": CSV. Owned. */
char *pm_chain_csv(const PmRecording *recording, guint32 chain);
/* The first frame outside the locking code, "PriceCache.get (PriceCache.java:41)". Owned. */
char *pm_chain_site(const PmRecording *recording, guint32 chain);

/* The object "recording" of the output. `waits`: those that the output is about. */
void pm_recording_json(JsonBuilder *builder, const PmRecording *recording, gboolean since_start,
                       gint64 from, gint64 to, gint64 recorded, gint64 waits);
/* Begins output about a view: an object with its schema and "recording". Owned. */
JsonBuilder *pm_answer_json_begin(const PmView *view);
/* Ends and appends it. */
void pm_answer_json_end(JsonBuilder *builder, GString *out);
