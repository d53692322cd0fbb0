#include "recorder/agent/drain/mailbox.h"

#include <assert.h>
#include <string.h>

#include "recorder/agent/base/native-thread.h"

void pm_mailbox_init(struct pm_mailbox *mailbox)
{
    memset(mailbox, 0, sizeof *mailbox);
    pthread_mutex_init(&mailbox->lock, NULL);
    pm_native_thread_condition_init(&mailbox->wake);
    pm_native_thread_condition_init(&mailbox->done);
}

void pm_mailbox_open(struct pm_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->open = true;
    pthread_mutex_unlock(&mailbox->lock);
}

int pm_mailbox_ask(struct pm_mailbox *mailbox, const struct pm_request *request, int64_t until_ns,
                   struct pm_answer *ret_answer)
{
    assert(request->what != PM_REQUEST_NONE);
    int result = PM_ERROR_IO;
    pthread_mutex_lock(&mailbox->lock);
    while (mailbox->asked && mailbox->open &&
           pm_native_thread_wait(&mailbox->done, &mailbox->lock, until_ns) == 0) {
    }
    if (mailbox->open && !mailbox->asked) {
        mailbox->asked = true;
        mailbox->request = *request;
        uint64_t number = mailbox->request.number = ++mailbox->n_requests;
        pthread_cond_signal(&mailbox->wake);
        while (mailbox->n_answered < number && mailbox->open &&
               pm_native_thread_wait(&mailbox->done, &mailbox->lock, until_ns) == 0) {
        }
        if (mailbox->n_answered >= number) {
            result = mailbox->answer.error;
            if (ret_answer)
                *ret_answer = mailbox->answer;
        } else {
            mailbox->request.what = PM_REQUEST_NONE;
        }
        mailbox->asked = false;
        pthread_cond_broadcast(&mailbox->done);
    }
    pthread_mutex_unlock(&mailbox->lock);
    return result;
}

void pm_mailbox_hurry(struct pm_mailbox *mailbox)
{
    atomic_store_explicit(&mailbox->hurried, true, memory_order_relaxed);
    pthread_cond_signal(&mailbox->wake);
}

bool pm_mailbox_close(struct pm_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    bool was_open = mailbox->open;
    mailbox->open = false;
    pthread_cond_broadcast(&mailbox->wake);
    pthread_cond_broadcast(&mailbox->done);
    pthread_mutex_unlock(&mailbox->lock);
    return was_open;
}

bool pm_mailbox_wait_left(struct pm_mailbox *mailbox, int64_t until_ns)
{
    pthread_mutex_lock(&mailbox->lock);
    while (!mailbox->left && pm_native_thread_wait(&mailbox->done, &mailbox->lock, until_ns) == 0) {
    }
    bool left = mailbox->left;
    pthread_mutex_unlock(&mailbox->lock);
    return left;
}

bool pm_mailbox_wait(struct pm_mailbox *mailbox, int64_t until_ns, struct pm_request *ret_request)
{
    pthread_mutex_lock(&mailbox->lock);
    while (mailbox->open && mailbox->request.what == PM_REQUEST_NONE &&
           !atomic_exchange_explicit(&mailbox->hurried, false, memory_order_relaxed) &&
           pm_native_thread_wait(&mailbox->wake, &mailbox->lock, until_ns) == 0) {
    }
    bool open = mailbox->open;
    *ret_request = mailbox->request;
    pthread_mutex_unlock(&mailbox->lock);
    return open;
}

void pm_mailbox_answer(struct pm_mailbox *mailbox, const struct pm_request *request,
                       const struct pm_answer *answer)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->answer = *answer;
    mailbox->n_answered = request->number;
    if (mailbox->request.number == request->number)
        mailbox->request.what = PM_REQUEST_NONE;
    pthread_cond_broadcast(&mailbox->done);
    pthread_mutex_unlock(&mailbox->lock);
}

void pm_mailbox_leave(struct pm_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->left = true;
    pthread_cond_broadcast(&mailbox->done);
    pthread_mutex_unlock(&mailbox->lock);
}
