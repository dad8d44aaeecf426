// Memory layout of packed matrices and quantized rows, for all instruction sets.
#pragma once

#include <stdint.h>

enum {
    TILE = 16,          // outputs computed together, one per lane
    STEP = 8,           // inputs in one or two words of codes
    BLOCK = 32,         // inputs that share a scale in a quantized row
    STEPS = BLOCK / STEP,
    MAX_VALUE = 32512,  // largest value of a quantized row
};

// Number format of a matrix's scales and biases.
enum { SCALE_FLOAT16, SCALE_BFLOAT16, SCALE_FLOAT32 };

// A matrix [outputs, inputs] of codes, where
//
//     weight = scale * code + bias        (or scale * table[code] + bias)
//
// with a scale and a bias for each output and group of 32, 64 or 128 inputs.
//
// Codes are stored tile by tile, each tile step by step. A step holds 8 inputs of 16 outputs.
// With 4-bit codes, a step is 64 bytes, with one 32-bit word per output:
//
//     word    | output 0 | output 1 | ...              | output 15 |
//
//     bits    | 28..31 | 24..27 | 20..23 | 16..19 | 12..15 | 8..11 | 4..7 | 0..3 |
//     input   |   7    |   6    |   5    |   4    |   3    |   2   |  1   |  0   |
//
// With 8-bit codes, a step is 128 bytes: 16 words of even inputs, then 16 words of odd inputs:
//
//     bits    | 24..31 | 16..23 | 8..15 | 0..7 |
//     even    |   6    |   4    |   2   |  0   |
//     odd     |   7    |   5    |   3   |  1   |
//
// In both cases, a shift and a mask extract two codes into the 16-bit halves of a word. They belong
// to inputs (0, 4), (1, 5), (2, 6) and (3, 7). Quantized rows are stored in the same pairs.
//
// Scales and biases are stored as [tile][group][16]. Padding after the last output has
// codes, scales and biases of 0. Biases aren't stored if they are a constant multiple of the scales
// (in symmetric formats such as GGUF's Q4_0).
typedef struct {
    int32_t outputs;
    int32_t inputs;      // multiple of `group`
    int32_t group;       // inputs that share a scale: 32, 64 or 128
    int32_t bits;        // 4 or 8
    int32_t scale_kind;  // SCALE_FLOAT16, ...
    int32_t has_table;   // codes are indices into `table`; 4 bits only
    uint8_t table[16];
    float offset;
    const uint8_t *codes;
    const void *scales;
    const void *biases;  // NULL if each is `offset` times its scale
    const float *added;  // [outputs], added to the product, or NULL
} Matrix;

// Rows of activations, quantized to 16 bits: a = scale * value. There is a scale per row and block.
//
// Values are integers from -MAX_VALUE to MAX_VALUE. This makes the dot product of a block's codes
// and values exact in 32 bits: 32 * 255 * 32512 < 2^31.
//
//     word (int16 pair)   |   0    |   1    |   2    |   3    | 4 ...
//     inputs (low, high)  | (0, 4) | (1, 5) | (2, 6) | (3, 7) | (8, 12) ...
typedef struct {
    int16_t *values;  // [rows][inputs]
    float *scales;    // [rows][inputs / BLOCK]
    float *sums;      // [rows][inputs / BLOCK], scale * sum of the block's values
    int32_t inputs;
} QuantizedRows;

static inline int32_t tiles_of(const Matrix *matrix)
{
    return (matrix->outputs + TILE - 1) / TILE;
}

// Number of bytes in a step of codes.
static inline int32_t step_bytes(const Matrix *matrix)
{
    return STEP * TILE * matrix->bits / 8;
}
