"""Make .venv ready: the one set-up step behind `make run` and `make test`.

It needs nothing but the standard library of Python 3.11 or newer, and ends at once if the
environment already matches `pyproject.toml` and `packaging/constraints.txt`.
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
"""The code of packages that is not compiled before it is first imported.

Of the models that mlx-vlm and transformers know, and of the languages that Pygments knows, a person
loads a few; the other parts never are, nor packages' own tests, and mypy is a library besides.
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
# Not needed to run. With it a Linux CPU reads prompts 15 to 30 times faster.
RECOMMENDED = {"libopenblas.so.0": "libopenblas0-pthread"}


def missing(libraries: dict[str, str]) -> list[str]:
    """The Debian packages of those libraries that the dynamic loader does not find."""
    packages = []
    for library, package in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            packages.append(package)
    return packages


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages if this is root; whether it worked."""
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
    """Check for the libraries that Qt needs on Linux; install them as root, else print how."""
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
    """Create .venv, with pip as pinned where this Python's own can bring it.

    Unpacking the pip that comes with Python takes 4 s. And that of 3.11 hashes all tags of this
    system for each wheel that there ever was of a package: finding out what to install takes it
    18 s, of one core, in place of 6. Debian's python3 may lack pip, and the venv module, which is
    installed then.
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
    """The `[project]` table of pyproject.toml."""
    found: dict[str, Any] = _pyproject()["project"]
    return found


def without_dependencies() -> list[str]:
    """The requirements that are installed without what they ask for themselves."""
    found: list[str] = _pyproject()["tool"]["stretto"]["without-dependencies"]
    return found


def requirements(backend: str) -> list[str]:
    """The requirements of .venv for `backend`."""
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *extras[backend], *extras["dev"]]


def _pip_install(wanted: list[str], pip: Sequence[str] = PIP) -> list[str]:
    """The command that installs into .venv at the versions that the constraints pin."""
    how = ["--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    return [*pip, *how, "--no-warn-conflicts", "--constraint", str(CONSTRAINTS), *wanted]


def install(*lists: list[str]) -> None:
    """Install lists of packages, none of them in two, at the versions that the constraints pin.

    Each pip keeps one core busy: they run side by side, and the program and the packages that they
    are done with are compiled meanwhile.
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
    """A file of each package that pip writes when all the code is there."""
    return set(VENV.glob("lib/python*/site-packages/*.dist-info/INSTALLER"))


def _code(package: Path) -> Iterator[Path]:
    """What of it is to be compiled, by its list of files. Code that is there by half never is."""
    with package.with_name("RECORD").open(encoding="utf-8", newline="") as files:
        for name, *_ in csv.reader(files):
            file = package.parents[1] / name
            if name.endswith(".py") and not re.search(RARELY, str(file)):
                yield file


def finish_installed() -> None:
    """Compile what is not compiled yet, on all cores; pip would do it on one."""
    python = str(VENV / "bin" / "python")
    command = [python, "-m", "compileall", "-q", "-j", "0", "-x", RARELY, str(VENV / "lib")]
    # pip, too, says nothing of a package's file that cannot be compiled, as a template
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        # Half a second less at each start; without it the program only starts later.
        keeping = [python, "-m", "engine.text.import_structure"]
        subprocess.run(keeping, cwd=ROOT, check=False, capture_output=True)


def build_kernels() -> None:
    """Compile the CPU kernels on Linux if their sources have changed.

    Without a C compiler Zig's is fetched for that and not kept. If neither is available, the
    program runs without the kernels, and models in few bits are slow. The next try is made when
    the sources have changed or a compiler has been installed.
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
    """Make .venv match the project, if it does not already."""
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
        stamp.touch()  # until it says something, this is begun anew: a package may be there by half
    install(requirements(backend), ["--no-deps", *without_dependencies()])
    # Earlier set-ups unpacked PySide's own modules, and PySide prefers them to its own.
    for unpacked in VENV.glob("lib/python*/site-packages/shiboken6/files.dir"):
        shutil.rmtree(unpacked)
    finish_installed()
    stamp.write_text(wanted)


if __name__ == "__main__":
    main()
