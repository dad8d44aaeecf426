"""Deleting and what follows: the trash, bringing back, and erasing for good."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from app.store import erase
from app.store.backups import Backups
from app.store.errors import StoreError
from app.store.operations import PatchChat
from app.store.readers import Readers, all_chats
from app.store.records import ChatRecord
from app.store.writer import Writer


class Trash:
    """What deletes chats, brings them back, and erases them for good."""

    def __init__(
        self, writer: Writer, readers: Readers, backups: Backups, clock: Callable[[], float]
    ) -> None:
        # the chats that are gone for good; late words of a reply in one are dropped
        self.erased: set[str] = set()
        # files set aside that are too damaged to erase anything in them
        self.unscrubbed: list[Path] = []
        self._writer = writer
        self._readers = readers
        self._backups = backups
        self._clock = clock
        self._opened_at = clock()
        self._scrubbed: set[str] = set()  # what the file was written anew without

    def delete(self, chat_id: str) -> float:
        """Moves the chat to the trash; `restore` brings it back whole. Returns when that was."""
        when = self.now()
        self._writer.add(PatchChat(chat_id, {"deleted_at": when}))
        return when

    def now(self) -> float:
        """Return the time of a deletion, never before this run: what it deletes can be undone."""
        return max(self._clock(), self._opened_at)

    def restore(self, chat_id: str) -> None:
        """Undoes `delete`."""
        self._writer.add(PatchChat(chat_id, {"deleted_at": None}))

    def chats(self) -> list[ChatRecord]:
        """Deleted chats that hold something, the latest deleted first."""
        chats = [
            c for c in all_chats(self._readers, self._writer) if c.deleted_at and not erase.blank(c)
        ]
        return sorted(chats, key=lambda chat: chat.deleted_at or 0.0, reverse=True)

    def erase(self, ids: Sequence[str]) -> None:
        """Erases chats for good. Their text then leaves index, journal, backups and kept files.

        That is done in the background, and goes on at the next start if the program ends.
        """
        if ids:
            self.erased.update(ids)
            self._writer.add(erase.Erase(tuple(ids)))
            self._writer.when_idle(self.scrub)

    def due(self) -> list[str]:
        """Chats whose thirty days in the trash are over; `erase` takes them."""
        chats = all_chats(self._readers, self._writer)
        return erase.due(chats, self._clock(), self._opened_at)

    def erase_messages(self) -> None:
        """Erases messages that were deleted before this run: only that run could undo it."""
        with self._readers.reading() as db:
            due = "SELECT 1 FROM messages WHERE deleted_at < ? LIMIT 1"
            found = db.execute(due, (self._opened_at,)).fetchone()
        if found is not None:
            self._writer.add(erase.EraseMessages(self._opened_at))
            self._writer.when_idle(self.scrub)

    def scrub(self, db: sqlite3.Connection) -> bool:
        """A chore: leave nothing of what was erased; what is not known to be done stays noted."""
        ids = erase.waiting(db)
        if not ids:
            return False
        if not self._scrubbed.issuperset(ids):
            erase.scrub(db)
            self._scrubbed = set(ids)
        if not erase.empty_journal(db):
            return True  # again in a moment

        def done(left: list[Path]) -> None:
            self.unscrubbed = left
            with suppress(StoreError):
                self._writer.add(erase.Forget(tuple(ids)))

        self._backups.erase(ids, done)
        return False
