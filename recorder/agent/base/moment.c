#include "recorder/agent/base/moment.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#define YIELDS   16
#define PAUSE_NS 50000

void pm_moment_pass(unsigned tries)
{
    int before = errno;
    if (tries < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    errno = before;
}
