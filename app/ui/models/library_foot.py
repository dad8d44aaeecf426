"""The foot of the Models window: a sentence with its undo, and what can be done with a model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.chats.model_choice import LoadState, ModelStatus
from app.conversion import why_not
from app.language import mark, tr
from app.paths import adapter_of
from engine.hub.inventory import Installed

_GONE = mark("The folder is not there any more")


class LibraryFoot(QWidget):
    """Buttons for the chosen model; while it asks a question, the two answers instead.

    Signals:
        load_asked(), pin_asked(), convert_asked(), folder_asked(), removal_asked(),
            chat_asked(): of the chosen one.
        adapter_asked(): it is to be listed with an adapter, too.
        draft_asked(): another model is to draft for it.
        sure(): the person answers the question with yes.
        kept(): with no.

    Attributes:
        asking: whether there is a question.
    """

    adapter_asked = Signal()
    draft_asked = Signal()
    load_asked = Signal()
    pin_asked = Signal()
    convert_asked = Signal()
    folder_asked = Signal()
    removal_asked = Signal()
    chat_asked = Signal()
    sure = Signal()
    kept = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asking = False
        self._count = ""
        self._undo: Callable[[], None] | None = None
        self.said = QLabel(self)
        self.said.setProperty("muted", True)
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.undo = self._push_button(tr("Undo"), self._on_undo)
        self.undo.setObjectName("link")
        self.load = self._push_button(tr("Load"), self.load_asked.emit)
        self.pin = self._push_button(tr("Pin"), self.pin_asked.emit)
        self.convert = self._push_button(tr("Convert…"), self.convert_asked.emit)
        self.reveal = self._push_button(tr("Show in Folder"), self.folder_asked.emit)
        self.adapter = self._push_button(tr("Add Adapter…"), self.adapter_asked.emit)
        self.draft = self._push_button(tr("Draft Model…"), self.draft_asked.emit)
        self.trash = self._push_button(tr("Move to Trash"), self.removal_asked.emit)
        self.open = self._push_button(tr("Open in a Chat"), self.chat_asked.emit)
        self.open.setObjectName("primary")
        self.keep = self._push_button(tr("Keep"), self.kept.emit)
        self.yes = self._push_button(tr("Move to Trash"), self.sure.emit)
        self.usual = (
            *(self.open, self.load, self.pin, self.convert, self.reveal, self.adapter),
            *(self.draft, self.trash),
        )
        note = QHBoxLayout()
        note.setSpacing(8)
        note.addWidget(self.said, 1)
        note.addWidget(self.undo)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.usual[1:-1]:
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.trash)
        for button in (self.open, self.keep, self.yes):
            note.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(note)
        layout.addLayout(row)
        self.say("")

    def _push_button(self, words: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    # The line.

    def say(self, words: str, undo: Callable[[], None] | None = None) -> None:
        """A sentence, with what takes it back; "" says how many models there are."""
        self.asking = False
        self._undo = undo
        self._words = words
        self._show_line()

    def count(self, words: str) -> None:
        """What is said where there is nothing else to say."""
        self._count = words
        self._show_line()

    def ask(self, words: str) -> None:
        """Ask whether the model is to go all the same."""
        self.say(words)
        self.asking = True
        self._show_line()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_line(self) -> None:
        self.said.setText(self._words or self._count)
        self.undo.setVisible(self._undo is not None)
        for button in self.usual:
            button.setVisible(not self.asking)
        for button in (self.keep, self.yes):
            button.setVisible(self.asking)

    def _on_undo(self) -> None:
        undo = self._undo
        self.say("")
        if undo is not None:
            undo()

    # The buttons.

    def show_none(self) -> None:
        """No model is chosen."""
        for button in self.usual:
            button.setEnabled(False)
            button.setToolTip(tr("Choose a model first"))

    def show_model(
        self,
        model: Installed,
        status: ModelStatus,
        *,
        pinned: bool,
        why_not_unload: str,
        why_not_remove: str,
    ) -> None:
        """Offer what can be done with this model; tooltips say why the rest cannot."""
        facts, loaded = model.facts, status.model is not None
        why = why_not_unload if loaded else facts.problem
        words, tip = tr("Load"), tr("Load it now")
        if loaded:
            words, tip = tr("Unload"), tr("Take it out of memory")
        if status.state is LoadState.LOADING:
            words, tip, why = tr("Cancel Loading"), tr("Do not load it after all"), ""
        self._show(self.load, words, why, tip, model.name)
        words, tip = tr("Pin"), tr("Keep it first in the list, and in memory while it rests")
        if pinned:
            words, tip = tr("Unpin"), tr("Treat it as the others")
        self._show(self.pin, words, "", tip, model.name)
        tip = tr("Make a smaller copy of it")
        self._show(self.convert, tr("Convert…"), why_not(model), tip, model.name)
        gone = tr(_GONE) if facts.gone else ""
        self._show(self.reveal, tr("Show in Folder"), gone, tr("Show its files"), model.name)
        why = tr("It has one already") if adapter_of(model.ref) else facts.problem
        tip = tr("Choose a LoRA or DoRA adapter: the model is listed with it, too")
        self._show(self.adapter, tr("Add Adapter…"), why, tip, model.name)
        tip = tr("Choose a small model that drafts for it, so that it answers faster")
        self._show(self.draft, tr("Draft Model…"), facts.problem, tip, model.name)
        self._show(self.open, tr("Open in a Chat"), facts.problem, tr("Chat with it"), model.name)
        if facts.gone:
            tip = tr("List it no longer")
            self._show(self.trash, tr("Remove from List"), "", tip, model.name)
        else:
            tip = tr("Move its folder to the system's trash")
            self._show(self.trash, tr("Move to Trash"), why_not_remove, tip, model.name)

    def menu(self) -> QMenu:
        """The same as a menu."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for button in self.usual:
            action = menu.addAction(button.text(), button.click)
            action.setEnabled(button.isEnabled())
            action.setToolTip(button.toolTip())
        return menu

    def _show(self, button: QPushButton, words: str, why_not: str, tip: str, name: str) -> None:
        button.setText(words)
        button.setEnabled(not why_not)
        button.setToolTip(why_not or tip)
        button.setAccessibleName(f"{words}: {name}")
