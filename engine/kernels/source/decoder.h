// Stack of decoder layers, and the arguments of a step.
//
//     x += out(attention(rotate(query, key, value(norm(x)))))
//     x += down(activation(gate(norm(x))) * up(norm(x)))
//
// If there are norms after attention or the MLP, they are applied before adding to x. The norms
// before attention and the MLP are optional.
#pragma once

#include "layout.h"

enum { ACTIVATION_SILU, ACTIVATION_GELU };

typedef struct {
    int32_t heads;
    int32_t key_heads;
    int32_t head_width;
    int32_t rotated;         // number of rotated dimensions per head
    int32_t is_interleaved;  // rotate adjacent pairs
    int32_t activation;      // ACTIVATION_SILU, ...
    float epsilon;
    float head_epsilon;
    float score_scale;
    float score_cap;         // replace scores with cap * tanh(score / cap); 0 for no cap
    const float *cosines;    // [positions][rotated / 2]
    const float *sines;
    const float *attention_norm;       // NULL for none; same for all norms
    const float *mlp_norm;
    const float *attention_post_norm;
    const float *mlp_post_norm;
    const float *query_norm;           // applied per head
    const float *key_norm;
    const Matrix *query_key_value[3];  // three matrices, or a fused matrix and NULLs
    const Matrix *gate_up[2];          // likewise
    const Matrix *out;
    const Matrix *down;
} Layer;

// Keys and values of a session in one layer, at consecutive positions, in half precision. Compared
// with floats, they take half the memory, and half the time to read.
typedef struct {
    uint16_t *keys;        // `head_width` halves per key head and position
    uint16_t *values;
    int64_t head_stride;   // stride between key heads, in halves
    int64_t token_stride;  // stride between positions, in halves
    int64_t position;      // position of the first key
    int64_t count;
} Segment;

// Consecutive rows of a step with consecutive tokens of one session. Their keys and values are
// written to the session's last segment, whose `count` already includes them.
typedef struct {
    int64_t first_row;
    int64_t rows;
    int64_t position;  // position of the first row
    int64_t first_segment;
    int64_t segments;
} Span;

typedef struct {
    int32_t width;
    int32_t layer_count;
    int32_t mlp_width;
    float epsilon;
    const Layer *layers;
    const Matrix *table;  // token embeddings, or NULL if steps pass embeddings
    float table_scale;    // factor for token embeddings
    const float *final_norm;
    const Matrix *head;  // output head, or NULL to compute hidden states only
} Decoder;

typedef struct {
    int64_t rows;
    const int64_t *tokens;    // [rows]
    const float *embeddings;  // [rows][width], used if `tokens` is NULL
    const Span *spans;
    int64_t span_count;
    const Segment *segments;  // [layers][segments]
    int64_t segment_count;    // segments per layer
    const int64_t *wanted;    // indices of the rows to return
    int64_t wanted_count;
    float *hidden;  // [wanted][width], after the final norm
    float *logits;  // [wanted][outputs of the head], or NULL
} Step;
