"""Differences between two bundles, reported by file and by archive member."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def compare(module: Callable[[str], Any]) -> Any:
    return module("compare")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Create two identical folders."""
    for folder in (tmp_path / "one", tmp_path / "other"):
        (folder / "lib").mkdir(parents=True)
        (folder / "lib" / "a.so").write_bytes(b"code")
        (folder / "a.so").symlink_to("lib/a.so")
        with zipfile.ZipFile(folder / "base.zip", "w") as archive:
            for name in ("x.pyc", "y.pyc"):
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), name)
    return tmp_path / "one", tmp_path / "other"


def test_equal_folders_have_no_differences(compare: Any, two: tuple[Path, Path]) -> None:
    assert list(compare.differences(*two)) == []


def test_each_kind_of_difference_is_named(compare: Any, two: tuple[Path, Path]) -> None:
    one, other = two
    (other / "lib" / "a.so").write_bytes(b"other code")
    (other / "lib" / "a.so").chmod(0o600)
    (other / "a.so").unlink()
    (other / "a.so").symlink_to("/lib/a.so")
    (one / "left").write_text("x")
    (other / "right").mkdir()
    with zipfile.ZipFile(other / "base.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("x.pyc", (2020, 1, 1, 0, 0, 0)), "x.pyc")
        archive.writestr(zipfile.ZipInfo("y.pyc", (2021, 1, 1, 0, 0, 0)), "y.pyc")
    assert list(compare.differences(one, other)) == [
        "a.so: another link",
        "base.zip: y.pyc (2020, 1, 1, 0, 0, 0)",
        "base.zip: y.pyc (2021, 1, 1, 0, 0, 0)",
        f"left: only in {one}",
        "lib/a.so: other rights",
        "lib/a.so: other bytes, 4 and 10",
        f"right: only in {other}",
    ]


def test_explained_difference_passes(
    compare: Any,
    two: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    one, other = two
    (other / "lib" / "a.so").write_bytes(b"edoc")
    monkeypatch.setattr(sys, "argv", ["compare.py", str(one), str(other)])
    assert compare.main() == 1
    monkeypatch.setattr(compare, "REASONS", {r"lib/a\.so": "it is made backwards"})
    assert compare.main() == 0
    assert "lib/a.so: other bytes, 4 and 4 (it is made backwards)" in capsys.readouterr().out
