"""How many tokens a chat would take with what is being written. Nobody waits for the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.attached import Texts
from app.chats.options import ChatOptions
from app.chats.transcript import Transcript, conversation
from app.chats.turn import Compose, Editing
from app.models.loading import ModelLoader, ModelStatus
from app.remote.address import is_remote
from app.settings.language import counted, number, tr
from app.store import ChatRecord

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Counted:
    """What was counted.

    Attributes:
        tokens: of the conversation with what is being written at its end.
        limit: how many the model's context holds; the answer takes part of it, too.
        slides: the chat leaves its oldest turns out where they do not fit.
    """

    tokens: int
    limit: int
    slides: bool = False

    @property
    def share(self) -> float:
        """How much of the context is taken, 1 and more if there is no room for an answer."""
        return self.tokens / self.limit

    @property
    def fits(self) -> bool:
        return self.tokens < self.limit

    @property
    def words(self) -> str:
        """The figures as a sentence."""
        if self.fits:
            tokens, limit = number(self.tokens), number(self.limit)
            return tr("{tokens} of {limit} tokens", tokens=tokens, limit=limit)
        over = self.tokens - self.limit + 1
        too_many = counted(
            "{count} token too long for this model.",
            "{count} tokens too long for this model.",
            over,
            count=number(over),
        )
        if not self.slides:
            return too_many
        return " ".join((too_many, tr("The oldest messages are left out.")))


@dataclass(frozen=True)
class ToCount:
    """What is counted, as it was when it was asked for.

    Attributes:
        told: what is composed as the model would read it, with its files.
        texts: gives those of the files of older messages.
    """

    record: ChatRecord
    options: ChatOptions
    transcript: Transcript
    compose: Compose
    model_status: ModelStatus
    told: Callable[[Compose], Awaitable[str]]
    texts: Texts = lambda _: None


def _something(compose: Compose) -> bool:
    return bool(compose.text or compose.attachments)


class TokenCount(QObject):
    """Counts once the person pauses, one question at a time.

    Signals:
        counted(counted): a `Counted`; None where nothing is being written or nothing is known.
    """

    PAUSE_MS = 350

    counted = Signal(object)

    def __init__(self, loader: ModelLoader, look: Callable[[], ToCount], parent: QObject) -> None:
        """``look`` gives the chat as it is."""
        super().__init__(parent)
        self._loader = loader
        self._look = look
        self._asking = flows.Latest(self)
        self._wanted = False
        self._soon = QTimer(self, singleShot=True, interval=self.PAUSE_MS)
        self._soon.timeout.connect(self.count)

    @Slot()
    def count_soon(self) -> None:
        """Something has changed: count once it rests."""
        if _something(self._look().compose):
            self._soon.start()
        else:
            self._soon.stop()
            self.counted.emit(None)

    @Slot()
    def count(self) -> None:
        """Ask now; while an answer is awaited, as soon as it is there."""
        self._wanted = True
        if not self._asking.running:
            self._asking.start(self._count())

    async def _count(self) -> None:
        while self._wanted:
            self._wanted = False
            found = await self._ask(self._look())
            if not self._wanted:
                self.counted.emit(found if _something(self._look().compose) else None)

    async def _ask(self, asked: ToCount) -> Counted | None:
        engine, model, compose = self._loader.engine, asked.model_status.model, asked.compose
        if engine is None or model is None or not model.context_length or not _something(compose):
            return None
        if is_remote(asked.model_status.ref):
            return None
        end = asked.transcript.leaf_id
        if isinstance(compose, Editing) and (edited := asked.transcript.get(compose.message)):
            end = edited.parent_id
        path, written = asked.transcript.path_to(end), await asked.told(compose)
        turns = conversation(path, asked.record.system, texts=asked.texts)
        if turns and turns[-1]["role"] == "user":
            turns[-1]["content"] += "\n\n" + written
        else:
            turns.append({"role": "user", "content": written})
        limit, slides = asked.options.context_of(model.context_length), asked.options.slide
        try:
            future = engine.count_later(model, turns, asked.options.reasoning)
            return Counted(await flows.arrived(future), limit, slides)
        except Exception:  # it was stopped; a template that refuses it says so when it is sent
            return None
