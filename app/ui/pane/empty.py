"""What a chat shows before anything was said, and the window before any chat is open."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app import flows
from app.chats.chat import Chat
from app.models import suggestions
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.tools.builtin import DATE
from app.ui.pane import header
from app.ui.style import tokens as t
from app.ui.style.icons import app_icon
from app.ui.style.theme import keep_font
from app.ui.widgets.manners import native

# The Guide knows English only: what is asked of it is not translated.
GUIDE_THINGS = (
    "What can Stretto do?",
    "How do I put two chats side by side?",
    "Show me a table about animals",
)
ABOUT_THE_DATE = "What day is it today?"
OTHER_THINGS = (
    mark("Explain recursion with a short example"),
    mark("Write a haiku about two voices singing together"),
    mark("Compare tea and coffee in a table"),
)


class EmptyChat(QWidget):
    """A friendly beginning with three things to try.

    Signals:
        chosen(text): the person clicked one of them.
        four_asked(): they want to ask several at once.
        get_asked(): they want another model than the Guide.
        model_asked(ref): they want this one, which is here.
    """

    chosen = Signal(str)
    four_asked = Signal()
    get_asked = Signal()
    model_asked = Signal(str)

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._mark = QLabel(self)
        self._mark.setPixmap(app_icon().pixmap(QSize(44, 44)))
        self._title = _label("", 20, QFont.Weight.DemiBold)
        self._teaching = _label("", 14)
        self._teaching.setProperty("muted", True)
        self._teaching.setWordWrap(True)
        self.buttons = [QPushButton(self) for _ in GUIDE_THINGS]
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self._mark)
        column.addSpacing(4)
        column.addWidget(self._title)
        column.addWidget(self._teaching)
        column.addSpacing(12)
        for button in self.buttons:
            button.setObjectName("suggestion")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(self._on_clicked)
            column.addWidget(button)
        self.four = QPushButton(tr("Ask four at once"), self)
        self.four.setObjectName("link")
        self.four.setCursor(Qt.CursorShape.PointingHandCursor)
        self.four.setToolTip(tr("Compares replies to one message, side by side"))
        self.four.clicked.connect(self.four_asked)
        self.small = QPushButton(tr("Talk to SmolLM2: small, but it talks about anything"), self)
        self.small.setObjectName("link")
        self.small.setCursor(Qt.CursorShape.PointingHandCursor)
        self._small_ref = ""
        self.small.clicked.connect(lambda: self.model_asked.emit(self._small_ref))
        self.bigger = QPushButton(tr("Get a bigger model"), self)
        self.bigger.setObjectName("link")
        self.bigger.setCursor(Qt.CursorShape.PointingHandCursor)
        self.bigger.setToolTip(tr("Shows which models suit this machine"))
        self.bigger.clicked.connect(self.get_asked)
        column.addSpacing(4)
        column.addWidget(self.four, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.small, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.bigger, 0, Qt.AlignmentFlag.AlignLeft)
        self._inner = QWidget(self)
        self._inner.setMaximumWidth(480)
        self._inner.setLayout(column)
        column.setContentsMargins(0, 0, 0, 0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(24, 16, 24, 16)
        outer.addStretch(2)
        outer.addWidget(self._inner)
        outer.addStretch(3)
        self._outer = outer
        chat.chat_changed.connect(self.refresh)
        chat.phase_changed.connect(self.refresh)
        self.refresh()
        if chat.record.model == GUIDE:
            flows.start(self, self._look_for_small())

    @Slot()
    def refresh(self) -> None:
        """Fit the words to the model of the chat."""
        guide = self._chat.record.model == GUIDE
        remote = self._chat.remote
        name = self._chat.model_status.name if remote is None else remote.short_name
        title = tr("Hello, I am the Guide") if guide else tr("Chat with {name}", name=name)
        self._title.setToolTip(title)
        self._fit_title()
        self._teaching.setText(
            tr(
                "A tiny model that comes with Stretto. I know my way around here. "
                "Ask me anything, or start with one of these."
            )
            if guide
            else header.teaching(remote)
            if remote is not None
            else tr("It runs on this machine, and nothing you write leaves it.")
        )
        things: Sequence[str] = GUIDE_THINGS if guide else OTHER_THINGS
        if guide and DATE in self._chat.options.tools:
            things = (*things[:2], ABOUT_THE_DATE)
        for button, thing in zip(self.buttons, things, strict=True):
            button.setText(thing if guide else tr(thing))
        self._show_bigger()

    def _fit_title(self) -> None:
        """Leave out the title's middle where a model's name is too long; the tooltip is whole."""
        margins = self._outer.contentsMargins()
        room = min(self._inner.maximumWidth(), self.width() - margins.left() - margins.right())
        metrics = self._title.fontMetrics()
        middle = Qt.TextElideMode.ElideMiddle
        self._title.setText(metrics.elidedText(self._title.toolTip(), middle, room))

    def _show_bigger(self) -> None:
        """Only beside the Guide, and where there is room for it."""
        guide = self._chat.record.model == GUIDE
        self.four.setVisible(self.width() >= t.NARROW and self.height() > 380)
        self.bigger.setVisible(guide and self.height() > 410)
        self.small.setVisible(guide and bool(self._small_ref) and self.height() > 440)

    async def _look_for_small(self) -> None:
        self._small_ref = await flows.aside(lambda _: _small_folder())
        self._show_bigger()

    def resizeEvent(self, event: QResizeEvent) -> None:
        margin = max(24, (self.width() - 480) // 2)
        narrow = self.width() < t.NARROW
        self._outer.setContentsMargins(*(16, 8, 16, 8) if narrow else (margin, 16, margin, 16))
        self._fit_title()
        # In a low pane what matters least goes first.
        self._mark.setVisible(self.height() > 380)
        self._teaching.setVisible(self.height() > 270)
        room = (self.height() - (150 if self.height() > 270 else 60)) // 52
        for number, button in enumerate(self.buttons):
            button.setVisible(number < room)
        self._show_bigger()

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.chosen.emit(button.text())


def _small_folder() -> str:
    """Where the small model lies, "" where it is not here."""
    small = suggestions.small()
    folder = small.folder() if small is not None else None
    return "" if folder is None else str(folder)


class NoChat(QWidget):
    """The window when every pane is closed.

    Signals:
        new_asked(): the person wants a chat.
    """

    new_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _label("", 18, QFont.Weight.DemiBold)
        self._teaching = _label("", 14)
        self._teaching.setProperty("muted", True)
        self.button = QPushButton(tr("New Chat"), self)
        self.button.setObjectName("primary")
        self.button.clicked.connect(self.new_asked)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addStretch(2)
        for widget in (self._title, self._teaching, self.button):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        self.set_elsewhere(False)

    def set_elsewhere(self, elsewhere: bool) -> None:
        """Whether chats are open in windows of their own."""
        if elsewhere:
            self._title.setText(tr("Your chats have windows of their own"))
            self._teaching.setText(tr("Drag one back by its tab, or begin another here."))
        else:
            self._title.setText(tr("No chat is open"))
            self._teaching.setText(
                tr(
                    "Choose one at the left, or begin another. {keys} brings the last one back.",
                    keys=native("Ctrl+Shift+T"),
                )
            )


def _label(text: str, px: int, weight: QFont.Weight = QFont.Weight.Normal) -> QLabel:
    label = QLabel(text)
    keep_font(label, px, weight)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
