// Attention of rows to their session's keys and values.
#pragma once

#include "lanes.h"
#include "level.h"
#include "rows.h"

enum {
    COLUMNS = 64,         // columns of values to add up together, enough to hide the latency of FMA
    HALVES_AHEAD = 2048,  // prefetch distance: CPUs stop prefetching at the end of a 4 KB page
};

// Compute the scores of `count` keys, i.e. their dot products with a query.
INLINE void score(const float *query, const float *keys, int64_t count, int32_t width, float *to)
{
    int64_t key = 0;
    for (; key + 4 <= count; key += 4, keys += 4 * width) {
        floats a = floats_set(0.0f), b = a, c = a, d = a;
        for (int32_t i = 0; i < width; i += 16) {
            int32_t left = width - i;
            floats q = floats_load_some(query + i, left);
            a = floats_fma(q, floats_load_some(keys + i, left), a);
            b = floats_fma(q, floats_load_some(keys + width + i, left), b);
            c = floats_fma(q, floats_load_some(keys + 2 * width + i, left), c);
            d = floats_fma(q, floats_load_some(keys + 3 * width + i, left), d);
        }
        floats_sum_four(a, b, c, d, to + key);
    }
    for (; key < count; key++, keys += width) {
        floats sum = floats_set(0.0f);
        for (int32_t i = 0; i < width; i += 16)
            sum = floats_fma(floats_load_some(query + i, width - i),
                             floats_load_some(keys + i, width - i), sum);
        to[key] = floats_sum(sum);
    }
}

// Return the maximum of some numbers and `most`. May ignore NaNs.
INLINE float largest_of(const float *numbers, int64_t count, float most)
{
    floats lanes = floats_set(most);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        lanes = floats_max(floats_load(numbers + i), lanes);
    float found[16];
    floats_store(found, lanes);
    for (int lane = 0; lane < 16; lane++)
        most = most > found[lane] ? most : found[lane];
    for (; i < count; i++)
        most = most > numbers[i] ? most : numbers[i];
    return most;
}

// Turn scores into weights whose sum is 1.
static void softmax(const Layer *layer, const Query *query)
{
    int64_t count = query->end;
    float *scores = query->scores;
    if (layer->score_cap > 0.0f)
        cap_row(scores, count, layer->score_cap);
    float most = largest_of(scores, count, -INFINITY);
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
    floats factor = floats_set(1.0f / floats_sum(total));
    for (i = 0; i < count; i += 16)
        floats_store_some(scores + i, floats_mul(floats_load_some(scores + i, count - i), factor),
                          count - i);
}

// Add `count` weighted values to an output, 16 columns for each of `parts`.
INLINE void add_columns(const float *weights, const float *values, int64_t count, int32_t width,
                        const int parts, float *out)
{
    floats sums[COLUMNS / 16];
    UNROLLED for (int part = 0; part < parts; part++)
        sums[part] = floats_load(out + 16 * part);
    for (int64_t i = 0; i < count; i++, values += width) {
        floats weight = floats_set(weights[i]);
        UNROLLED for (int part = 0; part < parts; part++)
            sums[part] = floats_fma(weight, floats_load(values + 16 * part), sums[part]);
    }
    UNROLLED for (int part = 0; part < parts; part++)
        floats_store(out + 16 * part, sums[part]);
}

// Add the weighted values of positions `first` to `end` (exclusive) to a query's output.
INLINE void add_values(const Query *query, const float *values, int64_t first, int64_t end,
                       int32_t width)
{
    const float *weights = query->scores + first;
    float *out = query->out;
    int64_t count = end - first;
    int32_t i = 0;
    for (; i + COLUMNS <= width; i += COLUMNS)
        add_columns(weights, values + i, count, width, COLUMNS / 16, out + i);
    for (; i + 16 <= width; i += 16)
        add_columns(weights, values + i, count, width, 1, out + i);
    if (i == width)
        return;
    floats sum = floats_load_some(out + i, width - i);
    for (int64_t p = 0; p < count; p++, values += width)
        sum = floats_fma(floats_set(weights[p]), floats_load_some(values + i, width - i), sum);
    floats_store_some(out + i, sum, width - i);
}

// Compute attention for queries that share a key head, sorted by row. Reads all keys to compute the
// scores, and then all values, both in order of position. So the result of a query doesn't depend
// on other queries, on chunks, or on how keys are split into segments. `kept` is a buffer for
// KEYS_AT_ONCE keys as floats.
INLINE void attend_heads(const Layer *layer, const Segment *segments, int32_t segment_count,
                         int32_t key_head, const Query *queries, int32_t count, float *kept,
                         const int32_t width)
{
    int64_t last = queries[count - 1].end;
    for (int pass = 0; pass < 2; pass++) {
        for (const Segment *segment = segments; segment < segments + segment_count; segment++) {
            const uint16_t *all = (pass ? segment->values : segment->keys) +
                                  (int64_t)key_head * segment->head_stride;
            int64_t seen = last - segment->position;
            seen = seen < segment->count ? seen : segment->count;
            for (int64_t i = 0; i < seen; i += KEYS_AT_ONCE) {
                int64_t some = seen - i;
                some = some < KEYS_AT_ONCE ? some : KEYS_AT_ONCE;
                int64_t here = segment->position + i;
                for (int64_t n = 0; n < some; n++) {
                    const uint16_t *from = all + (i + n) * segment->token_stride;
                    for (int32_t line = 0; line < width; line += 32)
                        __builtin_prefetch(from + line + HALVES_AHEAD);
                    load_halves(kept + n * width, from, width);
                }
                for (const Query *query = queries; query < queries + count; query++) {
                    int64_t end = query->end < here + some ? query->end : here + some;
                    if (here >= end)
                        continue;
                    if (pass)
                        add_values(query, kept, here, end, width);
                    else
                        score(query->query, kept, end - here, width, query->scores + here);
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

// Specialize for the usual widths, so that the compiler unrolls the loops.
static void attend(const Layer *layer, const Segment *segments, int32_t segment_count,
                   int32_t key_head, const Query *queries, int32_t count, float *kept)
{
    if (layer->head_width == 64)
        attend_heads(layer, segments, segment_count, key_head, queries, count, kept, 64);
    else if (layer->head_width == 128)
        attend_heads(layer, segments, segment_count, key_head, queries, count, kept, 128);
    else
        attend_heads(layer, segments, segment_count, key_head, queries, count, kept,
                     layer->head_width);
}
