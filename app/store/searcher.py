"""Searches on a thread of their own: a newer one ends the one before it."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from app.store.database import note_damage, open_reader
from app.store.errors import UNREADABLE, StoreError, translate
from app.store.records import SearchHit
from app.store.search import find

log = logging.getLogger(__name__)

Told = Callable[[list[SearchHit], bool], object]
"""Hears the hits so far, and whether these are all; on the searching thread."""


class Searcher:
    """Has one connection that reads; only the latest query counts.

    Args:
        prepare: called before each search, so that what was just written is found.
    """

    def __init__(self, path: Path, prepare: Callable[[], None]) -> None:
        self._path = path
        self._prepare = prepare
        self._changed = threading.Condition()
        self._wanted: tuple[str, int, Told] | None = None
        self._running: sqlite3.Connection | None = None
        self._number = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def ask(self, query: str, limit: int, told: Told) -> None:
        """Search; what is asked for already and not told yet is dropped."""
        with self._changed:
            if self._closing:
                return
            self._number += 1
            self._wanted = (query, limit, told)
            self._stop_running()
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="store-search", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Nothing is wanted any more."""
        with self._changed:
            self._number += 1
            self._wanted = None
            self._stop_running()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._wanted = None
            self._stop_running()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _stop_running(self) -> None:
        if self._running is not None:
            self._running.interrupt()

    def _run(self) -> None:
        db: sqlite3.Connection | None = None
        while True:
            with self._changed:
                while self._wanted is None and not self._closing:
                    self._changed.wait()
                if self._closing or self._wanted is None:
                    break
                (query, limit, told), number = self._wanted, self._number
                self._wanted = None
            try:
                self._prepare()
                db = db or open_reader(self._path)
                self._search(db, query, limit, told, number)
            except StoreError as error:
                log.warning("A search could not be made: %s", error.code)
                self._tell(told, [], True, number)
        if db is not None:
            db.close()

    def _search(
        self, db: sqlite3.Connection, query: str, limit: int, told: Told, number: int
    ) -> None:
        with self._changed:
            if number != self._number:
                return
            self._running = db
        hits: list[SearchHit] = []
        try:
            hits = find(db, query, limit, lambda found: self._tell(told, found, False, number))
        except (sqlite3.Error, *UNREADABLE) as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                return
            failure = translate(error, self._path)
            log.warning("A search was not finished: %s", failure.code)
            if failure.code == "corrupt":
                note_damage(self._path)
        finally:
            with self._changed:
                self._running = None
        self._tell(told, hits, True, number)

    def _tell(self, told: Told, hits: list[SearchHit], done: bool, number: int) -> None:
        with self._changed:
            if number != self._number or self._closing:
                return
        told(hits, done)
