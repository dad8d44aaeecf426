from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app import flows
from app.chats.chat import Chat
from app.models.suggestions import load_small_model
from app.settings.language import language_code, mark, tr
from app.settings.paths import GUIDE
from app.tools.builtin import DATE
from app.ui.pane import header
from app.ui.style import tokens as t
from app.ui.style.icons import app_icon
from app.ui.style.theme import repolish, scale_height, theme
from app.ui.widgets.labels import make_heading, make_label
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout
from app.ui.widgets.widget_behavior import current_shortcut, to_native_keys

# Not translated because the Guide only knows English. It answered each of these questions well in
# ten out of ten tries.
GUIDE_THINGS = (
    "What can Stretto do?",
    "How do I put two chats side by side?",
    "How do I compare two models?",
)
ABOUT_THE_DATE = "What day is it today?"
FOUR_THING = mark("Describe a quiet morning in one paragraph")
"""Message of *See Four Replies*. Small models answer it well, and differently for each seed."""
OTHER_THINGS = (
    mark("What is a black hole? Answer in two sentences."),
    mark("Give me three tips for a good night’s sleep"),
    mark("Describe autumn in a forest in one paragraph"),
)
"""Suggestions that SmolLM2 answers well, too.

With its sampling defaults and eight seeds, it ends its replies after 39 to 115 tokens. Longer
replies often repeat themselves: tables, lists of ideas, stories and e-mails reach 200 tokens.
"""


GUIDE_DESCRIPTION = mark(
    "A tiny built-in model that knows Stretto. For anything else, get a model."
)
SMALL_DESCRIPTION = mark(
    "Small, fast, and often wrong. Runs on this computer. Your messages stay here."
)


class EmptyChat(QWidget):
    """Page of an empty chat: model name, three suggestions, and buttons for models and Compare."""

    suggestion_chosen = Signal(str)  # (text)
    model_requested = Signal(str)  # (ref)
    four_replies_requested = Signal(str, str)  # (ref, text): compare four replies of this model

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._mark = QLabel(self)
        self._mark.setPixmap(app_icon().pixmap(QSize(44, 44)))
        self._title = make_heading(self, "", t.TITLE_PX)
        self.teaching = make_label(self, px=t.LEAD_PX)
        self.buttons = [QPushButton(self) for _ in GUIDE_THINGS]
        column = make_column_layout(self._mark, 4, self._title, self.teaching, 12)
        for button in self.buttons:
            button.setObjectName("suggestion")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(self._on_clicked)
            column.addWidget(button)
        self._small_ref = ""
        self._fitting = self._stale = False
        self.is_quick_question = False  # the window for it has no Compare
        self.get = QPushButton(tr("Get Model…"), self)
        self.get.setToolTip(tr("Shows models that suit this computer"))
        self.small = QPushButton(tr("Chat with SmolLM2"), self)
        self.small.setToolTip(tr("A small model for any topic, fast and often wrong"))
        self.small.clicked.connect(lambda: self.model_requested.emit(self._small_ref))
        self.demo = QPushButton(tr("See Four Replies"), self)
        self.demo.setToolTip(tr("Shows four replies to one message, side by side"))
        self.demo.clicked.connect(self.ask_four)
        self.more = QWidget(self)
        make_row_layout(self.demo, self.small, self.get, SPRING, of=self.more, margins=(0, 8, 0, 0))
        column.addWidget(self.more)
        self._inner = QWidget(self)
        self._inner.setMaximumWidth(480)
        self._inner.setLayout(column)
        self._outer = make_column_layout(
            (SPRING, 2), self._inner, (SPRING, 3), of=self, spacing=None
        )
        self._outer.setContentsMargins(24, 16, 24, 16)
        # Never widen the pane. Hide whatever doesn't fit.
        for part in (self, self._inner, self._title, *self.buttons):
            part.setMinimumWidth(1)
        self.setMinimumHeight(1)
        theme().changed.connect(self.refresh)
        chat.chat_changed.connect(self.refresh)
        chat.phase_changed.connect(self.refresh)
        flows.start(self, self._look_for_small())

    @Slot()
    def refresh(self) -> None:
        if self.isHidden():
            return
        guide = self._chat.record.model == GUIDE
        remote = self._chat.model.remote
        name = self._chat.model.status.name if remote is None else remote.short_name
        title = tr("Try Stretto with the Guide") if guide else tr("Chat with {name}", name=name)
        self._title.setToolTip(title)
        self.teaching.setText(
            _add_language(tr(GUIDE_DESCRIPTION))
            if guide
            else header.introduction(remote)
            if remote is not None
            else _add_language(tr(SMALL_DESCRIPTION))
            if self._is_small
            else tr("Runs on this computer. Your messages stay here.")
        )
        things: Sequence[str] = GUIDE_THINGS if guide else OTHER_THINGS
        if guide and DATE in self._chat.options.tools:
            things = (*things[:2], ABOUT_THE_DATE)
        for button, thing in zip(self.buttons, things, strict=True):
            button.setProperty("whole", self._translate(thing))
        model_name = self._chat.model.loader.get(self._demo_model()).name
        self.demo.setToolTip(tr("Asks {name} the same question four times", name=model_name))
        name = "primary" if guide else ""
        if self.demo.objectName() != name:
            self.demo.setObjectName(name)
            repolish(self.demo)
        self._fit()

    def _fit(self) -> None:
        """Show as much as fits.

        Showing a widget triggers a layout pass and may call this method recursively.
        """
        self._stale = True
        if self._fitting:
            return
        self._fitting = True
        for _ in range(3):
            if self._stale:
                self._stale = False
                self._show_what_fits()
        self._fitting = False

    def _show_what_fits(self) -> None:
        """Hide parts that don't fit, the least important first. Get Model always stays."""
        guide = self._chat.record.model == GUIDE
        margins = self._outer.contentsMargins()
        inner = min(self._inner.maximumWidth(), self.width() - margins.left() - margins.right())
        height, end = self.height(), Qt.TextElideMode.ElideRight
        self._title.ensurePolished()  # measuring requires the final font
        middle, metrics = Qt.TextElideMode.ElideMiddle, self._title.fontMetrics()
        self._title.setText(_wrap_text(self._title.toolTip(), metrics, middle, inner))
        for button in self.buttons:
            full_text = str(button.property("whole"))
            text = _wrap_text(full_text, button.fontMetrics(), end, inner - 36)
            button.setText(text)
            button.setToolTip(full_text if "…" in text else "")
        self._mark.setVisible(height > scale_height(380, 7))
        self.teaching.setVisible(height > scale_height(230, 4))
        offers_models = guide or self._is_small
        self.get.setVisible(offers_models)
        room = inner - (self.get.sizeHint().width() if offers_models else 0)
        for way, is_wanted in (
            (self.demo, not self.is_quick_question),
            (self.small, guide and bool(self._small_ref)),
        ):
            room -= way.sizeHint().width() + 8 if is_wanted else 0
            way.setVisible(is_wanted and room >= 0)
        has_buttons = offers_models or not self.demo.isHidden()
        self.more.setVisible(height > scale_height(110, 2) and has_buttons)
        height_left = height - margins.top() - margins.bottom() - 24
        height_left -= max(scale_height(40), self._title.sizeHint().height())
        for part, part_height in (
            (self._mark, 56),
            (self.teaching, 12 + max(0, self.teaching.heightForWidth(inner))),
            (self.more, 16 + self.get.sizeHint().height()),
        ):
            height_left -= 0 if part.isHidden() else part_height
        for button in self.buttons:
            height_left -= button.sizeHint().height() + 8
            button.setVisible(height_left >= 0)

    @Slot()
    def ask_four(self) -> None:
        self.four_replies_requested.emit(self._demo_model(), self._translate(FOUR_THING))

    @property
    def _is_small(self) -> bool:
        small = load_small_model()
        repo = small.suggestion.repo if small is not None else ""
        return self._chat.record.model in {self._small_ref, repo} - {""}

    def _translate(self, thing: str) -> str:
        """Translate a suggestion, unless the Guide or SmolLM2 replies, which only know English."""
        is_english = self._chat.record.model == GUIDE or self._is_small
        return thing if is_english else tr(thing)

    def _demo_model(self) -> str:
        chat_model = self._chat.record.model
        return self._small_ref or chat_model if chat_model == GUIDE else chat_model

    async def _look_for_small(self) -> None:
        self._small_ref = await self._chat.model.loader.look_for_small()
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        margin = max(24, (self.width() - 480) // 2)
        narrow = self.width() < t.NARROW
        self._outer.setContentsMargins(*(16, 8, 16, 8) if narrow else (margin, 16, margin, 16))
        self._fit()

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.suggestion_chosen.emit(str(button.property("whole")))


def _wrap_text(words: str, metrics: QFontMetrics, elide: Qt.TextElideMode, room: int) -> str:
    wide = metrics.horizontalAdvance
    if wide(words) <= room:
        return words
    ends = [at for at, sign in enumerate(words) if sign == " " and wide(words[:at]) <= room]
    if not ends:
        return metrics.elidedText(words, elide, room)
    return f"{words[: ends[-1]]}\n{metrics.elidedText(words[ends[-1] + 1 :], elide, room)}"


def _add_language(words: str) -> str:
    return words if language_code() == "en" else f"{words} {tr('It speaks English only.')}"


class NoChat(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = make_heading(self, "", t.TITLE_PX)
        self.teaching = make_label(self, px=t.LEAD_PX)
        self.teaching.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setMinimumSize(1, 1)  # don't enlarge the workspace
        self.button = QPushButton(tr("New Chat"), self)
        self.button.setObjectName("primary")
        middle = Qt.AlignmentFlag.AlignHCenter
        title, button = (self._title, 0, middle), (self.button, 0, middle)
        parts = ((SPRING, 2), title, self.teaching, button, (SPRING, 3))
        make_column_layout(*parts, of=self, margins=None, spacing=10)
        self.set_elsewhere(False)

    def set_elsewhere(self, elsewhere: bool) -> None:
        """Set the text. ``elsewhere`` is True if chats are open in floating windows."""
        if elsewhere:
            self._title.setText(tr("Your chats are in other windows"))
            self.teaching.setText(tr("Drag a tab here, or start a new chat."))
        else:
            self._title.setText(tr("No chat is open"))
            keys = to_native_keys(current_shortcut("Ctrl+Shift+T"))
            self.teaching.setText(
                tr(
                    "Choose a chat in the sidebar or start a new one. {keys} reopens the last one.",
                    keys=keys,
                )
                if keys
                else tr("Choose a chat in the sidebar or start a new one.")
            )
