"""Tasks that each run in a child of their own. All functions block.

The child exits afterwards, so a hostile file can't affect the next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.errors import (
    ENGINE_STOPPED,
    INVALID_REQUEST,
    MODEL_LOAD_FAILED,
    EngineError,
)
from engine.sandbox import images, protocol
from engine.sandbox.images import DecodedImage
from engine.sandbox.pool import ChildSlots
from engine.sandbox.process import Child
from engine.sandbox.protocol import ChildKind, RefusedError, TaskError, TaskLimits, TaskReply
from engine.text.documents import Document, DrawnPage

_CHECK_S = 0.1  # interval between checks for cancellation

# Number of concurrent children. One slot is reserved for the window.
_document_slots = ChildSlots(3, reserved=1)
_media_slots = ChildSlots(3, reserved=1)
_locks_guard = threading.Lock()
_locks: weakref.WeakValueDictionary[Hashable, threading.Lock] = weakref.WeakValueDictionary()


def read_document(
    path: Path,
    stop: threading.Event | None = None,
    limits: TaskLimits = protocol.DOCUMENT_LIMITS,
    encoding: str = "",
) -> Document:
    """Convert a file to text with page boundaries, in at most a minute once started.

    Raises:
        EngineError: `invalid_request` if the file can't be read; `engine_stopped` if cancelled.
    """
    arguments = {"path": str(path.absolute()), "encoding": encoding}
    result, blobs = _run_in_child(
        "document", arguments, (), f"“{path.name}”", limits, stop, _document_slots
    )
    return Document(
        kind=str(result["kind"]),
        unit=str(result["unit"]),
        pages=tuple(blobs[0].decode(errors="replace").split("\f")),
        labels=tuple(map(str, result["labels"])),
        scans=tuple(map(int, result["scans"])),
        encoding=str(result["encoding"]),
    )


def draw_pages(
    path: Path,
    numbers: Sequence[int],
    pixels: int,
    small: int,
    stop: threading.Event | None = None,
    limits: TaskLimits = protocol.DOCUMENT_LIMITS,
) -> list[DrawnPage]:
    args = {"path": str(path.absolute()), "numbers": [*numbers], "pixels": pixels, "small": small}
    result, blobs = _run_in_child(
        "pages", args, (), f"“{path.name}”", limits, stop, _document_slots
    )
    files = zip(result["pages"], blobs[::2], blobs[1::2], strict=True)
    return [
        DrawnPage(number, width, height, jpeg, thumbnail)
        for (number, width, height), jpeg, thumbnail in files
    ]


def read_image(
    data: bytes,
    name: str = "The image",
    max_pixels: int = images.MAX_OUTPUT_PIXELS,
    thumbnail_px: int = 0,
    stop: threading.Event | None = None,
    limits: TaskLimits = protocol.IMAGE_LIMITS,
) -> DecodedImage:
    """Decode an image file. See `engine.sandbox.images`.

    Args:
        name: subject of error messages. Put file names in quotation marks.
        max_pixels: the result is scaled down to this. If 0, no pixels are returned.
        thumbnail_px: longer side of the JPEG thumbnail, or 0 for no thumbnail.

    Raises:
        EngineError: `invalid_request` if the image can't be decoded; `engine_stopped` if cancelled.
    """
    arguments = {"most": max_pixels, "thumbnail": thumbnail_px}
    result, blobs = _run_in_child("image", arguments, (data,), name, limits, stop, _media_slots)
    width, height, size = result["width"], result["height"], result["size"]
    if len(blobs[0]) != (3 * size[0] * size[1] if max_pixels else 0):
        raise EngineError(INVALID_REQUEST, f"{name} is damaged or incomplete.")
    return DecodedImage(
        str(result["format"]), width, height, (size[0], size[1]), blobs[0], blobs[1]
    )


def read_sound(
    data: bytes,
    name: str = "The recording",
    stop: threading.Event | None = None,
    limits: TaskLimits = protocol.IMAGE_LIMITS,
) -> bytes:
    return _run_in_child("sound", {}, (data,), name, limits, stop, _media_slots)[1][0]


@contextlib.contextmanager
def hold_lock(key: Hashable, name: str, stop: threading.Event | None = None) -> Iterator[None]:
    """Hold a lock for `key`, so that the same result isn't computed twice.

    Args:
        name: subject of error messages.
        stop: set it to stop waiting.

    Raises:
        EngineError: `engine_stopped` if cancelled.
    """
    with _locks_guard:
        turn = _locks.setdefault(key, threading.Lock())
    _acquire(turn, name, stop)
    try:
        yield
    finally:
        turn.release()


def _acquire(lock: threading.Lock, name: str, stop: threading.Event | None) -> None:
    while not lock.acquire(timeout=_CHECK_S):
        _check_stopped(name, stop)


def _check_stopped(name: str, stop: threading.Event | None) -> None:
    if stop is not None and stop.is_set():
        raise _cancelled_error(name)


def _run_in_child(
    do: str,
    arguments: dict[str, Any],
    blobs: tuple[bytes, ...],
    name: str,
    limits: TaskLimits,
    stop: threading.Event | None,
    slots: ChildSlots,
) -> TaskReply:
    try:
        with (
            slots.acquire(partial(_check_stopped, name, stop)),
            Child(ChildKind.DOCUMENTS) as child,
        ):
            return child.run_task(do, arguments, blobs, limits, stop)
    except RefusedError as refusal:
        raise EngineError(INVALID_REQUEST, f"{name} {refusal}.") from None
    except TaskError as error:
        if error.cause == "cancelled":
            raise _cancelled_error(name) from None
        reason = "it may be damaged" if error.cause == "fault" else f"it {error}"
        if error.signal == signal.SIGABRT:  # C++ libraries abort when they run out of memory
            reason = (
                f"it needs more than {limits.memory_bytes / 1e9:.1f} GB of memory, or is damaged"
            )
        raise EngineError(INVALID_REQUEST, f"{name} cannot be read: {reason}.") from None


def _cancelled_error(name: str) -> EngineError:
    return EngineError(ENGINE_STOPPED, f"Reading {name} was cancelled.")


def run_gguf_task(
    do: str,
    path: Path,
    called: str,
    limits: Callable[[int], TaskLimits] = protocol.conversion_limits,
    **extra_arguments: Any,
) -> dict[str, Any]:
    """Run a GGUF task: hash a file ("gguf_digest"), or convert it to a model folder ("gguf").

    Args:
        limits: returns the limits for a file of a given size in bytes.

    Raises:
        EngineError: `model_load_failed` if the task fails.
        OSError: if the file doesn't exist.
    """
    arguments = {"path": str(path), "called": called, **extra_arguments}
    task_limits = limits(os.stat(path).st_size)
    try:
        with Child(ChildKind.WRITES) as child:
            return child.run_task(do, arguments, (), task_limits)[0]
    except RefusedError as refusal:
        raise EngineError(MODEL_LOAD_FAILED, str(refusal)) from None
    except TaskError as error:
        words = f"{called} cannot be converted: reading it {error}."
        raise EngineError(MODEL_LOAD_FAILED, words) from None
