"""Messages between the engine and its confined children: plain data with a length before it.

A message is the length of a JSON object in four bytes, the object, and the bytes that its "blobs"
counts. Nothing is pickled: unpickling what a hostile child sends would run its code here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

HEAD = 4
"""Bytes of the length that comes first."""


class DamagedError(Exception):
    """What came is no message, or is longer than it may be."""


def pack(content: dict[str, Any], blobs: tuple[bytes, ...] = ()) -> list[bytes]:
    """A message as the pieces to write, in their order."""
    body = json.dumps({**content, "blobs": [len(b) for b in blobs]}, default=plain).encode()
    return [len(body).to_bytes(HEAD, "big"), body, *blobs]


def unpack(
    read: Callable[[int], bytes], most: int | None = None
) -> tuple[dict[str, Any], list[bytes]]:
    """The next message, taken from `read`, which returns exactly as many bytes as it is asked for.

    Args:
        most: how many bytes a message may have; None for whoever trusts the other side.

    Raises:
        DamagedError: it is too long, or is not JSON of the right form.
    """
    length = int.from_bytes(read(HEAD), "big")
    if most is not None and length > most:
        raise DamagedError(f"{length:,} bytes")
    try:
        content = json.loads(read(length))
    except (ValueError, RecursionError) as error:
        raise DamagedError(str(error)) from None
    lengths = content.pop("blobs", None) if isinstance(content, dict) else None
    if not isinstance(lengths, list) or not all(type(n) is int and n >= 0 for n in lengths):
        raise DamagedError("no list of lengths")
    if most is not None and length + sum(lengths) > most:
        raise DamagedError(f"{length + sum(lengths):,} bytes")
    return content, [read(n) for n in lengths]


def plain(value: object) -> str:
    """What stands for a value that JSON has no form for; transformers shows templates the same."""
    return f"<{type(value).__name__}>"
