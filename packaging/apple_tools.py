"""Replacements for the three tools of Apple's that PyInstaller calls, for other systems.

lipo and install_name_tool do what Apple's do with files of 64 bits; codesign takes a signature
away, and signs nothing. They are called as PyInstaller's module would call `subprocess`, whose
place this module takes (`mac_pretend.py`).
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mach_o

PIPE, STDOUT = subprocess.PIPE, subprocess.STDOUT


def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
    """Run one command and return its result as `subprocess.run` would."""
    tool, *options = command
    try:
        {"lipo": lipo, "install_name_tool": install_name_tool, "codesign": codesign}[
            Path(tool).name
        ](options)
    except ValueError as error:
        return subprocess.CompletedProcess(command, 1, f"{options[-1]}: {error}")
    return subprocess.CompletedProcess(command, 0, "")


def lipo(options: list[str]) -> None:
    """`-thin arm64 IN -output OUT`."""
    thin, architecture, source, output, target = options
    if (thin, architecture, output) != ("-thin", "arm64", "-output"):
        raise ValueError(f"lipo {options} has no stand-in")
    Path(target).write_bytes(mach_o.thin(Path(source).read_bytes()))


def install_name_tool(options: list[str]) -> None:
    """`-id`, `-change`, `-delete_rpath` and `-add_rpath`, in that order, and the file."""
    file = Path(options[-1])
    data = file.read_bytes()
    made = mach_o.commands(data)
    for option, values in _options(options[:-1]):
        if option == "-id":
            made = [_renamed(c, {mach_o.IDENTITY}, None, values[0]) for c in made]
        elif option == "-change":
            made = [_renamed(c, mach_o.LOADS, *values) for c in made]
        elif option == "-delete_rpath":
            kept = [c for c in made if not _is_run_path(c, values[0])]
            if len(kept) == len(made):
                raise ValueError(f"no run path {values[0]}")
            made = kept
        else:
            made.append(mach_o.run_path(values[0]))
    file.write_bytes(mach_o.with_commands(data, made))


def _options(options: list[str]) -> Iterator[tuple[str, list[str]]]:
    counts = {"-id": 1, "-change": 2, "-delete_rpath": 1, "-add_rpath": 1}
    at = 0
    while at < len(options):
        count = counts[options[at]]
        yield options[at], options[at + 1 : at + 1 + count]
        at += 1 + count


def _renamed(command: bytes, kinds: set[int], old: str | None, new: str) -> bytes:
    if mach_o.kind(command) in kinds and old in (None, mach_o.name(command)):
        return mach_o.named(command, new)
    return command


def _is_run_path(command: bytes, text: str) -> bool:
    return mach_o.kind(command) == mach_o.RUN_PATH and mach_o.name(command) == text


def codesign(options: list[str]) -> None:
    """`--remove` removes the signature of a thin file. Signing does nothing."""
    if "--remove" not in options:
        return
    file = Path(options[-1])
    data = file.read_bytes()
    commands = mach_o.commands(data)
    for command in commands:
        if mach_o.kind(command) == mach_o.SIGNATURE:
            offset, size = struct.unpack_from("<2I", command, 8)
            if offset + size != len(data):
                raise ValueError("the signature is not the file's end")
            kept = [c for c in commands if c is not command]
            file.write_bytes(mach_o.with_commands(data, kept)[:offset])
