"""C kernels for quantized models on a CPU, and their Python interface.

`build` compiles `source/` once with the system's C compiler. `library` loads the result, picks an
instruction set, and samples tokens. `matrices` packs quantized weights and multiplies with them,
and `decoder` runs whole steps.

Results don't depend on the instruction set, the number of threads, or the other rows of a call:
products of codes and activations are exact integers, and everything else is computed row by row in
a fixed order (`source/product.h`). `source/layout.h` describes the format of weights.

Imports: nothing.
"""
