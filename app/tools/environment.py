"""The environment of a server's process: an allow-list, and the PATH of the login shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = ("HOME", "LOGNAME", "USER", "SHELL", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_USUAL = ("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
_MARK = "--path-of-the-login-shell--"
SHELL_S = 5.0
"""How long a login shell may take to say its PATH; some start whole programs."""

_lock = threading.Lock()
_path: str | None = None


def login_path(shell: str | None = None, seconds: float = SHELL_S) -> str:
    """The PATH that programs get in the person's terminal; asked of the shell once.

    A program that was started by a double click has the system's short PATH, in which no ``npx``
    and no ``uvx`` is. Blocks for ``seconds`` at most.
    """
    global _path
    with _lock:
        if _path is None or shell is not None:
            found = _ask(shell or os.environ.get("SHELL") or "/bin/sh", seconds)
            _path = _joined(found, os.environ.get("PATH", ""))
        return _path


def _ask(shell: str, seconds: float) -> str:
    """What the shell says; "" when it says nothing in time."""
    try:
        # A session of its own: an interactive shell would take the terminal from the program.
        child = subprocess.Popen(
            [shell, "-l", "-i", "-c", f"echo {_MARK}; /usr/bin/env; echo {_MARK}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return ""
    try:
        out, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(child)
        return ""
    told = out.decode(errors="replace").split(_MARK)
    lines = told[1].splitlines() if len(told) > 2 else []
    return next((line[5:] for line in lines if line.startswith("PATH=")), "")


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, 9)
    except (ProcessLookupError, PermissionError):
        child.kill()
    if child.stdout is not None:
        child.stdout.close()  # a grandchild may hold the other end open for ever
    child.wait()


def _joined(first: str, second: str) -> str:
    own = str(Path.home() / ".local" / "bin")
    folders = [*first.split(os.pathsep), *second.split(os.pathsep), *_USUAL, own]
    # A relative folder would mean another place for every server.
    return os.pathsep.join(dict.fromkeys(f for f in folders if os.path.isabs(f)))


def child_environment(path: str, extra: Mapping[str, str]) -> dict[str, str]:
    """What a server's process sees of the environment: keys and tokens of others are not in it."""
    kept = {name: os.environ[name] for name in _ALLOWED if name in os.environ}
    return {**kept, "PATH": path, **extra}


def find_program(command: str, path: str) -> str | None:
    """Where the program lies; None where there is none."""
    return shutil.which(os.path.expanduser(command), path=path)
