"""Runs PyInstaller on Linux as on a Mac, for `mac_layout.py`: SITE BOOTLOADER WORK SPEC.

All of SPEC is run: PyInstaller's module graph, its hooks, its search for libraries (by macholib),
its layout of the .app. Only this is replaced:

- PyInstaller's platform switches say darwin, and modules are found in SITE, a Mac's packages;
- its child processes, which import packages to ask them something, import Linux's packages of the
  same versions, and the paths in their answers are translated to SITE;
- Python's own library and extension modules are not among the wheels: files without code take their
  place, so what they link with is not checked;
- `apple_tools.py` takes the place of Apple's tools, and nothing is signed.
"""

from __future__ import annotations

import ctypes.util
import importlib.machinery
import platform
import plistlib
import site
import sys
import sysconfig
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SUFFIX = ".cpython-312-darwin.so"
SYSTEM = "/usr/lib/libSystem.B.dylib"

_early = (ctypes.util, urllib.request)
"""Modules that choose their system on import. They are imported before Linux is hidden."""


class Instead:
    """A module with some of its attributes replaced."""

    def __init__(self, module: Any, **attributes: Any) -> None:
        self._module = module
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def turn_switches() -> None:
    """Make PyInstaller believe that this is a Mac. Its other modules must not be imported yet."""
    from PyInstaller import compat

    for name in ("is_linux", "is_unix", "is_musl"):
        setattr(compat, name, False)
    compat.is_darwin = compat.is_macos_11 = compat.is_macos_11_native = True
    compat._macos_ver = (15, 0)
    compat.architecture, compat.system, compat.machine = "64bit", "Darwin", None
    # `stretto.spec` reads these two.
    sys.platform = "darwin"
    platform.mac_ver = lambda *_: ("15.0", ("", "", ""), "arm64")


def stand_ins(folder: Path) -> tuple[Path, Path, Path]:
    """Make a Python installation as on a Mac: program, framework, folder of extension modules."""
    import mach_o

    version = "3.12"
    framework = folder / "Python.framework" / "Versions" / version
    modules = folder / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "lib-dynload"
    for made in (framework / "Resources", modules, folder / "bin"):
        made.mkdir(parents=True)
    (framework / "Resources" / "Info.plist").write_bytes(
        plistlib.dumps({"CFBundleIdentifier": "org.python.python", "CFBundleExecutable": "Python"})
    )
    installed = f"/Library/Frameworks/Python.framework/Versions/{version}/Python"
    (framework / "Python").write_bytes(mach_o.library(installed, (SYSTEM,), minimum=(11, 0)))
    program = folder / "bin" / "python3"
    program.write_bytes(mach_o.library(None, (SYSTEM,), minimum=(11, 0)))
    ours = sysconfig.get_config_var("EXT_SUFFIX")
    for file in Path(sysconfig.get_config_var("DESTSHARED")).glob(f"*{ours}"):
        stand_in = modules / (file.name.removesuffix(ours) + SUFFIX)
        stand_in.write_bytes(mach_o.library(None, (SYSTEM,), minimum=(11, 0)))
    return program, framework / "Python", modules


def answer(site_packages: Path, bootloader: Path, work: Path) -> None:
    """Replace those functions of PyInstaller that need a Mac."""
    import apple_tools
    from PyInstaller import compat
    from PyInstaller.isolated import _parent

    program, library, modules = stand_ins(work / "stand-ins")
    linux_path, linux_site = list(sys.path), sysconfig.get_path("purelib")

    # Child processes run Linux's Python with Linux's packages.
    compat.__dict__["__wrap_python"] = lambda args, options: ([sys.executable, *args], options)
    _parent.sys = Instead(sys, path=linux_path)
    asked = _parent.Python.call

    def translated(value: Any) -> Any:
        if isinstance(value, str) and value.startswith(linux_site):
            return str(site_packages) + value.removeprefix(linux_site)
        if isinstance(value, (list, tuple)):
            return type(value)(translated(v) for v in value)
        if isinstance(value, dict):
            return {k: translated(v) for k, v in value.items()}
        return value

    _parent.Python.call = lambda self, *a, **k: translated(asked(self, *a, **k))

    # The modules that are collected are the Mac's.
    site.getsitepackages = lambda *_: [str(site_packages)]
    site.getusersitepackages = lambda: ""
    suffixes = [SUFFIX, ".abi3.so", ".so", sysconfig.get_config_var("EXT_SUFFIX")]
    machinery = importlib.machinery
    finder = machinery.FileFinder.path_hook(
        (machinery.ExtensionFileLoader, suffixes),
        (machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES),
        (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
    )
    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()
    sys.path.insert(0, str(site_packages))

    from PyInstaller.building import api
    from PyInstaller.depend import bindepend
    from PyInstaller.lib.modulegraph import modulegraph
    from PyInstaller.utils import osx

    library_path = [str(site_packages), sysconfig.get_path("stdlib"), str(modules)]
    modulegraph.sys = Instead(sys, path=library_path)
    bindepend.sys = Instead(sys, executable=str(program))
    bindepend.get_python_library_path = lambda: str(library)
    # PyInstaller finds the first two extension modules by importing them.
    first = api.get_bootstrap_modules
    api.get_bootstrap_modules = lambda: [_own(entry, modules) for entry in first()]
    api.EXE._bootloader_file = lambda self, name, extension=None: str(
        bootloader / (name if self.console else name + "w")
    )
    osx.subprocess = apple_tools


def _own(entry: tuple[str, str, str], modules: Path) -> tuple[str, str, str]:
    name, source, kind = entry
    if kind != "EXTENSION":
        return entry
    stand_in = Path(source).name.removesuffix(sysconfig.get_config_var("EXT_SUFFIX")) + SUFFIX
    return str(Path(name).with_name(stand_in)), str(modules / stand_in), kind


def main() -> None:
    site_packages, bootloader, work, spec = (Path(text) for text in sys.argv[1:])
    sys.path[:0] = [str(ROOT / "packaging"), str(ROOT)]
    turn_switches()
    answer(site_packages, bootloader, work)
    from PyInstaller.__main__ import run

    options = ["--noconfirm", "--clean", "--log-level", "WARN"]
    options += ["--distpath", str(work / "dist"), "--workpath", str(work / "work")]
    run([*options, str(spec)])


if __name__ == "__main__":
    main()
