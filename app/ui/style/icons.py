"""Icons from one set (Phosphor, through QtAwesome), in the colours of the theme."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPen, QPixmap

from app.paths import resources


@lru_cache(maxsize=256)
def icon(name: str, colour: str) -> QIcon:
    """Phosphor's ``name`` (without "ph.") in ``colour`` ("#rrggbb").

    Drawn once into pixmaps, in the sizes that the window has.
    """
    if name == "sidebar":
        return _sidebar(colour)
    made = QIcon()
    for size in (12, 16, 18):
        for ratio in (1, 2):
            made.addPixmap(_glyph(name, colour, size * ratio))
    return made


def _glyph(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    family, characters = _phosphor()
    font = QFont(family)
    font.setPixelSize(size)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    text = chr(int(characters[name], 16))
    painter.drawText(pixmap.rect(), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return pixmap


@cache
def _phosphor() -> tuple[str, dict[str, str]]:
    """The font's family, and the hexadecimal number of each icon's character by name.

    Read from QtAwesome's folder without importing it: that brings all its fonts and half of Qt,
    a fifth of a second of every start.
    """
    found = find_spec("qtawesome")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("QtAwesome's fonts are not there.")
    folder = Path(next(iter(found.submodule_search_locations))) / "fonts"
    font = next(folder.glob("phosphor-[0-9]*.ttf"))
    number = QFontDatabase.addApplicationFont(str(font))
    names = next(folder.glob("phosphor-charmap-*.json")).read_text("utf-8")
    return QFontDatabase.applicationFontFamilies(number)[0], json.loads(names)


def _sidebar(colour: str, size: int = 18) -> QIcon:
    """A window with a side: the set's release that QtAwesome carries has none."""
    made = QIcon()
    for ratio in (1, 2, 3):
        pixmap = QPixmap(QSize(size * ratio, size * ratio))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(ratio, ratio)
        painter.setPen(QPen(QColor(colour), 1.2))
        painter.drawRoundedRect(QRectF(2, 3.5, 14, 11), 2, 2)
        painter.drawLine(QPointF(7, 3.5), QPointF(7, 14.5))
        painter.end()
        made.addPixmap(pixmap)
    return made


@lru_cache(maxsize=64)
def dot(colour: str, alpha: int, ratio: float = 2.0, size: int = 10) -> QIcon:
    """A round mark: living while a chat answers (its ``alpha`` moves), still when it is done."""
    pixmap = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    fill = QColor(colour)
    fill.setAlpha(alpha)
    painter.setBrush(fill)
    painter.drawEllipse(QPointF(size / 2, size / 2), 3.5, 3.5)
    painter.end()
    return QIcon(pixmap)


def app_icon() -> QIcon:
    """Stretto's own mark."""
    return QIcon(str(resources() / "icons" / "stretto.svg"))
