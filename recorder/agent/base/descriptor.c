#include "recorder/agent/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int pm_descriptor_keep(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int kept = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return kept;
}
