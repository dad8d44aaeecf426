"""What there is to see of one open chat: its messages, its model, its turn, what may be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Slot

from app.bridge import Bridge
from app.chats.actions import Action, Turn, refusal
from app.chats.answering import Answering
from app.chats.attached.attaching import Attaching
from app.chats.counting import Asked, TokenCount
from app.chats.model_choice import ModelLoader, ModelStatus
from app.chats.options import ChatOptions
from app.chats.reply import Phase
from app.chats.saved_chat import SavedChat
from app.chats.signals import ChatSignals
from app.chats.tool_work import ToolWork
from app.chats.transcript import Transcript, tokens_of_last_turn
from app.chats.turn import Calling, Compose, Paused, Reply, Waiting
from app.remote.address import Remote, named
from app.remote.session import RemoteModel
from app.store import Chat as ChatRecord
from app.store import Message, Store
from app.tools.toolbox import Toolbox
from engine import PromptProgress

_TELL_NO_MODEL = {"code", "reason", "thought_s"}


class ChatView(ChatSignals):
    """The part of `Chat` that tells, and takes what the list of chats has changed.

    Attributes:
        attaching: the files that go with what is being composed.
        count: how many tokens it would take with what is being composed.
        alias: what stands in the place of its model's name while that is hidden, else "".
    """

    def __init__(
        self,
        record: ChatRecord,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        toolbox: Toolbox,
        *,
        stored: bool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._loader = loader
        self._saved = SavedChat(record, store, stored=stored)
        self._answering = Answering(self._saved, bridge, loader, self, toolbox)
        self.alias = ""
        self.attaching = Attaching(self._saved, loader, self)
        self.count = TokenCount(loader, self._counted, self)

    @property
    def id(self) -> str:
        return self._saved.record.id

    @property
    def record(self) -> ChatRecord:
        """What is stored of it, besides its messages."""
        return self._saved.record

    @property
    def stored(self) -> bool:
        """False for a new chat in which no key was pressed yet."""
        return self._saved.stored

    def take_fields(self, fields: Mapping[str, Any]) -> None:
        """These fields of the record have been stored with other values."""
        self._saved.change(**fields)
        self.chat_changed.emit()

    def set_alias(self, alias: str) -> None:
        """Hide the model's name and figures, which would tell it, or ("") show them again."""
        if alias != self.alias:
            self.alias = alias
            self.chat_changed.emit()
            for message in self.transcript.path:
                self.message_changed.emit(message.id)

    @property
    def blank(self) -> bool:
        """Whether nothing was said and nothing stands in the composer."""
        record = self.record
        return self.transcript.leaf_id is None and not (record.draft or record.draft_attachments)

    @property
    def title(self) -> str:
        return self.record.shown_title

    @property
    def options(self) -> ChatOptions:
        return self._answering.options

    @property
    def transcript(self) -> Transcript:
        return self._saved.transcript

    @property
    def model_status(self) -> ModelStatus:
        """This chat's model and how far it is."""
        return self._loader.get(self.record.model)

    @property
    def remote(self) -> Remote | None:
        """Where its model answers, if that is not in this program."""
        return named(self.record.model)

    @property
    def loading_model(self) -> str:
        """The reference of the model that this chat waits for: its reply's, or its own."""
        reply = self.reply
        return reply.model if isinstance(reply, Waiting) else self.record.model

    @property
    def compose(self) -> Compose:
        """What is being composed."""
        return self._saved.compose

    @property
    def reply(self) -> Reply | None:
        """Where the reply is; None while there is none."""
        return self._answering.reply

    @property
    def phase(self) -> Phase:
        return self._answering.phase

    @property
    def progress(self) -> PromptProgress | None:
        """How far the prompt is, while one is queued or read."""
        answer = self._answering.answer
        return answer.progress if answer is not None else None

    @property
    def answering(self) -> bool:
        """Whether a reply runs, stands still or waits for its model."""
        return self.reply is not None

    @property
    def paused(self) -> bool:
        """Whether the reply stands still."""
        reply = self.reply
        return isinstance(reply, Paused) or (isinstance(reply, Calling) and reply.paused)

    @property
    def tools(self) -> ToolWork:
        """The calls of tools that run or wait for the person."""
        return self._answering.tools

    @property
    def session_id(self) -> str | None:
        """The engine's name for this chat's session, None while there is none."""
        return self._answering.session.id

    @property
    def answering_id(self) -> str | None:
        answer = self._answering.answer
        return answer.message_id if answer is not None else None

    @property
    def answering_with(self) -> str:
        """The reference of the model that the reply is asked of; "" while there is none."""
        answer = self._answering.answer
        return (answer.model or self.record.model) if answer is not None else ""

    @property
    def thought_s(self) -> float | None:
        answer = self._answering.answer
        return answer.thought_s if answer is not None else None

    @property
    def unseen(self) -> bool:
        """Whether a reply has ended that nobody has looked at."""
        return self._answering.unseen

    @Slot()
    def mark_seen(self) -> None:
        """The person has looked at the reply."""
        if self._answering.unseen:
            self._answering.unseen = False
            self.phase_changed.emit()

    def set_front(self, front: bool) -> None:
        """Whether this is the chat that the person works in: its prompts are read first."""
        self._answering.session.set_front(front)

    @property
    def context(self) -> tuple[int, int, int]:
        """Tokens of the last turn, how many of them were reused, and how many fit; 0 if unknown."""
        model = self.model_status.model
        limit = self.options.context_of(model.context_length) if model is not None else 0
        return *tokens_of_last_turn(self.transcript), limit

    def _counted(self) -> Asked:
        known = (self.record, self.options, self.transcript, self.compose, self.model_status)
        return Asked(*known, told=self.attaching.told, texts=self._saved.text)

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        return self._answering.message(message_id)

    def shown(self, message_id: str) -> Message:
        """The message as it is to be shown, without what is hidden now."""
        message = self.message(message_id)
        if not self.alias or message.role == "user":
            return message
        stats = {key: value for key, value in message.stats.items() if key in _TELL_NO_MODEL}
        return replace(message, model=self.alias, stats=stats)

    def can(self, action: Action, message_id: str = "") -> str | None:
        """Why an action cannot be done now, as a sentence; None when it can: see `refusal`."""
        return refusal(action, self._turn(), message_id)

    def _turn(self) -> Turn:
        reading = self.attaching.reading
        known = (self.transcript, self.answering_id, self.stored, reading)
        return Turn(self.compose, self.reply, *known, remote=self._remote_now)

    @property
    def _remote_now(self) -> Remote | None:
        """As `remote`, with what the server has said of itself."""
        model = self.model_status.model
        return model.remote if isinstance(model, RemoteModel) else self.remote
