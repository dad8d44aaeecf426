"""One group of writes in one transaction; what cannot be stored is left out of it."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.store.errors import UNREADABLE, StoreError, invalid, translate
from app.store.file_index import index_some
from app.store.operations import MarkMessages, Operation, SaveMessage

log = logging.getLogger(__name__)

# The fault of the one write, not of the disk: trying again would hold up the others for ever.
_REFUSED = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    ValueError,
    TypeError,
    OverflowError,
)


@dataclass
class Transactions:
    """Writes groups of operations over one connection.

    Attributes:
        before: called before each.
        on_refused: told of a write that was left out.
        on_unindexed: called when more is to be indexed than goes into one transaction.
    """

    db: sqlite3.Connection
    path: Path
    before: Callable[[], None]
    on_refused: Callable[[StoreError], None]
    on_unindexed: Callable[[], None]

    def write(self, operations: list[Operation]) -> StoreError | None:
        """Everything, or (where one operation is refused) everything else; the failure, if any."""
        try:
            self._transact(operations)
        except _REFUSED:
            return self._write_singly(operations)
        except sqlite3.Error as error:
            return translate(error, self.path)
        except Exception as error:
            # A thread that dies would take every later message with it: keep and try again.
            log.exception("writing failed in a way that is not SQLite's")
            return translate(error, self.path)
        return None

    def _write_singly(self, operations: list[Operation]) -> StoreError | None:
        """One of the group contradicts the file: leave out that one, keep the others."""
        refused: list[StoreError] = []
        try:
            self._begin()
            for operation in operations:
                self.db.execute("SAVEPOINT one")
                try:
                    operation.write(self.db)
                except _REFUSED as error:
                    self.db.execute("ROLLBACK TO one")
                    refused.append(invalid(type(operation).__name__, error, self.path))
                self.db.execute("RELEASE one")
            self.db.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollback()
            return translate(error, self.path)
        for refusal in refused:
            self.on_refused(refusal)
        return None

    def _transact(self, operations: list[Operation]) -> None:
        self._begin()
        try:
            for operation in operations:
                operation.write(self.db)
            if any(isinstance(each, SaveMessage | MarkMessages) for each in operations):
                self._index()
            self.db.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise

    def _index(self) -> None:
        """Let a search find what was just said. What fails is left out: the text is kept."""
        self.db.execute("SAVEPOINT indexed")
        try:
            more = index_some(self.db)
        except (sqlite3.Error, *UNREADABLE) as error:
            log.warning("The search index was not brought up to date: %s", type(error).__name__)
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO indexed")
        else:
            if more:
                self.on_unindexed()
        if self.db.in_transaction:
            self.db.execute("RELEASE indexed")

    def _begin(self) -> None:
        self.before()
        self.db.execute("BEGIN IMMEDIATE")

    def rollback(self) -> None:
        # Some errors (a full disk among them) have rolled back by themselves.
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
