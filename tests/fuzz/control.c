/* Any bytes as what a client sends to the recorder's socket: answered or hung up on in time. One
 * recorder without a JVM serves all inputs; its files may not grow beyond MAX_FILE. */
#include <stdint.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/control/control.h"
#include "recorder/agent/drain/drain.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/waits/slot.h"

#define MAX_FILE (64 << 20)
#define LONG_NS  120000000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *folder;
static struct pm_options options;

static void stop(void)
{
    pm_control_stop();
    pm_drain_stop(LONG_NS);
    g_unlink(options.file);
    g_rmdir(folder);
    pm_slot_pool_clear();
}

static void start(void)
{
    struct pm_error_info info = {0};
    struct pm_facts facts = {.begin_ns = pm_clock_now(), .begin_unix_ns = pm_clock_now_unix()};
    struct rlimit limit = {MAX_FILE, MAX_FILE};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    folder = g_dir_make_tmp("control-XXXXXX", NULL);
    pm_options_default(&options);
    g_snprintf(options.file, sizeof options.file, "%s/a.park", folder);
    g_snprintf(options.socket, sizeof options.socket, "%s/s", folder);
    options.maxsize = 1 << 20;
    g_assert_cmpint(pm_tables_init(), ==, PM_OK);
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, PM_OK);
    g_assert_cmpint(pm_drain_start(&options, &facts, &info), ==, PM_OK);
    g_assert_cmpint(pm_control_start(&options, &info), ==, PM_OK);
    atexit(stop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder)
        start();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_strlcpy(address.sun_path, options.socket, sizeof address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
    /* The recorder may hang up before it has read all. */
    if (send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size)
        shutdown(fd, SHUT_WR);
    char bytes[4096];
    while (recv(fd, bytes, sizeof bytes, 0) > 0)
        continue;
    close(fd);
    return 0;
}
