"""Find clipped text by measuring the visible texts, buttons and fields of a window.

Text that widgets paint themselves is measured during painting (`watching`): every elided text and
every text painted in too little space.

``python -m tests.app.ui.measuring de`` opens each screen in a language at two zooms, the window in
three widths, and prints the findings. With several languages, each part of the screens uses another
language.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from types import FrameType
from typing import Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSplitterHandle,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QTextEdit,
    QWidget,
)

from app.settings import translation
from app.ui.style.scroll_bars import FloatingBar
from app.ui.widgets.buttons import IconButton
from tests.bench import screens
from tests.driving import Driver
from tests.waiting import wait_until


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Set the language for programs started in this block. "ar-xx" is a right-to-left test
    language.
    """
    qt = QApplication.instance()
    assert isinstance(qt, QApplication)
    before = os.environ[translation.ENVIRONMENT]
    os.environ[translation.ENVIRONMENT] = code
    try:
        assert translation.install(qt, code) == code
        yield
    finally:
        os.environ[translation.ENVIRONMENT] = before
        translation.install(qt, before)


WIDTHS = (640, 900, 1280)
ZOOMS = (100, 150)


class Watch:
    """Texts shortened with an ellipsis or painted in too little room.

    Attributes:
        shortened: the full text by the shown text.
        painted: a line for each text without a tooltip that has the full text.
    """

    def __init__(self) -> None:
        self.shortened: dict[str, str] = {}
        self.painted: dict[str, None] = {}

    def elided(self, whole: str, shown: str) -> None:
        frame = sys._getframe(2)
        if shown:  # if nothing is shown, the text has no space yet
            self.shortened[shown] = whole
        if not _is_told(whole, frame):
            self.painted[f"{_place(frame)}: {whole!r} is shown as {shown!r}"] = None

    def drawn(self, painter: QPainter, area: QRectF, flags: int, text: str) -> None:
        metrics, frame = painter.fontMetrics(), sys._getframe(2)
        room = area.toAlignedRect()
        if flags & (Qt.TextFlag.TextWordWrap.value | Qt.TextFlag.TextWrapAnywhere.value):
            wanted = metrics.boundingRect(0, 0, room.width(), 100_000, flags, text)
            cut = wanted.height() > room.height() + 1 or wanted.width() > room.width() + 1
        else:
            cut = metrics.horizontalAdvance(text) > room.width() + 1
        if cut and not _is_told(text, frame):
            size = f"{room.width()}x{room.height()}"
            self.painted[f"{_place(frame)}: {text!r} is painted in {size}"] = None


WATCH = Watch()
"""Filled by `watching`."""


@contextmanager
def watching() -> Iterator[None]:
    elide, draw = QFontMetrics.elidedText, QPainter.drawText
    WATCH.__init__()  # type: ignore[misc]

    def elided(metrics: QFontMetrics, text: str, *how: Any) -> str:
        shown = elide(metrics, text, *how)
        if shown != text:
            WATCH.elided(text, shown)
        return shown

    def drawn(painter: QPainter, *what: Any) -> Any:
        if len(what) >= 3 and isinstance(what[0], QRect | QRectF) and isinstance(what[2], str):
            flags = what[1] if isinstance(what[1], int) else what[1].value
            WATCH.drawn(painter, QRectF(what[0]), flags, what[2])
        return draw(painter, *what)

    QFontMetrics.elidedText, QPainter.drawText = elided, drawn  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        QFontMetrics.elidedText, QPainter.drawText = elide, draw  # type: ignore[method-assign]


def _is_told(whole: str, frame: FrameType | None) -> bool:
    for _ in range(6):
        if frame is None:
            return False
        here = frame.f_locals
        for name in ("index", "self"):
            one = here.get(name)
            if isinstance(one, QModelIndex) and whole in _tip(
                one.data(Qt.ItemDataRole.ToolTipRole)
            ):
                return True
            while isinstance(one, QWidget):
                if whole in _tip(one.toolTip()):
                    return True
                one = None if one.isWindow() else one.parentWidget()
        frame = frame.f_back
    return False


def _tip(text: object) -> str:
    return unescape(str(text or ""))


def _place(frame: FrameType) -> str:
    while frame.f_back is not None and "self" not in frame.f_locals:
        frame = frame.f_back
    code = frame.f_code
    return f"{os.path.basename(code.co_filename)} {code.co_qualname}"


def settle(root: QWidget) -> None:
    for _ in range(3):
        QCoreApplication.sendPostedEvents()
        QCoreApplication.processEvents()
    if (layout := root.layout()) is not None:
        layout.activate()


def cut_off(root: QWidget) -> list[str]:
    """Return a line for each thing in ``root`` that cannot be seen or read completely.

    The contents of lists are not examined, and scrolling contents can exceed their area. A
    deliberately shortened name has its full text in its own tooltip or in a parent's.
    """
    settle(root)
    shown = [root, *(w for w in root.findChildren(QWidget) if _in(w, root))]
    found = []
    for widget in shown:
        for fault in (_outside(widget, root), _squeezed(widget), _unread(widget)):
            if fault:
                found.append(f"{_name(widget)}: {fault}")
        found += _covered(widget)
        text = _text(widget)
        if (whole := WATCH.shortened.get(text)) is not None and whole not in _tips(widget):
            found.append(f"{_name(widget)}: {whole!r} is shortened")
    WATCH.painted.clear()
    root.grab()
    return found + list(WATCH.painted)


def cut_off_at_last(root: QWidget) -> list[str]:
    """Return `cut_off`, once it is empty if it becomes so: late results of threads are laid out."""
    found: list[str] = []

    def fits() -> bool:
        found[:] = cut_off(root)
        return not found

    with suppress(AssertionError):
        wait_until(fits)
    return found


def _text(widget: QWidget) -> str:
    if isinstance(widget, QLabel | QAbstractButton):
        return widget.text()
    if isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit):
        return widget.placeholderText()
    return ""


def _tips(widget: QWidget | None) -> str:
    tips = ""
    while widget is not None:
        tips += _tip(widget.toolTip()) + "\n"
        widget = None if widget.isWindow() else widget.parentWidget()
    return tips


def _in(widget: QWidget, root: QWidget) -> bool:
    if not widget.isVisible() or widget.window() is not root.window():
        return False
    area: QWidget | None = widget
    while area is not None and area is not root:  # scrolled out of sight, or drawn by a view
        if isinstance(area.parentWidget(), QTextEdit | QPlainTextEdit):
            return False
        viewport = area.parentWidget() if _scrolling(area) is not None else None
        if viewport is not None and not viewport.rect().intersects(area.geometry()):
            return False
        area = area.parentWidget()
    return True


def _name(widget: QWidget) -> str:
    words = ""
    if isinstance(widget, QLabel | QAbstractButton):
        words = widget.text()
    words = words or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {words!r} {widget.width()}x{widget.height()}"


def _scrolling(widget: QWidget) -> QAbstractScrollArea | None:
    viewport = widget.parentWidget()
    area = viewport.parentWidget() if viewport is not None else None
    if isinstance(area, QAbstractScrollArea) and area.viewport() is viewport:
        return area
    return None


def _outside(widget: QWidget, root: QWidget) -> str:
    parent = widget.parentWidget()
    if widget is root or parent is None or isinstance(widget, QSplitterHandle):
        return ""
    place, room = widget.geometry(), parent.rect()
    if isinstance(widget, IconButton) or widget.objectName() == "link":
        place = place.adjusted(4, 4, -4, -4)  # without the padding
    area = _scrolling(widget)
    if area is not None and area.metaObject().className() == "ads::CDockAreaTabBar":
        return ""  # a full tab bar scrolls, and lists every tab in a menu
    if area is not None:
        bars = area.findChildren(FloatingBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        sideways = any(bar.orientation() == Qt.Orientation.Horizontal for bar in bars)
        sideways |= area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        place = QRect(0 if sideways else place.x(), 0, 0 if sideways else place.width(), 0)
        room = QRect(0, 0, room.width(), 0)
        return "" if place.left() >= 0 and place.right() <= room.right() else "wider than its area"
    room = room.adjusted(-1, -1, 1, 1)  # splitters round positions
    return "" if room.contains(place) else f"{place.getRect()} is not inside {room.getRect()}"


def _squeezed(widget: QWidget) -> str:
    layout = widget.layout()
    if layout is None or _scrolling(widget) is not None:
        return ""
    least = layout.minimumSize()
    if least.width() <= widget.width() and least.height() <= widget.height():
        return ""
    return f"what is in it needs {least.width()}x{least.height()}"


def _unread(widget: QWidget) -> str:
    metrics = widget.fontMetrics()
    if isinstance(widget, QLabel):
        return _unread_label(widget)
    if isinstance(widget, QAbstractButton):
        if isinstance(widget.parentWidget(), QLineEdit):
            return ""  # the field's height includes its icons
        wanted = widget.sizeHint()
        narrow = bool(widget.text()) and wanted.width() > widget.width() + 1
        low = wanted.height() > widget.height() + 1
        elided = narrow and widget.text() in widget.toolTip()
        return f"needs {wanted.width()}x{wanted.height()}" if narrow > elided or low else ""
    if isinstance(widget, QLineEdit) and not widget.text():
        option = QStyleOptionFrame()
        widget.initStyleOption(option)
        room = (
            widget.style()
            .subElementRect(QStyle.SubElement.SE_LineEditContents, option, widget)
            .marginsRemoved(widget.textMargins())
        )
        for icon in widget.findChildren(QAbstractButton):
            if not icon.isHidden() and icon.x() < widget.width() / 2:
                room.setLeft(max(room.left(), icon.geometry().right()))
            elif not icon.isHidden():
                room.setRight(min(room.right(), icon.geometry().left()))
        wide = metrics.horizontalAdvance(widget.placeholderText())
        return f"{widget.placeholderText()!r} needs {wide} of {room.width()}" * (
            wide > room.width() + 1
        )
    if isinstance(widget, QTextEdit | QPlainTextEdit) and not widget.toPlainText():
        room = widget.viewport().rect()
        high = metrics.boundingRect(
            room, Qt.TextFlag.TextWordWrap, widget.placeholderText()
        ).height()
        return f"{widget.placeholderText()!r} needs a height of {high}" * (high > room.height())
    if isinstance(widget, QComboBox):
        chosen = QStyleOptionComboBox()
        widget.initStyleOption(chosen)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = widget.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, chosen, part, widget
        )
        # the size hint doesn't include the painted text
        wide = metrics.boundingRect(widget.currentText()).width()
        short = wide > room.width() + 1
        return f"{widget.currentText()!r} needs {wide} of {room.width()}" * short
    return ""


def _unread_label(label: QLabel) -> str:
    if not label.text():
        return ""
    if not label.wordWrap():
        parent = label.parentWidget()
        tips = label.toolTip() + (parent.toolTip() if parent is not None else "")
        wide = label.sizeHint().width()
        elided = label.metaObject().className() == "ads::CElidingLabel" and bool(tips)
        return f"needs a width of {wide}" if wide > label.width() + 1 and not elided else ""
    high = label.heightForWidth(label.width())
    if high > label.height() + 1:
        return f"needs a height of {high}"
    if label.textFormat() == Qt.TextFormat.PlainText:
        metrics = QFontMetrics(label.font())
        wide = max((metrics.horizontalAdvance(w) for w in _words(label.text())), default=0)
        return f"a word needs a width of {wide}" * (wide > label.width())
    return ""


def _words(text: str) -> list[str]:
    signs = r"[\u3000-\u9fff\uff00-\uffef]"
    return re.split(rf"\s+|(?<=/)(?!\d)|(?<={signs})|(?={signs})", text)


def _covered(parent: QWidget) -> list[str]:
    kinds = (QAbstractButton, QLabel, QLineEdit, QComboBox)
    parts = [
        part
        for part in parent.children()
        if isinstance(part, kinds) and part.isVisible() and not isinstance(parent, kinds)
    ]
    return [
        f"{_name(one)} lies over {_name(other)}"
        for number, one in enumerate(parts)
        for other in parts[number + 1 :]
        if one.geometry().intersects(other.geometry())
    ]


def main() -> int:
    seen: dict[str, list[str]] = {}

    def measure(driver: Driver, name: str, widget: QWidget) -> None:
        size = widget.size()
        for width in WIDTHS if widget is driver.window else (size.width(),):
            widget.resize(width, size.height())
            driver.wait(0.15)  # results from threads arrive late and are laid out after that
            seen[f"{code} {zoom}% {width} px {name}"] = cut_off(widget)
        widget.resize(size)

    with watching():
        for (part, code), zoom in itertools.product(
            zip(screens.PARTS, itertools.cycle(sys.argv[1:])), ZOOMS
        ):
            os.environ[translation.ENVIRONMENT] = code
            screens.show(part, measure, zoom)
    found = [f"{name}: {fault}" for name, faults in seen.items() for fault in faults]
    print(*found, f"{len(seen)} screens, {len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
