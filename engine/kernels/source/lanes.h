// Vectors of 16 lanes, for each instruction set.
//
// All other files are written once, on top of these operations. All instruction sets give bitwise
// equal results, because each operation does: integer operations are exact, float operations follow
// IEEE 754 with a single rounding, and sums over lanes use the order of `floats_sum`. The last
// section is the plain C reference.
//
//   floats   16 floats
//   ints     16 32-bit integers, or 16 pairs of 16-bit integers
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#define NOT_UNROLLED _Pragma("GCC unroll 1")
#endif

// Instruction set levels. LEVEL is defined for sources that are compiled for each level.
#define LEVEL_PLAIN 0
#define LEVEL_AVX2 1
#define LEVEL_AVX_VNNI 2
#define LEVEL_AVX512 3

#if LEVEL > LEVEL_PLAIN
#include <immintrin.h>
#endif

#if LEVEL == LEVEL_AVX512

typedef __m512 floats;
typedef __m512i ints;

INLINE floats floats_load(const float *from) { return _mm512_loadu_ps(from); }
INLINE void floats_store(float *to, floats a) { _mm512_storeu_ps(to, a); }
INLINE floats floats_set(float a) { return _mm512_set1_ps(a); }
INLINE floats floats_add(floats a, floats b) { return _mm512_add_ps(a, b); }
INLINE floats floats_sub(floats a, floats b) { return _mm512_sub_ps(a, b); }
INLINE floats floats_mul(floats a, floats b) { return _mm512_mul_ps(a, b); }
INLINE floats floats_div(floats a, floats b) { return _mm512_div_ps(a, b); }
INLINE floats floats_fma(floats a, floats b, floats c) { return _mm512_fmadd_ps(a, b, c); }
INLINE floats floats_max(floats a, floats b) { return _mm512_max_ps(a, b); }
INLINE floats floats_min(floats a, floats b) { return _mm512_min_ps(a, b); }

INLINE floats floats_from_half(const uint16_t *from)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
}

INLINE void floats_to_half(uint16_t *to, floats a)
{
    __m256i halves = _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256((__m256i *)to, halves);
}

INLINE floats floats_from_bfloat(const uint16_t *from)
{
    __m256i halves = _mm256_loadu_si256((const __m256i *)from);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

INLINE ints ints_load(const void *from) { return _mm512_loadu_si512(from); }
INLINE void ints_store(void *to, ints a) { _mm512_storeu_si512(to, a); }
INLINE ints ints_set(int32_t a) { return _mm512_set1_epi32(a); }
INLINE ints ints_and(ints a, ints b) { return _mm512_and_si512(a, b); }
INLINE ints ints_add(ints a, ints b) { return _mm512_add_epi32(a, b); }
INLINE ints ints_max(ints a, ints b) { return _mm512_max_epi32(a, b); }
INLINE ints ints_shift_right(ints a, int bits) { return _mm512_srli_epi32(a, bits); }
INLINE ints ints_shift_left(ints a, int bits) { return _mm512_slli_epi32(a, bits); }
INLINE ints halves_shift_right(ints a, int bits) { return _mm512_srli_epi16(a, bits); }
INLINE ints ints_of_bits(floats a) { return _mm512_castps_si512(a); }
INLINE floats floats_of_bits(ints a) { return _mm512_castsi512_ps(a); }
INLINE ints ints_round(floats a) { return _mm512_cvtps_epi32(a); }
INLINE floats floats_from_ints(ints a) { return _mm512_cvtepi32_ps(a); }

INLINE ints ints_dot(ints sum, ints a, ints b) { return _mm512_dpwssd_epi32(sum, a, b); }

INLINE ints ints_look_up(const uint8_t *table, ints codes)
{
    ints all = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table));
    ints marked = _mm512_or_si512(codes, _mm512_set1_epi32((int)0x80008000));
    return _mm512_shuffle_epi8(all, marked);
}

#elif LEVEL == LEVEL_AVX2 || LEVEL == LEVEL_AVX_VNNI

typedef struct { __m256 low, high; } floats;
typedef struct { __m256i low, high; } ints;

INLINE floats floats_load(const float *from)
{
    return (floats){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}

INLINE void floats_store(float *to, floats a)
{
    _mm256_storeu_ps(to, a.low);
    _mm256_storeu_ps(to + 8, a.high);
}

INLINE floats floats_set(float a) { return (floats){_mm256_set1_ps(a), _mm256_set1_ps(a)}; }

#define LANEWISE(name, type, operation) \
    INLINE type name(type a, type b) \
    { \
        return (type){operation(a.low, b.low), operation(a.high, b.high)}; \
    }
LANEWISE(floats_add, floats, _mm256_add_ps)
LANEWISE(floats_sub, floats, _mm256_sub_ps)
LANEWISE(floats_mul, floats, _mm256_mul_ps)
LANEWISE(floats_div, floats, _mm256_div_ps)
LANEWISE(floats_max, floats, _mm256_max_ps)
LANEWISE(floats_min, floats, _mm256_min_ps)
LANEWISE(ints_and, ints, _mm256_and_si256)
LANEWISE(ints_or, ints, _mm256_or_si256)
LANEWISE(ints_add, ints, _mm256_add_epi32)
LANEWISE(ints_max, ints, _mm256_max_epi32)
#undef LANEWISE

INLINE floats floats_fma(floats a, floats b, floats c)
{
    return (floats){_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}

INLINE floats floats_from_half(const uint16_t *from)
{
    return (floats){_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)),
                    _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + 8)))};
}

INLINE void floats_to_half(uint16_t *to, floats a)
{
    __m128i low = _mm256_cvtps_ph(a.low, _MM_FROUND_TO_NEAREST_INT);
    __m128i high = _mm256_cvtps_ph(a.high, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)to, low);
    _mm_storeu_si128((__m128i *)(to + 8), high);
}

INLINE __m256 eight_from_bfloat(const uint16_t *from)
{
    __m128i halves = _mm_loadu_si128((const __m128i *)from);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

INLINE floats floats_from_bfloat(const uint16_t *from)
{
    return (floats){eight_from_bfloat(from), eight_from_bfloat(from + 8)};
}

INLINE ints ints_load(const void *from)
{
    const __m256i *halves = from;
    return (ints){_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

INLINE void ints_store(void *to, ints a)
{
    __m256i *halves = to;
    _mm256_storeu_si256(halves, a.low);
    _mm256_storeu_si256(halves + 1, a.high);
}

INLINE ints ints_set(int32_t a) { return (ints){_mm256_set1_epi32(a), _mm256_set1_epi32(a)}; }

INLINE ints ints_shift_right(ints a, int bits)
{
    return (ints){_mm256_srli_epi32(a.low, bits), _mm256_srli_epi32(a.high, bits)};
}

INLINE ints halves_shift_right(ints a, int bits)
{
    return (ints){_mm256_srli_epi16(a.low, bits), _mm256_srli_epi16(a.high, bits)};
}

INLINE ints ints_shift_left(ints a, int bits)
{
    return (ints){_mm256_slli_epi32(a.low, bits), _mm256_slli_epi32(a.high, bits)};
}

INLINE ints ints_of_bits(floats a)
{
    return (ints){_mm256_castps_si256(a.low), _mm256_castps_si256(a.high)};
}

INLINE floats floats_of_bits(ints a)
{
    return (floats){_mm256_castsi256_ps(a.low), _mm256_castsi256_ps(a.high)};
}

INLINE ints ints_round(floats a)
{
    return (ints){_mm256_cvtps_epi32(a.low), _mm256_cvtps_epi32(a.high)};
}

INLINE floats floats_from_ints(ints a)
{
    return (floats){_mm256_cvtepi32_ps(a.low), _mm256_cvtepi32_ps(a.high)};
}

INLINE __m256i eight_dot(__m256i sum, __m256i a, __m256i b)
{
#if LEVEL == LEVEL_AVX_VNNI
    return _mm256_dpwssd_avx_epi32(sum, a, b);
#else
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    // Otherwise, gcc 12 computes more products before adding them than there are registers.
    __asm__("" : "+x"(sum));
    return sum;
#endif
}

INLINE ints ints_dot(ints sum, ints a, ints b)
{
    return (ints){eight_dot(sum.low, a.low, b.low), eight_dot(sum.high, a.high, b.high)};
}

INLINE ints ints_look_up(const uint8_t *table, ints codes)
{
    __m256i all = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
    ints marked = ints_or(codes, ints_set((int)0x80008000));
    return (ints){_mm256_shuffle_epi8(all, marked.low), _mm256_shuffle_epi8(all, marked.high)};
}

#else  // reference implementation

// Uses vectors of four, which gcc and clang compile to whatever the CPU supports.
typedef float four_floats __attribute__((vector_size(16)));
typedef int32_t four_ints __attribute__((vector_size(16)));
typedef uint32_t four_bits __attribute__((vector_size(16)));
typedef struct { four_floats part[4]; } floats;
typedef struct { four_ints part[4]; } ints;

#define PARTWISE(type, name, parameters, expression) \
    INLINE type name parameters \
    { \
        type out; \
        for (int i = 0; i < 4; i++) \
            out.part[i] = (expression); \
        return out; \
    }

// Select `a` in the lanes whose mask is set, and `b` in the others.
INLINE four_floats select_floats(four_ints mask, four_floats a, four_floats b)
{
    return (four_floats)((mask & (four_ints)a) | (~mask & (four_ints)b));
}

INLINE four_ints select_ints(four_ints mask, four_ints a, four_ints b)
{
    return (mask & a) | (~mask & b);
}

INLINE four_floats four_fma(four_floats a, four_floats b, four_floats c)
{
    return (four_floats){fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]),
                         fmaf(a[3], b[3], c[3])};
}

PARTWISE(floats, floats_set, (float a), ((four_floats){a, a, a, a}))
PARTWISE(floats, floats_add, (floats a, floats b), a.part[i] + b.part[i])
PARTWISE(floats, floats_sub, (floats a, floats b), a.part[i] - b.part[i])
PARTWISE(floats, floats_mul, (floats a, floats b), a.part[i] * b.part[i])
PARTWISE(floats, floats_div, (floats a, floats b), a.part[i] / b.part[i])
PARTWISE(floats, floats_fma, (floats a, floats b, floats c),
         four_fma(a.part[i], b.part[i], c.part[i]))
// Returns the second operand if either is NaN, like the x86 instruction.
PARTWISE(floats, floats_max, (floats a, floats b),
         select_floats(a.part[i] > b.part[i], a.part[i], b.part[i]))
PARTWISE(floats, floats_min, (floats a, floats b),
         select_floats(a.part[i] < b.part[i], a.part[i], b.part[i]))
PARTWISE(floats, floats_from_ints, (ints a), __builtin_convertvector(a.part[i], four_floats))
PARTWISE(floats, floats_of_bits, (ints a), (four_floats)a.part[i])
PARTWISE(ints, ints_of_bits, (floats a), (four_ints)a.part[i])
PARTWISE(ints, ints_set, (int32_t a), ((four_ints){a, a, a, a}))
PARTWISE(ints, ints_and, (ints a, ints b), a.part[i] & b.part[i])
PARTWISE(ints, ints_add, (ints a, ints b), a.part[i] + b.part[i])
PARTWISE(ints, ints_max, (ints a, ints b),
         select_ints(a.part[i] > b.part[i], a.part[i], b.part[i]))
PARTWISE(ints, ints_shift_left, (ints a, int bits), (four_ints)((four_bits)a.part[i] << bits))

INLINE floats floats_load(const float *from)
{
    floats out;
    memcpy(&out, from, sizeof out);
    return out;
}

INLINE void floats_store(float *to, floats a) { memcpy(to, &a, sizeof a); }
INLINE void ints_store(void *to, ints a) { memcpy(to, &a, sizeof a); }

// Round to the nearest integer, ties to even, for |a| < 2^22. Adding 1.5 * 2^23 leaves no bits for
// a fraction.
PARTWISE(ints, ints_round, (floats a), (four_ints)(a.part[i] + 12582912.0f) - 0x4b400000)
#undef PARTWISE

INLINE float float_of_bits(uint32_t bits)
{
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

// Convert an IEEE 754 half to a float. A multiplication adjusts the exponent, so that subnormal
// halves become normal.
INLINE float float_from_half(uint16_t half)
{
    uint32_t rest = (uint32_t)(half & 0x7fff) << 13;
    int is_finite = rest < 0x0f800000;
    float size = is_finite ? float_of_bits(rest) * 0x1p112f : float_of_bits(rest | 0x7f800000);
    return half & 0x8000 ? -size : size;
}

// Convert to the nearest IEEE 754 half, ties to even.
INLINE uint16_t half_from_float(float a)
{
    uint32_t bits, sign, subnormal;
    memcpy(&bits, &a, sizeof bits);
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)  // NaN
        return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x3ff));
    if (bits >= 0x477ff000)  // rounds to more than 65,504
        return (uint16_t)(sign | 0x7c00);
    if (bits < 0x38800000) {  // subnormal: a float of 0.5 or more has a last bit of 2^-24
        float shifted = float_of_bits(bits) + 0.5f;
        memcpy(&subnormal, &shifted, sizeof subnormal);
        return (uint16_t)(sign | (subnormal - 0x3f000000));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | (bits - 0x38000000) >> 13);
}

INLINE floats floats_from_half(const uint16_t *from)
{
    float lane[16];
    for (int i = 0; i < 16; i++)
        lane[i] = float_from_half(from[i]);
    return floats_load(lane);
}

INLINE void floats_to_half(uint16_t *to, floats a)
{
    float lane[16];
    floats_store(lane, a);
    for (int i = 0; i < 16; i++)
        to[i] = half_from_float(lane[i]);
}

#endif

// ---------------------------------------------------------------- common to all levels

#if LEVEL == LEVEL_PLAIN

// Add up all lanes, in this order: lane i and i + 8, then i + 4, i + 2 and i + 1.
INLINE float floats_sum(floats a)
{
    float lane[16];
    floats_store(lane, a);
    for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

INLINE void floats_sum_four(floats a, floats b, floats c, floats d, float *to)
{
    to[0] = floats_sum(a);
    to[1] = floats_sum(b);
    to[2] = floats_sum(c);
    to[3] = floats_sum(d);
}

INLINE int32_t ints_sum(ints a)
{
    int32_t lane[16], sum = 0;
    ints_store(lane, a);
    for (int i = 0; i < 16; i++)
        sum += lane[i];
    return sum;
}

INLINE int32_t ints_largest(ints a)
{
    int32_t lane[16], largest = INT32_MIN;
    ints_store(lane, a);
    for (int i = 0; i < 16; i++)
        largest = lane[i] > largest ? lane[i] : largest;
    return largest;
}

#else

#if LEVEL == LEVEL_AVX512
INLINE __m256 lower_floats(floats a) { return _mm512_castps512_ps256(a); }
INLINE __m256 upper_floats(floats a)
{
    return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1));
}
INLINE __m256i lower_ints(ints a) { return _mm512_castsi512_si256(a); }
INLINE __m256i upper_ints(ints a) { return _mm512_extracti64x4_epi64(a, 1); }
#else
INLINE __m256 lower_floats(floats a) { return a.low; }
INLINE __m256 upper_floats(floats a) { return a.high; }
INLINE __m256i lower_ints(ints a) { return a.low; }
INLINE __m256i upper_ints(ints a) { return a.high; }
#endif

INLINE float floats_sum(floats a)
{
    __m256 eight = _mm256_add_ps(lower_floats(a), upper_floats(a));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

// Add up the lanes of four vectors, each in the order of `floats_sum`.
INLINE void floats_sum_four(floats a, floats b, floats c, floats d, float *to)
{
    __m256 a8 = _mm256_add_ps(lower_floats(a), upper_floats(a));
    __m256 b8 = _mm256_add_ps(lower_floats(b), upper_floats(b));
    __m256 c8 = _mm256_add_ps(lower_floats(c), upper_floats(c));
    __m256 d8 = _mm256_add_ps(lower_floats(d), upper_floats(d));
    // Four lanes of a and b side by side, and of c and d.
    __m256 ab4 = _mm256_add_ps(_mm256_permute2f128_ps(a8, b8, 0x20),
                               _mm256_permute2f128_ps(a8, b8, 0x31));
    __m256 cd4 = _mm256_add_ps(_mm256_permute2f128_ps(c8, d8, 0x20),
                               _mm256_permute2f128_ps(c8, d8, 0x31));
    // Two lanes each of a and c in the lower half, and of b and d in the upper half.
    __m256 two = _mm256_add_ps(_mm256_shuffle_ps(ab4, cd4, 0x44), _mm256_shuffle_ps(ab4, cd4, 0xee));
    __m256 one = _mm256_add_ps(_mm256_shuffle_ps(two, two, 0x88), _mm256_shuffle_ps(two, two, 0xdd));
    __m128 ac = _mm256_castps256_ps128(one), bd = _mm256_extractf128_ps(one, 1);
    _mm_storeu_ps(to, _mm_unpacklo_ps(ac, bd));
}

#define REDUCE_INTS(name, eight_operation, operation) \
    INLINE int32_t name(ints a) \
    { \
        __m256i eight = eight_operation(lower_ints(a), upper_ints(a)); \
        __m128i four = operation(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1)); \
        __m128i two = operation(four, _mm_shuffle_epi32(four, 0x4e)); \
        return _mm_cvtsi128_si32(operation(two, _mm_shuffle_epi32(two, 0xb1))); \
    }
REDUCE_INTS(ints_sum, _mm256_add_epi32, _mm_add_epi32)
REDUCE_INTS(ints_largest, _mm256_max_epi32, _mm_max_epi32)
#undef REDUCE_INTS

#endif

// Load `count` floats, with 0 in the other lanes.
INLINE floats floats_load_some(const float *from, int64_t count)
{
    if (count >= 16)
        return floats_load(from);
    float lane[16] = {0};
    memcpy(lane, from, (size_t)count * sizeof *lane);
    return floats_load(lane);
}

INLINE void floats_store_some(float *to, floats a, int64_t count)
{
    if (count >= 16) {
        floats_store(to, a);
        return;
    }
    float lane[16];
    floats_store(lane, a);
    memcpy(to, lane, (size_t)count * sizeof *lane);
}

// Load `count` halves as floats.
INLINE void load_halves(float *to, const uint16_t *from, int32_t count)
{
    int32_t i = 0;
    for (; i + 16 <= count; i += 16)
        floats_store(to + i, floats_from_half(from + i));
    if (i == count)
        return;
    uint16_t some[16] = {0};
    memcpy(some, from + i, (size_t)(count - i) * sizeof *some);
    floats_store_some(to + i, floats_from_half(some), count - i);
}

// Compute e^a, with an error of about one ULP; 1e-38 for anything smaller. The polynomial for
// |a| <= ln(2) / 2 is from Cephes.
INLINE floats floats_exp(floats a)
{
    a = floats_max(floats_set(-87.0f), a);
    a = floats_min(floats_set(88.8f), a);
    ints power = ints_round(floats_mul(a, floats_set(1.44269504f)));
    floats n = floats_from_ints(power);
    floats r = floats_fma(n, floats_set(-0.693359375f), a);
    r = floats_fma(n, floats_set(2.12194440e-4f), r);
    floats p = floats_set(1.9875691500e-4f);
    p = floats_fma(p, r, floats_set(1.3981999507e-3f));
    p = floats_fma(p, r, floats_set(8.3334519073e-3f));
    p = floats_fma(p, r, floats_set(4.1665795894e-2f));
    p = floats_fma(p, r, floats_set(1.6666665459e-1f));
    p = floats_fma(p, r, floats_set(5.0000001201e-1f));
    p = floats_fma(floats_mul(r, r), p, floats_add(r, floats_set(1.0f)));
    ints exponent = ints_shift_left(ints_add(power, ints_set(127)), 23);
    return floats_mul(p, floats_of_bits(exponent));
}

// Compute tanh(a) as 1 - 2 / (e^(2 a) + 1).
INLINE floats floats_tanh(floats a)
{
    floats e = floats_exp(floats_add(a, a)), one = floats_set(1.0f);
    return floats_sub(one, floats_div(floats_set(2.0f), floats_add(e, one)));
}
