/* How an answer is wanted, and the few words that every answer shares. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/report/json.h"
#include "viewer/report/text.h"

typedef enum { PM_FORMAT_TEXT, PM_FORMAT_CSV, PM_FORMAT_JSON } PmFormat;

typedef struct {
    PmFormat format;
    PmTerminal terminal;
    guint limit;      /* rows, of a tree: per level; 0 = what suits the format */
    const char *sort; /* one of the answer's sort keys; NULL = its own order */
    gboolean chains;  /* whole stack traces in text */
    gboolean full;    /* every metric of each row in text */
    gboolean idle;    /* idle categories are in: of totals, which no filter has cut */
} PmOutput;

#define PM_OUTPUT_SCHEMA 1

gboolean pm_format_parse(const char *name, PmFormat *ret_format);

/* "orders.park   pid 2217   orders-service.jar"; of a live JVM without the file. Owned. */
char *pm_heading_who(const PmRecording *recording);
/* "2026-11-21 14:00:00 to 14:05:00 UTC (300.0 s)", `from` and `to` since the begin. Owned. */
char *pm_heading_range(const PmRecording *recording, gint64 from, gint64 to);
/* "300.0 s"; "15 h 52 min" of what is long, "31.2 ms" of what is short. Owned. */
char *pm_heading_span(gint64 ns);
/* "2026-11-21 14:06:23.118 UTC". Owned. */
char *pm_heading_instant(const PmRecording *recording, gint64 at, int digits);
/* "2026-11-21T14:06:23.118000000Z": in JSON. Owned. */
char *pm_heading_rfc3339(const PmRecording *recording, gint64 at);
/* Appends `left`, three blanks and `right`, on two lines where one is too short; a line feed.
 * `left` is cut to the terminal. */
void pm_heading_append_pair(GString *out, const PmTerminal *terminal, PmStyle style,
                            const char *left, const char *right);
/* That threads were renamed, and where their waits stand; NULL: none was. Owned. */
char *pm_renamed_text(const PmRecording *recording);
/* ", 3 gaps" and what else is not in the numbers; appended to a heading. */
void pm_heading_append_losses(GString *out, const PmRecording *recording, gint64 from, gint64 to);

/* "No wait matches. 2 filters and a range are set; without them 24118 waits." NULL when nothing is
 * set, so that no wait means no wait. Owned. Cost: one pass over the waits. */
char *pm_no_match_text(const PmView *view);

/* Which accounts an answer by these aspects charges, as a line; nothing when it charges none. */
void pm_accounts_append(GString *out, const PmRecording *recording, const PmAspect *aspects,
                        guint n_aspects, guint columns);
/* The same as a member "accounts" of JSON. */
void pm_accounts_json(JsonBuilder *builder, const PmRecording *recording, const PmAspect *aspects,
                      guint n_aspects);

/* Its frames, complete names, as an array member of JSON. */
void pm_chain_json(JsonBuilder *builder, const char *key, const PmRecording *recording,
                   guint32 chain);
/* Complete names, joined by " < ": CSV. Owned. */
char *pm_chain_csv(const PmRecording *recording, guint32 chain);
/* The first frame outside the locking code, "PriceCache.get (PriceCache.java:41)". Owned. */
char *pm_chain_site(const PmRecording *recording, guint32 chain);

/* The object "recording" of an answer. `waits`: those that the answer is about. */
void pm_recording_json(JsonBuilder *builder, const PmRecording *recording, gboolean since_start,
                       gint64 from, gint64 to, gint64 recorded, gint64 waits);
/* Begins an answer about a view: an object with its schema and "recording". Owned. */
JsonBuilder *pm_answer_json_begin(const PmView *view);
/* Ends and appends it. */
void pm_answer_json_end(JsonBuilder *builder, GString *out);
