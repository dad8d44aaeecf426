"""Process setup: BLAS, memory, and the import of mlx and mlx-lm.

`start` runs once per process: on the engine thread before the first model is loaded, or earlier, on
the thread that checks if a model of the hub is supported (`hub.look.knows`).
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import platformdirs
from msgspec import Struct

from engine.model import patches
from engine.text import import_structure

log = logging.getLogger(__name__)

_openblas: ctypes.CDLL | None = None
_warned_of_blas = False
_starting = threading.Lock()  # two engines may start at the same time


class Backend(Struct, frozen=True):
    """Device that the engine runs on."""

    device: str  # "cpu", "metal" or "cuda"
    # "OpenBLAS"; "system" on systems other than Linux; or "reference (REASON)" for the slow BLAS
    # in MLX's Linux wheel
    blas: str
    memory: int  # bytes available to the engine: the GPU's recommended working set or free RAM

    @property
    def prefers_float32(self) -> bool:
        """True on a CPU, where bfloat16 is two to three times slower and MoE layers reject it."""
        return self.device == "cpu"


def load_openblas() -> str:
    """Replace the reference BLAS that MLX's Linux CPU wheel links with OpenBLAS.

    The dynamic linker resolves the wheel's undefined `cblas_*` symbols to the first global
    definition, so this must run before `mlx.core` is imported. Prefill is then 15 to 30 times
    faster (90 instead of 3 GFLOP/s on two cores).

    Returns:
        `Backend.blas`.
    """
    if sys.platform != "linux":
        return "system"
    global _openblas
    if _openblas is not None:
        return "OpenBLAS"
    if os.environ.get("STRETTO_NO_OPENBLAS"):
        return "reference (STRETTO_NO_OPENBLAS is set)"
    if "mlx.core" in sys.modules:
        return _warn_reference_blas("MLX was imported before the engine started")
    try:
        with _select_openblas_kernels():
            _openblas = ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return _warn_reference_blas("libopenblas.so.0 was not found")
    return "OpenBLAS"


def _warn_reference_blas(why: str) -> str:
    global _warned_of_blas
    if not _warned_of_blas:
        _warned_of_blas = True
        log.warning("MLX keeps its slow BLAS, prompts are read up to 30 times slower: %s.", why)
    return f"reference ({why})"


_SKYLAKE = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
"""CPU features that OpenBLAS's SkylakeX kernels need."""


@contextlib.contextmanager
def _select_openblas_kernels() -> Iterator[None]:
    """Make an OpenBLAS that is older than the processor use its AVX-512 kernels.

    The OpenBLAS of Debian 12 does not recognize Zen 4 and 5 and selects its AVX2 kernels there: 230
    instead of 410 GFLOP/s for the matrices of a prompt, 83 instead of 65 ms for a step of eight
    chats of 135M parameters. It recognizes Intel's processors, so this changes only AMD's. A
    setting in the environment is kept.
    """
    name = "OPENBLAS_CORETYPE"
    if name in os.environ or not _is_unrecognized_avx512():
        yield
        return
    os.environ[name] = "SkylakeX"
    try:
        yield  # OpenBLAS reads the variable only while it is loaded
    finally:
        del os.environ[name]


def _is_unrecognized_avx512() -> bool:
    vendor, flags = _processor()
    return vendor == "AuthenticAMD" and flags >= _SKYLAKE


def _processor() -> tuple[str, set[str]]:
    """Return the processor's vendor and features from /proc/cpuinfo, or empty values without it."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            if not line.strip():
                break  # the other cores are the same
            name, _, value = line.partition(":")
            found.setdefault(name.strip(), value.strip())
    return found.get("vendor_id", ""), set(found.get("flags", "").split())


def has_openblas() -> bool:
    """Return True if OpenBLAS is in use. It computes with one thread per core."""
    return _openblas is not None


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit OpenBLAS to one thread inside the block.

    For many small products, such as those of a few queries. OpenBLAS's threads wait for each other
    at each product, which takes 1.7 times the CPU time, and seconds on a busy machine.
    """
    if _openblas is None:
        yield
        return
    threads = _openblas.openblas_get_num_threads()
    _openblas.openblas_set_num_threads(1)
    try:
        yield
    finally:
        _openblas.openblas_set_num_threads(threads)


def has_avx512_openblas() -> bool:
    """Return True if OpenBLAS is in use and multiplies with AVX-512."""
    if _openblas is None:
        return False
    _openblas.openblas_get_corename.restype = ctypes.c_char_p
    return _openblas.openblas_get_corename() in (b"SkylakeX", b"Cooperlake", b"SapphireRapids")


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_TRIM_THRESHOLD_BYTES = 256 * 2**20


def _keep_freed_memory() -> None:
    """Make glibc keep freed memory for the next operation.

    On a CPU, MLX allocates memory for every intermediate result. glibc requests each allocation of
    128 KB or more from the system and returns it afterwards, and the system clears every page again
    at 2 GB/s. With this change, prefill of 4,096 tokens takes 14.4 instead of 16.2 seconds.

    The number of arenas is limited because each keeps up to 64 MB, and MLX's threads outlive an
    engine, so each start of an engine would add some.
    """
    with contextlib.suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # its upper limit
        libc.mallopt(_M_TRIM_THRESHOLD, _TRIM_THRESHOLD_BYTES)
        libc.mallopt(_M_ARENA_MAX, 1)


def release_memory() -> None:
    """Return memory kept for reuse to the system, after something large was freed."""
    import mlx.core as mx

    mx.synchronize()
    mx.clear_cache()
    release_heap()


def release_heap() -> None:
    """Return the C library's free memory to the system. Does not block other threads."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def available_memory() -> int:
    """Return the bytes of RAM free without swapping (MemAvailable on Linux, else half of it)."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def start() -> Backend:
    """Import mlx and mlx-lm with the engine's patches, and return the device."""
    with _starting:
        return _start()


def _start() -> Backend:
    blas = load_openblas()
    import mlx.core as mx

    import_mlx_lm()
    device = current_device()
    patches.apply("attention")
    patches.apply("module_classes")
    if device == "cpu":
        patches.apply("compilation")
    else:
        patches.skip(["compilation"], "only needed on a CPU")
    if device == "cpu" and sys.platform == "linux":
        from engine.model.patches import dense

        dense.enable(blas != "OpenBLAS" or has_avx512_openblas(), dense.bind_sgemv(_openblas))
        for name in _LINUX_CPU:
            patches.apply(name)
        _keep_freed_memory()
    else:  # MLX is fast at these on a GPU and on a Mac's CPU
        patches.skip(_LINUX_CPU, "only needed on a Linux CPU")
    if device == "cuda":
        _set_kernel_cache(str(getattr(mx, "__version__", "")))
        # cuDNN plans each new pair of lengths, and MLX raises after 512 plans (E166).
        os.environ.setdefault("MLX_CUDA_USE_CUDNN_SDPA", "0")
        patches.apply("few_bits")
    else:
        patches.skip(["few_bits"], "only needed on CUDA")
    return Backend(device=device, blas=blas, memory=_device_memory(mx, device))


def _set_kernel_cache(version: str) -> None:
    """Make MLX cache the kernels that it compiles for CUDA in the user's cache folder.

    Its default is a folder under /tmp, which is lost at the next boot and writable by other users.
    Compiling one product with quantized weights takes 50 s.
    """
    folder = platformdirs.user_cache_path("Stretto", appauthor=False) / "kernels" / version
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        log.info("kernels are kept under /tmp: %s", error)
    else:
        os.environ.setdefault("MLX_PTX_CACHE_DIR", str(folder))


def current_device() -> str:
    """Return the device that MLX computes on: see `Backend.device`."""
    import mlx.core as mx

    if mx.metal.is_available():
        return "metal"
    return "cuda" if hasattr(mx, "cuda") and mx.cuda.is_available() else "cpu"


_LINUX_CPU = ("activations", "linear", "embedding")


def _device_memory(mx: Any, device: str) -> int:
    if device == "cpu":
        return available_memory()
    info = mx.device_info()
    size = info.get("max_recommended_working_set_size") or info.get("memory_size")
    if not size and device == "cuda":
        size = info.get("total_memory")
    return int(size) if size else available_memory()


BUFFERS_ON_CPU = 4 * 2**20
BUFFERS_SHARE = 1 / 4
LEAST_BUFFERS, MOST_BUFFERS = 64 * 2**20, 2**30


def limit_buffers(device: str, weights: int) -> None:
    """Limit the bytes of freed buffers that MLX keeps for reuse. The memory budget omits them.

    On a CPU, the C library keeps freed memory as well, and is faster: with the Guide and seven
    chats, a token costs 16 page faults if MLX may keep 256 MB, and one or two with 2 to 16 MB. On a
    GPU, creating buffers is slow, and the buffers of a pass grow with the model.
    """
    import mlx.core as mx

    most = BUFFERS_ON_CPU
    if device != "cpu":
        most = max(LEAST_BUFFERS, min(MOST_BUFFERS, int(weights * BUFFERS_SHARE)))
    mx.set_cache_limit(most)


def active_memory_bytes() -> int:
    """Return the bytes of MLX's live arrays."""
    import mlx.core as mx

    return int(mx.get_active_memory())


def buffer_cache_bytes() -> int:
    """Return the bytes of freed buffers that MLX keeps for reuse."""
    import mlx.core as mx

    return int(mx.get_cache_memory())


# ---------------------------------------------------------------- importing mlx-lm


def import_mlx_lm() -> None:
    """Import mlx-lm, even while another thread imports it.

    The package is imported before its modules. A thread that imports a module first holds the lock
    of the module and waits for that of the package. If another thread holds the package's lock and
    needs the same module, Python raises `_DeadlockError` in one of the two. If it is raised here
    because the other thread started with a module, the import is retried.
    """
    import_structure.prepare()
    for patience in (0.05, 0.2, 0.8, None):
        try:
            with preserved_file_limit():
                importlib.import_module("mlx_lm")
            break
        except RuntimeError as error:
            if type(error).__name__ != "_DeadlockError" or patience is None:
                raise
            time.sleep(patience)
    # transformers prints advice for its own users, such as a prompt longer than the context.
    logging.getLogger("transformers").setLevel(logging.ERROR)


def install_file_limit() -> None:
    """Check that the functions that `preserved_file_limit` replaces exist.

    Raises:
        AttributeError, ImportError: if one does not.
    """
    if sys.platform != "win32":
        import resource

        _ = resource.setrlimit, resource.getrlimit, resource.RLIMIT_NOFILE


@contextlib.contextmanager
def preserved_file_limit() -> Iterator[None]:
    """Disable `resource.setrlimit` inside the block, in all threads.

    `import mlx_lm` sets RLIMIT_NOFILE to (2048, 4096). That raises an error if the hard limit is
    lower, and otherwise lowers the hard limit for good. This is why no file imports mlx-lm at its
    top.
    """
    if sys.platform == "win32":
        patches.skip(["file_limit"], "Windows has no such limit")
    if sys.platform == "win32" or not patches.apply("file_limit"):
        yield
        return
    import resource

    _file_limit.enter(resource)
    try:
        yield
    finally:
        _file_limit.leave(resource)


class _FileLimit:
    """Count of threads inside `preserved_file_limit`. The last one to leave restores the
    function."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0

    def enter(self, resource: Any) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = resource.getrlimit(resource.RLIMIT_NOFILE)
                self._real = resource.setrlimit
                resource.setrlimit = lambda *_: None

    def leave(self, resource: Any) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                resource.setrlimit = self._real
                if resource.getrlimit(resource.RLIMIT_NOFILE) != self._before:
                    resource.setrlimit(resource.RLIMIT_NOFILE, self._before)


_file_limit = _FileLimit()
