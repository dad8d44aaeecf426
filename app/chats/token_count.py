"""Token count of a chat and its draft."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.attachment_texts import Texts
from app.chats.images import Images
from app.chats.options import ChatOptions
from app.chats.transcript import Transcript, conversation
from app.chats.turn import Compose, Editing
from app.models.loading import ModelLoader, ModelStatus
from app.remote.address import is_remote
from app.settings.language import counted, number, tr
from app.store import Attachments, ChatRecord, Message


class CountedTokens(Struct, frozen=True):
    tokens: int  # with the composer's message
    limit: int  # shared by prompt and answer
    slid: bool = False

    @property
    def used_fraction(self) -> float:
        """Return the fraction of the context in use. At 1 or more, there is no room for an
        answer.
        """
        return self.tokens / self.limit

    @property
    def fits(self) -> bool:
        return self.tokens < self.limit

    @property
    def as_text(self) -> str:
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


class CountRequest(Struct, frozen=True):
    record: ChatRecord
    options: ChatOptions
    transcript: Transcript
    compose: Compose
    model_status: ModelStatus
    # returns the composer's files with the passages that match the message
    files: Callable[[Compose], Awaitable[Attachments]]
    # returns the text of an attached file
    texts: Texts = lambda _: None
    images: Images | None = None


def _has_content(compose: Compose) -> bool:
    return bool(compose.text or compose.attachments)


class TokenCount(QObject):
    PAUSE_MS = 350

    # (CountedTokens), or (None) without a message or a known model
    count_changed = Signal(object)

    def __init__(
        self, loader: ModelLoader, make_request: Callable[[], CountRequest], parent: QObject
    ) -> None:
        """``make_request`` returns a snapshot of the chat."""
        super().__init__(parent)
        self._loader = loader
        self._make_request = make_request
        self._asking = flows.Latest(self)
        self._is_stale = False
        self._soon = QTimer(self, singleShot=True, interval=self.PAUSE_MS)
        self._soon.timeout.connect(self.request_count)

    @Slot()
    def request_count_soon(self) -> None:
        if _has_content(self._make_request().compose):
            self._soon.start()
        else:
            self._soon.stop()
            self.count_changed.emit(None)

    @Slot()
    def request_count(self) -> None:
        self._is_stale = True
        if not self._asking.running:
            self._asking.start(self._count())

    async def _count(self) -> None:
        while self._is_stale:
            self._is_stale = False
            tokens = await self._ask(self._make_request())
            if not self._is_stale:
                self.count_changed.emit(
                    tokens if _has_content(self._make_request().compose) else None
                )

    async def _ask(self, request: CountRequest) -> CountedTokens | None:
        engine, model, compose = self._loader.engine, request.model_status.model, request.compose
        if engine is None or model is None or not model.context_length or not _has_content(compose):
            return None
        if is_remote(request.model_status.ref):
            return None
        end = request.transcript.leaf_id
        if isinstance(compose, Editing) and (edited := request.transcript.get(compose.message)):
            end = edited.parent_id
        # Count the messages of the real request, which drops earlier messages that don't fit.
        files = await request.files(compose)
        message = Message("", request.record.id, end, content=compose.text, attachments=files)
        path = [*request.transcript.path_to(end), message]
        images = request.images if model.sees else None
        turns = conversation(
            path, request.record.system, texts=request.texts, images=images, hears=model.hears
        )
        limit = request.options.context_of(model.context_length)
        count = partial(engine.count_later, model, turns, request.options.reasoning)
        try:
            tokens = await flows.wait_for_future(count())
            if not request.options.slide:
                return CountedTokens(tokens, limit)
            sent = await flows.wait_for_future(count(slides_in=limit, session_id=request.record.id))
            return CountedTokens(sent, limit, slid=sent < tokens)
        # The engine stopped, or the template rejected the chat, which is reported on send.
        except Exception:
            return None
