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
from app.store.writer import StoreWriter


class Trash:
    """Deleted chats, which can be restored for 30 days, and the erasure of their text."""

    def __init__(
        self, writer: StoreWriter, readers: Readers, backups: Backups, clock: Callable[[], float]
    ) -> None:
        # permanently deleted chats, whose later writes are dropped
        self.erased: set[str] = set()
        # files set aside that are too damaged to erase anything from
        self.unscrubbed: list[Path] = []
        self._writer = writer
        self._readers = readers
        self._backups = backups
        self._clock = clock
        self._opened_at = clock()
        self._scrubbed: set[str] = set()  # IDs erased since the last rewrite

    def delete(self, chat_id: str) -> float:
        when = self.now()
        self._writer.add(PatchChat(chat_id, {"deleted_at": when}))
        return when

    def now(self) -> float:
        """Return the time of a deletion.

        The time is never before the start of this run, so that deletions in this run can be undone.
        """
        return max(self._clock(), self._opened_at)

    def restore(self, chat_id: str) -> None:
        self._writer.add(PatchChat(chat_id, {"deleted_at": None}))

    def chats(self) -> list[ChatRecord]:
        chats = [
            c
            for c in all_chats(self._readers, self._writer)
            if c.deleted_at and not erase.is_empty_chat(c)
        ]
        return sorted(chats, key=lambda chat: chat.deleted_at or 0.0, reverse=True)

    def erase(self, ids: Sequence[str]) -> None:
        """Permanently erase chats, including their text in index, journal, backups and old files.

        Erasure runs in the background, and continues at the next start if necessary.
        """
        if ids:
            self.erased.update(ids)
            self._writer.add(erase.Erase(tuple(ids)))
            self._writer.run_when_idle(self.scrub)

    def chats_to_erase(self) -> list[str]:
        chats = all_chats(self._readers, self._writer)
        return erase.chats_to_erase(chats, self._clock(), self._opened_at)

    def erase_messages(self) -> None:
        """Erase messages deleted in earlier runs. Only deletions in this run can be undone."""
        with self._readers.reading() as db:
            query = "SELECT 1 FROM messages WHERE deleted_at < ? LIMIT 1"
            row = db.execute(query, (self._opened_at,)).fetchone()
        if row is not None:
            self._writer.add(erase.EraseMessages(self._opened_at))
            self._writer.run_when_idle(self.scrub)

    def scrub(self, db: sqlite3.Connection) -> bool:
        """Erase all traces of deleted text. The IDs stay listed until that is done."""
        ids = erase.ids_to_erase(db)
        if not ids:
            return False
        if not self._scrubbed.issuperset(ids):
            erase.scrub(db)
            self._scrubbed = set(ids)
        if not erase.empty_journal(db):
            return True  # retry soon

        def on_scrubbed(remaining: list[Path]) -> None:
            self.unscrubbed = remaining
            with suppress(StoreError):
                self._writer.add(erase.ForgetErased(tuple(ids)))

        self._backups.erase(ids, on_scrubbed)
        return False
