/* The few operations on rows of small integers that a network needs, for one instruction set; chosen by the flags of
 * the compiler. Every set gives the same bits. A `lanes` is a row of LANES numbers of 16 bits, a `sums` one of SUMS
 * numbers of 32 bits, a `floats` one of as many in floating point, and an `eight` has eight of those. */
#ifndef VRHCABY_LANES_H
#define VRHCABY_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
#include <immintrin.h>
enum { LANES = 32, SUMS = 16 };
typedef __m512i lanes;
typedef __m512i sums;
typedef __m512 floats;
#define load_lanes(p) _mm512_loadu_si512(p)
#define store_lanes(p, x) _mm512_storeu_si512(p, x)
#define add_lanes _mm512_add_epi16
#define subtract_lanes _mm512_sub_epi16
#define smaller_lanes _mm512_min_epi16
#define larger_lanes _mm512_max_epi16
#define same_lanes(k) _mm512_set1_epi16(k)
/* (a * 32 * b + 16384) >> 15: the product of two numbers of 0..1023, in 1024ths, rounded */
#define product_lanes(a, b) _mm512_mulhrs_epi16(_mm512_slli_epi16(a, 5), b)
#define load_sums(p) _mm512_loadu_si512(p)
#define store_sums(p, x) _mm512_storeu_si512(p, x)
#define add_sums _mm512_add_epi32
/* 16 bits times 16 bits, neighbours added */
#define multiply_pairs _mm512_madd_epi16
#define same_pair(pair) _mm512_set1_epi32(pair)
#define load_floats(p) _mm512_loadu_ps(p)
#define store_floats(p, x) _mm512_storeu_ps(p, x)
#define add_floats _mm512_add_ps
#define multiply_floats _mm512_mul_ps
#define larger_floats _mm512_max_ps
#define same_floats(k) _mm512_set1_ps(k)
#define floats_of_sums(x) _mm512_cvtepi32_ps(x)

#elif defined(__AVX2__)
#include <immintrin.h>
enum { LANES = 16, SUMS = 8 };
typedef __m256i lanes;
typedef __m256i sums;
typedef __m256 floats;
#define load_lanes(p) _mm256_loadu_si256((const __m256i *)(p))
#define store_lanes(p, x) _mm256_storeu_si256((__m256i *)(p), x)
#define add_lanes _mm256_add_epi16
#define subtract_lanes _mm256_sub_epi16
#define smaller_lanes _mm256_min_epi16
#define larger_lanes _mm256_max_epi16
#define same_lanes(k) _mm256_set1_epi16(k)
#define product_lanes(a, b) _mm256_mulhrs_epi16(_mm256_slli_epi16(a, 5), b)
#define load_sums(p) _mm256_loadu_si256((const __m256i *)(p))
#define store_sums(p, x) _mm256_storeu_si256((__m256i *)(p), x)
#define add_sums _mm256_add_epi32
#define multiply_pairs _mm256_madd_epi16
#define same_pair(pair) _mm256_set1_epi32(pair)
#define load_floats(p) _mm256_loadu_ps(p)
#define store_floats(p, x) _mm256_storeu_ps(p, x)
#define add_floats _mm256_add_ps
#define multiply_floats _mm256_mul_ps
#define larger_floats _mm256_max_ps
#define same_floats(k) _mm256_set1_ps(k)
#define floats_of_sums(x) _mm256_cvtepi32_ps(x)

#elif defined(__SSSE3__) || (defined(_MSC_VER) && defined(_M_X64))
#include <immintrin.h>
enum { LANES = 8, SUMS = 4 };
typedef __m128i lanes;
typedef __m128i sums;
typedef __m128 floats;
#define load_lanes(p) _mm_loadu_si128((const __m128i *)(p))
#define store_lanes(p, x) _mm_storeu_si128((__m128i *)(p), x)
#define add_lanes _mm_add_epi16
#define subtract_lanes _mm_sub_epi16
#define smaller_lanes _mm_min_epi16
#define larger_lanes _mm_max_epi16
#define same_lanes(k) _mm_set1_epi16(k)
#define product_lanes(a, b) _mm_mulhrs_epi16(_mm_slli_epi16(a, 5), b)
#define load_sums(p) _mm_loadu_si128((const __m128i *)(p))
#define store_sums(p, x) _mm_storeu_si128((__m128i *)(p), x)
#define add_sums _mm_add_epi32
#define multiply_pairs _mm_madd_epi16
#define same_pair(pair) _mm_set1_epi32(pair)
#define load_floats(p) _mm_loadu_ps(p)
#define store_floats(p, x) _mm_storeu_ps(p, x)
#define add_floats _mm_add_ps
#define multiply_floats _mm_mul_ps
#define smaller_floats _mm_min_ps
#define larger_floats _mm_max_ps
#define divide_floats _mm_div_ps
#define same_floats(k) _mm_set1_ps(k)
#define floats_of_sums(x) _mm_cvtepi32_ps(x)

#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
enum { LANES = 8, SUMS = 4 };
typedef int16x8_t lanes;
typedef int32x4_t sums;
typedef float32x4_t floats;
#define load_lanes(p) vld1q_s16(p)
#define store_lanes(p, x) vst1q_s16(p, x)
#define add_lanes vaddq_s16
#define subtract_lanes vsubq_s16
#define smaller_lanes vminq_s16
#define larger_lanes vmaxq_s16
#define same_lanes(k) vdupq_n_s16(k)
#define product_lanes(a, b) vqrdmulhq_s16(vshlq_n_s16(a, 5), b)
#define load_sums(p) vld1q_s32(p)
#define store_sums(p, x) vst1q_s32(p, x)
#define add_sums vaddq_s32
static inline sums multiply_pairs(lanes a, lanes b) {
    return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
}
#define same_pair(pair) vreinterpretq_s16_s32(vdupq_n_s32(pair))
#define load_floats(p) vld1q_f32(p)
#define store_floats(p, x) vst1q_f32(p, x)
#define add_floats vaddq_f32
#define multiply_floats vmulq_f32
#define smaller_floats vminq_f32
#define larger_floats vmaxq_f32
#define divide_floats vdivq_f32
#define same_floats(k) vdupq_n_f32(k)
#define floats_of_sums(x) vcvtq_f32_s32(x)

#else /* any other machine */
enum { LANES = 8, SUMS = 4 };
typedef struct {
    int16_t k[8];
} lanes;
typedef struct {
    int32_t k[4];
} sums;
#define VR_EACH_LANE(expression) \
    lanes x; \
    int i; \
    for (i = 0; i < 8; i++) \
        x.k[i] = (int16_t)(expression); \
    return x
static inline lanes load_lanes(const int16_t *p) { VR_EACH_LANE(p[i]); }
static inline void store_lanes(int16_t *p, lanes x) { memcpy(p, x.k, sizeof x.k); }
static inline lanes add_lanes(lanes a, lanes b) { VR_EACH_LANE((uint16_t)a.k[i] + (uint16_t)b.k[i]); }
static inline lanes subtract_lanes(lanes a, lanes b) { VR_EACH_LANE((uint16_t)a.k[i] - (uint16_t)b.k[i]); }
static inline lanes smaller_lanes(lanes a, lanes b) { VR_EACH_LANE(a.k[i] < b.k[i] ? a.k[i] : b.k[i]); }
static inline lanes larger_lanes(lanes a, lanes b) { VR_EACH_LANE(a.k[i] > b.k[i] ? a.k[i] : b.k[i]); }
static inline lanes same_lanes(int16_t k) { VR_EACH_LANE(k); }
static inline lanes product_lanes(lanes a, lanes b) { VR_EACH_LANE((32 * a.k[i] * b.k[i] + 16384) >> 15); }
static inline sums load_sums(const int32_t *p) {
    sums x;
    memcpy(x.k, p, sizeof x.k);
    return x;
}
static inline void store_sums(int32_t *p, sums x) { memcpy(p, x.k, sizeof x.k); }
static inline sums add_sums(sums a, sums b) {
    int i;
    for (i = 0; i < 4; i++)
        a.k[i] += b.k[i];
    return a;
}
static inline sums multiply_pairs(lanes a, lanes b) {
    sums x;
    int i;
    for (i = 0; i < 4; i++)
        x.k[i] = a.k[2 * i] * b.k[2 * i] + a.k[2 * i + 1] * b.k[2 * i + 1];
    return x;
}
static inline lanes same_pair(int32_t pair) {
    lanes x;
    int i;
    for (i = 0; i < 4; i++)
        memcpy(x.k + 2 * i, &pair, sizeof pair);
    return x;
}
typedef struct {
    float k[4];
} floats;
#define VR_EACH_FLOAT(expression) \
    floats x; \
    int i; \
    for (i = 0; i < 4; i++) \
        x.k[i] = (expression); \
    return x
static inline floats load_floats(const float *p) { VR_EACH_FLOAT(p[i]); }
static inline void store_floats(float *p, floats x) { memcpy(p, x.k, sizeof x.k); }
static inline floats add_floats(floats a, floats b) { VR_EACH_FLOAT(a.k[i] + b.k[i]); }
static inline floats multiply_floats(floats a, floats b) { VR_EACH_FLOAT(a.k[i] * b.k[i]); }
static inline floats divide_floats(floats a, floats b) { VR_EACH_FLOAT(a.k[i] / b.k[i]); }
static inline floats smaller_floats(floats a, floats b) { VR_EACH_FLOAT(a.k[i] < b.k[i] ? a.k[i] : b.k[i]); }
static inline floats larger_floats(floats a, floats b) { VR_EACH_FLOAT(a.k[i] > b.k[i] ? a.k[i] : b.k[i]); }
static inline floats same_floats(float k) { VR_EACH_FLOAT(k); }
static inline floats floats_of_sums(sums a) { VR_EACH_FLOAT((float)a.k[i]); }
#endif

/* Eight numbers: one row of 256 bits, or two rows of 128. */
#if defined(__AVX2__)
typedef __m256 eight;
#define load_eight(p) _mm256_loadu_ps(p)
#define store_eight(p, x) _mm256_storeu_ps(p, x)
#define add_eight _mm256_add_ps
#define multiply_eight _mm256_mul_ps
#define divide_eight _mm256_div_ps
#define smaller_eight _mm256_min_ps
#define larger_eight _mm256_max_ps
#define same_eight(k) _mm256_set1_ps(k)
#else
typedef struct {
    floats low, high;
} eight;
static inline eight load_eight(const float *p) {
    eight x;
    x.low = load_floats(p);
    x.high = load_floats(p + 4);
    return x;
}
static inline void store_eight(float *p, eight x) {
    store_floats(p, x.low);
    store_floats(p + 4, x.high);
}
static inline eight same_eight(float k) {
    eight x;
    x.low = x.high = same_floats(k);
    return x;
}
#define VR_EIGHT(name, floats_name) \
    static inline eight name(eight a, eight b) { \
        a.low = floats_name(a.low, b.low); \
        a.high = floats_name(a.high, b.high); \
        return a; \
    }
VR_EIGHT(add_eight, add_floats)
VR_EIGHT(multiply_eight, multiply_floats)
VR_EIGHT(divide_eight, divide_floats)
VR_EIGHT(smaller_eight, smaller_floats)
VR_EIGHT(larger_eight, larger_floats)
#endif

#endif
