"""In the child: the headers of safetensors files, before MLX believes them."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from engine.core.confined.refusing import RefusedError

_MOST_HEADER = 100 * 2**20  # safetensors' own limit
_MOST_TENSORS = 1_000_000
_BITS = {
    name: bits
    for bits, names in (
        (4, ("F4",)),
        (8, ("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0")),
        (16, ("U16", "I16", "F16", "BF16")),
        (32, ("U32", "I32", "F32")),
        (64, ("U64", "I64", "F64", "C64")),
    )
    for name in names
}


def header(file: Path, what: str = "model") -> dict[str, dict[str, Any]]:
    """The tensors of a safetensors file, each with "dtype", "shape" and "data_offsets".

    MLX believes a header: what it says is compared here with itself and with the file's size.

    Args:
        what: is to be downloaded again where it is damaged.

    Raises:
        RefusedError: it is damaged, or the file is incomplete.
    """
    damaged = RefusedError(f"{file.name} is damaged. Download the {what} again.")
    size = file.stat().st_size
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        head = stream.read(8)
        length = int.from_bytes(head, "little") if len(head) == 8 else -1
        if not 0 < length <= size - 8:
            raise RefusedError(f"{file.name} is damaged or incomplete. Download the {what} again.")
        if length > _MOST_HEADER:
            raise RefusedError(
                f"{file.name} has a header of {length / 1e6:,.0f} MB; safetensors allows 100."
            )
        try:
            content = json.loads(stream.read(length))
        except (ValueError, RecursionError):
            raise damaged from None
    if not isinstance(content, dict) or len(content) > _MOST_TENSORS:
        raise damaged
    content.pop("__metadata__", None)
    end = max((_end(entry, damaged) for entry in content.values()), default=0)
    if 8 + length + end > size:
        raise RefusedError(
            f"{file.name} is incomplete: {8 + length + end - size:,} bytes are missing. "
            f"Download the {what} again."
        )
    return content


def _end(entry: Any, damaged: RefusedError) -> int:
    """Where a tensor's bytes end, having looked whether its numbers agree."""
    if not isinstance(entry, dict):
        raise damaged
    shape, offsets = _whole(entry.get("shape")), _whole(entry.get("data_offsets"))
    if shape is None or offsets is None or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise damaged
    bits = _BITS.get(str(entry.get("dtype")))
    if bits is not None and math.prod(shape) * bits != 8 * (offsets[1] - offsets[0]):
        raise damaged
    return offsets[1]


def _whole(numbers: Any) -> list[int] | None:
    good = isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
    return numbers if good else None
