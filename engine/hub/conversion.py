"""Quantising a model's folder with mlx-lm's own `convert`, in a child process that can be ended.

The new folder is written beside its place, looked at, and moved there whole: it is complete or it
is not there. What is called here has the shape of `hub.download`: a progress, an event to cancel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.cache.config_shape import text_configs
from engine.errors import (
    DOWNLOAD_CANCELLED,
    INVALID_REQUEST,
    MODEL_LOAD_FAILED,
    NO_SPACE,
    EngineError,
)
from engine.hub import downloads
from engine.hub.downloads import SPARE, Progress
from engine.hub.models import knows
from engine.hub.names import clean_name
from engine.model import folder as folders
from engine.sandbox import confined
from engine.sandbox.process import engine_command

BITS = (4, 6, 8)
RECIPES = ("mixed_2_6", "mixed_3_4", "mixed_3_6", "mixed_4_6")
"""mlx-lm's own: layers that matter more are kept in more bits."""

_LOOK_S = 0.1
_SCALES = 0.5  # bits a number, for the scale and bias of a group
_RECIPE_BITS = {"mixed_2_6": 3.5, "mixed_3_4": 3.4, "mixed_3_6": 4.0, "mixed_4_6": 4.7}


def convert(
    folder: Path,
    out: Path,
    bits: int = 4,
    recipe: str | None = None,
    progress: Progress | None = None,
    cancelled: threading.Event | None = None,
) -> Path:
    """Quantise a folder; returns the new one, which the engine can load. Takes minutes.

    Args:
        bits: 4, 6 or 8; has no effect with a recipe.
        recipe: one of `RECIPES`.
        cancelled: set it from any thread to stop within a fraction of a second.

    Raises:
        EngineError: `invalid_request` (the folder is there already, or cannot be made smaller so),
            `no_space`, `model_load_failed`, `download_cancelled`. Nothing is left then.
    """
    stop = cancelled or threading.Event()
    name = clean_name(folders.display_name(folder)) or "The model"
    expected, group = _judge(folder, out, name, bits, recipe)
    out.parent.mkdir(parents=True, exist_ok=True)
    _tidy(out)
    beside = Path(tempfile.mkdtemp(prefix=f".{out.name}.{os.getpid()}.", dir=out.parent))
    try:
        made = beside / out.name
        how = ["--recipe", recipe] if recipe else ["--bits", str(bits)]
        command = engine_command(
            *("convert", str(folder), "--out", str(made), *how, "--child", str(group))
        )
        _run(command, beside, name, expected, progress or (lambda _done, _total: None), stop)
        for code in made.glob("*.py"):  # mlx-lm copies it; it is never run, and not kept
            code.unlink()
        confined.shared().inspect_model(made, name)
        if out.exists():
            raise _wrong(f"{out} has come into being meanwhile. Choose another place.")
        made.rename(out)
    except OSError as error:
        raise EngineError(NO_SPACE, f"The converted model cannot be written: {error}.") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return out


def in_child(folder: Path, out: Path, bits: int, recipe: str | None, group: int) -> None:
    """What the child does: mlx-lm's `convert`. It ends when its parent does."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from engine.model import backend

    backend.start()  # mlx must not be imported in another way than the engine does
    from mlx_lm.convert import convert as mlx_lm_convert

    mlx_lm_convert(
        str(folder),
        str(out),
        quantize=True,
        q_group_size=group,
        q_bits=None if recipe else bits,
        quant_predicate=recipe,
    )


def _wrong(message: str) -> EngineError:
    return EngineError(INVALID_REQUEST, message)


def _judge(folder: Path, out: Path, name: str, bits: int, recipe: str | None) -> tuple[int, int]:
    """The bytes to expect and the group size; raises where it cannot be done."""
    if recipe is not None and recipe not in RECIPES:
        raise _wrong(f"There is no recipe {recipe!r}. There are: {', '.join(RECIPES)}.")
    if recipe is None and bits not in BITS:
        raise _wrong(f"Models are quantised to 4, 6 or 8 bits, not to {bits}.")
    if out.exists() or out.is_symlink():
        raise _wrong(f"{out} is there already. Choose another place.")
    facts = confined.shared().inspect_model(folder, name)
    if any(facts.config.get(key) for key in ("quantization", "quantization_config")):
        raise _wrong(f"{name} is quantised already. Convert the model it was made from.")
    if not knows(facts.config):
        raise EngineError(
            MODEL_LOAD_FAILED,
            f"{name} is of the type {str(facts.config['model_type'])[:60]!r}, which this version "
            "does not know.",
        )
    numbers = facts.wide // 4  # all of them counted as floating-point
    expected = expected_bytes(numbers, bits, recipe)
    free = downloads.free_bytes(out)
    if expected + SPARE > free:
        raise EngineError(
            NO_SPACE,
            f"{name} will take {expected / 1e9:.2f} GB, and the disk has {free / 1e9:.2f} GB left. "
            "Free some space, or choose fewer bits.",
        )
    return expected, _group(facts.config)


def expected_bytes(numbers: int, bits: int, recipe: str | None) -> int:
    """About what so many weights will take."""
    width = _RECIPE_BITS[recipe] if recipe else bits
    return int(numbers * (width + _SCALES) / 8)


def _group(config: Mapping[str, Any]) -> int:
    """Numbers that share a scale: 64, or 32 where the model's width is no multiple of that."""
    places = text_configs(config)
    width = next((p["hidden_size"] for p in places if type(p.get("hidden_size")) is int), 64)
    return 64 if width % 64 == 0 else 32


def _run(
    command: list[str],
    beside: Path,
    name: str,
    expected: int,
    progress: Progress,
    stop: threading.Event,
) -> None:
    """Run the child to its end, and report what it has written."""
    log = beside / "log"
    with log.open("wb") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        progress(0, expected)
        while child.poll() is None:
            if stop.wait(_LOOK_S):
                raise EngineError(DOWNLOAD_CANCELLED, f"Converting {name} was cancelled.")
            progress(min(_written(beside), expected), expected)
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()
    if child.returncode:
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = said[-1][:300] if said else f"its process ended with {child.returncode}"
        raise EngineError(MODEL_LOAD_FAILED, f"{name} could not be converted: {last}")
    progress(expected, expected)


def _written(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*.safetensors"):
        try:
            total += file.stat().st_size
        except OSError:  # just renamed
            continue
    return total


def _tidy(out: Path) -> None:
    """Throw away what a conversion to this place has left whose process has died."""
    for left in out.parent.glob(f".{out.name}.*"):
        found = re.fullmatch(rf"\.{re.escape(out.name)}\.(\d+)\..+", left.name)
        if found is None:
            continue
        try:
            os.kill(int(found[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
        except OSError:  # it lives, and is somebody else's
            continue


def _end_with_parent() -> None:
    """Whoever started this holds the other end of the standard input."""
    os.read(0, 1)
    os._exit(1)
