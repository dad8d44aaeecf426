// Products of quantized rows with several matrices (api.c).
#pragma once

#include "layout.h"

typedef struct {
    QuantizedRows rows;  // memory for the quantized rows; `run_product` sets `inputs`
    const Matrix *const *matrices;
    int64_t count;  // rows
    float *out;     // [rows][stride]
    int64_t stride;
    int adds;       // add to `out` instead of overwriting it
} Product;

// Reserve scratch memory for `rows` quantized rows of `inputs`. Returns 0 if out of memory.
int reserve_rows(QuantizedRows *rows, int64_t count, int64_t inputs);

// Multiply `count` quantized rows by matrices up to the first NULL, at most `limit`. The products
// are concatenated.
void run_product(Product *product, const Matrix *const *matrices, int limit, int64_t count,
                 float *out, int64_t stride, int adds);
