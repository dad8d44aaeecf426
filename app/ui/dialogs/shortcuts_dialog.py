"""The list of keys, by menu, in a window that may stay open."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.style import tokens as t
from app.ui.style.theme import ui_font
from app.ui.window.commands import shortcut_groups

Group = tuple[str, list[tuple[str, str]]]


def show_shortcuts(parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setObjectName("shortcuts")
    dialog.setWindowTitle("Keyboard Shortcuts")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    table = QWidget(dialog)
    row = QHBoxLayout(table)
    row.setContentsMargins(24, 20, 24, 20)
    row.setSpacing(48)
    for groups in _halves(shortcut_groups()):
        row.addLayout(_column(groups, table))
    scroll = QScrollArea(dialog)
    scroll.setWidget(table)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QScrollArea.Shape.NoFrame)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(scroll)
    wanted, room = table.sizeHint(), dialog.screen().availableSize()
    width = wanted.width() + scroll.verticalScrollBar().sizeHint().width()
    dialog.resize(min(room.width() - 40, width), min(room.height() - 80, wanted.height()))
    dialog.show()
    return dialog


def _column(groups: list[Group], table: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    for heading, rows in groups:
        name = QLabel(heading, table)
        name.setFont(ui_font(t.UI_PX, QFont.Weight.DemiBold))
        grid = QGridLayout()
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(6)
        for number, (words, keys) in enumerate(rows):
            what, how = QLabel(words, table), QLabel(keys, table)
            how.setProperty("muted", True)
            grid.addWidget(what, number, 0)
            grid.addWidget(how, number, 1, Qt.AlignmentFlag.AlignRight)
        column.addWidget(name)
        column.addLayout(grid)
        column.addSpacing(12)
    column.addStretch(1)
    return column


def _halves(groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Two columns of about the same height, in the order of the menus."""
    heights = [len(rows) + 2 for _, rows in groups]
    cut = min(range(len(groups)), key=lambda n: abs(sum(heights[:n]) - sum(heights[n:])))
    return groups[:cut], groups[cut:]
