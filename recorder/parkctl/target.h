/* The target of a command: a recording in a file, or that of a running JVM. */
#pragma once

#include "format/reader.h"
#include "recorder/parkctl/command.h"
#include "viewer/analysis/aggregation/filter.h"

/* Sends a request to the recorder in `pid` on this machine. FALSE: there is no answer, and
 * `*ret_why`, owned, says why. `*ret_text` is owned, and untrusted; `*ret_fd`, if not NULL, is the
 * descriptor it passed, -1 if none. */
gboolean pm_target_request(int pid, const char *request, char **ret_text, int *ret_fd,
                           char **ret_why);
/* Sends a request to the recorder that the invocation names, here or through --via. FALSE after an
 * error message. */
gboolean pm_target_ask(const PmInvocation *invocation, const char *request, char **ret_text);
/* Its answer as one printable sentence: the first line, cleaned, of limited length. Owned. */
char *pm_target_sentence(const char *text);
/* The JVMs with a recorder on this machine, or `all` of them, as JSON; owned. NULL: `*ret_why`,
 * owned, says why. */
char *pm_list_json(gboolean all, char **ret_why);
/* A descriptor of the recording of `pid`, on this machine; -1: there is none that can be read.
 * `*ret_why`: owned. */
int pm_target_dump(int pid, char **ret_why);
/* A descriptor of the recording of the recorder that the invocation names: of its file, or through
 * --via of a private copy (of the last `maxage_ns`, 0 = all). `*ret_name`: its name for messages,
 * owned. -1 after an error message. */
int pm_target_recording(const PmInvocation *invocation, gint64 maxage_ns, char **ret_name);
/* --maxage in ns, 0 = none. FALSE after an error message. */
gboolean pm_target_maxage(const PmInvocation *invocation, gint64 *ret_ns);
/* The last instant covered by a recording. */
gint64 pm_target_last(const struct pm_reader *reader);
/* Reads the user's rules for categories, --categories or the default file: before a recording is
 * loaded. FALSE after an error message. */
gboolean pm_target_categories(const PmInvocation *invocation);
/* Opens what the invocation names and loads it. Complains and returns NULL on failure. A file name
 * of digits that is no file is taken for a pid. */
PmRecording *pm_target_load(const PmInvocation *invocation);
/* The same of one name, of several. */
PmRecording *pm_target_load_file(const char *path);
/* The filter that the options describe. On failure complains and returns NULL; `ret_status` is the
 * exit status: usage, or failed for an object that is not in the recording. */
PmFilter *pm_target_filter(const PmInvocation *invocation, PmRecording *recording, int *ret_status);
/* Of that filter the chips of --ASPECT=VALUE; FALSE after an error message. */
gboolean pm_target_chips(const PmInvocation *invocation, PmFilter *filter);
/* --accounts: whom waits and allocations are charged to. FALSE after an error message. */
gboolean pm_target_accounts(const PmInvocation *invocation, PmRecording *recording);
/* What the invocation names, loaded and filtered: both of the above. */
PmView *pm_target_view(const PmInvocation *invocation, int *ret_status);
/* --from, --to, --at. FALSE after a complaint; `*ret_at` is untouched when the option is absent. */
gboolean pm_target_time(const PmInvocation *invocation, PmRecording *recording, PmOptionId option,
                        gint64 *ret_at);
/* The aspects of --by, without it those of `text`: PM_N_ASPECTS at most, none twice. FALSE after an
 * error message. */
gboolean pm_target_aspects(const PmInvocation *invocation, const char *text, PmAspect *aspects,
                           guint *ret_n);
/* --format, --limit, --sort, --chains. FALSE after an error message. `sort_keys`: the answer's. */
gboolean pm_target_output(const PmInvocation *invocation, const char *const *sort_keys,
                          PmOutput *ret_output);
