"""Writer for lossless animated WebP files.

Qt writes single WebP images but no animations. An animation is a container around such images
(https://developers.google.com/speed/webp/docs/riff_container). Pillow could write it, but
transformers imports Pillow if it is installed, so the tested program would differ from the shipped
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter

_LOSSLESS = 100  # Qt's quality setting for lossless WebP
_ANIMATED, _ALPHA = 0x02, 0x10


def write(path: Path, frames: Iterable[tuple[QImage, int]]) -> None:
    """Write an endless animation of images of the same size, each with a duration in ms."""
    chunks, before = b"", None
    for image, ms in frames:
        pixels = _pixels(image)
        if before is None:
            size = pixels.shape[1] - 1, pixels.shape[0] - 1
            flags = bytes([_ANIMATED | _ALPHA, 0, 0, 0])
            chunks = _chunk(b"VP8X", flags + _whole(*size)) + _chunk(b"ANIM", bytes(6))
            before = np.zeros_like(pixels)
        chunks += _frame(pixels, before, ms)
        before = pixels
    path.write_bytes(_chunk(b"RIFF", b"WEBP" + chunks))


def _frame(pixels: np.ndarray, before: np.ndarray, ms: int) -> bytes:
    """Encode the changed part of an image. Unchanged pixels in it are transparent."""
    changed = pixels != before
    rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
    # Frame offsets must be even. Without changes, a transparent pixel keeps the duration.
    top, bottom = (rows[0] // 2 * 2, rows[-1] + 1) if len(rows) else (0, 1)
    left, right = (columns[0] // 2 * 2, columns[-1] + 1) if len(columns) else (0, 1)
    part = np.s_[top:bottom, left:right]
    place = _whole(left // 2, top // 2, right - left - 1, bottom - top - 1, ms)
    return _chunk(b"ANMF", place + b"\0" + _encoded(np.where(changed[part], pixels[part], 0)))


def _pixels(image: QImage) -> np.ndarray:
    """Convert an image to rows of 32-bit pixels, all opaque."""
    image = image.convertToFormat(QImage.Format.Format_RGB32).convertToFormat(
        QImage.Format.Format_ARGB32
    )
    lines = np.frombuffer(image.constBits(), np.uint32)
    return lines.reshape(image.height(), image.bytesPerLine() // 4)[:, : image.width()].copy()


def _encoded(pixels: np.ndarray) -> bytes:
    """Return the chunks of an image written by Qt, without the container."""
    data = np.ascontiguousarray(pixels)
    height, width = data.shape
    image = QImage(data.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"webp"))
    writer.setQuality(_LOSSLESS)
    if not writer.write(image):
        raise RuntimeError("Qt cannot write WebP images here.")
    found, rest = b"", bytes(buffer.data().data())[12:]
    while rest:
        length = 8 + int.from_bytes(rest[4:8], "little")
        length += length % 2
        if rest[:4] in {b"ALPH", b"VP8 ", b"VP8L"}:
            found += rest[:length]
        rest = rest[length:]
    return found


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + len(data).to_bytes(4, "little") + data + b"\0" * (len(data) % 2)


def _whole(*numbers: int) -> bytes:
    """Encode numbers with three bytes each."""
    return b"".join(int(number).to_bytes(3, "little") for number in numbers)
