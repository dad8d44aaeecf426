"""Build the app for distribution: ``make app``.

Makes a folder that needs no Python, and an archive of it, and prints the size of its parts. Fails
if the folder exceeds its budget, if the self-test fails, or if the bundle contains paths of this
machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT)]

import bootstrap  # noqa: E402
import contents  # noqa: E402
import disk_image  # noqa: E402
import icons  # noqa: E402
import languages  # noqa: E402
import macos  # noqa: E402
import release  # noqa: E402
import slim  # noqa: E402
import traces  # noqa: E402

from app.system import licenses  # noqa: E402
from engine.text import import_structure  # noqa: E402

BUILD = ROOT / "build"
FOLDER = BUILD / "dist" / "Stretto"
ICON = ROOT / "resources" / "icons" / "stretto.svg"

FOLDER_BUDGET = 385_000_000
"""Limit of the Linux folder in bytes, if `strip` is installed."""
UNSTRIPPED_BUDGET = 445_000_000
MAC_BUDGET = 350_000_000
ARCHIVE_BUDGET = 115_000_000
"""Limit of the archive in bytes."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-archive", action="store_true", help="make only the folder")
    options = parser.parse_args()
    if traces.named_by_python():
        print(f"Python is in {sys.base_prefix}, which its libraries name. Use one in a folder like")
        print("/usr or /opt: make clean app PYTHON=/usr/bin/python3")
        return 1
    bootstrap.install(bootstrap.project()["optional-dependencies"]["app"])
    if not languages.make():
        return 1
    if sys.platform == "darwin":
        BUILD.mkdir(exist_ok=True)
        (BUILD / "Stretto.icns").write_bytes(icons.icns(ICON))
    freeze()
    if sys.platform == "linux":
        for step, saved in slim.slim(FOLDER / "_internal").items():
            print(f"{saved / 1e6:>8.1f} MB  less: {step}")
        add_desktop_files()
        import_structure.save_structure(FOLDER / "_internal" / "transformers")
    write_parts_list()
    size = report()
    self_test()
    left = list(traces.traces(FOLDER, traces.private_folders())) if sys.platform == "linux" else []
    for line in left:
        print(f"Of this machine: {line}")
    budget = FOLDER_BUDGET if shutil.which("strip") else UNSTRIPPED_BUDGET
    budget = MAC_BUDGET if sys.platform == "darwin" else budget
    if size > budget:
        print(f"The folder is larger than {budget / 1e6:.0f} MB.")
    if left or size > budget:
        return 1
    if options.no_archive:
        return 0
    if sys.platform == "darwin":
        image = disk_image.make(FOLDER.parent / "Stretto.app", contents.version())
        print(f"{image.relative_to(ROOT)}: {image.stat().st_size / 1e6:.1f} MB")
        return 0
    archive = pack()
    packed = archive.stat().st_size
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    print(f"{archive.relative_to(ROOT)}: {packed / 1e6:.1f} MB, sha256 {digest}")
    if packed > ARCHIVE_BUDGET:
        print(f"The archive is larger than {ARCHIVE_BUDGET / 1e6:.0f} MB.")
        return 1
    return 0


def freeze() -> None:
    """Run PyInstaller with a fixed environment, so that builds of one commit are equal."""
    shutil.rmtree(FOLDER.parent, ignore_errors=True)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": str(committed_at()),
        # PyInstaller's hooks import Qt, and this machine may have no display.
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    command += ["--distpath", str(FOLDER.parent), "--workpath", str(BUILD / "work")]
    subprocess.run(
        [*command, str(ROOT / "packaging" / "stretto.spec")], check=True, env=environment
    )


def committed_at() -> int:
    """Return the time of the current commit in seconds since 1970."""
    git = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(git, check=False, capture_output=True, text=True)
    return int(done.stdout.strip() or 0)


def write_parts_list() -> None:
    system = "macos" if sys.platform == "darwin" else sys.platform
    target = BUILD / f"Stretto-{contents.version()}-{system}-{os.uname().machine}.cdx.json"
    listed = release.parts_list(BUILD / licenses.SHIPPED)
    target.write_text(json.dumps(listed, indent=1), encoding="utf-8")


def add_desktop_files() -> None:
    """Add icons, desktop entry, metadata and the install script for Linux."""
    linux = ROOT / "packaging" / "linux"
    shutil.copy(linux / "install.sh", FOLDER)
    (FOLDER / "share").mkdir()
    for size in (16, 22, 24, 32, 48, 64, 128, 256, 512):
        place = FOLDER / "share" / "icons" / f"{size}x{size}"
        place.mkdir(parents=True)
        (place / f"{macos.IDENTIFIER}.png").write_bytes(icons.png(ICON, size))
    for file in sorted(linux.glob("app.stretto.*")):
        shutil.copy(file, FOLDER / "share")


def report() -> int:
    """Print the sizes of the largest parts. Return the bytes of the whole folder."""
    sizes: Counter[str] = Counter()
    for file in FOLDER.rglob("*"):
        if file.is_symlink() or not file.is_file():
            continue
        parts = file.relative_to(FOLDER).parts
        part = parts[1] if len(parts) > 1 else parts[0]
        if len(parts) == 2 and ".so" in part:
            part = "openblas" if "openblas" in part else "the system's libraries"
        sizes[part.split("-")[0] if part.endswith(".dist-info") else part] += file.stat().st_size
    for part, size in sizes.most_common(20):
        print(f"{size / 1e6:>8.1f} MB  {part}")
    print(f"{sizes.total() / 1e6:>8.1f} MB  in all")
    return sizes.total()


def self_test() -> None:
    """Run the frozen app's self-test. Raises CalledProcessError if it fails."""
    program = FOLDER / "stretto"
    if sys.platform == "darwin":
        program = FOLDER.parent / "Stretto.app" / "Contents" / "MacOS" / "stretto"
    # The loader resolves all symbols at startup, so a missing one fails here.
    subprocess.run(
        [str(program), "--self-test", "--json", str(BUILD / "self-test.json")],
        check=True,
        env={**os.environ, "LD_BIND_NOW": "1"},
    )


def pack() -> Path:
    """Pack the folder without owners and build times, so equal folders give equal archives."""
    name = f"Stretto-{contents.version()}-linux-{os.uname().machine}"
    target = BUILD / f"{name}.tar.xz"
    moment = committed_at()

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime = moment
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    with lzma.open(target, "wb", preset=6) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for file in sorted(FOLDER.rglob("*")):
            tar.add(file, f"{name}/{file.relative_to(FOLDER)}", recursive=False, filter=plain)
    return target


if __name__ == "__main__":
    sys.exit(main())
