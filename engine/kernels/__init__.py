"""Kernels in C for models in few bits on a CPU, and their Python side.

`build` compiles `source/` once with the system's C compiler, `library` loads the result and chooses
an instruction set, `matrices` packs quantized weights and multiplies with them.

Results do not depend on the instruction set, the number of threads, or the other rows of a call:
products of codes and activations are exact integers, and everything else is computed row by row in
a fixed order (`source/product.h`). `source/layout.h` shows how weights are stored.

Imports: nothing.
"""
