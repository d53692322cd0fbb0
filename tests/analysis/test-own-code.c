/* Which code is the program's own, and how it is told. */
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/aggregation/aspect.h"

#include "tests/analysis/made.h"
#include "viewer/analysis/recording/label.h"

typedef struct {
    PmRecording *recording;
    guint32 load;    /* Prices.load, in a socket's read, for a handler of a library */
    guint32 library; /* of the library alone */
} Scene;

/* `main`: as the program was started. `last`: the outermost frame of the library's chain. */
static void scene_make(Scene *s, const char *main, const char *last)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->duration = 1000;
    a->facts.main = main;
    s->load = pm_made_chain(a, "java.net.Socket.read", "com.acme.shop.Prices.load",
                            "com.acme.shop.Prices.get", "com.acme.shop.Prices$1.run",
                            "org.lib.Server.handle", "com.acme.web.Page.show",
                            "java.lang.Thread.run", NULL);
    s->library = pm_made_chain(a, "org.lib.Pool.take", last, NULL);
    s->recording = pm_assembly_finish(a);
}

static gint frame_of(const Scene *s, guint32 chain)
{
    return pm_own_frame(pm_own_code(s->recording), chain);
}

static gboolean is_own(const Scene *s, guint32 chain, guint frame)
{
    return pm_own_is(pm_own_code(s->recording), s->recording,
                     s->recording->chains[chain].frames[frame].method);
}

static void package_of_main_is_own(void)
{
    Scene s;
    scene_make(&s, "com.acme.shop.Main --port 80", "java.lang.Thread.run");
    g_assert_cmpint(frame_of(&s, s.load), ==, 1);
    g_assert_cmpint(frame_of(&s, s.library), ==, -1);
    g_assert_true(is_own(&s, s.load, 5)); /* com.acme.web: the first two words tell */
    g_assert_false(is_own(&s, s.load, 4));
    g_assert_false(is_own(&s, s.load, 6));
    g_assert_cmpint(frame_of(&s, 0), ==, -1);
    pm_recording_unref(s.recording);
}

static void launchers_main_tells_nothing(void)
{
    Scene s;
    scene_make(&s, "org.apache.catalina.startup.Bootstrap start", "java.lang.Thread.run");
    g_assert_cmpint(frame_of(&s, s.load), ==, 1);
    g_assert_cmpint(frame_of(&s, s.library), ==, 0);
    g_assert_true(is_own(&s, s.load, 4));
    g_assert_false(is_own(&s, s.load, 0));
    pm_recording_unref(s.recording);
}

static gboolean is_around(const PmRecording *r, guint32 chain, gint frame)
{
    return pm_own_is_around(pm_own_code(r), r, chain, frame);
}

/* Whose code is whose is known of the library, and of a well-known server where it is not. */
static void what_leads_to_own_code_is_around_it(void)
{
    Scene s;
    scene_make(&s, "com.acme.shop.Main", "java.lang.Thread.run");
    for (gint frame = 0; frame < 7; frame++)
        g_assert_cmpint(is_around(s.recording, s.load, frame), ==, frame == 4 || frame == 6);
    g_assert_false(is_around(s.recording, s.library, 0));
    g_assert_false(is_around(s.recording, s.library, 1)); /* leads to none */
    pm_recording_unref(s.recording);

    PmMade m = pm_made_begin();
    m.assembly->duration = 1000;
    m.assembly->facts.main = "org.apache.catalina.startup.Bootstrap start";
    const guint32 shop = pm_made_chain(
        m.assembly, "java.net.Socket.read", "org.lib.Client.get", "com.acme.Shop.get",
        "jakarta.servlet.http.HttpServlet.service",
        "org.apache.coyote.http11.Http11Processor.service", "java.lang.Thread.run", NULL);
    const guint32 server = pm_made_chain(m.assembly, "org.apache.catalina.valves.AccessLog.log",
                                         "java.lang.Thread.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    for (gint frame = 0; frame < 6; frame++)
        g_assert_cmpint(is_around(r, shop, frame), ==, frame > 2);
    g_assert_false(is_around(r, server, 0));
    g_assert_false(is_around(r, server, 1));
}

/* Of all that a web application brings with it, known libraries are not its own, whether requests
 * come to it through a framework or its threads are its own; nor are they if nothing else is. */
static void libraries_are_not_own_unless_all_is_theirs(void)
{
    for (guint alone = 0; alone < 2; alone++) {
        PmMade m = {.assembly = pm_assembly_new()};
        m.assembly->facts.main = "org.apache.catalina.startup.Bootstrap start";
        const guint32 keeper =
            pm_made_chain(m.assembly, "java.lang.Object.wait", "com.zaxxer.hikari.pool.Keeper.run",
                          "org.apache.catalina.core.StandardContext.listenerStart", NULL);
        guint32 page = 0, listener = 0;
        if (!alone) {
            page = pm_made_chain(m.assembly, "java.util.concurrent.SynchronousQueue.poll",
                                 "com.zaxxer.hikari.util.ConcurrentBag.borrow",
                                 "com.acme.shop.Stock.find", "org.kohsuke.stapler.Stapler.service",
                                 "javax.servlet.http.HttpServlet.service",
                                 "org.apache.catalina.core.ApplicationFilterChain.doFilter", NULL);
            listener = pm_made_chain(m.assembly, "org.apache.kafka.clients.Consumer.poll",
                                     "net.orders.Listener.run", "java.lang.Thread.run", NULL);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        const PmOwnCode *own = pm_own_code(r);
        g_assert_cmpint(pm_own_frame(own, keeper), ==, alone ? 1 : -1);
        if (!alone) {
            g_assert_cmpint(pm_own_frame(own, page), ==, 2);
            g_assert_cmpint(pm_own_frame(own, listener), ==, 1);
        }
    }
}

static void jar_is_told_by_the_end_of_a_stack(void)
{
    Scene s;
    scene_make(&s, "shop.jar", "com.acme.shop.Main.main");
    g_assert_cmpint(frame_of(&s, s.load), ==, 1);
    g_assert_cmpint(frame_of(&s, s.library), ==, 1);
    g_assert_false(is_own(&s, s.load, 4));
    pm_recording_unref(s.recording);
    scene_make(&s, "shop.jar", "java.lang.Thread.run"); /* nothing tells: all but the platform's */
    g_assert_cmpint(frame_of(&s, s.library), ==, 0);
    pm_recording_unref(s.recording);
}

static void shared_packages_are_told_apart_by_the_third_word(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "org.apache.broker.Start";
    guint32 own = pm_made_chain(m.assembly, "org.apache.broker.log.Writer.run", NULL);
    guint32 library = pm_made_chain(m.assembly, "org.apache.commons.pool2.Pool.take", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), own), ==, 0);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), library), ==, -1);
}

/* A program in shop.web and shop.store, and one that is named after a country's domain. */
static void packages_without_a_domain_are_told_apart_by_the_first_word(void)
{
    static const struct {
        const char *class_name, *root;
    } all[] = {{"shop.web.Server", "shop."},        {"shop.Main", "shop."},
               {"okhttp3.internal.X", "okhttp3."},  {"de.acme.shop.Main", "de.acme."},
               {"dev.acme.shop.Main", "dev.acme."}, {"Main", ""}};
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *root = pm_own_package_root(all[i].class_name);
        g_assert_cmpstr(root, ==, all[i].root);
    }
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "shop.web.Server";
    const guint32 chain =
        pm_made_chain(m.assembly, "java.lang.Thread.sleep", "shop.store.Mail.send",
                      "shop.web.Report.doGet", "java.lang.Thread.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), chain), ==, 1);
}

/* A class in no package starts a program in packages; so does one of another package, whose code is
 * in one stack trace in `n`. */
static void who_starts_another_program_tells_nothing(void)
{
    for (guint n = 2; n <= 40; n += 38) {
        PmMade m = pm_made_begin();
        m.assembly->facts.main = "net.boot.Start";
        guint32 chain =
            pm_made_chain(m.assembly, "java.lang.Thread.join", "net.boot.Start.main", NULL);
        for (guint i = 1; i < n; i++) {
            g_autofree char *method = g_strdup_printf("com.globex.shop.Stock.find%u", i);
            chain = pm_made_chain(m.assembly, "java.net.Socket.read", method,
                                  "java.lang.Thread.run", NULL);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_assert_cmpint(pm_own_frame(pm_own_code(r), chain), ==, n > 20 ? 1 : -1);
    }
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "Start";
    const guint32 start = pm_made_chain(m.assembly, "java.lang.Thread.join", "Start.main", NULL);
    const guint32 shop =
        pm_made_chain(m.assembly, "java.net.Socket.read", "redis.clients.Jedis.get",
                      "shop.store.Stock.find", "Start.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), start), ==, 1);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), shop), ==, 2);
}

/* A program may begin in no package, and have the rest in some; not what is known as a library. */
static void class_in_no_package_is_own(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "Shop";
    guint32 own = pm_made_chain(m.assembly, "com.zaxxer.hikari.Pool.take", "Shop.run", NULL);
    guint32 made =
        pm_made_chain(m.assembly, "Shop$$Lambda.run", "com.zaxxer.hikari.Pool.take", NULL);
    guint32 packaged = pm_made_chain(m.assembly, "org.apache.zookeeper.ClientCnxn.submit",
                                     "com.acme.Stock.find", "Shop.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), own), ==, 1);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), made), ==, -1);
    g_assert_cmpint(pm_own_frame(pm_own_code(r), packaged), ==, 1);
}

static gboolean is_helper(const PmRecording *r, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    return pm_own_is_helper(own, r, chain, pm_own_frame(own, chain));
}

/* What reads for several classes is a helper; for one alone, or in a lock, it is not. */
static void helper_reads_for_several(void)
{
    static const char *const reads[] = {"java.net.Socket.read", "java.net.Socket.read",
                                        "java.util.concurrent.locks.LockSupport.park",
                                        "com.acme.Http.parse"};
    static const char *const others[] = {"com.acme.Page.show", "com.acme.Http.retry",
                                         "com.acme.Page.show", "com.acme.Page.show"};
    for (gsize i = 0; i < G_N_ELEMENTS(reads); i++) {
        PmMade m = pm_made_begin();
        m.assembly->facts.main = "com.acme.Main";
        guint32 chain =
            pm_made_chain(m.assembly, reads[i], "com.acme.Http.get", "com.acme.Shop.run", NULL);
        pm_made_chain(m.assembly, reads[i], "com.acme.Http.get", others[i], NULL);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_assert_cmpint(is_helper(r, chain), ==, i == 0 || i == 3);
        g_assert_false(is_helper(r, 0));
    }
}

/* What reads for several classes is a helper in what it calls of a library as well, but not where
 * it waits there. */
static void helper_of_several_is_one_in_a_library(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "com.acme.Main";
    pm_made_chain(m.assembly, "java.net.Socket.read", "com.acme.Http.get", "com.acme.Shop.run",
                  NULL);
    pm_made_chain(m.assembly, "java.net.Socket.read", "com.acme.Http.get", "com.acme.Page.show",
                  NULL);
    guint32 parses = pm_made_chain(m.assembly, "org.lib.Json.parse", "com.acme.Http.get",
                                   "com.acme.Shop.run", NULL);
    guint32 waits = pm_made_chain(m.assembly, "java.lang.Object.wait", "org.lib.Json.parse",
                                  "com.acme.Http.get", "com.acme.Shop.run", NULL);
    guint32 other = pm_made_chain(m.assembly, "org.lib.Json.parse", "com.acme.Page.show", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_true(is_helper(r, parses));
    g_assert_false(is_helper(r, waits));
    g_assert_false(is_helper(r, other));
}

/* What only sleeps or spins is one for whoever calls it; what does so among other things is not. */
static void what_only_passes_time_is_a_helper(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "com.acme.Main";
    guint32 pauses = pm_made_chain(m.assembly, "java.lang.Thread.sleep", "com.acme.Main.pause",
                                   "com.acme.Shop.run", NULL);
    guint32 spins = pm_made_chain(m.assembly, "com.acme.Main.spinFor", "com.acme.Shop.run", NULL);
    guint32 looks = pm_made_chain(m.assembly, "java.lang.System.nanoTime", "com.acme.Main.burnCpu",
                                  "com.acme.Shop.run", NULL);
    guint32 late = pm_made_chain(m.assembly, "java.lang.Thread.sleep",
                                 "com.acme.Backend.fetchWithDelay", "com.acme.Shop.run", NULL);
    guint32 spinning =
        pm_made_chain(m.assembly, "com.acme.Wheel.spinningPart", "com.acme.Shop.run", NULL);
    guint32 rolls = pm_made_chain(m.assembly, "java.util.HashMap.get", "com.acme.Wheel.spin",
                                  "com.acme.Shop.run", NULL);
    guint32 pause =
        pm_made_chain(m.assembly, "java.lang.Thread.sleepNanos", "java.lang.Thread.sleep",
                      "com.acme.Main.sleepWell", "com.acme.Shop.run", NULL);
    guint32 gauge = pm_made_chain(m.assembly, "java.lang.Thread.sleep", "com.acme.Gauge.read",
                                  "com.acme.Shop.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_true(is_helper(r, pause));
    g_assert_true(is_helper(r, pauses));
    g_assert_true(is_helper(r, spins));
    g_assert_true(is_helper(r, looks));
    g_assert_false(is_helper(r, late));
    g_assert_false(is_helper(r, spinning));
    g_assert_false(is_helper(r, rolls));
    g_assert_false(is_helper(r, gauge));
}

/* Where there is room for all, methods of one class that call each other are told, too. */
static void label_leaves_out_no_caller_without_need(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "com.acme.Main";
    guint32 chain =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.StampedLock.readLock",
                      "com.acme.Book.find", "com.acme.Book.correct", "com.acme.Importer.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autofree char *two = pm_label_code(r, chain, 2), *three = pm_label_code(r, chain, 3);
    g_assert_cmpstr(two, ==, "Book.find (Book.java:2) < Importer.run (Importer.java:4)");
    g_assert_cmpstr(three, ==,
                    "Book.find (Book.java:2) < Book.correct (Book.java:3) < Importer.run "
                    "(Importer.java:4)");
}

/* Where there is not, the one that others called is told behind the innermost, as a helper that
 * wakes tells less than that. */
static void label_tells_by_what_a_class_was_entered(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "com.acme.Main";
    guint32 chain =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.unpark",
                      "com.acme.Turn.wake", "com.acme.Turn.pass", "com.acme.Turn.finish",
                      "com.acme.Replica.run", "com.acme.Main.repeat", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autofree char *two = pm_label_code(r, chain, 2), *three = pm_label_code(r, chain, 3);
    g_assert_cmpstr(two, ==, "Turn.wake (Turn.java:2) < Replica.run (Replica.java:5)");
    g_assert_cmpstr(three, ==,
                    "Turn.wake (Turn.java:2) < Turn.finish (Turn.java:4) < Replica.run "
                    "(Replica.java:5)");
}

/* Two that sleep by one helper are told apart in a tree of causes. */
static void causes_are_told_by_own_code(void)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.main = "com.acme.Main";
    guint32 chain =
        pm_made_chain(m.assembly, "java.lang.Thread.sleepNanos", "java.lang.Thread.sleep",
                      "com.acme.Pause.rest", "com.acme.Prices.write", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autofree char *text = pm_aspect_key_text(r, PM_ASPECT_CAUSE_CHAIN, chain);
    g_assert_cmpstr(text, ==,
                    "Pause.rest (Pause.java:3) in Thread.sleep < Prices.write (Prices.java:4)");
    g_assert_true(pm_aspect_is_chain(PM_ASPECT_CAUSE_CHAIN)); /* a flame graph has its frames */
}

static void label_tells_code_and_what_it_was_in(void)
{
    Scene s;
    scene_make(&s, "com.acme.shop.Main", "java.lang.Thread.run");
    g_autofree char *two = pm_label_code(s.recording, s.load, 2);
    g_autofree char *one = pm_label_code(s.recording, s.load, 1);
    g_autofree char *from = pm_label_code_from(s.recording, s.load, 5, 2);
    g_autofree char *method = pm_label_code_method(s.recording, s.load);
    g_assert_cmpstr(two, ==,
                    "Prices.load (Prices.java:2) in Socket.read < Page.show (Page.java:6)");
    g_assert_cmpstr(one, ==, "Prices.load (Prices.java:2) in Socket.read");
    g_assert_cmpstr(from, ==, "Page.show (Page.java:6) in Server.handle");
    g_assert_cmpstr(method, ==, "Prices.load");
    g_autofree char *within = pm_label_code_between(s.recording, s.load, TRUE, 5, -1);
    g_autofree char *call = pm_label_call(s.recording, s.load);
    g_autofree char *outer = pm_label_code_between(s.recording, s.load, TRUE, 1, 5);
    g_assert_cmpstr(within, ==, "Page.show (Page.java:6) in Prices.load in Socket.read");
    g_assert_cmpstr(outer, ==, two);
    g_assert_cmpstr(call, ==, " in Socket.read");
    g_autofree char *library = pm_label_code(s.recording, s.library, 2);
    g_autofree char *chain = pm_label_chain(s.recording, s.library, 2);
    g_autofree char *nothing = pm_label_code_method(s.recording, 0);
    g_assert_cmpstr(library, ==, chain);
    g_assert_cmpstr(nothing, ==, "(unknown)");
    pm_recording_unref(s.recording);
}

/* Whatever stands further in or out, one place is one key: an own frame and what it calls. */
static void place_is_own_code_and_its_call(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    a->facts.main = "com.acme.Main";
    guint32 sleep =
        pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Held.hold", "com.acme.Shop.run", NULL);
    guint32 again = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Held.hold",
                                  "com.acme.Page.show", NULL);
    guint32 read =
        pm_made_chain(a, "java.net.Socket.read", "com.acme.Held.hold", "com.acme.Shop.run", NULL);
    guint32 unlock = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                   "com.acme.Held.hold", NULL);
    guint32 library = pm_made_chain(a, "org.lib.Pool.take", "java.lang.Thread.run", NULL);
    guint32 other = pm_made_chain(a, "org.lib.Pool.take", "org.lib.Worker.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    const PmOwnCode *own = pm_own_code(r);
    g_assert_cmpuint(pm_own_place(own, sleep), ==, sleep);
    g_assert_cmpuint(pm_own_place(own, again), ==, sleep);
    g_assert_cmpuint(pm_own_place(own, read), ==, read);
    g_assert_cmpuint(pm_own_place(own, unlock), ==, unlock);
    g_assert_cmpuint(pm_own_place(own, library), ==, library);
    g_assert_cmpuint(pm_own_place(own, other), ==, library);
    g_assert_cmpuint(pm_own_place(own, 0), ==, 0);
    g_autofree char *asleep = pm_label_place_method(r, sleep);
    g_autofree char *releases = pm_label_place_method(r, unlock);
    g_assert_cmpstr(asleep, ==, "Held.hold in Thread.sleep");
    g_assert_cmpstr(releases, ==, "Held.hold");
}

/* What runs Clojure, JRuby and the like is nobody's own, however the program was started. */
static void languages_are_not_own(void)
{
    static const struct {
        const char *main, *inner, *runtime, *own;
    } programs[] = {
        {"clojure.main shop.clj", "java.lang.Thread.sleep", "clojure.lang.AFn.run",
         "shop$refresh.invokeStatic"},
        {"org.jruby.Main shop.rb", "org.jruby.RubyThread.sleep", "shop.invokeOther1:sleep",
         "shop.RUBY$method$refresh$0"},
        {"jython.jar shop.py", "java.lang.Thread.sleep", "org.python.core.PyObject.__call__",
         "org.python.pycode._pyx0.refresh$1"},
        {"org.codehaus.groovy.tools.GroovyStarter", "java.lang.Thread.sleep",
         "java.lang.reflect.Method.invoke", "com.acme.Shop.refresh"},
        {"scala.tools.nsc.MainGenericRunner", "java.lang.Thread.sleep",
         "scala.concurrent.Await.ready", "Shop$.refresh"},
        {"com.acme.Shop", "java.lang.Thread.sleep", "scala.concurrent.package$.blocking",
         "com.acme.Shop$$anonfun$1.apply"},
        {"com.acme.ShopKt", "java.lang.Thread.sleep", "kotlin.concurrent.LocksKt.read",
         "com.acme.Shop.refresh"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
        PmMade m = pm_made_begin();
        m.assembly->facts.main = programs[i].main;
        guint32 chain = pm_made_chain(m.assembly, programs[i].inner, programs[i].runtime,
                                      programs[i].own, programs[i].runtime, NULL);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        const PmOwnCode *own = pm_own_code(r);
        g_assert_cmpint(pm_own_frame(own, chain), ==, 2);
        g_assert_cmpint(pm_own_next(own, r, chain, 2), ==, -1);
        g_autofree char *call = pm_label_call(r, chain);
        g_assert_cmpstr(call, ==, i == 1 ? " in RubyThread.sleep" : " in Thread.sleep");
    }
}

/* What a language calls for a program to wait is not where it waits, if code of its own is. */
static void site_is_outside_what_runs_the_language(void)
{
    PmMade m = pm_made_begin();
    guint32 own = pm_made_chain(
        m.assembly, "java.util.concurrent.FutureTask.get", "clojure.core$deref_future.invokeStatic",
        "java.lang.reflect.Method.invoke", "shop$total.invokeStatic", "clojure.lang.AFn.run", NULL);
    guint32 runtime =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                      "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.park",
                      "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.run", NULL);
    guint32 reflection =
        pm_made_chain(m.assembly, "java.lang.reflect.Method.invoke", "com.acme.Shop.run", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpuint(r->chains[own].site, ==, 3);
    g_assert_cmpuint(r->chains[runtime].site, ==, 1);
    g_assert_cmpuint(r->chains[reflection].site, ==, 0);
}

static void made_for_one_call(void)
{
    const PmMethod call = {.name = "call", .file = ""},
                   told = {.name = "call", .file = "Shop.java"};
    g_assert_true(pm_label_is_of_language("com.acme.Shop$refresh$2", &call));
    g_assert_false(pm_label_is_of_language("com.acme.Shop$refresh$2", &told));
    g_assert_false(pm_label_is_of_language("com.acme.Shop$2", &call));
    g_assert_false(pm_label_is_of_language("com.acme.Shop", &call));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/own-code/package-of-main-is-own", package_of_main_is_own);
    g_test_add_func("/analysis/own-code/languages-are-not-own", languages_are_not_own);
    g_test_add_func("/analysis/own-code/site-is-outside-what-runs-the-language",
                    site_is_outside_what_runs_the_language);
    g_test_add_func("/analysis/own-code/made-for-one-call", made_for_one_call);
    g_test_add_func("/analysis/own-code/what-leads-to-own-code-is-around-it",
                    what_leads_to_own_code_is_around_it);
    g_test_add_func("/analysis/own-code/launchers-main-tells-nothing",
                    launchers_main_tells_nothing);
    g_test_add_func("/analysis/own-code/libraries-are-not-own-unless-all-is-theirs",
                    libraries_are_not_own_unless_all_is_theirs);
    g_test_add_func("/analysis/own-code/jar-is-told-by-the-end-of-a-stack",
                    jar_is_told_by_the_end_of_a_stack);
    g_test_add_func("/analysis/own-code/shared-packages-are-told-apart-by-the-third-word",
                    shared_packages_are_told_apart_by_the_third_word);
    g_test_add_func("/analysis/own-code/packages-without-a-domain-are-told-apart-by-the-first-word",
                    packages_without_a_domain_are_told_apart_by_the_first_word);
    g_test_add_func("/analysis/own-code/who-starts-another-program-tells-nothing",
                    who_starts_another_program_tells_nothing);
    g_test_add_func("/analysis/own-code/class-in-no-package-is-own", class_in_no_package_is_own);
    g_test_add_func("/analysis/own-code/helper-reads-for-several", helper_reads_for_several);
    g_test_add_func("/analysis/own-code/label-leaves-out-no-caller-without-need",
                    label_leaves_out_no_caller_without_need);
    g_test_add_func("/analysis/own-code/label-tells-by-what-a-class-was-entered",
                    label_tells_by_what_a_class_was_entered);
    g_test_add_func("/analysis/own-code/causes-are-told-by-own-code", causes_are_told_by_own_code);
    g_test_add_func("/analysis/own-code/helper-of-several-is-one-in-a-library",
                    helper_of_several_is_one_in_a_library);
    g_test_add_func("/analysis/own-code/what-only-passes-time-is-a-helper",
                    what_only_passes_time_is_a_helper);
    g_test_add_func("/analysis/own-code/label-tells-code-and-what-it-was-in",
                    label_tells_code_and_what_it_was_in);
    g_test_add_func("/analysis/own-code/place-is-own-code-and-its-call",
                    place_is_own_code_and_its_call);
    return g_test_run();
}
