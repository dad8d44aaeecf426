// This file is compiled for each level, with LEVEL defined and the level's instructions enabled.
#include "level.h"

#include "attention.h"
#include "product.h"
#include "rows.h"

#if LEVEL == LEVEL_PLAIN
#define THIS_LEVEL level_plain
#elif LEVEL == LEVEL_AVX2
#define THIS_LEVEL level_avx2
#elif LEVEL == LEVEL_AVX_VNNI
#define THIS_LEVEL level_avx_vnni
#else
#define THIS_LEVEL level_avx512
#endif

const Level THIS_LEVEL = {
    .quantize_row = quantize_row,
    .multiply = multiply,
    .norm_row = norm_row,
    .add_row = add_row,
    .prepare_row = prepare_row,
    .store_halves = store_halves,
    .gate_row = gate_row,
    .weigh_row = weigh_row,
    .attend = attend,
};
