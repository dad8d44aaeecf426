"""Searching all chats, in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.store import Chat as ChatRecord
from app.store import SearchHit, Store


class ChatSearch(QObject):
    """Looks for one query at a time: a new one takes the place of the one before.

    Signals:
        found(query, pairs, done): what has been found so far, as (chat, hit) pairs.
    """

    found = Signal(str, list, bool)

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        chat: Callable[[str], ChatRecord | None],
        parent: QObject | None = None,
    ) -> None:
        """``chat`` gives a chat of the list by its id; chats in the trash are not found."""
        super().__init__(parent)
        self._store = store
        self._chat = chat
        self._query = 0
        _, self._post = bridge.channel(self._on_found)

    def find(self, query: str, limit: int = 40) -> None:
        """Look for chats whose title or text has the words; ``found`` tells, one place of each.

        It goes on in the background; only the latest query is answered.
        """
        self._query += 1
        number, post = self._query, self._post

        def told(hits: list[SearchHit], done: bool) -> None:
            post((number, query, limit, hits, done))

        # A chat may be found twice: by its title and by its text.
        self._store.search_later(query, 2 * limit, told)

    def cancel(self) -> None:
        """What is looked for is not wanted any more."""
        self._query += 1
        self._store.cancel_search()

    def _on_found(self, told: tuple[int, str, int, list[SearchHit], bool]) -> None:
        number, query, limit, hits, done = told
        if number != self._query:
            return
        found: dict[str, tuple[ChatRecord, SearchHit]] = {}
        for hit in hits:
            chat = self._chat(hit.chat_id)
            if chat is None:
                continue
            before = found.get(hit.chat_id)
            if before is None:
                found[hit.chat_id] = (chat, hit)
            elif before[1].message_id is None:
                # Its title has the words as well: the message is what there is to go to.
                found[hit.chat_id] = (chat, replace(hit, title_marks=before[1].marks))
        self.found.emit(query, list(found.values())[:limit], done)
