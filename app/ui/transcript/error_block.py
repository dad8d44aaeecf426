"""Why an answer has failed, and what can be done, where the answer would stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.chats.actions import BUSY, Action
from app.chats.fitting import DOES_NOT_FIT
from app.language import mark, tr
from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font
from app.ui.transcript.message_row import Can
from app.ui.widgets.mirror import mirror
from engine.errors import CAPACITY_EXHAUSTED, MODEL_LOAD_FAILED, OUT_OF_MEMORY

UNLOAD = "unload"
MODELS = "models"
BASE = "base"
"""What is asked for besides the `Action`s: a model is to make room; the chat is to have another;
it is to have its model without the adapter."""

WITHOUT = mark("Use Without Adapter")


@dataclass(frozen=True)
class Remedy:
    """One button: its words, what it asks for (the value of an `Action`), and about which message.

    Attributes:
        why_not: why it cannot be done now; "" if it can.
    """

    words: str
    asks: str
    message_id: str
    why_not: str = ""


def remedies(message: Message, can: Can) -> list[Remedy]:
    """What a person can do about a failed answer, the likeliest first."""
    code = str(message.stats.get("code"))
    if code == "context_overflow":
        offers = []
        why = can(Action.FORGET_OLDEST, message.id)
        if why is None or why == tr(BUSY):
            asks = Action.FORGET_OLDEST.value
            offers.append(Remedy(tr("Forget the Oldest Turns"), asks, message.id, why or ""))
        if message.parent_id is not None:
            why = can(Action.EDIT, message.parent_id)
            offers.append(
                Remedy(tr("Edit Message"), Action.EDIT.value, message.parent_id, why or "")
            )
            why = can(Action.DELETE, message.parent_id)
            asks = Action.DELETE.value
            offers.append(Remedy(tr("Leave Message Out"), asks, message.parent_id, why or ""))
        offers.append(Remedy(tr("Use Another Model…"), MODELS, message.id))
        return offers
    why = can(Action.REGENERATE, message.id)
    offers = [Remedy(tr("Try Again"), Action.REGENERATE.value, message.id, why or "")]
    if message.stats.get("adapter") and code == MODEL_LOAD_FAILED:
        offers.append(Remedy(tr(WITHOUT), BASE, message.id, why or ""))
    if code == DOES_NOT_FIT:
        offers.insert(0, Remedy(tr("What Would Fit…"), UNLOAD, message.id))
    if code in {OUT_OF_MEMORY, CAPACITY_EXHAUSTED}:
        offers.append(Remedy(tr("Unload a Model…"), UNLOAD, message.id))
    return offers


class ErrorBlock(QWidget):
    """The sentence on a wash of the danger colour, with a button for each remedy.

    Signals:
        asked(what, message id): one was pressed.
        resized(): it has other buttons, and perhaps another height.
    """

    PAD, GAP = 12, 8

    asked = Signal(str, str)
    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self.setAccessibleName(tr("Why there is no answer"))
        self._text = QRect()
        self.buttons: list[QPushButton] = []
        self._offers: list[Remedy] = []

    def show_error(self, words: str, offers: Sequence[Remedy]) -> None:
        """Say what happened and offer these remedies."""
        self._words = words
        self.setAccessibleName(words)
        if [offer.words for offer in offers] != [offer.words for offer in self._offers]:
            for button in self.buttons:
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(number, offer) for number, offer in enumerate(offers)]
            self.arrange(self.width())
            self.resized.emit()
        self._offers = list(offers)
        for button, offer in zip(self.buttons, offers, strict=True):
            button.setEnabled(not offer.why_not)
            button.setToolTip(offer.why_not)
        self.update()

    def arrange(self, width: int) -> int:
        """Place the parts for ``width`` pixels; returns the height needed."""
        inner = width - 2 * self.PAD
        flags = Qt.TextFlag.TextWordWrap
        bound = QFontMetrics(ui_font(14)).boundingRect(0, 0, inner, 10_000, flags, self._words)
        self._text = QRect(self.PAD, self.PAD, inner, bound.height())
        x, y = self.PAD, self._text.bottom() + 1
        for button in self.buttons:
            button.adjustSize()
            if x == self.PAD:
                y += 10 if button is self.buttons[0] else self.GAP
            elif x + button.width() > width - self.PAD:
                x = self.PAD
                y += button.height() + self.GAP
            button.move(x, y)
            x += button.width() + self.GAP
        mirror(self, *self.buttons, width=width)
        if self.buttons:
            y += self.buttons[-1].height()
        return y + self.PAD

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.danger_wash))
        painter.drawRoundedRect(QRectF(self.rect()), t.RADIUS_SMALL, t.RADIUS_SMALL)
        painter.setPen(QColor(tokens.text))
        painter.setFont(ui_font(14))
        if self._words[:1].isascii():  # the engine's sentences are English in every language
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(self._text, Qt.TextFlag.TextWordWrap, self._words)

    def _button(self, number: int, offer: Remedy) -> QPushButton:
        button = QPushButton(offer.words, self)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self._on_clicked(number))
        button.show()
        return button

    def _on_clicked(self, number: int) -> None:
        offer = self._offers[number]
        self.asked.emit(offer.asks, offer.message_id)
