"""Writer of folders in MLX's layout for GGUF models. Converts a few rows at a time."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.hub.gguf import families
from engine.hub.gguf.blocks import GROUP, FloatType, pack_numbers
from engine.hub.gguf.families import ConversionPlan, SourceArray
from engine.hub.gguf.reading import GgufFile
from engine.hub.gguf.tokens import GgufVocabulary
from engine.sandbox.protocol import RefusedError

WEIGHTS = "model.safetensors"

SPARE = 64 * 10**6  # bytes to leave free on disk

_AT_ONCE = 2**20  # values processed at a time
_LICENCE = re.compile(r"[\w.+ -]{1,60}")


def hash_file(path: Path, called: str) -> dict[str, Any]:
    """Hash a file's content, so that it's recognized in any location."""
    file = GgufFile(path, called)
    try:
        GgufVocabulary(file, families.plan_conversion(file).config["vocab_size"])
    finally:
        file.close()
    with path.open("rb") as stream:
        return {"digest": hashlib.file_digest(stream, "sha256").hexdigest()}


def write_folder(path: Path, out: Path, called: str, card: dict[str, Any]) -> dict[str, Any]:
    """Convert a file to a model folder.

    Args:
        called: name of the file in error messages.
        card: content of the folder's `stretto.json`.
    """
    file = GgufFile(path, called)
    try:
        plan = families.plan_conversion(file)
        words = GgufVocabulary(file, plan.config["vocab_size"])
        header, size = _build_header(plan)
        free = shutil.disk_usage(out).free
        if size + SPARE > free:
            raise RefusedError(
                f"{called} needs {size / 1000000000.0:.2f} GB when converted, but the disk has "
                f"{free / 1000000000.0:.2f} GB free. Free some space."
            )
        _write_json(out / "tokenizer.json", words.tokenizer())
        _write_json(
            out / "tokenizer_config.json", words.config(plan.config["max_position_embeddings"])
        )
        ends = {"eos_token_id": words.ends} if words.ends else {}
        begins = {} if words.bos is None else {"bos_token_id": words.bos}
        _write_json(out / "config.json", {**plan.config, **begins, **ends})
        _write_json(out / "stretto.json", card)
        if sampling := _sampling(file):
            _write_json(out / "generation_config.json", sampling)
        licence = file.metadata.get("general.license")
        if isinstance(licence, str) and _LICENCE.fullmatch(licence):
            (out / "README.md").write_text(f"---\nlicense: {licence}\n---\n", encoding="utf-8")
        _write_weights(file, plan, out / WEIGHTS, header)
    finally:
        file.close()
    return {"bytes": size}


_SAMPLING = {
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "penalty_repeat": "repetition_penalty",
}


def _sampling(file: GgufFile) -> dict[str, Any]:
    settings = {
        name_here: file.metadata.get(f"general.sampling.{gguf_name}")
        for gguf_name, name_here in _SAMPLING.items()
    }
    return {
        name: float(f"{number:.7g}") if isinstance(number, float) else number
        for name, number in settings.items()
        if isinstance(number, int | float) and math.isfinite(number)
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


Places = dict[str, dict[str, Any]]


def _build_header(plan: ConversionPlan) -> tuple[bytes, int]:
    places: Places = {}
    end = 0

    def add(name: str, label: str, shape: list[int], nbytes: int) -> None:
        nonlocal end
        places[name] = {"dtype": label, "shape": shape, "data_offsets": [end, end + nbytes]}
        end += nbytes

    label, itemsize = plan.float_type.label, plan.float_type.nbytes
    for array in plan.arrays:
        *_, columns = shape = list(array.source.shape)
        rows, bits = array.source.rows, array.source.type.bits
        if not array.is_packed:
            add(f"{array.name}.{array.part}", label, shape, rows * columns * itemsize)
            continue
        add(f"{array.name}.weight", "U32", [rows, columns * bits // 32], rows * columns * bits // 8)
        for part in ("scales", "biases"):
            groups = columns // GROUP
            add(f"{array.name}.{part}", label, [rows, groups], rows * groups * itemsize)
    text = json.dumps({"__metadata__": {"format": "mlx"}, **places}).encode()
    text += b" " * (-len(text) % 8)
    header = len(text).to_bytes(8, "little") + text
    return header, len(header) + end


def _write_weights(file: GgufFile, plan: ConversionPlan, out: Path, header: bytes) -> None:
    places: Places = json.loads(header[8:])
    with out.open("wb") as stream:
        stream.write(header)
        for item in plan.arrays:
            rest = {part: places[f"{item.name}.{part}"]["data_offsets"][0] for part in _parts(item)}
            for pieces in _convert_rows(file, item, plan.float_type):
                for part, data in pieces.items():
                    _write_at(stream.fileno(), data, len(header) + rest[part])
                    rest[part] += len(data)


def _write_at(descriptor: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, at)
        view, at = view[count:], at + count


def _parts(item: SourceArray) -> tuple[str, ...]:
    return ("weight", "scales", "biases") if item.is_packed else (item.part,)


def _convert_rows(
    file: GgufFile, item: SourceArray, dtype: FloatType
) -> Iterator[dict[str, bytes]]:
    source = item.source
    step = max(1, _AT_ONCE // source.shape[-1])
    if item.reordered_heads:  # process whole heads, so that their rows stay together
        head = source.shape[0] // item.reordered_heads if len(source.shape) == 2 else 0
        step = max(1, step // head) * head if head else 1
    for first in range(0, source.rows, step):
        rows = file.read_rows(source, first, min(step, source.rows - first))
        if item.reordered_heads and len(source.shape) == 2:
            rows = _reorder_rows(rows, len(rows) // head)
        if source.type.groups is not None:
            groups = source.type.groups(rows, dtype)
            _check_finite(file, item, groups.scales, groups.biases)
            yield {
                "weight": pack_numbers(groups.numbers, source.type.bits),
                "scales": dtype.encode(groups.scales),
                "biases": dtype.encode(groups.biases),
            }
            continue
        assert source.type.floats is not None
        numbers = source.type.floats(rows)
        if item.reordered_heads and len(source.shape) == 1:
            numbers = _reorder_rows(numbers.reshape(-1, 1), item.reordered_heads).reshape(1, -1)
        if item.subtract:
            numbers = numbers - np.float32(item.subtract)
        numbers = dtype.round(numbers)
        _check_finite(file, item, numbers)
        yield {item.part: dtype.encode(numbers)}


def _reorder_rows(rows: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Reorder rows. GGUF interleaves the two halves of each head, MLX has one after the other."""
    pairs = rows.reshape(heads, -1, 2, rows.shape[-1])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(rows.shape)


def _check_finite(file: GgufFile, item: SourceArray, *arrays: np.ndarray[Any, Any]) -> None:
    if not all(np.isfinite(numbers).all() for numbers in arrays):
        raise file.damaged_error(f"the weights in {item.source.name!r} are not numbers")
