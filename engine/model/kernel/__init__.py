"""Attention of rows of different lengths in one launch, on a GPU.

`source` holds the kernels, written once for Metal, CUDA and the tests' shim; `program` says of
which constants one is made; `work` cuts the rows into pieces; `attention` runs it over whatever
the rows' keys lie in; `device` hands it to MLX. `trial` compares it with the plain way on random
shapes, in a child process, before a model's chats use it.

What was decided is in `engine/DECISIONS.md`, E121.

Imports: nothing.
"""
