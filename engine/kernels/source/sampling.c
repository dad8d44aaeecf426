// Sampling of tokens from rows of logits. One thread computes a row, in a fixed order.
#include <math.h>
#include <stddef.h>

#include "api.h"
#include "level.h"
#include "pool.h"
#include "scratch.h"

typedef struct {
    float key, mass;
} Entry;

// Sift down the heap entry at `at`.
static void sift(Entry *heap, int64_t count, int64_t at)
{
    Entry moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].key > heap[child].key)
            child++;
        if (heap[child].key <= moved.key)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void make_heap(Entry *heap, int64_t count)
{
    for (int64_t at = count / 2 - 1; at >= 0; at--)
        sift(heap, count, at);
}

// Add up the masses of entries in order of decreasing key until they reach `goal` (up to rounding),
// and return the key of the last entry.
static float boundary(Entry *heap, int64_t count, double goal)
{
    double reached = goal * 1e-6;
    make_heap(heap, count);
    for (;;) {
        float key = heap[0].key;
        reached += (double)heap[0].mass;
        heap[0] = heap[--count];
        if (reached >= goal || !count)
            return key;
        sift(heap, count, 0);
    }
}

// Remaining candidates. `weight` is proportional to the probability, and the largest is 1.
typedef struct {
    int64_t count;
    const float *logits;
    int32_t *ids;  // token ids, or NULL if all tokens are candidates, in order
    float *weight;
    Entry *heap;
} Tokens;

static double total(const Tokens *tokens)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= tokens->count; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sums[lane] += (double)tokens->weight[i + lane];
    for (; i < tokens->count; i++)
        sums[0] += (double)tokens->weight[i];
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

// Keep the `top_k` largest logits. Among equal logits, the first win.
static void keep_largest(Tokens *tokens, int64_t width, int64_t top_k)
{
    // Keys are negated, so the smallest kept logit is on top of the heap. `mass` isn't used.
    Entry *heap = tokens->heap;
    for (int64_t i = 0; i < top_k; i++)
        heap[i].key = isnan(tokens->logits[i]) ? INFINITY : -tokens->logits[i];
    make_heap(heap, top_k);
    for (int64_t i = top_k; i < width; i++)
        if (-tokens->logits[i] < heap[0].key) {
            heap[0].key = -tokens->logits[i];
            sift(heap, top_k, 0);
        }
    float least = -heap[0].key;
    int64_t above = 0, count = 0;
    for (int64_t i = 0; i < width; i++)
        above += tokens->logits[i] > least;
    for (int64_t i = 0; i < width && count < top_k; i++) {
        float logit = tokens->logits[i];
        int is_above = logit > least;
        if (is_above || (logit == least && above < top_k)) {
            tokens->ids[count++] = (int32_t)i;
            above += !is_above;
        }
    }
    tokens->count = count;
}

static float logit_of(const Tokens *tokens, int64_t i)
{
    return tokens->logits[tokens->ids ? tokens->ids[i] : i];
}

// Keep the tokens whose surprisal is closest to the entropy, until their probabilities add up to
// `mass` (typical sampling, Meister et al. 2022, arXiv:2202.00666).
static void keep_typical(Tokens *tokens, float largest, float temperature, double mass)
{
    double sum = total(tokens), log_sum = log(sum), entropy = 0.0;
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > 0.0f) {
            double surprise = log_sum - (double)(logit_of(tokens, i) - largest) / temperature;
            entropy += (double)tokens->weight[i] / sum * surprise;
        }
    int64_t count = 0;
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > 0.0f) {
            double surprise = log_sum - (double)(logit_of(tokens, i) - largest) / temperature;
            tokens->heap[count++] = (Entry){-(float)fabs(surprise - entropy), tokens->weight[i]};
        }
    float least = boundary(tokens->heap, count, mass * sum);
    for (int64_t i = 0; i < tokens->count; i++) {
        double surprise = log_sum - (double)(logit_of(tokens, i) - largest) / temperature;
        if (-(float)fabs(surprise - entropy) < least)
            tokens->weight[i] = 0.0f;
    }
}

// Keep the most probable tokens until their probabilities add up to `mass` (top-p, Holtzman et al.
// 2020, arXiv:1904.09751), and all tokens that are as probable as the last of them.
static void keep_nucleus(Tokens *tokens, double mass)
{
    double sum = total(tokens);
    // All smaller weights together are negligible.
    float cut = (float)((1.0 - mass) * sum / (double)tokens->count * 0.999);
    int64_t count = 0;
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > 0.0f && tokens->weight[i] >= cut)
            tokens->heap[count++] = (Entry){tokens->weight[i], tokens->weight[i]};
    float least = boundary(tokens->heap, count, mass * sum);
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] < least)
            tokens->weight[i] = 0.0f;
}

// Of the tokens with a probability of at least `threshold`, only keep the least probable (XTC,
// "exclude top choices").
static void drop_top_choices(Tokens *tokens, double threshold)
{
    double least = threshold * total(tokens);
    float last = INFINITY;
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > 0.0f && (double)tokens->weight[i] >= least)
            last = fminf(last, tokens->weight[i]);
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > last)
            tokens->weight[i] = 0.0f;
}

// Return the first token at which the sum of weights exceeds `uniform` times the total.
static int64_t drawn(const Tokens *tokens, double uniform)
{
    double goal = uniform * total(tokens), reached = 0.0;
    int64_t last = 0;
    for (int64_t i = 0; i < tokens->count; i++)
        if (tokens->weight[i] > 0.0f) {
            reached += (double)tokens->weight[i];
            last = i;
            if (reached > goal)
                break;
        }
    return last;  // rounding may leave the sum below the goal
}

// Return the index of the first maximum, or 0 if all logits are NaN.
static int64_t best_of(const float *logits, int64_t width)
{
    int64_t best = 0;
    while (best < width - 1 && isnan(logits[best]))
        best++;
    best = isnan(logits[best]) ? 0 : best;
    for (int64_t i = best + 1; i < width; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

static void choose(Choice *choice, int64_t width)
{
    int64_t best = best_of(choice->logits, width);
    float largest = choice->logits[best];
    choice->token = best;
    if (choice->temperature <= 0.0f || !isfinite(largest))
        return;
    Tokens tokens = {.count = width, .logits = choice->logits};
    tokens.weight = scratch(SCRATCH_WEIGHTS, width, sizeof(float));
    tokens.heap = scratch(SCRATCH_HEAP, width, sizeof(Entry));
    if (!tokens.weight || !tokens.heap) {
        choice->token = -1;
        return;
    }
    const float *logits = choice->logits;
    if (choice->top_k > 0 && choice->top_k < width) {
        tokens.ids = scratch(SCRATCH_IDS, choice->top_k, sizeof(int32_t));
        float *kept = scratch(SCRATCH_KEPT, choice->top_k, sizeof(float));
        if (!tokens.ids || !kept) {
            choice->token = -1;
            return;
        }
        keep_largest(&tokens, width, choice->top_k);
        for (int64_t i = 0; i < tokens.count; i++)
            kept[i] = logits[tokens.ids[i]];
        logits = kept;
    }
    level->weigh_row(logits, tokens.count, largest, choice->temperature, tokens.weight);
    if (choice->min_p > 0.0f)
        for (int64_t i = 0; i < tokens.count; i++)
            if (tokens.weight[i] < choice->min_p)
                tokens.weight[i] = 0.0f;
    if (choice->typical_p < 1.0f)
        keep_typical(&tokens, largest, choice->temperature, (double)choice->typical_p);
    if (choice->top_p < 1.0f)
        keep_nucleus(&tokens, (double)choice->top_p);
    if (choice->xtc_threshold >= 0.0f)
        drop_top_choices(&tokens, (double)choice->xtc_threshold);
    int64_t found = drawn(&tokens, choice->uniform);
    choice->token = tokens.ids ? tokens.ids[found] : found;
}

typedef struct {
    Choice *choices;
    int64_t width;
} Choosing;

static void choose_one(void *context, int64_t row)
{
    const Choosing *choosing = context;
    choose(choosing->choices + row, choosing->width);
}

int32_t kernels_choose(Choice *choices, int64_t rows, int64_t width)
{
    Choosing choosing = {choices, width};
    if (rows > 1)
        pool_enter();
    pool_run(rows, choose_one, &choosing);  // runs on this thread alone if it hasn't entered
    if (rows > 1)
        pool_leave();
    for (int64_t row = 0; row < rows; row++)
        if (choices[row].token < 0)
            return -1;
    return 0;
}
