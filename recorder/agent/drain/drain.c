#include "recorder/agent/drain/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/descriptor.h"
#include "recorder/agent/base/native-thread.h"
#include "recorder/agent/drain/journal.h"
#include "recorder/agent/drain/mailbox.h"
#include "recorder/agent/drain/sampler.h"
#include "recorder/agent/waits/ring.h"

#define ANSWER_NS 10000000000 /* for what a user waits for */
#define OPEN_NS   10000000000 /* for the disk, at the start */
/* At the end a drain that is behind is waited for as long as it computes: the least in each step.
 */
#define STEP_NS  100000000
#define LEAST_NS 1000000

static struct {
    /* Set before the thread starts, then only read. */
    struct pm_facts facts;
    char *facts_text; /* kept after the end: who answers a client may be reading it */
    void (*say)(const char *text);
    bool (*ready)(bool on);
    struct pm_native_thread thread;
    clockid_t clock; /* its processor time */
    bool runs;

    struct pm_journal *journal; /* the drain thread's own */
    struct pm_mailbox mailbox;
    struct pm_ring spans;

    /* Shared, under `lock`. */
    pthread_mutex_t lock;
    struct pm_options options;
    struct pm_status status;
    int fd; /* of the present file; -1 = none */
    struct pm_inode inode;
    enum { REST, OPENS, OPENED, GIVEN_UP } opening;
    struct pm_error_info why_not;
    pthread_cond_t opening_changed;
} drain = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* -- the thread -- */

/* Buffers fill: a burst is not left to grow for a whole tick. Should the drain just be about to
 * wait, the tick comes when it is due. */
static void hurry(void)
{
    pm_mailbox_hurry(&drain.mailbox);
}

static void publish(bool with_deadlocks)
{
    struct pm_status status = drain.status;
    pm_journal_get_status(drain.journal, with_deadlocks, &status);
    struct timespec cpu = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    status.cpu_ns = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    const struct pm_file *file = pm_journal_file(drain.journal);
    pthread_mutex_lock(&drain.lock);
    drain.status = status;
    drain.fd = file->fd;
    drain.inode = file->inode;
    pthread_mutex_unlock(&drain.lock);
}

static int set_options(const struct pm_options *changed, struct pm_error_info *ret_info)
{
    int error = pm_journal_set_options(drain.journal, changed, ret_info);
    if (!error) {
        pthread_mutex_lock(&drain.lock);
        drain.options = *changed;
        pthread_mutex_unlock(&drain.lock);
    }
    return error;
}

static void answer(const struct pm_request *request)
{
    struct pm_answer answer = {0};
    switch (request->what) {
    case PM_REQUEST_FLUSH:
        pm_journal_flush(drain.journal);
        break;
    case PM_REQUEST_RECORD:
        pm_journal_set_recording(drain.journal, request->on);
        break;
    case PM_REQUEST_SET:
        answer.error = set_options(&request->options, &answer.info);
        break;
    case PM_REQUEST_WISHES:
        answer.n_wishes = pm_journal_wishes(drain.journal, answer.wishes);
        break;
    case PM_REQUEST_PRINT:
        pm_journal_print(drain.journal);
        break;
    case PM_REQUEST_NONE:
        return;
    }
    publish(true);
    pm_mailbox_answer(&drain.mailbox, request, &answer);
}

static void forget_file(void)
{
    pthread_mutex_lock(&drain.lock);
    drain.fd = -1;
    pthread_mutex_unlock(&drain.lock);
}

/* On this thread, as nobody waits for a disk that hangs. False: it failed, or came too late. */
static bool open_journal(void)
{
    struct pm_error_info info = {0};
    int error = pm_journal_open(&drain.options, &drain.facts, &drain.spans, hurry, drain.say,
                                &drain.journal, &info);
    if (error) {
        info.code = error;
    } else {
        drain.facts = *pm_journal_facts(drain.journal);
        publish(false);
    }
    pthread_mutex_lock(&drain.lock);
    bool opened = !error && drain.opening == OPENS;
    if (opened) {
        pm_mailbox_open(&drain.mailbox);
        drain.opening = OPENED;
    }
    pthread_mutex_unlock(&drain.lock);
    if (!error && !opened) {
        pm_journal_abandon(drain.journal);
        pm_journal_free(drain.journal);
        forget_file();
    }
    pthread_mutex_lock(&drain.lock);
    if (!opened) {
        drain.why_not = info;
        drain.opening = REST;
    }
    pthread_cond_broadcast(&drain.opening_changed);
    pthread_mutex_unlock(&drain.lock);
    return opened;
}

static void *run(void *context)
{
    struct pm_request request;
    pthread_getcpuclockid(pthread_self(), &drain.clock);
    if (!open_journal())
        return NULL;
    while (pm_mailbox_wait(&drain.mailbox, pm_journal_next_ns(drain.journal), &request)) {
        pm_clock_compare();
        pm_journal_tick(drain.journal);
        answer(&request);
        bool due = pm_journal_is_flush_due(drain.journal);
        if (due)
            pm_journal_flush(drain.journal);
        publish(due);
    }
    pm_journal_close(drain.journal);
    pm_mailbox_leave(&drain.mailbox);
    return NULL;
}

/* -- the outside -- */

void pm_drain_on_loss(void (*say)(const char *text))
{
    drain.say = say;
}

static struct pm_text keep_text(struct pm_text text, char **at)
{
    struct pm_text kept = {*at, text.length};
    if (text.length)
        memcpy(*at, text.bytes, text.length);
    *at += text.length;
    return kept;
}

static int keep_facts(const struct pm_facts *facts)
{
    size_t size = 1 + facts->jvm.length + facts->main.length + facts->host.length +
                  facts->options.length + facts->zone.length + facts->not_recorded.length;
    free(drain.facts_text);
    drain.facts_text = malloc(size);
    if (!drain.facts_text)
        return PM_ERROR_MEMORY;
    char *at = drain.facts_text;
    drain.facts = *facts;
    drain.facts.jvm = keep_text(facts->jvm, &at);
    drain.facts.main = keep_text(facts->main, &at);
    drain.facts.host = keep_text(facts->host, &at);
    drain.facts.options = keep_text(facts->options, &at);
    drain.facts.zone = keep_text(facts->zone, &at);
    drain.facts.not_recorded = keep_text(facts->not_recorded, &at);
    return 0;
}

/* False: an earlier start, which nobody waits for any more, still tries. */
static bool begin_opening(void)
{
    pthread_mutex_lock(&drain.lock);
    bool begins = drain.opening != GIVEN_UP;
    if (begins) {
        pm_native_thread_condition_init(&drain.opening_changed);
        drain.opening = OPENS;
    }
    pthread_mutex_unlock(&drain.lock);
    return begins;
}

/* Has the drain's thread opened the file? */
static bool await_opening(struct pm_error_info *ret_info)
{
    int64_t until_ns = pm_clock_now() + OPEN_NS;
    pthread_mutex_lock(&drain.lock);
    while (drain.opening == OPENS &&
           pm_native_thread_wait(&drain.opening_changed, &drain.lock, until_ns) == 0) {
    }
    bool opened = drain.opening == OPENED;
    if (drain.opening == OPENS) {
        drain.opening = GIVEN_UP;
        pm_error_set(&drain.why_not, PM_ERROR_IO, -1, "the disk of %.100s does not answer",
                     drain.options.file);
    }
    if (!opened)
        *ret_info = drain.why_not;
    bool ends = drain.opening == REST;
    pthread_mutex_unlock(&drain.lock);
    if (ends)
        pm_native_thread_join(&drain.thread);
    else if (!opened)
        pm_native_thread_detach(&drain.thread);
    return opened;
}

int pm_drain_start(const struct pm_options *options, const struct pm_facts *facts,
                   struct pm_error_info *ret_info)
{
    if (drain.runs)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "the recorder is already running");
    if (!begin_opening())
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "the disk of %.100s does not answer yet",
                            drain.options.file);
    drain.options = *options;
    memset(&drain.status, 0, sizeof drain.status);
    pm_ring_init(&drain.spans);
    pm_mailbox_init(&drain.mailbox);
    if (keep_facts(facts))
        return pm_error_set(ret_info, PM_ERROR_MEMORY, -1, "no memory for the recorder");
    int error = pm_native_thread_start(&drain.thread, "parkmeter-drain", 192 << 10, run, NULL);
    if (error)
        return pm_error_set(ret_info, error, -1, "no thread for the recorder");
    struct pm_error_info info = {0};
    drain.runs = await_opening(&info);
    if (!drain.runs && ret_info)
        *ret_info = info;
    return drain.runs ? 0 : info.code;
}

static int64_t processor_ns(void)
{
    struct timespec used = {0};
    clock_gettime(drain.clock, &used); /* fails if the thread has ended */
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

bool pm_drain_stop(int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    if (!drain.runs || !pm_mailbox_close(&drain.mailbox))
        return true;
    if (!pm_mailbox_wait_left(&drain.mailbox, until_ns)) {
        pm_native_thread_detach(&drain.thread); /* a disk that hangs: the JVM need not */
        return false;
    }
    pm_native_thread_join(&drain.thread);
    pm_journal_free(drain.journal);
    forget_file();
    drain.runs = false;
    return true;
}

bool pm_drain_await_end(int64_t deadline_ns)
{
    const int64_t until_ns = pm_clock_now() + deadline_ns;
    bool left, computes = true;
    for (left = pm_mailbox_wait_left(&drain.mailbox, 0); !left && computes;) {
        const int64_t now_ns = pm_clock_now(), used_ns = processor_ns();
        left = pm_mailbox_wait_left(&drain.mailbox,
                                    now_ns + STEP_NS < until_ns ? now_ns + STEP_NS : until_ns);
        computes = pm_clock_now() < until_ns && processor_ns() - used_ns >= LEAST_NS;
    }
    return left || pm_mailbox_wait_left(&drain.mailbox, 0); /* it may just have left */
}

static int ask(const struct pm_request *request, int64_t deadline_ns, struct pm_answer *ret_answer)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    return drain.runs ? pm_mailbox_ask(&drain.mailbox, request, until_ns, ret_answer) : PM_ERROR_IO;
}

int pm_drain_flush(int64_t deadline_ns)
{
    return ask(&(struct pm_request){.what = PM_REQUEST_FLUSH}, deadline_ns, NULL);
}

int pm_drain_sample_owners(int64_t deadline_ns)
{
    int64_t until_ns = pm_clock_now() + deadline_ns;
    struct pm_answer answer;
    int error = ask(&(struct pm_request){.what = PM_REQUEST_WISHES}, deadline_ns, &answer);
    if (error)
        return error;
    int64_t left_ns = until_ns - pm_clock_now();
    if (answer.n_wishes > 0) {
        pm_sampler_run(answer.wishes, answer.n_wishes, left_ns > 0 ? left_ns / 2 : 0);
        left_ns = until_ns - pm_clock_now();
    }
    return pm_drain_flush(left_ns > 0 ? left_ns : 0);
}

/* Opened anew by what it is, not by name: the file may have been renamed. The drain may close it
 * meanwhile, and the program open another under its number, which is not even touched. */
static int open_anew(int fd, const struct pm_inode *inode)
{
    char path[64];
    struct pm_inode found;
    int opened = -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int seen = open(path, O_PATH | O_CLOEXEC);
    if (seen >= 0 && pm_inode_of_fd(seen, &found) == 0 && pm_inode_is_same(&found, inode)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", seen);
        opened = pm_descriptor_keep(open(path, O_RDONLY | O_CLOEXEC));
    }
    if (seen >= 0)
        close(seen);
    return opened;
}

/* Where it cannot be opened (no /proc, another mode, another user): the drain's own. */
static int duplicate(int fd, const struct pm_inode *inode)
{
    struct pm_inode found;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy >= 0 && (pm_inode_of_fd(copy, &found) || !pm_inode_is_same(&found, inode))) {
        close(copy);
        errno = ESTALE;
        return -1;
    }
    return copy;
}

int pm_drain_open_fd(void)
{
    int opened = -1;
    errno = ENOENT;
    for (int tries = 0; drain.runs && opened < 0 && tries < 3; tries++) {
        if (tries > 0) /* the drain goes on in another and has not said so yet */
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        pthread_mutex_lock(&drain.lock);
        int fd = drain.fd;
        struct pm_inode inode = drain.inode;
        pthread_mutex_unlock(&drain.lock);
        if (fd < 0)
            break;
        opened = open_anew(fd, &inode);
        opened = opened >= 0 ? opened : duplicate(fd, &inode);
    }
    return opened;
}

const struct pm_facts *pm_drain_facts(void)
{
    return drain.runs ? &drain.facts : NULL;
}

void pm_drain_get_options(struct pm_options *ret_options)
{
    pthread_mutex_lock(&drain.lock);
    *ret_options = drain.options;
    pthread_mutex_unlock(&drain.lock);
}

static void add_span(const struct pm_span *span)
{
    if (drain.runs)
        (void)pm_ring_add(&drain.spans, span); /* a full ring counts what it lost */
}

void pm_drain_gc(int64_t begin_ns, int64_t end_ns)
{
    struct pm_span span = {PM_SPAN_GC, {0}, begin_ns, end_ns};
    add_span(&span);
}

void pm_drain_thread_span(pm_thread_id thread, int64_t begin_ns, int64_t end_ns)
{
    struct pm_span span = {PM_SPAN_THREAD, thread, begin_ns, end_ns};
    add_span(&span);
}

void pm_drain_on_switch(bool (*ready)(bool on))
{
    drain.ready = ready;
}

int pm_drain_set_recording(bool on)
{
    if (on && drain.ready && !drain.ready(true))
        return PM_ERROR_IO;
    int error = ask(&(struct pm_request){.what = PM_REQUEST_RECORD, .on = on}, ANSWER_NS, NULL);
    if (!on && !error && drain.ready)
        (void)drain.ready(false);
    return error;
}

int pm_drain_print(int64_t deadline_ns)
{
    return ask(&(struct pm_request){.what = PM_REQUEST_PRINT}, deadline_ns, NULL);
}

int pm_drain_set(const struct pm_options *changed, struct pm_error_info *ret_info)
{
    struct pm_options now;
    pm_drain_get_options(&now);
    int error = pm_options_check_live(&now, changed, ret_info);
    if (error)
        return error;
    struct pm_answer answer = {0};
    error =
        ask(&(struct pm_request){.what = PM_REQUEST_SET, .options = *changed}, ANSWER_NS, &answer);
    if (error && answer.info.code == 0)
        return pm_error_set(ret_info, error, -1, "the recorder did not answer");
    if (error && ret_info)
        *ret_info = answer.info;
    return error;
}

void pm_drain_get_status(struct pm_status *ret_status)
{
    pthread_mutex_lock(&drain.lock);
    *ret_status = drain.status;
    pthread_mutex_unlock(&drain.lock);
}
