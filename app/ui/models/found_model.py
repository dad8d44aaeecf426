from __future__ import annotations

import re

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from app.markdown import MarkdownDocument
from app.models.engine_errors import explain_hub
from app.models.suggestions import Suggestion, find_installed
from app.settings.language import mark, tr
from app.ui.models.model_search import (
    CHATS,
    TOKENS,
    chats_line,
    facts_line,
    fit_sentence,
    has_room,
    name_without_owner,
    room_sentence,
    tokens_line,
)
from app.ui.style import tokens as t
from app.ui.style.figures import bytes_line
from app.ui.style.theme import markdown_style, repolish, set_scaled_font, theme
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.labels import make_label, make_link
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.textview import TextView
from engine import EngineError, hub
from engine.hub import Fit

DOWNLOAD, OPEN, TRY_AGAIN = mark("Download"), mark("Open"), mark("Try Again")
"""Actions of the main button, translated by `tr`."""


class GoButton(QPushButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDefault(True)
        self.set_action(DOWNLOAD)

    def set_action(self, verb: str) -> None:
        self.verb = verb
        self.setText(tr(verb))

    def set_refusal(self, why_not: str) -> None:
        self.setEnabled(not why_not)
        self.setToolTip(why_not)


class CardView(QScrollArea):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Model card"))
        self._markdown = MarkdownDocument(markdown_style(quiet=True), self)
        self.view = CardText(self._markdown, self)
        self.view.setAccessibleName(tr("Model card"))
        self.setWidget(self.view)
        self.view.height_changed.connect(self._lay_out)
        theme().changed.connect(self._on_theme)

    @property
    def text(self) -> str:
        return self._markdown.plain_text()

    def show_card(self, markdown: str) -> None:
        """Show a model card, or hide the view for ""."""
        self._markdown.set_text(markdown)
        self._markdown.finish()
        for code in self._markdown.code_blocks():
            self._markdown.set_wrapped(code.name, True)  # avoid sideways scrolling in the card
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.setVisible(bool(markdown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    @Slot()
    def _lay_out(self) -> None:
        width = max(80, self.viewport().width())
        self.view.resize(width, self.view.height_for(width) + 4)

    @Slot()
    def _on_theme(self) -> None:
        self._markdown.set_style(markdown_style(quiet=True))
        self._lay_out()


class CardText(TextView):
    """Text of the card with painted backgrounds, such as those of code."""

    def __init__(self, markdown: MarkdownDocument, parent: QWidget) -> None:
        super().__init__(markdown.document, parent)
        self._markdown = markdown

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._markdown.paint_under(painter, QRectF(event.rect()))
        painter.end()
        super().paintEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class FoundModel(QWidget):
    # (tokens, chats)
    plan_changed = Signal(int, int)

    def __init__(self, parent: QWidget, tokens: int, chats: int, access: QWidget) -> None:
        """``access`` is the widget above the card."""
        super().__init__(parent)
        self.name, self.about, self.facts, self.fits = (
            make_label(self, muted=False) for _ in range(4)
        )
        set_scaled_font(self.name, t.HEADING_PX, QFont.Weight.DemiBold)
        self.tokens = make_combo_box(
            self, tr("Tokens per chat"), ((tokens_line(n), n) for n in TOKENS), tokens
        )
        self.chats = make_combo_box(
            self, tr("Number of chats"), ((chats_line(n), n) for n in CHATS), chats
        )
        self.read = make_link(self, tr("Model Card"))
        self.read.setToolTip(tr("Asks Hugging Face about this model"))
        self.card = CardView(self)
        self._plan = QWidget(self)
        plan = make_row_layout(of=self._plan)
        boxes = {"{chats}": self.chats, "{tokens}": self.tokens}
        for part in re.split(r"(\{\w+\})", tr("For {chats} of {tokens}")):
            if part.strip():
                plan.addWidget(boxes.get(part) or make_label(self._plan, part.strip(), wrap=False))
        plan.addStretch(1)
        layout = make_column_layout(of=self)
        for label in (self.name, self.about, self.facts, self.fits):
            layout.addWidget(label)
        layout.addWidget(self._plan)
        layout.addWidget(self.read, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(access)
        layout.addSpacing(4)
        layout.addWidget(self.card, 1)
        self._filler = QWidget(self)  # takes up the space if there's no card
        layout.addWidget(self._filler, 1)
        self.tokens.currentIndexChanged.connect(self._on_plan)
        self.chats.currentIndexChanged.connect(self._on_plan)
        self.clear()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.chats, self.tokens, self.read, self.card

    def clear(self) -> None:
        for label in (self.name, self.about, self.facts, self.fits):
            self._set_label(label, "")
        self._plan.hide()
        self.read.hide()
        self.show_card("")

    def show_trouble(self, words: str) -> None:
        self._set_label(self.fits, words, danger=True)

    def show_message(self, words: str, *, danger: bool = False, name: str = "") -> None:
        self.clear()
        self._set_label(self.name, name_without_owner(name) if name else "")
        self._set_label(self.about, words, danger=danger)

    def show_card(self, markdown: str) -> None:
        self.card.show_card(markdown)
        self._filler.setVisible(not markdown)

    def show_suggestion(self, model: Suggestion, room: int, slow: bool) -> str:
        """Show a suggestion and return the action for the main button.

        ``room`` is the memory budget in bytes, 0 if unknown.
        """
        installed = bool(find_installed(model.repo))  # maybe as another file of another size
        self.clear()
        self._set_label(self.name, name_without_owner(model.repo))
        self.name.setToolTip(model.repo)
        size = "" if installed else f"{bytes_line(model.size)} · "
        self._set_label(self.about, f"{size}{model.licence}")
        self._set_label(self.facts, tr(model.good_at))
        self.read.show()
        if installed:
            self._set_label(self.fits, tr("Already on this computer."))
            return OPEN
        small = not room or has_room(model, room)
        words = _with_speed(room_sentence(model, room), slow=slow and small)
        self._set_label(self.fits, words, danger=not small)
        return DOWNLOAD

    def show_model(self, model: hub.HubModel, fit: Fit | None, slow: bool) -> str:
        """Show a model and return the action for the main button, or "" for none.

        ``fit`` is None if the memory budget is unknown.
        """
        bits = tr("{bits}-bit", bits=model.bits) if model.bits else ""
        at = "" if model.revision == "main" else tr("at {revision}", revision=model.revision)
        parts = (bytes_line(model.size), model.architecture, bits, at)
        self.read.hide()
        self._set_label(self.name, name_without_owner(model.repo))
        self._set_label(self.about, " · ".join(part for part in parts if part))
        self._set_label(self.facts, facts_line(model))
        self.name.setToolTip(model.repo)
        elsewhere = not at and find_installed(model.repo) not in ("", model.repo)
        if hub.find_complete(model) is not None or elsewhere:
            self._plan.hide()
            self._set_label(self.fits, tr("Already on this computer."))
            return OPEN
        problem = _problem(model)
        if problem:
            self._plan.hide()
            self._set_label(self.fits, problem, danger=True)
            return ""
        self._show_fit(fit, slow)
        return DOWNLOAD

    def _show_fit(self, fit: Fit | None, slow: bool) -> None:
        words, too_large = fit_sentence(fit) if fit else "", bool(fit and fit.verdict == "no")
        words = _with_speed(words, slow=slow and not too_large)
        self._set_label(self.fits, words, danger=too_large)
        self._plan.setVisible(fit is not None)

    @Slot()
    def _on_plan(self) -> None:
        self.plan_changed.emit(self.tokens.currentData(), self.chats.currentData())

    def _set_label(self, label: QLabel, words: str, *, danger: bool = False) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        label.setProperty("danger", danger)
        label.setProperty("muted", not danger and label is not self.name)
        repolish(label)


def _with_speed(words: str, *, slow: bool) -> str:
    return f"{words} {tr('Without a GPU, expect slow replies.')}" if words and slow else words


def _problem(model: hub.HubModel) -> str:
    if not model.known:
        return tr("This version of Stretto doesn’t support its architecture.")
    try:
        hub.check_space(model)
    except EngineError as error:
        return explain_hub(error.code, error.message)
    return ""
