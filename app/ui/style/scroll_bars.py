"""Overlay scroll bars that appear when scrolling or when the mouse is near the edge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QStyle, QStyleOptionSlider, QWidget

from app.settings.language import tr
from app.ui.style.theme import theme
from app.ui.style.tokens import HIGH_DARK, HIGH_LIGHT

WIDTH = 12  # width in pixels of the area that reacts to the pointer
_PAINTED = 6
_VISIBLE_MS = 900
_GEOMETRY_EVENTS = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show)


class FloatingBar(QScrollBar):
    """Overlay that replaces an area's scroll bar, which is hidden and takes no space."""

    def __init__(self, area: QAbstractScrollArea, native: QScrollBar) -> None:
        super().__init__(native.orientation(), area)
        self._native_bar, self._area = native, area
        self._awake = False
        # Active until the next event loop iteration after a range change. When content grows, the
        # view scrolls to its end within the same iteration. This shouldn't reveal the bar, because
        # the user hasn't scrolled.
        self._range_timer = QTimer(self, singleShot=True, interval=0)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Scroll bar"))
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._hide_timer = QTimer(self, singleShot=True, interval=_VISIBLE_MS)
        self._hide_timer.timeout.connect(self._on_rest)
        native.rangeChanged.connect(self._on_range)
        native.valueChanged.connect(self._on_moved)
        self.valueChanged.connect(native.setValue)
        theme().changed.connect(self.update)
        area.viewport().installEventFilter(self)
        self._on_range()

    @property
    def shown(self) -> bool:
        """Return True if the bar is painted, as it always is in high-contrast themes."""
        return self._awake or _is_high_contrast()

    def show_briefly(self) -> None:
        self._hide_timer.start()
        self._awake = True
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.show_briefly()
        super().enterEvent(event)

    def hideEvent(self, event: QEvent) -> None:
        self._hide_timer.stop()
        self._awake = False

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.shown:
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ScrollBarSlider
        handle = self.style().subControlRect(QStyle.ComplexControl.CC_ScrollBar, option, part, self)
        if self.orientation() == Qt.Orientation.Vertical:
            left = 2 if self.isRightToLeft() else self.width() - _PAINTED - 2
            shape = QRectF(left, handle.top() + 2, _PAINTED, handle.height() - 4)
        else:
            top = self.height() - _PAINTED - 2
            shape = QRectF(handle.left() + 2, top, handle.width() - 4, _PAINTED)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        tokens = theme().tokens
        painter.setBrush(QColor(tokens.muted if _is_high_contrast() else tokens.border_strong))
        painter.drawRoundedRect(shape, _PAINTED / 2, _PAINTED / 2)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _GEOMETRY_EVENTS:
            self._update_geometry()
        return False

    def _update_geometry(self) -> None:
        view = self._area.viewport().geometry()
        if self.orientation() == Qt.Orientation.Vertical:
            x = view.left() if self.isRightToLeft() else view.right() + 1 - WIDTH
            self.setGeometry(QRect(x, view.top(), WIDTH, view.height()))
        else:
            self.setGeometry(view.left(), view.bottom() + 1 - WIDTH, view.width(), WIDTH)
        self.raise_()

    @Slot()
    def _on_range(self) -> None:
        native = self._native_bar
        self._range_timer.start()
        self.blockSignals(True)
        self.setPageStep(native.pageStep())
        self.setSingleStep(native.singleStep())
        self.setRange(native.minimum(), native.maximum())
        self.setValue(native.value())
        self.blockSignals(False)
        self._update_geometry()
        self.setVisible(native.maximum() > native.minimum())

    @Slot()
    def _on_moved(self) -> None:
        # The view may have scrolled on since the signal, e.g. to the very end.
        self.setValue(self._native_bar.value())
        if not self._range_timer.isActive():
            self.show_briefly()

    @Slot()
    def _on_rest(self) -> None:
        if self.underMouse() or self.isSliderDown():
            self._hide_timer.start()
        else:
            self._awake = False
            self.update()


def _is_high_contrast() -> bool:
    return theme().tokens in (HIGH_LIGHT, HIGH_DARK)


def float_bars(root: QWidget) -> None:
    """Replace all scroll bars inside ``root`` with overlays.

    Scroll areas that are added later need another call.
    """
    areas = root.findChildren(QAbstractScrollArea)
    off, on = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
    for area in [root, *areas] if isinstance(root, QAbstractScrollArea) else areas:
        if area.verticalScrollBarPolicy() == on:
            area.setVerticalScrollBarPolicy(off)
            FloatingBar(area, area.verticalScrollBar())
        if area.horizontalScrollBarPolicy() == on:
            area.setHorizontalScrollBarPolicy(off)
            FloatingBar(area, area.horizontalScrollBar())
