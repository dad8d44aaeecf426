"""Attention of rows of different lengths in one launch, on a GPU.

`program` has the kernels' text, written once for Metal, CUDA and the tests' shim; `attention` runs
it over whatever the rows' keys lie in. `trial` compares it with the plain way on random shapes, in
a child process, before a model's chats use it. See E121 in `engine/DECISIONS.md`.

Imports: nothing.
"""
