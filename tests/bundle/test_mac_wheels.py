"""What is known about the Mac program without a Mac: the parts of it that need no download."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import mac_wheels  # type: ignore[import-not-found]

    yield mac_wheels
    for name in ("bootstrap", "contents", "mac_wheels", "macos"):
        sys.modules.pop(name, None)


def test_the_constraints_name_a_mac_s_packages_and_no_linux_ones(mac: Any) -> None:
    pinned = mac.pinned()
    assert {"mlx", "mlx-metal", "mlx-lm", "pyside6-essentials", "dmgbuild"} <= pinned.keys()
    assert "mlx-cpu" not in pinned


def test_every_direct_requirement_is_pinned_for_a_mac_as_it_asks(mac: Any) -> None:
    pinned = mac.pinned()
    asked = list(mac.requirements(list(mac.bootstrap.project()["dependencies"]), set()))
    assert "mlx" in [r.name for r in asked]
    for requirement in asked:
        version = pinned[mac.canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_markers_and_extras_are_a_mac_s(mac: Any) -> None:
    texts = ['a; sys_platform == "darwin"', 'b; sys_platform == "linux"', 'c; extra == "x"', "d"]
    assert [r.name for r in mac.requirements(texts, set())] == ["a", "d"]
    assert [r.name for r in mac.requirements(texts, {"x"})] == ["a", "c", "d"]


@pytest.mark.parametrize(
    ("wanted", "paths", "found"),
    [
        ("/usr/lib/libSystem.B.dylib", (), True),
        ("@rpath/libmlx.dylib", ("@loader_path/lib",), True),
        ("@rpath/libmlx.dylib", ("@loader_path/",), False),
        ("@rpath/libmlx.dylib", (), False),
        ("@rpath/libshiboken6.dylib", ("@loader_path/../shiboken6/",), True),
        ("@loader_path/lib/libmlx.dylib", (), True),
        ("@loader_path/libmlx.dylib", (), False),
        ("/opt/homebrew/lib/libmlx.dylib", (), False),
    ],
)
def test_libraries_are_found_as_dyld_finds_them(
    mac: Any, wanted: str, paths: tuple[str, ...], found: bool
) -> None:
    names = {"mlx/core.so", "mlx/lib/libmlx.dylib", "shiboken6/libshiboken6.dylib"}
    assert mac._resolves(PurePosixPath("mlx/core.so"), wanted, paths, names) is found


def test_only_old_symbols_are_excused(mac: Any) -> None:
    assert mac.OLD_SYMBOLS.match("__ZNSt3__115recursive_mutex4lockEv")
    assert mac.OLD_SYMBOLS.match("_OBJC_CLASS_$_AVCaptureDevice")
    assert not mac.OLD_SYMBOLS.match("__ZNSt3__113__hash_memoryEPKvm")
    assert not mac.OLD_SYMBOLS.match("_OBJC_CLASS_$_AVCaptureDeviceRotationCoordinator")
