"""The single-file Linux program: unpacked once, then only started, with clear errors."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made for Linux")

ROOT = Path(__file__).resolve().parents[2]
NAME = "Stretto-1.2.3-linux-x86_64"
WRITE = runpy.run_path(str(ROOT / "packaging" / "onefile.py"))["write"]


def make(folder: Path, version: str = "1.2.3", says: str = "started") -> Path:
    """Build the file of a program that prints its arguments."""
    program = folder / "made" / NAME
    program.mkdir(parents=True, exist_ok=True)
    (program / "stretto").write_text(f'#!/bin/sh\necho {says} "$@"\n')
    (program / "install.sh").write_text("#!/bin/sh\necho installed\n")
    for file in program.iterdir():
        file.chmod(0o755)
    archive = folder / "made" / f"{NAME}.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(program, NAME)
    made: Path = WRITE(archive, NAME, version)
    return made


def run(
    file: Path, home: Path, *arguments: str, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(file), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={"HOME": str(home), "PATH": path},
    )


def kept(home: Path) -> list[str]:
    return sorted(p.name for p in (home / ".local/share/Stretto/program").iterdir())


def test_the_first_start_unpacks_and_later_ones_do_not(tmp_path: Path) -> None:
    file, home = make(tmp_path), tmp_path / "home"
    done = run(file, home, "--profile", "a folder")
    assert (done.returncode, done.stdout) == (0, "started --profile a folder\n"), done.stderr
    assert len(kept(home)) == 1
    place = home / ".local/share/Stretto/program" / kept(home)[0]
    (place / "stretto").write_text("#!/bin/sh\necho the same\n")
    assert run(file, home).stdout == "the same\n"
    assert run(file, home, "--install").stdout == "installed\n"


def test_newer_file_replaces_older_program(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(make(tmp_path), home)
    (before,) = kept(home)
    assert run(make(tmp_path, "1.3.0", "newer"), home).stdout == "newer\n"
    (after,) = kept(home)
    assert before != after


def test_two_concurrent_first_starts_work(tmp_path: Path) -> None:
    file, home = make(tmp_path), tmp_path / "home"
    children = [
        subprocess.Popen(
            [str(file)],
            stdout=subprocess.PIPE,
            text=True,
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
        )
        for _ in range(4)
    ]
    assert [child.communicate(timeout=60)[0] for child in children] == ["started\n"] * 4
    assert len(kept(home)) == 1


def test_damaged_file_is_reported_and_leaves_nothing(tmp_path: Path) -> None:
    file, home = make(tmp_path), tmp_path / "home"
    content = bytearray(file.read_bytes())
    content[-100] ^= 1
    file.write_bytes(bytes(content))
    done = run(file, home)
    assert done.returncode == 1
    assert "damaged" in done.stderr
    assert kept(home) == []


def test_missing_xz_names_the_package(tmp_path: Path) -> None:
    file, home = make(tmp_path), tmp_path / "home"
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sh", "mkdir", "mktemp", "rm", "tail", "sha256sum", "cut", "tar", "mv", "grep"):
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    done = run(file, home, path=str(tools))
    assert done.returncode == 1
    assert "xz-utils" in done.stderr
    assert kept(home) == []


def test_program_can_be_unpacked_elsewhere(tmp_path: Path) -> None:
    file, home = make(tmp_path), tmp_path / "home"
    assert run(file, home, "--extract", str(tmp_path)).returncode == 0
    assert (tmp_path / NAME / "stretto").exists()
    assert run(file, home, "--extract", str(tmp_path)).returncode == 1
    assert run(file, home, "--extract").returncode == 2
    assert not home.exists()
