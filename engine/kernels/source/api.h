// The functions that Python calls (engine/kernels/library.py).
#pragma once

#include "decoder.h"
#include "layout.h"

// Parameters for sampling a token from one row of logits.
typedef struct {
    const float *logits;  // [width]
    double uniform;       // random number in [0, 1)
    int64_t token;        // the result
    int64_t top_k;        // 0 for all
    float temperature;    // 0 for the most probable token
    float min_p;          // 0 for none
    float typical_p, top_p;  // 1 for none
    float xtc_threshold;  // negative for none
} Choice;

#pragma GCC visibility push(default)

// Return the instruction set levels that this CPU supports, with bit n set for level n (lanes.h).
int32_t kernels_levels(void);

// Switch to one of the levels in `kernels_levels`.
void kernels_use_level(int32_t level);

// Sizes of Matrix, Layer, Decoder, Step, Choice, Segment and Span in bytes, so that Python can
// compare them with its own definitions (engine/kernels/structs.py).
const int32_t *kernels_struct_sizes(void);

// Free the calling thread's memory for intermediate results.
void kernels_release_scratch(void);

// Start the thread pool (pool.h).
void kernels_start(int32_t threads);

// Pack codes of 1 to 8 bits, [outputs][inputs * bits / 8] as MLX stores them, into 4 or 8 bits.
void kernels_pack(const uint8_t *from, int64_t outputs, int64_t inputs, int32_t bits,
                  int32_t packed_bits, uint8_t *to);

// Pack scales or biases [outputs][groups] of 2 or 4 bytes each.
void kernels_pack_scales(const uint8_t *from, int64_t outputs, int64_t groups, int32_t item_bytes,
                         uint8_t *to);

// Dequantize the weights of some outputs, e.g. rows of an embedding table, into [count][inputs].
void kernels_unpack(const Matrix *matrix, const int64_t *outputs, int64_t count, float *to);

// Multiply rows [rows][inputs] by matrices that have the same number of inputs. The products are
// concatenated, [rows][sum of outputs]. Returns 0, or -1 if out of memory.
int32_t kernels_multiply(const Matrix *const *matrices, int32_t count, const float *given,
                         int64_t rows, float *out);

// Gated MLP: down(silu(gate(x)) * up(x)) for rows x [rows][inputs], into [rows][outputs].
// `gate_up` has two matrices. Returns 0, or -1 if out of memory.
int32_t kernels_mlp(const Matrix *const *gate_up, const Matrix *down, const float *given,
                    int64_t rows, float *out);

// Run a step through all layers. Writes keys and values to the sessions' segments, and returns the
// hidden states and logits of the wanted rows. Returns 0, -1 if out of memory (the contents of all
// outputs are undefined then), or -2 if the arguments are inconsistent.
int32_t kernels_step(const Decoder *decoder, const Step *step);

// Sample a token for each row. Returns 0, or -1 if out of memory.
int32_t kernels_choose(Choice *choices, int64_t rows, int64_t width);

#pragma GCC visibility pop
