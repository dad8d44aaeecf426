// A stack of decoder layers, and one step of it.
//
//     x += out(attention(rotate(query, key, value(norm(x)))))
//     x += down(activation(gate(norm(x))) * up(norm(x)))
//
// With norms after the two parts, what a part gives is normed before it is added to x. Without norms
// before them, the parts are given x.
#pragma once

#include "layout.h"

enum { ACTIVATION_SILU, ACTIVATION_GELU };

typedef struct {
    int32_t heads;
    int32_t key_heads;
    int32_t head_width;
    int32_t rotated;         // floats of a head that are rotated
    int32_t is_interleaved;  // pairs of the rotation are neighbors
    int32_t activation;      // ACTIVATION_SILU, ...
    float epsilon;
    float head_epsilon;
    float score_scale;
    float score_cap;         // scores become cap * tanh(score / cap); 0 for no cap
    const float *cosines;    // [positions][rotated / 2]
    const float *sines;
    const float *attention_norm;       // NULL for none, as all norms
    const float *mlp_norm;
    const float *attention_post_norm;
    const float *mlp_post_norm;
    const float *query_norm;           // of each head
    const float *key_norm;
    const Matrix *query_key_value[3];  // three matrices, or NULLs after one for all
    const Matrix *gate_up[2];          // likewise
    const Matrix *out;
    const Matrix *down;
} Layer;

// Keys and values of consecutive positions of a session in one layer, as IEEE 754 halves: long chats
// are read in half the time of floats, and take half the memory.
typedef struct {
    uint16_t *keys;        // of `head_width` halves for each key head and position
    uint16_t *values;
    int64_t head_stride;   // halves from one key head to the next
    int64_t token_stride;  // halves from one position to the next
    int64_t position;      // of the first key
    int64_t count;
} Segment;

// Consecutive rows of a step that are consecutive tokens of one session. Their keys and values are
// written into the last of the session's segments, whose `count` includes them.
typedef struct {
    int64_t first_row;
    int64_t rows;
    int64_t position;  // of the first row
    int64_t first_segment;
    int64_t segments;
} Span;

typedef struct {
    int32_t width;
    int32_t layer_count;
    int32_t mlp_width;
    float epsilon;
    const Layer *layers;
    const Matrix *table;  // of tokens' embeddings; NULL if steps are given embeddings
    float table_scale;    // embeddings are multiplied by it
    const float *final_norm;
    const Matrix *head;  // to logits; NULL if hidden states are all that is wanted
} Decoder;

typedef struct {
    int64_t rows;
    const int64_t *tokens;    // [rows]
    const float *embeddings;  // [rows][width], in place of tokens
    const Span *spans;
    int64_t span_count;
    const Segment *segments;  // [layers][segments]
    int64_t segment_count;    // of each layer
    const int64_t *wanted;    // rows whose hidden states or logits are wanted
    int64_t wanted_count;
    float *hidden;  // [wanted][width], after the last norm
    float *logits;  // [wanted][outputs of the head]; NULL if they are not wanted
} Step;
