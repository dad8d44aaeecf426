"""Build script for the kernels: `python -m engine.kernels.build`.

The library's file name contains a hash of its sources and flags. Packaged apps have the library
next to this module, without the sources.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs

SOURCE = Path(__file__).parent / "source"

FLAGS = (
    *("-std=gnu11", "-O3", "-fPIC", "-pthread", "-fvisibility=hidden", "-Wall", "-Wextra"),
    # Results must be bitwise reproducible, so the compiler may not reorder or fuse operations.
    *("-ffp-contract=off", "-fno-math-errno"),
    # Zig's compiler adds UBSan checks and debug info by default.
    *("-fno-sanitize=all", "-g0"),
)

_X86 = platform.machine() in ("x86_64", "AMD64")

_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = ("-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni")

LEVELS: tuple[tuple[str, ...], ...] = (
    ((), _AVX2, (*_AVX2, "-mavxvnni"), (*_AVX2, *_AVX512)) if _X86 else ((),)
)
"""Compiler flags for each instruction set level, in the order of lanes.h."""

TIMEOUT_S = 300

KEPT_LIBRARIES = 4
"""Number of builds to keep in the cache folder, because other checkouts may use older builds."""


class BuildError(Exception):
    pass


def digest() -> str:
    hasher = hashlib.sha256(repr((FLAGS, LEVELS, sys.platform, platform.machine())).encode())
    for file in sorted(SOURCE.iterdir()):
        hasher.update(file.name.encode() + b"\0" + file.read_bytes())
    return hasher.hexdigest()[:16]


def library_path() -> Path:
    """Return the path of the library, which may not exist yet.

    Raises:
        OSError: if the library isn't shipped with the app and the sources can't be read.
    """
    shipped = next(Path(__file__).parent.glob("kernels-*.so"), None)
    if shipped is not None:
        return shipped
    folder = platformdirs.user_cache_path("Stretto", appauthor=False) / "kernels"
    return folder / f"kernels-{digest()}.so"


def compilers() -> Iterator[tuple[str, ...]]:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path is not None:
            yield (path,)
    if importlib.util.find_spec("ziglang") is not None:
        yield (sys.executable, "-m", "ziglang", "cc")


def build(target: Path | None = None) -> Path:
    """Compile the library if it doesn't exist yet, and return its path.

    Args:
        target: output path; defaults to `library_path`.

    Raises:
        BuildError: if there is no compiler, or every compiler fails.
    """
    try:
        path = target or library_path()
    except OSError as error:
        raise BuildError(f"the sources cannot be read: {error}") from None
    if path.is_file():
        return path
    reason = "no C compiler is installed"
    for compiler in compilers():
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as folder:
                file = compile_library(compiler, Path(folder))
                file.replace(path)  # rename atomically, because other processes may be building too
            remove_old(path.parent)
            return path
        except BuildError as error:
            reason = str(error)
        except OSError as error:
            raise BuildError(f"the kernels cannot be written: {error}") from None
    raise BuildError(reason)


def remove_old(folder: Path) -> None:
    libraries = sorted(folder.glob("kernels-*.so"), key=lambda file: file.stat().st_mtime)
    for file in libraries[:-KEPT_LIBRARIES]:
        file.unlink(missing_ok=True)


def compile_library(compiler: Sequence[str], folder: Path, extra_flags: Sequence[str] = ()) -> Path:
    jobs = [
        (SOURCE / "level.c", folder / f"level{level}.o", (f"-DLEVEL={level}", *flags))
        for level, flags in enumerate(LEVELS)
    ]
    common_files = [file for file in sorted(SOURCE.glob("*.c")) if file.name != "level.c"]
    jobs += [(file, folder / f"{file.stem}.o", ()) for file in common_files]
    # Keep Zig from creating its caches in the home folder.
    zig = {f"ZIG_{kind}_CACHE_DIR": str(folder / "zig") for kind in ("LOCAL", "GLOBAL")}
    environment = {**os.environ, **zig}
    steps = [
        [*FLAGS, *flags, *extra_flags, "-c", str(source), "-o", str(target)]
        for source, target, flags in jobs
    ]
    _run(compiler, steps, environment)
    path = folder / "kernels.so"
    objects = [str(target) for _, target, _ in jobs]
    link = ["-shared", "-pthread", *extra_flags, *objects, "-o", str(path), "-lm"]
    _run(compiler, [link], environment)
    return path


def _run(
    compiler: Sequence[str], steps: Sequence[Sequence[str]], environment: Mapping[str, str]
) -> None:
    def run(step: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*compiler, *step],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            timeout=TIMEOUT_S,
            check=False,
        )

    try:
        with ThreadPoolExecutor(len(steps)) as threads:
            results = list(threads.map(run, steps))
    except subprocess.TimeoutExpired:
        raise BuildError(f"{compiler[0]} took more than {TIMEOUT_S} s") from None
    for result in results:
        if result.returncode:
            raise BuildError(_failure(compiler, result.stderr))


def _failure(compiler: Sequence[str], errors: str) -> str:
    lines = [line for line in errors.splitlines() if "error" in line] or errors.splitlines()
    return f"{Path(compiler[0]).name} failed: {lines[0] if lines else 'no message'}"


def main() -> None:
    try:
        print(build())
    except BuildError as error:
        sys.exit(
            f"The CPU kernels could not be built ({error}), so quantized models run "
            "slowly.\nInstall a C compiler and start again, for example: sudo apt-get install gcc "
            "libc6-dev"
        )


if __name__ == "__main__":
    main()
