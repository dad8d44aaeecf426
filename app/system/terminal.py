"""Commands that run in the user's terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess

TERMINALS: dict[str, Sequence[str]] = {
    "x-terminal-emulator": ["-e"],
    "ptyxis": ["--"],
    "kgx": ["-e"],
    "gnome-terminal": ["--"],
    "konsole": ["-e"],
    "xfce4-terminal": ["-x"],
    "mate-terminal": ["-x"],
    "lxterminal": ["-e"],
    "qterminal": ["-e"],
    "tilix": ["-e"],
    "ghostty": ["-e"],
    "kitty": [],
    "wezterm": ["start", "--"],
    "alacritty": ["-e"],
    "foot": [],
    "xterm": ["-e"],
}
"""Linux terminals in order of preference, with the arguments before the command."""


def open_terminal(typed: str, folder: Path, script: Path) -> bool:
    """Open a terminal that runs a command and then a shell. Return False if there's no terminal.

    ``folder`` is the shell's working directory. The command is written to the file ``script``,
    because terminals can only run programs.
    """
    shell = 'exec "${SHELL:-/bin/sh}"'
    text = f"#!/bin/sh\n({typed})\ncd {shlex.quote(str(folder))}\n{shell}\n"
    script.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    script.unlink(missing_ok=True)
    with os.fdopen(os.open(script, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "w") as file:
        file.write(text)
    if sys.platform == "darwin":
        return start_program("/usr/bin/open", ["-a", "Terminal", str(script)])
    return any(
        start_program(program, [*before, str(script)])
        for name, before in TERMINALS.items()
        if (program := shutil.which(name)) is not None
    )


def start_program(program: str, arguments: Sequence[str]) -> bool:
    """Start a program that keeps running when the app quits."""
    return QProcess.startDetached(program, list(arguments))[0]
