"""A bundle contains no paths or names of the machine that built it."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINE = b"/home/somebody/src"


@pytest.fixture
def traces(module: Callable[[str], Any]) -> Any:
    return module("traces")


def test_private_folders_exclude_neutral_ones(traces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "ROOT", Path(MACHINE.decode()))
    monkeypatch.setattr(sys, "base_prefix", "/usr/local")
    monkeypatch.setenv("HOME", "/root")
    assert MACHINE in traces.private_folders()
    assert not {b"/usr/local", b"/root"} & {*traces.private_folders()}
    assert not traces.named_by_python()
    monkeypatch.setattr(sys, "base_prefix", "/home/somebody/python")
    assert b"/home/somebody/python" in traces.private_folders()
    assert traces.named_by_python() is (sys.platform == "linux")


def test_paths_are_found_in_packed_files(traces: Any, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"\0" + MACHINE + b"/app.py\0")
    (tmp_path / "longer").write_bytes(MACHINE + b"-other/app.py")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        inner = zipfile.ZipInfo("inner.txt")
        archive.writestr(inner, 100 * (MACHINE + b" "), zipfile.ZIP_DEFLATED)
    (tmp_path / "away").symlink_to("/etc/hostname")
    assert list(traces.traces(tmp_path, [MACHINE])) == [
        "away links to /etc/hostname",
        f"packed.zip: inner.txt names {MACHINE.decode()}",
        f"plain names {MACHINE.decode()}",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "numpy/tests/test_core.py",
        "app/__pycache__/x.pyc",
        "x.dist-info/direct_url.json",
        "pyvenv.cfg",
        "key.p8",
        "notes.log",
    ],
)
def test_build_traces_are_found(traces: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("x")
    assert any("belongs to no bundle" in line for line in traces.traces(tmp_path, []))


def test_shipped_files_pass(traces: Any, tmp_path: Path) -> None:
    for name in ("app/latest.py", "x.dist-info/METADATA", "mlx_lm/models/core.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(traces.traces(tmp_path, [MACHINE])) == []
