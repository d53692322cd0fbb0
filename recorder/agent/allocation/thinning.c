#include "recorder/agent/allocation/thinning.h"

#include <stdatomic.h>

#include "recorder/agent/allocation/estimate.h"

#define DENSER 16 /* base samples for one that is kept */
/* … while threads come and go. With 16 and 32 the error is half and two thirds of that with 64, but
 * 5 of 216 and 3 of 168 cells lay outside their bounds, by errors 1.3 to 1.6 times as large as
 * told; with 64 none of 216, by errors as told. */
#define DENSER_BY_FAR   64
#define MIN_BASE        4096 /* a denser base costs more than it mends */
#define MAX_INTERVAL    (INT64_C(1) << 30)
#define REPORTED_BUDGET 1500 /* a second and processor: of 1 to 5 µs each */
/* … where more is asked for than usual: less would not tell what is asked. */
#define REPORTED_IF_DENSE 3000
#define USUAL_INTERVAL    (INT64_C(512) << 10)
#define KEPT_BUDGET       750 /* … of 2 to 20 µs */
#define A_FEW             8
#define LONG_LOOK_NS      500000000
#define MANY_THREADS      100 /* that begin in a second */
#define LOOK_EVERY        128 /* reports */
#define SHORTEST_LOOK_NS  20000000

static struct {
    bool must_thin;
    unsigned n_processors;
    void (*set_base)(int64_t bytes);
    _Atomic int64_t wanted, interval, base;
    _Atomic uint64_t reported, kept;
    _Atomic uint32_t threads_begun;
    /* Whoever looks at the rates owns what follows. */
    atomic_flag looking;
    bool many_threads;
    int64_t density; /* base samples for one that is kept, now */
    uint64_t seen_reported, seen_kept;
    uint32_t seen_threads;
    int64_t looked_ns;
} thinning = {.wanted = PM_THINNING_OFF, .interval = PM_THINNING_OFF, .looking = ATOMIC_FLAG_INIT};

void pm_thinning_init(bool must_thin, unsigned n_processors, void (*set_base)(int64_t bytes))
{
    thinning.must_thin = must_thin;
    thinning.n_processors = n_processors > 0 ? n_processors : 1;
    thinning.set_base = set_base;
    atomic_store(&thinning.wanted, PM_THINNING_OFF);
    atomic_store(&thinning.interval, PM_THINNING_OFF);
    thinning.many_threads = false;
    thinning.looked_ns = 0;
}

static void use(int64_t interval, int64_t base)
{
    bool is_first = atomic_exchange(&thinning.interval, interval) == PM_THINNING_OFF;
    if ((atomic_exchange(&thinning.base, base) != base || is_first) && thinning.set_base)
        thinning.set_base(base);
}

static int64_t base_of(int64_t interval)
{
    int64_t base = interval / thinning.density;
    return base > MIN_BASE ? base : interval < MIN_BASE ? interval : MIN_BASE;
}

static int64_t greatest_density(void)
{
    return thinning.many_threads ? DENSER_BY_FAR : DENSER;
}

/* What the truth needs, whatever it costs. */
static int64_t least_density(void)
{
    return thinning.many_threads ? DENSER_BY_FAR : thinning.must_thin ? DENSER : 1;
}

void pm_thinning_want(int64_t interval_bytes)
{
    while (atomic_flag_test_and_set(&thinning.looking)) {
    }
    atomic_store(&thinning.wanted, interval_bytes);
    thinning.density = greatest_density();
    if (interval_bytes == PM_THINNING_OFF)
        atomic_store(&thinning.interval, interval_bytes);
    else
        use(interval_bytes, base_of(interval_bytes));
    thinning.looked_ns = 0;
    atomic_flag_clear(&thinning.looking);
}

static double rate(uint64_t now, uint64_t before, int64_t ns)
{
    return (double)(now - before) * 1e9 / (double)ns;
}

static void halve_or_double(double reported_load, double kept_load)
{
    int64_t interval = atomic_load(&thinning.interval), wanted = atomic_load(&thinning.wanted);
    while (reported_load > 1 && thinning.density > least_density()) {
        thinning.density /= 2;
        reported_load /= 2;
    }
    for (; (reported_load > 1 || kept_load > 1) && interval < MAX_INTERVAL; interval *= 2) {
        reported_load /= 2;
        kept_load /= 2;
    }
    if (reported_load < 0.25 && kept_load < 0.25) {
        if (interval > wanted)
            interval = interval / 2 > wanted ? interval / 2 : wanted;
        else if (thinning.density < greatest_density())
            thinning.density *= 2;
    }
    use(interval, base_of(interval));
}

/* By the rates of now: while more is reported than its budget allows the base gets less dense, if
 * the JVM's own samples will do, and then the interval twice as long; and back while all is far
 * below. */
static void adapt(double reported, double kept)
{
    const double n = thinning.n_processors;
    thinning.density = thinning.density < least_density() ? least_density() : thinning.density;
    thinning.density =
        thinning.density > greatest_density() ? greatest_density() : thinning.density;
    const double budget =
        atomic_load(&thinning.wanted) < USUAL_INTERVAL ? REPORTED_IF_DENSE : REPORTED_BUDGET;
    halve_or_double(reported / (budget * n), kept / (KEPT_BUDGET * n));
}

/* A few at once are enough to know that there are many; that there are not takes a while. */
static void note_threads(uint32_t n, int64_t past_ns)
{
    bool many = rate(n, 0, past_ns) > MANY_THREADS;
    if ((many && n >= A_FEW) || past_ns >= LONG_LOOK_NS)
        thinning.many_threads = many;
}

static void look(int64_t now_ns, int64_t shortest_ns)
{
    if (atomic_flag_test_and_set(&thinning.looking))
        return;
    int64_t past_ns = now_ns - thinning.looked_ns;
    if (atomic_load(&thinning.wanted) > 0 && past_ns >= shortest_ns) {
        uint64_t reported = atomic_load(&thinning.reported), kept = atomic_load(&thinning.kept);
        uint32_t threads = atomic_load(&thinning.threads_begun);
        if (thinning.looked_ns) {
            note_threads(threads - thinning.seen_threads, past_ns);
            adapt(rate(reported, thinning.seen_reported, past_ns),
                  rate(kept, thinning.seen_kept, past_ns));
        }
        thinning.seen_reported = reported;
        thinning.seen_kept = kept;
        thinning.seen_threads = threads;
        thinning.looked_ns = now_ns;
    }
    atomic_flag_clear(&thinning.looking);
}

void pm_thinning_settle(int64_t now_ns)
{
    look(now_ns, SHORTEST_LOOK_NS);
}

void pm_thinning_note_thread(void)
{
    atomic_fetch_add_explicit(&thinning.threads_begun, 1, memory_order_relaxed);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Splitmix64; threads begin far apart on its one course. */
double pm_thinning_random(void)
{
    static _Atomic uint64_t n_threads;
    static _Thread_local uint64_t state __attribute__((tls_model("initial-exec")));
    if (state == 0)
        state = mix(mix(atomic_fetch_add(&n_threads, 1) + 0x5851f42d4c957f2du)) | 1;
    return (double)(mix(state += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

bool pm_thinning_keep(int64_t size_bytes, int64_t now_ns, int64_t *ret_interval)
{
    int64_t interval = atomic_load_explicit(&thinning.interval, memory_order_relaxed);
    int64_t base = atomic_load_explicit(&thinning.base, memory_order_relaxed);
    uint64_t n = atomic_fetch_add_explicit(&thinning.reported, 1, memory_order_relaxed);
    if (interval < 0)
        return false;
    *ret_interval = interval;
    if (interval == 0)
        return true;
    if (n % LOOK_EVERY == LOOK_EVERY - 1)
        look(now_ns, SHORTEST_LOOK_NS);
    if (base < interval) {
        double share = pm_estimate_probability(size_bytes, interval) /
                       pm_estimate_probability(size_bytes, base);
        if (pm_thinning_random() >= share)
            return false;
    }
    atomic_fetch_add_explicit(&thinning.kept, 1, memory_order_relaxed);
    return true;
}

int64_t pm_thinning_interval(void)
{
    return atomic_load_explicit(&thinning.interval, memory_order_relaxed);
}

int64_t pm_thinning_base(void)
{
    return atomic_load_explicit(&thinning.base, memory_order_relaxed);
}

uint64_t pm_thinning_reported(void)
{
    return atomic_load_explicit(&thinning.reported, memory_order_relaxed);
}
