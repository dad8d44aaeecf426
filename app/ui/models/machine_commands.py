"""Runs the engine's commands for several machines in a process of their own."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.language import tr
from engine.sandbox.process import own_command


def last_json(text: str) -> list[dict[str, Any]]:
    """What stands in the last line of what a command printed."""
    lines = text.strip().splitlines()
    found: list[dict[str, Any]] = json.loads(lines[-1]) if lines else []
    return found


def run_command(arguments: Sequence[str], stop: threading.Event) -> str:
    """Run one of the engine's commands in a process of its own, until nobody wants it any more.

    Raises:
        OSError: it could not run; the words are its own.
    """
    root = str(Path(__file__).resolve().parents[3])
    with subprocess.Popen(
        own_command(*arguments), cwd=root, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
    ) as process:  # fmt: skip
        while True:
            try:
                told, said = process.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    process.terminate()
    if process.returncode not in (0, 1) or not told.strip():
        lines = said.strip().splitlines()
        raise OSError((lines or [tr("It has ended without a word.")])[-1].removeprefix("cluster: "))
    return told
