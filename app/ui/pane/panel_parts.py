"""The pieces that the small panels below a pane's header are made of."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.style import tokens as t
from app.ui.style.theme import keep_font


def headed(words: str, layout: QVBoxLayout, parent: QWidget) -> QLabel:
    """Add a heading; returns the empty label at its right, for a figure."""
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(heading(words, parent), 1)
    figure = note("", parent)
    figure.setWordWrap(False)
    row.addWidget(figure)
    layout.addLayout(row)
    return figure


def heading(words: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    keep_font(label, t.UI_PX, QFont.Weight.DemiBold)
    return label


def note(words: str, parent: QWidget, tip: str = "") -> QLabel:
    label = QLabel(words, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("muted", True)
    label.setToolTip(tip)
    return label


def link(words: str, parent: QWidget) -> QPushButton:
    button = QPushButton(words, parent)
    button.setObjectName("link")
    return button
