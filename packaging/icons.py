"""Render the app's icon from its SVG, in the sizes and formats of macOS and Linux."""

from __future__ import annotations

import os
import struct
from pathlib import Path

# Apple's type codes by size in pixels, for normal and double density.
ICNS = {
    b"icp4": 16,
    b"icp5": 32,
    b"ic07": 128,
    b"ic08": 256,
    b"ic09": 512,
    b"ic10": 1024,
    b"ic11": 32,
    b"ic12": 64,
    b"ic13": 256,
    b"ic14": 512,
}


def png(svg: Path, size: int) -> bytes:
    """Return the SVG as a PNG of `size` by `size` pixels. Raises ValueError if it is invalid."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    drawing = QSvgRenderer(str(svg))
    if not drawing.isValid():
        raise ValueError(f"{svg} is no SVG")
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    drawing.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


def icns(svg: Path) -> bytes:
    """Return the SVG as an .icns file: a header, then type, length and PNG for each size."""
    images = {size: png(svg, size) for size in set(ICNS.values())}
    body = b"".join(
        name + struct.pack(">I", 8 + len(images[size])) + images[size]
        for name, size in ICNS.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(body)) + body
