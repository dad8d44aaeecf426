// Step of a stack of decoder layers, in phases that are each divided among the threads.
#include "decoder.h"

#include "api.h"
#include "level.h"
#include "pool.h"
#include "products.h"
#include "scratch.h"

#include <stdatomic.h>
#include <string.h>

enum { ROWS_OF_BLOCK = 4 };  // rows per block of attention

typedef struct {
    const Decoder *decoder;
    const Step *step;
    const Layer *layer;  // current layer
    int32_t layer_index;
    float *x;            // [rows][width]
    Product product;     // next or current product
    float *projected;    // queries, keys and values, [rows][projected_width]
    int64_t projected_width;
    float *attended;     // [rows][heads * head width]
    float *gates;        // [rows][2 * mlp width]
    float *part;         // [rows][width], output of attention or the MLP before its norm
    int64_t blocks;      // total number of row blocks in all spans
    atomic_int has_failed;
} Run;

static int64_t query_width(const Layer *layer)
{
    return (int64_t)layer->heads * layer->head_width;
}

static QuantizedRows rows_of_width(const Run *run, int64_t width)
{
    QuantizedRows rows = run->product.rows;
    rows.inputs = (int32_t)width;
    return rows;
}

// ---------------------------------------------------------------- phases of a layer, by row

// Apply a norm to a row, if there is one, and quantize it.
static void norm_and_quantize(Run *run, const float *weight, float epsilon, const float *from,
                              float *to, int64_t index)
{
    QuantizedRows rows = rows_of_width(run, run->decoder->width);
    if (weight) {
        level->norm_row(from, weight, run->decoder->width, epsilon, to);
        from = to;
    }
    level->quantize_row(from, &rows, index);
}

static void embed(void *context, int64_t row)
{
    const Run *run = context;
    const Decoder *decoder = run->decoder;
    float *to = run->x + row * decoder->width;
    if (run->step->tokens)
        unpack_row(decoder->table, run->step->tokens[row], to);
    else
        memcpy(to, run->step->embeddings + row * decoder->width,
               (size_t)decoder->width * sizeof *to);
    for (int32_t i = 0; i < decoder->width; i++)
        to[i] *= decoder->table_scale;
}

static void begin_attention(void *context, int64_t row)
{
    Run *run = context;
    int64_t at = row * run->decoder->width;
    norm_and_quantize(run, run->layer->attention_norm, run->layer->epsilon, run->x + at,
                      run->part + at, row);
}

static void begin_mlp(void *context, int64_t row)
{
    Run *run = context;
    int64_t at = row * run->decoder->width;
    norm_and_quantize(run, run->layer->mlp_norm, run->layer->epsilon, run->x + at,
                      run->part + at, row);
}

// Find the span of a row.
static const Span *span_of(const Step *step, int64_t row)
{
    const Span *span = step->spans;
    while (row >= span->first_row + span->rows)
        span++;
    return span;
}

// Normalize, rotate and scale a row's heads, and store its keys and values in the session.
static void prepare_and_write(void *context, int64_t row)
{
    Run *run = context;
    const Layer *layer = run->layer;
    const Span *span = span_of(run->step, row);
    int64_t position = span->position + row - span->first_row;
    float *heads = run->projected + row * run->projected_width;
    level->prepare_row(layer, position, heads);
    const Segment *segment = run->step->segments + run->layer_index * run->step->segment_count +
                             span->first_segment + span->segments - 1;
    int64_t at = (position - segment->position) * segment->token_stride;
    const float *keys = heads + query_width(layer);
    const float *values = keys + (int64_t)layer->key_heads * layer->head_width;
    for (int32_t head = 0; head < layer->key_heads; head++) {
        int64_t to = head * segment->head_stride + at, from = (int64_t)head * layer->head_width;
        level->store_halves(segment->keys + to, keys + from, layer->head_width);
        level->store_halves(segment->values + to, values + from, layer->head_width);
    }
}

// Compute attention of a block's rows to the keys of one head.
static void attend_block(void *context, int64_t item)
{
    Run *run = context;
    const Layer *layer = run->layer;
    const Step *step = run->step;
    int32_t key_head = (int32_t)(item % layer->key_heads);
    int64_t block = item / layer->key_heads;
    const Span *span = step->spans;
    for (;; span++) {
        int64_t blocks = (span->rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK;
        if (block < blocks)
            break;
        block -= blocks;
    }
    int64_t first = block * ROWS_OF_BLOCK;
    int64_t rows = span->rows - first < ROWS_OF_BLOCK ? span->rows - first : ROWS_OF_BLOCK;
    int32_t group = layer->heads / layer->key_heads, width = layer->head_width;
    int64_t room = (span->position + first + rows + 15) / 16 * 16;
    Query *queries = scratch(SCRATCH_QUERIES, rows * group, sizeof *queries);
    float *scores = scratch(SCRATCH_SCORES, rows * group * room, sizeof *scores);
    float *kept = scratch(SCRATCH_KEYS, KEYS_AT_ONCE * width, sizeof *kept);
    if (!queries || !scores || !kept) {
        atomic_store(&run->has_failed, 1);
        return;
    }
    for (int64_t i = 0; i < rows * group; i++) {
        int64_t row = span->first_row + first + i / group, position = span->position + first + i / group;
        int32_t head = key_head * group + (int32_t)(i % group);
        queries[i] = (Query){
            .query = run->projected + row * run->projected_width + (int64_t)head * width,
            .end = position + 1,
            .out = run->attended + row * query_width(layer) + (int64_t)head * width,
            .scores = scores + i * room,
        };
    }
    const Segment *segments = step->segments + run->layer_index * step->segment_count;
    level->attend(layer, segments + span->first_segment, (int32_t)span->segments, key_head, queries,
                  (int32_t)(rows * group), kept);
}

static void quantize_attended(void *context, int64_t row)
{
    Run *run = context;
    QuantizedRows rows = rows_of_width(run, query_width(run->layer));
    level->quantize_row(run->attended + row * rows.inputs, &rows, row);
}

static void gate_and_quantize(void *context, int64_t row)
{
    Run *run = context;
    int32_t width = run->decoder->mlp_width;
    float *gates = run->gates + row * 2 * width;
    level->gate_row(gates, width, run->layer->activation, gates);
    QuantizedRows rows = rows_of_width(run, width);
    level->quantize_row(gates, &rows, row);
}

static void norm_and_add(Run *run, const float *weight, int64_t row)
{
    int64_t at = row * run->decoder->width;
    level->norm_row(run->part + at, weight, run->decoder->width, run->layer->epsilon,
                    run->part + at);
    level->add_row(run->part + at, run->decoder->width, run->x + at);
}

static void add_attention(void *context, int64_t row)
{
    Run *run = context;
    norm_and_add(run, run->layer->attention_post_norm, row);
}

static void add_mlp(void *context, int64_t row)
{
    Run *run = context;
    norm_and_add(run, run->layer->mlp_post_norm, row);
}

static void finish(void *context, int64_t index)
{
    Run *run = context;
    const Step *step = run->step;
    int32_t width = run->decoder->width;
    float *to = step->hidden + index * width;
    norm_and_quantize(run, run->decoder->final_norm, run->decoder->epsilon,
                      run->x + step->wanted[index] * width, to, index);
}

// ---------------------------------------------------------------- a step

static void run_layer(Run *run)
{
    const Layer *layer = run->layer;
    Product *product = &run->product;
    int64_t rows = run->step->rows;
    int32_t width = run->decoder->width, mlp_width = run->decoder->mlp_width;

    pool_run(rows, begin_attention, run);
    run_product(product, layer->query_key_value, 3, rows, run->projected, run->projected_width, 0);
    pool_run(rows, prepare_and_write, run);
    pool_run(run->blocks * layer->key_heads, attend_block, run);
    pool_run(rows, quantize_attended, run);
    if (layer->attention_post_norm) {
        run_product(product, &layer->out, 1, rows, run->part, width, 0);
        pool_run(rows, add_attention, run);
    } else {
        run_product(product, &layer->out, 1, rows, run->x, width, 1);
    }
    pool_run(rows, begin_mlp, run);
    run_product(product, layer->gate_up, 2, rows, run->gates, 2 * mlp_width, 0);
    pool_run(rows, gate_and_quantize, run);
    if (layer->mlp_post_norm) {
        run_product(product, &layer->down, 1, rows, run->part, width, 0);
        pool_run(rows, add_mlp, run);
    } else {
        run_product(product, &layer->down, 1, rows, run->x, width, 1);
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Return 1 if a step's arguments are consistent. The sizes of arrays can't be checked here.
static int fits(const Decoder *decoder, const Step *step)
{
    int64_t row = 0;
    for (const Span *span = step->spans; span < step->spans + step->span_count; span++) {
        int64_t last = span->first_segment + span->segments - 1;
        if (span->first_row != row || span->rows < 1 || span->first_segment < 0 ||
            span->segments < 1 || last >= step->segment_count)
            return 0;
        row += span->rows;
        for (int32_t layer = 0; layer < decoder->layer_count; layer++) {
            const Segment *segment = step->segments + layer * step->segment_count + last;
            if (segment->position > span->position ||
                segment->position + segment->count != span->position + span->rows)
                return 0;
        }
    }
    for (int64_t i = 0; i < step->wanted_count; i++)
        if (step->wanted[i] < 0 || step->wanted[i] >= row)
            return 0;
    for (int64_t i = 0; step->tokens && i < row; i++)
        if (!decoder->table || step->tokens[i] < 0 || step->tokens[i] >= decoder->table->outputs)
            return 0;
    return row == step->rows && row > 0;
}

int32_t kernels_step(const Decoder *decoder, const Step *step)
{
    if (!fits(decoder, step))
        return -2;
    Run run = {.decoder = decoder, .step = step};
    int64_t widest = larger(decoder->width, decoder->mlp_width), attended = 0;
    for (int32_t i = 0; i < decoder->layer_count; i++) {
        const Layer *layer = decoder->layers + i;
        attended = larger(attended, query_width(layer));
        int64_t all = query_width(layer) + 2 * (int64_t)layer->key_heads * layer->head_width;
        run.projected_width = larger(run.projected_width, all);
    }
    widest = larger(widest, attended);
    for (int64_t i = 0; i < step->span_count; i++)
        run.blocks += (step->spans[i].rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK;
    int64_t rows = larger(step->rows, step->wanted_count);
    run.x = scratch(SCRATCH_X, rows * decoder->width, sizeof(float));
    run.projected = scratch(SCRATCH_PROJECTED, rows * run.projected_width, sizeof(float));
    run.attended = scratch(SCRATCH_ATTENDED, rows * attended, sizeof(float));
    run.gates = scratch(SCRATCH_GATES, rows * 2 * decoder->mlp_width, sizeof(float));
    run.part = scratch(SCRATCH_PART, rows * decoder->width, sizeof(float));
    if (!reserve_rows(&run.product.rows, rows, widest) || !run.x || !run.projected ||
        !run.attended || !run.gates || !run.part)
        return -1;
    pool_enter();
    pool_run(step->rows, embed, &run);
    for (int32_t i = 0; i < decoder->layer_count; i++) {
        run.layer = decoder->layers + i;
        run.layer_index = i;
        run_layer(&run);
    }
    pool_run(step->wanted_count, finish, &run);
    if (step->logits)
        run_product(&run.product, &decoder->head, 1, step->wanted_count, step->logits,
                    decoder->head->outputs, 0);
    pool_leave();
    return atomic_load(&run.has_failed) ? -1 : 0;
}
