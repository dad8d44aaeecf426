"""What there is to see of one open chat: its messages, its model, what it is doing."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.chats.answering import Answering
from app.chats.model_choice import Shelf, Shelved
from app.chats.options import ChatOptions
from app.chats.record import ChatRecord
from app.chats.reply import Phase
from app.chats.transcript import Transcript
from app.store import Chat, Message, Store
from engine import PromptProgress


class ChatState(QObject):
    """One open chat as others see it; `ChatController` is the one that changes it.

    Signals:
        chat_changed(): title, model or options are others.
        path_changed(): another branch is shown, or the transcript was loaded.
        message_added(id), message_changed(id): one message of the shown path.
        text_added(id, text, kind): more text at the end of a streaming message.
        phase_changed(): what the chat is doing, or how far it is.
        reply_ended(id): a reply has ended, however it did.
    """

    chat_changed = Signal()
    path_changed = Signal()
    message_added = Signal(str)
    message_changed = Signal(str)
    text_added = Signal(str, str, str)
    phase_changed = Signal()
    reply_ended = Signal(str)

    def __init__(
        self,
        chat: Chat,
        store: Store,
        bridge: Bridge,
        shelf: Shelf,
        *,
        stored: bool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self._record = ChatRecord(chat, store, stored=stored)
        self._answering = answering = Answering(self._record, bridge, shelf, self)
        answering.message_changed.connect(self.message_changed)
        answering.text_added.connect(self.text_added)
        answering.phase_changed.connect(self.phase_changed)
        answering.reply_ended.connect(self.reply_ended)

    @property
    def id(self) -> str:
        return self._record.chat.id

    @property
    def chat(self) -> Chat:
        return self._record.chat

    @property
    def stored(self) -> bool:
        """False for a new chat in which no key was pressed yet."""
        return self._record.stored

    @property
    def blank(self) -> bool:
        """Whether nothing was said and nothing stands in the composer."""
        return self.transcript.leaf_id is None and not self.chat.draft

    @property
    def title(self) -> str:
        return self.chat.title or "New chat"

    @property
    def options(self) -> ChatOptions:
        return self._answering.options

    @property
    def transcript(self) -> Transcript:
        return self._record.transcript

    @property
    def shelved(self) -> Shelved:
        """This chat's model and how far it is."""
        return self._shelf.get(self.chat.model)

    @property
    def phase(self) -> Phase:
        return self._answering.phase

    @property
    def progress(self) -> PromptProgress | None:
        """How far the prompt is, while one is queued or read."""
        reply = self._answering.reply
        return reply.progress if reply is not None else None

    @property
    def answering(self) -> bool:
        """Whether a reply runs or waits for its model."""
        return self._answering.reply is not None

    @property
    def paused(self) -> bool:
        """Whether the running reply stands still."""
        reply = self._answering.reply
        return reply is not None and reply.paused

    @property
    def session_id(self) -> str | None:
        """The engine's name for this chat's session, None while there is none."""
        return self._answering.session.id

    @property
    def answering_id(self) -> str | None:
        reply = self._answering.reply
        return reply.message_id if reply is not None else None

    @property
    def thought_s(self) -> float | None:
        reply = self._answering.reply
        return reply.thought_s if reply is not None else None

    @property
    def unseen(self) -> bool:
        """Whether a reply has ended that nobody has looked at."""
        return self._answering.unseen

    @property
    def context(self) -> tuple[int, int, int]:
        """Tokens of the last turn, how many of them were reused, and how many fit; 0 if unknown."""
        model = self.shelved.model
        # An answer that is being written has no figures yet: those before it stay.
        latest = islice(self.transcript.backwards(), 100)
        told = (m.stats for m in latest if m.stats.get("prompt_tokens"))
        stats = next(told, {})
        used = int(stats.get("prompt_tokens", 0)) + int(stats.get("generated_tokens", 0))
        limit = model.context_length if model is not None else 0
        return used, int(stats.get("reused_tokens", 0)), limit

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        return self._answering.message(message_id)
