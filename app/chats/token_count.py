"""Token count of a chat and its draft."""

from __future__ import annotations

from functools import partial

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.file_attacher import FileAttacher
from app.chats.options import ChatOptions
from app.chats.saved_chat import SavedChat
from app.chats.transcript import conversation
from app.models.loading import ModelLoader
from app.settings.language import counted, number, tr
from app.store import Message


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


class TokenCount(QObject):
    PAUSE_MS = 350

    # (CountedTokens), or (None) without a message or a known model
    count_changed = Signal(object)

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, attacher: FileAttacher, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._saved, self._loader, self._attacher = saved, loader, attacher
        self._asking = flows.Latest(self)
        self._is_stale = False
        self._soon = QTimer(self, singleShot=True, interval=self.PAUSE_MS)
        self._soon.timeout.connect(self.request_count)

    @property
    def _has_content(self) -> bool:
        compose = self._saved.compose
        return bool(compose.text or compose.attachments)

    @Slot()
    def request_count_soon(self) -> None:
        if self._has_content:
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
            tokens = await self._ask()
            if not self._is_stale:
                self.count_changed.emit(tokens if self._has_content else None)

    async def _ask(self) -> CountedTokens | None:
        saved, record, compose = self._saved, self._saved.record, self._saved.compose
        engine, model = self._loader.engine_for(record.model), self._loader.get(record.model).model
        if engine is None or model is None or not model.context_length or not self._has_content:
            return None
        parent_id = saved.parent_of(compose)
        # Count the messages of the real request, which drops earlier messages that don't fit.
        files = await self._attacher.ready(compose)
        message = Message("", record.id, parent_id, content=compose.text, attachments=files)
        path = [*saved.transcript.path_to(parent_id), message]
        images = saved.image if model.sees else None
        turns = conversation(
            path, record.system, texts=saved.text, images=images, hears=model.hears
        )
        options = ChatOptions.from_params(record.params)
        limit = options.context_of(model.context_length)
        count = partial(engine.count_later, model, turns, options.reasoning)
        try:
            tokens = await flows.wait_for_future(count())
            if not options.slide:
                return CountedTokens(tokens, limit)
            sent = await flows.wait_for_future(count(slides_in=limit, session_id=record.id))
            return CountedTokens(sent, limit, slid=sent < tokens)
        # The engine stopped, or the template rejected the chat, which is reported on send.
        except Exception:
            return None
