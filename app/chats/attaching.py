"""The files of what a person composes: read in a child, counted, cut to what fits; one chat's."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.attached import file_element, with_files
from app.chats.passages import are_made, beginning, passages_of, whole_pages
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.signals import ChatSignals
from app.chats.transcript import tokens_of_last_turn
from app.chats.turn import Compose
from app.models.errors import explained
from app.models.loading import ModelLoader
from app.settings.language import counted, mark, tr
from app.store import AttachedText, Attachment, Attachments
from app.store.attachments import Use
from engine import EngineError
from engine.sandbox.jobs import read_document

log = logging.getLogger(__name__)

MOST_FILES = 20
MOST_LOOKED_AT = 200
"""Of what was dropped: each look may wait for a disk, and ten thousand were dropped."""
_USUAL_CONTEXT = 4096  # tokens, where no model is loaded yet
_MOST_PASSAGES = 16_000  # characters


@dataclass(frozen=True)
class Tokens:
    """How many tokens a file takes. ``exact``: the model's tokenizer has counted them."""

    count: int
    exact: bool


class Attaching(QObject):
    """Reads files one after the other, off the GUI thread, and keeps them with the draft.

    Signals:
        changed(): other files are being read, or more is known of their tokens.
        refused(sentence): a file was not attached.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self, saved: SavedChat, loader: ModelLoader, chat: ChatSignals) -> None:
        super().__init__(chat)
        self._saved = saved
        self._loader = loader
        self._chat = chat
        self._waiting: deque[Path] = deque()
        self._tokens: dict[tuple[str, Attachment], Tokens] = {}
        self._reading = flows.Latest(self)
        self._counting = flows.Latest(self)

    @property
    def reading(self) -> tuple[str, ...]:
        """The names of the files that are still being read."""
        return tuple(path.name for path in self._waiting)

    @property
    def files(self) -> Attachments:
        """Those of what is being composed."""
        return self._saved.compose.attachments

    # What a person does.

    def add(self, paths: Iterable[Path]) -> None:
        """Read these files and attach them; each that cannot be read is told by `refused`."""
        idle, folders = not self._waiting, 0
        for place, path in enumerate(paths):
            full = len(self._waiting) + len(self.files) >= MOST_FILES
            if full or place >= MOST_LOOKED_AT:
                words = counted(
                    "Attach at most %n file. Send the others in another message.",
                    "Attach at most %n files. Send the others in another message.",
                    MOST_FILES,
                )
                self.refused.emit(words)
                break
            if path.is_dir():
                folders += 1
                if folders == 1:  # there is room for one sentence on the screen
                    words = tr(
                        "“{name}” is a folder. Attach the files in it instead.", name=path.name
                    )
                    self.refused.emit(words)
            else:
                self._waiting.append(path)
        if idle and self._waiting:
            self._reading.start(self._read())
        self._told()

    def add_text(self, text: str, called: str = "") -> Attachment:
        """Attach a text that was pasted, or that comes from elsewhere under a name."""
        taken = {each.name for each in self.files}
        first = called or tr("Pasted text")
        names = (first, *(f"{first} {n}" for n in range(2, MOST_FILES + 2)))
        name = next((name for name in names if name not in taken), first)
        kept = AttachedText("", (text,))
        made = Attachment(name, "text", kept.hash, characters=len(text))
        self._put((*self.files, made), kept)
        return made

    def remove(self, attachment: Attachment) -> None:
        self._put(tuple(each for each in self.files if each != attachment))

    def put_back(self, attachment: Attachment, place: int) -> None:
        """Undo `remove`."""
        if attachment not in self.files:
            files = [*self.files]
            files.insert(place, attachment)
            self._put(tuple(files), self.text(attachment))

    def cancel_reading(self) -> None:
        """Attach nothing that is still being read."""
        self._reading.cancel()
        self._waiting.clear()
        self._told()

    def use(self, attachment: Attachment, use: Use, numbers: list[int] | None = None) -> None:
        """Give the model all of a file, or a part of it; ``numbers`` are the chosen pages'."""
        text = self.text(attachment)
        if text is None:
            return
        spans = whole_pages(text, numbers or []) if use == "pages" else ()
        if use == "beginning":
            spans = beginning(text, self._room(attachment))
        if use == "passages":
            # Ready before the question is sent.
            flows.start(self, self._index((attachment,)))
        other = replace(attachment, use=use, spans=spans)
        self._put(tuple(other if each == attachment else each for each in self.files))

    # What is known of the files.

    def text(self, attachment: Attachment) -> AttachedText | None:
        return self._saved.text(attachment.hash)

    async def told(self, compose: Compose) -> str:
        """What is being composed as the model would read it."""
        await self._index(each for each in compose.attachments if each.use == "passages")
        files = self.resolved(compose.attachments, compose.text)
        return with_files(compose.text, files, self._saved.text)

    def resolved(self, attachments: Attachments, question: str) -> Attachments:
        """The same with the passages that match this question."""
        return tuple(
            self._resolved(each, question) if each.use == "passages" else each
            for each in attachments
        )

    def tokens(self, attachment: Attachment) -> Tokens | None:
        """How many it takes in the chat's model; None for what depends on the question."""
        if attachment.use == "passages":
            return None
        known = self._tokens.get((self._saved.record.model, attachment))
        if known is not None:
            return known
        whole = attachment.use == "all"
        spans = attachment.spans
        length = attachment.characters if whole else sum(end - begin for _, begin, end in spans)
        return Tokens(length // 4, exact=False)

    def too_much(self) -> Attachments:
        """The largest of the files, as many as are in the way of the others.

        A quarter of the model's context is left to what is said of them.
        """
        sizes = {each: known.count for each in self.files if (known := self.tokens(each))}
        total, found = sum(sizes.values()), list[Attachment]()
        for each in sorted(sizes, key=lambda each: sizes[each], reverse=True):
            if total <= self._limit * 3 // 4:
                break
            total -= sizes[each]
            found.append(each)
        return tuple(found)

    def count(self) -> None:
        """Have the files counted whose tokens are not known yet, one after the other."""
        if not self._counting.running and self._uncounted() is not None:
            self._counting.start(self._count())

    def close(self) -> None:
        """The chat is closed: nothing more is read for it."""
        self._reading.cancel()
        self._counting.cancel()
        self._waiting.clear()

    # What comes of it.

    async def _read(self) -> None:
        while self._waiting:
            path = self._waiting[0]
            refused = ""
            try:
                text, made = await flows.aside(partial(_read_file, path))
            except EngineError as error:
                words = mark("“{name}” cannot be read.")
                refused = explained(words, error.message, name=path.name)
            except Exception:
                log.exception("a file could not be read")
                refused = tr("“{name}” cannot be read.", name=path.name)
            else:
                if made in self.files:
                    refused = tr("“{name}” is already attached.", name=path.name)
            self._waiting.popleft()
            if refused:
                self.refused.emit(refused)
            else:
                self._put((*self.files, made), text)
            self._told()

    def _uncounted(self) -> tuple[str, Attachment] | None:
        """The first file whose tokens are not known, with the model's ref."""
        ref = self._saved.record.model
        unknown = (f for f in self.files if f.use != "passages")
        return next(((ref, f) for f in unknown if (ref, f) not in self._tokens), None)

    async def _count(self) -> None:
        while (key := self._uncounted()) is not None:
            ref, file = key
            model, engine = self._loader.get(ref).model, self._loader.engine_for(ref)
            text = self.text(file)
            if model is None or engine is None or text is None:
                return
            guess = self.tokens(file) or Tokens(0, exact=False)
            try:
                turn = {"role": "user", "content": file_element(file, text)}
                future = engine.count_later(model, [turn], None)
            except EngineError:  # it has been stopped
                return
            try:
                self._tokens[key] = Tokens(await flows.arrived(future), exact=True)
            except Exception:
                self._tokens[key] = guess
            self.changed.emit()

    def _put(self, files: Attachments, text: AttachedText | None = None) -> None:
        """Attach these and no others; ``text`` is of one that is new."""
        self._saved.keep_files(files, text)
        self._chat.chat_changed.emit()
        self._chat.compose_changed.emit()
        self._told()

    def _told(self) -> None:
        self.changed.emit()
        self._chat.turn_changed.emit()

    @property
    def _limit(self) -> int:
        return context_of(self._saved.record, self._loader) or _USUAL_CONTEXT

    def _room(self, attachment: Attachment) -> int:
        """How many characters of this file fit beside the other files and what was said."""
        whole = self.tokens(replace(attachment, use="all", spans=()))
        said, _ = tokens_of_last_turn(self._saved.transcript)
        others = [t.count for f in self.files if f != attachment and (t := self.tokens(f))]
        room = max(self._limit * 3 // 4 - said - sum(others), self._limit // 8)
        return attachment.characters * room // max(1, whole.count if whole is not None else 1)

    async def _index(self, files: Iterable[Attachment]) -> None:
        """Have the passages of these made on a thread, where they are not."""
        for each in files:
            text = self.text(each)
            if text is not None and not are_made(each.hash):
                await flows.aside(partial(_make_passages, each.hash, text))

    def _resolved(self, attachment: Attachment, question: str) -> Attachment:
        text = self.text(attachment)
        if text is None:
            return attachment
        characters = min(_MOST_PASSAGES, self._limit)
        found = passages_of(attachment.hash, text).find(question, characters)
        return replace(attachment, spans=found)


def _make_passages(key: str, text: AttachedText, stop: threading.Event) -> None:
    passages_of(key, text)


def _read_file(path: Path, stop: threading.Event) -> tuple[AttachedText, Attachment]:
    """On a thread of its own. Raises EngineError."""
    found = read_document(path, stop)
    text = AttachedText(found.unit, found.pages, found.labels)
    name = path.name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    count = sum(map(len, found.pages))
    return text, Attachment(name, found.kind, text.hash, found.unit, len(found.pages), count)
