"""Thumbnails, and a sheet for viewing an image."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from app import flows
from app.settings.language import tr
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import scaled, theme, ui_font
from app.ui.widgets.sheet import Sheet

Pixels = tuple[int, int, bytes]  # width, height, RGB bytes


@lru_cache(maxsize=256)
def decode_thumbnail(thumbnail: bytes) -> QPixmap:
    # PySide accepts str, although the stubs say otherwise.
    return QPixmap.fromImage(QImage.fromData(thumbnail, "JPEG"))  # type: ignore[arg-type]


def paint_small(painter: QPainter, area: QRectF, thumbnail: bytes, number: str = "") -> None:
    """Paint the center of a thumbnail with rounded corners, or else a file icon.

    ``number`` is a page number in a corner.
    """
    tokens, ratio = theme().tokens, painter.device().devicePixelRatioF()
    path = QPainterPath()
    path.addRoundedRect(area, 8, 8)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.fillPath(path, QColor(tokens.code_background))
    pixmap = decode_thumbnail(thumbnail) if thumbnail else QPixmap()
    if pixmap.isNull():
        side = scaled(t.ICON)
        at = area.center().toPoint()
        icon("file", tokens.muted).paint(
            painter, at.x() - side // 2, at.y() - side // 2, side, side
        )
    else:
        painter.setClipPath(path)
        pixel_size = (area.size() * ratio).toSize()
        fitted = pixmap.scaled(
            pixel_size,
            Qt.AspectRatioMode.KeepAspectRatioByExpanding,
            Qt.TransformationMode.SmoothTransformation,
        )
        cut = QRectF(0, 0, pixel_size.width(), pixel_size.height())
        cut.moveCenter(QRectF(fitted.rect()).center())
        painter.drawPixmap(area, fitted, cut)
    if number:
        painter.setFont(ui_font(t.SMALL_PX))
        words = QRectF(painter.fontMetrics().boundingRect(number)).adjusted(-5, -2, 5, 2)
        words.moveBottomLeft(area.bottomLeft() + QPointF(4, -4))
        painter.setPen(QColor(tokens.outline))
        painter.setBrush(QColor(tokens.surface))  # readable on any image
        painter.drawRoundedRect(words, 6, 6)
        painter.setPen(QColor(tokens.text))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, number)
    painter.restore()


class ImageView(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._image = QImage()

    def set_image(self, image: QImage) -> None:
        self._image = image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image.isNull():
            return
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        size = self._image.size().scaled(self.size() * ratio, Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self._image.size())
        image = self._image.scaled(
            size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        area = QRectF(0, 0, size.width() / ratio, size.height() / ratio)
        area.moveCenter(QRectF(self.rect()).center())
        painter.drawImage(area, image)


class PictureSheet(Sheet):
    """Sheet with an image.

    ``words`` is a description such as "PNG, 800 × 600". ``read`` loads the pixels in a worker
    thread and raises if it can't.
    """

    def __init__(
        self, name: str, words: str, size: QSize, read: Callable[[], Pixels], parent: QWidget
    ) -> None:
        super().__init__("picture", name, parent, spacing=8)
        self._read = read
        self.image_view = ImageView(self)
        self.image_view.setAccessibleName(tr("Image {name}, {about}", name=name, about=words))
        self.status_label = self.make_label(words)
        room = parent.window().size() * 0.9
        min_size = QSize(scaled(320), scaled(200))
        image_size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio).boundedTo(size)
        self.image_view.setMinimumSize(min_size)
        self.rows.addWidget(self.image_view, 1)
        self.add_rows(self.status_label)
        self.add_buttons()
        foot = self.sizeHint().height() - min_size.height()
        self.resize(image_size.expandedTo(min_size) + QSize(48, foot))
        flows.start(self, self._show())

    async def _show(self) -> None:
        try:
            width, height, rgb = await flows.run_in_thread(lambda _: self._read())
        except Exception as error:
            self.status_label.setText(getattr(error, "message", str(error)))
            return
        image = QImage(rgb, width, height, 3 * width, QImage.Format.Format_RGB888)
        self.image_view.set_image(image.copy())  # copied because the bytes are about to be freed
