"""Messages, limits and errors shared by the engine and its children.

A message is a JSON object (preceded by its length in four bytes) and raw "blobs", whose lengths are
in the object. Pickle isn't used, because unpickling can run code chosen by the sender.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec import Struct

LENGTH_BYTES = 4  # size of the JSON object's length prefix

# Wall-clock limit as a multiple of the CPU limit, for tasks that wait without using CPU.
WALL_TIME_FACTOR = 10.0

_MB = 2**20

TaskReply = tuple[dict[str, Any], list[bytes]]  # result and blobs


class ChildKind(Enum):
    """Purpose of a child, as an argument of its command line."""

    PROMPTS = "prompts"
    TOKENIZERS = "tokenizers"  # imports transformers before the first request
    DOCUMENTS = "documents"
    WRITES = "writes"  # may write to a single folder

    @property
    def is_paced(self) -> bool:
        return self in (ChildKind.TOKENIZERS, ChildKind.DOCUMENTS, ChildKind.WRITES)


class RefusedError(Exception):
    pass


class TaskError(Exception):
    """Raised if a task fails. The message is a predicate such as "took longer than 5 seconds".

    Attributes:
        cause: "time", "memory", "output", "crash", "fault" (exception in the task) or "cancelled".
        signal: the signal that killed the child, if it crashed.
    """

    def __init__(self, cause: str, text: str, signal: int = 0) -> None:
        super().__init__(text)
        self.cause = cause
        self.signal = signal


class MalformedMessageError(Exception):
    pass


class TaskLimits(Struct, frozen=True):
    """Limits for one request. A child that exceeds one is killed.

    Attributes:
        cpu_s: CPU time. The wall-clock limit is `WALL_TIME_FACTOR` times as long.
        memory_bytes: address space. On systems that can't limit it, resident memory. 0 for no
            limit.
        file_bytes: maximum size of each file written (`ChildKind.WRITES` only).
    """

    cpu_s: float
    memory_bytes: int
    output_bytes: int
    file_bytes: int = 0

    def exceeded_error(self, limit: str) -> TaskError:
        texts = {
            "time": f"took longer than {self.cpu_s:g} seconds",
            "memory": f"needed more than {self.memory_bytes / 1e9:.1f} GB of memory",
            "output": f"produced more than {self.output_bytes / 1e6:.0f} MB",
        }
        return TaskError(limit, texts[limit])


FILES_LIMITS = TaskLimits(20.0, 1024 * _MB, 16 * _MB)
# Importing transformers takes two seconds, or six on a busy machine. Loading its largest tokenizers
# takes another six. A vocabulary of 200,000 tokens takes 420 MB, or 540 MB of address space.
TOKENIZER_LIMITS = TaskLimits(90.0, 3072 * _MB, 128 * _MB)
TEMPLATE_LIMITS = TaskLimits(5.0, 1024 * _MB, 64 * _MB)
FORM_LIMITS = TaskLimits(8.0, 2048 * _MB, _MB)
# llguidance's tables take 7 MB for 200,000 tokens, and 2 s if the child hasn't built them yet.
FORM_TOKENS_LIMITS = TaskLimits(30.0, 2048 * _MB, 128 * _MB)
# A 1,000-page book takes one or two seconds. pdfium maps the file into the address space.
DOCUMENT_LIMITS = TaskLimits(60.0, 2048 * _MB, 64 * _MB)
# 12 megapixels take 0.5 s and 170 MB. The largest image we accept takes 4 s and 1.2 GB.
IMAGE_LIMITS = TaskLimits(20.0, 2048 * _MB, 64 * _MB)


def encoding_limits(characters: int) -> TaskLimits:
    """Return the limits for tokenizing a text.

    Measured on a busy core, with the Guide's tokenizer: 1.3 s and 150 MB per megabyte.
    """
    return TaskLimits(
        10.0 + 8.0 * characters / _MB, 2048 * _MB + 400 * characters, 16 * _MB + 16 * characters
    )


def conversion_limits(size: int) -> TaskLimits:
    """Return the limits for converting a GGUF file of `size` bytes.

    Measured on a busy core: 1.4 s for 100 MB. The output can be 1.5 times as large (6 bits become
    8, plus scales), with a tokenizer.json of up to 50 MB.
    """
    return TaskLimits(60.0 + size / (4 * _MB), 2048 * _MB, _MB, 2 * size + 256 * _MB)


def pack(content: dict[str, Any], blobs: tuple[bytes, ...] = ()) -> list[bytes]:
    body = json.dumps({**content, "blobs": [len(b) for b in blobs]}, default=json_fallback).encode()
    return [len(body).to_bytes(LENGTH_BYTES, "big"), body, *blobs]


def unpack(read: Callable[[int], bytes], max_bytes: int | None = None) -> TaskReply:
    """Read the next message.

    Args:
        read: returns exactly the given number of bytes.

    Raises:
        MalformedMessageError: if it's too long, or isn't valid JSON in the expected form.
    """
    length = int.from_bytes(read(LENGTH_BYTES), "big")
    if max_bytes is not None and length > max_bytes:
        raise MalformedMessageError(f"{length:,} bytes")
    try:
        content = json.loads(read(length))
    except (ValueError, RecursionError) as error:
        raise MalformedMessageError(str(error)) from None
    lengths = content.pop("blobs", None) if isinstance(content, dict) else None
    if not isinstance(lengths, list) or not all(type(n) is int and n >= 0 for n in lengths):
        raise MalformedMessageError("not a list of lengths")
    if max_bytes is not None and length + sum(lengths) > max_bytes:
        raise MalformedMessageError(f"{length + sum(lengths):,} bytes")
    return content, [read(n) for n in lengths]


def json_fallback(value: object) -> str:
    return f"<{type(value).__name__}>"
