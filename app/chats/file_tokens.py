"""Token counts of attached files, and which files fit into the context."""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.images import build_content
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.transcript import tokens_of_last_turn
from app.models.loading import ModelLoader
from app.store import Attachment, Attachments, StoredImage
from engine import EngineError, Image

_USUAL_CONTEXT = 4096  # tokens, until a model is loaded


class FileTokens(Struct, frozen=True):
    """Token count of a file. ``exact``: the model's own tokenizer counted it."""

    count: int
    exact: bool


class FileTokenCounter(QObject):
    """Counts the tokens of the composer's files, one file at a time."""

    changed = Signal()

    def __init__(self, saved: SavedChat, loader: ModelLoader, parent: QObject) -> None:
        super().__init__(parent)
        self._saved, self._loader = saved, loader
        self._tokens: dict[tuple[str, Attachment], FileTokens] = {}  # by model and file
        self._counting = flows.Latest(self)

    @property
    def _files(self) -> Attachments:
        return self._saved.compose.attachments

    @property
    def limit(self) -> int:
        return context_of(self._saved.record, self._loader) or _USUAL_CONTEXT

    @property
    def free_tokens(self) -> int:
        used, _ = tokens_of_last_turn(self._saved.transcript)
        return self.limit * 3 // 4 - used

    def free_characters(self, attachment: Attachment) -> int:
        maximum = self.tokens(replace(attachment, use="all", spans=()))
        other_counts = [t.count for f in self._files if f != attachment and (t := self.tokens(f))]
        room = max(self.free_tokens - sum(other_counts), self.limit // 8)
        return attachment.characters * room // max(1, maximum.count if maximum is not None else 1)

    def tokens(self, attachment: Attachment) -> FileTokens | None:
        """Return the token count of a file, an estimate until the chat's model has counted it.

        Returns None for images and recordings, because models count these differently, and for
        passages, because they are only chosen when the question is sent.
        """
        if attachment.use == "passages" or attachment.is_medium:
            return None
        file_tokens = self._tokens.get((self._saved.record.model, attachment))
        if file_tokens is not None:
            return file_tokens
        is_whole = attachment.use == "all"
        spans = attachment.spans
        length = attachment.characters if is_whole else sum(end - begin for _, begin, end in spans)
        return FileTokens(length // 4, exact=False)

    def files_to_drop(self) -> Attachments:
        """Return the files to drop so that the others fit, largest first.

        A quarter of the context is reserved for the conversation.
        """
        sizes = {file: tokens.count for file in self._files if (tokens := self.tokens(file))}
        total, dropped_files = sum(sizes.values()), list[Attachment]()
        for file in sorted(sizes, key=lambda file: sizes[file], reverse=True):
            if total <= self.limit * 3 // 4:
                break
            total -= sizes[file]
            dropped_files.append(file)
        return tuple(dropped_files)

    def largest_unfit_file(self, files: Attachments) -> str:
        """Return the name of the largest file if the files can't fit into the context, or ""."""
        limit = context_of(self._saved.record, self._loader)
        sizes = [(tokens, file) for file in files if (tokens := self.tokens(file))]
        # Estimates assume 4 characters per token, and a token has at most 32.
        min_tokens = sum(tokens.count if tokens.exact else tokens.count // 8 for tokens, _ in sizes)
        if not limit or min_tokens < limit:
            return ""
        return max(sizes, key=lambda size: size[0].count)[1].name

    def request_count(self) -> None:
        if not self._counting.running and self._next_uncounted() is not None:
            self._counting.start(self._count())

    def close(self) -> None:
        self._counting.cancel()

    def _next_uncounted(self) -> tuple[str, Attachment] | None:
        ref = self._saved.record.model
        unknown = (f for f in self._files if f.use != "passages" and not f.is_medium)
        return next(((ref, f) for f in unknown if (ref, f) not in self._tokens), None)

    async def _count(self) -> None:
        while (key := self._next_uncounted()) is not None:
            ref, file = key
            model, engine = self._loader.get(ref).model, self._loader.engine_for(ref)
            if model is None or engine is None:
                return
            guess = self.tokens(file) or FileTokens(0, exact=False)
            try:
                parts = build_content("", (file,), self._saved.text, None)
                future = engine.count_later(model, [{"role": "user", "content": parts}], None)
            except EngineError:
                return
            try:
                self._tokens[key] = FileTokens(await flows.wait_for_future(future), exact=True)
            except Exception:
                self._tokens[key] = guess
            self.changed.emit()  # the count decides if the message can be sent

    async def tokens_of_image(self, image: StoredImage) -> int:
        ref = self._saved.record.model
        model, engine = self._loader.get(ref).model, self._loader.engine_for(ref)
        if model is None or not model.sees or engine is None:
            return 0
        turn = {"role": "user", "content": [{"type": "image", "image": Image(image.data)}]}
        try:
            return await flows.wait_for_future(engine.count_later(model, [turn], None))
        except Exception:  # the engine stopped, or the template doesn't accept a lone image
            return 0
