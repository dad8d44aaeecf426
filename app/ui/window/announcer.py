"""Answers by ear: that one has begun, that it has ended, and then its text as a whole."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.language import tr
from app.store import Message
from app.store.plain import shown_text
from app.ui.transcript import row_words
from app.ui.widgets.aloud import announce
from app.ui.window.workspace import Workspace

LONGEST = 4_000
"""Characters of an answer that are read aloud by themselves; the rest is read in its place."""


class Announcer(QObject):
    """Tells screen readers of answers: never a piece of one, always what it has come to.

    Of the chat that has the keys the whole text is read, of all others that they are done.

    Signals:
        said(words): what was told, whether or not somebody listened.
    """

    said = Signal(str)

    def __init__(self, library: ChatLibrary, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self._library = library
        self._workspace = workspace
        self._window = window
        self._answering: set[str] = set()
        library.activity.connect(self._on_activity)

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        answering = chat is not None and chat.answering
        if answering == (chat_id in self._answering):
            return
        (self._answering.add if answering else self._answering.discard)(chat_id)
        if chat is not None:
            self._tell(chat, answering)

    def _tell(self, chat: Chat, answering: bool) -> None:
        last = chat.transcript.last("assistant")
        if last is None:
            return
        active = self._workspace.active
        front = active is not None and active.chat is chat
        who = row_words.who(last) if front else chat.title
        doing = tr("answering") if answering else row_words.state(last) or tr("done")
        words = f"{who}: {doing}"
        if front and not answering and (text := _text(chat.message(last.id))):
            words += f". {text}"
        pane = self._workspace.pane(chat.id)
        announce(pane if pane is not None and pane.isVisible() else self._window, words)
        self.said.emit(words)


def _text(message: Message) -> str:
    """What is read of an answer that has ended."""
    if message.status == "error":
        return message.error
    text = shown_text(message.content[: 2 * LONGEST])
    if len(text) <= LONGEST and len(message.content) <= 2 * LONGEST:
        return text
    first = text[:LONGEST].rpartition(" ")[0]
    return tr("{text}… The rest stands in the conversation.", text=first)
