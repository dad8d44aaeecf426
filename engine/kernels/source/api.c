// Level selection, scratch memory, and products of rows with several matrices.
#include "api.h"

#include "level.h"
#include "pool.h"
#include "products.h"
#include "scratch.h"

#include <stdlib.h>

// ---------------------------------------------------------------- levels

#if defined(__x86_64__)

#include <cpuid.h>

static const Level *const levels[] = {&level_plain, &level_avx2, &level_avx_vnni, &level_avx512};

enum {
    YMM_STATE = 0x06,  // state that the OS must save for AVX registers
    ZMM_STATE = 0xe6,  // same for AVX-512
};

static unsigned saved_state(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int has_bits(unsigned found, unsigned wanted)
{
    return (found & wanted) == wanted;
}

// Uses cpuid, because `__builtin_cpu_supports` doesn't work in a library built by Zig.
int32_t kernels_levels(void)
{
    unsigned a, b, c, d, features = 0, more = 0, newer = 0, unused;
    const unsigned fma = 1u << 12, saves_state = 1u << 27, f16c = 1u << 29, avx2 = 1u << 5;
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
    int32_t found = 1;
    if (!__get_cpuid(1, &a, &b, &features, &d) || !has_bits(features, fma | saves_state | f16c))
        return found;
    if (!__get_cpuid_count(7, 0, &a, &b, &more, &d) || !has_bits(b, avx2))
        return found;
    if (!has_bits(saved_state(), YMM_STATE))
        return found;
    found |= 1 << 1;
    if (a >= 1 && __get_cpuid_count(7, 1, &newer, &unused, &c, &d) && newer >> 4 & 1)
        found |= 1 << 2;
    if (has_bits(b, avx512) && more >> 11 & 1 && has_bits(saved_state(), ZMM_STATE))
        found |= 1 << 3;
    return found;
}

#else

static const Level *const levels[] = {&level_plain};

int32_t kernels_levels(void)
{
    return 1;
}

#endif

const Level *level = &level_plain;

void kernels_use_level(int32_t wanted)
{
    level = levels[wanted];
}

const int32_t *kernels_struct_sizes(void)
{
    static const int32_t sizes[] = {
        sizeof(Matrix), sizeof(Layer),   sizeof(Decoder), sizeof(Step),
        sizeof(Choice), sizeof(Segment), sizeof(Span),
    };
    return sizes;
}

void kernels_start(int32_t threads)
{
    pool_start(threads);
}

// ---------------------------------------------------------------- scratch memory

static _Thread_local struct {
    void *memory;
    int64_t bytes;
} buffers[SCRATCH_SLOTS];

void *scratch(int slot, int64_t count, int64_t bytes)
{
    int64_t wanted = (count * bytes + 64) / 64 * 64;  // never 0, so that NULL is an error
    if (buffers[slot].bytes < wanted) {
        free(buffers[slot].memory);
        buffers[slot].memory = aligned_alloc(64, (size_t)wanted);
        buffers[slot].bytes = buffers[slot].memory ? wanted : 0;
    }
    return buffers[slot].memory;
}

void kernels_release_scratch(void)
{
    for (int slot = 0; slot < SCRATCH_SLOTS; slot++) {
        free(buffers[slot].memory);
        buffers[slot].memory = NULL;
        buffers[slot].bytes = 0;
    }
}

// ---------------------------------------------------------------- products

int reserve_rows(QuantizedRows *rows, int64_t count, int64_t inputs)
{
    int64_t blocks = inputs / BLOCK;
    rows->values = scratch(SCRATCH_VALUES, count * inputs, sizeof(int16_t));
    rows->scales = scratch(SCRATCH_SCALES, count * blocks, sizeof(float));
    rows->sums = scratch(SCRATCH_SUMS, count * blocks, sizeof(float));
    rows->inputs = (int32_t)inputs;
    return rows->values && rows->scales && rows->sums;
}

// `item` counts the tiles of all matrices.
static void multiply(void *context, int64_t item)
{
    const Product *product = context;
    const Matrix *const *matrix = product->matrices;
    float *out = product->out;
    for (; item >= tiles_of(*matrix); matrix++) {
        item -= tiles_of(*matrix);
        out += (*matrix)->outputs;
    }
    level->multiply(*matrix, &product->rows, product->count, (int32_t)item, out, product->stride,
                    product->adds);
}

void run_product(Product *product, const Matrix *const *matrices, int limit, int64_t count,
                 float *out, int64_t stride, int adds)
{
    int64_t tiles = 0;
    for (int i = 0; i < limit && matrices[i]; i++)
        tiles += tiles_of(matrices[i]);
    product->rows.inputs = matrices[0]->inputs;
    product->matrices = matrices;
    product->count = count;
    product->out = out;
    product->stride = stride;
    product->adds = adds;
    pool_run(tiles, multiply, product);
}

typedef struct {
    Product product;
    const float *given;
    float *gates;
} Call;

static void quantize(void *context, int64_t row)
{
    const Call *call = context;
    const QuantizedRows *rows = &call->product.rows;
    level->quantize_row(call->given + row * rows->inputs, rows, row);
}

int32_t kernels_multiply(const Matrix *const *matrices, int32_t count, const float *given,
                         int64_t rows, float *out)
{
    Call call = {.given = given};
    int64_t outputs = 0;
    for (int32_t i = 0; i < count; i++)
        outputs += matrices[i]->outputs;
    if (!reserve_rows(&call.product.rows, rows, matrices[0]->inputs))
        return -1;
    pool_enter();
    pool_run(rows, quantize, &call);
    run_product(&call.product, matrices, count, rows, out, outputs, 0);
    pool_leave();
    return 0;
}

static void gate_and_quantize(void *context, int64_t row)
{
    const Call *call = context;
    const QuantizedRows *rows = &call->product.rows;
    float *gates = call->gates + row * 2 * rows->inputs;
    level->gate_row(gates, rows->inputs, ACTIVATION_SILU, gates);
    level->quantize_row(gates, rows, row);
}

int32_t kernels_mlp(const Matrix *const *gate_up, const Matrix *down, const float *given,
                    int64_t rows, float *out)
{
    Call call = {.given = given};
    QuantizedRows *quantized = &call.product.rows;
    int64_t inputs = gate_up[0]->inputs, width = down->inputs;
    call.gates = scratch(SCRATCH_GATES, rows * 2 * width, sizeof(float));
    // Large enough for both products, so that the second product doesn't reallocate the rows.
    if (!call.gates || !reserve_rows(quantized, rows, inputs > width ? inputs : width))
        return -1;
    quantized->inputs = (int32_t)inputs;
    pool_enter();
    pool_run(rows, quantize, &call);
    run_product(&call.product, gate_up, 2, rows, call.gates, 2 * width, 0);
    quantized->inputs = (int32_t)width;
    pool_run(rows, gate_and_quantize, &call);
    run_product(&call.product, &down, 1, rows, out, down->outputs, 0);
    pool_leave();
    return 0;
}

// ---------------------------------------------------------------- tables

enum { ROWS_FOR_THREADS = 32 };  // with fewer rows, waking up threads takes longer

typedef struct {
    const Matrix *matrix;
    const int64_t *outputs;
    float *to;
} Unpacking;

static void unpack(void *context, int64_t index)
{
    const Unpacking *unpacking = context;
    unpack_row(unpacking->matrix, unpacking->outputs[index],
               unpacking->to + index * unpacking->matrix->inputs);
}

void kernels_unpack(const Matrix *matrix, const int64_t *outputs, int64_t count, float *to)
{
    Unpacking unpacking = {matrix, outputs, to};
    if (count >= ROWS_FOR_THREADS)
        pool_enter();
    pool_run(count, unpack, &unpacking);  // runs on this thread alone if it hasn't entered the pool
    pool_leave();
}
