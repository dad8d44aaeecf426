"""The files of what a person composes: read in a child, counted, cut to what fits; one chat's."""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.attached import file_element, with_files
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.signals import ChatSignals
from app.chats.transcript import tokens_of_last_turn
from app.chats.turn import Compose
from app.models.errors import explained
from app.models.loading import ModelLoader
from app.settings.language import counted, mark, number, tr
from app.store import AttachedText, Attachment, Attachments, Span
from app.store.attachments import Use
from engine import EngineError
from engine.sandbox.jobs import read_document

log = logging.getLogger(__name__)

_BETWEEN = re.compile(r"[,;，、；\s]*[,;，、；]\s*|(?<=\d)\s+(?=\d)")
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–—]\s*(\d{1,6}))?")


def whole_pages(text: AttachedText, numbers: list[int]) -> tuple[Span, ...]:
    """All of these pages, in their order."""
    return tuple((n, 0, len(text.pages[n - 1])) for n in numbers)


def pages_in(words: str, count: int) -> list[int]:
    """The numbers that "1-3, 7" means.

    Raises:
        ValueError: a sentence that says what is wrong.
    """
    found: set[int] = set()
    parts = [part.strip() for part in _BETWEEN.split(words)]
    for part in filter(None, parts):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(
                tr("“{part}” is not a number. Enter numbers such as 1-3, 7.", part=part[:20])
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise ValueError(tr("Enter numbers from 1 to {last}.", last=number(count)))
        found.update(range(first, last + 1))
    if not found:
        raise ValueError(tr("Enter numbers such as 1-3, 7."))
    return sorted(found)


def beginning(text: AttachedText, characters: int) -> tuple[Span, ...]:
    """The first pages, and of the last of them as many whole lines, so long in all."""
    spans: list[Span] = []
    for at, page in enumerate(text.pages, 1):
        if characters <= 0:
            break
        end = len(page)
        if end > characters:
            end = page.rfind("\n", 0, characters) + 1 or page.rfind(" ", 0, characters) + 1
            end = end or characters
        if page:
            spans.append((at, 0, end))
        characters -= len(page)
    return tuple(spans)


LENGTH = 900
"""Characters of a passage: two or three paragraphs, about 200 tokens."""
_MOST_WORDS = 40
_ENOUGH = 0.1  # of the best passage's rank
_WORD = re.compile(r"\w+")
_PAGE = r"(?:{unit}|page|seite|p\.|s\.)s?\.?\s*(\d{{1,6}})"


class Passages:
    """An index in memory over one file; for any thread."""

    def __init__(self, text: AttachedText) -> None:
        self._text = text
        self._asked = threading.Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(words, page UNINDEXED, start UNINDEXED, "
            "finish UNINDEXED, tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._db.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?)",
            (
                (page[begin:end], number, begin, end)
                for number, page in enumerate(text.pages, 1)
                for begin, end in pieces(page)
            ),
        )

    def find(self, question: str, characters: int) -> tuple[Span, ...]:
        """The best ones in the order of the file, so long in all; a page that is named comes first.

        Where nothing matches it is the file's beginning.
        """
        chosen: list[Span] = []
        left = characters
        for span in [*self._named(question), *self._matching(question)]:
            if span in chosen:
                continue
            if (length := span[2] - span[1]) > left:
                break
            chosen.append(span)
            left -= length
        return _joined(sorted(chosen)) if chosen else beginning(self._text, characters)

    def _named(self, question: str) -> Iterator[Span]:
        """The passages of pages that the question names."""
        unit = re.escape(self._text.unit or "page")
        for match in re.finditer(_PAGE.format(unit=unit), question, re.IGNORECASE):
            number = int(match[1])
            if self._text.unit and 0 < number <= len(self._text.pages):
                for begin, end in pieces(self._text.pages[number - 1]):
                    yield number, begin, end

    def _matching(self, question: str) -> list[Span]:
        words = dict.fromkeys(_WORD.findall(question.casefold()))
        query = " OR ".join(f'"{word}"' for word in list(words)[:_MOST_WORDS])
        if not query:
            return []
        best = (
            "SELECT page, start, finish, rank FROM passages WHERE passages MATCH ? ORDER BY rank "
            "LIMIT 200"
        )
        with self._asked:
            found = self._db.execute(best, (query,)).fetchall()
        # A rank is the more negative the better. What shares nothing but "the" is left out.
        enough = _ENOUGH * found[0][3] if found else 0.0
        return [(int(page), int(b), int(e)) for page, b, e, rank in found if rank <= enough]


_MOST_KEPT = 8
_kept: OrderedDict[str, Passages] = OrderedDict()
_lock = threading.Lock()


def passages_of(key: str, text: AttachedText) -> Passages:
    """The passages of the text of this hash, made once for all chats; on any thread.

    A long text takes a second. Who waits for it keeps nobody else waiting.
    """
    with _lock:
        found = _kept.get(key)
    made = found or Passages(text)
    with _lock:
        made = _kept.setdefault(key, made)
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return made


def pieces(page: str) -> Iterator[tuple[int, int]]:
    """A page in passages that end where a paragraph does, or a line, or a sentence, or a word."""
    begin = 0
    while begin < len(page):
        end = begin + LENGTH
        if end < len(page):
            for mark in ("\n\n", "\n", ". ", " "):
                place = page.rfind(mark, begin + LENGTH // 3, end)
                if place > 0:
                    end = place + len(mark)
                    break
        end = min(end, len(page))
        if page[begin:end].strip():
            yield begin, end
        begin = end


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Neighbours as one."""
    made: list[Span] = []
    for page, begin, end in spans:
        if made and made[-1][0] == page and made[-1][2] == begin:
            made[-1] = (page, made[-1][1], end)
        else:
            made.append((page, begin, end))
    return tuple(made)


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
            if text is not None and each.hash not in _kept:
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
