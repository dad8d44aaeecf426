// Functions that are compiled for each instruction set level.
#pragma once

#include "decoder.h"
#include "layout.h"

enum { KEYS_AT_ONCE = 16 };  // number of keys to load at a time for all queries of a block

// One head of one row, in a block of attention.
typedef struct {
    const float *query;
    int64_t end;    // position after the last key that the query attends to
    float *out;
    float *scores;  // of positions before `end`
} Query;

typedef struct {
    void (*quantize_row)(const float *row, const QuantizedRows *out, int64_t index);
    void (*multiply)(const Matrix *matrix, const QuantizedRows *given, int64_t rows,
                     int32_t tile, float *out, int64_t stride, int adds);
    void (*norm_row)(const float *from, const float *weight, int32_t width, float epsilon,
                     float *to);
    void (*add_row)(const float *from, int32_t width, float *to);
    void (*prepare_row)(const Layer *layer, int64_t position, float *row);
    void (*store_halves)(uint16_t *to, const float *from, int32_t count);
    void (*gate_row)(const float *row, int32_t width, int32_t activation, float *to);
    void (*weigh_row)(const float *logits, int64_t count, float largest, float temperature,
                      float *to);
    void (*attend)(const Layer *layer, const Segment *segments, int32_t segment_count,
                   int32_t key_head, const Query *queries, int32_t count, float *kept);
} Level;

extern const Level level_plain, level_avx2, level_avx_vnni, level_avx512;

extern const Level *level;  // level in use

// Dequantize the weights of one output, [inputs]. Plain C only.
void unpack_row(const Matrix *matrix, int64_t output, float *to);
