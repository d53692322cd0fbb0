#include "recorder/agent/base/probe.h"

#include <sys/uio.h>
#include <unistd.h>

bool pm_probe_read(uintptr_t from, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)from, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}
