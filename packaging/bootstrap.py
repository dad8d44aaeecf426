"""Set up .venv. `make run` and `make test` run this first.

It needs only the standard library of Python 3.11 or newer, and exits immediately if the environment
already matches `pyproject.toml` and `packaging/constraints.txt`.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - this line is for whoever runs it with an older one
    sys.exit(
        f"Stretto needs Python 3.11 or newer, this is {sys.version.split()[0]}. "
        "Try: make PYTHON=python3.12 run"
    )

import tomllib

import languages
import small_model

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"

PIP = (str(VENV / "bin" / "python"), "-m", "pip")
RARELY = (
    r"(transformers|mlx_vlm)/models/(?!auto/)|site-packages/(pip|setuptools|mypy|mypyc)/"
    r"|mlx_vlm/(?!models/)|transformers/(cli|exporters|integrations|pipelines|quantizers)/"
    r"|huggingface_hub/(cli|inference)/|numpy/(distutils|f2py)/|pygments/lexers/"
    r"|site-packages/.*/tests/"
)
"""Files of packages that are compiled only when they are imported.

Users load few of the models of mlx-vlm and transformers and of the lexers of Pygments. Other parts
and tests of packages are never imported, and mypy is compiled C.
"""

COMPILERS = ("cc", "gcc", "clang")
ZIG = "ziglang==0.17.1"  # a C compiler in a wheel

# Shared libraries that Qt's xcb and offscreen platforms load on Linux, and their Debian packages.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
# Optional. With it a Linux CPU processes prompts 15 to 30 times faster.
RECOMMENDED = {"libopenblas.so.0": "libopenblas0-pthread"}


def missing(libraries: dict[str, str]) -> list[str]:
    """Return the Debian packages of the libraries that the dynamic loader does not find."""
    packages = []
    for library, package in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            packages.append(package)
    return packages


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages if running as root. Return True on success."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
    ):
        if subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=False).returncode:
            return False
    return True


def ensure_system_libraries() -> None:
    """Install the libraries that Qt needs on Linux, or print the command if not running as root."""
    if sys.platform != "linux":
        return
    needed, wanted = missing(QT_LIBRARIES), missing(RECOMMENDED)
    if shutil.which("fc-list") is None and needed:
        wanted.append("fonts-dejavu-core")
    if not needed and not wanted:
        return
    if apt_install(needed + wanted):
        return
    line = f"sudo apt-get install -y --no-install-recommends {' '.join(needed + wanted)}"
    if needed:
        sys.exit(f"Stretto's window needs some system libraries. Install them with:\n\n  {line}\n")
    print(f"For much faster answers on this CPU, install OpenBLAS:\n\n  {line}\n")


def create_venv() -> None:
    """Create .venv, with the pinned pip if this Python has pip.

    Otherwise Python's bundled pip is installed first, which takes 4 s. The one in 3.11 is also
    slower: it resolves in 18 s instead of 6, on one core. Debian's python3 may lack pip and the
    venv module. In that case, they are installed.
    """
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    other = [sys.executable, "-m", "pip", "--python", str(VENV / "bin" / "python")]
    for step in ([*command, "--without-pip"], _pip_install(["pip"], other)):
        if subprocess.run(step, capture_output=True, check=False).returncode:
            break
    else:
        return
    if subprocess.run(command, capture_output=True, check=False).returncode:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        if not apt_install([package]) or subprocess.run(command, check=False).returncode:
            sys.exit(
                "Python's venv module is missing. Install it with:\n\n"
                f"  sudo apt-get install -y {package}\n"
            )
    subprocess.run(_pip_install(["--upgrade", "pip"]), check=False, capture_output=True)


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def project() -> dict[str, Any]:
    found: dict[str, Any] = _pyproject()["project"]
    return found


def without_dependencies() -> list[str]:
    found: list[str] = _pyproject()["tool"]["stretto"]["without-dependencies"]
    return found


def requirements(backend: str) -> list[str]:
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *extras[backend], *extras["dev"]]


def _pip_install(wanted: list[str], pip: Sequence[str] = PIP) -> list[str]:
    how = ["--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    return [*pip, *how, "--no-warn-conflicts", "--constraint", str(CONSTRAINTS), *wanted]


def install(*lists: list[str]) -> None:
    """Install lists of packages in parallel, with pinned versions. No package may be in two lists.

    Each pip uses one core. While they run, the app and finished packages are compiled.
    """
    known = _done()
    running = [subprocess.Popen(_pip_install(wanted)) for wanted in lists]
    for folder in ("app", "engine"):
        compileall.compile_dir(ROOT / folder, quiet=2)
    while any(pip.poll() is None for pip in running):
        time.sleep(0.1)
        new = _done() - known
        known |= new
        for file in (file for package in sorted(new) for file in _code(package)):
            compileall.compile_file(file, quiet=2)
            if all(pip.poll() is not None for pip in running):
                break
    if any(pip.returncode for pip in running):
        sys.exit("Setting up .venv failed; pip's message above says why. Nothing else was changed.")


def _done() -> set[Path]:
    """Return a file of each installed package. pip writes it last."""
    return set(VENV.glob("lib/python*/site-packages/*.dist-info/INSTALLER"))


def _code(package: Path) -> Iterator[Path]:
    """Yield the files of a finished package to compile, from its list of files."""
    with package.with_name("RECORD").open(encoding="utf-8", newline="") as files:
        for name, *_ in csv.reader(files):
            file = package.parents[1] / name
            if name.endswith(".py") and not re.search(RARELY, str(file)):
                yield file


def finish_installed() -> None:
    """Compile all remaining files on all cores. pip would use one."""
    python = str(VENV / "bin" / "python")
    command = [python, "-m", "compileall", "-q", "-j", "0", "-x", RARELY, str(VENV / "lib")]
    # some packages have files that cannot be compiled, such as templates; pip ignores them too
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        # saves half a second at each start; optional
        keeping = [python, "-m", "engine.text.import_structure"]
        subprocess.run(keeping, cwd=ROOT, check=False, capture_output=True)


def build_kernels() -> None:
    """Compile the CPU kernels on Linux if their sources have changed.

    Without a C compiler, Zig's is downloaded temporarily. If that fails, the app runs without the
    kernels, and models with few bits are slow. The next attempt follows when the sources have
    changed or a compiler was installed.
    """
    if sys.platform != "linux":
        return
    digest, kernels = hashlib.sha256(), ROOT / "engine" / "kernels"
    for file in (kernels / "build.py", *sorted((kernels / "source").iterdir())):
        digest.update(file.read_bytes())
    has_compiler = any(map(shutil.which, COMPILERS))
    stamp = VENV / "stretto-kernels"
    known, _, built = stamp.read_text().partition("\n") if stamp.exists() else ("", "", "")
    if known == digest.hexdigest() and (Path(built).is_file() if built else not has_compiler):
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if not has_compiler:
            pip = [*PIP, "--disable-pip-version-check", "install", "--quiet", "--target", folder]
            subprocess.run([*pip, ZIG], check=False)
            environment["PYTHONPATH"] = folder
        command = [str(VENV / "bin" / "python"), "-m", "engine.kernels.build"]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
    stamp.write_text(f"{digest.hexdigest()}\n{done.stdout.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument(
        "--libraries-only", action="store_true", help="see to the system libraries and stop there"
    )
    parser.add_argument(
        "--small-model",
        nargs="?",
        choices=("once", "again"),
        const="once",
        help="bring SmolLM2 too; `again` asks the index even where that failed before",
    )
    options = parser.parse_args()
    backend = options.backend

    ensure_system_libraries()
    if options.libraries_only:
        return
    set_up(backend)
    if backend == "cpu":
        build_kernels()
    languages.make()
    if options.small_model:
        here = small_model.bring(VENV, options.small_model == "again")
        if options.small_model == "again":
            sys.exit(0 if here else 1)


def set_up(backend: str) -> None:
    """Set up .venv, unless it already matches the project."""
    wanted = hashlib.sha256(
        (ROOT / "pyproject.toml").read_bytes()
        + CONSTRAINTS.read_bytes()
        + f"{backend} {sys.version_info[:2]}".encode()
    ).hexdigest()
    stamp = VENV / "stretto-setup"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("Setting up .venv (once; a few minutes on a slow line) …", flush=True)
    if not (VENV / "bin" / "pip").exists() or (stamp.exists() and not stamp.read_text()):
        create_venv()
        stamp.touch()  # if it stays empty, packages may be incomplete, so .venv is recreated
    install(requirements(backend), ["--no-deps", *without_dependencies()])
    # Earlier versions of this script unpacked PySide's modules, which PySide would prefer.
    for unpacked in VENV.glob("lib/python*/site-packages/shiboken6/files.dir"):
        shutil.rmtree(unpacked)
    finish_installed()
    stamp.write_text(wanted)


if __name__ == "__main__":
    main()
