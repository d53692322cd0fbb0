/* What a command is asked about: a recording in a file, or that of a running JVM. */
#pragma once

#include "format/stream.h"
#include "recorder/parkctl/command.h"
#include "viewer/analysis/aggregation/filter.h"

/* Asks the recorder in `pid`. Complains and returns FALSE when there is no answer; `*ret_text` is
 * owned, and whatever it chose to say; `*ret_fd`, if not NULL, is the descriptor it passed, -1 when
 * none came. */
gboolean pm_target_ask(int pid, const char *request, char **ret_text, int *ret_fd);
/* What it said as one sentence to print: its first line, cleaned, of a sentence's length. Owned. */
char *pm_target_sentence(const char *text);
/* Opens the recording whose descriptor it passed, and takes the descriptor. FALSE after a
 * complaint: what came is no plain file that can be read. */
gboolean pm_target_open(int pid, int fd, struct pm_source *ret_source);
/* Reads the user's rules for categories, --categories or the default file: before a recording is
 * loaded. FALSE after a complaint. */
gboolean pm_target_categories(const PmInvocation *invocation);
/* Opens what the invocation names and loads it. Complains and returns NULL on failure. A file name
 * of digits that is no file is taken for a pid. */
PmRecording *pm_target_load(const PmInvocation *invocation);
/* The same of one name, of several. */
PmRecording *pm_target_load_file(const char *path);
/* The filter that the options describe. On failure complains and returns NULL; `ret_status` is the
 * exit status: usage, or failed for an object that is not in the recording. */
PmFilter *pm_target_filter(const PmInvocation *invocation, PmRecording *recording, int *ret_status);
/* What the invocation names, loaded and filtered: both of the above. */
PmView *pm_target_view(const PmInvocation *invocation, int *ret_status);
/* --from, --to, --at. FALSE after a complaint; `*ret_at` is untouched when the option is absent. */
gboolean pm_target_time(const PmInvocation *invocation, PmRecording *recording, PmOptionId option,
                        gint64 *ret_at);
/* The aspects of --by, `text`: PM_N_ASPECTS at most, none twice. FALSE after a complaint. */
gboolean pm_target_aspects(const PmInvocation *invocation, const char *text, PmAspect *aspects,
                           guint *ret_n);
/* --format, --limit, --sort, --chains. FALSE after a complaint. `sort_keys`: the answer's. */
gboolean pm_target_output(const PmInvocation *invocation, const char *const *sort_keys,
                          PmOutput *ret_output);
