// AVX-512 and AVX-VNNI for processors that lack them: the intrinsics of lanes.h by AVX2.
//
// Included before level.c, so that tests compare these levels with the reference anywhere.
#include <immintrin.h>

#define _mm256_dpwssd_avx_epi32(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))

typedef struct { __m256 half[2]; } emulated_floats;
typedef struct { __m256i half[2]; } emulated_ints;
#define __m512 emulated_floats
#define __m512i emulated_ints
#define __m512d emulated_floats
#define FLOATS(a, b) ((emulated_floats){{a, b}})
#define INTS(a, b) ((emulated_ints){{a, b}})

#define TWO(type, own, name) \
    static inline type emulated_##name(type a, type b) \
    { \
        return (type){{own(a.half[0], b.half[0]), own(a.half[1], b.half[1])}}; \
    }
TWO(emulated_floats, _mm256_add_ps, add_ps)
TWO(emulated_floats, _mm256_sub_ps, sub_ps)
TWO(emulated_floats, _mm256_mul_ps, mul_ps)
TWO(emulated_floats, _mm256_div_ps, div_ps)
TWO(emulated_floats, _mm256_max_ps, max_ps)
TWO(emulated_floats, _mm256_min_ps, min_ps)
TWO(emulated_ints, _mm256_and_si256, and_si512)
TWO(emulated_ints, _mm256_or_si256, or_si512)
TWO(emulated_ints, _mm256_add_epi32, add_epi32)
TWO(emulated_ints, _mm256_max_epi32, max_epi32)
TWO(emulated_ints, _mm256_shuffle_epi8, shuffle_epi8)
#define _mm512_add_ps emulated_add_ps
#define _mm512_sub_ps emulated_sub_ps
#define _mm512_mul_ps emulated_mul_ps
#define _mm512_div_ps emulated_div_ps
#define _mm512_max_ps emulated_max_ps
#define _mm512_min_ps emulated_min_ps
#define _mm512_and_si512 emulated_and_si512
#define _mm512_or_si512 emulated_or_si512
#define _mm512_add_epi32 emulated_add_epi32
#define _mm512_max_epi32 emulated_max_epi32
#define _mm512_shuffle_epi8 emulated_shuffle_epi8

static inline emulated_floats emulated_fmadd(emulated_floats a, emulated_floats b, emulated_floats c)
{
    return FLOATS(_mm256_fmadd_ps(a.half[0], b.half[0], c.half[0]),
                  _mm256_fmadd_ps(a.half[1], b.half[1], c.half[1]));
}
#define _mm512_fmadd_ps emulated_fmadd

static inline emulated_ints emulated_dpwssd(emulated_ints sum, emulated_ints a, emulated_ints b)
{
    return INTS(_mm256_add_epi32(sum.half[0], _mm256_madd_epi16(a.half[0], b.half[0])),
                _mm256_add_epi32(sum.half[1], _mm256_madd_epi16(a.half[1], b.half[1])));
}
#define _mm512_dpwssd_epi32 emulated_dpwssd

static inline void emulated_store(void *to, emulated_ints a)
{
    _mm256_storeu_si256(to, a.half[0]);
    _mm256_storeu_si256((__m256i *)to + 1, a.half[1]);
}
#define _mm512_storeu_si512 emulated_store

static inline void emulated_store_floats(float *to, emulated_floats a)
{
    _mm256_storeu_ps(to, a.half[0]);
    _mm256_storeu_ps(to + 8, a.half[1]);
}
#define _mm512_storeu_ps emulated_store_floats

static inline emulated_ints emulated_load(const void *from)
{
    const __m256i *halves = from;
    return INTS(_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1));
}
#define _mm512_loadu_si512 emulated_load
#define _mm512_loadu_ps(p) FLOATS(_mm256_loadu_ps(p), _mm256_loadu_ps((p) + 8))
#define _mm512_set1_ps(a) FLOATS(_mm256_set1_ps(a), _mm256_set1_ps(a))
#define _mm512_set1_epi32(a) INTS(_mm256_set1_epi32(a), _mm256_set1_epi32(a))

#define ONE(type, own, name) \
    static inline type emulated_##name(type a, int bits) \
    { \
        return (type){{own(a.half[0], bits), own(a.half[1], bits)}}; \
    }
ONE(emulated_ints, _mm256_slli_epi32, slli)
ONE(emulated_ints, _mm256_srli_epi32, srli)
ONE(emulated_ints, _mm256_srli_epi16, srli_halves)
#define _mm512_slli_epi32 emulated_slli
#define _mm512_srli_epi32 emulated_srli
#define _mm512_srli_epi16 emulated_srli_halves

static inline emulated_floats emulated_from_half(__m256i a)
{
    return FLOATS(_mm256_cvtph_ps(_mm256_castsi256_si128(a)),
                  _mm256_cvtph_ps(_mm256_extracti128_si256(a, 1)));
}
#define _mm512_cvtph_ps emulated_from_half
#define _mm512_cvtps_ph(a, rounding) \
    _mm256_set_m128i(_mm256_cvtps_ph((a).half[1], rounding), _mm256_cvtps_ph((a).half[0], rounding))

static inline emulated_ints emulated_widen(__m256i a)
{
    return INTS(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(a)),
                _mm256_cvtepu16_epi32(_mm256_extracti128_si256(a, 1)));
}
#define _mm512_cvtepu16_epi32 emulated_widen

#define CONVERT(to, TO, from, own, name) \
    static inline to emulated_##name(from a) { return TO(own(a.half[0]), own(a.half[1])); }
CONVERT(emulated_floats, FLOATS, emulated_ints, _mm256_castsi256_ps, bits_to_floats)
CONVERT(emulated_ints, INTS, emulated_floats, _mm256_castps_si256, bits_to_ints)
CONVERT(emulated_ints, INTS, emulated_floats, _mm256_cvtps_epi32, round)
CONVERT(emulated_floats, FLOATS, emulated_ints, _mm256_cvtepi32_ps, from_ints)
#define _mm512_castsi512_ps emulated_bits_to_floats
#define _mm512_castps_si512 emulated_bits_to_ints
#define _mm512_cvtps_epi32 emulated_round
#define _mm512_cvtepi32_ps emulated_from_ints

#define _mm512_broadcast_i32x4(a) INTS(_mm256_broadcastsi128_si256(a), _mm256_broadcastsi128_si256(a))
#define _mm512_castps512_ps256(a) ((a).half[0])
#define _mm512_castsi512_si256(a) ((a).half[0])
#define _mm512_extracti64x4_epi64(a, n) ((a).half[n])
#define _mm512_castps_pd(a) (a)
#define _mm512_extractf64x4_pd(a, n) _mm256_castps_pd((a).half[n])
