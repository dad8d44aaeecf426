// Quantization of rows, and products with packed matrices.
#pragma once

#include "lanes.h"
#include "layout.h"

// ---------------------------------------------------------------- rows

// Store two steps as pairs (0, 4), (1, 5), ...
INLINE void store_pairs(int16_t *to, ints values)
{
#if LEVEL == LEVEL_PLAIN
    int32_t lane[16];
    ints_store(lane, values);
    for (int step = 0; step < 2; step++)
        for (int i = 0; i < STEP; i++)
            to[STEP * step + i] = (int16_t)lane[STEP * step + i / 2 + i % 2 * 4];
#else
    __m256i low = lower_ints(values), high = upper_ints(values);
    __m256i first = _mm256_permute2x128_si256(low, high, 0x20);   // inputs 0..3 of both steps
    __m256i second = _mm256_permute2x128_si256(low, high, 0x31);  // inputs 4..7
    __m256i pairs = _mm256_blend_epi16(first, _mm256_slli_epi32(second, 16), 0xaa);
    _mm256_storeu_si256((__m256i *)to, pairs);
#endif
}

// Quantize a block, using the scale of its largest value. If a value isn't finite, the scale is
// NaN, and so are all products with the block. Values below 1e-30 count as 0.
INLINE void quantize_block(const float *from, int16_t *values, float *scale, float *sum)
{
    floats first = floats_load(from), second = floats_load(from + 16);
    // The bits of positive floats compare like the floats, and NaNs have the largest bits.
    ints sign_off = ints_set(0x7fffffff);
    ints most = ints_max(ints_and(ints_of_bits(first), sign_off),
                         ints_and(ints_of_bits(second), sign_off));
    int32_t bits = ints_largest(most);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    int is_finite = bits < 0x7f800000;
    int is_zero = is_finite && largest < 1e-30f;
    floats factor = floats_set(is_finite && !is_zero ? MAX_VALUE / largest : 0.0f);
    ints a = ints_set(0), b = a;
    if (is_finite) {
        a = ints_round(floats_mul(first, factor));
        b = ints_round(floats_mul(second, factor));
    }
    store_pairs(values, a);
    store_pairs(values + 16, b);
    *scale = is_zero ? 0.0f : is_finite ? largest / MAX_VALUE : NAN;
    *sum = *scale * (float)ints_sum(ints_add(a, b));
}

// Quantize `row`, which has `inputs` floats, into row `index` of `out`.
static void quantize_row(const float *row, const QuantizedRows *out, int64_t index)
{
    int32_t blocks = out->inputs / BLOCK;
    int16_t *values = out->values + index * out->inputs;
    float *scales = out->scales + index * blocks, *sums = out->sums + index * blocks;
    for (int32_t block = 0; block < blocks; block++)
        quantize_block(row + block * BLOCK, values + block * BLOCK, scales + block, sums + block);
}

// ---------------------------------------------------------------- products
//
// Each output is computed in this order, whatever other rows and outputs the call has:
//
//     sum = 0
//     for each block of 32 inputs:
//         dot = codes * values                                  (integers, exact)
//         sum = fma(scale * row's scale, dot, sum)
//         sum = fma(bias, row's sum, sum)

#if LEVEL == LEVEL_PLAIN

// Return the code of an input of a step, for the output in a lane.
INLINE int16_t code_at(const Matrix *matrix, const uint8_t *step, int input, int lane)
{
    if (matrix->bits == 8)
        return step[input % 2 * TILE * 4 + lane * 4 + input / 2];
    int code = step[lane * 4 + input / 2] >> input % 2 * 4 & 15;
    return (int16_t)(matrix->has_table ? matrix->table[code] : code);
}

// Return the value of an input of a step.
INLINE int16_t value_at(const int16_t *step, int input)
{
    return step[input % 4 * 2 + input / 4];
}

INLINE float number_at(const void *numbers, int32_t kind, int64_t index)
{
    if (kind == SCALE_FLOAT32)
        return ((const float *)numbers)[index];
    uint16_t half = ((const uint16_t *)numbers)[index];
    return kind == SCALE_FLOAT16 ? float_from_half(half) : float_of_bits((uint32_t)half << 16);
}

INLINE float scale_at(const Matrix *matrix, int64_t index)
{
    return number_at(matrix->scales, matrix->scale_kind, index);
}

INLINE float bias_at(const Matrix *matrix, int64_t index)
{
    if (!matrix->biases)
        return matrix->offset * scale_at(matrix, index);
    return number_at(matrix->biases, matrix->scale_kind, index);
}

// Dequantize the weights of one output: scale * code + bias, rounded after each operation.
void unpack_row(const Matrix *matrix, int64_t output, float *to)
{
    int64_t tile = output / TILE, groups = matrix->inputs / matrix->group;
    int lane = (int)(output % TILE);
    const uint8_t *step = matrix->codes + tile * (matrix->inputs / STEP) * step_bytes(matrix);
    for (int32_t first = 0; first < matrix->inputs; first += STEP, step += step_bytes(matrix)) {
        int64_t at = (tile * groups + first / matrix->group) * TILE + lane;
        float scale = scale_at(matrix, at), bias = bias_at(matrix, at);
        for (int input = 0; input < STEP; input++) {
            float product = scale * (float)code_at(matrix, step, input, lane);
            to[first + input] = product + bias;
        }
    }
}

// Reference implementation: products of a tile with some rows, [rows][TILE].
static void multiply_tile(const Matrix *matrix, int32_t tile, const QuantizedRows *given,
                          int64_t first_row, int rows, float *out)
{
    int32_t blocks = matrix->inputs / BLOCK, groups = matrix->inputs / matrix->group;
    for (int64_t row = first_row; row < first_row + rows; row++, out += TILE) {
        const int16_t *values = given->values + row * given->inputs;
        const uint8_t *step = matrix->codes + (int64_t)tile * blocks * STEPS * step_bytes(matrix);
        memset(out, 0, TILE * sizeof *out);
        for (int32_t block = 0; block < blocks; block++) {
            int32_t dots[TILE] = {0};
            for (int i = 0; i < STEPS; i++, step += step_bytes(matrix), values += STEP) {
                for (int input = 0; input < STEP; input++)
                    for (int lane = 0; lane < TILE; lane++)
                        dots[lane] += code_at(matrix, step, input, lane) * value_at(values, input);
            }
            int64_t at = ((int64_t)tile * groups + block * BLOCK / matrix->group) * TILE;
            float scale = given->scales[row * blocks + block], sum = given->sums[row * blocks + block];
            for (int lane = 0; lane < TILE; lane++) {
                float own = scale_at(matrix, at + lane) * scale;
                out[lane] = fmaf(own, (float)dots[lane], out[lane]);
                out[lane] = fmaf(bias_at(matrix, at + lane), sum, out[lane]);
            }
        }
    }
}

#else

#if LEVEL == LEVEL_AVX512
enum { ROWS_AT_ONCE = 8 };  // two vectors per row, out of 32 registers
#else
enum { ROWS_AT_ONCE = 4 };  // two halves per row, out of 16 registers
#endif

enum { BYTES_AHEAD = 2048 };  // prefetch distance, because the first line of a page is a miss

INLINE floats load_scales(const void *scales, int64_t index, const int kind)
{
    if (kind == SCALE_FLOAT32)
        return floats_load((const float *)scales + index);
    const uint16_t *halves = (const uint16_t *)scales + index;
    return kind == SCALE_FLOAT16 ? floats_from_half(halves) : floats_from_bfloat(halves);
}

// Extract two 16-bit codes per output: inputs `pair` and `pair + 4` of a step. Shifting each half
// separately means that the last pair needs no mask.
INLINE ints pair_of_codes(ints even, ints odd, int pair, const int bits)
{
    ints words = bits == 8 && pair % 2 ? odd : even;
    if (bits == 8)
        return pair / 2 ? halves_shift_right(words, 8) : ints_and(words, ints_set(0x00ff00ff));
    if (pair == 3)
        return halves_shift_right(words, 12);
    return ints_and(ints_shift_right(words, 4 * pair), ints_set(0x000f000f));
}

// Like `multiply_tile`, for constant `rows`, `bits`, `kind` and `has_table`.
INLINE void multiply_some(const Matrix *matrix, int32_t tile, const QuantizedRows *given,
                          int64_t first_row, const int rows, const int bits, const int kind,
                          const int has_table, float *out)
{
    int32_t blocks = matrix->inputs / BLOCK, blocks_per_group = matrix->group / BLOCK;
    int64_t at = (int64_t)tile * (blocks / blocks_per_group) * TILE;
    const uint8_t *step = matrix->codes + (int64_t)tile * blocks * STEPS * (STEP * TILE * bits / 8);
    const int16_t *values = given->values + first_row * given->inputs;
    const float *scales = given->scales + first_row * blocks;
    const float *row_sums = given->sums + first_row * blocks;
    floats sums[ROWS_AT_ONCE];
    UNROLLED for (int row = 0; row < rows; row++)
        sums[row] = floats_set(0.0f);
    int32_t left = blocks_per_group;
    for (int32_t block = 0; block < blocks; block++) {
        ints dots[ROWS_AT_ONCE];
        UNROLLED for (int row = 0; row < rows; row++)
            dots[row] = ints_set(0);
        NOT_UNROLLED for (int i = 0; i < STEPS; i++, step += STEP * TILE * bits / 8, values += STEP) {
            __builtin_prefetch(step + BYTES_AHEAD);
            if (bits == 8)
                __builtin_prefetch(step + BYTES_AHEAD + TILE * 4);
            ints even = ints_load(step), odd = bits == 8 ? ints_load(step + TILE * 4) : even;
            UNROLLED for (int pair = 0; pair < 4; pair++) {
                ints codes = pair_of_codes(even, odd, pair, bits);
                if (has_table)
                    codes = ints_look_up(matrix->table, codes);
                UNROLLED for (int row = 0; row < rows; row++) {
                    int32_t value;
                    memcpy(&value, values + (int64_t)row * given->inputs + 2 * pair, sizeof value);
                    dots[row] = ints_dot(dots[row], codes, ints_set(value));
                }
            }
        }
        floats own = load_scales(matrix->scales, at, kind);
        floats bias = matrix->biases ? load_scales(matrix->biases, at, kind)
                                     : floats_mul(own, floats_set(matrix->offset));
        if (--left == 0) {
            left = blocks_per_group;
            at += TILE;
        }
        UNROLLED for (int row = 0; row < rows; row++) {
            int64_t index = (int64_t)row * blocks + block;
            floats scale = floats_mul(own, floats_set(scales[index]));
            sums[row] = floats_fma(scale, floats_from_ints(dots[row]), sums[row]);
            sums[row] = floats_fma(bias, floats_set(row_sums[index]), sums[row]);
        }
    }
    UNROLLED for (int row = 0; row < rows; row++)
        floats_store(out + row * TILE, sums[row]);
}

// One function per storage format, so that the compiler can optimize for constants.
#define MULTIPLY(name, bits, kind, has_table) \
    static void name(const Matrix *matrix, int32_t tile, const QuantizedRows *given, \
                     int64_t row, int rows, float *out) \
    { \
        for (; rows >= ROWS_AT_ONCE; rows -= ROWS_AT_ONCE, row += ROWS_AT_ONCE) { \
            multiply_some(matrix, tile, given, row, ROWS_AT_ONCE, bits, kind, has_table, out); \
            out += ROWS_AT_ONCE * TILE; \
        } \
        if (rows >= 4 && ROWS_AT_ONCE > 4) { \
            multiply_some(matrix, tile, given, row, 4, bits, kind, has_table, out); \
            rows -= 4, row += 4, out += 4 * TILE; \
        } \
        if (rows == 2) \
            multiply_some(matrix, tile, given, row, 2, bits, kind, has_table, out); \
        if (rows == 3) \
            multiply_some(matrix, tile, given, row, 3, bits, kind, has_table, out); \
        if (rows == 1) \
            multiply_some(matrix, tile, given, row, 1, bits, kind, has_table, out); \
    }
MULTIPLY(multiply_4_float16, 4, SCALE_FLOAT16, 0)
MULTIPLY(multiply_4_bfloat16, 4, SCALE_BFLOAT16, 0)
MULTIPLY(multiply_4_float32, 4, SCALE_FLOAT32, 0)
MULTIPLY(multiply_8_float16, 8, SCALE_FLOAT16, 0)
MULTIPLY(multiply_8_bfloat16, 8, SCALE_BFLOAT16, 0)
MULTIPLY(multiply_8_float32, 8, SCALE_FLOAT32, 0)
MULTIPLY(multiply_table_float16, 4, SCALE_FLOAT16, 1)
MULTIPLY(multiply_table_bfloat16, 4, SCALE_BFLOAT16, 1)
MULTIPLY(multiply_table_float32, 4, SCALE_FLOAT32, 1)
#undef MULTIPLY

typedef void (*MultiplyTile)(const Matrix *, int32_t, const QuantizedRows *, int64_t, int, float *);

static void multiply_tile(const Matrix *matrix, int32_t tile, const QuantizedRows *given,
                          int64_t first_row, int rows, float *out)
{
    static const MultiplyTile ways[3][3] = {
        {multiply_4_float16, multiply_4_bfloat16, multiply_4_float32},
        {multiply_8_float16, multiply_8_bfloat16, multiply_8_float32},
        {multiply_table_float16, multiply_table_bfloat16, multiply_table_float32},
    };
    int way = matrix->has_table ? 2 : matrix->bits == 8;
    ways[way][matrix->scale_kind](matrix, tile, given, first_row, rows, out);
}

#endif

enum {
    MAX_ROWS = 64,             // maximum rows per pass over a tile
    ROW_BYTES = 192 * 1024,    // size of their values, which must fit in the L2 cache
};

// Multiply rows by a tile.
//
// `out` is [rows][stride]. The tile's columns are overwritten, or added to if `adds` is set.
static void multiply(const Matrix *matrix, const QuantizedRows *given, int64_t rows, int32_t tile,
                     float *out, int64_t stride, int adds)
{
    float found[MAX_ROWS * TILE];
    int64_t at_once = ROW_BYTES / (2 * (int64_t)matrix->inputs) / 8 * 8;
    at_once = at_once < 8 ? 8 : at_once > MAX_ROWS ? MAX_ROWS : at_once;
    int64_t column = (int64_t)tile * TILE, count = matrix->outputs - column;
    floats added = floats_set(0.0f);
    if (matrix->added)
        added = floats_load_some(matrix->added + column, count);
    for (int64_t first = 0; first < rows; first += at_once) {
        int some = (int)(rows - first < at_once ? rows - first : at_once);
        multiply_tile(matrix, tile, given, first, some, found);
        for (int row = 0; row < some; row++) {
            float *to = out + (first + row) * stride + column;
            floats sum = floats_load(found + row * TILE);
            if (matrix->added)
                sum = floats_add(sum, added);
            if (adds)
                sum = floats_add(floats_load_some(to, count), sum);
            floats_store_some(to, sum, count);
        }
    }
}
