"""Images and recordings in messages, decoded in a child process."""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from app.chats.attachment_texts import Texts, page_numbers, with_files
from app.store import Attachment, Attachments, StoredImage
from engine import Audio, EngineError, Image
from engine.sandbox.jobs import hold_lock, read_image, read_sound
from engine.sandbox.sounds import SAMPLE_RATE, is_sound

THUMBNAIL = 640  # pixels of the longer side, twice the displayed size for high-density screens

MOST_KEPT = 8_000_000
"""Size limit of a stored image in bytes.

Larger images become a JPEG of `SIDE` pixels, which is more than models use. Several servers reject
larger files.
"""

SIDE = 4_000

Read = tuple[StoredImage, Attachment]


class MediaCache:
    MOST = 32_000_000  # bytes

    def __init__(self) -> None:
        self._images: OrderedDict[tuple[str, int], Read] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: str, page: int = 0) -> Read | None:
        with self._lock:
            entry = self._images.get((digest, page))
            if entry is not None:
                self._images.move_to_end((digest, page))
            return entry

    def add(self, read: Read, digest: str, page: int = 0) -> None:
        with self._lock:
            self._images[digest, page] = read
            while sum(len(image.data) for image, _ in self._images.values()) > self.MOST:
                self._images.popitem(last=False)


held = MediaCache()

Images = Callable[[str], Image]
"""Returns an image or recording by its hash."""


def read_medium(data: bytes, name: str, stop: threading.Event | None = None) -> Read:
    """Read a file as image or recording. Blocks while a child process decodes it.

    Raises EngineError if the file can't be read.
    """
    digest, quoted = hashlib.sha256(data).hexdigest(), f"“{name}”"
    with hold_lock(digest, quoted, stop):
        if (entry := held.get(digest)) is None:
            read = _read_recording if is_sound(data[:16]) else _read_image
            held.add(entry := read(data, name, stop), digest)
    medium, attachment = entry
    return medium, replace(attachment, name=name)


def _read_image(data: bytes, name: str, stop: threading.Event | None) -> Read:
    quoted = f"“{name}”"
    picture = read_image(data, quoted, 0, THUMBNAIL, stop)
    if len(data) > MOST_KEPT:
        data = read_image(data, quoted, 0, SIDE, stop).thumbnail
    image = StoredImage(data, picture.thumbnail)
    attachment = Attachment(
        name, picture.format, image.hash, width=picture.width, height=picture.height
    )
    return image, attachment


def _read_recording(data: bytes, name: str, stop: threading.Event | None) -> Read:
    """Read a recording. Large recordings are resampled to the rate that models use."""
    kind = Audio(data[:16]).media_type.removeprefix("audio/")
    samples = read_sound(data, f"“{name}”", stop)
    if len(data) > MOST_KEPT:
        import wave

        import numpy as np

        file = io.BytesIO()
        with wave.open(file, "wb") as wav:
            wav.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
            wav.writeframes((np.frombuffer(samples, "<f4") * 32767).astype("<i2").tobytes())
        data = file.getvalue()
    sound = StoredImage(data, b"")
    seconds = max(1, round(len(samples) / 4 / SAMPLE_RATE))
    return sound, Attachment(name, _SOUNDS[kind], sound.hash, seconds=seconds)


_SOUNDS = {"wav": "WAV", "mpeg": "MP3", "flac": "FLAC", "ogg": "Ogg"}


def add_thumbnail(image: StoredImage) -> StoredImage:
    try:
        return StoredImage(
            image.data, read_image(image.data, max_pixels=0, thumbnail_px=THUMBNAIL).thumbnail
        )
    except EngineError:
        return image  # the UI shows the file name instead


def build_content(
    text: str, files: Attachments, texts: Texts, images: Images | None, *, hears: bool = False
) -> Any:
    """Return the engine's content of a message: a string, or a list of parts if there are media.

    Media precede the text, as in training data, and a page image follows its page number.
    ``images`` is None if the model can't see; ``hears`` is True if it accepts recordings.
    """
    media = [file for file in files if file.is_medium]
    written = tuple(file for file in files if not file.is_medium)
    parts, notes = list[dict[str, Any]](), list[str]()
    for file in media:
        if images is None or (file.is_sound and not hears):
            notes.append(_medium_note(file))
            continue
        medium = images(file.hash)
        if file.is_sound:
            parts.append({"type": "audio", "audio": Audio(medium.file, medium.name)})
            continue
        if file.spans:
            parts.append({"type": "text", "text": f"{_image_heading(file)}:\n"})
        parts.append({"type": "image", "image": medium})
    text = "\n\n".join([*notes, *filter(None, [text])])
    if not parts and not written:
        return text
    shown_text = partial(with_files, text, written, texts) if written else text
    return [*parts, {"type": "text", "text": shown_text}] if shown_text else parts


def concatenate(first: Any, second: Any) -> Any:
    """Concatenate two contents with an empty line between them."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    before, after = (
        [{"type": "text", "text": content}] if isinstance(content, str) else content
        for content in (first, second)
    )
    return [*before, {"type": "text", "text": "\n\n"}, *after]


def _medium_note(medium: Attachment) -> str:
    if medium.is_sound:
        return f"[Here was the recording “{medium.name}”, which you cannot hear.]"
    return f"[Here was the image “{_image_heading(medium)}”, which you cannot see.]"


def _image_heading(image: Attachment) -> str:
    pages = ", ".join(f"{image.unit} {number}" for number in page_numbers(image.spans))
    return f"{image.name}, {pages}" if pages else image.name
