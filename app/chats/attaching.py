"""Files of the composer: read in a child process, counted, and cut to what fits."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.attached import numbers_of, page_numbers
from app.chats.images import SIDE, content, stored
from app.chats.passages import are_made, beginning, passages_of, whole_pages
from app.chats.pdf_pages import drawn, kept_path
from app.chats.reading import ReferencedChats, source
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.transcript import tokens_of_last_turn
from app.chats.turn import Compose, Editing
from app.models.engine_errors import explained
from app.models.loading import ModelLoader
from app.settings.language import code, counted, mark, number, tr
from app.store import AttachedText, Attachment, Attachments, Message, StoredImage, StoreError
from app.store.attachments import Use
from engine import EngineError, Image
from engine.errors import INVALID_REQUEST, NOT_FOUND
from engine.sandbox import images, ocr, sounds
from engine.sandbox.jobs import read_document, read_image
from engine.text.documents import MOST_CHARACTERS

log = logging.getLogger(__name__)

MOST_FILES = 20
"""Limit for dropped files: checking each may wait for a disk, and thousands may be dropped."""
_Read = tuple[AttachedText | StoredImage, Attachment]  # content and description of a file
_Picture = Callable[[threading.Event], bytes]

_USUAL_CONTEXT = 4096  # tokens, used until a model is loaded
_MOST_PASSAGES = 16_000  # characters


class FileTokens(Struct, frozen=True):
    """Number of tokens of a file. ``exact``: counted by the model's tokenizer."""

    count: int
    exact: bool


class _PendingFile(Struct, frozen=True):
    """File to read, or the bytes of a pasted or dropped image."""

    name: str
    path: Path | None = None
    data: bytes = b""
    # "attach" attaches it, "draw" renders pages of a PDF, "read" recognizes the text in images or
    # pages
    do: Literal["attach", "draw", "read"] = "attach"
    replaced: Attachments = ()  # the files that the result replaces
    numbers: Sequence[int] = ()  # of the pages; with "draw", all if empty
    pages: int = 0  # number of pages of a PDF that is drawn
    encoding: str = ""  # of a text file, if the user has chosen one


class FileAttacher(QObject):
    """Reader of attached files, one at a time and off the GUI thread.

    The files are kept with the draft.
    """

    # see `Chat`
    chat_changed = Signal()
    compose_changed = Signal()
    turn_changed = Signal()
    changed = Signal()  # the files that are being read, or their token counts, have changed
    thumbnail_read = Signal(str)  # (hash): `thumbnail` returns the thumbnail of this image now
    refused = Signal(str)  # (sentence): a file, or a part of it, was not attached

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, others: ReferencedChats, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.others = others  # the chats that this one refers to
        self._saved = saved
        self._loader = loader
        self._waiting: deque[_PendingFile] = deque()
        self._page = (0, 0)
        self._tokens: dict[tuple[str, Attachment], FileTokens] = {}
        # hashes of the images whose thumbnails are to be read, in order
        self._thumbnails: dict[str, None] = {}
        self._without_thumbnail: set[str] = set()
        self._reading = flows.Latest(self)
        self._counting = flows.Latest(self)
        self._looking = flows.Latest(self)

    @property
    def reading(self) -> tuple[str, ...]:
        """Return the names of the files that are still being read."""
        return tuple(given.name for given in self._waiting)

    @property
    def page(self) -> tuple[int, int]:
        """Return the number of the image whose text is being recognized, and their count, or (0,
        0)."""
        reads = bool(self._waiting) and self._waiting[0].do == "read"
        return self._page if reads else (0, 0)

    @property
    def files(self) -> Attachments:
        return self._saved.compose.attachments

    # Requests of the user.

    def add(self, paths: Iterable[Path]) -> None:
        """Read these files and attach them. `refused` reports each that cannot be read."""
        for path in paths:
            if self._full:
                self._refuse_more()
                break
            self._have_read(_PendingFile(path.name, path))

    def add_image(self, data: bytes) -> None:
        """Attach an image that was pasted or dropped."""
        if self._full:
            self._refuse_more()
            return
        self._have_read(_PendingFile(self._free_name(tr("Pasted image")), data=data))

    def _have_read(self, given: _PendingFile) -> None:
        self._waiting.append(given)
        if not self._reading.running:
            self._reading.start(self._read())
        self._report_change()

    @property
    def _full(self) -> bool:
        return len(self._waiting) + len(self.files) >= MOST_FILES

    def _refuse_more(self) -> None:
        words = counted(
            "Attach at most %n file. Send the others in another message.",
            "Attach at most %n files. Send the others in another message.",
            MOST_FILES,
        )
        self.refused.emit(words)

    def _free_name(self, first: str) -> str:
        """Return the name, with a number if another file has it."""
        taken = {each.name for each in self.files} | set(self.reading)
        names = (first, *(f"{first} {n}" for n in range(2, 2 * MOST_FILES)))
        return next((name for name in names if name not in taken), first)

    def add_text(self, text: str, called: str = "") -> Attachment:
        """Attach a text that was pasted, or that has a name."""
        name = self._free_name(called or tr("Pasted text"))
        kept = AttachedText("", (text,))
        made = Attachment(name, "text", kept.hash, characters=len(text))
        self._put((*self.files, made), kept)
        return made

    def read_chat(self, chat_id: str, last: int, *, follow: bool) -> None:
        """Attach another chat's messages: the ``last`` ones, or all of them for 0.

        ``follow``: later messages are attached too, with each message that is sent here.
        """
        flows.start(self, self._read_chat(chat_id, last, follow))

    async def _read_chat(self, chat_id: str, last: int, follow: bool) -> None:
        of = await self.others.look(chat_id)
        files = tuple(f for f in self.files if f.chat != chat_id)
        if of.why_not:
            self.refused.emit(of.why_not)
        elif len(self._waiting) + len(files) >= MOST_FILES:
            self._refuse_more()
        else:
            made, text = source(of, max(0, len(of.lines) - last) if last else 0)
            if made.characters > MOST_CHARACTERS:
                words = mark("“{name}” is too long. Read its last messages only.")
                self.refused.emit(tr(words, name=of.title))
                return
            self._put((*files, made), text)
            self.follow(chat_id, last if follow else None)

    def follow(self, chat_id: str, last: int | None) -> None:
        """Start or stop following a chat, see `ReferencedChats.follow`."""
        if last != self.others.follows.get(chat_id):
            self.others.follow(chat_id, last)
            self.chat_changed.emit()
            self._report_change()
            self.look()

    def look(self) -> None:
        """Look for new messages in the followed chats."""
        if self.others.follows:
            self._looking.start(self._look())

    async def _look(self) -> None:
        for chat_id in self.others.follows:
            await self.others.look(chat_id)
        self._with_news(self._saved.compose)
        self.changed.emit()

    def _with_news(self, compose: Compose) -> Attachments:
        end = self._saved.transcript.leaf_id
        if isinstance(compose, Editing):
            edited = self._saved.transcript.get(compose.message)
            end = edited.parent_id if edited is not None else end
        return self.others.with_news(compose.attachments, self._saved.transcript.path_to(end))

    def remove(self, *attachments: Attachment) -> None:
        self._put(tuple(each for each in self.files if each not in attachments))

    def put_back(self, *attachments: tuple[int, Attachment]) -> None:
        """Undo `remove`. Each attachment comes with its place."""
        flows.start(self, self._put_back(attachments))

    async def _put_back(self, attachments: Sequence[tuple[int, Attachment]]) -> None:
        for place, attachment in attachments:
            # The content is stored again: without references it may have been erased.
            held = await flows.aside(partial(_held, self._saved, attachment))
            if attachment not in self.files:
                files = [*self.files]
                files.insert(place, attachment)
                self._put(tuple(files), *([held] if held is not None else []))

    def cancel_reading(self) -> None:
        """Discard the files that are still being read."""
        self._reading.cancel()
        self._waiting.clear()
        self._report_change()

    def use(self, attachment: Attachment, use: Use, numbers: list[int] | None = None) -> None:
        """Have the model read all of a file, or a part of it. ``numbers``: of the chosen pages."""
        flows.start(self, self._use(attachment, use, numbers or []))

    async def _use(self, attachment: Attachment, use: Use, numbers: list[int]) -> None:
        text = await self.text(attachment)
        if text is None:
            return
        spans = whole_pages(text, numbers) if use == "pages" else ()
        if use == "beginning":
            spans = beginning(text, self._room(attachment))
        other = replace(attachment, use=use, spans=spans)
        self._put(tuple(other if each == attachment else each for each in self.files))
        await self._index((other,))  # ready before the question is sent

    def can_draw(self, attachment: Attachment) -> bool:
        """Return True if pages of the file can be given as images: a PDF on this computer.

        Pages with text are not offered to a model that cannot see.
        """
        if not attachment.path or attachment.encoding:
            return False
        return attachment.is_image or self._loader.sees(self._saved.record.model) is not False

    def reread(self, attachment: Attachment, encoding: str) -> None:
        """Read a text file again in another encoding, by Python's name."""
        path = Path(attachment.path)
        given = _PendingFile(attachment.name, path, replaced=(attachment,), encoding=encoding)
        self._have_read(given)

    def pages_beside(self, attachment: Attachment) -> Attachments:
        """Return all attached pages of the same document, for an image of a page."""
        if not (attachment.is_image and attachment.spans):
            return (attachment,)
        same = (attachment.name, attachment.pages)
        return tuple(f for f in self.files if f.is_image and f.spans and (f.name, f.pages) == same)

    def draw(self, attachment: Attachment, numbers: Sequence[int]) -> None:
        """Replace a PDF, or its pages that are attached as images, by images of these pages."""
        pages = self.pages_beside(attachment)
        self._draw_later(attachment, pages, numbers)

    def draw_scans(self, attachment: Attachment) -> None:
        """Attach images of the pages of a PDF that have no text."""
        if self._full:
            self._refuse_more()
        else:
            self._draw_later(attachment, (), attachment.scans)

    def _draw_later(
        self, attachment: Attachment, replaced: Attachments, numbers: Sequence[int]
    ) -> None:
        name, path = attachment.name, Path(attachment.path)
        self._have_read(
            _PendingFile(name, path, b"", "draw", replaced, numbers, pages=attachment.pages)
        )

    @property
    def reads_texts(self) -> bool:
        """Return True if this system can recognize text."""
        return ocr.is_available()

    def read_texts(self) -> None:
        """Replace each image by the text in it, and the pages of a document by one text."""
        images = dict.fromkeys(self.pages_beside(each) for each in self.files if each.is_image)
        for pages in images:
            self._have_text_read(_PendingFile(pages[0].name, do="read", replaced=pages))

    def can_read_scans(self, attachment: Attachment) -> bool:
        """Return True if the text in scanned pages of a PDF can be recognized."""
        return self.reads_texts and bool(attachment.scans and attachment.path)

    def read_scans(self, attachment: Attachment) -> None:
        """Recognize the text in the scanned pages of a PDF, and add it to the text of the other
        pages."""
        path = Path(attachment.path)
        self._have_text_read(
            _PendingFile(attachment.name, path, b"", "read", (attachment,), attachment.scans)
        )

    def _have_text_read(self, given: _PendingFile) -> None:
        if given not in self._waiting:
            self._have_read(given)

    # Facts about the files.

    async def text(self, attachment: Attachment) -> AttachedText | None:
        """Return the text of a file, or None if it is missing."""
        return await flows.aside(partial(_text, self._saved, attachment.hash))

    def thumbnail(self, attachment: Attachment) -> bytes:
        """Return a small JPEG of an image if it is in memory, else b"" until `thumbnail_read`."""
        key = attachment.hash
        if (held := self._saved.thumbnail(key, read=False)) is not None:
            return held
        if key not in self._without_thumbnail and key not in self._thumbnails:
            self._thumbnails[key] = None
            if len(self._thumbnails) == 1:
                flows.start(self, self._read_thumbnails())
        return b""

    async def _read_thumbnails(self) -> None:
        while self._thumbnails:
            key = next(iter(self._thumbnails))
            try:
                found = await flows.aside(partial(_thumbnail, self._saved, key))
            except StoreError as error:
                log.warning("thumbnail not read: %s", error.code)
                found = None
            del self._thumbnails[key]
            if found is None:
                self._without_thumbnail.add(key)
            else:
                self.thumbnail_read.emit(key)
                if any(each.hash == key for each in self.files):
                    self.changed.emit()

    def pixels(self, attachment: Attachment, most: int) -> tuple[int, int, bytes]:
        """Return an image's width, height, and pixels of three bytes each, at most ``most`` pixels.

        Blocks, so it needs a worker thread.

        Raises:
            EngineError: the image cannot be read, or is missing.
        """
        data = self._saved.image(attachment.hash).data
        if not data:
            raise EngineError(NOT_FOUND, tr("The image is no longer available."))
        found = read_image(data, f"“{attachment.name}”", most)
        return (*found.size, found.rgb)

    async def ready(self, compose: Compose) -> Attachments:
        """Return the composer's files as `resolved` does, after reading what that needs."""
        await self._index(compose.attachments)
        for chat_id in self.others.follows:
            await self.others.look(chat_id)
        return self._resolved_all(self._with_news(compose), compose.text)

    def resolved(self, files: Attachments, question: str, path: Sequence[Message]) -> Attachments:
        """Return the files with the passages that match the question, and other chats' new
        messages.

        ``path``: the messages before the question.
        """
        return self._resolved_all(self.others.with_news(files, path), question)

    def _resolved_all(self, files: Attachments, question: str) -> Attachments:
        return tuple(
            self._resolved(each, question) if each.use == "passages" else each for each in files
        )

    def tokens(self, attachment: Attachment) -> FileTokens | None:
        """Return the tokens of a file in the chat's model.

        None if they depend on the question, and for images and recordings, which each model counts
        in its own way.
        """
        if attachment.use == "passages" or attachment.is_medium:
            return None
        known = self._tokens.get((self._saved.record.model, attachment))
        if known is not None:
            return known
        whole = attachment.use == "all"
        spans = attachment.spans
        length = attachment.characters if whole else sum(end - begin for _, begin, end in spans)
        return FileTokens(length // 4, exact=False)

    def too_much(self) -> Attachments:
        """Return the largest files, enough of them to leave room for the others.

        A quarter of the model's context is reserved for the conversation.
        """
        sizes = {each: known.count for each in self.files if (known := self.tokens(each))}
        total, found = sum(sizes.values()), list[Attachment]()
        for each in sorted(sizes, key=lambda each: sizes[each], reverse=True):
            if total <= self._limit * 3 // 4:
                break
            total -= sizes[each]
            found.append(each)
        return tuple(found)

    def too_long(self, files: Attachments) -> str:
        """Return the largest file's name if the files certainly exceed the model's context."""
        limit = context_of(self._saved.record, self._loader)
        sizes = [(known, each) for each in files if (known := self.tokens(each))]
        # An estimate assumes 4 characters a token, and the engine takes at most 32 for one.
        least = sum(known.count if known.exact else known.count // 8 for known, _ in sizes)
        if not limit or least < limit:
            return ""
        return max(sizes, key=lambda size: size[0].count)[1].name

    def count(self) -> None:
        """Count the files whose tokens are unknown, one at a time."""
        if not self._counting.running and self._uncounted() is not None:
            self._counting.start(self._count())

    def close(self) -> None:
        """Stop reading, for a chat that is closed."""
        self._reading.cancel()
        self._counting.cancel()
        self._looking.cancel()
        self._waiting.clear()

    # Results.

    async def _read(self) -> None:
        folders = 0
        while self._waiting:
            given = self._waiting[0]
            refused = ""
            try:
                refused = self._take(given, await self._read_one(given))
            except IsADirectoryError:
                folders += 1
                if folders == 1:  # the window has room for one sentence
                    refused = tr(
                        "“{name}” is a folder. Attach the files in it instead.", name=given.name
                    )
            except EngineError as error:
                words = mark("“{name}” cannot be read.")
                refused = explained(words, error.message, name=given.name)
            except Exception:
                log.exception("cannot read an attached file")
                refused = tr("“{name}” cannot be read.", name=given.name)
            self._waiting.popleft()
            if refused:
                self.refused.emit(refused)
            self._report_change()

    async def _read_one(self, given: _PendingFile) -> Sequence[_Read]:
        """Return the contents to attach, for a PDF without text its pages. Raises EngineError."""
        if given.do == "read":
            return [await self._read_texts(given)]
        if given.do == "draw":
            return await self._draw(given, given.pages)
        held, made = await flows.aside(partial(_read_given, given))
        if isinstance(held, AttachedText) and not made.characters:
            return await self._draw(given, made.pages)
        return [(held, made)]

    async def _draw(self, given: _PendingFile, count: int) -> Sequence[_Read]:
        """Draw the pages of a PDF, or the chosen ones, as many as fit."""
        assert given.path is not None
        path, name = given.path, given.name
        numbers = given.numbers or range(1, count + 1)
        others = [each for each in self.files if each not in given.replaced]
        most = max(1, MOST_FILES + 1 - len(self._waiting) - len(others))
        found = await flows.aside(partial(drawn, path, name, count, numbers[:1]))
        if found and (each := await self._tokens_of_image(found[0][0])):
            texts = sum(known.count for f in others if (known := self.tokens(f)) is not None)
            seen = each * sum(f.is_image for f in others)
            most = min(most, max(1, (self._left - texts - seen) // each))
        found += await flows.aside(partial(drawn, path, name, count, numbers[1:most]))
        if not found:
            raise EngineError(INVALID_REQUEST, f"“{name}” has no page that can be drawn.")
        return found

    async def _read_texts(self, given: _PendingFile) -> _Read:
        """Recognize the text in images or in a PDF's scanned pages. Raises EngineError."""
        first, name, language = given.replaced[0], given.name, code()[:2]
        texts, path, pictures = dict[int, str](), given.path, dict[int, _Picture]()
        if path is None:
            for each in given.replaced:
                number = each.spans[0][0] if each.spans else 1
                pictures[number] = partial(_picture, self._saved, each)
        else:
            for number in given.numbers:
                pictures[number] = partial(_page_picture, path, name, first.pages, number)
        try:
            for place, (number, picture) in enumerate(pictures.items(), 1):
                self._page = place, len(pictures)
                self.changed.emit()
                texts[number] = await flows.aside(partial(_text_in, picture, name, language))
        finally:
            self._page = (0, 0)
        if not any(texts.values()):
            raise EngineError(INVALID_REQUEST, f"No text was found in “{name}”.")
        return await flows.aside(partial(_with_texts, self._saved, first, texts))

    async def _tokens_of_image(self, image: StoredImage) -> int:
        """Return the tokens that an image takes in the chat's model, or 0 if that is unknown."""
        ref = self._saved.record.model
        model, engine = self._loader.get(ref).model, self._loader.engine_for(ref)
        if model is None or not model.sees or engine is None:
            return 0
        turn = {"role": "user", "content": [{"type": "image", "image": Image(image.data)}]}
        try:
            return await flows.arrived(engine.count_later(model, [turn], None))
        except Exception:  # the engine was stopped, or the template requires more than an image
            return 0

    def _take(self, given: _PendingFile, found: Sequence[_Read]) -> str:
        """Attach what was read, and return a notice for the user, or ""."""
        if given.encoding and given.replaced[0] not in self.files:
            return ""  # removed while it was read
        files = [each for each in self.files if each not in given.replaced]
        places = [n for n, each in enumerate(self.files) if each in given.replaced]
        place = places[0] if places else len(files)
        new = [(held, made) for held, made in found if made not in files]
        if not new:
            return tr("“{name}” is already attached.", name=given.name)
        files[place:place] = [made for _, made in new]
        self._put(tuple(files), *(held for held, _ in new))
        first = new[0][1]
        if first.scans and given.do == "attach":
            return self._scans_text(first)
        wanted = len(given.numbers) or first.pages
        if not first.is_image or not first.spans or len(found) == wanted:
            return ""
        pages = numbers_of(first.unit, [n for _, made in found for n in page_numbers(made.spans)])
        words = mark(
            "“{name}” is attached in part: {pages} of {count}. Open one of them to choose others."
        )
        return tr(words, name=given.name, pages=pages, count=number(first.pages))

    def _scans_text(self, file: Attachment) -> str:
        n, values = len(file.scans), {"count": number(file.pages), "name": file.name}
        if self.can_draw(file) or self.can_read_scans(file):
            return counted(
                "%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add "
                "its image or its text.",
                "%Ln of the {count} pages of “{name}” are scans without text. Open the file to add "
                "their images or their text.",
                n,
                **values,
            )
        return counted(
            "%Ln of the {count} pages of “{name}” is a scan without text.",
            "%Ln of the {count} pages of “{name}” are scans without text.",
            n,
            **values,
        )

    def _uncounted(self) -> tuple[str, Attachment] | None:
        """Return the first file whose tokens are unknown, with the model's reference."""
        ref = self._saved.record.model
        unknown = (f for f in self.files if f.use != "passages" and not f.is_medium)
        return next(((ref, f) for f in unknown if (ref, f) not in self._tokens), None)

    async def _count(self) -> None:
        while (key := self._uncounted()) is not None:
            ref, file = key
            model, engine = self._loader.get(ref).model, self._loader.engine_for(ref)
            if model is None or engine is None:
                return
            guess = self.tokens(file) or FileTokens(0, exact=False)
            try:
                parts = content("", (file,), self._saved.text, None)
                future = engine.count_later(model, [{"role": "user", "content": parts}], None)
            except EngineError:  # the engine was stopped
                return
            try:
                self._tokens[key] = FileTokens(await flows.arrived(future), exact=True)
            except Exception:
                self._tokens[key] = guess
            self._report_change()  # the count decides whether the message may be sent

    def _put(self, files: Attachments, *new: AttachedText | StoredImage) -> None:
        """Replace the attached files. ``new``: contents of those that are not stored yet."""
        self._saved.keep_files(files, *new)
        self.chat_changed.emit()
        self.compose_changed.emit()
        self._report_change()

    def _report_change(self) -> None:
        self.changed.emit()
        self.turn_changed.emit()

    @property
    def _limit(self) -> int:
        return context_of(self._saved.record, self._loader) or _USUAL_CONTEXT

    @property
    def _left(self) -> int:
        """Return the tokens left for all files next to the conversation."""
        used, _ = tokens_of_last_turn(self._saved.transcript)
        return self._limit * 3 // 4 - used

    def _room(self, attachment: Attachment) -> int:
        """Return how many characters of this file fit next to other files and the conversation."""
        whole = self.tokens(replace(attachment, use="all", spans=()))
        others = [t.count for f in self.files if f != attachment and (t := self.tokens(f))]
        room = max(self._left - sum(others), self._limit // 8)
        return attachment.characters * room // max(1, whole.count if whole is not None else 1)

    async def _index(self, files: Iterable[Attachment]) -> None:
        """Index the files that are read by passages, in a worker thread."""
        for each in files:
            if each.use == "passages" and not are_made(each.hash):
                await flows.aside(partial(_make_passages, self._saved, each.hash))

    def _resolved(self, attachment: Attachment, question: str) -> Attachment:
        passages = passages_of(attachment.hash, self._saved.text)
        if passages is None:
            return attachment
        found = passages.find(question, min(_MOST_PASSAGES, self._limit))
        return replace(attachment, spans=found)


def _held(
    saved: SavedChat, attachment: Attachment, stop: threading.Event
) -> AttachedText | StoredImage | None:
    """Return a file's content, or None if it is missing."""
    if not attachment.is_medium:
        return saved.text(attachment.hash)
    data = saved.image(attachment.hash).data
    return StoredImage(data, saved.thumbnail(attachment.hash) or b"") if data else None


def _text(saved: SavedChat, key: str, stop: threading.Event) -> AttachedText | None:
    return saved.text(key)


def _make_passages(saved: SavedChat, key: str, stop: threading.Event) -> None:
    passages_of(key, saved.text)


def _picture(saved: SavedChat, image: Attachment, stop: threading.Event) -> bytes:
    """Convert an image to JPEG. Blocks. Raises EngineError."""
    data = saved.image(image.hash).data
    return read_image(data, f"“{image.name}”", 0, SIDE, stop).thumbnail


def _page_picture(path: Path, name: str, count: int, number: int, stop: threading.Event) -> bytes:
    """Return a page of a PDF as JPEG, or b"" if it is damaged. Blocks."""
    found = drawn(path, name, count, [number], stop)
    return found[0][0].data if found else b""


def _text_in(picture: _Picture, name: str, language: str, stop: threading.Event) -> str:
    jpeg = picture(stop)
    return ocr.recognize_text(jpeg, f"“{name}”", language, stop) if jpeg else ""


def _with_texts(
    saved: SavedChat, first: Attachment, texts: dict[int, str], stop: threading.Event
) -> _Read:
    """Return a file with the recognized texts added to its pages. Blocks.

    Args:
        first: the file, or the first of the images.
    """
    own = None if first.is_image else saved.text(first.hash)
    pages = own.pages if own is not None else ("",) * first.pages
    found = tuple(texts.get(n) or page for n, page in enumerate(pages, 1))
    text = AttachedText(first.unit, found, own.labels if own is not None else ())
    left = tuple(n for n in first.scans if not found[n - 1])
    count = sum(map(len, found))
    made = Attachment(
        first.name,
        first.kind,
        text.hash,
        first.unit,
        len(found),
        count,
        scans=left,
        path=first.path,
    )
    given = sorted(texts) if first.is_image else page_numbers(first.spans)
    if first.use == "pages" and len(given) < len(found):
        made = replace(made, use="pages", spans=whole_pages(text, given))
    return text, made


def _thumbnail(saved: SavedChat, key: str, _: threading.Event) -> bytes | None:
    return saved.thumbnail(key)


def _read_given(given: _PendingFile, stop: threading.Event) -> _Read:
    """Read a file. Blocks. Raises EngineError."""
    name = given.name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if given.path is None:
        return stored(given.data, name, stop)
    if given.path.is_dir():
        raise IsADirectoryError
    if (data := _medium_in(given.path)) is not None:
        return stored(data, name, stop)
    found = read_document(given.path, stop, encoding=given.encoding)
    text = AttachedText(found.unit, found.pages, found.labels)
    made = Attachment(
        name,
        found.kind,
        text.hash,
        found.unit,
        len(found.pages),
        sum(map(len, found.pages)),
        scans=found.scans,
        encoding=found.encoding,
        path=kept_path(given.path) if found.kind == "PDF" or found.encoding else "",
    )
    return text, made


def _medium_in(path: Path) -> bytes | None:
    """Return the bytes of an image or recording, up to the size limit, or None for other files."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
            seen, heard = images.is_image(head), sounds.is_sound(head)
            if not path.is_file() or not (seen or heard):
                return None
            return head + file.read(images.MAX_BYTES if seen else sounds.MAX_BYTES)
    except OSError:
        return None  # reading it as a document gives the reason
