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


def folder_of(name: str) -> Path:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256((HERE / f"{name}.txt").read_bytes()).hexdigest()[:12]
    return ROOT / "build" / "environments" / f"{name}-{version}-{digest}"


def python_of(name: str) -> Path:
    """Return the Python of an environment, after creating the environment if it is missing.

    Raises:
        SystemExit: the packages cannot be installed.
    """
    pinned = HERE / f"{name}.txt"
    folder = folder_of(name)
    python = folder / "bin" / "python"
    done = folder / "complete"
    if not done.exists():
        print(f"installing {pinned.name} into {folder.relative_to(ROOT)}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "-r", str(pinned)]
        if subprocess.call(pip):
            raise SystemExit(f"{pinned.name} cannot be installed: is there a network?")
        done.touch()
    return python
