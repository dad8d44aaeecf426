"""Widgets and layouts side by side, or below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

SPRING = None  # room that grows

# A number is room of so many pixels. Beside a part may stand how much it grows, and its alignment.
Part = QWidget | QLayout | int | tuple[Any, ...] | None


def across(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] | None = (0, 0, 0, 0),
    spacing: int | None = 8,
) -> QHBoxLayout:
    """In the direction of reading; `of` is laid out so. None for margins or spacing: Qt's own."""
    layout = QHBoxLayout()
    _lay(layout, of, parts, margins, spacing)
    return layout


def down(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] | None = (0, 0, 0, 0),
    spacing: int | None = 8,
) -> QVBoxLayout:
    """As `across`, from the top."""
    layout = QVBoxLayout()
    _lay(layout, of, parts, margins, spacing)
    return layout


def _lay(
    layout: QBoxLayout,
    of: QWidget | None,
    parts: Sequence[Part],
    margins: Sequence[int] | None,
    spacing: int | None,
) -> None:
    if of is not None:
        of.setLayout(layout)
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        what, *how = part if isinstance(part, tuple) else (part,)
        if what is SPRING:
            layout.addStretch(*how or (1,))
        elif isinstance(what, int):
            layout.addSpacing(what)
        elif isinstance(what, QWidget):
            layout.addWidget(what, *how)
        else:
            nest(layout, what, *how)


def nest(outer: QBoxLayout | QGridLayout, inner: QLayout, *how: Any) -> None:
    """Put a layout into another; `how` as `addLayout` takes it.

    The binding makes an object of each item of `inner` for it, and would take whatever comes to lie
    where Qt has deleted one for that item (app/DECISIONS.md, A91): it is to know none.
    """
    outer.addLayout(inner, *how)
    _forget_items(inner)


def _forget_items(layout: QLayout) -> None:
    for n in range(layout.count()):
        item = layout.itemAt(n)
        if isinstance(item, QLayout):
            _forget_items(item)
        elif item is not None:
            shiboken6.invalidate(item)


def scrolling(inside: QWidget, parent: QWidget) -> QScrollArea:
    """An area without a frame, in which `inside` is as wide as there is room, and scrolls."""
    area = QScrollArea(parent)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setWidget(inside)
    return area
