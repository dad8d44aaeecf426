"""The machine under the engine: BLAS, memory, and how mlx and mlx-lm are imported.

`start` runs on the engine thread before the first model is loaded, or on the thread that looks at
a model of the hub (`hub.look.knows`), whichever is first. It changes the process once.
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
_starting = threading.Lock()  # two engines may start at once


class Backend(Struct, frozen=True):
    """What the engine runs on."""

    device: str  # "cpu", "metal" or "cuda"
    # "OpenBLAS", or "system" elsewhere than on Linux, or "reference" for the slow one in MLX's
    # Linux wheel, with the reason in brackets
    blas: str
    memory: int  # bytes the engine may plan with: the GPU's recommended working set or the free RAM

    @property
    def prefers_float32(self) -> bool:
        """On a CPU bfloat16 is two to three times slower than float32, and MoE layers refuse it."""
        return self.device == "cpu"


def take_openblas() -> str:
    """Put OpenBLAS in place of the reference BLAS that MLX's Linux CPU wheel links.

    The loader resolves the wheel's undefined `cblas_*` symbols to the first global definition, so
    this must happen before `mlx.core` is imported. Prompts are then read 15 to 30 times faster
    (90 instead of 3 GFLOP/s on two cores).

    Returns `Backend.blas`.
    """
    if sys.platform != "linux":
        return "system"
    global _openblas
    if _openblas is not None:
        return "OpenBLAS"
    if os.environ.get("STRETTO_NO_OPENBLAS"):
        return "reference (STRETTO_NO_OPENBLAS is set)"
    if "mlx.core" in sys.modules:
        return _reference("MLX was imported before the engine started")
    try:
        with _right_kernels():
            _openblas = ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return _reference("libopenblas.so.0 was not found")
    return "OpenBLAS"


def _reference(why: str) -> str:
    global _warned_of_blas
    if not _warned_of_blas:
        _warned_of_blas = True
        log.warning("MLX keeps its slow BLAS, prompts are read up to 30 times slower: %s.", why)
    return f"reference ({why})"


_SKYLAKE = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
"""The features that OpenBLAS's SkylakeX kernels need."""


@contextlib.contextmanager
def _right_kernels() -> Iterator[None]:
    """Let an OpenBLAS older than the processor use its AVX-512 kernels.

    Debian 12's OpenBLAS does not know Zen 4 and 5 and takes its AVX2 kernels there: 230 instead of
    410 GFLOP/s for a prompt's matrices, 83 instead of 65 ms for a step of eight chats of 135M
    parameters. It recognises Intel's processors, so this is for AMD's only. A choice that the user
    has made stays.
    """
    name = "OPENBLAS_CORETYPE"
    if name in os.environ or not _unseen_avx512():
        yield
        return
    os.environ[name] = "SkylakeX"
    try:
        yield  # OpenBLAS reads it while it is loaded, and not again
    finally:
        del os.environ[name]


def _unseen_avx512() -> bool:
    vendor, flags = _processor()
    return vendor == "AuthenticAMD" and flags >= _SKYLAKE


def _processor() -> tuple[str, set[str]]:
    """The processor's vendor and features from /proc/cpuinfo; empty where there is none."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            if not line.strip():
                break  # the other cores are the same
            name, _, value = line.partition(":")
            found.setdefault(name.strip(), value.strip())
    return found.get("vendor_id", ""), set(found.get("flags", "").split())


def openblas() -> bool:
    """Whether OpenBLAS was taken, which computes with as many threads as there are cores."""
    return _openblas is not None


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Have products computed by one thread within, where OpenBLAS does them.

    For many small ones, such as those of a few queries: its threads wait for each other at each,
    which takes 1.7 times the processor time, and seconds where something else runs on the machine.
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


def wide_kernels() -> bool:
    """Whether the OpenBLAS that was taken multiplies with AVX-512."""
    if _openblas is None:
        return False
    _openblas.openblas_get_corename.restype = ctypes.c_char_p
    return _openblas.openblas_get_corename() in (b"SkylakeX", b"Cooperlake", b"SapphireRapids")


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_KEPT = 256 * 2**20


def _keep_freed_memory() -> None:
    """Let glibc keep freed memory for the next operation.

    On a CPU MLX allocates every intermediate result anew. From 128 KB on glibc asks the system for
    each of them and gives it back, and the system clears every page again at 2 GB/s. With this,
    reading a prompt of 4,096 tokens takes 14.4 instead of 16.2 seconds.

    The number of arenas is limited because each keeps up to 64 MB, and each start of an engine
    would add some: MLX's threads outlive an engine.
    """
    with contextlib.suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # its upper limit
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back_memory() -> None:
    """Return memory that is kept for reuse to the system, after something large was freed."""
    import mlx.core as mx

    mx.synchronize()
    mx.clear_cache()
    give_back_heap()


def give_back_heap() -> None:
    """The same for what MLX has not had. From any thread; others run meanwhile."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


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

    import_mlx_lm()
    device = device_here()
    patches.apply("attention")
    patches.apply("module_classes")
    if device == "cpu":
        patches.apply("compilation")
    else:
        patches.skip(["compilation"], "only needed on a CPU")
    if device == "cpu" and sys.platform == "linux":
        from engine.model.patches import dense

        dense.enable(blas != "OpenBLAS" or wide_kernels(), dense.declare(_openblas))
        for name in _LINUX_CPU:
            patches.apply(name)
        _keep_freed_memory()
    else:  # MLX computes these well on a GPU, and on a Mac's CPU
        patches.skip(_LINUX_CPU, "only needed on a Linux CPU")
    if device == "cuda":
        _keep_kernels(str(getattr(mx, "__version__", "")))
        # cuDNN plans anew for each pair of lengths, and MLX raises after 512 of them (E166).
        os.environ.setdefault("MLX_CUDA_USE_CUDNN_SDPA", "0")
        patches.apply("few_bits")
    else:
        patches.skip(["few_bits"], "only needed on CUDA")
    return Backend(device=device, blas=blas, memory=_device_memory(mx, device))


def _keep_kernels(version: str) -> None:
    """Have MLX keep the kernels that it compiles for CUDA with the person's caches.

    By itself it keeps them under /tmp, where they are gone after the next boot and other people may
    write. Compiling one product with weights of few bits takes it 50 s.
    """
    folder = platformdirs.user_cache_path("Stretto", appauthor=False) / "kernels" / version
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        log.info("kernels are kept under /tmp: %s", error)
    else:
        os.environ.setdefault("MLX_PTX_CACHE_DIR", str(folder))


def device_here() -> str:
    """What MLX computes on: `Backend.device`."""
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
    """Say how many bytes of freed buffers MLX keeps for reuse; nobody accounts for them.

    On a CPU the C library keeps freed memory as well, and faster: with the Guide and seven chats a
    token costs 16 page faults where MLX may keep 256 MB, and one or two where it may keep 2 to 16.
    On a GPU buffers are costly to make; a pass needs some that grow with the model.
    """
    import mlx.core as mx

    most = BUFFERS_ON_CPU
    if device != "cpu":
        most = max(LEAST_BUFFERS, min(MOST_BUFFERS, int(weights * BUFFERS_SHARE)))
    mx.set_cache_limit(most)


def memory_in_use() -> int:
    """Bytes that MLX holds in live arrays now."""
    import mlx.core as mx

    return int(mx.get_active_memory())


def memory_kept() -> int:
    """Bytes of freed buffers that MLX keeps for reuse."""
    import mlx.core as mx

    return int(mx.get_cache_memory())


# ---------------------------------------------------------------- importing mlx-lm


def import_mlx_lm() -> None:
    """Import mlx-lm, even while another thread imports it.

    The package comes before its modules. Whoever imports a module first holds the module's lock
    and waits for the package's. A thread that holds the package's lock may want that module, and
    Python then raises `_DeadlockError` in one of the two. If that happens here because the other
    thread began with a module, the import is tried again.
    """
    import_structure.prepare()
    for patience in (0.05, 0.2, 0.8, None):
        try:
            with file_limit_kept():
                importlib.import_module("mlx_lm")
            break
        except RuntimeError as error:
            if type(error).__name__ != "_DeadlockError" or patience is None:
                raise
            time.sleep(patience)
    # It prints advice for its own users, such as that a prompt is longer than the context.
    logging.getLogger("transformers").setLevel(logging.ERROR)


def install_file_limit() -> None:
    """Check that there is what `file_limit_kept` replaces.

    Raises:
        AttributeError, ImportError: there is not.
    """
    if sys.platform != "win32":
        import resource

        _ = resource.setrlimit, resource.getrlimit, resource.RLIMIT_NOFILE


@contextlib.contextmanager
def file_limit_kept() -> Iterator[None]:
    """Within this block `resource.setrlimit` has no effect, in all threads.

    `import mlx_lm` sets RLIMIT_NOFILE to (2048, 4096). That raises where the hard limit is lower,
    and where it was higher the process can never raise it again. This is why nothing imports mlx-lm
    at the top of a file.
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
    """Counts the threads within `file_limit_kept`: the last one to leave restores the function."""

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
