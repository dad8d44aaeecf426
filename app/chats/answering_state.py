"""Where a chat's reply stands, and what it is asked with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import Bridge
from app.chats.model_choice import LoadState, ModelLoader
from app.chats.options import ChatOptions
from app.chats.reply import Answer, Phase
from app.chats.saved_chat import SavedChat
from app.chats.session import ChatSession
from app.chats.signals import ChatSignals
from app.chats.tool_work import ToolWork
from app.chats.transcript import tokens_of_last_turn
from app.chats.turn import Calling, Paused, Reply
from app.store import Message
from app.tools.tool import as_function
from app.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from engine import Model


class AnsweringState(QObject):
    """The part of `Answering` that tells.

    Attributes:
        reply: where it stands; None while there is none.
        answer: what has come of it so far; None while there is none.
        unseen: whether a reply has ended that nobody has looked at.
        tools: the calls that the last answer ended with.

    Signals:
        called(answer): all its calls are over: another answer is to be begun.
    """

    CHECKPOINT_MS = 400  # the store writes within 250: 350 ms of a second are left to the machine

    called = Signal(object)

    def __init__(
        self,
        saved: SavedChat,
        bridge: Bridge,
        loader: ModelLoader,
        chat: ChatSignals,
        toolbox: Toolbox,
    ) -> None:
        super().__init__(chat)
        self.tools = ToolWork(saved, bridge, chat, toolbox, self._room)
        self._chat = chat
        self._saved = saved
        self._bridge = bridge
        self._loader = loader
        self.session = ChatSession(loader, saved.record.id)
        self.reply: Reply | None = None
        self.answer: Answer | None = None
        self.unseen = False
        self._closing = False
        self._saved_length = 0
        self._checkpoint = QTimer(self, interval=self.CHECKPOINT_MS)

    @property
    def options(self) -> ChatOptions:
        return ChatOptions.from_params(self._saved.record.params)

    @property
    def phase(self) -> Phase:
        if isinstance(self.reply, Paused):
            return Phase.PAUSED
        if isinstance(self.reply, Calling):
            return Phase.ASKING if self.tools.waiting else Phase.CALLING
        if self.answer is not None:
            return self.answer.phase
        loading = self._loader.get(self._saved.record.model).state is LoadState.LOADING
        return Phase.LOADING if loading else Phase.IDLE

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        message, answer = self._saved.transcript[message_id], self.answer
        if answer is not None and answer.message_id == message_id:
            return replace(message, content=answer.content, reasoning=answer.reasoning)
        return message

    def _offered(self, options: ChatOptions, model: Model) -> list[dict[str, Any]]:
        """The tools as the model is told of them; none where it could not call them."""
        if not model.tool_format or options.answer_as is not None:
            return []
        tools = self.tools.toolbox.offered(options.tools)
        return [as_function(name, tool) for name, tool in tools.items()]

    def _room(self) -> int:
        """How many tokens the model's context still holds, 0 if unknown."""
        model = self._loader.get(self._saved.record.model).model
        if model is None or not model.context_length:
            return 0
        return max(1, model.context_length - sum(tokens_of_last_turn(self._saved.transcript)[:1]))
