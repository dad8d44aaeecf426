"""Work that gets a child of its own, which ends after it. Blocks; call it from workers.

A file that a person attaches is read as text or as an image, a GGUF file is made into a folder.
What is hostile in one has no way to change the next one.
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
    DOWNLOAD_CANCELLED,
    ENGINE_STOPPED,
    INVALID_REQUEST,
    MODEL_LOAD_FAILED,
    EngineError,
)
from engine.sandbox import images, protocol
from engine.sandbox.images import Picture
from engine.sandbox.pool import ChildSlots
from engine.sandbox.process import Child
from engine.sandbox.protocol import Kind, Limits, RefusedError, Reply, TaskError
from engine.text.documents import Document, DrawnPage

_WAIT_S = 0.1  # between two checks whether a document that waits is still wanted

# Children at once. The window always gets one, whatever other programs' requests and models read.
_document_slots = ChildSlots(3, reserved=1)
_media_slots = ChildSlots(3, reserved=1)
_choosing = threading.Lock()
_turns: weakref.WeakValueDictionary[Hashable, threading.Lock] = weakref.WeakValueDictionary()


def read_document(
    path: Path,
    stop: threading.Event | None = None,
    limits: Limits = protocol.DOCUMENT,
    encoding: str = "",
) -> Document:
    """A file as text with page boundaries. Blocks, for a minute at most once it has begun.

    The chats' prompts, which have other children, never wait for one.

    Args:
        stop: set it from any thread to end the reading.
        encoding: of a text file, if it is known.

    Raises:
        EngineError: `invalid_request`, it cannot be read: a sentence that begins with its name;
            `engine_stopped`, it was cancelled.
    """
    asked = {"path": str(path.absolute()), "encoding": encoding}
    result, blobs = _read("document", asked, (), f"“{path.name}”", limits, stop, _document_slots)
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
    limits: Limits = protocol.DOCUMENT,
) -> list[DrawnPage]:
    """Pages of a PDF as images: see `engine.text.documents.draw`. As `read_document`."""
    asked = {"path": str(path.absolute()), "numbers": [*numbers], "pixels": pixels, "small": small}
    result, blobs = _read("pages", asked, (), f"“{path.name}”", limits, stop, _document_slots)
    files = zip(result["pages"], blobs[::2], blobs[1::2], strict=True)
    return [
        DrawnPage(number, width, height, jpeg, thumbnail)
        for (number, width, height), jpeg, thumbnail in files
    ]


def read_image(
    data: bytes,
    name: str = "The image",
    most: int = images.MOST_GIVEN,
    thumbnail: int = 0,
    stop: threading.Event | None = None,
    limits: Limits = protocol.IMAGE,
) -> Picture:
    """The image of a file of PNG, JPEG, GIF, WebP, BMP or TIFF: see `engine.sandbox.images`.

    Args:
        name: how sentences call it, in quotation marks where it is a file's.
        most: pixels that are given; a larger image is made smaller. 0 gives none.
        thumbnail: pixels of the longer side of a small JPEG; 0 makes none.
        stop: set it from any thread to end the reading.

    Raises:
        EngineError: `invalid_request`, it cannot be read: a sentence that begins with `name`;
            `engine_stopped`, it was cancelled.
    """
    asked = {"most": most, "thumbnail": thumbnail}
    result, blobs = _read("image", asked, (data,), name, limits, stop, _media_slots)
    width, height, size = result["width"], result["height"], result["size"]
    if len(blobs[0]) != (3 * size[0] * size[1] if most else 0):
        raise EngineError(INVALID_REQUEST, f"{name} is damaged or incomplete.")
    return Picture(str(result["format"]), width, height, (size[0], size[1]), blobs[0], blobs[1])


def read_sound(
    data: bytes,
    name: str = "The recording",
    stop: threading.Event | None = None,
    limits: Limits = protocol.IMAGE,
) -> bytes:
    """The samples of a recording: see `engine.sandbox.sounds`. As `read_image`."""
    return _read("sound", {}, (data,), name, limits, stop, _media_slots)[1][0]


@contextlib.contextmanager
def alone(key: Hashable, name: str, stop: threading.Event | None = None) -> Iterator[None]:
    """Have one at a time make what has this key: the others find it made.

    Args:
        name: how sentences call it.
        stop: set it from any thread to wait no longer.

    Raises:
        EngineError: `engine_stopped`, that happened.
    """
    with _choosing:
        turn = _turns.setdefault(key, threading.Lock())
    _wait(turn, name, stop)
    try:
        yield
    finally:
        turn.release()


def _wait(turn: threading.Lock, name: str, stop: threading.Event | None) -> None:
    while not turn.acquire(timeout=_WAIT_S):
        _check_stopped(name, stop)


def _check_stopped(name: str, stop: threading.Event | None) -> None:
    if stop is not None and stop.is_set():
        raise _not_read(name)


def _read(
    do: str,
    arguments: dict[str, Any],
    blobs: tuple[bytes, ...],
    name: str,
    limits: Limits,
    stop: threading.Event | None,
    slots: ChildSlots,
) -> Reply:
    """Read a file in a child of its own, in its turn, and return the result."""
    try:
        with slots.taken(partial(_check_stopped, name, stop)), Child(Kind.DOCUMENTS) as child:
            return child.ask(do, arguments, blobs, limits, stop)
    except RefusedError as refusal:
        raise EngineError(INVALID_REQUEST, f"{name} {refusal}.") from None
    except TaskError as error:
        if error.cause == "cancelled":
            raise _not_read(name) from None
        why = "it may be damaged" if error.cause == "fault" else f"it {error}"
        if error.signal == signal.SIGABRT:  # how libraries in C++ end when memory runs out
            why = f"it needs more than {limits.memory / 1e9:.1f} GB of memory, or is damaged"
        raise EngineError(INVALID_REQUEST, f"{name} cannot be read: {why}.") from None


def _not_read(name: str) -> EngineError:
    return EngineError(ENGINE_STOPPED, f"{name} is not read any more.")


def convert(
    do: str,
    path: Path,
    called: str,
    stop: threading.Event,
    limits: Callable[[int], Limits] = protocol.converting,
    **more: Any,
) -> dict[str, Any]:
    """A GGUF file's digest ("gguf_digest"), or its model written into a folder ("gguf").

    Args:
        called: how sentences name the file.
        stop: set it from any thread to end the work.
        limits: for a file of so many bytes.

    Raises:
        EngineError: `model_load_failed` with what the child says or what befell it;
            `download_cancelled`.
        OSError: the file is gone.
    """
    asked = {"path": str(path), "called": called, **more}
    given = limits(os.stat(path).st_size)
    try:
        with Child(Kind.WRITES) as child:
            return child.ask(do, asked, (), given, stop)[0]
    except RefusedError as refusal:
        raise EngineError(MODEL_LOAD_FAILED, str(refusal)) from None
    except TaskError as error:
        if error.cause == "cancelled":
            words = f"Converting {called} was cancelled."
            raise EngineError(DOWNLOAD_CANCELLED, words) from None
        words = f"{called} cannot be converted: reading it {error}."
        raise EngineError(MODEL_LOAD_FAILED, words) from None
