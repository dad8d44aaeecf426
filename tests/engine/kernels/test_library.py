"""Building and loading the kernels, and their thread count."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.kernels import build, cgroups, structs
from engine.kernels import library as binding
from engine.kernels.build import BuildError
from engine.kernels.library import LEVELS, Library
from engine.kernels.matrices import Format, multiply
from tests.engine.kernels.random_matrices import RandomMatrix


def test_missing_compiler_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(BuildError, match="no C compiler"):
        build.build(tmp_path / "kernels.so")


def test_failure_of_compiler_is_reported(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho 'x.c:1: error: out of ideas' >&2\nexit 1\n")
    compiler.chmod(0o755)
    with pytest.raises(BuildError, match=r"compiler failed: .*out of ideas"):
        build.compile_library([str(compiler)], tmp_path)


def test_hanging_linker_is_a_failed_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\ncase "$*" in *-shared*) exec sleep 600;; esac\n')
    compiler.chmod(0o755)
    monkeypatch.setattr(build, "TIMEOUT_S", 1)
    with pytest.raises(BuildError, match="took more than 1 s"):
        build.compile_library([str(compiler)], tmp_path)


def test_library_is_built_once(tmp_path: Path) -> None:
    target = tmp_path / "kernels.so"
    target.write_bytes(b"")
    assert build.build(target) == target
    assert not target.stat().st_size


def test_old_libraries_are_removed(tmp_path: Path) -> None:
    for age in range(build.KEPT_LIBRARIES + 2):
        file = tmp_path / f"kernels-{age}.so"
        file.touch()
        os.utime(file, (1000 - age, 1000 - age))
    (tmp_path / "other.so").touch()
    build.remove_old(tmp_path)
    kept = {f"kernels-{age}.so" for age in range(build.KEPT_LIBRARIES)}
    assert {file.name for file in tmp_path.iterdir()} == {"other.so", *kept}


def test_digest_changes_with_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build.digest()
    for file in build.SOURCE.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    assert build.digest() == before
    (tmp_path / "lanes.h").write_bytes(b"// changed")
    assert build.digest() != before


def test_broken_library_leaves_kernels_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "kernels.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(binding, "build", lambda: broken)
    assert binding._load_once.__wrapped__() is None
    assert "CPU kernels are off" in caplog.text


def test_library_with_other_structs_is_refused(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LongerStruct(structs.StepStruct):
        _fields_ = (("more", ctypes.c_int64),)

    monkeypatch.setattr(structs, "StepStruct", LongerStruct)
    with pytest.raises(OSError, match="different struct sizes"):
        Library(build.library_path())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_intermediate_results_can_be_freed(library: Library) -> None:
    matrix = RandomMatrix(library, Format("affine", 4, 64), 16, 128).packed
    multiply(library, np.ones((200_000, 128), np.float32), [matrix])  # 50 MB
    before = resident_bytes()
    library.release_scratch()
    assert before - resident_bytes() > 40 * 2**20


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_unsupported_level_is_refused(library: Library) -> None:
    for level in set(range(len(LEVELS))) - set(library.levels):
        with pytest.raises(ValueError, match="has no"):
            library.use_level(level)
    assert library.level in library.levels


def test_quota_of_cgroups_limits_threads(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    groups.write_text("0::/outer/inner\n")
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    assert cgroups.cpu_cores(groups, tmp_path) == math.inf
    (inner / "cpu.max").write_text("max 100000\n")
    assert cgroups.cpu_cores(groups, tmp_path) == math.inf
    (inner.parent / "cpu.max").write_text("150000 100000\n")
    assert cgroups.cpu_cores(groups, tmp_path) == 1.5
    assert cgroups.cpu_cores(tmp_path / "none", tmp_path) == math.inf


def test_memory_limit_of_cgroups_counts_files_as_free(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    groups.write_text("0::/outer/inner\n")
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, most, used, file in ((inner, "max", 700, 0), (inner.parent, "1000", 800, 300)):
        (folder / "memory.max").write_text(f"{most}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 400\nactive_file {file}\ninactive_file 50\n")
    assert cgroups.free_memory(groups, tmp_path) == 1000 - 800 + 300 + 50
    assert cgroups.free_memory(tmp_path / "none", tmp_path) == math.inf
