"""Helpers for building layouts."""

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

SPRING = None  # stretchable space

# Integers are spacing in pixels, and tuples are a part with stretch and alignment.
Part = QWidget | QLayout | int | tuple[Any, ...] | None


def make_row_layout(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] | None = (0, 0, 0, 0),
    spacing: int | None = 8,
) -> QHBoxLayout:
    """Return a horizontal layout in reading direction, set on `of`.

    None for margins or spacing means Qt's default.
    """
    layout = QHBoxLayout()
    _fill_layout(layout, of, parts, margins, spacing)
    return layout


def make_column_layout(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] | None = (0, 0, 0, 0),
    spacing: int | None = 8,
) -> QVBoxLayout:
    layout = QVBoxLayout()
    _fill_layout(layout, of, parts, margins, spacing)
    return layout


def _fill_layout(
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
        item, *args = part if isinstance(part, tuple) else (part,)
        if item is SPRING:
            layout.addStretch(*args or (1,))
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QWidget):
            layout.addWidget(item, *args)
        else:
            nest(layout, item, *args)


def nest(outer: QBoxLayout | QGridLayout, inner: QLayout, *args: Any) -> None:
    """Add a layout to another layout. `args` is passed on to `addLayout`.

    PySide keeps a wrapper for each item in `inner`. If Qt deletes an item, PySide may later return
    the stale wrapper for a different object at the same address (app/DECISIONS.md, A91), so the
    wrappers are invalidated immediately.
    """
    outer.addLayout(inner, *args)
    _forget_items(inner)


def _forget_items(layout: QLayout) -> None:
    for n in range(layout.count()):
        item = layout.itemAt(n)
        if isinstance(item, QLayout):
            _forget_items(item)
        elif item is not None:
            shiboken6.invalidate(item)


def scrolling(inside: QWidget, parent: QWidget) -> QScrollArea:
    """Return a frameless area around a widget that only scrolls vertically."""
    area = QScrollArea(parent)
    fill_scroll_area(area, inside)
    return area


def fill_scroll_area(area: QScrollArea, inside: QWidget) -> None:
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setWidget(inside)
