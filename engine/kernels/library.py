"""Bindings of the compiled C library: loading, instruction set selection, and threads."""

from __future__ import annotations

import ctypes
import functools
import logging
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernels import cgroups
from engine.kernels.build import BuildError, build
from engine.kernels.structs import ChoiceStruct, struct_sizes

log = logging.getLogger(__name__)

LEVELS = ("plain C", "AVX2", "AVX-VNNI", "AVX-512 VNNI")
"""Display names of the instruction set levels, in the order of lanes.h."""


class Library:
    """Wrapper for the functions of api.h.

    Attributes:
        name: file name, which changes with the sources.
        levels: instruction set levels that this CPU supports.
        level: level in use. Starts as the best supported level.

    Raises:
        OSError: if the file isn't a library for this machine, or was built from other sources.
    """

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        self.name = path.name
        i32, i64, address = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
        self.pack = library.kernels_pack
        self.pack.argtypes, self.pack.restype = (address, i64, i64, i32, i32, address), None
        self.pack_scales = library.kernels_pack_scales
        self.pack_scales.argtypes = (address, i64, i64, i32, address)
        self.pack_scales.restype = None
        self.multiply = library.kernels_multiply
        self.multiply.argtypes, self.multiply.restype = (address, i32, address, i64, address), i32
        self.unpack = library.kernels_unpack
        self.unpack.argtypes, self.unpack.restype = (address, address, i64, address), None
        self.mlp = library.kernels_mlp
        self.mlp.argtypes, self.mlp.restype = (address, address, address, i64, address), i32
        self.step = library.kernels_step
        self.step.argtypes, self.step.restype = (address, address), i32
        self.choose = library.kernels_choose
        self.choose.argtypes, self.choose.restype = (address, i64, i64), i32
        self._use_level, self._start = library.kernels_use_level, library.kernels_start
        for function in (self._use_level, self._start):
            function.argtypes, function.restype = (i32,), None
        self.release_scratch = library.kernels_release_scratch
        self.release_scratch.argtypes, self.release_scratch.restype = (), None
        library.kernels_struct_sizes.argtypes = ()
        library.kernels_struct_sizes.restype = ctypes.POINTER(i32)
        expected = struct_sizes()
        if library.kernels_struct_sizes()[: len(expected)] != expected:
            raise OSError(f"{path.name} was built with different struct sizes")
        library.kernels_levels.argtypes, library.kernels_levels.restype = (), i32
        level_bits = library.kernels_levels()
        self.levels = tuple(level for level in range(len(LEVELS)) if level_bits >> level & 1)
        self.level = self.levels[-1]
        self.use_level(self.level)

    def use_level(self, level: int) -> None:
        """Switch to one of `levels`. Must not be called while another thread runs a kernel."""
        if level not in self.levels:
            raise ValueError(f"This processor has no {LEVELS[level]}.")
        self.level = level
        self._use_level(level)

    def start(self, threads: int) -> None:
        """Start the thread pool. Only the first call in a process has an effect."""
        self._start(threads)


def load() -> Library | None:
    """Build the kernels if necessary, load them, and start the thread pool.

    Returns None after an error, which is logged once.
    """
    with _loading:
        return _load_once()


_loading = threading.Lock()


@functools.cache
def _load_once() -> Library | None:
    try:
        library = Library(build())
    except (BuildError, OSError) as error:
        log.warning(
            "CPU kernels are off, so quantized models are slow: %s. Install a C compiler (for "
            "example gcc) and start again.",
            error,
        )
        return None
    threads = usable_cores()
    library.start(threads)
    log.info("CPU kernels: %s, %d threads", LEVELS[library.level], threads)
    return library


def release_scratch() -> None:
    """Free the calling thread's memory for intermediate results."""
    library = _load_once() if _load_once.cache_info().currsize else None
    if library is not None:
        library.release_scratch()


def address_of(array: Any) -> int:
    try:  # takes a tenth of the time of `ndarray.ctypes`
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):  # the array isn't contiguous, or is read-only or empty
        return int(np.array(array, copy=False).ctypes.data)


def sample_tokens(
    library: Library, logits: Sequence[npt.NDArray[np.float32]], choices: Sequence[tuple[Any, ...]]
) -> list[int]:
    """Sample one token per row.

    Args:
        logits: rows `[vocabulary]`.
        choices: for each row, the fields of `ChoiceStruct` in order, except for `logits` and
            `token`.
    """
    width = len(logits[0])
    shape, strides = (width,), (4,)
    if any(r.dtype != np.float32 or r.shape != shape or r.strides != strides for r in logits):
        raise ValueError("Rows of logits must be contiguous float32 rows of equal width.")
    filled = (ChoiceStruct * len(choices))(
        *(
            ChoiceStruct(address_of(row), uniform, 0, *settings)
            for row, (uniform, *settings) in zip(logits, choices, strict=True)
        )
    )
    if library.choose(filled, len(filled), width):
        raise MemoryError("Not enough memory to choose tokens.")
    return [choice.token for choice in filled]


def usable_cores() -> int:
    """Return the number of cores that this process may use, given its affinity and cgroup quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, math.ceil(min(cores or 1, cgroups.cpu_cores())))
