"""Programs for external checks, whose dependencies conflict with this project's.

Each has its own environment below `build/environments`, created on demand from `NAME.txt` in this
folder. These files pin every version.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def npm_install(folder: Path, *packages: str) -> None:
    """Install npm packages into a folder, unless that was done before.

    Raises:
        SystemExit: the packages cannot be installed.
    """
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    print(f"installing {packages[0]} into {folder.relative_to(ROOT)}", flush=True)
    npm = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), *packages]
    if subprocess.call(npm, stdout=subprocess.DEVNULL):
        raise SystemExit(f"{packages[0]} cannot be installed: is there a network?")
    (folder / "complete").touch()


def python_of(name: str) -> Path:
    """Return the Python of an environment, after creating the environment if it is missing."""
    pinned = HERE / f"{name}.txt"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(pinned.read_bytes()).hexdigest()[:12]
    folder = ROOT / "build" / "environments" / f"{name}-{version}-{digest}"
    return pip_install(folder, "--no-deps", "-r", str(pinned))


def pip_install(folder: Path, *arguments: str) -> Path:
    """Return the Python of an environment, in which pip has installed packages once.

    Raises:
        SystemExit: the packages cannot be installed.
    """
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing {arguments[-1]} into {folder.relative_to(ROOT)}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        if subprocess.call([str(python), "-m", "pip", "install", "--quiet", *arguments]):
            raise SystemExit(f"{arguments[-1]} cannot be installed: is there a network?")
        (folder / "complete").touch()
    return python
