#include "recorder/agent/control/facts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/text.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/sampling/thread-snapshot.h"

static struct {
    char jvm[80];
    char main[256];
    char host[128];
    char options[PM_OPTIONS_TEXT_MAX];
    char zone[16];
    char not_recorded[PM_NOT_RECORDED_MAX];
} texts;

static struct pm_text text_of(const char *text)
{
    return (struct pm_text){text, (uint32_t)strlen(text)};
}

/* "OpenJDK 17.0.15" */
static void read_jvm(void)
{
    char *name = pm_host_property("java.vm.name");
    char *version = pm_host_property("java.vm.version");
    const char *vendor = name && strncmp(name, "OpenJDK", 7) == 0 ? "OpenJDK" : "HotSpot";
    int digits = version ? (int)strcspn(version, "+-") : 0;
    snprintf(texts.jvm, sizeof texts.jvm, "%s %.*s", vendor, digits, version ? version : "");
    pm_text_from_java(texts.jvm, sizeof texts.jvm, texts.jvm);
    pm_host_free(name);
    pm_host_free(version);
}

/* "orders.jar 8080": the command without the folder of its jar. */
static void read_main(void)
{
    char *command = pm_host_property("sun.java.command");
    const char *from = command ? command : "";
    size_t first = strcspn(from, " ");
    const char *slash = memrchr(from, '/', first);
    if (slash && first > 4 && strncmp(from + first - 4, ".jar", 4) == 0)
        from = slash + 1;
    pm_text_from_java(texts.main, sizeof texts.main, from);
    pm_host_free(command);
}

static void read_zone(void)
{
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    long minutes = local.tm_gmtoff / 60;
    unsigned ahead = (unsigned)(minutes < 0 ? -minutes : minutes) % (24 * 60);
    if (minutes == 0)
        strcpy(texts.zone, "UTC");
    else if (ahead % 60)
        snprintf(texts.zone, sizeof texts.zone, "UTC%c%u:%02u", minutes < 0 ? '-' : '+', ahead / 60,
                 ahead % 60);
    else
        snprintf(texts.zone, sizeof texts.zone, "UTC%c%u", minutes < 0 ? '-' : '+', ahead / 60);
}

static void add_not_recorded(const char *what)
{
    size_t length = strlen(texts.not_recorded);
    snprintf(texts.not_recorded + length, sizeof texts.not_recorded - length, "%s%s",
             length ? ", " : "", what);
}

/* Does the JDK list the virtual threads that Thread itself starts? It does by default. */
static bool are_threads_tracked(void)
{
    char *text = pm_host_property("jdk.trackAllThreads");
    bool are = !text || !*text || strcmp(text, "true") == 0;
    pm_host_free(text);
    return are;
}

void pm_facts_read(const struct pm_options *options, const char *options_text, bool attached,
                   struct pm_facts *ret_facts)
{
    read_jvm();
    read_main();
    read_zone();
    if (gethostname(texts.host, sizeof texts.host - 1))
        strcpy(texts.host, "");
    pm_text_from_java(texts.host, sizeof texts.host, texts.host);
    pm_text_from_java(texts.options, sizeof texts.options, options_text ? options_text : "");
    texts.not_recorded[0] = 0;
    if (!options->monitors)
        add_not_recorded("synchronized, Object.wait");
    else if (attached && !pm_monitor_objects_known())
        add_not_recorded("synchronized and Object.wait from before the attach");
    if (pm_host.version >= 19 && !options->vthreads)
        add_not_recorded("virtual threads");
    pm_jdk_list_losses(texts.not_recorded, sizeof texts.not_recorded);
    if (pm_host.version >= 21 && options->vthreads && attached)
        add_not_recorded(!are_threads_tracked() ? "virtual threads that waited before the attach"
                         : pm_thread_snapshot_offered()
                             ? "virtual threads in a StructuredTaskScope from before the attach"
                             : "virtual threads in synchronized, Object.wait or a "
                               "StructuredTaskScope from before the attach");

    *ret_facts = (struct pm_facts){.pid = (uint32_t)getpid(),
                                   .jvm = text_of(texts.jvm),
                                   .main = text_of(texts.main),
                                   .host = text_of(texts.host),
                                   .options = text_of(texts.options),
                                   .zone = text_of(texts.zone),
                                   .not_recorded = text_of(texts.not_recorded)};
}
