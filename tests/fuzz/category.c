/* Any bytes as a file of categories: refused with a reason, or its rules are asked. */
#include <stdint.h>
#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "viewer/analysis/recording/category.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const frames[] = {"jdk.internal.misc.Unsafe.park",
                                         "java.util.concurrent.locks.LockSupport.park",
                                         "com.acme.pool.Pool.borrow", "com.acme.Main.main"};
    g_autoptr(GError) error = NULL;
    int fd = memfd_create("categories", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_assert_cmpint(write(fd, data, size), ==, (gssize)size);
    if (pm_category_read_rules(path, &error)) {
        g_assert_no_error(error);
        PmCategory category =
            pm_category_of("com.acme.pool.PermitPool", frames, G_N_ELEMENTS(frames), 0);
        g_assert_cmpuint(category, <, PM_N_CATEGORIES);
        pm_category_forget_rules();
    } else {
        g_assert_nonnull(error);
    }
    close(fd);
    return 0;
}
