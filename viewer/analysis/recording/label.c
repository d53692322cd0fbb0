#include "viewer/analysis/recording/label.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/base/glob.h"
#include "viewer/analysis/recording/recording-private.h"

/* java.base's locking code: what lies between the wait and the code that waits. First match wins;
 * the exceptions (an idle pool's own loop is a site) come first. */
static const struct {
    const char *class_name, *method;
    gboolean locking;
} locking_table[] = {
    {"java.util.concurrent.ThreadPoolExecutor", "awaitTermination", TRUE},
    {"java.util.concurrent.ThreadPoolExecutor", "*", FALSE},
    {"java.util.concurrent.ThreadPoolExecutor$Worker", "*", FALSE},
    {"java.util.concurrent.ScheduledThreadPoolExecutor", "*", FALSE},
    {"java.util.concurrent.ForkJoinPool", "managedBlock", TRUE},
    {"java.util.concurrent.ForkJoinPool", "unmanagedBlock", TRUE},
    {"java.util.concurrent.ForkJoinPool", "compensatedBlock", TRUE},
    {"java.util.concurrent.ForkJoinPool", "awaitDone", TRUE},
    {"java.util.concurrent.ForkJoinPool", "awaitTermination", TRUE},
    {"java.util.concurrent.ForkJoinPool", "awaitQuiescence", TRUE},
    {"java.util.concurrent.ForkJoinPool", "helpQuiescePool", TRUE},
    {"java.util.concurrent.ForkJoinPool", "invoke*", TRUE},
    {"java.util.concurrent.ForkJoinPool*", "*", FALSE},
    {"java.util.concurrent.ForkJoinWorkerThread", "*", FALSE},
    {"java.util.concurrent.ForkJoinTask", "doExec", FALSE},
    {"java.util.concurrent.ForkJoinTask$Adapted*", "*", FALSE},
    {"java.util.concurrent.FutureTask", "run*", FALSE},
    {"java.util.concurrent.Executors$*", "*", FALSE},
    {"java.util.concurrent.CompletableFuture$Async*", "*", FALSE},
    {"java.util.concurrent.DelayScheduler", "*", FALSE},
    {"java.util.concurrent.ThreadLocalRandom", "*", FALSE},
    {"java.util.concurrent.ConcurrentHashMap*", "*", FALSE},
    {"java.util.concurrent.*", "*", TRUE},
    {"jdk.internal.misc.Unsafe", "*park", TRUE},
    {"sun.misc.Unsafe", "*park", TRUE},
    {"jdk.internal.misc.InternalLock", "*", TRUE},
    {"java.lang.Object", "wait*", TRUE},
    {"java.lang.Object", "notify*", TRUE},
    {"java.lang.Thread", "join*", TRUE},
    {"java.lang.VirtualThread", "*park*", TRUE},
    {"java.lang.VirtualThread", "yieldContinuation", TRUE},
    {"java.lang.VirtualThread", "joinNanos", TRUE},
    {"java.lang.System$*", "*parkVirtualThread*", TRUE},
    {"java.lang.ref.ReferenceQueue*", "*", TRUE},
    {"jdk.internal.vm.Continuation", "yield*", TRUE},
};

gboolean pm_label_is_locking(const char *class_name, const char *method_name)
{
    /* Nearly every frame asked for is not of the JDK: say so without the table. */
    if (strncmp(class_name, "java.", 5) != 0 && strncmp(class_name, "jdk.", 4) != 0 &&
        strncmp(class_name, "sun.", 4) != 0)
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(locking_table); i++)
        if (pm_glob_match(locking_table[i].class_name, class_name) &&
            pm_glob_match(locking_table[i].method, method_name))
            return locking_table[i].locking;
    return FALSE;
}

const char *pm_kind_name(int kind)
{
    static const char *const names[PM_N_KINDS] = {
        [PM_KIND_PARK] = "park", [PM_KIND_ENTER] = "enter", [PM_KIND_WAIT] = "wait"};
    return kind >= 0 && kind < PM_N_KINDS ? names[kind] : "unknown";
}

const char *pm_kind_title(int kind)
{
    static const char *const titles[PM_N_KINDS] = {
        [PM_KIND_PARK] = "park", [PM_KIND_ENTER] = "synchronized", [PM_KIND_WAIT] = "Object.wait"};
    return kind >= 0 && kind < PM_N_KINDS ? titles[kind] : "unknown";
}

const char *pm_wake_cause_name(int wake_cause)
{
    static const char *const names[PM_N_WAKE_CAUSES] = {
        [PM_WAKE_UNKNOWN] = "unknown",         [PM_WAKE_RELEASE] = "release",
        [PM_WAKE_PROPAGATION] = "propagation", [PM_WAKE_CANCELLATION] = "cancellation",
        [PM_WAKE_SIGNAL] = "signal",           [PM_WAKE_COMPLETION] = "completion",
        [PM_WAKE_NOTIFY] = "notify",           [PM_WAKE_INTERRUPT] = "interrupt",
        [PM_WAKE_TIME_OUT] = "timeout",        [PM_WAKE_PERMIT] = "permit",
    };
    return wake_cause >= 0 && wake_cause < PM_N_WAKE_CAUSES ? names[wake_cause] : "unknown";
}

/* Its `transfer` takes as well as gives. */
static const char serves_both[] = "java.util.concurrent.SynchronousQueue$";

gboolean pm_label_waits_in(const PmRecording *r, guint32 chain, const char *const *methods)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++)
        if (g_strv_contains(methods, r->methods[c->frames[i].method].name) &&
            !g_str_has_prefix(pm_recording_class_at(r, c, i), serves_both))
            return TRUE;
    return FALSE;
}

gboolean pm_label_waits_for_room(const PmRecording *r, guint32 chain)
{
    static const char *const methods[] = {"put",        "offer",     "putFirst", "putLast",
                                          "offerFirst", "offerLast", "transfer", NULL};
    return pm_label_waits_in(r, chain, methods);
}

gboolean pm_label_is_within(const PmRecording *r, guint32 chain, guint max,
                            const char *class_pattern, const char *method)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < MIN(c->n_frames, max); i++) {
        const PmMethod *frame = &r->methods[c->frames[i].method];
        if (strcmp(frame->name, method) == 0 &&
            pm_glob_match(class_pattern, r->classes[frame->class_index].name))
            return TRUE;
    }
    return FALSE;
}

gboolean pm_label_calls_pause(const PmRecording *r, guint32 chain, gint frame)
{
    static const char *const pauses[] = {"sleep", "parkNanos", "parkUntil", NULL};
    return frame > 0 &&
           g_strv_contains(pauses, r->methods[r->chains[chain].frames[frame - 1].method].name);
}

gboolean pm_label_is_accept(const PmRecording *r, guint32 method)
{
    return strcmp(r->methods[method].name, "accept") == 0 &&
           strstr(pm_recording_class_of(r, method), "ServerSocket");
}

gboolean pm_label_is_in_pool(const PmRecording *r, guint32 chain)
{
    return pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.*", "runWorker");
}

gboolean pm_label_is_in_task(const PmRecording *r, guint32 chain)
{
    return pm_label_is_in_pool(r, chain) ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.FutureTask", "run");
}

gboolean pm_label_is_main(const PmThread *thread)
{
    return thread->tid == 1 || (thread->tid == 3 && strcmp(thread->name, "main") == 0);
}

gboolean pm_label_is_carrier(const PmThread *thread)
{
    return !thread->is_virtual && g_str_has_prefix(thread->name, "ForkJoinPool-1-worker-");
}

gboolean pm_label_ends_virtual_thread(const PmRecording *r, guint32 chain)
{
    return pm_label_is_within(r, chain, G_MAXUINT, "java.lang.VirtualThread", "afterDone") ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.lang.VirtualThread", "afterTerminate");
}

static gboolean has_prefix(const char *class_name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (g_str_has_prefix(class_name, *prefixes))
            return TRUE;
    return FALSE;
}

gboolean pm_label_is_runtime(const char *class_name)
{
    static const char *const compiled[] = {"org.python.pycode.", "org.mozilla.javascript.gen.",
                                           NULL};
    static const char *const prefixes[] = {
        "clojure.", "groovy.",    "kotlin.",     "kotlinx.",           "org.codehaus.groovy.",
        "scala.",   "org.jruby.", "org.python.", "org.apache.groovy.", "org.mozilla.javascript.",
        NULL};
    return has_prefix(class_name, prefixes) && !has_prefix(class_name, compiled);
}

gboolean pm_label_is_of_language(const char *class_name, const PmMethod *method)
{
    const char *inner = strchr(class_name, '$');
    return pm_label_is_runtime(class_name) || strchr(method->name, ':') ||
           (inner && g_ascii_islower(inner[1]) && !*method->file &&
            g_str_has_prefix(method->name, "call"));
}

gboolean pm_label_is_platform(const char *class_name)
{
    static const char *const prefixes[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", NULL};
    return has_prefix(class_name, prefixes) || pm_label_is_runtime(class_name);
}

gboolean pm_label_is_of_thread(const char *class_name)
{
    return g_str_has_prefix(class_name, "java.lang.Thread") ||
           g_str_has_prefix(class_name, "java.lang.VirtualThread") ||
           g_str_has_prefix(class_name, "jdk.internal.vm.Continuation");
}

char *pm_label_frames(const PmRecording *recording, guint32 chain, guint first, guint max,
                      PmLabelOfFrame label)
{
    const PmChain *c = &recording->chains[chain];
    const guint end = MIN(c->n_frames, first + MIN(max, G_MAXUINT - first));
    GString *text = g_string_new(NULL);
    for (guint i = first; i < end; i++) {
        g_autofree char *frame = label(recording, c->frames[i]);
        g_string_append_printf(text, "%s%s", i > first ? " < " : "", frame);
    }
    return g_string_free(text, FALSE);
}

char *pm_label_chain(const PmRecording *recording, guint32 chain, guint max)
{
    const PmChain *c = &recording->chains[chain];
    if (chain == 0 || c->n_frames == 0)
        return g_strdup("(unknown)");
    return pm_label_frames(recording, chain, MIN(c->site, c->n_frames - 1), max, pm_label_frame);
}

static gboolean cut_after(char *text, const char *word)
{
    char *found = strstr(text, word);
    if (!found)
        return FALSE;
    found[strlen(word)] = 0;
    return TRUE;
}

#define INITIALISER ".<clinit>"

/* A synchronizer's class says no more than the one that it lies in; of code all of it is told, as
 * the program may call a class of its own so. */
static char *class_text(const char *class_name, gboolean is_code)
{
    if (class_name[0] == 0)
        return g_strdup("(none)");

    g_autofree char *name = g_strdup(class_name);
    if (g_str_has_suffix(name, INITIALISER)) {
        name[strlen(name) - strlen(INITIALISER)] = 0;
        g_autofree char *initialised = pm_label_class(name);
        return g_strconcat(initialised, " (initialisation)", NULL);
    }
    /* The address of a hidden class may hold dots; it goes first, then the package. */
    char *address = strstr(name, "/0x");
    if (!address)
        address = strstr(name, ".0x");
    if (address)
        *address = 0;
    if (!cut_after(name, "$$Lambda"))
        cut_after(name, "$Lambda");
    char *dot = strrchr(name, '.');
    char *base = dot != NULL ? dot + 1 : name;

    static const char *const generated[] = {"$Proxy", "Accessor"};
    for (gsize i = 0; i < G_N_ELEMENTS(generated); i++) {
        char *found = strstr(base, generated[i]);
        if (!found)
            continue;
        char *digits = found + strlen(generated[i]);
        if (*digits != 0 && strspn(digits, "0123456789") == strlen(digits))
            *digits = 0;
    }

    static const struct {
        const char *suffix, *shown;
    } synchronizers[] = {{"$NonfairSync", ""}, {"$FairSync", " (fair)"}, {"$Sync", ""}};
    const gboolean whole = is_code && !pm_label_is_platform(class_name);
    for (gsize i = 0; i < G_N_ELEMENTS(synchronizers) && !whole; i++) {
        if (g_str_has_suffix(base, synchronizers[i].suffix)) {
            base[strlen(base) - strlen(synchronizers[i].suffix)] = 0;
            return g_strconcat(base, synchronizers[i].shown, NULL);
        }
    }
    if (g_str_has_suffix(base, "Synchronizer$ConditionObject"))
        return g_strdup("ConditionObject");
    return g_strdup(base);
}

char *pm_label_class(const char *class_name)
{
    return class_text(class_name, FALSE);
}

char *pm_label_method(const PmRecording *recording, guint32 method)
{
    if (method == 0 || method >= recording->n_methods)
        return g_strdup("(unknown)");
    const PmMethod *m = &recording->methods[method];
    g_autofree char *class_label = class_text(recording->classes[m->class_index].name, TRUE);
    return g_strconcat(class_label, ".", m->name, NULL);
}

static char *frame_place(const PmRecording *recording, PmFrame frame)
{
    const char *file = recording->methods[frame.method].file;
    if (frame.line < 0)
        return g_strdup("native");
    if (file[0] == 0)
        return g_strdup("unknown");
    if (frame.line == 0)
        return g_strdup(file);
    return g_strdup_printf("%s:%d", file, frame.line);
}

char *pm_label_frame(const PmRecording *recording, PmFrame frame)
{
    if (frame.method == 0 || frame.method >= recording->n_methods)
        return g_strdup("(unknown)");
    g_autofree char *method = pm_label_method(recording, frame.method);
    g_autofree char *place = frame_place(recording, frame);
    return g_strconcat(method, " (", place, ")", NULL);
}

char *pm_label_frame_full(const PmRecording *recording, PmFrame frame)
{
    if (frame.method == 0 || frame.method >= recording->n_methods)
        return g_strdup("(unknown)");
    const PmMethod *m = &recording->methods[frame.method];
    g_autofree char *place = frame_place(recording, frame);
    return g_strconcat(recording->classes[m->class_index].name, ".", m->name, "(", place, ")",
                       NULL);
}

char *pm_label_hash(const PmRecording *recording, guint32 blocker)
{
    if (blocker == 0 || blocker >= recording->n_blockers)
        return NULL;
    const PmBlocker *b = &recording->blockers[blocker];
    return (b->flags & (PM_BLOCKER_NULL | PM_BLOCKER_FOLDED)) == 0
               ? g_strdup_printf("%08x", b->hash)
               : NULL;
}

char *pm_label_blocker_short(const PmRecording *recording, guint32 blocker)
{
    if (blocker == 0 || blocker >= recording->n_blockers)
        return g_strdup("(none)");
    const PmBlocker *b = &recording->blockers[blocker];
    const char *class_name = recording->classes[b->class_index].name;
    if ((b->flags & PM_BLOCKER_NULL) != 0 || class_name[0] == 0)
        return g_strdup("(none)");
    g_autofree char *class_label = pm_label_class(class_name);
    if ((b->flags & PM_BLOCKER_FOLDED) != 0)
        return g_strconcat(class_label, " (many)", NULL);
    return g_strdup_printf("%s %08x", class_label, b->hash);
}

static const PmChain *first_chain(const PmRecording *recording, guint32 blocker)
{
    return &recording
                ->chains[blocker < recording->n_blockers ? recording->blockers[blocker].first_chain
                                                         : 0];
}

char *pm_label_field(const PmRecording *recording, guint32 blocker)
{
    const guint32 field = first_chain(recording, blocker)->field;
    return field ? pm_label_method(recording, field) : NULL;
}

/* Takes both; `place` may be NULL. */
static char *at_place(char *name, char *place)
{
    g_autofree char *short_name = name, *shown = place;
    return place ? g_strconcat(name, " · ", place, NULL) : g_steal_pointer(&short_name);
}

char *pm_label_blocker_field(const PmRecording *recording, guint32 blocker)
{
    return at_place(pm_label_blocker_short(recording, blocker), pm_label_field(recording, blocker));
}

/* Takes the name. */
static char *at_site(const PmRecording *recording, char *name, guint32 blocker)
{
    const PmChain *chain = first_chain(recording, blocker);
    const gboolean is_known = chain->n_frames > 0;
    return at_place(name, is_known ? pm_label_method(recording, chain->frames[chain->site].method)
                                   : NULL);
}

char *pm_label_blocker(const PmRecording *recording, guint32 blocker)
{
    return first_chain(recording, blocker)->field
               ? pm_label_blocker_field(recording, blocker)
               : at_site(recording, pm_label_blocker_short(recording, blocker), blocker);
}

guint32 pm_label_taking_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint32 at = 0;
    while (at < c->n_frames &&
           (g_str_has_prefix(pm_recording_class_at(r, c, at), "java.util.concurrent.locks.") ||
            g_str_has_suffix(pm_recording_class_at(r, c, at), ".Unsafe") ||
            g_str_has_suffix(r->methods[c->frames[at].method].name, "managedBlock")))
        at++;
    return at;
}

char *pm_label_objects(const PmRecording *r, guint32 blocker, guint32 chain)
{
    const char *class_name = r->classes[r->blockers[blocker].class_index].name;
    const PmChain *c = &r->chains[chain];
    const guint32 at = pm_label_taking_frame(r, chain);
    const gboolean of_other = g_str_has_suffix(class_name, "$ConditionObject") && at < c->n_frames;
    g_autofree char *label =
        pm_label_class(of_other ? pm_recording_class_at(r, c, at) : class_name);
    return g_strdup_printf(of_other ? "conditions of %s" : "objects of class %s", label);
}

char *pm_label_count(guint n, gboolean more)
{
    return n == 0 ? g_strdup("many") : g_strdup_printf(more ? "≥ %u" : "%u", n);
}

char *pm_label_alike_field(const PmRecording *recording, guint32 blocker)
{
    const PmRecordingPrivate *p = pm_recording_private(recording);
    const guint32 field = blocker < recording->n_blockers ? p->alike_field[p->alike[blocker]] : 0;
    return field ? pm_label_method(recording, field) : NULL;
}

char *pm_label_alike(const PmRecording *recording, guint32 blocker)
{
    const PmRecordingPrivate *p = pm_recording_private(recording);

    if (blocker == 0 || blocker >= recording->n_blockers)
        return pm_label_blocker(recording, blocker);
    const guint32 first = p->alike[blocker];
    if (p->n_alike[first] + p->n_folded[first] <= 1)
        return pm_label_blocker(recording, blocker);
    const char *class_name = recording->classes[recording->blockers[blocker].class_index].name;
    g_autofree char *class_label = pm_label_class(class_name[0] ? class_name : "(none)");
    g_autofree char *count = pm_label_count(p->n_alike[first], p->n_folded[first] > 0);
    g_autofree char *name = g_strdup_printf("%s (%s)", class_label, count);
    char *field = pm_label_alike_field(recording, blocker);
    return field ? at_place(g_steal_pointer(&name), field)
                 : at_site(recording, g_steal_pointer(&name), blocker);
}

/* `text` with the point of the C locale whatever the user's. */
static char *format_number(double value, int digits)
{
    char format[8], text[64];
    g_snprintf(format, sizeof format, "%%.%df", digits);
    return g_strdup(g_ascii_formatd(text, sizeof text, format, value));
}

char *pm_label_duration(gint64 ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
    const char *sign = ns < 0 ? "-" : "";
    guint64 amount = ns < 0 ? 0 - (guint64)ns : (guint64)ns;

    if (amount == 0)
        return g_strdup("0 s");
    if (amount >= G_GUINT64_CONSTANT(59950000000)) {
        guint64 seconds = (amount + 500000000) / 1000000000;
        if (seconds < 3600)
            return g_strdup_printf("%s%" G_GUINT64_FORMAT " min %" G_GUINT64_FORMAT " s", sign,
                                   seconds / 60, seconds % 60);
        guint64 minutes = (seconds + 30) / 60;
        if (minutes < 24 * 60)
            return g_strdup_printf("%s%" G_GUINT64_FORMAT " h %" G_GUINT64_FORMAT " min", sign,
                                   minutes / 60, minutes % 60);
        return g_strdup_printf("%s%" G_GUINT64_FORMAT " d %" G_GUINT64_FORMAT " h", sign,
                               minutes / 1440, minutes % 1440 / 60);
    }
    guint unit = 0;
    while (unit + 1 < G_N_ELEMENTS(units) && (double)amount >= 999.5 * units[unit].ns)
        unit++;
    /* Three digits, but 0.7 ms rather than 700 µs: a tenth of a millisecond is what one compares.
     */
    if (unit == 1 && amount >= 100000)
        unit = 2;
    double value = (double)amount / units[unit].ns;
    int digits = unit == 0 ? 0 : value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    if (unit == 2 && value < 0.9995)
        digits = value * 10 == floor(value * 10) ? 1 : 2;
    g_autofree char *number = format_number(value, digits);
    return g_strconcat(sign, number, " ", units[unit].unit, NULL);
}

char *pm_label_clock(const PmRecording *recording, gint64 at, int digits)
{
    /* Floor, not truncation: instants before 1970 or the begin round the same way. */
    gint64 unix_ns = recording->facts.begin_unix_ns + at +
                     recording->facts.utc_offset_s * G_GINT64_CONSTANT(1000000000);
    gint64 seconds = unix_ns / 1000000000, rest = unix_ns % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    gint64 of_day = seconds % 86400;
    if (of_day < 0)
        of_day += 86400;
    digits = CLAMP(digits, 0, 9);
    g_autofree char *clock = g_strdup_printf("%02d:%02d:%02d", (int)(of_day / 3600),
                                             (int)(of_day / 60 % 60), (int)(of_day % 60));
    if (digits == 0)
        return g_steal_pointer(&clock);
    for (int i = digits; i < 9; i++)
        rest /= 10;
    return g_strdup_printf("%s.%0*" G_GINT64_FORMAT, clock, digits, rest);
}

char *pm_label_bytes(guint64 bytes)
{
    static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    char text[64];
    double value = (double)bytes;
    guint step = 0;

    while (value >= 999.5 && step + 1 < G_N_ELEMENTS(names)) {
        value /= 1024;
        step++;
    }
    if (step == 0)
        return g_strdup_printf("%d %s", (int)bytes, bytes == 1 ? "byte" : names[0]);
    const char *format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
    return g_strdup_printf("%s %s", g_ascii_formatd(text, sizeof text, format, value), names[step]);
}

char *pm_label_since(const PmRecording *recording, gint64 since, gint64 at, gboolean before)
{
    g_autofree char *clock = pm_label_clock(recording, since, 0);
    g_autofree char *age = pm_label_duration(at - since);
    return g_strdup_printf(before ? "since before %s (at least %s)" : "since %s (%s)", clock, age);
}
