"""How many tokens a chat would take with what is being written. Nobody waits for the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.attached import Texts
from app.chats.images import Images
from app.chats.options import ChatOptions
from app.chats.transcript import Transcript, conversation
from app.chats.turn import Compose, Editing
from app.models.loading import ModelLoader, ModelStatus
from app.remote.address import is_remote
from app.settings.language import counted, number, tr
from app.store import Attachments, ChatRecord, Message


class Counted(Struct, frozen=True):
    """What was counted."""

    tokens: int  # of what would be sent, with what is being written at its end
    limit: int  # how many the model's context holds; the answer takes part of it, too
    slid: bool = False  # the oldest turns are left out of it

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
            figures = tr("{tokens} of {limit} tokens", tokens=tokens, limit=limit)
            return f"{tr('The oldest messages are left out.')} {figures}" if self.slid else figures
        over = self.tokens - self.limit + 1
        return counted(
            "%Ln token too long for this model.",
            "%Ln tokens too long for this model.",
            over,
        )


class ToCount(Struct, frozen=True):
    """What is counted, as it was when it was asked for."""

    record: ChatRecord
    options: ChatOptions
    transcript: Transcript
    compose: Compose
    model_status: ModelStatus
    # gives those of what is composed, with the passages that match it
    files: Callable[[Compose], Awaitable[Attachments]]
    # texts, images: give those of files
    texts: Texts = lambda _: None
    images: Images | None = None


def _something(compose: Compose) -> bool:
    return bool(compose.text or compose.attachments)


class TokenCount(QObject):
    """Counts once the person pauses, one question at a time."""

    PAUSE_MS = 350

    # (counted): a `Counted`; None where nothing is being written or nothing is known
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
        # As it will stand in the path: a message that did not fit is left out once one follows it.
        files = await asked.files(compose)
        said = Message("", asked.record.id, end, content=compose.text, attachments=files)
        path = [*asked.transcript.path_to(end), said]
        seen = asked.images if model.sees else None
        turns = conversation(
            path, asked.record.system, texts=asked.texts, images=seen, hears=model.hears
        )
        limit = asked.options.context_of(model.context_length)
        count = partial(engine.count_later, model, turns, asked.options.reasoning)
        try:
            tokens = await flows.arrived(count())
            if not asked.options.slide:
                return Counted(tokens, limit)
            sent = await flows.arrived(count(slides_in=limit, session_id=asked.record.id))
            return Counted(sent, limit, slid=sent < tokens)
        except Exception:  # it was stopped; a template that refuses it says so when it is sent
            return None
