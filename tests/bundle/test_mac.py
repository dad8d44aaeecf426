"""Helpers of the checks of the Mac program (`mac_build.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.bundle.mac_build import OLD_SYMBOLS, PROJECT, Library, missing, pinned, required


def test_direct_requirements_are_pinned_for_a_mac() -> None:
    versions = pinned()
    assert {"mlx", "mlx-metal", "mlx-lm", "pyside6-essentials", "dmgbuild"} <= versions.keys()
    assert "mlx-cpu" not in versions
    for requirement in required(PROJECT["project"]["dependencies"]):
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_markers_and_extras_are_evaluated_for_mac() -> None:
    texts = ['a; sys_platform == "darwin"', 'b; sys_platform == "linux"', 'c; extra == "x"', "d"]
    assert [r.name for r in required(texts)] == ["a", "d"]
    assert [r.name for r in required(texts, {"x"})] == ["a", "c", "d"]


@pytest.mark.parametrize(
    ("wanted", "run_paths", "found"),
    [
        ("/usr/lib/libSystem.B.dylib", [], True),
        ("@rpath/libmlx.dylib", ["@loader_path/lib"], True),
        ("@rpath/libmlx.dylib", ["@executable_path/mlx/lib"], True),
        ("@rpath/libmlx.dylib", ["@loader_path/"], False),
        ("@rpath/libmlx.dylib", [], False),
        ("@loader_path/lib/libmlx.dylib", [], True),
        ("@loader_path/../../libmlx.dylib", [], False),
        ("/opt/homebrew/lib/libmlx.dylib", [], False),
    ],
)
def test_libraries_are_resolved_like_dyld(
    tmp_path: Path, wanted: str, run_paths: list[str], found: bool
) -> None:
    top = tmp_path / "site"
    (top / "mlx" / "lib").mkdir(parents=True)
    for folder in (tmp_path, top / "mlx" / "lib"):
        (folder / "libmlx.dylib").touch()
    library = Library((14, 0), [wanted], run_paths, set())
    assert [*missing(top / "mlx" / "core.so", library, top, top)] == (
        [] if found else [f"mlx/core.so links with {wanted}"]
    )


def test_symbols_of_newer_systems_are_not_excused() -> None:
    assert OLD_SYMBOLS.match("__ZNSt3__115recursive_mutex4lockEv")
    assert OLD_SYMBOLS.match("_OBJC_CLASS_$_AVCaptureDevice")
    assert not OLD_SYMBOLS.match("__ZNSt3__113__hash_memoryEPKvm")
    assert not OLD_SYMBOLS.match("_OBJC_CLASS_$_AVCaptureDeviceRotationCoordinator")
