"""The texts of attached files, each kept once for all chats."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from app.store.attachments import (
    AttachedText,
    Attachments,
    forget_unused,
    has_unused,
    text_from_json,
)
from app.store.operations import View
from app.store.reading import Readers, queued
from app.store.writer import Writer


@dataclass(frozen=True)
class SaveText:
    """A file's text; one that is there already stays."""

    hash: str
    text: AttachedText
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        db.execute("INSERT OR IGNORE INTO attached VALUES (?, ?)", (self.hash, self.text.to_text()))

    def show(self, view: View) -> None:
        view.texts[self.hash] = self.text


@dataclass(frozen=True)
class ForgetTexts:
    """The texts that nothing has any more, out of the file."""

    slot: str | None = None
    urgent: bool = False

    def write(self, db: sqlite3.Connection) -> None:
        forget_unused(db)

    def show(self, view: View) -> None:
        pass


class Texts:
    """The texts of attached files by their hashes."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def save(self, text: AttachedText) -> str:
        """Keeps a file's text; returns its hash.

        Within `Store.together` with what refers to it: a text that nothing refers to may be erased.
        """
        key = text.hash
        self._writer.add(SaveText(key, text))
        return key

    def get(self, key: str) -> AttachedText | None:
        """The text of this hash; None if it is not there, or damaged."""
        if (waiting := queued(self._writer).texts.get(key)) is not None:
            return waiting
        with self._readers.reading() as db:
            one = "SELECT content FROM attached WHERE hash = ?"
            row = db.execute(one, (key,)).fetchone()
        try:
            return None if row is None else text_from_json(json.loads(row[0]))
        except (TypeError, ValueError):
            return None

    def of(self, attached: Iterable[Attachments]) -> dict[str, AttachedText]:
        """The texts that these have, by their hashes."""
        wanted = dict.fromkeys(one.hash for many in attached for one in many)
        found = {key: self.get(key) for key in wanted}
        return {key: text for key, text in found.items() if text is not None}

    def forget_unused(self) -> None:
        """Erases the texts of files that were taken off drafts before this run."""
        with self._readers.reading() as db:
            unused = has_unused(db)
        if unused:
            self._writer.add(ForgetTexts())
