"""Quantization of model folders with mlx-lm's `convert`, in a child process.

The output is written to a temporary folder, checked and then renamed, so a converted folder is
always complete.
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
from engine.hub.downloads import RESERVED_BYTES, Progress
from engine.hub.models import is_known_architecture
from engine.hub.names import clean_name
from engine.model import folder as folders
from engine.sandbox import confined
from engine.sandbox.process import engine_command

BITS = (4, 6, 8)
RECIPES = ("mixed_2_6", "mixed_3_4", "mixed_3_6", "mixed_4_6")
"""mlx-lm's recipes, which use more bits for layers that matter more."""

_CHECK_S = 0.1
_SCALE_BITS = 0.5  # bits per value for a group's scale and bias
_RECIPE_BITS = {"mixed_2_6": 3.5, "mixed_3_4": 3.4, "mixed_3_6": 4.0, "mixed_4_6": 4.7}


def convert(
    folder: Path,
    out: Path,
    bits: int = 4,
    recipe: str | None = None,
    progress: Progress | None = None,
    cancelled: threading.Event | None = None,
) -> Path:
    """Quantize a model folder, which takes minutes, and return the new folder.

    Args:
        bits: 4, 6 or 8. Ignored if there is a recipe.
        cancelled: set it to stop the conversion.

    Raises:
        EngineError: `invalid_request` (the output exists, or the model can't be quantized this
            way), `no_space`, `model_load_failed` or `download_cancelled`. Nothing is left on disk
            then.
    """
    stop = cancelled or threading.Event()
    name = clean_name(folders.display_name(folder)) or "The model"
    expected, group = _check_convertible(folder, out, name, bits, recipe)
    out.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(out)
    temporary = Path(tempfile.mkdtemp(prefix=f".{out.name}.{os.getpid()}.", dir=out.parent))
    try:
        converted = temporary / out.name
        options = ["--recipe", recipe] if recipe else ["--bits", str(bits)]
        command = engine_command(
            *("convert", str(folder), "--out", str(converted), *options, "--child", str(group))
        )
        _run_conversion(
            command, temporary, name, expected, progress or (lambda _done, _total: None), stop
        )
        for code in converted.glob("*.py"):  # mlx-lm also copies code, which we never run
            code.unlink()
        confined.shared().inspect_model(converted, name)
        if out.exists():
            raise _invalid(f"{out} was created in the meantime. Choose another folder.")
        converted.rename(out)
    except OSError as error:
        raise EngineError(NO_SPACE, f"The converted model cannot be written: {error}.") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return out


def run_child(folder: Path, out: Path, bits: int, recipe: str | None, group: int) -> None:
    """Run mlx-lm's `convert` in the child. The child exits with its parent."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from engine.model import backend

    backend.start()  # imports MLX with the engine's settings
    from mlx_lm.convert import convert as mlx_lm_convert

    mlx_lm_convert(
        str(folder),
        str(out),
        quantize=True,
        q_group_size=group,
        q_bits=None if recipe else bits,
        quant_predicate=recipe,
    )


def _invalid(message: str) -> EngineError:
    return EngineError(INVALID_REQUEST, message)


def _check_convertible(
    folder: Path, out: Path, name: str, bits: int, recipe: str | None
) -> tuple[int, int]:
    if recipe is not None and recipe not in RECIPES:
        raise _invalid(f"Unknown recipe {recipe!r}. Use one of: {', '.join(RECIPES)}.")
    if recipe is None and bits not in BITS:
        raise _invalid(f"Cannot quantize to {bits} bits. Use 4, 6 or 8.")
    if out.exists() or out.is_symlink():
        raise _invalid(f"{out} exists already. Choose another folder.")
    facts = confined.shared().inspect_model(folder, name)
    if any(facts.config.get(key) for key in ("quantization", "quantization_config")):
        raise _invalid(f"{name} is quantized already. Convert the original model.")
    if not is_known_architecture(facts.config):
        raise EngineError(
            MODEL_LOAD_FAILED,
            f"{name} has type {str(facts.config['model_type'])[:60]!r}, which this version "
            "does not support.",
        )
    numbers = facts.wide // 4  # as if every value were floating point
    expected = expected_bytes(numbers, bits, recipe)
    free = downloads.free_bytes(out)
    if expected + RESERVED_BYTES > free:
        raise EngineError(
            NO_SPACE,
            f"{name} will take {expected / 1e9:.2f} GB, but the disk has {free / 1e9:.2f} GB free. "
            "Free some space, or choose fewer bits.",
        )
    return expected, _group_size(facts.config)


def expected_bytes(numbers: int, bits: int, recipe: str | None) -> int:
    width = _RECIPE_BITS[recipe] if recipe else bits
    return int(numbers * (width + _SCALE_BITS) / 8)


def _group_size(config: Mapping[str, Any]) -> int:
    places = text_configs(config)
    width = next((p["hidden_size"] for p in places if type(p.get("hidden_size")) is int), 64)
    return 64 if width % 64 == 0 else 32


def _run_conversion(
    command: list[str],
    temporary: Path,
    name: str,
    expected: int,
    progress: Progress,
    stop: threading.Event,
) -> None:
    log = temporary / "log"
    with log.open("wb") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        progress(0, expected)
        while child.poll() is None:
            if stop.wait(_CHECK_S):
                raise EngineError(DOWNLOAD_CANCELLED, f"Converting {name} was cancelled.")
            progress(min(_written_bytes(temporary), expected), expected)
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()
    if child.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = lines[-1][:300] if lines else f"its process exited with {child.returncode}"
        raise EngineError(MODEL_LOAD_FAILED, f"{name} could not be converted: {last}")
    progress(expected, expected)


def _written_bytes(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*.safetensors"):
        try:
            total += file.stat().st_size
        except OSError:  # the folder was just renamed
            continue
    return total


def _remove_leftovers(out: Path) -> None:
    for leftover in out.parent.glob(f".{out.name}.*"):
        match = re.fullmatch(rf"\.{re.escape(out.name)}\.(\d+)\..+", leftover.name)
        if match is None:
            continue
        try:
            os.kill(int(match[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(leftover, ignore_errors=True)
        except OSError:  # the process exists but belongs to another user
            continue


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)
