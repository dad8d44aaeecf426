"""Writer thread that groups queued writes into transactions and retries failed writes."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field

from app.settings.language import counted, tr
from app.store.errors import UNREADABLE, StoreError, invalid_write_error, to_store_error
from app.store.file_index import index_some
from app.store.operations import TYPED, MarkMessages, Operation, PatchChat, SaveChat, SaveMessage

log = logging.getLogger(__name__)


class OperationQueue:
    """Ordered queue of numbered operations. Not thread-safe, so the writer locks it.

    Applying the operations in order always has the same result as applying all that were added.
    """

    def __init__(self) -> None:
        self._operations: dict[int, Operation] = {}
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._operations)

    def add(self, number: int, operation: Operation) -> None:
        """Append an operation, or put it in the place of the queued operation that it replaces.

        The place is kept, because a message may be the parent of later messages.
        """
        key = operation.replaces_key
        if key is None:
            # The operation may contain typed text, too, so later typing must be written after it.
            for columns, kind in TYPED.items():
                if isinstance(operation, SaveChat):
                    self._numbers.pop(f"{kind} {operation.chat.id}", None)
                elif isinstance(operation, PatchChat) and not operation.changes.keys().isdisjoint(
                    columns
                ):
                    self._numbers.pop(f"{kind} {operation.chat_id}", None)
            self._operations[number] = operation
            return
        position = self._numbers.setdefault(key, number)
        self._operations[position] = operation

    def items(self) -> Iterable[tuple[int, Operation]]:
        return self._operations.items()

    def is_urgent(self) -> bool:
        return any(operation.is_urgent for operation in self._operations.values())

    def join(self, later: OperationQueue) -> OperationQueue:
        merged = OperationQueue()
        for queue in (self, later):
            for number, operation in queue.items():
                merged.add(number, operation)
        return merged


# Errors caused by the write itself and not the disk. Retrying would block all other writes forever.
_REFUSED = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    ValueError,
    TypeError,
    OverflowError,
    LookupError,
    AttributeError,
    RecursionError,
)
_MAX_UNEXPECTED = 3  # consecutive errors that were raised by neither SQLite nor the disk


class Transactions(Struct):
    """Writes groups of operations on the writer's thread."""

    db: sqlite3.Connection
    path: Path
    before: Callable[[], None]
    on_refused: Callable[[StoreError], None]
    # called if there's more to index than fits in a transaction
    on_unindexed: Callable[[], None]
    unexpected: int = 0

    def write(self, operations: list[Operation]) -> StoreError | None:
        """Write all operations except those that can never succeed.

        Returns the error if nothing could be written. Never raises, because the thread must
        survive.
        """
        try:
            try:
                self._transact(operations)
            except Exception as error:
                if not self._is_refusal(error):
                    raise
                self._write_singly(operations)
            self.unexpected = 0
        except sqlite3.Error as error:
            return to_store_error(error, self.path)
        except BaseException as error:
            log.exception("unexpected error while writing")
            self.unexpected += 1
            return to_store_error(error, self.path)
        return None

    def _is_refusal(self, error: Exception) -> bool:
        """Return True if an error is permanent, so that retrying the operation is pointless."""
        if isinstance(error, (sqlite3.Error, OSError, MemoryError)):
            return isinstance(error, _REFUSED)
        return isinstance(error, _REFUSED) or self.unexpected >= _MAX_UNEXPECTED - 1

    def _write_singly(self, operations: list[Operation]) -> None:
        """Write the operations one by one, except those that can never succeed."""
        errors: list[StoreError] = []
        self._begin()
        try:
            for operation in operations:
                self.db.execute("SAVEPOINT one")
                try:
                    operation.write(self.db)
                except Exception as error:
                    if not self._is_refusal(error):
                        raise
                    self.db.execute("ROLLBACK TO one")
                    errors.append(invalid_write_error(type(operation).__name__, error, self.path))
                self.db.execute("RELEASE one")
            self.db.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise
        for refusal in errors:
            self.on_refused(refusal)

    def _transact(self, operations: list[Operation]) -> None:
        self._begin()
        try:
            for operation in operations:
                operation.write(self.db)
            if any(isinstance(entry, SaveMessage | MarkMessages) for entry in operations):
                self._index()
            self.db.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise

    def _index(self) -> None:
        """Index new messages for search. Errors are logged, because the text itself is saved."""
        self.db.execute("SAVEPOINT indexed")
        try:
            has_more = index_some(self.db)
        except (sqlite3.Error, *UNREADABLE) as error:
            log.warning("search index not updated: %s", type(error).__name__)
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO indexed")
        else:
            if has_more:
                self.on_unindexed()
        if self.db.in_transaction:
            self.db.execute("RELEASE indexed")

    def _begin(self) -> None:
        self.rollback()  # in case the last transaction failed
        self.before()
        self.db.execute("BEGIN IMMEDIATE")

    def rollback(self) -> None:
        # Some errors, e.g. a full disk, already cause a rollback.
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")


_GROUP_S = 0.25
"""Time for which drafts and streaming text are batched, to limit them to four fsyncs a second."""
_RETRY_S = (1.0, 2.0, 5.0, 10.0)
_REST_S = 0.02  # pause between steps of a chore

Chore = Callable[[sqlite3.Connection], bool]
"""Job for idle times, outside of a transaction. Returns True if there's more to do."""


def index_chore(db: sqlite3.Connection) -> bool:
    db.execute("BEGIN IMMEDIATE")
    has_more = index_some(db)
    db.execute("COMMIT")
    return has_more


class _Group(Struct):
    depth: int = 0  # nesting level of the thread's `transaction` calls
    operations: list[Operation] = field(default_factory=list)
    flushed: int = 0  # operations already queued by a flush

    def discard_since(self, start: int) -> None:
        """Drop all operations from ``start`` on that aren't queued."""
        del self.operations[max(0, start - self.flushed) :]


class StoreWriter:
    """Owner of the writing connection. `add` never waits for the disk.

    If a commit fails, its operations stay queued and visible to readers. They're retried after 1,
    2, 5, 10, 10… seconds and on every flush.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        before_write: Callable[[], None] = lambda: None,
        chores: Sequence[Chore] = (),
    ) -> None:
        """Start the thread, which calls ``before_write`` before each transaction."""
        # Called on the writer thread, once per error code when writing starts to fail, and for
        # every refused operation.
        self.on_error: Callable[[StoreError], None] | None = None
        # Called on the writer thread once all failed writes have succeeded.
        self.on_saved: Callable[[], None] | None = None
        self._chores = list(chores)
        self._is_doing_chore = False
        self._transactions = Transactions(
            db, path, before_write, self._report, lambda: self.run_when_idle(index_chore)
        )
        self._db = db
        self._path = path
        self._changed = threading.Condition()
        self._pending = OperationQueue()
        self._in_flight = OperationQueue()
        self._added = 0  # number of the last operation added
        self._attempts = 0  # number of attempted commits
        self._hurry = False
        self._groups: dict[int, _Group] = {}  # incomplete groups by thread ID
        self._failure: StoreError | None = None
        self._failures = 0
        self._closing = False
        # A daemon, because a program that exits without closing would otherwise hang. Nothing is
        # lost, because the owner closes the writer at exit (see Store).
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        return self._closing

    def add(self, *operations: Operation) -> None:
        """Queue operations for one transaction."""
        with self._changed:
            if self._closing:
                words = tr("This change came after the chats were closed and isn’t saved.")
                raise StoreError("closed", words)
            group = self._groups.get(threading.get_ident())
            if group is not None:
                group.operations.extend(operations)
            else:
                self._queue(operations)

    def _queue(self, operations: Sequence[Operation]) -> None:
        for operation in operations:
            self._added += 1
            self._pending.add(self._added, operation)
        self._changed.notify_all()

    def _queue_held(self, group: _Group | None) -> None:
        if group is not None:
            operations, group.operations = group.operations, []
            group.flushed += len(operations)
            self._queue(operations)

    def run_when_idle(self, chore: Chore) -> None:
        """Run a chore on the writer thread, after the queued writes."""
        with self._changed:
            if chore not in self._chores:
                self._chores.append(chore)
            self._changed.notify_all()

    @property
    def is_idle(self) -> bool:
        with self._changed:
            pending = len(self._pending) + len(self._in_flight) + len(self._chores)
            return not (pending or self._is_doing_chore or self._groups)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all operations that this thread adds in the block in one transaction.

        The operations are held back, so that other threads can't commit only some of them by
        writing, searching or flushing. A flush on this thread splits the group. After an exception,
        nothing is written.
        """
        thread = threading.get_ident()
        with self._changed:
            group = self._groups.setdefault(thread, _Group())
            group.depth += 1
            start = group.flushed + len(group.operations)
        try:
            yield
        except BaseException:
            with self._changed:
                group.discard_since(start)
            raise
        finally:
            with self._changed:
                group.depth -= 1
                if not group.depth:
                    del self._groups[thread]
                    self._queue_held(group)

    def pending_operations(self) -> list[Operation]:
        with self._changed:
            queued = [op for queue in (self._in_flight, self._pending) for _, op in queue.items()]
            return queued + [op for group in self._groups.values() for op in group.operations]

    def flush(self, timeout: float | None) -> None:
        """Wait until all operations are durable, except those that other threads hold back.

        Raises StoreError with the writer's code if an attempt fails during the call, or with
        "timeout". Operations that couldn't be written stay in the queue.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            self._queue_held(self._groups.get(threading.get_ident()))
            target = self._added
            if self._durable_number() >= target:
                return
            tried = self._attempts + (1 if len(self._in_flight) else 0)
            self._hurry = True
            self._changed.notify_all()
            while self._durable_number() < target:
                if self._failure and self._attempts > tried:
                    raise self._failure
                if not self._thread.is_alive():
                    raise self._failure or StoreError("closed", tr("The chats are closed."))
                seconds = None if deadline is None else deadline - time.monotonic()
                if seconds is not None and seconds <= 0:
                    words = tr("Saving is taking longer than expected.")
                    raise self._failure or StoreError("timeout", words, self._path)
                self._changed.wait(seconds)

    def close(self, timeout: float | None) -> None:
        """Write the queue, join the thread, and close the connection, which merges the WAL.

        Waits for groups of other threads, because half of a group would be worse than an error.
        Raises StoreError if a write couldn't be saved, after releasing everything.
        """
        with self._changed:
            already = self._closing
            own_group = self._groups.get(threading.get_ident())
            self._queue_held(own_group)
            if not already:
                self._changed.wait_for(
                    lambda: self._groups.keys() <= {threading.get_ident()}, timeout
                )
            self._closing = True
            self._changed.notify_all()
            if self._is_doing_chore:
                self._db.interrupt()  # chores continue at the next start
        if not already:
            self._thread.join(timeout)
            if self._thread.is_alive():
                # The thread is stuck in a system call. Interrupting it rolls back the transaction.
                self._db.interrupt()
                self._thread.join(timeout)
            if not self._thread.is_alive():  # otherwise, the disk isn't responding
                self._db.close()
        grouped = sum(len(group.operations) for group in self._groups.values())
        lost_changes = len(self._in_flight) + len(self._pending) + grouped
        if lost_changes and not already:
            failure = self._failure
            code = failure.code if failure else "timeout"
            reason = failure.message if failure else tr("The disk didn’t respond in time.")
            raise StoreError(
                code,
                counted(
                    "%n change couldn’t be saved. {why}",
                    "%n changes couldn’t be saved. {why}",
                    lost_changes,
                    why=reason,
                ),
                self._path,
            )

    def _durable_number(self) -> int:
        for queue in (self._in_flight, self._pending):
            for number, _ in queue.items():
                return number - 1
        return self._added

    def _run(self) -> None:
        while True:
            with self._changed:
                self._wait_for_work()
                chore = not len(self._pending)
                if chore and self._closing:
                    return
            if chore:
                self._do_chore()
                continue
            with self._changed:
                self._hurry = False
                self._in_flight, self._pending = self._pending, OperationQueue()
            failure = self._transactions.write([op for _, op in self._in_flight.items()])
            with self._changed:
                self._attempts += 1
                if failure:
                    self._pending = self._in_flight.join(self._pending)
                    self._failures += 1
                else:
                    self._failures = 0
                self._in_flight = OperationQueue()
                last_code = self._failure.code if self._failure else ""
                news = failure if failure and failure.code != last_code else None
                recovered = self._failure is not None and failure is None
                self._failure = failure
                closing = self._closing
                self._changed.notify_all()
            if news:
                self._report(news)
            if recovered:
                self._call(self.on_saved)
            if failure and closing:
                return

    def _wait_for_work(self) -> None:
        """Wait until queued operations are due, there is time for a chore, or the writer closes."""
        while not len(self._pending) and not self._closing:
            if not self._changed.wait(_REST_S if self._chores else None) and self._chores:
                return
        if self._closing and not len(self._pending):
            return
        if self._failures:
            pause_s = _RETRY_S[min(self._failures, len(_RETRY_S)) - 1]
        elif self._pending.is_urgent():
            return
        else:
            pause_s = _GROUP_S
        end = time.monotonic() + pause_s
        while not (self._closing or self._hurry) and (seconds := end - time.monotonic()) > 0:
            if not self._failures and self._pending.is_urgent():
                return
            self._changed.wait(seconds)

    def _do_chore(self) -> None:
        with self._changed:
            if not self._chores:
                return
            # Remove the chore first, so that it can be requested again while it runs.
            chore = self._chores.pop(0)
            self._is_doing_chore = True
        try:
            has_more = chore(self._db)
        except (sqlite3.Error, OSError, *UNREADABLE) as error:
            if not self._closing:  # unless it was interrupted by `close`
                log.warning("chore was not finished: %s", to_store_error(error, self._path).code)
            has_more = False
        except BaseException:  # keep the thread alive for later messages
            log.exception("chore failed")
            has_more = False
        if not has_more:
            with suppress(sqlite3.Error):  # retried before the next transaction
                self._transactions.rollback()
        with self._changed:
            self._is_doing_chore = False
            if has_more and chore not in self._chores:
                self._chores.append(chore)  # append it, so that every chore gets its turn
            self._changed.notify_all()

    def _report(self, error: StoreError) -> None:
        log.error("%s: %s", error.code, error.message)
        self._call(self.on_error, error)

    def _call(self, callback: Callable[..., None] | None, *error: StoreError) -> None:
        try:
            if callback is not None:
                callback(*error)
        except Exception:
            log.exception("callback of the store failed")
