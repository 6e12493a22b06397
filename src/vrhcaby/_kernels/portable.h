/* The only place that knows compilers and instruction sets of the baseline: bit scans, wide multiply, and the
 * masks and weighted sums over the 32 four-bit counts of one side. Everything here is inline; results are the
 * same on every machine. */
#ifndef VRHCABY_PORTABLE_H
#define VRHCABY_PORTABLE_H

#include <stdint.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if defined(__SSSE3__) || (defined(_MSC_VER) && defined(_M_X64))
#define VR_SSE 1
#include <immintrin.h>
#endif

/* One side: 32 four-bit counts, slot k in bits 4 * (k % 16) of word k / 16. 0 = borne off, 25 = bar. */
typedef struct {
    uint64_t own[2];
    uint64_t opp[2];
} vr_position;

static inline int vr_lowest_bit(uint32_t mask) { /* mask != 0 */
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward(&index, mask);
    return (int)index;
#else
    return __builtin_ctz(mask);
#endif
}

static inline int vr_highest_bit(uint32_t mask) { /* mask != 0 */
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanReverse(&index, mask);
    return (int)index;
#else
    return 31 - __builtin_clz(mask);
#endif
}

static inline int vr_bit_count(uint32_t mask) {
#if defined(_MSC_VER) && !defined(__clang__)
    mask -= (mask >> 1) & 0x55555555u;
    mask = (mask & 0x33333333u) + ((mask >> 2) & 0x33333333u);
    return (int)((((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
#else
    return __builtin_popcount(mask);
#endif
}

/* Folded multiply: high and low half of the 128-bit product, xored. */
static inline uint64_t vr_fold(uint64_t a, uint64_t b) {
#if defined(_MSC_VER) && !defined(__clang__)
    return __umulh(a, b) ^ (a * b);
#else
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#endif
}

/* Sum of the 32 counts of a side. */
static inline int vr_total(const uint64_t side[2]) {
    const uint64_t low = 0x0f0f0f0f0f0f0f0fu;
    uint64_t a = (side[0] & low) + ((side[0] >> 4) & low);
    uint64_t b = (side[1] & low) + ((side[1] >> 4) & low);
    /* bytes of at most 30 each: pair them up to 16 bits before the halves are added */
    const uint64_t pair = 0x00ff00ff00ff00ffu;
    uint64_t c = (a & pair) + ((a >> 8) & pair) + (b & pair) + ((b >> 8) & pair);
    return (int)((c * 0x0001000100010001u) >> 48);
}

#ifndef VR_SSE
static inline uint32_t vr_gather_nibbles(uint64_t bits) { /* lowest bit of each nibble -> 16 bits */
    bits &= 0x1111111111111111u;
    bits = (bits | bits >> 3) & 0x0303030303030303u;
    bits = (bits | bits >> 6) & 0x000f000f000f000fu;
    bits = (bits | bits >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((bits | bits >> 24) & 0xffffu);
}

static inline uint32_t vr_reverse32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
#endif

/* Bit k = slot k holds at least one (*any) or two (*two) checkers. */
static inline void vr_slot_masks(const uint64_t side[2], uint32_t *any, uint32_t *two) {
#ifdef VR_SSE
    const __m128i low = _mm_set1_epi8(15), zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    __m128i words = _mm_loadu_si128((const __m128i *)side);
    __m128i even = _mm_and_si128(words, low), odd = _mm_and_si128(_mm_srli_epi16(words, 4), low);
    __m128i a = _mm_unpacklo_epi8(even, odd), b = _mm_unpackhi_epi8(even, odd);
    *any = (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, zero)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, zero)) << 16;
    *two = (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, one)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, one)) << 16;
#else
    uint64_t high0 = side[0] >> 1 | side[0] >> 2 | side[0] >> 3;
    uint64_t high1 = side[1] >> 1 | side[1] >> 2 | side[1] >> 3;
    *any = vr_gather_nibbles(side[0] | high0) | vr_gather_nibbles(side[1] | high1) << 16;
    *two = vr_gather_nibbles(high0) | vr_gather_nibbles(high1) << 16;
#endif
}

/* The same by distance from the bar: bit 25 - k = slot k. Slots above 25 are taken to be empty. */
static inline void vr_path_masks(const uint64_t side[2], uint32_t *any, uint32_t *two) {
#ifdef VR_SSE
    const __m128i low = _mm_set1_epi8(15), zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i words = _mm_loadu_si128((const __m128i *)side);
    __m128i even = _mm_and_si128(words, low), odd = _mm_and_si128(_mm_srli_epi16(words, 4), low);
    __m128i a = _mm_shuffle_epi8(_mm_unpacklo_epi8(even, odd), reversed);
    __m128i b = _mm_shuffle_epi8(_mm_unpackhi_epi8(even, odd), reversed);
    *any = ((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, zero)) |
            (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, zero)) << 16) >> 6;
    *two = ((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, one)) |
            (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, one)) << 16) >> 6;
#else
    vr_slot_masks(side, any, two);
    *any = vr_reverse32(*any) >> 6;
    *two = vr_reverse32(*two) >> 6;
#endif
}

/* By distance from the bar, for 1 to 4: bit 25 - k of at_least[n - 1] = slot k holds at least n checkers. */
static inline void vr_path_counts(const uint64_t side[2], uint32_t at_least[4]) {
#ifdef VR_SSE
    const __m128i low = _mm_set1_epi8(15);
    const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i words = _mm_loadu_si128((const __m128i *)side);
    __m128i even = _mm_and_si128(words, low), odd = _mm_and_si128(_mm_srli_epi16(words, 4), low);
    __m128i a = _mm_shuffle_epi8(_mm_unpacklo_epi8(even, odd), reversed);
    __m128i b = _mm_shuffle_epi8(_mm_unpackhi_epi8(even, odd), reversed);
    for (int n = 0; n < 4; n++) {
        __m128i below = _mm_set1_epi8((char)n);
        at_least[n] = ((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(b, below)) |
                       (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, below)) << 16) >> 6;
    }
#else
    uint64_t four0 = side[0] >> 2 | side[0] >> 3, four1 = side[1] >> 2 | side[1] >> 3;
    uint64_t three0 = four0 | (side[0] >> 1 & side[0]), three1 = four1 | (side[1] >> 1 & side[1]);
    vr_path_masks(side, &at_least[0], &at_least[1]);
    at_least[2] = vr_reverse32(vr_gather_nibbles(three0) | vr_gather_nibbles(three1) << 16) >> 6;
    at_least[3] = vr_reverse32(vr_gather_nibbles(four0) | vr_gather_nibbles(four1) << 16) >> 6;
#endif
}

/* Sum of slot * count of one side: its pip count (a checker on the bar has 25 pips to go). */
static inline int vr_pips(const uint64_t side[2]) {
#ifdef VR_SSE
    const __m128i low = _mm_set1_epi8(15);
    const __m128i even_slots = _mm_set_epi8(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m128i odd_slots = _mm_set_epi8(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    __m128i words = _mm_loadu_si128((const __m128i *)side);
    __m128i even = _mm_and_si128(words, low), odd = _mm_and_si128(_mm_srli_epi16(words, 4), low);
    __m128i sums = _mm_add_epi16(_mm_maddubs_epi16(even, even_slots), _mm_maddubs_epi16(odd, odd_slots));
    sums = _mm_madd_epi16(sums, _mm_set1_epi16(1));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1));
    return _mm_cvtsi128_si32(sums);
#else
    int sum = 0;
    for (int slot = 1; slot < 32; slot++)
        sum += slot * (int)(side[slot >> 4] >> (4 * (slot & 15)) & 15);
    return sum;
#endif
}

#endif
