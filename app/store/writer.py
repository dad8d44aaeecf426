"""The one thread that writes: it groups what is queued into transactions and keeps what fails."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.store.errors import StoreError, invalid, translate
from app.store.operations import Operation
from app.store.queue import Queue

log = logging.getLogger(__name__)

_GROUP_S = (
    0.25  # drafts and streaming text wait this long for company: at most four fsyncs a second
)
_RETRY_S = (1.0, 2.0, 5.0, 10.0)
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


class Writer:
    """Owns the writing connection; `add` never waits for the disk.

    After a failed commit nothing is dropped: the operations stay queued, are shown to readers, and
    are tried again after 1, 2, 5, 10, 10… seconds and at every flush.

    Attributes:
        on_error: called on the writer thread, once when writing begins to fail with a given code
            and once per refused operation.
        on_saved: called on the writer thread when all that had failed is in the file.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self.on_error: Callable[[StoreError], None] | None = None
        self.on_saved: Callable[[], None] | None = None
        self._db = db
        self._path = path
        self._changed = threading.Condition()
        self._waiting = Queue()
        self._in_flight = Queue()
        self._added = 0  # number of the last operation added
        self._attempts = 0  # commits tried
        self._flush_to = 0  # a flush waits for the operations up to this number
        self._hurry = False
        self._held = 0  # callers whose writes are not all there yet
        self._failure: StoreError | None = None
        self._failures = 0
        self._closing = False
        # A daemon, or a program that ends without closing would wait for it for ever; whoever
        # owns the writer closes it at exit (see Store), so nothing is cut off.
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""
        return self._closing

    def add(self, *operations: Operation) -> None:
        """Queues the operations next to each other: they share a transaction."""
        with self._changed:
            if self._closing:
                raise StoreError("closed", "The chats are closed; this change came too late.")
            for operation in operations:
                self._added += 1
                self._waiting.add(self._added, operation)
            self._changed.notify_all()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is added within shares a transaction. A flush or close within cuts it in two."""
        with self._changed:
            self._held += 1
        try:
            yield
        finally:
            with self._changed:
                self._held -= 1
                self._changed.notify_all()

    def pending(self) -> list[Operation]:
        """What is not known to be in the file yet, first to last."""
        with self._changed:
            return [op for queue in (self._in_flight, self._waiting) for _, op in queue.items()]

    def flush(self, timeout: float | None) -> None:
        """Waits until everything added before this call is durable.

        Raises StoreError: with the writer's own code when a try made after this call failed,
        "timeout" when there was no end to it in time. What could not be written stays queued.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            target = self._added
            if self._durable_to() >= target:
                return
            tried = self._attempts + (1 if len(self._in_flight) else 0)
            self._hurry = True
            self._changed.notify_all()
            while self._durable_to() < target:
                if self._failure and self._attempts > tried:
                    raise self._failure
                if not self._thread.is_alive():
                    raise self._failure or StoreError("closed", "The chats are closed.")
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise self._failure or StoreError(
                        "timeout", "Saving the chats takes longer than expected.", self._path
                    )
                self._changed.wait(left)

    def close(self, timeout: float | None) -> None:
        """Writes what is queued, joins the thread, closes the connection (which empties the WAL).

        Raises StoreError when something could not be written; everything is released all the same.
        """
        with self._changed:
            already = self._closing
            self._closing = True
            self._changed.notify_all()
        if not already:
            self._thread.join(timeout)
            if self._thread.is_alive():
                # The thread sits in a system call. Interrupting undoes its transaction cleanly.
                self._db.interrupt()
                self._thread.join()
            self._db.close()
        lost = len(self._in_flight) + len(self._waiting)
        if lost and not already:
            reason = self._failure
            raise StoreError(
                reason.code if reason else "timeout",
                f"{lost} changes could not be saved. "
                + (reason.message if reason else "The disk did not answer in time."),
                self._path,
            )

    def _durable_to(self) -> int:
        """The number up to which everything is in the file."""
        for queue in (self._in_flight, self._waiting):
            for number, _ in queue.items():
                return number - 1
        return self._added

    def _run(self) -> None:
        while True:
            with self._changed:
                self._wait_for_work()
                while self._held and not (self._closing or self._hurry):
                    self._changed.wait()
                if not len(self._waiting):
                    return  # only when closing
                self._hurry = False
                self._in_flight, self._waiting = self._waiting, Queue()
            failure = self._write(self._in_flight)
            with self._changed:
                self._attempts += 1
                if failure:
                    self._waiting = self._in_flight.followed_by(self._waiting)
                    self._failures += 1
                else:
                    self._failures = 0
                self._in_flight = Queue()
                news = failure if failure and not self._same(failure) else None
                mended = self._failure is not None and failure is None
                self._failure = failure
                closing = self._closing
                self._changed.notify_all()
            if news:
                self._report(news)
            if mended:
                self._call(self.on_saved)
            if failure and closing:
                return

    def _wait_for_work(self) -> None:
        """Returns when there is a group to write, or when closing."""
        while not len(self._waiting) and not self._closing:
            self._changed.wait()
        if self._failures:
            patience = _RETRY_S[min(self._failures, len(_RETRY_S)) - 1]
        elif self._waiting.urgent():
            return
        else:
            patience = _GROUP_S
        end = time.monotonic() + patience
        while not (self._closing or self._hurry) and (left := end - time.monotonic()) > 0:
            if not self._failures and self._waiting.urgent():
                return
            self._changed.wait(left)

    def _write(self, queue: Queue) -> StoreError | None:
        operations = [operation for _, operation in queue.items()]
        try:
            self._transact(operations)
        except _REFUSED:
            return self._write_singly(operations)
        except sqlite3.Error as error:
            return translate(error, self._path)
        except Exception as error:
            # A thread that dies would take every later message with it: keep and try again.
            log.exception("writing failed in a way that is not SQLite's")
            return translate(error, self._path)
        return None

    def _write_singly(self, operations: list[Operation]) -> StoreError | None:
        """One of the group contradicts the file: leave out that one, keep the others."""
        refused: list[StoreError] = []
        try:
            self._begin()
            for operation in operations:
                self._db.execute("SAVEPOINT one")
                try:
                    operation.write(self._db)
                except _REFUSED as error:
                    self._db.execute("ROLLBACK TO one")
                    refused.append(invalid(type(operation).__name__, error, self._path))
                self._db.execute("RELEASE one")
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._rollback()
            return translate(error, self._path)
        for refusal in refused:
            self._report(refusal)
        return None

    def _transact(self, operations: list[Operation]) -> None:
        self._begin()
        try:
            for operation in operations:
                operation.write(self._db)
            self._db.execute("COMMIT")
        except BaseException:
            self._rollback()
            raise

    def _begin(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def _rollback(self) -> None:
        # Some errors (a full disk among them) have rolled back by themselves.
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _same(self, failure: StoreError) -> bool:
        return self._failure is not None and self._failure.code == failure.code

    def _report(self, error: StoreError) -> None:
        log.error("%s: %s", error.code, error.message)
        self._call(self.on_error, error)

    def _call(self, callback: Callable[..., None] | None, *what: StoreError) -> None:
        try:
            if callback is not None:
                callback(*what)
        except Exception:
            log.exception("a callback of the store raised")
