/* Requests of other threads to the drain thread: one at a time, copied in; the answer is copied out
 * before the requester's deadline, or never. A mailbox is closed until it is opened, and again
 * after pm_mailbox_close; a request to a closed one immediately gets PM_ERROR_IO. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "recorder/agent/drain/sampler.h"

enum pm_request_what {
    PM_REQUEST_NONE = 0, /* no request: the time is over, or buffers are filling up */
    PM_REQUEST_FLUSH,
    PM_REQUEST_RECORD, /* `on` */
    PM_REQUEST_SET,    /* `options` */
    PM_REQUEST_WISHES,
    PM_REQUEST_PRINT,
};

struct pm_request {
    enum pm_request_what what;
    bool on;
    struct pm_options options;
    uint64_t number; /* the mailbox's own */
};

struct pm_answer {
    int error;
    struct pm_error_info info; /* of `error`, where there is more to say */
    struct pm_sample_wish wishes[PM_SAMPLER_MAX_WISHES];
    size_t n_wishes;
};

struct pm_mailbox {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of who answers */
    pthread_cond_t done; /* of who asked, or waits to ask */
    bool open, left;
    bool asked; /* somebody waits for an answer */
    struct pm_request request;
    uint64_t n_requests, n_answered;
    struct pm_answer answer;
    _Atomic bool hurried;
};

/* Resets it to closed. No other thread may be using it. */
void pm_mailbox_init(struct pm_mailbox *mailbox);
/* Before the thread starts that answers. */
void pm_mailbox_open(struct pm_mailbox *mailbox);

/* From any thread. Returns the answer (`ret_answer` may be NULL), or PM_ERROR_IO if there was none
 * by `until_ns`; the request is then withdrawn, unless it is already being handled. */
int pm_mailbox_ask(struct pm_mailbox *mailbox, const struct pm_request *request, int64_t until_ns,
                   struct pm_answer *ret_answer);
/* Ends a pm_mailbox_wait soon. From any thread, without a lock: a thread that is just about to wait
 * misses it. */
void pm_mailbox_hurry(struct pm_mailbox *mailbox);
/* Ends all requests and answers. False: it was already closed. */
bool pm_mailbox_close(struct pm_mailbox *mailbox);
/* Waits for the answering thread's pm_mailbox_leave; false: not by `until_ns`. */
bool pm_mailbox_wait_left(struct pm_mailbox *mailbox, int64_t until_ns);

/* For the answering thread: waits until that instant, a request, or pm_mailbox_hurry. False:
 * closed. */
bool pm_mailbox_wait(struct pm_mailbox *mailbox, int64_t until_ns, struct pm_request *ret_request);
void pm_mailbox_answer(struct pm_mailbox *mailbox, const struct pm_request *request,
                       const struct pm_answer *answer);
/* The last thing it does. */
void pm_mailbox_leave(struct pm_mailbox *mailbox);
