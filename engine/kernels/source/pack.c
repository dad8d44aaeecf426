// Packing of MLX's rows of codes and scales into the tiles of layout.h.
#include "api.h"
#include "layout.h"
#include "pool.h"

#include <string.h>

typedef struct {
    const uint8_t *from;
    uint8_t *to;
    int64_t outputs;
    int64_t width;  // inputs, or groups
    int32_t bits;   // bits per code in `from`
    int32_t packed_bits;
    int32_t item_bytes;
} Packing;

// Expand `bits` bytes to eight codes, one per byte. MLX's code i starts at bit i * `bits`.
static uint64_t unpack_step(const uint8_t *from, int bits)
{
    uint64_t word = 0, codes = 0;
    if (bits == 8) {  // a constant size avoids a function call
        memcpy(&word, from, 8);
        return word;
    }
    memcpy(&word, from, (size_t)bits);
    for (int i = 0; i < STEP; i++)
        codes |= (word >> bits * i & ((1u << bits) - 1)) << 8 * i;
    return codes;
}

static uint32_t even_bytes(uint64_t bytes)
{
    bytes &= 0x00ff00ff00ff00ffu;
    bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffffu;
    return (uint32_t)(bytes | bytes >> 16);
}

static void pack_tile(void *context, int64_t tile)
{
    // Copied, because the compiler must assume that writes to `to` could change `context`.
    const Packing packing = *(const Packing *)context;
    int64_t steps = packing.width / STEP, row_bytes = steps * packing.bits;
    uint8_t *to = packing.to + tile * steps * STEP * TILE * packing.packed_bits / 8;
    memset(to, 0, (size_t)(steps * STEP * TILE * packing.packed_bits / 8));
    for (int lane = 0; lane < TILE && tile * TILE + lane < packing.outputs; lane++) {
        const uint8_t *from = packing.from + (tile * TILE + lane) * row_bytes;
        for (int64_t step = 0; step < steps; step++, from += packing.bits) {
            if (packing.bits == 4) {  // MLX stores the codes of a word in the same order
                memcpy(to + (step * TILE + lane) * 4, from, 4);
                continue;
            }
            uint64_t codes = unpack_step(from, packing.bits);
            uint32_t even = even_bytes(codes), odd = even_bytes(codes >> 8);
            if (packing.packed_bits == 4) {
                even |= odd << 4;
                memcpy(to + (step * TILE + lane) * 4, &even, 4);
            } else {
                memcpy(to + (step * 2 * TILE + lane) * 4, &even, 4);
                memcpy(to + ((step * 2 + 1) * TILE + lane) * 4, &odd, 4);
            }
        }
    }
}

static void pack_scales_of_tile(void *context, int64_t tile)
{
    const Packing *packing = context;
    size_t item = (size_t)packing->item_bytes;
    uint8_t *to = packing->to + (size_t)(tile * packing->width * TILE) * item;
    memset(to, 0, (size_t)(packing->width * TILE) * item);
    for (int lane = 0; lane < TILE && tile * TILE + lane < packing->outputs; lane++) {
        const uint8_t *from = packing->from + (size_t)((tile * TILE + lane) * packing->width) * item;
        for (int64_t group = 0; group < packing->width; group++, from += item) {
            if (item == 2)
                memcpy(to + (group * TILE + lane) * 2, from, 2);
            else
                memcpy(to + (group * TILE + lane) * 4, from, 4);
        }
    }
}

static void for_each_tile(Task task, Packing *packing)
{
    pool_enter();
    pool_run((packing->outputs + TILE - 1) / TILE, task, packing);
    pool_leave();
}

void kernels_pack(const uint8_t *from, int64_t outputs, int64_t inputs, int32_t bits,
                  int32_t packed_bits, uint8_t *to)
{
    Packing packing = {.from = from, .to = to, .outputs = outputs, .width = inputs, .bits = bits,
                       .packed_bits = packed_bits};
    for_each_tile(pack_tile, &packing);
}

void kernels_pack_scales(const uint8_t *from, int64_t outputs, int64_t groups, int32_t item_bytes,
                         uint8_t *to)
{
    Packing packing = {.from = from, .to = to, .outputs = outputs, .width = groups,
                       .item_bytes = item_bytes};
    for_each_tile(pack_scales_of_tile, &packing);
}
