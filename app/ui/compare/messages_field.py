"""What is asked of all columns: one message, a list of lines, or prompts that were kept."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.chats.table import MOST_MESSAGES
from app.language import mark, number, tr
from app.ui.composer.composer_text import files_in
from app.ui.widgets.mirror import begin_at_edge
from app.ui.widgets.plain import plain_tip

ONE, LINES, PROMPTS = mark("One message"), mark("A message in each line"), mark("My prompts")
"""The kinds, as the list holds them beside what `tr` makes of them."""
_FIELD = 104


class AskField(QPlainTextEdit):
    """Plain text.

    Signals:
        files_given(paths): files were pasted or dropped.
    """

    files_given = Signal(list)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(files_in(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_in(source):  # their text would be nothing but "file:///…"
            self.files_given.emit(files)
        else:
            super().insertFromMimeData(source)


class MessagesField(QWidget):
    """A field to write in, or a list to tick.

    Signals:
        changed(): something else is to be asked.
    """

    changed = Signal()

    def __init__(self, prompt: str, prompts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self._prompts = dict(prompts)
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(tr("What to ask"))
        for words in (ONE, LINES, PROMPTS):
            self.kind.addItem(tr(words), words)
        self.prompt = AskField(prompt, self)
        begin_at_edge(self.prompt)
        self.prompt.setObjectName("field")
        self.prompt.setAccessibleName(tr("Message to compare"))
        self.prompt.setTabChangesFocus(True)
        self.ticks: list[QCheckBox] = []
        inside = QWidget(self)
        column = QVBoxLayout(inside)
        column.setContentsMargins(2, 2, 2, 2)
        for name, text in self._prompts.items():
            tick = QCheckBox(name.replace("&", "&&"), inside)
            gap = "{{" in text
            tick.setEnabled(not gap)
            tick.setChecked(not gap)
            why = tr("It has variables to be filled in. Write it out as a line instead.")
            tick.setToolTip(why if gap else plain_tip(text[:500]))
            tick.toggled.connect(self.changed)
            self.ticks.append(tick)
            column.addWidget(tick)
        column.addStretch(1)
        self._list = QScrollArea(self)
        self._list.setWidget(inside)
        self._list.setWidgetResizable(True)
        self._list.setFrameShape(QScrollArea.Shape.NoFrame)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages = QStackedWidget(self)
        self._pages.setFixedHeight(_FIELD)
        self._pages.addWidget(self.prompt)
        self._pages.addWidget(self._list)
        head = QHBoxLayout()
        head.addWidget(QLabel(tr("Ask"), self))
        head.addStretch(1)
        head.addWidget(self.kind)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._pages)
        self.setFocusProxy(self.prompt)
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.prompt.textChanged.connect(self.changed)
        self._on_kind()

    @property
    def several(self) -> bool:
        """Whether it is a list, of which the answers make a table."""
        return bool(self.kind.currentData() != ONE)

    def messages(self) -> list[str]:
        """What is asked, each once."""
        text = self.prompt.toPlainText()
        if self.kind.currentData() == ONE:
            found = [text.strip("\n")]
        elif self.kind.currentData() == LINES:
            found = [line.strip() for line in text.splitlines()]
        else:
            texts = zip(self.ticks, self._prompts.values(), strict=True)
            found = [text.strip("\n") for tick, text in texts if tick.isChecked()]
        return list(dict.fromkeys(message for message in found if message.strip()))

    def why_not(self) -> str:
        """Why this cannot be asked, as a sentence; "" if it can."""
        count = len(self.messages())
        if count > MOST_MESSAGES:
            return tr(
                "Ask at most {most} messages: these are {count}.",
                most=number(MOST_MESSAGES),
                count=number(count),
            )
        if count:
            return ""
        if self.kind.currentData() == PROMPTS:
            if not self._prompts:
                return tr("Keep a prompt first, with Edit > Prompts.")
            return tr("Tick the prompts that all columns answer.")
        if self.several:
            return tr("Write a message in each line. All columns answer all of them.")
        return tr("Write the message that all columns answer.")

    @Slot()
    def _on_kind(self) -> None:
        ticks = self.kind.currentData() == PROMPTS
        self._pages.setCurrentWidget(self._list if ticks else self.prompt)
        self.prompt.setPlaceholderText(
            tr("Several messages for all columns, one in each line")
            if self.several
            else tr("One message for all columns")
        )
        self.changed.emit()
