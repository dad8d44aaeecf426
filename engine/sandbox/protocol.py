"""What the engine and its children share: messages, limits, kinds of children, and errors.

A message is the length of a JSON object in four bytes, the object, and the bytes that its "blobs"
counts. Nothing is pickled: unpickling what a hostile child sends would run its code here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec import Struct

HEAD = 4  # bytes of the length that comes first

PATIENCE = 10.0  # by the clock: for what waits, and takes no processor time

_MB = 2**20

Reply = tuple[dict[str, Any], list[bytes]]  # a task's result and the bytes that came with it


class Kind(Enum):
    """What a child is for; the value is its argument on the command line."""

    PROMPTS = "prompts"
    TOKENIZERS = "tokenizers"  # imports what checking one takes before it is asked
    DOCUMENTS = "documents"
    WRITES = "writes"  # may write files into a folder that it is given

    @property
    def takes_seconds(self) -> bool:
        """Whether its work is paced beside chats that stream."""
        return self in (Kind.TOKENIZERS, Kind.DOCUMENTS, Kind.WRITES)


class RefusedError(Exception):
    """The work was done, and the answer is no: a sentence for people."""


class TaskError(Exception):
    """The work was not done. The text goes on a sentence: "took longer than 5 seconds"."""

    def __init__(self, cause: str, text: str, signal: int = 0) -> None:
        super().__init__(text)
        # "time", "memory", "output", "crash", "fault" (of the child's code) or "cancelled"
        self.cause = cause
        self.signal = signal  # that ended a child which crashed


class DamagedError(Exception):
    """What came is no message, or is longer than it may be."""


class Limits(Struct, frozen=True):
    """What a child may take for one request before it is killed."""

    # of processor time, so that a busy machine costs nobody an answer. By the clock it may take
    # `PATIENCE` times as long.
    seconds: float
    # bytes: of address space where the system limits that, else of resident memory; 0 for no limit
    memory: int
    output: int  # bytes of its answer
    # bytes of each file that it writes; only a child that was started for that may
    written: int = 0

    def exceeded(self, what: str) -> TaskError:
        """The error for a child that took more "time", "memory" or "output" than it may."""
        texts = {
            "time": f"took longer than {self.seconds:g} seconds",
            "memory": f"needed more than {self.memory / 1e9:.1f} GB of memory",
            "output": f"made more than {self.output / 1e6:.0f} MB",
        }
        return TaskError(what, texts[what])


FILES = Limits(20.0, 1024 * _MB, 16 * _MB)
# Importing transformers takes two seconds, six on a busy machine; its largest tokenizers take
# six more. One of 200,000 tokens takes 420 MB, 540 MB of address space.
TOKENIZER = Limits(90.0, 3072 * _MB, 128 * _MB)
TEMPLATE = Limits(5.0, 1024 * _MB, 64 * _MB)
FORM = Limits(8.0, 2048 * _MB, _MB)
# Prepared parts of a form's tokenizer: 7 MB at 200,000 tokens, 2 s when the child has not made it.
FORM_TOKENS = Limits(30.0, 2048 * _MB, 128 * _MB)
# A book of a thousand pages takes a second or two; address space, as pdfium maps the file.
DOCUMENT = Limits(60.0, 2048 * _MB, 64 * _MB)
# 12 million pixels take half a second and 170 MB; the most that are read take four, and 1.2 GB.
IMAGE = Limits(20.0, 2048 * _MB, 64 * _MB)


def encoding(characters: int) -> Limits:
    """The limits for tokenising so many characters.

    Measured: 1.3 s and 150 MB for a megabyte on a busy core (the Guide's tokenizer).
    """
    return Limits(
        10.0 + 8.0 * characters / _MB, 2048 * _MB + 400 * characters, 16 * _MB + 16 * characters
    )


def converting(size: int) -> Limits:
    """The limits for reading a GGUF file of so many bytes and writing its folder.

    Measured: 100 MB in 1.4 s on a busy core. What is written is at most half as large again (six
    bits become eight, with scales), beside a tokenizer.json of up to 50 MB.
    """
    return Limits(60.0 + size / (4 * _MB), 2048 * _MB, _MB, 2 * size + 256 * _MB)


def pack(content: dict[str, Any], blobs: tuple[bytes, ...] = ()) -> list[bytes]:
    """A message as the pieces to write, in their order."""
    body = json.dumps({**content, "blobs": [len(b) for b in blobs]}, default=plain).encode()
    return [len(body).to_bytes(HEAD, "big"), body, *blobs]


def unpack(read: Callable[[int], bytes], most: int | None = None) -> Reply:
    """The next message.

    Args:
        read: returns exactly as many bytes as it is asked for.
        most: how many bytes a message may have; None where the other side is trusted.

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
