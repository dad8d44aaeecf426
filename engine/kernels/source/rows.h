// Row-wise operations of a decoder layer, i.e. everything between the products.
#pragma once

#include "decoder.h"
#include "lanes.h"

// RMS norm of `width` floats: from * weight / sqrt(mean of squares + epsilon).
static void norm_row(const float *from, const float *weight, int32_t width, float epsilon, float *to)
{
    floats squares = floats_set(0.0f);
    for (int32_t i = 0; i < width; i += 16) {
        floats a = floats_load_some(from + i, width - i);
        squares = floats_fma(a, a, squares);
    }
    floats factor = floats_set(1.0f / sqrtf(floats_sum(squares) / (float)width + epsilon));
    for (int32_t i = 0; i < width; i += 16) {
        floats a = floats_mul(floats_load_some(from + i, width - i), factor);
        floats out = floats_mul(a, floats_load_some(weight + i, width - i));
        floats_store_some(to + i, out, width - i);
    }
}

static void add_row(const float *from, int32_t width, float *to)
{
    for (int32_t i = 0; i < width; i += 16) {
        floats a = floats_load_some(to + i, width - i);
        floats_store_some(to + i, floats_add(a, floats_load_some(from + i, width - i)), width - i);
    }
}

// Compute a = cap * tanh(a / cap) for each value of a row.
static void cap_row(float *row, int64_t count, float cap)
{
    floats factor = floats_set(cap), inverse = floats_set(1.0f / cap);
    for (int64_t i = 0; i < count; i += 16) {
        floats a = floats_mul(floats_load_some(row + i, count - i), inverse);
        floats_store_some(row + i, floats_mul(floats_tanh(a), factor), count - i);
    }
}

// Compute e^((logit - largest) / temperature) for each logit; 0 for NaN and anything below 2e-38.
static void weigh_row(const float *logits, int64_t count, float largest, float temperature,
                      float *to)
{
    floats most = floats_set(largest), divisor = floats_set(temperature);
    for (int64_t i = 0; i < count; i += 16) {
        floats a = floats_sub(floats_load_some(logits + i, count - i), most);
        floats_store_some(to + i, floats_exp(floats_div(a, divisor)), count - i);
    }
    for (int64_t i = 0; i < count; i++)
        if (isnan(logits[i]) || to[i] < 2e-38f)
            to[i] = 0.0f;
}

// Rotate the first 2 * `half` floats of a head: pairs (i, i + half).
static void rotate_head(float *head, const float *cos, const float *sin, int32_t half)
{
    for (int32_t i = 0; i < half; i += 16) {
        int32_t left = half - i;
        floats a = floats_load_some(head + i, left), b = floats_load_some(head + half + i, left);
        floats c = floats_load_some(cos + i, left), s = floats_load_some(sin + i, left);
        floats_store_some(head + i, floats_sub(floats_mul(a, c), floats_mul(b, s)), left);
        floats_store_some(head + half + i, floats_add(floats_mul(a, s), floats_mul(b, c)), left);
    }
}

// Same for pairs (2 i, 2 i + 1), which models call "traditional" or "interleaved".
static void rotate_head_interleaved(float *head, const float *cos, const float *sin, int32_t half)
{
    for (int32_t i = 0; i < half; i++) {
        float a = head[2 * i], b = head[2 * i + 1];
        float a_cos = a * cos[i], b_sin = b * sin[i], a_sin = a * sin[i], b_cos = b * cos[i];
        head[2 * i] = a_cos - b_sin;
        head[2 * i + 1] = a_sin + b_cos;
    }
}

// Prepare a row's queries, keys and values for attention, [heads + 2 * key heads][head width]:
// head norms, rotation, and multiplication of the queries by the score scale.
static void prepare_row(const Layer *layer, int64_t position, float *row)
{
    int32_t width = layer->head_width, half = layer->rotated / 2;
    const float *cos = half ? layer->cosines + position * half : NULL;
    const float *sin = half ? layer->sines + position * half : NULL;
    for (int32_t head = 0; head < layer->heads + layer->key_heads; head++, row += width) {
        const float *norm = head < layer->heads ? layer->query_norm : layer->key_norm;
        if (norm)
            norm_row(row, norm, width, layer->head_epsilon, row);
        if (layer->is_interleaved)
            rotate_head_interleaved(row, cos, sin, half);
        else
            rotate_head(row, cos, sin, half);
        if (head < layer->heads)
            for (int32_t i = 0; i < width; i++)
                row[i] *= layer->score_scale;
    }
}

// Store floats as halves. Values out of range are clamped.
static void store_halves(uint16_t *to, const float *from, int32_t count)
{
    floats most = floats_set(65504.0f), least = floats_set(-65504.0f);
    for (int32_t i = 0; i < count; i += 16) {
        floats a = floats_load_some(from + i, count - i);
        uint16_t halves[16];
        floats_to_half(halves, floats_min(most, floats_max(least, a)));
        memcpy(to + i, halves, (size_t)(count - i < 16 ? count - i : 16) * sizeof *to);
    }
}

// gate * sigmoid(gate).
INLINE floats floats_silu(floats gate)
{
    floats e = floats_exp(floats_sub(floats_set(0.0f), gate));
    return floats_div(gate, floats_add(floats_set(1.0f), e));
}

// GELU (tanh approximation), computed as gate * sigmoid(2 * inner).
INLINE floats floats_gelu(floats gate)
{
    floats cube = floats_mul(floats_mul(gate, gate), gate);
    floats inner = floats_fma(cube, floats_set(0.044715f), gate);
    floats e = floats_exp(floats_mul(inner, floats_set(-1.59576912f)));
    return floats_div(gate, floats_add(floats_set(1.0f), e));
}

// Compute activation(gate) * up for a row [gate | up] of 2 * `width`. `to` may be the row itself.
static void gate_row(const float *row, int32_t width, int32_t activation, float *to)
{
    for (int32_t i = 0; i < width; i += 16) {
        floats gate = floats_load_some(row + i, width - i);
        gate = activation == ACTIVATION_GELU ? floats_gelu(gate) : floats_silu(gate);
        gate = floats_mul(gate, floats_load_some(row + width + i, width - i));
        floats_store_some(to + i, gate, width - i);
    }
}
