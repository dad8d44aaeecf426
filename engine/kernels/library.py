"""Bindings of the compiled C library: loading, instruction set selection, and threads."""

from __future__ import annotations

import ctypes
import functools
import logging
import math
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np

from engine.kernels import cgroups
from engine.kernels.build import BuildError, build

log = logging.getLogger(__name__)

LEVELS = ("plain C", "AVX2", "AVX-VNNI", "AVX-512 VNNI")
"""Display names of the instruction set levels, in the order of lanes.h."""


class MatrixStruct(ctypes.Structure):
    """`Matrix` of layout.h."""

    _fields_ = (
        ("outputs", ctypes.c_int32),
        ("inputs", ctypes.c_int32),
        ("group", ctypes.c_int32),
        ("bits", ctypes.c_int32),
        ("scale_kind", ctypes.c_int32),
        ("has_table", ctypes.c_int32),
        ("table", ctypes.c_uint8 * 16),
        ("offset", ctypes.c_float),
        ("codes", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("biases", ctypes.c_void_p),
        ("added", ctypes.c_void_p),
    )


class LayerStruct(ctypes.Structure):
    """`Layer` of decoder.h."""

    _fields_ = (
        ("heads", ctypes.c_int32),
        ("key_heads", ctypes.c_int32),
        ("head_width", ctypes.c_int32),
        ("rotated", ctypes.c_int32),
        ("is_interleaved", ctypes.c_int32),
        ("activation", ctypes.c_int32),
        ("window", ctypes.c_int64),
        ("epsilon", ctypes.c_float),
        ("head_epsilon", ctypes.c_float),
        ("score_scale", ctypes.c_float),
        ("score_cap", ctypes.c_float),
        ("cosines", ctypes.c_void_p),
        ("sines", ctypes.c_void_p),
        ("sinks", ctypes.c_void_p),
        ("attention_norm", ctypes.c_void_p),
        ("mlp_norm", ctypes.c_void_p),
        ("attention_post_norm", ctypes.c_void_p),
        ("mlp_post_norm", ctypes.c_void_p),
        ("query_norm", ctypes.c_void_p),
        ("key_norm", ctypes.c_void_p),
        ("query_key_value", ctypes.c_void_p * 3),
        ("gate_up", ctypes.c_void_p * 2),
        ("out", ctypes.c_void_p),
        ("down", ctypes.c_void_p),
    )


class DecoderStruct(ctypes.Structure):
    """`Decoder` of decoder.h."""

    _fields_ = (
        ("width", ctypes.c_int32),
        ("layer_count", ctypes.c_int32),
        ("mlp_width", ctypes.c_int32),
        ("epsilon", ctypes.c_float),
        ("layers", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("table_scale", ctypes.c_float),
        ("final_norm", ctypes.c_void_p),
        ("head", ctypes.c_void_p),
        ("logit_cap", ctypes.c_float),
    )


class StepStruct(ctypes.Structure):
    """`Step` of decoder.h."""

    _fields_ = (
        ("rows", ctypes.c_int64),
        ("tokens", ctypes.c_void_p),
        ("embeddings", ctypes.c_void_p),
        ("spans", ctypes.c_void_p),
        ("span_count", ctypes.c_int64),
        ("segments", ctypes.c_void_p),
        ("segment_count", ctypes.c_int64),
        ("wanted", ctypes.c_void_p),
        ("wanted_count", ctypes.c_int64),
        ("hidden", ctypes.c_void_p),
        ("logits", ctypes.c_void_p),
    )


class Library:
    """Wrapper for the functions of api.h.

    Args:
        path: path of the compiled library.

    Attributes:
        name: file name, which changes with the sources.
        levels: instruction set levels that this CPU supports.
        level: level in use. Starts as the best supported level.

    Raises:
        OSError: if the file isn't a library for this machine.
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
        self.mlp.argtypes = (address, address, i32, address, i64, address)
        self.mlp.restype = i32
        self.step = library.kernels_step
        self.step.argtypes, self.step.restype = (address, address), i32
        self.choose = library.kernels_choose
        self.choose.argtypes, self.choose.restype = (address, i64, i64), i32
        self._use_level, self._start = library.kernels_use_level, library.kernels_start
        for function in (self._use_level, self._start):
            function.argtypes, function.restype = (i32,), None
        library.kernels_levels.argtypes, library.kernels_levels.restype = (), i32
        found = library.kernels_levels()
        self.levels = tuple(level for level in range(len(LEVELS)) if found >> level & 1)
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

    Returns None on failure. The reason is logged once.
    """
    with _loading:
        return _load()


_loading = threading.Lock()


@functools.cache
def _load() -> Library | None:
    try:
        library = Library(build())
    except (BuildError, OSError) as error:
        log.warning(
            "CPU kernels are off, models in few bits are slow: %s. "
            "Install a C compiler (for example gcc) and start again.",
            error,
        )
        return None
    threads = usable_cores()
    library.start(threads)
    log.info("CPU kernels: %s, %d threads", LEVELS[library.level], threads)
    return library


def address_of(array: Any) -> int:
    """Return the address of an evaluated array of NumPy or MLX."""
    try:  # takes a tenth of the time that `ndarray.ctypes` needs
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):  # not contiguous, read-only or empty
        return int(np.array(array, copy=False).ctypes.data)


def usable_cores() -> int:
    """Count the cores this process may use, according to its affinity and cgroup quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, math.ceil(min(cores or 1, cgroups.cpu_cores())))
