"""Attached files in the composer."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QObject, Signal, Slot

from app import flows
from app.chats.attached_images import AttachedImages
from app.chats.attachment_texts import format_page_numbers, page_numbers
from app.chats.chat_part import ChatPart
from app.chats.file_tokens import FileTokenCounter
from app.chats.images import SIDE, read_medium
from app.chats.passages import beginning_of_text, is_indexed, passages_of, whole_pages
from app.chats.pdf_pages import render_pages, storable_path
from app.chats.referenced_chats import ReferencedChats, make_attachment
from app.chats.saved_chat import SavedChat
from app.chats.turn import ComposerContent
from app.models.engine_errors import with_engine_message
from app.models.loading import ModelLoader
from app.settings.language import counted, language_code, mark, number, tr
from app.store import AttachedText, Attachment, Attachments, Message, StoredImage
from app.store.attachments import Use
from engine import EngineError
from engine.errors import INVALID_REQUEST
from engine.sandbox import images, ocr, sounds
from engine.sandbox.jobs import read_document, read_image
from engine.text.documents import MAX_CHARACTERS

log = logging.getLogger(__name__)

MOST_FILES = 20
"""Limit per message. Checking a file may block on a disk, and users may drop thousands."""
_Read = tuple[AttachedText | StoredImage, Attachment]
_Picture = Callable[[threading.Event], bytes]

_MOST_PASSAGES = 16_000  # characters


class _PendingFile(Struct, frozen=True):
    """File to attach, or a pasted image, which has no ``path``."""

    name: str
    path: Path | None = None
    data: bytes = b""
    encoding: str = ""  # set if the user chose the encoding of a text file
    replaced: Attachments = ()


class _PendingPages(Struct, frozen=True):
    """Pages of a PDF to attach as images."""

    name: str
    path: Path
    page_count: int
    numbers: Sequence[int] = ()  # page numbers; empty for all pages
    replaced: Attachments = ()


class _PendingText(Struct, frozen=True):
    """Text to recognize in attached images, or on pages of the attached PDF at ``path``."""

    name: str
    replaced: Attachments
    path: Path | None = None
    numbers: Sequence[int] = ()  # page numbers of the PDF


_Pending = _PendingFile | _PendingPages | _PendingText


class FileAttacher(ChatPart):
    """Reads attached files one after the other in a child process, and stores them with the
    draft.
    """

    changed = Signal()  # also the token counts
    file_rejected = Signal(str)  # (message). Part of the file may have been attached.
    file_repeated = Signal(str)  # (message): the file was attached before

    def __init__(
        self,
        saved: SavedChat,
        loader: ModelLoader,
        referenced_chats: ReferencedChats,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.referenced_chats = referenced_chats
        self._saved = saved
        self._loader = loader
        self._pending: deque[_Pending] = deque()
        self._scan_progress = (0, 0)
        self.counter = FileTokenCounter(saved, loader, self)
        self.counter.changed.connect(self._report_change)
        self.images = AttachedImages(saved, self)
        self.images.thumbnail_read.connect(self._on_thumbnail)
        self._reading = flows.Latest(self)
        self._checking_followed = flows.Latest(self)

    @property
    def reading(self) -> tuple[str, ...]:
        return tuple(file.name for file in self._pending)

    @property
    def scan_progress(self) -> tuple[int, int]:
        """Return the number of the image whose text is being recognized, and the image count, or
        (0, 0).
        """
        is_reading = bool(self._pending) and isinstance(self._pending[0], _PendingText)
        return self._scan_progress if is_reading else (0, 0)

    @property
    def files(self) -> Attachments:
        return self._saved.compose.attachments

    def add(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if self._is_full:
                self._refuse_more()
                break
            self._queue_file(_PendingFile(path.name, path))

    def add_image(self, data: bytes) -> None:
        if self._is_full:
            self._refuse_more()
            return
        self._queue_file(_PendingFile(self._free_name(tr("Pasted image")), data=data))

    def _queue_file(self, file: _Pending) -> None:
        self._pending.append(file)
        if not self._reading.running:
            self._reading.start(self._read())
        self._report_change()

    @property
    def _is_full(self) -> bool:
        return len(self._pending) + len(self.files) >= MOST_FILES

    def _refuse_more(self) -> None:
        words = counted(
            "Attach at most %n file. Send the others in another message.",
            "Attach at most %n files. Send the others in another message.",
            MOST_FILES,
        )
        self.file_rejected.emit(words)

    def _free_name(self, first: str) -> str:
        used_names = {file.name for file in self.files} | set(self.reading)
        names = (first, *(f"{first} {n}" for n in range(2, 2 * MOST_FILES)))
        return next((name for name in names if name not in used_names), first)

    def add_text(self, text: str, called: str = "") -> Attachment:
        name = self._free_name(called or tr("Pasted text"))
        content = AttachedText("", (text,))
        attachment = Attachment(name, "text", content.hash, characters=len(text))
        self._replace_files((*self.files, attachment), content)
        return attachment

    def read_chat(self, chat_id: str, last: int, *, follow: bool) -> None:
        """Attach the ``last`` messages of another chat, or all if 0.

        With ``follow``, every message sent here attaches the other chat's new messages.
        """
        flows.start(self, self._read_chat(chat_id, last, follow))

    async def _read_chat(self, chat_id: str, last: int, follow: bool) -> None:
        of = await self.referenced_chats.read_now(chat_id)
        files = tuple(f for f in self.files if f.chat != chat_id)
        if of.unreadable_reason:
            self.file_rejected.emit(of.unreadable_reason)
        elif len(self._pending) + len(files) >= MOST_FILES:
            self._refuse_more()
        else:
            attachment, text = make_attachment(of, max(0, len(of.lines) - last) if last else 0)
            if attachment.characters > MAX_CHARACTERS:
                words = mark("“{name}” is too long. Read its last messages only.")
                self.file_rejected.emit(tr(words, name=of.title))
                return
            self._replace_files((*files, attachment), text)
            self.follow(chat_id, last if follow else None)

    def follow(self, chat_id: str, last: int | None) -> None:
        if last != self.referenced_chats.followed_chats.get(chat_id):
            self.referenced_chats.follow(chat_id, last)
            self.chat_changed.emit()
            self._report_change()
            self.check_followed()

    def check_followed(self) -> None:
        if self.referenced_chats.followed_chats:
            self._checking_followed.start(self._check_followed())

    async def _check_followed(self) -> None:
        for chat_id in self.referenced_chats.followed_chats:
            await self.referenced_chats.read_now(chat_id)
        self._add_news(self._saved.compose)
        self.changed.emit()

    def _add_news(self, compose: ComposerContent) -> Attachments:
        path = self._saved.transcript.path_to(self._saved.parent_of(compose))
        return self.referenced_chats.add_news(compose.attachments, path)

    def remove(self, *attachments: Attachment) -> None:
        self._replace_files(tuple(file for file in self.files if file not in attachments))

    def put_back(self, *attachments: tuple[int, Attachment]) -> None:
        flows.start(self, self._put_back(attachments))

    async def _put_back(self, attachments: Sequence[tuple[int, Attachment]]) -> None:
        for index, attachment in attachments:
            # The content may have been erased while nothing referenced it, so store it again.
            content = await flows.run_in_thread(partial(_load_content, self._saved, attachment))
            if attachment not in self.files:
                files = [*self.files]
                files.insert(index, attachment)
                self._replace_files(tuple(files), *([content] if content is not None else []))

    def cancel_reading(self) -> None:
        self._reading.cancel()
        self._pending.clear()
        self._report_change()

    def set_used_part(
        self, attachment: Attachment, use: Use, numbers: list[int] | None = None
    ) -> None:
        flows.start(self, self._set_used_part(attachment, use, numbers or []))

    async def _set_used_part(self, attachment: Attachment, use: Use, numbers: list[int]) -> None:
        text = await self.text(attachment)
        if text is None:
            return
        spans = whole_pages(text, numbers) if use == "pages" else ()
        if use == "beginning":
            spans = beginning_of_text(text, self.counter.free_characters(attachment))
        changed = replace(attachment, use=use, spans=spans)
        self._replace_files(tuple(changed if file == attachment else file for file in self.files))
        await self._index((changed,))  # index now, before the question is sent

    def can_draw(self, attachment: Attachment) -> bool:
        """Return True if pages of a local PDF can be attached as images.

        If the model can't see images, only pages without text can.
        """
        if not attachment.path or attachment.encoding:
            return False
        return attachment.is_image or self._loader.has_vision(self._saved.record.model) is not False

    def read_again(self, attachment: Attachment, encoding: str) -> None:
        """Read a text file again. ``encoding`` is Python's name of an encoding."""
        path = Path(attachment.path)
        replaced = (attachment,)
        self._queue_file(_PendingFile(attachment.name, path, encoding=encoding, replaced=replaced))

    def pages_beside(self, attachment: Attachment) -> Attachments:
        if not (attachment.is_image and attachment.spans):
            return (attachment,)
        same = (attachment.name, attachment.pages)
        return tuple(f for f in self.files if f.is_image and f.spans and (f.name, f.pages) == same)

    def draw_pages(self, attachment: Attachment, numbers: Sequence[int]) -> None:
        pages = self.pages_beside(attachment)
        self._draw_later(attachment, pages, numbers)

    def draw_scans(self, attachment: Attachment) -> None:
        if self._is_full:
            self._refuse_more()
        else:
            self._draw_later(attachment, (), attachment.scans)

    def _draw_later(
        self, attachment: Attachment, replaced: Attachments, numbers: Sequence[int]
    ) -> None:
        name, path = attachment.name, Path(attachment.path)
        self._queue_file(_PendingPages(name, path, attachment.pages, numbers, replaced))

    @property
    def is_recognizing_text(self) -> bool:
        return ocr.is_available()

    def read_texts(self) -> None:
        images = dict.fromkeys(self.pages_beside(file) for file in self.files if file.is_image)
        for pages in images:
            self._queue_text_recognition(_PendingText(pages[0].name, pages))

    def can_read_scans(self, attachment: Attachment) -> bool:
        return self.is_recognizing_text and bool(attachment.scans and attachment.path)

    def read_scans(self, attachment: Attachment) -> None:
        """Recognize text on the scanned pages of a PDF and merge it into the document's text."""
        path = Path(attachment.path)
        self._queue_text_recognition(
            _PendingText(attachment.name, (attachment,), path, attachment.scans)
        )

    def _queue_text_recognition(self, file: _PendingText) -> None:
        if file not in self._pending:
            self._queue_file(file)

    async def text(self, attachment: Attachment) -> AttachedText | None:
        saved = self._saved
        return await flows.run_in_thread(lambda _: saved.text(attachment.hash))

    async def ready(self, compose: ComposerContent) -> Attachments:
        """Index attached files, read followed chats, and return the composer's attachments.

        Doesn't wait for files that are still being read.
        """
        await self._index(compose.attachments)
        for chat_id in self.referenced_chats.followed_chats:
            await self.referenced_chats.read_now(chat_id)
        return self._resolve_all(self._add_news(compose), compose.text)

    def resolve(self, files: Attachments, question: str, path: Sequence[Message]) -> Attachments:
        """Fill in the passages that match the question, and new messages of followed chats.

        ``path`` has the messages before the question.
        """
        return self._resolve_all(self.referenced_chats.add_news(files, path), question)

    def _resolve_all(self, files: Attachments, question: str) -> Attachments:
        return tuple(
            self._resolve_file(file, question) if file.use == "passages" else file for file in files
        )

    def close(self) -> None:
        self._reading.cancel()
        self.counter.close()
        self._checking_followed.cancel()
        self._pending.clear()

    async def _read(self) -> None:
        while self._pending:
            pending = self._pending[0]
            refused = ""
            try:
                refused = self._attach_result(pending, await self._read_one(pending))
            except IsADirectoryError:
                words = mark("“{name}” is a folder. Attach the files in it instead.")
                refused = tr(words, name=pending.name)
            except EngineError as error:
                words = mark("“{name}” can’t be read.")
                refused = with_engine_message(words, error.message, name=pending.name)
            except Exception:
                log.exception("cannot read an attached file")
                refused = tr("“{name}” can’t be read.", name=pending.name)
            self._pending.popleft()
            if refused:
                self.file_rejected.emit(refused)
            self._report_change()

    async def _read_one(self, pending: _Pending) -> Sequence[_Read]:
        if isinstance(pending, _PendingText):
            return [await self._recognize_texts(pending)]
        if isinstance(pending, _PendingPages):
            return await self._draw_pages(pending)
        content, attachment = await flows.run_in_thread(partial(_read_given, pending))
        is_scanned = isinstance(content, AttachedText) and not attachment.characters
        if is_scanned and pending.path is not None:
            pages, replaced = attachment.pages, pending.replaced
            return await self._draw_pages(
                _PendingPages(pending.name, pending.path, pages, replaced=replaced)
            )
        return [(content, attachment)]

    async def _draw_pages(self, pending: _PendingPages) -> Sequence[_Read]:
        path, name, count = pending.path, pending.name, pending.page_count
        numbers = pending.numbers or range(1, count + 1)
        other_files = [file for file in self.files if file not in pending.replaced]
        max_pages = max(1, MOST_FILES + 1 - len(self._pending) - len(other_files))
        pages = await flows.run_in_thread(partial(render_pages, path, name, count, numbers[:1]))
        if pages and (page_tokens := await self.counter.tokens_of_image(pages[0][0])):
            counts = [tokens.count for f in other_files if (tokens := self.counter.tokens(f))]
            image_tokens = page_tokens * sum(f.is_image for f in other_files)
            room = self.counter.free_tokens - sum(counts) - image_tokens
            max_pages = min(max_pages, max(1, room // page_tokens))
        pages += await flows.run_in_thread(
            partial(render_pages, path, name, count, numbers[1:max_pages])
        )
        if not pages:
            raise EngineError(INVALID_REQUEST, f"“{name}” has no page that can be drawn.")
        return pages

    async def _recognize_texts(self, pending: _PendingText) -> _Read:
        first, name, language = pending.replaced[0], pending.name, language_code()[:2]
        texts, path, pictures = dict[int, str](), pending.path, dict[int, _Picture]()
        if path is None:
            for file in pending.replaced:
                number = file.spans[0][0] if file.spans else 1
                pictures[number] = partial(_to_jpeg, self._saved, file)
        else:
            for number in pending.numbers:
                pictures[number] = partial(_render_page, path, name, first.pages, number)
        try:
            for index, (number, picture) in enumerate(pictures.items(), 1):
                self._scan_progress = index, len(pictures)
                self.changed.emit()
                texts[number] = await flows.run_in_thread(
                    partial(_recognize_text, picture, name, language)
                )
        finally:
            self._scan_progress = (0, 0)
        if not any(texts.values()):
            raise EngineError(INVALID_REQUEST, f"No text was found in “{name}”.")
        return await flows.run_in_thread(partial(_merge_texts, self._saved, first, texts))

    def _attach_result(self, pending: _Pending, results: Sequence[_Read]) -> str:
        """Attach the result of reading a file. Return a notice for the user, or ""."""
        encoding = pending.encoding if isinstance(pending, _PendingFile) else ""
        if encoding and pending.replaced[0] not in self.files:
            return ""
        files = [file for file in self.files if file not in pending.replaced]
        places = [n for n, file in enumerate(self.files) if file in pending.replaced]
        position = places[0] if places else len(files)
        new = [(content, attachment) for content, attachment in results if attachment not in files]
        if not new:
            self.file_repeated.emit(tr("“{name}” is already attached.", name=pending.name))
            return ""
        files[position:position] = [attachment for _, attachment in new]
        self._replace_files(tuple(files), *(content for content, _ in new))
        first = new[0][1]
        if isinstance(pending, _PendingFile) and first.scans:
            return self._scans_text(first)
        numbers = pending.numbers if isinstance(pending, _PendingPages) else ()
        page_count = len(numbers) or first.pages
        if not first.is_image or not first.spans or len(results) == page_count:
            return ""
        pages = format_page_numbers(
            first.unit, [n for _, attachment in results for n in page_numbers(attachment.spans)]
        )
        words = mark(
            "“{name}” is attached in part: {pages} of {count}. Open one of them to choose others."
        )
        return tr(words, name=pending.name, pages=pages, count=number(first.pages))

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

    def _replace_files(self, files: Attachments, *new: AttachedText | StoredImage) -> None:
        """Replace the attached files. ``new`` has contents that aren't stored yet."""
        self._saved.save_files(files, *new)
        self.chat_changed.emit()
        self.compose_changed.emit()
        self._report_change()

    @Slot(str)
    def _on_thumbnail(self, key: str) -> None:
        if any(file.hash == key for file in self.files):
            self.changed.emit()

    @Slot()
    def _report_change(self) -> None:
        self.changed.emit()
        self.turn_changed.emit()

    async def _index(self, files: Iterable[Attachment]) -> None:
        saved = self._saved
        for each in files:
            if each.use == "passages" and not is_indexed(each.hash):
                await flows.run_in_thread(partial(_make_passages, saved, each.hash))

    def _resolve_file(self, attachment: Attachment, question: str) -> Attachment:
        passages = passages_of(attachment.hash, self._saved.text)
        if passages is None:
            return attachment
        spans = passages.find(question, min(_MOST_PASSAGES, self.counter.limit))
        return replace(attachment, spans=spans)


def _load_content(
    saved: SavedChat, attachment: Attachment, stop: threading.Event
) -> AttachedText | StoredImage | None:
    if not attachment.is_medium:
        return saved.text(attachment.hash)
    data = saved.image(attachment.hash).data
    return StoredImage(data, saved.thumbnail(attachment.hash) or b"") if data else None


def _make_passages(saved: SavedChat, key: str, _: threading.Event) -> None:
    passages_of(key, saved.text)


def _to_jpeg(saved: SavedChat, image: Attachment, stop: threading.Event) -> bytes:
    data = saved.image(image.hash).data
    return read_image(data, f"“{image.name}”", 0, SIDE, stop).thumbnail


def _render_page(path: Path, name: str, count: int, number: int, stop: threading.Event) -> bytes:
    pages = render_pages(path, name, count, [number], stop)
    return pages[0][0].data if pages else b""


def _recognize_text(picture: _Picture, name: str, language: str, stop: threading.Event) -> str:
    jpeg = picture(stop)
    return ocr.recognize_text(jpeg, f"“{name}”", language, stop) if jpeg else ""


def _merge_texts(
    saved: SavedChat, first: Attachment, texts: dict[int, str], stop: threading.Event
) -> _Read:
    """Merge recognized text into a document's pages. ``first`` is the document or a page image."""
    old_text = None if first.is_image else saved.text(first.hash)
    pages = old_text.pages if old_text is not None else ("",) * first.pages
    merged_pages = tuple(texts.get(n) or page for n, page in enumerate(pages, 1))
    text = AttachedText(first.unit, merged_pages, old_text.labels if old_text is not None else ())
    unread_scans = tuple(n for n in first.scans if not merged_pages[n - 1])
    count = sum(map(len, merged_pages))
    merged = Attachment(
        first.name,
        first.kind,
        text.hash,
        first.unit,
        len(merged_pages),
        count,
        scans=unread_scans,
        path=first.path,
    )
    pages_used = sorted(texts) if first.is_image else page_numbers(first.spans)
    if first.use == "pages" and len(pages_used) < len(merged_pages):
        merged = replace(merged, use="pages", spans=whole_pages(text, pages_used))
    return text, merged


def _read_given(pending: _PendingFile, stop: threading.Event) -> _Read:
    name = pending.name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if pending.path is None:
        return read_medium(pending.data, name, stop)
    if pending.path.is_dir():
        raise IsADirectoryError
    if (data := _read_medium(pending.path)) is not None:
        return read_medium(data, name, stop)
    document = read_document(pending.path, stop, encoding=pending.encoding)
    text = AttachedText(document.unit, document.pages, document.labels)
    attachment = Attachment(
        name,
        document.kind,
        text.hash,
        document.unit,
        len(document.pages),
        sum(map(len, document.pages)),
        scans=document.scans,
        encoding=document.encoding,
        path=storable_path(pending.path) if document.kind == "PDF" or document.encoding else "",
    )
    return text, attachment


def _read_medium(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            head = file.read(16)
            is_image, is_sound = images.is_image(head), sounds.is_sound(head)
            if not path.is_file() or not (is_image or is_sound):
                return None
            return head + file.read(images.MAX_BYTES if is_image else sounds.MAX_BYTES)
    except OSError:
        return None  # fall through to the document reader, which reports the error
