"""Process setup: BLAS, memory, and importing mlx and mlx-lm."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import platformdirs
from msgspec import Struct

from engine.kernels import cgroups
from engine.text import import_structure

log = logging.getLogger(__name__)

_openblas: ctypes.CDLL | None = None
_starting = threading.Lock()  # two engines may start at the same time


class Backend(Struct, frozen=True):
    device: str  # "cpu", "metal" or "cuda"
    # "OpenBLAS", "system" on any OS but Linux, or "reference (REASON)" for the slow BLAS that MLX's
    # Linux wheel links.
    blas: str
    memory: int  # bytes available to the engine: the GPU's recommended working set, or free RAM

    @property
    def prefers_float32(self) -> bool:
        """True on a CPU, where bfloat16 is two to three times slower and MoE layers reject it."""
        return self.device == "cpu"


@functools.cache
def load_openblas() -> str:
    """Load OpenBLAS, so that MLX uses it instead of the reference BLAS of its Linux CPU wheel.

    This makes prefill 15 to 30 times faster (90 instead of 3 GFLOP/s on two cores). It must happen
    before `mlx.core` is imported, because the dynamic linker resolves the wheel's undefined
    `cblas_*` symbols to the first global definition.

    Returns:
        `Backend.blas`.
    """
    if sys.platform != "linux":
        return "system"
    global _openblas
    if "mlx.core" in sys.modules:
        return _warn_reference_blas("MLX was imported before the engine started")
    try:
        with _select_openblas_kernels():
            _openblas = ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return _warn_reference_blas("libopenblas.so.0 was not found")
    return "OpenBLAS"


def _warn_reference_blas(reason: str) -> str:
    log.warning("MLX uses its slow BLAS, so prefill is up to 30 times slower: %s.", reason)
    return f"reference ({reason})"


_SKYLAKE = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
"""CPU flags required by OpenBLAS's SkylakeX kernels."""


@contextlib.contextmanager
def _select_openblas_kernels() -> Iterator[None]:
    """Force AVX-512 kernels on CPUs that are too new for the installed OpenBLAS.

    The OpenBLAS in Debian 12 doesn't recognize Zen 4 and Zen 5 and uses AVX2 kernels: 230 instead
    of 410 GFLOP/s for prompts, and 83 instead of 65 ms for a step of eight chats with 135M
    parameters.
    """
    name = "OPENBLAS_CORETYPE"
    if name in os.environ or not _is_unrecognized_avx512():
        yield
        return
    os.environ[name] = "SkylakeX"
    try:
        yield  # OpenBLAS only reads the variable on loading
    finally:
        del os.environ[name]


def _is_unrecognized_avx512() -> bool:
    vendor, flags = _processor()
    return vendor == "AuthenticAMD" and flags >= _SKYLAKE


def _processor() -> tuple[str, set[str]]:
    fields: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            if not line.strip():
                break  # all cores are identical
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    return fields.get("vendor_id", ""), set(fields.get("flags", "").split())


def has_openblas() -> bool:
    """Return True if OpenBLAS, which has one thread per core, is in use."""
    return _openblas is not None


def has_avx512_openblas() -> bool:
    if _openblas is None:
        return False
    _openblas.openblas_get_corename.restype = ctypes.c_char_p
    return _openblas.openblas_get_corename() in (b"SkylakeX", b"Cooperlake", b"SapphireRapids")


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_TRIM_THRESHOLD_BYTES = 256 * 2**20


def _keep_freed_memory() -> None:
    """Make glibc reuse freed memory instead of returning it to the operating system.

    On a CPU, MLX allocates memory for every intermediate result. By default, glibc maps each
    allocation of 128 KB or more separately, and the kernel zeroes its pages at 2 GB/s. With this
    change, prefilling 4,096 tokens takes 14.4 s instead of 16.2 s.

    Each arena keeps up to 64 MB, and every start of an engine would add arenas, because MLX's
    threads outlive the engine. The number of arenas is therefore limited.
    """
    with contextlib.suppress(AttributeError, OSError):  # the C library isn't glibc
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # maximum value
        libc.mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD_BYTES)
        libc.mallopt(_M_ARENA_MAX, 1)


def release_memory() -> None:
    """Return cached memory to the operating system. Waits for the device."""
    import mlx.core as mx

    from engine.kernels import library

    try:
        mx.synchronize()
    finally:  # after a device error as well
        mx.clear_cache()
        library.release_scratch()
        release_heap()


def release_heap() -> None:
    """Return malloc's free memory to the operating system. Doesn't block other threads."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def available_memory() -> int:
    """Return the available RAM in bytes, at most the limit of a container."""
    return int(min(_system_memory(), cgroups.free_memory()))


def _system_memory() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def start() -> Backend:
    """Import mlx and mlx-lm, apply the engine's patches, and return the backend."""
    with _starting:
        blas = load_openblas()
        import mlx.core as mx

        import_mlx_lm()
        device = current_device()
        _apply_patches(device)
        return Backend(device=device, blas=blas, memory=_device_memory(mx, device))


@functools.cache
def _apply_patches(device: str) -> None:
    import mlx.core as mx

    from engine.model import attention

    attention.install()
    if device == "cpu":
        # On a CPU, `mx.compile` runs g++ for every new shape. This stalls all chats for half a
        # second, leaks memory (100 MB for phi3small), and raises an error if g++ isn't installed.
        mx.disable_compile()
    if device == "cpu" and sys.platform == "linux":  # MLX is fast on GPUs and a Mac's CPU
        from engine.model.patches import dense

        dense.enable(not has_openblas() or has_avx512_openblas(), _openblas)
        dense.install()
        _keep_freed_memory()
    if device == "cuda":
        from engine.model.patches import on_cuda

        _set_kernel_cache(str(getattr(mx, "__version__", "")))
        # cuDNN creates a plan for each new pair of lengths, and MLX raises after 512 plans (E166).
        os.environ.setdefault("MLX_CUDA_USE_CUDNN_SDPA", "0")
        on_cuda.install()


def _set_kernel_cache(version: str) -> None:
    """Make MLX store compiled CUDA kernels in the user's cache folder.

    The default is /tmp, which other users can write to. Compiling a single quantized product takes
    50 s.
    """
    folder = platformdirs.user_cache_path("Stretto", appauthor=False) / "kernels" / version
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        log.info("storing kernels under /tmp: %s", error)
    else:
        os.environ.setdefault("MLX_PTX_CACHE_DIR", str(folder))


def current_device() -> str:
    """Return a value of `Backend.device`."""
    import mlx.core as mx

    if mx.metal.is_available():
        return "metal"
    return "cuda" if hasattr(mx, "cuda") and mx.cuda.is_available() else "cpu"


def _device_memory(mx: Any, device: str) -> int:
    if device == "cpu":
        return available_memory()
    info = mx.device_info()
    size = info.get("max_recommended_working_set_size") or info.get("memory_size")
    if not size and device == "cuda":
        size = info.get("total_memory")
    return int(size) if size else available_memory()


CPU_BUFFER_BYTES = 4 * 2**20
BUFFERS_SHARE = 1 / 4
MIN_BUFFER_BYTES, MAX_BUFFER_BYTES = 64 * 2**20, 2**30


def limit_buffers(device: str, weights: int) -> None:
    """Limit MLX's cache of freed buffers, which isn't part of the memory budget.

    On a CPU, malloc also caches freed memory, and is faster: with the Guide and seven chats, a
    token causes 16 page faults if MLX may cache 256 MB, and one or two with 2 to 16 MB. On a GPU,
    allocating buffers is slow, and larger models need larger buffers.
    """
    import mlx.core as mx

    limit = CPU_BUFFER_BYTES
    if device != "cpu":
        limit = max(MIN_BUFFER_BYTES, min(MAX_BUFFER_BYTES, int(weights * BUFFERS_SHARE)))
    mx.set_cache_limit(limit)


def active_memory_bytes() -> int:
    import mlx.core as mx

    return int(mx.get_active_memory())


def buffer_cache_bytes() -> int:
    import mlx.core as mx

    return int(mx.get_cache_memory())


# ---------------------------------------------------------------- importing mlx-lm


def import_mlx_lm() -> None:
    """Import mlx-lm, even while another thread imports it.

    Always import the package before its modules. A thread that starts with a module holds that
    module's import lock while it waits for the package's lock. If another thread holds the
    package's lock and needs the module, Python raises `_DeadlockError` in one of the threads, and
    this function retries.
    """
    import_structure.prepare()
    for delay_s in (0.05, 0.2, 0.8, None):
        try:
            with preserved_file_limit():
                importlib.import_module("mlx_lm")
            break
        except RuntimeError as error:
            if type(error).__name__ != "_DeadlockError" or delay_s is None:
                raise
            time.sleep(delay_s)
    # transformers logs advice that doesn't apply here, e.g. if a prompt exceeds the context.
    logging.getLogger("transformers").setLevel(logging.ERROR)


@contextlib.contextmanager
def preserved_file_limit() -> Iterator[None]:
    """Turn `resource.setrlimit` into a no-op inside the block, for all threads.

    `import mlx_lm` sets RLIMIT_NOFILE to (2048, 4096), which raises an error if the hard limit is
    lower. For this reason, no module imports mlx-lm at the top.
    """
    with _importing:
        original = resource.setrlimit
        resource.setrlimit = lambda *_: None
        try:
            yield
        finally:
            resource.setrlimit = original


_importing = threading.RLock()
