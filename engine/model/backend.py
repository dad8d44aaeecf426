"""The machine under the engine: BLAS, memory, and importing mlx and mlx-lm without their surprises.

Runs on the engine thread before the first model is loaded, or on the one that looks at a model of
the hub (`hub.look.knows`), whichever is first. What it puts in place is put there once.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_openblas: ctypes.CDLL | None = None
# Two engines may start at once, and what is replaced in mlx-lm must be replaced once.
_starting = threading.Lock()


@dataclass(frozen=True)
class Backend:
    """What the engine runs on.

    Attributes:
        device: "cpu", "metal" or "cuda".
        blas: "OpenBLAS" when it was taken, "reference" for the slow one in MLX's Linux wheel,
            "system" elsewhere.
        memory: bytes the engine may plan with: the GPU's recommended working set or the free RAM.
    """

    device: str
    blas: str
    memory: int

    @property
    def prefers_float32(self) -> bool:
        """On a CPU bfloat16 is two to three times slower than float32, and MoE layers refuse it."""
        return self.device == "cpu"


def take_openblas() -> str:
    """Put OpenBLAS in place of the reference BLAS that MLX's Linux CPU wheel links.

    Works because the loader resolves the wheel's undefined `cblas_*` symbols to the first global
    definition; it must therefore happen before `mlx.core` is imported. 15 to 30 times faster
    prefill (3 against 90 GFLOP/s on two cores).
    """
    if sys.platform != "linux":
        return "system"
    if os.environ.get("STRETTO_NO_OPENBLAS"):
        return "reference"
    global _openblas
    if _openblas is None and "mlx.core" not in sys.modules:
        with contextlib.suppress(OSError), _right_kernels():
            _openblas = ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
    return "reference" if _openblas is None else "OpenBLAS"


# What OpenBLAS's kernels of that name are compiled for.
_SKYLAKE = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


@contextlib.contextmanager
def _right_kernels() -> Iterator[None]:
    """Let an OpenBLAS older than the processor use its AVX-512 kernels.

    Debian 12's knows no Zen 4 or 5 and takes the AVX2 kernels there: 230 instead of 410 GFLOP/s
    for a prompt's matrices, 83 instead of 65 ms for a step of eight chats of 135M parameters. It
    recognises Intel's itself, so only AMD is told; what the user has set is left alone.
    """
    name = "OPENBLAS_CORETYPE"
    if name in os.environ or not _unseen_avx512():
        yield
        return
    os.environ[name] = "SkylakeX"
    try:
        yield  # it is read once, while the library is loaded
    finally:
        del os.environ[name]


def _unseen_avx512() -> bool:
    vendor, flags = _processor()
    return vendor == "AuthenticAMD" and flags >= _SKYLAKE


def _processor() -> tuple[str, set[str]]:
    """The processor's vendor and features as Linux tells them; empty where it does not."""
    told: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            if not line.strip():
                break  # the other cores say the same
            name, _, value = line.partition(":")
            told.setdefault(name.strip(), value.strip())
    return told.get("vendor_id", ""), set(told.get("flags", "").split())


def wide_kernels() -> bool:
    """Whether the OpenBLAS that was taken multiplies with AVX-512."""
    if _openblas is None:
        return False
    _openblas.openblas_get_corename.restype = ctypes.c_char_p
    return _openblas.openblas_get_corename() in (b"SkylakeX", b"Cooperlake", b"SapphireRapids")


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_KEPT = 256 * 2**20


def _keep_freed_memory() -> None:
    """Let glibc keep what an operation has freed for the next one.

    On a CPU MLX allocates every intermediate result anew. From 128 KB on glibc asks the system for
    each of them and gives it back, and every page is cleared again: 2 GB/s. With this, reading a
    prompt of 4,096 tokens takes 14.4 instead of 16.2 seconds.

    What is kept lies in the arenas that are there by now. MLX's threads stay when an engine ends,
    and an arena of its own for each would keep up to 64 MB at every new start of an engine.
    """
    with contextlib.suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # its upper limit
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back_memory() -> None:
    """Hand what has been kept for reuse back to the system, after something large went."""
    import mlx.core as mx

    mx.synchronize()
    mx.clear_cache()
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


@contextlib.contextmanager
def file_limit_kept() -> Iterator[None]:
    """Undo what `import mlx_lm` does to RLIMIT_NOFILE, and survive that it may fail doing it.

    It sets the limit to (2048, 4096), which raises where the hard limit is lower and takes from
    the process for good where it was higher.
    """
    if sys.platform == "win32":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    real = resource.setrlimit
    # mlx_lm calls it at import, without a guard; inside this block it has no effect.
    resource.setrlimit = lambda *_: None
    try:
        yield
    finally:
        resource.setrlimit = real
        if resource.getrlimit(resource.RLIMIT_NOFILE) != before:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def available_memory() -> int:
    """Bytes of RAM that can be used without swapping (Linux: MemAvailable; else half of it all)."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def start() -> Backend:
    """Import mlx and mlx-lm the way the engine needs them and describe the device."""
    with _starting:
        return _start()


def _start() -> Backend:
    blas = take_openblas()
    import mlx.core as mx

    from engine.model.patches import attention

    with file_limit_kept():
        attention.install()
    # It prints advice for its own users (a prompt longer than the model's context, say).
    logging.getLogger("transformers").setLevel(logging.ERROR)
    if mx.metal.is_available():
        device = "metal"
    elif hasattr(mx, "cuda") and mx.cuda.is_available():
        device = "cuda"
    else:
        device = "cpu"
    if device == "cpu" and sys.platform == "linux":  # a Mac's has vector instructions
        from engine.model import cpu

        cpu.install(wide_kernels=blas != "OpenBLAS" or wide_kernels())
        _keep_freed_memory()
    if device == "cpu":
        # There it runs g++ for every new shape: half a second in which nobody gets a token, memory
        # that is never given back (a hundred megabytes for phi3small), and an exception where
        # there is no g++. What it gains is a few operations' dispatch.
        mx.disable_compile()
    return Backend(device=device, blas=blas, memory=_device_memory(mx, device))


def _device_memory(mx: Any, device: str) -> int:
    if device == "cpu":
        return available_memory()
    info = mx.device_info()
    size = info.get("max_recommended_working_set_size") or info.get("memory_size")
    if not size and device == "cuda":
        size = info.get("total_memory")
    return int(size) if size else available_memory()


def memory_in_use() -> int:
    """Bytes that MLX holds in live arrays now."""
    import mlx.core as mx

    return int(mx.get_active_memory())
