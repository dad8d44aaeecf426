"""Line icons from `resources/icons`, drawn in theme colors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.settings.paths import resources
from app.ui.style.theme import theme

_DISABLED = 0.4


@lru_cache(maxsize=256)
def icon(name: str, color: str) -> QIcon:
    """Return an icon in a color ("#rrggbb"), as vectors.

    Raises FileNotFoundError if `resources/icons` has no such file.
    """
    drawing = _drawing(name, color)
    return QIcon(SvgIconEngine(lambda: drawing))


@lru_cache(maxsize=32)
def theme_icon(name: str, token: str) -> QIcon:
    """Return an icon in a color of the theme, which follows changes of the theme."""
    return QIcon(SvgIconEngine(lambda: _drawing(name, getattr(theme().tokens, token))))


@lru_cache(maxsize=256)
def _drawing(name: str, color: str) -> QSvgRenderer:
    # Qt's SVG renderer doesn't support `currentColor`, so we substitute it ourselves.
    source = (resources() / "icons" / f"{name}.svg").read_bytes()
    return QSvgRenderer(QByteArray(source.replace(b"currentColor", color.encode())))


class SvgIconEngine(QIconEngine):
    """Renders an icon at the size and scale of each painter, because scaled pixmaps look blurry."""

    def __init__(self, drawing: Callable[[], QSvgRenderer]) -> None:
        super().__init__()
        self._drawing = drawing

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        side = min(rect.width(), rect.height())
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(rect).center())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(painter.opacity() * _DISABLED)
        self._drawing().render(painter, area)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        image = QPixmap(size)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return image

    def actualSize(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QSize:
        side = min(size.width(), size.height())
        return QSize(side, side)

    def clone(self) -> QIconEngine:
        copy = SvgIconEngine(self._drawing)
        _clones.append(copy)
        return copy


_clones: list[QIconEngine] = []
"""Keeps the results of `clone` alive. Qt uses them, but PySide would delete them."""


@lru_cache(maxsize=64)
def dot_icon(color: str, alpha: int, *, ring: bool = False) -> QIcon:
    """Return the dot of a tab. For running chats it's a ring whose ``alpha`` pulses."""
    pixmap = QPixmap(QSize(20, 20))
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_dot(painter, QPointF(5, 5), color, alpha, ring=ring)
    painter.end()
    return QIcon(pixmap)


def draw_dot(
    painter: QPainter, center: QPointF, color: str, alpha: int, *, ring: bool = False
) -> None:
    """Draw a dot or ring. Their shapes help users who can't distinguish brightness."""
    shade = QColor(color)
    shade.setAlpha(alpha)
    painter.setPen(QPen(shade, 1.75) if ring else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if ring else shade)
    radius = 3.1 if ring else 3.5
    painter.drawEllipse(center, radius, radius)


@lru_cache(maxsize=64)
def badge_icon(count: int, ground: str, text: str) -> QIcon:
    """Return a round badge with a number, for tool calls that wait for the user."""
    size = 16
    pixmap = QPixmap(2 * size, 2 * size)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawEllipse(QRectF(0.5, 0.5, size - 1, size - 1))
    font = painter.font()
    font.setPixelSize(round(size * 0.66))
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(text))
    digits = str(count) if count < 10 else "9+"
    painter.drawText(QRectF(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, digits)
    painter.end()
    return QIcon(pixmap)


@cache
def app_icon() -> QIcon:
    return QIcon(str(resources() / "icons" / "stretto.svg"))
