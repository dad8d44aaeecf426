"""Animated WebP files are read back by Qt unchanged."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QColor, QImage, QImageReader

from tests.bench import webp


def _picture(*points: tuple[int, int]) -> QImage:
    image = QImage(31, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    for x, y in points:
        image.setPixelColor(x, y, QColor("teal"))
    return image


def test_frames_and_their_times_come_back_to_the_pixel(tmp_path: Path) -> None:
    path = tmp_path / "film.webp"
    frames = [
        (_picture(), 40),
        (_picture((3, 5), (30, 19)), 66),
        (_picture((3, 5), (30, 19)), 70),  # no change
        (_picture((7, 1)), 500),
    ]
    webp.write(path, frames)
    reader = QImageReader(str(path))
    assert reader.imageCount() == len(frames)
    for image, ms in frames:
        found = reader.read().convertToFormat(QImage.Format.Format_RGB32)
        assert found == image
        assert reader.nextImageDelay() == ms
    assert reader.loopCount() == -1  # endless
