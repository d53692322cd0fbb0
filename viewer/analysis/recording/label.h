/* Names of things, used everywhere (docs/ui.md, Five encodings). The caller owns every returned
 * string. */
#pragma once

#include "viewer/analysis/recording/recording.h"

/* "ReentrantLock" for java.util.concurrent.locks.ReentrantLock$NonfairSync, "ReentrantLock (fair)"
 * for $FairSync; "$Lambda$12/0x…" → "$Lambda", "$Proxy12" → "$Proxy", "GeneratedMethodAccessor7" →
 * "…Accessor"; "PriceCache (initialisation)" for the blocker com.acme.PriceCache.<clinit>; package
 * left out. */
char *pm_label_class(const char *class_name);
/* "PriceCache.get" */
char *pm_label_method(const PmRecording *recording, guint32 method);
/* "PriceCache.get (PriceCache.java:41)"; native: "Unsafe.park (native)" */
char *pm_label_frame(const PmRecording *recording, PmFrame frame);
/* "com.acme.PriceCache.get(PriceCache.java:41)": JSON, clipboard */
char *pm_label_frame_full(const PmRecording *recording, PmFrame frame);
/* The identity hash code, "4f3c91d2"; NULL if it is not a single object: a null blocker, or the
 * shared row of a site. Owned. */
char *pm_label_hash(const PmRecording *recording, guint32 blocker);
/* "ReentrantLock 4f3c91d2"; "(none)" for a null blocker */
char *pm_label_blocker_short(const PmRecording *recording, guint32 blocker);
/* "PriceCache.lock", the field through which it was first waited for; NULL if unknown. */
char *pm_label_field(const PmRecording *recording, guint32 blocker);
/* "ReentrantLock 4f3c91d2 · PriceCache.lock"; the short form if the field is unknown: where the
 * site is said beside it */
char *pm_label_blocker_field(const PmRecording *recording, guint32 blocker);
/* The same, with the site, "ReentrantLock 4f3c91d2 · PriceCache.get", if the field is unknown */
char *pm_label_blocker(const PmRecording *recording, guint32 blocker);
/* The field of all that are alike; NULL if it is unknown, or not the same. */
char *pm_label_alike_field(const PmRecording *recording, guint32 blocker);
/* "FutureTask (973) · ReportService.render", for similar blockers, with their field if that is
 * known; for a single one as above */
char *pm_label_alike(const PmRecording *recording, guint32 blocker);
/* How many they are: "973"; "≥ 973" if more that the recorder put together are among them. */
char *pm_label_count(guint n, gboolean more);
/* What such blockers are, in the plural: "objects of class FutureTask", "conditions of
 * LinkedBlockingQueue". */
char *pm_label_objects(const PmRecording *recording, guint32 blocker, guint32 chain);
/* The innermost frame that is not of what locks are made of; as many as there are frames if all
 * are. */
guint32 pm_label_taking_frame(const PmRecording *recording, guint32 chain);
/* True for frames of java.base's locking code, which a site is outside of (one table). */
gboolean pm_label_is_locking(const char *class_name, const char *method_name);
/* Whether one of these methods (NULL-terminated) is between the wait and its site, or is the site.
 */
gboolean pm_label_waits_in(const PmRecording *recording, guint32 chain, const char *const *methods);
/* Whether it waits there for room in a queue. */
gboolean pm_label_waits_for_room(const PmRecording *recording, guint32 chain);
/* Whether one of the innermost `max` frames is that method of that class, a pattern with `*`. */
gboolean pm_label_is_within(const PmRecording *recording, guint32 chain, guint max,
                            const char *class_pattern, const char *method);
/* Is it the call that waits for the next connection? */
gboolean pm_label_is_accept(const PmRecording *recording, guint32 method);
/* Whether the frame calls what sleeps, or parks for a while. */
gboolean pm_label_calls_pause(const PmRecording *recording, guint32 chain, gint frame);
/* Whether it is in a task of a pool; of a pool or a FutureTask that anything else runs. */
gboolean pm_label_is_in_pool(const PmRecording *recording, guint32 chain);
gboolean pm_label_is_in_task(const PmRecording *recording, guint32 chain);
/* Whether the JVM ran the program's main() in it, if it was not renamed: its id is 1, in JDK 25 3.
 */
gboolean pm_label_is_main(const PmThread *thread);
/* Whether it is a thread of the JDK's own scheduler of virtual threads. */
gboolean pm_label_is_carrier(const PmThread *thread);
/* Whether a carrier tells there that a virtual thread has ended. */
gboolean pm_label_ends_virtual_thread(const PmRecording *recording, guint32 chain);
/* True for what runs programs in Kotlin, Scala, Groovy, Clojure, Ruby, Python or JavaScript. */
gboolean pm_label_is_runtime(const char *class_name);
/* True for its methods, and for those that Groovy and JRuby make for one call in a program. */
gboolean pm_label_is_of_language(const char *class_name, const PmMethod *method);
/* True for the platform's own classes: the JDK's, and those that run other languages. */
gboolean pm_label_is_platform(const char *class_name);
/* True for the classes whose methods run a thread, also a virtual one. */
gboolean pm_label_is_of_thread(const char *class_name);
/* For an enum pm_kind: "park", "enter", "wait" in JSON and options; "park", "synchronized",
 * "Object.wait" on screen. */
const char *pm_kind_name(int kind);
const char *pm_kind_title(int kind);
/* For an enum pm_wake_cause: "release", "timeout", "unknown". */
const char *pm_wake_cause_name(int wake_cause);
/* Up to `max` frames of a chain, starting at `first`, each formatted by `label`, joined by " < ".
 */
typedef char *(*PmLabelOfFrame)(const PmRecording *recording, PmFrame frame);
char *pm_label_frames(const PmRecording *recording, guint32 chain, guint first, guint max,
                      PmLabelOfFrame label);
/* A chain starting at its site, "A.b (A.java:1) < C.d (C.java:2)", at most `max` frames. */
char *pm_label_chain(const PmRecording *recording, guint32 chain, guint max);
/* "4 min 12 s", "2.31 s", "147 ms", "0.7 ms", "12 µs": three significant digits */
char *pm_label_duration(gint64 ns);
/* "164 KiB", "64.0 MiB": three significant digits, binary. Owned. */
char *pm_label_bytes(guint64 bytes);
/* "since 14:00:48 (4 min 12 s)" up to `at`; `before`: "since before 14:00:48 (at least 4 min 12 s)"
 */
char *pm_label_since(const PmRecording *recording, gint64 since, gint64 at, gboolean before);
/* "14:02:03.118" in the recording's zone for an instant since the begin; `digits` 0..9 of a second
 */
char *pm_label_clock(const PmRecording *recording, gint64 at, int digits);
