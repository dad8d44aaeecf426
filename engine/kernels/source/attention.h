// Attention of rows to the keys and values of their own session.
#pragma once

#include "lanes.h"
#include "level.h"

enum { KEYS_AT_ONCE = 64 };  // keys that all queries of a block read before the next ones

// Scores of `count` keys, `stride` floats apart: their dot products with a query.
INLINE void score(const float *query, const float *keys, int64_t stride, int64_t count,
                  int32_t width, float *to)
{
    int64_t key = 0;
    for (; key + 4 <= count; key += 4, keys += 4 * stride) {
        floats a = floats_set(0.0f), b = a, c = a, d = a;
        for (int32_t i = 0; i < width; i += 16) {
            int32_t left = width - i;
            floats q = floats_load_some(query + i, left);
            a = floats_fma(q, floats_load_some(keys + i, left), a);
            b = floats_fma(q, floats_load_some(keys + stride + i, left), b);
            c = floats_fma(q, floats_load_some(keys + 2 * stride + i, left), c);
            d = floats_fma(q, floats_load_some(keys + 3 * stride + i, left), d);
        }
        floats_sum_four(a, b, c, d, to + key);
    }
    for (; key < count; key++, keys += stride) {
        floats sum = floats_set(0.0f);
        for (int32_t i = 0; i < width; i += 16)
            sum = floats_fma(floats_load_some(query + i, width - i),
                             floats_load_some(keys + i, width - i), sum);
        to[key] = floats_sum(sum);
    }
}

// Turn scores into weights whose sum is 1. What a sink weighs is given to no value.
static void softmax(const Layer *layer, const Query *query)
{
    int64_t count = query->end - query->first;
    float *scores = query->scores;
    if (layer->score_cap > 0.0f) {
        floats cap = floats_set(layer->score_cap), over = floats_set(1.0f / layer->score_cap);
        for (int64_t i = 0; i < count; i += 16) {
            floats a = floats_mul(floats_load_some(scores + i, count - i), over);
            floats_store_some(scores + i, floats_mul(floats_tanh(a), cap), count - i);
        }
    }
    float most = layer->sinks ? query->sink : -INFINITY;
    for (int64_t i = 0; i < count; i++)
        most = most > scores[i] ? most : scores[i];  // NaN replaces what it is compared with
    floats total = floats_set(0.0f), largest = floats_set(most);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        floats e = floats_exp(floats_sub(floats_load(scores + i), largest));
        floats_store(scores + i, e);
        total = floats_add(total, e);
    }
    if (i < count) {
        floats e = floats_exp(floats_sub(floats_load_some(scores + i, count - i), largest));
        floats_store_some(scores + i, e, count - i);
        total = floats_add(total, floats_load_some(scores + i, count - i));
    }
    float sum = floats_sum(total);
    if (layer->sinks) {
        float lanes[16];
        floats_store(lanes, floats_exp(floats_set(query->sink - most)));
        sum += lanes[0];
    }
    floats factor = floats_set(1.0f / sum);
    for (i = 0; i < count; i += 16)
        floats_store_some(scores + i, floats_mul(floats_load_some(scores + i, count - i), factor),
                          count - i);
}

// Add the values of positions `first` to before `end`, weighed, to a query's output.
INLINE void add_values(const Query *query, const float *values, int64_t stride, int64_t first,
                       int64_t end, int32_t width)
{
    const float *weights = query->scores + (first - query->first);
    for (int32_t i = 0; i < width; i += 32) {
        int32_t left = width - i;
        const float *value = values + i;
        floats a = floats_load_some(query->out + i, left), b = floats_set(0.0f);
        if (left >= 32) {
            b = floats_load(query->out + i + 16);
            for (int64_t p = 0; p < end - first; p++, value += stride) {
                floats weight = floats_set(weights[p]);
                a = floats_fma(weight, floats_load(value), a);
                b = floats_fma(weight, floats_load(value + 16), b);
            }
            floats_store(query->out + i + 16, b);
        } else {
            if (left > 16)
                b = floats_load_some(query->out + i + 16, left - 16);
            for (int64_t p = 0; p < end - first; p++, value += stride) {
                floats weight = floats_set(weights[p]);
                a = floats_fma(weight, floats_load_some(value, left), a);
                if (left > 16)
                    b = floats_fma(weight, floats_load_some(value + 16, left - 16), b);
            }
            if (left > 16)
                floats_store_some(query->out + i + 16, b, left - 16);
        }
        floats_store_some(query->out + i, a, left);
    }
}

// Attention of some queries that share a key head, in order of their rows: a pass over the keys for
// scores and one over the values. Both are read in order of position, so the result of a query does
// not depend on the others, on chunks, or on how keys are cut into segments.
static void attend(const Layer *layer, const Segment *segments, int32_t segment_count,
                   int32_t key_head, const Query *queries, int32_t count)
{
    int32_t width = layer->head_width;
    int64_t last = queries[count - 1].end;
    for (int pass = 0; pass < 2; pass++) {
        for (const Segment *segment = segments; segment < segments + segment_count; segment++) {
            const float *all = (pass ? segment->values : segment->keys) +
                               (int64_t)key_head * segment->head_stride;
            int64_t seen = last - segment->position;
            seen = seen < segment->count ? seen : segment->count;
            for (int64_t i = 0; i < seen; i += KEYS_AT_ONCE) {
                int64_t some = seen - i;
                some = some < KEYS_AT_ONCE ? some : KEYS_AT_ONCE;
                int64_t here = segment->position + i;
                for (const Query *query = queries; query < queries + count; query++) {
                    int64_t first = query->first > here ? query->first : here;
                    int64_t end = query->end < here + some ? query->end : here + some;
                    const float *kept = all + (i + first - here) * segment->token_stride;
                    if (first >= end)
                        continue;
                    if (pass) {
                        add_values(query, kept, segment->token_stride, first, end, width);
                        continue;
                    }
                    score(query->query, kept, segment->token_stride, end - first, width,
                          query->scores + (first - query->first));
                }
            }
        }
        if (pass == 0)
            for (const Query *query = queries; query < queries + count; query++) {
                softmax(layer, query);
                memset(query->out, 0, (size_t)width * sizeof *query->out);
            }
    }
}
