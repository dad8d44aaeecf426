"""Plain text labels, and buttons with text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.ui.style import tokens as t
from app.ui.style.theme import set_scaled_font


def make_label(
    parent: QWidget | None,
    words: str = "",
    *,
    muted: bool = True,
    wrap: bool = True,
    px: int = 0,
    weight: QFont.Weight = QFont.Weight.Normal,
) -> QLabel:
    """Return a plain text label, in the window's font if ``px`` is 0."""
    label = QLabel(words, parent)
    label.setProperty("muted", muted)
    label.setWordWrap(wrap)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if px:
        set_scaled_font(label, px, weight)
    return label


class ElidedLabel(QLabel):
    def __init__(
        self, text: str, parent: QWidget, elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
    ) -> None:
        super().__init__(text, parent)
        self._text, self._elide = text, elide
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)

    def set_whole(self, text: str) -> None:
        self._text = text
        self.setText(text)
        if self.isVisible():
            self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._text, self._elide, self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def make_heading(parent: QWidget, words: str, px: int = t.UI_PX) -> QLabel:
    return make_label(parent, words, muted=False, wrap=False, px=px, weight=QFont.Weight.DemiBold)


def make_button(
    parent: QWidget, words: str = "", pressed: Callable[[], object] | None = None
) -> QPushButton:
    """Make a button. Enter only presses it if it has the focus."""
    button = QPushButton(words, parent)
    button.setAutoDefault(False)
    if pressed is not None:
        button.clicked.connect(lambda _checked=False: pressed())
    return button


def make_link(parent: QWidget, words: str = "") -> QPushButton:
    """Make a button that looks like a link."""
    button = make_button(parent, words)
    button.setObjectName("link")
    return button
