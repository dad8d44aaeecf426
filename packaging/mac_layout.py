"""Lays out the Mac program by PyInstaller on Linux: ``python packaging/mac_layout.py``.

Fetches a Mac's wheels (as `mac_wheels.py` does, into build/macos-wheels) and lets PyInstaller
build Stretto.app of them, by the same `stretto.spec` as on a Mac (`mac_pretend.py` replaces what
only a Mac has). PyInstaller itself does this: find the modules, run its hooks, choose Qt's
plugins, find every library that another one needs, write its own search paths into them, put the
program together with a Mac's start file, and lay out Contents/MacOS, Frameworks and Resources with
their links. Not checked are Python's own libraries, signatures, and whether it runs.

Then `mac_app.py` checks the app:

- every library that a file links with is found in the app by its search paths, or is the system's;
- no link is broken or leads out of the app, and code and data lie where codesign wants them;
- mlx.metallib lies where libmlx.dylib looks for it;
- Info.plist names files that exist. A library that asks for a newer macOS than Info.plist is one
  whose symbols `mac_wheels.py` has checked.

Exit status 1 when something is found.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import bootstrap

sys.path.insert(0, str(bootstrap.ROOT))

import icons
import mac_app
import mac_wheels
import macos

BUILD = bootstrap.ROOT / "build"
BOOTLOADER = "PyInstaller/bootloader/Darwin-64bit/"
NEEDED = ("platforms/libqcocoa", "styles/libqmacstyle", "iconengines/libqsvgicon")
"""Qt's plugins that the window needs."""


def bootloader(folder: Path) -> Path:
    """PyInstaller's start file for Macs, from its wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = mac_wheels._download(folder, "pyinstaller", version("pyinstaller"))
    if wheel is None:
        sys.exit("PyInstaller's wheel for a Mac could not be fetched.")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if n.startswith(BOOTLOADER)])
    return folder / BOOTLOADER


def lay_out(site: Path, start: Path, work: Path) -> tuple[Path, list[str]]:
    """Build the app; its path and PyInstaller's warnings. Raises CalledProcessError."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (BUILD / "Stretto.icns").write_bytes(
        icons.icns(bootstrap.ROOT / "resources" / "icons" / "stretto.svg")
    )
    environment = {
        **os.environ,
        "PYINSTALLER_CONFIG_DIR": str(work / "cache"),
        "QT_QPA_PLATFORM": "offscreen",
        "STRETTO_CODESIGN_IDENTITY": "",
    }
    script, spec = (bootstrap.ROOT / "packaging" / n for n in ("mac_pretend.py", "stretto.spec"))
    command = [sys.executable, *map(str, (script, site, start, work, spec))]
    done = subprocess.run(
        command, check=False, env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)
        done.check_returncode()
    warned = [line.partition("WARNING: ")[2] for line in done.stderr.splitlines()]
    return work / "dist" / "Stretto.app", [line for line in warned if line]


def judge(app: Path, warned: list[str], excused: list[str]) -> mac_app.Found:
    """Check the app and the warnings of its build."""
    found = mac_app.look(app, macos.MINIMUM_SYSTEM)
    found.faults += [line for line in warned if line.startswith("Library not found")]
    for plugin in NEEDED:
        if not list(app.rglob(f"plugins/{plugin}.dylib")):
            found.faults.append(f"Qt's plugin {plugin} is not in the app")
    known = {Path(name).name for name in excused}
    for name in found.newer:
        if Path(name).name not in known:
            found.faults.append(f"{name} asks for a newer macOS, and was not looked at by symbols")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=BUILD / "macos-wheels")
    parser.add_argument("--work", type=Path, default=BUILD / "mac-layout")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the report")
    options = parser.parse_args()
    wheels = mac_wheels.Report()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    mac_wheels.fetch(folder, wheels)
    mac_wheels.unpack(folder, folder / "site")
    mac_wheels.look(folder / "site", wheels)
    start = bootloader(folder / "bootloader")
    app, warned = lay_out(folder / "site", start, options.work.resolve())
    found = judge(app, warned, wheels.newer)
    found.faults += wheels.faults
    print(
        f"{app.name}: {found.bytes / 1e6:.1f} MB, {found.links} links, {found.binaries} binaries;"
    )
    print(f"they link {found.loads} times with a library. {len(found.newer)} ask for a newer macOS")
    print(f"than {macos.MINIMUM_SYSTEM}, and are looked at by symbols.")
    for line in warned:
        print(f"  PyInstaller: {line}")
    for fault in found.faults:
        print(f"  {fault}")
    if options.json:
        options.json.write_text(json.dumps({**asdict(found), "warned": warned}, indent=1))
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
