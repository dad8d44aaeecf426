"""Parts that are removed from a Linux bundle without affecting how it loads."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="for Linux bundles"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
]


@pytest.fixture
def slim(module: Callable[[str], Any]) -> Any:
    return module("slim")


def compiled(target: Path, code: str, *options: str) -> Path:
    target.parent.mkdir(exist_ok=True)
    command = ["cc", "-shared", "-fPIC", "-g", "-x", "c", "-", "-x", "none"]
    command += ["-o", str(target), f"-Wl,-soname,{target.name}", *options]
    subprocess.run(command, input=code, check=True, text=True)
    return target


def test_names_match_the_loader(slim: Any, tmp_path: Path) -> None:
    code = "int elsewhere(void); int here(void) { return elsewhere(); } static int own = 1;"
    file = compiled(tmp_path / "libx.so", code)
    has, wants = slim.elf.names(file.read_bytes())
    assert b"here" in has
    assert b"elsewhere" in wants
    assert b"own" not in has | wants


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    whole = "int sgemm(void) { return %d; } int more(void) { return 7; }"
    compiled(tmp_path / "libopenblas.so.0", whole % 2)
    own = compiled(tmp_path / "x.libs" / "libblas-12ab.so.3", "int sgemm(void) { return 1; }")
    user = "int sgemm(void); int use(void) { return sgemm(); }"
    compiled(tmp_path / "libuser.so", user, str(own), f"-Wl,-rpath,{own.parent}")
    return tmp_path


def used(bundle: Path) -> int:
    """Return the user's result from a new process, because libraries stay loaded by name."""
    code = f"import ctypes; print(ctypes.CDLL({str(bundle / 'libuser.so')!r}).use())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(done.stdout)


def test_one_library_replaces_the_wheels_copy(slim: Any, bundle: Path) -> None:
    slim.share(bundle)
    link = bundle / "x.libs" / "libblas-12ab.so.3"
    assert link.is_symlink()
    assert link.resolve() == bundle / "libopenblas.so.0"
    assert used(bundle) == 2


def test_library_without_a_symbol_is_not_a_replacement(slim: Any, bundle: Path) -> None:
    compiled(bundle / "libopenblas.so.0", "int other(void) { return 2; }")
    slim.share(bundle)
    assert not (bundle / "x.libs" / "libblas-12ab.so.3").is_symlink()


def test_nothing_is_shared_without_a_replacement(slim: Any, bundle: Path) -> None:
    (bundle / "libopenblas.so.0").unlink()
    slim.share(bundle)
    assert not (bundle / "x.libs" / "libblas-12ab.so.3").is_symlink()


@pytest.mark.skipif(shutil.which("strip") is None, reason="no strip")
def test_stripped_libraries_work(slim: Any, bundle: Path) -> None:
    before = slim._size(bundle)
    slim.strip(bundle)
    assert slim._size(bundle) < before
    assert not list(bundle.rglob("*.stripped"))
    assert used(bundle) == 1


def test_without_strip_libraries_stay(
    slim: Any, bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    before = slim._size(bundle)
    slim.strip(bundle)
    assert slim._size(bundle) == before
    assert "no strip" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("strip") is None, reason="no strip")
def test_stripped_library_with_moved_data_is_refused(slim: Any, bundle: Path) -> None:
    file = bundle / "libopenblas.so.0"
    before = file.read_bytes()
    made = bundle / "made"
    subprocess.run(["strip", "--strip-unneeded", "-o", str(made), str(file)], check=True)
    after = made.read_bytes()
    assert slim._loads_alike(before, after)
    places = [at for at in range(64, 64 + 56 * after[56], 56) if after[at] == 1]
    moved = bytearray(after)
    moved[places[-1] + 16] ^= 0x10  # an address
    assert not slim._loads_alike(before, bytes(moved))
    assert not slim._loads_alike(before, before)
