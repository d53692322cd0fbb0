#include "recorder/agent/fingerprint.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define START UINT64_C(0x9e3779b97f4a7c15)

static inline void add(struct pm_fingerprint *f, const uintptr_t *from, const uintptr_t *at)
{
    uint64_t h = (f->hash ^ *at ^ (uint64_t)(at - from) << 48) * UINT64_C(0xff51afd7ed558ccd);
    f->hash = h ^ h >> 29;
    f->last = at;
}

static struct pm_fingerprint take_plain(const uintptr_t *from, const uintptr_t *at,
                                        const uintptr_t *to, uintptr_t low, uintptr_t high,
                                        struct pm_fingerprint f)
{
    for (; at < to; at++) {
        if (*at - low < high - low)
            add(&f, from, at);
    }
    return f;
}

#if defined(__x86_64__)

/* Addresses are below 2^47, so that the signed comparison of the vector units does; what is
 * negative is no address. */
__attribute__((target("avx2"))) static struct pm_fingerprint
take_avx2(const uintptr_t *from, const uintptr_t *to, uintptr_t low, uintptr_t high)
{
    struct pm_fingerprint f = {.hash = START};
    const __m256i below = _mm256_set1_epi64x((long long)low - 1);
    const __m256i end = _mm256_set1_epi64x((long long)high);
    const uintptr_t *at = from;
    for (; at + 8 <= to; at += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)at);
        __m256i b = _mm256_loadu_si256((const __m256i *)(at + 4));
        __m256i in_a = _mm256_and_si256(_mm256_cmpgt_epi64(a, below), _mm256_cmpgt_epi64(end, a));
        __m256i in_b = _mm256_and_si256(_mm256_cmpgt_epi64(b, below), _mm256_cmpgt_epi64(end, b));
        unsigned found = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(in_a)) |
                         (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(in_b)) << 4;
        for (; found; found &= found - 1)
            add(&f, from, at + __builtin_ctz(found));
    }
    return take_plain(from, at, to, low, high, f);
}

/* SSE2 compares no 64-bit words. The code cache spans less than 2^32 bytes above `low`, so a word
 * is near it when its high half equals that of low or high; those few are looked at one by one. */
static struct pm_fingerprint take_sse2(const uintptr_t *from, const uintptr_t *to, uintptr_t low,
                                       uintptr_t high)
{
    struct pm_fingerprint f = {.hash = START};
    const __m128i first = _mm_set1_epi32((int)(low >> 32));
    const __m128i second = _mm_set1_epi32((int)((high - 1) >> 32));
    const uintptr_t *at = from;
    if (high - low > UINT32_MAX)
        return take_plain(from, at, to, low, high, f);
    for (; at + 2 <= to; at += 2) {
        __m128i a = _mm_loadu_si128((const __m128i *)at);
        __m128i near = _mm_or_si128(_mm_cmpeq_epi32(a, first), _mm_cmpeq_epi32(a, second));
        int found = _mm_movemask_epi8(near) & 0xf0f0;
        if (__builtin_expect(found != 0, 0))
            f = take_plain(from, at, at + 2, low, high, f);
    }
    return take_plain(from, at, to, low, high, f);
}

#endif

int pm_fingerprint_take_by(const char *way, const uintptr_t *from, const uintptr_t *to,
                           uintptr_t low, uintptr_t high, struct pm_fingerprint *ret)
{
#if defined(__x86_64__)
    if (strcmp(way, "avx2") == 0 && __builtin_cpu_supports("avx2")) {
        *ret = take_avx2(from, to, low, high);
        return 1;
    }
    if (strcmp(way, "sse2") == 0) {
        *ret = take_sse2(from, to, low, high);
        return 1;
    }
#endif
    if (strcmp(way, "plain") == 0) {
        *ret = take_plain(from, from, to, low, high, (struct pm_fingerprint){.hash = START});
        return 1;
    }
    return 0;
}

struct pm_fingerprint pm_fingerprint_take(const uintptr_t *from, const uintptr_t *to, uintptr_t low,
                                          uintptr_t high)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return take_avx2(from, to, low, high);
    return take_sse2(from, to, low, high);
#else
    return take_plain(from, from, to, low, high, (struct pm_fingerprint){.hash = START});
#endif
}
