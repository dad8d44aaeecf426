"""Where the parts of Get Model stand, and in which order the keys go through them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.style.theme import scaled

SIZE, MOST = (880, 640), (1240, 780)
"""In pixels; larger text makes it larger, up to what small screens have."""


def lay_out(
    dialog: QWidget,
    top: Sequence[QWidget],
    promise: QWidget,
    left: Sequence[QWidget],
    right: Sequence[QWidget],
    below: QWidget,
    buttons: Sequence[QWidget],
) -> None:
    """The field on top, the list beside the model, downloads and buttons below.

    Of `top` and `right` the first, of `left` the last takes the room; of `buttons` the first.
    """
    middle = QHBoxLayout()
    middle.setSpacing(24)
    middle.addLayout(_stack(left, 6, len(left) - 1), 5)
    middle.addLayout(_stack(right, 8, 0), 6)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(24, 20, 24, 18)
    layout.setSpacing(8)
    layout.addLayout(_row(top))
    layout.addWidget(promise)
    layout.addSpacing(8)
    layout.addLayout(middle, 1)
    layout.addWidget(below)
    layout.addSpacing(4)
    layout.addLayout(_row(buttons))
    dialog.resize(*(min(scaled(side), most) for side, most in zip(SIZE, MOST, strict=True)))


def tab_order(*widgets: QWidget) -> None:
    """Tab goes through these in this order."""
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)


def quiet(label: QLabel) -> QLabel:
    """Muted words that break their lines."""
    label.setProperty("muted", True)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _row(widgets: Sequence[QWidget]) -> QHBoxLayout:
    """The first takes the room; where it is hidden, the others stay at the right."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for number, widget in enumerate(widgets):
        row.addWidget(widget, 0 if number else 1000)
        if not number:
            row.addStretch(1)
    return row


def _stack(widgets: Sequence[QWidget], spacing: int, grows: int) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(spacing)
    for number, widget in enumerate(widgets):
        column.addWidget(widget, int(number == grows))
    return column
