"""Messages, limits, and errors shared by the engine and its children.

A message is the length of a JSON object in four bytes, the object, and the raw "blobs" whose
lengths the object lists. Pickle is not used, since unpickling runs code of the sender.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec import Struct

LENGTH_BYTES = 4  # before the JSON object

WALL_TIME_FACTOR = 10.0  # wall-clock limit per CPU limit, for tasks that wait without CPU time

_MB = 2**20

TaskReply = tuple[dict[str, Any], list[bytes]]  # a task's result and its blobs


class ChildKind(Enum):
    """Purpose of a child. The value is its command-line argument."""

    PROMPTS = "prompts"
    TOKENIZERS = "tokenizers"  # imports transformers before its first request
    DOCUMENTS = "documents"
    WRITES = "writes"  # may write files into a given folder

    @property
    def is_paced(self) -> bool:
        """True if the child is paused while chats stream."""
        return self in (ChildKind.TOKENIZERS, ChildKind.DOCUMENTS, ChildKind.WRITES)


class RefusedError(Exception):
    """The task completed and rejected its input. The message is a sentence for users."""


class TaskError(Exception):
    """The task failed. The message is a predicate: "took longer than 5 seconds".

    Attributes:
        cause: "time", "memory", "output", "crash", "fault" (an exception in the task) or
            "cancelled".
        signal: number of the signal that ended a crashed child.
    """

    def __init__(self, cause: str, text: str, signal: int = 0) -> None:
        super().__init__(text)
        self.cause = cause
        self.signal = signal


class MalformedMessageError(Exception):
    """A message is invalid or too long."""


class TaskLimits(Struct, frozen=True):
    """Limits of one request. A child that exceeds one is killed.

    Attributes:
        cpu_s: processor time, which a busy machine does not use up. The wall-clock limit is
            `WALL_TIME_FACTOR` times as long.
        memory_bytes: address space, or resident memory on systems without that limit; 0 for none.
        output_bytes: size of the reply.
        file_bytes: size of each written file, for `ChildKind.WRITES`.
    """

    cpu_s: float
    memory_bytes: int
    output_bytes: int
    file_bytes: int = 0

    def exceeded(self, what: str) -> TaskError:
        """Return the error for exceeding "time", "memory" or "output"."""
        texts = {
            "time": f"took longer than {self.cpu_s:g} seconds",
            "memory": f"needed more than {self.memory_bytes / 1e9:.1f} GB of memory",
            "output": f"produced more than {self.output_bytes / 1e6:.0f} MB",
        }
        return TaskError(what, texts[what])


FILES_LIMITS = TaskLimits(20.0, 1024 * _MB, 16 * _MB)
# Importing transformers takes two seconds, six on a busy machine; its largest tokenizers take
# six more. A vocabulary of 200,000 takes 420 MB, or 540 MB of address space.
TOKENIZER_LIMITS = TaskLimits(90.0, 3072 * _MB, 128 * _MB)
TEMPLATE_LIMITS = TaskLimits(5.0, 1024 * _MB, 64 * _MB)
FORM_LIMITS = TaskLimits(8.0, 2048 * _MB, _MB)
# llguidance's tables: 7 MB for 200,000 tokens, 2 s if the child has not built them yet.
FORM_TOKENS_LIMITS = TaskLimits(30.0, 2048 * _MB, 128 * _MB)
# A book of 1,000 pages takes one or two seconds. pdfium maps the file into the address space.
DOCUMENT_LIMITS = TaskLimits(60.0, 2048 * _MB, 64 * _MB)
# 12 megapixels take 0.5 s and 170 MB; the largest accepted image takes 4 s and 1.2 GB.
IMAGE_LIMITS = TaskLimits(20.0, 2048 * _MB, 64 * _MB)


def encoding_limits(characters: int) -> TaskLimits:
    """Return the limits for tokenizing a number of characters.

    Measured: 1.3 s and 150 MB per megabyte on a busy core (the Guide's tokenizer).
    """
    return TaskLimits(
        10.0 + 8.0 * characters / _MB, 2048 * _MB + 400 * characters, 16 * _MB + 16 * characters
    )


def conversion_limits(size: int) -> TaskLimits:
    """Return the limits for converting a GGUF file of `size` bytes.

    Measured: 100 MB in 1.4 s on a busy core. The output is at most 1.5 times as large (6 bits
    become 8, with scales), plus a tokenizer.json of up to 50 MB.
    """
    return TaskLimits(60.0 + size / (4 * _MB), 2048 * _MB, _MB, 2 * size + 256 * _MB)


def pack(content: dict[str, Any], blobs: tuple[bytes, ...] = ()) -> list[bytes]:
    """Return a message as the pieces to write, in order."""
    body = json.dumps({**content, "blobs": [len(b) for b in blobs]}, default=json_fallback).encode()
    return [len(body).to_bytes(LENGTH_BYTES, "big"), body, *blobs]


def unpack(read: Callable[[int], bytes], max_bytes: int | None = None) -> TaskReply:
    """Read the next message.

    Args:
        read: returns exactly the requested number of bytes.
        max_bytes: size limit; None if the sender is trusted.

    Raises:
        MalformedMessageError: the message is too long or not valid JSON of the right form.
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
        raise MalformedMessageError("no list of lengths")
    if max_bytes is not None and length + sum(lengths) > max_bytes:
        raise MalformedMessageError(f"{length + sum(lengths):,} bytes")
    return content, [read(n) for n in lengths]


def json_fallback(value: object) -> str:
    """Return the placeholder that transformers uses for a value that JSON cannot represent."""
    return f"<{type(value).__name__}>"
