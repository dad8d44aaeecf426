"""Chats named by their own models, in the background, while nothing else is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app import flows
from app.chats.asked import figures
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.model_choice import LoadState
from app.chats.titles import LONGEST, asked_for_title, first_exchange, title_said
from app.chats.transcript import title_from
from app.remote.address import is_remote
from engine import EngineError, Failed, Finished, FinishReason, SamplingParams, TextDelta

if TYPE_CHECKING:
    from engine import Engine, Model, Reply

TOKENS = 256
"""Of one answer. A model that thinks all the same has some for it."""
MOST_EXCHANGES = 3
"""A chat that has gone on for longer is known by the title that it has."""
FAULTS = 3
"""A model that has given so many answers in a row that are no titles is not asked again."""


@dataclass
class _Asked:
    """One title that is being written."""

    chat_id: str
    model_id: str
    title: str
    question: str
    answer: str
    channel: int = -1
    reply: Reply | None = None
    said: str = ""


class Titling(QObject):
    """Asks for one title at a time, once all replies have ended and the engine is at rest.

    A reply that begins meanwhile ends the request, which is made again later. A chat keeps the
    title that a person gave it, and the first words of its question where the model gave none.
    """

    REST_MS = 2_000
    """How long nothing must have been answered before a title is asked for."""

    def __init__(
        self, library: ChatLibrary, wanted: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        """``wanted`` tells whether models are to write titles at all."""
        super().__init__(parent)
        self._library, self._wanted = library, wanted
        self._waiting: dict[str, None] = {}  # chats whose reply has ended, the latest last
        self._tried: set[str] = set()
        self._faults: dict[str, int] = {}  # by the engine's id of the model
        self._asked: _Asked | None = None
        self._rest = QTimer(self, singleShot=True, interval=self.REST_MS)
        self._rest.timeout.connect(self.look)
        self._answering: set[str] = set()
        library.activity.connect(self._on_activity)

    @property
    def at_work(self) -> bool:
        """Whether a title is being written."""
        return self._asked is not None

    @Slot()
    def look(self) -> None:
        """Ask for the title of a chat that waits for one, if the engine has nothing else to do."""
        engine = self._library.loader.engine
        ready = self._asked is None and self._wanted() and not self._library.running()
        if engine is None or not ready or self._next() is None:
            return
        flows.start(self, self._begin(engine))

    async def _begin(self, engine: Engine) -> None:
        told = await figures(engine)  # of other programs' sessions, too
        if told is None:
            return
        sessions = told.get("sessions", {}).values()
        if any(session.get("status", "idle") != "idle" for session in sessions):
            self._rest.start()
        elif self._asked is None and self._wanted() and not self._library.running():
            self._ask()

    def _next(self) -> tuple[Chat, Model] | None:
        """The chat that is to be named next, and its model."""
        for chat_id in reversed(list(self._waiting)):
            chat = self._library.find(chat_id)
            if chat is None or not self._may_name(chat):
                del self._waiting[chat_id]
                continue
            status = chat.model_status
            if status.state is LoadState.READY and status.model is not None:
                if self._faults.get(status.model.id, 0) < FAULTS:
                    return chat, status.model
                del self._waiting[chat_id]
        return None

    def _may_name(self, chat: Chat) -> bool:
        """Whether its title is still the first words of what was asked."""
        record = self._library.chat(chat.id)
        if record is None or record.titled_by or record.archived_at is not None:
            return False
        if is_remote(chat.record.model):  # nothing is sent there that nobody has sent
            return False
        path = chat.transcript.path
        exchange = first_exchange(path)
        return (
            chat.id not in self._tried
            and exchange is not None
            and len(path) <= 2 * MOST_EXCHANGES
            and record.title == title_from(exchange[0].content)
        )

    def _ask(self) -> None:
        found, engine = self._next(), self._library.loader.engine
        if found is None or engine is None:
            return
        chat, model = found
        exchange = first_exchange(chat.transcript.path)
        assert exchange is not None  # `_may_name` has seen it
        question, answer = (message.content for message in exchange)
        asked = self._asked = _Asked(chat.id, model.id, chat.record.title, question, answer)
        asked.channel, post = self._library.bridge.channel(self._on_event)
        try:
            asked.reply = engine.ask(
                model,
                asked_for_title(question, answer),
                SamplingParams(max_tokens=TOKENS, temperature=0.0),
                on_event=post,
                reasoning=False,
            )
        except EngineError:
            self._let_go()

    def _on_event(self, event: object) -> None:
        asked = self._asked
        if asked is None:
            return
        if isinstance(event, TextDelta) and event.kind == "answer":
            asked.said += event.text
            if len(asked.said) > 8 * LONGEST and asked.reply is not None:
                asked.reply.cancel()  # this will be no title
        elif isinstance(event, Finished):
            self._let_go()
            self._take(asked, event.reason)
            self._rest.start()  # others may wait
        elif isinstance(event, Failed):
            # The engine ended, or the model was unloaded: the chat waits for its next reply.
            self._waiting.pop(asked.chat_id, None)
            self._let_go()

    def _take(self, asked: _Asked, reason: FinishReason) -> None:
        self._waiting.pop(asked.chat_id, None)
        self._tried.add(asked.chat_id)
        stopped = reason == FinishReason.STOP
        title = title_said(asked.said, asked.question, asked.answer) if stopped else ""
        self._faults[asked.model_id] = 0 if title else self._faults.get(asked.model_id, 0) + 1
        record = self._library.chat(asked.chat_id)
        if record is None or record.titled_by or record.archived_at is not None:
            return
        if title and record.title == asked.title and self._wanted():
            self._library.change({asked.chat_id: {"title": title, "titled_by": "model"}})

    def _let_go(self) -> None:
        """Hear no more of the request; what the engine still does for it ends."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self._library.bridge.close(asked.channel)
            if asked.reply is not None:
                asked.reply.cancel()

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is None:
            return
        if chat.answering:
            self._answering.add(chat_id)
            self._rest.stop()
            self._let_go()  # the chat that it was for still waits
        elif chat_id in self._answering:
            self._answering.discard(chat_id)
            self._waiting.pop(chat_id, None)
            self._waiting[chat_id] = None
            self._rest.start()
