/* A system that has no memory for the recorder, and all for its host: preloaded, refuses
 * libparkmeter.so whatever memory it asks for as long as the file $PM_REFUSED is there. With
 * $PM_ENDS the host is told to end just as the recorder makes its file. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define PUBLIC __attribute__((visibility("default")))

static _Thread_local int inside; /* what looks that up asks for memory too */

static int is_recorder(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libparkmeter.so");
}

static int is_refused(const void *caller)
{
    int refused = 0;
    if (inside++ == 0) {
        int before = errno;
        const char *file = getenv("PM_REFUSED");
        refused = file && access(file, F_OK) == 0 && is_recorder(caller);
        errno = refused ? ENOMEM : before;
    }
    inside--;
    return refused;
}

#define REFUSED is_refused(__builtin_return_address(0))

PUBLIC void *malloc(size_t size)
{
    return REFUSED ? NULL : __libc_malloc(size);
}

PUBLIC void *calloc(size_t n, size_t size)
{
    return REFUSED ? NULL : __libc_calloc(n, size);
}

PUBLIC void *realloc(void *memory, size_t size)
{
    return REFUSED ? NULL : __libc_realloc(memory, size);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
    return REFUSED ? NULL : __libc_memalign(alignment, size);
}

PUBLIC int flock(int fd, int operation)
{
    static int (*next)(int, int);
    static atomic_flag ended = ATOMIC_FLAG_INIT;
    if (getenv("PM_ENDS") && is_recorder(__builtin_return_address(0)) &&
        !atomic_flag_test_and_set(&ended)) {
        kill(getpid(), SIGTERM);
        usleep(700000);
    }
    if (!next)
        next = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    return next(fd, operation);
}

PUBLIC int mprotect(void *at, size_t size, int access_wanted)
{
    static int (*next)(void *, size_t, int);
    if (REFUSED)
        return -1;
    if (!next)
        next = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "mprotect");
    return next(at, size, access_wanted);
}
