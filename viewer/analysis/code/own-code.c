#include "viewer/analysis/code/own-code.h"

#include <string.h>

#include "viewer/analysis/code/silent-sample.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

/* Packages whose main() starts somebody else's program. */
static const char *const launchers[] = {
    "org.apache.catalina.startup.",
    "org.codehaus.plexus.classworlds.",
    "org.gradle.",
    "org.springframework.boot.loader.",
    "org.eclipse.equinox.launcher.",
    "org.eclipse.jetty.start.",
    "org.jboss.modules.",
    "com.intellij.rt.",
    "org.apache.maven.surefire.",
    "org.junit.",
};

/* Packages that many programs share: the part that tells them apart is longer. */
static const char *const umbrellas[] = {
    "org.apache.",          "org.eclipse.",   "com.google.",    "com.github.", "io.github.",
    "org.springframework.", "com.amazonaws.", "com.microsoft.", "com.oracle.", "com.sun.",
    "org.jboss.",           "io.quarkus.",
};

/* What packages named after a domain begin with, but for those of countries, which are of two
 * letters. Of others the first part tells programs apart. */
static const char *const domains[] = {
    "app",  "biz", "cloud", "com", "dev", "edu",      "gov",  "info",  "int", "mil",
    "name", "net", "one",   "org", "pro", "software", "tech", "tools", "xyz",
};

/* What calls the code of many programs: where nothing tells whose code is the program's own, it is
 * not that, unless there is no other. */
static const char *const hosts[] = {
    "org.apache.catalina.",
    "org.apache.coyote.",
    "org.apache.tomcat.",
    "org.apache.jasper.",
    "jakarta.",
    "javax.",
    "org.eclipse.jetty.",
    "org.eclipse.equinox.",
    "io.undertow.",
    "org.springframework.",
    "io.netty.",
    "reactor.",
    "io.vertx.",
    "io.quarkus.",
    "org.jboss.",
    "org.wildfly.",
    "org.glassfish.",
    "org.gradle.",
    "org.junit.",
    "org.apache.maven.",
    "org.apache.struts.",
    "org.apache.struts2.",
    "com.opensymphony.",
    "org.apache.wicket.",
    "org.apache.tapestry5.",
    "org.apache.cxf.",
    "org.apache.axis.",
    "org.apache.axis2.",
    "org.apache.shiro.",
    "com.google.gwt.",
    "com.google.inject.",
    "com.vaadin.",
    "org.zkoss.",
    "org.directwebremoting.",
    "net.sourceforge.stripes.",
    "org.restlet.",
    "org.grails.",
    "org.hibernate.",
};

/* What programs bring along and call: pools, drivers, caches, clients, loggers. Nor is that the
 * program's own. */
static const char *const libraries[] = {
    "akka.",
    "antlr.",
    "bitronix.",
    "brave.",
    "bsh.",
    "cats.",
    "cern.colt.",
    "ch.qos.logback.",
    "clj_http.",
    "com.alibaba.druid.",
    "com.azure.",
    "com.carrotsearch.",
    "com.clickhouse.",
    "com.codahale.",
    "com.couchbase.",
    "com.datastax.",
    "com.esotericsoftware.",
    "com.fasterxml.",
    "com.github.benmanes.",
    "com.google.common.",
    "com.google.gson.",
    "com.hazelcast.",
    "com.ibm.",
    "com.jcraft.",
    "com.jolbox.",
    "com.lmax.disruptor.",
    "com.mchange.",
    "com.microsoft.sqlserver.",
    "com.mongodb.",
    "com.mysql.",
    "com.netflix.hystrix.",
    "com.nimbusds.",
    "com.p6spy.",
    "com.rabbitmq.",
    "com.squareup.",
    "com.thoughtworks.",
    "com.typesafe.",
    "com.zaxxer.",
    "com.zeroc.",
    "datadog.",
    "ddtrot.",
    "doobie.",
    "feign.",
    "freemarker.",
    "fs2.",
    "gnu.trove.",
    "graphql.",
    "io.aeron.",
    "io.dropwizard.",
    "io.github.resilience4j.",
    "io.grpc.",
    "io.lettuce.",
    "io.micrometer.",
    "io.minio.",
    "io.nats.",
    "io.opencensus.",
    "io.opentelemetry.",
    "io.perfmark.",
    "io.prometheus.",
    "io.reactivex.",
    "it.unimi.dsi.",
    "javassist.",
    "jline.",
    "jnr.",
    "jodd.",
    "jsr166e.",
    "junit.",
    "kafka.",
    "kamon.",
    "liquibase.",
    "lombok.",
    "manifold.",
    "monix.",
    "net.bytebuddy.",
    "net.jpountz.",
    "net.sf.cglib.",
    "net.sf.ehcache.",
    "net.spy.memcached.",
    "next.jdbc.",
    "ognl.",
    "okhttp3.",
    "okio.",
    "one.nio.",
    "oracle.",
    "org.agrona.",
    "org.antlr.",
    "org.aopalliance.",
    "org.apache.activemq.",
    "org.apache.commons.",
    "org.apache.derby.",
    "org.apache.hc.",
    "org.apache.http.",
    "org.apache.ibatis.",
    "org.apache.kafka.",
    "org.apache.logging.",
    "org.apache.lucene.",
    "org.asynchttpclient.",
    "org.bouncycastle.",
    "org.bson.",
    "org.codehaus.",
    "org.dom4j.",
    "org.drools.",
    "org.ehcache.",
    "org.elasticsearch.",
    "org.firebirdsql.",
    "org.flywaydb.",
    "org.fusesource.",
    "org.h2.",
    "org.hsqldb.",
    "org.infinispan.",
    "org.jacorb.",
    "org.jasypt.",
    "org.jcsp.",
    "org.jctools.",
    "org.jdom.",
    "org.jgroups.",
    "org.jline.",
    "org.joda.",
    "org.jooq.",
    "org.jsoup.",
    "org.kie.",
    "org.mapdb.",
    "org.mariadb.",
    "org.mockito.",
    "org.mvel2.",
    "org.mybatis.",
    "org.neo4j.",
    "org.objectweb.asm.",
    "org.omg.",
    "org.osgi.",
    "org.postgresql.",
    "org.quartz.",
    "org.redisson.",
    "org.roaringbitmap.",
    "org.rocksdb.",
    "org.slf4j.",
    "org.sqlite.",
    "org.testng.",
    "org.thymeleaf.",
    "org.xnio.",
    "org.yaml.",
    "org.zeromq.",
    "picocli.",
    "play.",
    "redis.",
    "retrofit.",
    "retrofit2.",
    "ring.",
    "rx.",
    "scalikejdbc.",
    "slick.",
    "snaq.db.",
    "software.amazon.",
    "springfox.",
    "tools.jackson.",
    "zio.",
    "zipkin2.",
};

#define SEVERAL  G_MAXUINT32
#define LAUNCHED 20 /* so many stack traces of others for each with code of main's package */

struct PmOwnCode {
    gboolean unnamed; /* nothing names its packages: umbrellas are others */
    guint8 *methods;  /* by method: it is the program's own */
    guint8 *hosts;    /* by method: of those, it is a server's that calls the program's */
    gint *frames;     /* by chain: the innermost own one, -1 for none */
    guint32 *callers; /* by method that runs, or calls the platform, to sleep or to read: the own
                         method of another class that called it; SEVERAL; 0 for none */
    guint32 *places;  /* by chain: the first one at the same place */
};

static void own_code_free(gpointer data)
{
    PmOwnCode *own = data;
    g_free(own->methods);
    g_free(own->hosts);
    g_free(own->frames);
    g_free(own->callers);
    g_free(own->places);
    g_free(own);
}

/* The class with main(): as the program was started, else as it stands at the end of a stack. */
static char *main_class(const PmRecording *r)
{
    g_auto(GStrv) words = g_strsplit(r->facts.main ? r->facts.main : "", " ", 2);
    if (words[0] && *words[0] && !strchr(words[0], '/') && !g_str_has_suffix(words[0], ".jar"))
        return g_strdup(words[0]);
    for (guint c = 1; c < r->n_chains; c++) {
        const PmChain *chain = &r->chains[c];
        if (chain->truncated || !chain->n_frames)
            continue;
        const PmMethod *method = &r->methods[chain->frames[chain->n_frames - 1].method];
        if (strcmp(method->name, "main") == 0)
            return g_strdup(r->classes[method->class_index].name);
    }
    return NULL;
}

static char *prefix_of(const char *class_name)
{
    for (gsize i = 0; class_name && i < G_N_ELEMENTS(launchers); i++)
        if (g_str_has_prefix(class_name, launchers[i]))
            return NULL;
    return class_name && !pm_label_is_platform(class_name) ? pm_own_package_root(class_name) : NULL;
}

static gboolean is_domain(const char *class_name)
{
    const gsize length = strcspn(class_name, ".");
    for (gsize i = 0; i < G_N_ELEMENTS(domains); i++)
        if (strlen(domains[i]) == length &&
            g_ascii_strncasecmp(class_name, domains[i], length) == 0)
            return TRUE;
    return length == 2;
}

char *pm_own_package_root(const char *class_name)
{
    const char *last = strrchr(class_name, '.');
    if (!last)
        return g_strdup("");
    guint words = is_domain(class_name) ? 2 : 1;
    for (gsize i = 0; i < G_N_ELEMENTS(umbrellas); i++)
        if (g_str_has_prefix(class_name, umbrellas[i]))
            words = 3;
    const char *end = class_name;
    for (guint i = 0; i < words && end <= last; i++)
        end = strchr(end, '.') + 1;
    return g_strndup(class_name, (gsize)(end - class_name));
}

static gboolean is_of(const char *name, const char *const *packages, gsize n)
{
    for (gsize i = 0; i < n; i++)
        if (g_str_has_prefix(name, packages[i]))
            return TRUE;
    return FALSE;
}

static gboolean is_host(const char *name)
{
    return is_of(name, hosts, G_N_ELEMENTS(hosts));
}

static gboolean is_library(const char *name)
{
    return is_of(name, libraries, G_N_ELEMENTS(libraries));
}

/* Classes that the compiler or the VM made say nothing to a reader, but for Scala's functions
 * without a name. `prefix`: of own classes; NULL: all but the platform's. If that is no domain, as
 * few libraries' is, others that are none are own, too. */
static gboolean is_own(const char *name, const char *prefix)
{
    const char *made = strstr(name, "$$");
    if (!*name || pm_label_is_platform(name) || (made && !g_str_has_prefix(made, "$$anon")) ||
        strchr(name, '/'))
        return FALSE;
    if (!prefix || g_str_has_prefix(name, prefix))
        return TRUE;
    return strchr(name, '.') && !is_domain(prefix) && !is_domain(name) && !is_host(name) &&
           !is_library(name);
}

static gint next_own(const PmOwnCode *own, const PmRecording *r, guint32 chain, gint frame)
{
    const PmChain *c = &r->chains[chain];
    for (guint i = (guint)(frame + 1); i < c->n_frames; i++)
        if (own->methods[c->frames[i].method])
            return (gint)i;
    return -1;
}

/* One class, or one that lies in the other. */
static gboolean is_same_class(const PmRecording *r, PmFrame a, PmFrame b)
{
    const char *left = pm_recording_class_of(r, a.method);
    const char *right = pm_recording_class_of(r, b.method);
    gsize length = MIN(strlen(left), strlen(right));
    return strncmp(left, right, length) == 0 && (left[length] == 0 || left[length] == '$') &&
           (right[length] == 0 || right[length] == '$');
}

/* The next frame to show behind `frame`: of another class, as the methods of one class that call
 * each other tell less than who called them; else the next one. */
static gint next_shown(const PmOwnCode *own, const PmRecording *r, guint32 chain, gint frame)
{
    const PmChain *c = &r->chains[chain];
    gint next = next_own(own, r, chain, frame), other = next;
    while (other >= 0 && is_same_class(r, c->frames[frame], c->frames[other]))
        other = next_own(own, r, chain, other);
    return other >= 0 ? other : next;
}

/* Does the innermost own method run there, or call the platform, other than to wait for a lock? */
static gboolean is_at_work(const PmOwnCode *own, const PmRecording *r, guint32 chain)
{
    gint frame = own->frames[chain];
    if (frame < 1)
        return frame == 0;
    const PmMethod *inner = &r->methods[r->chains[chain].frames[frame - 1].method];
    const char *class_name = r->classes[inner->class_index].name;
    return pm_label_is_platform(class_name) && !pm_label_is_locking(class_name, inner->name);
}

/* Does the innermost own method call a library, other than to wait? What works for several does so
 * for them in a library, too. */
static gboolean is_in_library(const PmOwnCode *own, const PmRecording *r, guint32 chain)
{
    const gint frame = own->frames[chain];
    return frame > 0 &&
           !pm_label_is_platform(
               pm_recording_class_of(r, r->chains[chain].frames[frame - 1].method)) &&
           !pm_chain_waits(r, chain);
}

/* "pause" of pause, pauseFor and pause_ms, but not of paused. */
static gboolean begins_with_word(const char *name, const char *word)
{
    return g_str_has_prefix(name, word) && !g_ascii_islower(name[strlen(word)]);
}

/* Does the method sleep or spin for a while, as its name says? Nobody does so for its own sake. */
static gboolean passes_time(const PmRecording *r, guint32 chain, gint frame)
{
    static const char *const clocks[] = {"nanoTime", "currentTimeMillis", "onSpinWait", NULL};
    const PmFrame *frames = r->chains[chain].frames;
    if (frame < 0)
        return FALSE;
    const char *name = r->methods[frames[frame].method].name;
    const char *called = frame > 0 ? r->methods[frames[frame - 1].method].name : NULL;
    if (called && strcmp(called, "sleep") == 0) {
        g_autofree char *lower = g_ascii_strdown(name, -1);
        return strstr(lower, "sleep") || begins_with_word(name, "pause") ||
               begins_with_word(name, "delay");
    }
    return (!called || g_strv_contains(clocks, called)) &&
           (begins_with_word(name, "spin") || begins_with_word(name, "burn"));
}

/* Two methods of one class that call it tell no helper where that lies in the class, or around it.
 */
static void add_caller(PmOwnCode *own, const PmRecording *r, guint32 chain, gint frame)
{
    const PmChain *c = &r->chains[chain];
    gint caller = frame;
    guint32 helper = c->frames[frame].method;
    do {
        caller = next_own(own, r, chain, caller);
        if (caller < 0)
            return;
    } while (strcmp(pm_recording_class_of(r, c->frames[caller].method),
                    pm_recording_class_of(r, helper)) == 0);
    guint32 *known = &own->callers[helper], method = c->frames[caller].method;
    if (!*known)
        *known = method;
    else if (*known != SEVERAL && *known != method &&
             (strcmp(pm_recording_class_of(r, *known), pm_recording_class_of(r, method)) != 0 ||
              !is_same_class(r, c->frames[frame], c->frames[caller])))
        *known = SEVERAL;
}

static void add_callers(PmOwnCode *own, const PmRecording *r, guint32 chain)
{
    const gint frame = own->frames[chain];
    if (!is_at_work(own, r, chain))
        return;
    add_caller(own, r, chain, frame);
    const gint sleeps = passes_time(r, chain, frame) ? next_own(own, r, chain, frame) : -1;
    if (sleeps >= 0)
        add_caller(own, r, chain, sleeps);
}

gboolean pm_own_is_on_the_way(const PmRecording *r, guint32 method)
{
    const char *class_name = pm_recording_class_of(r, method);
    return pm_label_is_of_language(class_name, &r->methods[method]) ||
           g_str_has_prefix(class_name, "java.lang.reflect.") ||
           g_str_has_prefix(class_name, "java.lang.invoke.") ||
           strstr(class_name, "internal.reflect.");
}

/* What an own frame calls there, as a method; 0: more own code, locking code, or what the compiler
 * made. */
static guint32 called_from(const PmOwnCode *own, const PmRecording *r, guint32 chain, gint frame)
{
    const PmFrame *frames = r->chains[chain].frames;
    gint at = frame - 1;
    while (at > 0 && pm_own_is_on_the_way(r, frames[at].method))
        at--;
    const guint32 method = at >= 0 ? frames[at].method : 0;
    const char *class_name = pm_recording_class_of(r, method);
    return !method || own->methods[method] || strstr(class_name, "$$") ||
                   pm_label_is_locking(class_name, r->methods[method].name)
               ? 0
               : method;
}

/* The site, or, of a library, the frame that called the platform's code there; -1 if there is only
 * that. */
static gint library_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint32 frame = chain && c->n_frames ? MIN(c->site, c->n_frames - 1) : c->n_frames;
    while (frame < c->n_frames && pm_label_is_platform(pm_recording_class_at(r, c, frame)))
        frame++;
    return frame < c->n_frames ? (gint)frame : -1;
}

typedef struct {
    guint64 frame;
    guint32 called, chain;
} Place;

static int compare_places(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    if (x->called != y->called)
        return x->called < y->called ? -1 : 1;
    return x->chain < y->chain ? -1 : x->chain > y->chain;
}

static void find_places(PmOwnCode *own, const PmRecording *r)
{
    const guint64 *sites = pm_recording_private(r)->chain_site;
    g_autofree Place *places = g_new(Place, MAX(r->n_chains, 1));
    for (guint32 i = 0; i < r->n_chains; i++) {
        const gint frame = own->frames[i] < 0 ? library_frame(r, i) : own->frames[i];
        places[i] = (Place){frame < 0 ? sites[i] : pm_frame_pack(r->chains[i].frames[frame]),
                            called_from(own, r, i, frame), i};
    }
    qsort(places, r->n_chains, sizeof *places, compare_places);
    for (guint32 i = 0, first = 0; i < r->n_chains; i++) {
        if (places[i].frame != places[first].frame || places[i].called != places[first].called)
            first = i;
        own->places[places[i].chain] = places[first].chain;
    }
}

static gboolean is_others(const PmOwnCode *own, const PmRecording *r, guint32 method)
{
    const char *name = pm_recording_class_of(r, method);
    return own->hosts[method] || is_library(name) ||
           (own->unnamed && is_of(name, umbrellas, G_N_ELEMENTS(umbrellas)));
}

/* Takes away what is the servers' and the libraries', if there is anything else. */
static void leave_out_others(PmOwnCode *own, const PmRecording *r)
{
    gboolean any = FALSE;
    for (guint32 i = 1; i < r->n_methods && !any; i++)
        any = own->methods[i] && !is_others(own, r, i);
    for (guint32 i = 1; i < r->n_methods && any; i++)
        own->methods[i] = own->methods[i] && !is_others(own, r, i);
}

static void find_methods(PmOwnCode *own, const PmRecording *r, const char *prefix)
{
    for (guint32 i = 1; i < r->n_methods; i++)
        own->methods[i] = is_own(pm_recording_class_of(r, i), prefix) &&
                          !pm_label_is_of_language(pm_recording_class_of(r, i), &r->methods[i]);
    for (guint32 i = 1; !prefix && i < r->n_methods; i++)
        own->hosts[i] = own->methods[i] && is_host(pm_recording_class_of(r, i));
    if (!prefix)
        leave_out_others(own, r);
}

/* Does main() only start somebody else's program? Then nearly no stack trace has code of its
 * package, and others are not cut off before it. */
static gboolean is_launcher(const PmOwnCode *own, const PmRecording *r)
{
    g_autofree guint8 *others = g_new0(guint8, MAX(r->n_methods, 1));
    const PmOwnCode all = {.methods = others};
    gsize n_own = 0, n_others = 0;
    for (guint32 i = 1; i < r->n_methods; i++) {
        const char *name = pm_recording_class_of(r, i);
        others[i] = is_own(name, NULL) && !is_host(name) && !is_library(name) &&
                    !is_of(name, umbrellas, G_N_ELEMENTS(umbrellas));
    }
    for (guint32 i = 1; i < r->n_chains; i++)
        if (next_own(own, r, i, -1) >= 0)
            n_own++;
        else if (!r->chains[i].truncated && next_own(&all, r, i, -1) >= 0)
            n_others++;
    return n_others > 0 && n_own * LAUNCHED <= n_others;
}

static PmOwnCode *own_code_new(const PmRecording *r)
{
    g_autofree char *class_name = main_class(r);
    g_autofree char *prefix = prefix_of(class_name);
    PmOwnCode *own = g_new0(PmOwnCode, 1);
    own->unnamed = prefix && !*prefix;
    if (own->unnamed) /* the rest of the program may be in packages */
        g_clear_pointer(&prefix, g_free);
    own->methods = g_new0(guint8, MAX(r->n_methods, 1));
    own->hosts = g_new0(guint8, MAX(r->n_methods, 1));
    own->frames = g_new(gint, MAX(r->n_chains, 1));
    own->callers = g_new0(guint32, MAX(r->n_methods, 1));
    own->places = g_new0(guint32, MAX(r->n_chains, 1));
    find_methods(own, r, prefix);
    if (prefix && is_launcher(own, r)) {
        own->unnamed = TRUE;
        find_methods(own, r, NULL);
    }
    for (guint i = 0; i < r->n_chains; i++)
        own->frames[i] = i ? next_own(own, r, i, -1) : -1;
    for (guint i = 1; i < r->n_chains; i++)
        add_callers(own, r, i);
    find_places(own, r);
    return own;
}

const PmOwnCode *pm_own_code(const PmRecording *of)
{
    static GMutex lock;
    const PmRecording *recording = pm_recording_whole(of);
    PmRecordingPrivate *p = pm_recording_private(recording);
    PmOwnCode *own = g_atomic_pointer_get(&p->own_code);
    if (own)
        return own;
    g_mutex_lock(&lock);
    own = g_dataset_get_data(recording, "own-code");
    if (!own) {
        own = own_code_new(recording);
        g_dataset_set_data_full(recording, "own-code", own, own_code_free);
        g_atomic_pointer_set(&p->own_code, own);
    }
    g_mutex_unlock(&lock);
    return own;
}

gboolean pm_own_is(const PmOwnCode *own, const PmRecording *recording, guint32 method)
{
    return own->methods[method];
}

gint pm_own_frame(const PmOwnCode *own, guint32 chain)
{
    return own->frames[chain];
}

gboolean pm_own_is_cut_off(const PmOwnCode *own, const PmRecording *recording, guint32 chain)
{
    return pm_own_frame(own, chain) < 0 && recording->chains[chain].truncated;
}

gint pm_own_next(const PmOwnCode *own, const PmRecording *recording, guint32 chain, gint frame)
{
    return next_own(own, recording, chain, frame);
}

gboolean pm_own_is_around(const PmOwnCode *own, const PmRecording *recording, guint32 chain,
                          gint frame)
{
    const PmFrame *frames = recording->chains[chain].frames;
    const guint32 method = frames[frame].method;
    gint inner = own->frames[chain];
    while (inner >= 0 && own->hosts[frames[inner].method])
        inner = next_own(own, recording, chain, inner);
    return inner >= 0 && frame > inner && (!own->methods[method] || own->hosts[method]);
}

gboolean pm_own_is_called_back(const PmOwnCode *own, const PmRecording *recording, guint32 chain)
{
    const PmChain *c = &recording->chains[chain];
    gint outermost = own->frames[chain];
    for (gint next = outermost; next >= 0; next = next_own(own, recording, chain, next))
        outermost = next;
    for (guint i = (guint)outermost + 1; outermost >= 0 && !c->truncated && i < c->n_frames; i++) {
        const PmMethod *method = &recording->methods[c->frames[i].method];
        const char *of_class = recording->classes[method->class_index].name;
        if (!g_str_has_prefix(of_class, "java.lang.") && !pm_label_is_of_thread(of_class) &&
            !strstr(of_class, "$$Lambda"))
            return TRUE;
    }
    return FALSE;
}

gboolean pm_own_is_helper(const PmOwnCode *own, const PmRecording *recording, guint32 chain,
                          gint frame)
{
    const gint inner = own->frames[chain];
    if (!is_at_work(own, recording, chain) && !is_in_library(own, recording, chain))
        return FALSE;
    const gboolean sleeps = passes_time(recording, chain, inner);
    if (frame == inner && sleeps)
        return TRUE;
    return own->callers[recording->chains[chain].frames[frame].method] == SEVERAL &&
           (frame == inner || (sleeps && frame == next_own(own, recording, chain, inner)));
}

gboolean pm_own_waits_for_outside(const PmOwnCode *own, const PmRecording *r, guint32 chain)
{
    static const char *const classes[] = {"sun.nio.ch.EPoll",           "sun.nio.ch.Net",
                                          "sun.nio.ch.SelectorImpl",    "java.net.PlainSocketImpl",
                                          "sun.nio.ch.NioSocketImpl",   "java.net.ServerSocket",
                                          "java.lang.ProcessHandleImpl"};
    const PmChain *c = &r->chains[chain];
    if (pm_own_frame(own, chain) >= 0)
        return FALSE;
    if (pm_label_is_within(r, chain, 1, "sun.awt.*Toolkit", "waitForEvents"))
        return TRUE;
    for (guint i = 0; i < MIN(c->n_frames, 8u); i++) {
        const char *name = pm_recording_class_of(r, c->frames[i].method);
        for (gsize k = 0; k < G_N_ELEMENTS(classes); k++)
            if (strcmp(name, classes[k]) == 0)
                return TRUE;
    }
    return FALSE;
}

gboolean pm_label_is_in_queue(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++) {
        const char *name = pm_recording_class_at(r, c, i);
        if (pm_label_is_platform(name) &&
            (g_str_has_suffix(name, "Queue") || g_str_has_suffix(name, "Deque")))
            return TRUE;
    }
    return FALSE;
}

char *pm_label_code(const PmRecording *r, guint32 chain, guint max)
{
    return pm_label_code_from(r, chain, pm_own_frame(pm_own_code(r), chain), max);
}

/* " in Socket.read" behind what its own frame calls there. */
static void append_call(GString *text, const PmRecording *r, guint32 chain, gint frame)
{
    const guint32 called = called_from(pm_own_code(r), r, chain, frame);
    if (!called)
        return;
    g_autofree char *call = pm_label_method(r, called);
    g_string_append_printf(text, " in %s", call);
}

char *pm_label_library_method(const PmRecording *r, guint32 chain)
{
    const gint frame = pm_own_frame(pm_own_code(r), chain) < 0 ? library_frame(r, chain) : -1;
    return frame < 0 ? NULL : pm_label_method(r, r->chains[chain].frames[frame].method);
}

/* Of a stack trace without own code. */
static char *label_library(const PmRecording *r, guint32 chain, guint max)
{
    const gint frame = library_frame(r, chain);
    if (frame < 0 || (guint32)frame <= r->chains[chain].site || max == 0)
        return pm_label_chain(r, chain, max);
    g_autofree char *label = pm_label_frame(r, r->chains[chain].frames[frame]);
    GString *text = g_string_new(label);
    append_call(text, r, chain, frame);
    if (max > 1 && (guint)frame + 1 < r->chains[chain].n_frames) {
        g_autofree char *callers =
            pm_label_frames(r, chain, (guint32)frame + 1, max - 1, pm_label_frame);
        g_string_append_printf(text, " < %s", callers);
    }
    return g_string_free(text, FALSE);
}

/* Of the methods of one class that call each other, from `frame` outwards, the one that others
 * called, who come at `next`; else `next`. */
static gint entry_of(const PmOwnCode *own, const PmRecording *r, guint32 chain, gint frame,
                     gint next)
{
    gint entry = next;
    for (gint f = next_own(own, r, chain, frame); f >= 0 && f < next;
         f = next_own(own, r, chain, f))
        entry = f;
    return entry;
}

char *pm_label_code_from(const PmRecording *r, guint32 chain, gint frame, guint max)
{
    const PmOwnCode *own = pm_own_code(r);
    if (frame < 0)
        return label_library(r, chain, max);
    GString *text = g_string_new(NULL);
    guint n_own = 0;
    for (gint f = frame; f >= 0; f = next_own(own, r, chain, f))
        n_own++;
    for (guint n = 0; n < max && frame >= 0; n++) {
        g_autofree char *label = pm_label_frame(r, r->chains[chain].frames[frame]);
        g_string_append_printf(text, "%s%s", n ? " < " : "", label);
        if (n == 0)
            append_call(text, r, chain, frame);
        const gint shown = next_shown(own, r, chain, frame);
        frame = n_own <= max         ? next_own(own, r, chain, frame)
                : n == 0 && max >= 3 ? entry_of(own, r, chain, frame, shown)
                                     : shown;
    }
    return g_string_free(text, FALSE);
}

static void append_frame(GString *text, const char *before, const PmRecording *r, guint32 chain,
                         gint frame)
{
    g_autofree char *label = pm_label_frame(r, r->chains[chain].frames[frame]);
    g_string_append_printf(text, "%s%s", before, label);
}

char *pm_label_code_between(const PmRecording *r, guint32 chain, gboolean inner, gint frame,
                            gint last)
{
    const PmOwnCode *own = pm_own_code(r);
    const gint innermost = pm_own_frame(own, chain);
    if (frame < 0)
        return pm_label_code_from(r, chain, frame, 2);
    GString *text = g_string_new(NULL);
    append_frame(text, "", r, chain, frame);
    if (inner && frame > innermost) {
        g_autofree char *helper = pm_label_method(r, r->chains[chain].frames[innermost].method);
        g_string_append_printf(text, " in %s", helper);
        append_call(text, r, chain, innermost);
    } else {
        append_call(text, r, chain, frame);
    }
    const gint shown = next_shown(own, r, chain, frame);
    if (shown >= 0)
        append_frame(text, " < ", r, chain, shown);
    if (shown >= 0 && last > shown)
        append_frame(text, next_own(own, r, chain, shown) == last ? " < " : " < … < ", r, chain,
                     last);
    return g_string_free(text, FALSE);
}

char *pm_label_call(const PmRecording *r, guint32 chain)
{
    GString *text = g_string_new(NULL);
    append_call(text, r, chain, pm_own_frame(pm_own_code(r), chain));
    return g_string_free(text, FALSE);
}

/* The innermost frame of own code, else of a library, else the site; -1 for a chain without frames.
 */
static gint code_frame(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    gint frame = pm_own_frame(pm_own_code(r), chain);
    if (frame < 0)
        frame = library_frame(r, chain);
    return frame >= 0 || !c->n_frames ? frame : (gint)MIN(c->site, c->n_frames - 1);
}

guint32 pm_own_place(const PmOwnCode *own, guint32 chain)
{
    return own->places[chain];
}

PmFrame pm_own_place_frame(const PmRecording *r, guint32 chain)
{
    const gint frame = code_frame(r, chain);
    return frame < 0 ? (PmFrame){0} : r->chains[chain].frames[frame];
}

char *pm_label_place_method(const PmRecording *r, guint32 chain)
{
    g_autofree char *method = pm_label_code_method(r, chain);
    g_autofree char *call = pm_label_call(r, chain);
    return g_strconcat(method, call, NULL);
}

char *pm_label_code_short(const PmRecording *r, guint32 chain)
{
    gint frame = code_frame(r, chain);
    if (frame < 0)
        return g_strdup("");
    gint32 line = r->chains[chain].frames[frame].line;
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    return line <= 0 ? g_steal_pointer(&method) : g_strdup_printf("%s:%d", method, line);
}

char *pm_label_code_method(const PmRecording *r, guint32 chain)
{
    gint frame = code_frame(r, chain);
    return frame < 0 ? g_strdup("(unknown)")
                     : pm_label_method(r, r->chains[chain].frames[frame].method);
}
