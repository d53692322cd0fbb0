#include "viewer/analysis/whatif/replay.h"

#define NOBODY G_MAXUINT

typedef struct {
    guint next; /* step */
    gboolean has_cycled;
    guint behind; /* who asked for the same lock after it */
    double asked;
} Runner;

typedef struct {
    guint owner, first, last; /* of the queue */
    guint n_sharing;
    gboolean handing_over; /* a wake is on its way to the first */
} Server;

/* A thread comes to its next step, or (thread >= n_threads) a lock's handoff is done. */
typedef struct {
    double at;
    guint64 order; /* of equal instants */
    guint who;
} Event;

typedef struct {
    const PmReplayThread *threads;
    const PmReplayLock *locks;
    guint n_threads, n_locks;
    guint32 lock;
    double factor;
    Runner *runners;
    Server *servers;
    Event *events; /* a heap; one for each thread and each lock at most */
    guint n_events;
    guint64 order, skip, taken;
    double begin, end; /* of the acquisitions that count */
    double until, first_waiting, early_waiting;
    guint n_first; /* threads in their first round */
} Model;

static gboolean is_before(const Event *a, const Event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(Model *model, double at, guint who)
{
    Event event = {at, model->order++, who}, *heap = model->events;
    guint i = model->n_events++;
    for (; i > 0 && is_before(&event, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = event;
}

static Event pop(Model *model)
{
    Event *heap = model->events, top = heap[0];
    const guint n = --model->n_events;
    const Event moved = heap[n];
    guint i = 0;
    for (guint child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moved))
            break;
        heap[i] = heap[child];
    }
    if (n > 0)
        heap[i] = moved;
    return top;
}

static double duration_of(const Model *model, const PmReplayStep *step)
{
    return step->scaled ? step->before * model->factor : step->before;
}

static void go_on(Model *model, guint thread, double at)
{
    const PmReplayThread *t = &model->threads[thread];
    Runner *runner = &model->runners[thread];
    if (++runner->next == t->n_steps) {
        runner->next = 0;
        model->n_first -= !runner->has_cycled;
        runner->has_cycled = TRUE;
        at += t->rest;
    }
    push(model, at + duration_of(model, &t->steps[runner->next]), thread);
}

static const PmReplayStep *step_of(const Model *model, guint thread)
{
    return &model->threads[thread].steps[model->runners[thread].next];
}

/* The first who waits is woken. */
static void handoff(Model *model, guint32 lock, double at)
{
    Server *server = &model->servers[lock];
    if (server->first == NOBODY || server->handing_over)
        return;
    server->handing_over = TRUE;
    push(model, at + model->locks[lock].handoff, model->n_threads + lock);
}

static void take(Model *model, guint32 lock, guint thread, double at)
{
    if (step_of(model, thread)->shared)
        model->servers[lock].n_sharing++;
    else
        model->servers[lock].owner = thread;
    if (lock == model->lock) {
        const Runner *runner = &model->runners[thread];
        model->taken++;
        if (model->taken == model->skip)
            model->begin = at;
        model->end = at;
        model->first_waiting += runner->has_cycled ? 0 : at - runner->asked;
        model->early_waiting += MAX(MIN(at, model->until) - runner->asked, 0);
    }
    go_on(model, thread, at);
}

static void take_first(Model *model, guint32 lock, double at)
{
    Server *server = &model->servers[lock];
    guint first = server->first;
    server->first = model->runners[first].behind;
    if (server->first == NOBODY)
        server->last = NOBODY;
    if (step_of(model, first)->shared && server->first != NOBODY &&
        step_of(model, server->first)->shared)
        handoff(model, lock, at);
    take(model, lock, first, at);
}

/* May it have the lock, were it the first to ask? */
static gboolean is_free_for(const Model *model, guint32 lock, guint thread)
{
    const Server *server = &model->servers[lock];
    return server->owner == NOBODY && (server->n_sharing == 0 || step_of(model, thread)->shared);
}

/* May it have the lock before those that wait? */
static gboolean goes_first(const Model *model, guint32 lock, guint thread)
{
    guint first = model->servers[lock].first;
    if (first == NOBODY)
        return TRUE;
    return !model->locks[lock].fair &&
           (!step_of(model, thread)->shared || step_of(model, first)->shared);
}

static void ask(Model *model, guint32 lock, guint thread, double at)
{
    Server *server = &model->servers[lock];
    Runner *runner = &model->runners[thread];
    runner->asked = at;
    if (server->owner == thread) {
        go_on(model, thread, at);
        return;
    }
    if (is_free_for(model, lock, thread) && goes_first(model, lock, thread)) {
        take(model, lock, thread, at);
        return;
    }
    runner->behind = NOBODY;
    if (server->last == NOBODY)
        server->first = thread;
    else
        model->runners[server->last].behind = thread;
    server->last = thread;
}

static void release(Model *model, guint32 lock, guint thread, double at)
{
    Server *server = &model->servers[lock];
    if (step_of(model, thread)->shared) {
        if (server->owner != thread && server->n_sharing > 0 && --server->n_sharing == 0)
            handoff(model, lock, at);
    } else if (server->owner == thread) {
        server->owner = NOBODY;
        handoff(model, lock, at);
    }
    go_on(model, thread, at);
}

/* Everyone waits for everyone: locks taken in another order than the one recorded can do that. The
 * first waiter found gets its lock, as though the owner had given it up. */
static gboolean untangle(Model *model, double at)
{
    for (guint32 lock = 0; lock < model->n_locks; lock++) {
        if (model->servers[lock].first == NOBODY)
            continue;
        take_first(model, lock, at);
        return TRUE;
    }
    return FALSE;
}

gboolean pm_replay_run(const PmReplayThread *threads, guint n_threads, const PmReplayLock *locks,
                       guint n_locks, guint32 lock, double factor, guint64 skip, guint64 count,
                       double until, PmReplayOutcome *ret_outcome)
{
    g_return_val_if_fail(ret_outcome != NULL, FALSE);
    g_autofree Runner *runners = g_new0(Runner, MAX(n_threads, 1));
    g_autofree Server *servers = g_new0(Server, MAX(n_locks, 1));
    g_autofree Event *events = g_new(Event, (gsize)n_threads + n_locks + 1);
    Model model = {.threads = threads,
                   .locks = locks,
                   .n_threads = n_threads,
                   .n_locks = n_locks,
                   .lock = lock,
                   .factor = factor,
                   .runners = runners,
                   .servers = servers,
                   .events = events,
                   .skip = skip,
                   .until = until,
                   .n_first = n_threads};
    for (guint i = 0; i < n_locks; i++)
        servers[i] = (Server){.owner = NOBODY, .first = NOBODY, .last = NOBODY};

    gboolean asked_for = FALSE;
    guint64 n_steps = 0;
    for (guint i = 0; i < n_threads; i++) {
        n_steps += threads[i].n_steps;
        for (guint s = 0; s < threads[i].n_steps; s++)
            asked_for |= threads[i].steps[s].asks && threads[i].steps[s].lock == lock;
        push(&model, duration_of(&model, &threads[i].steps[0]), i);
    }
    if (!asked_for || count == 0)
        return FALSE;

    /* Rounds differ in length: a thread may go round often before another asks once. */
    guint64 patience = (skip + count) * 64 + n_steps * 64;
    double at = 0;
    while ((model.taken < skip + count || model.n_first > 0) && patience-- > 0) {
        if (model.n_events == 0) {
            if (!untangle(&model, at))
                break;
            continue;
        }
        Event event = pop(&model);
        at = event.at;
        if (event.who >= n_threads) {
            guint32 freed = event.who - n_threads;
            Server *server = &servers[freed];
            server->handing_over = FALSE;
            if (server->first != NOBODY && is_free_for(&model, freed, server->first))
                take_first(&model, freed, at);
            continue;
        }
        const PmReplayStep *step = step_of(&model, event.who);
        if (step->asks)
            ask(&model, step->lock, event.who, at);
        else
            release(&model, step->lock, event.who, at);
    }
    if (model.taken <= skip || model.end <= model.begin)
        return FALSE;
    *ret_outcome =
        (PmReplayOutcome){.rate = (double)(model.taken - skip) / (model.end - model.begin),
                          .first_waiting = model.first_waiting,
                          .early_waiting = model.early_waiting};
    return TRUE;
}
