"""Library of chats: the saved ones in the sidebar, those in use, and the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.bridge import Bridge
from app.chats.chat import Chat
from app.chats.organising import ChatOrganizer, listed_differently
from app.chats.session import ChatSession
from app.chats.transcript import branch
from app.models.loading import ModelLoader
from app.store import ChatRecord, Message, SearchHit, Store, new_id
from app.tools.host import Toolbox, ToolHost


class ChatSearch(QObject):
    """Search of one query at a time: a new query replaces the one before."""

    # (query, pairs, done): the (chat, hit) pairs found so far
    found = Signal(str, list, bool)

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        chat: Callable[[str], ChatRecord | None],
        parent: QObject | None = None,
    ) -> None:
        """``chat`` returns a listed chat by its id. Chats in the trash are not found."""
        super().__init__(parent)
        self._store = store
        self._chat = chat
        self._query = 0
        _, self._post = bridge.channel(self._on_found)

    def find(self, query: str, limit: int = 40) -> None:
        """Search titles and texts in the background. ``found`` reports one hit per chat.

        Only the latest query is answered.
        """
        self._query += 1
        number, post = self._query, self._post

        def report(hits: list[SearchHit], done: bool) -> None:
            post((number, query, limit, hits, done))

        # A chat may have two hits: in its title and in its text.
        self._store.search_later(query, 2 * limit, report)

    def cancel(self) -> None:
        self._query += 1
        self._store.cancel_search()

    def _on_found(self, result: tuple[int, str, int, list[SearchHit], bool]) -> None:
        number, query, limit, hits, done = result
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
                # Both its title and a message match: the hit is the message.
                found[hit.chat_id] = (chat, replace(hit, title_marks=before[1].marks))
        self.found.emit(query, list(found.values())[:limit], done)


class ChatLibrary(QObject):
    """Collection of all chats."""

    SWEEP_MS = (60_000, 3_600_000)
    """Delay before the first cleanup of the trash, and between later ones."""

    LONG = 1_000  # messages; reading 10,000 took 0.135 s

    listed = Signal()  # chats were added, removed, renamed or reordered
    # (id): the chat's activity changed, its answer was seen, or its draft changed its displayed
    # name
    activity = Signal(str)
    deleted = Signal(str)  # (id): the chat was removed from the list, and can be restored
    trash_changed = Signal()  # the contents of the trash have changed
    erased = Signal(str)  # (id): the chat is permanently deleted, and must not be shown any more

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        parent: QObject | None = None,
        chats: Iterable[ChatRecord] = (),  # the store's, if they have just been read
    ) -> None:
        super().__init__(parent)
        self.toolbox = Toolbox(ToolHost(), store.tool_rows)  # the tools that models may call
        # bridge, loader: for all chats
        self.bridge, self.loader = bridge, loader
        self._store = store
        self._chats: dict[str, ChatRecord] = {c.id: c for c in chats or store.chats()}
        self._in_use: dict[str, Chat] = {}
        self._leaving: set[str] = set()
        # ids of chats with a reply that the user has not seen, in use or not
        self.unread: set[str] = set()
        self._to_forget: set[str] = set()  # erased chats whose caches the engine still has
        self.order = ChatOrganizer(self, store)  # folders, tags, pins, archive
        self.search = ChatSearch(store, bridge, self.chat, self)  # search in all chats
        self._sweeping = QTimer(self, interval=self.SWEEP_MS[0])
        self._sweeping.timeout.connect(self.sweep)

    def chats(self) -> list[ChatRecord]:
        """Return saved chats, the most recently used first."""
        return sorted(self._chats.values(), key=attrgetter("updated_at", "id"), reverse=True)

    def chat(self, chat_id: str) -> ChatRecord | None:
        return self._chats.get(chat_id)

    def deleted_since(self, chat_id: str) -> bool:
        """Return True if the chat was saved once and removed from the list."""
        return chat_id not in self._chats and self._store.chat(chat_id) is not None

    def running(self) -> list[Chat]:
        """Return the chats that are replying now."""
        return [c for c in self._in_use.values() if c.reply.is_active]

    def in_use(self) -> list[Chat]:
        """Return the chats that are shown or replying."""
        return list(self._in_use.values())

    def sessions(self) -> dict[str, tuple[str, str]]:
        """Return chat id and title by session id, for the engine's sessions of chats."""
        return {s: (c.id, c.title) for c in self._in_use.values() for s in c.reply.session_ids}

    def find(self, chat_id: str) -> Chat | None:
        """Return the chat if it is in use, else None."""
        return self._in_use.get(chat_id)

    def open(self, chat_id: str, model: str) -> Chat:
        """Return a chat for use. An id that is not stored becomes a new chat with ``model``."""
        self._leaving.discard(chat_id)
        chat = self._in_use.get(chat_id)
        if chat is None:
            stored = self._chats.get(chat_id)
            record = stored or ChatRecord(id=chat_id, model=model)
            chat = self._adopt(record, stored=stored is not None)
        return chat

    def is_long(self, chat_id: str) -> bool:
        """Return True if reading the chat would block the GUI thread: see `open_long`."""
        listed = chat_id in self._chats and chat_id not in self._in_use
        return listed and self._store.has_messages(chat_id, self.LONG)

    async def open_long(self, chat_id: str) -> None:
        """Load a stored chat for use, reading its messages in a worker."""
        store = self._store
        messages = await flows.aside(lambda _: store.messages(chat_id))
        record = self._chats.get(chat_id)
        if record is not None and chat_id not in self._in_use:  # the list may have changed
            self._leaving.discard(chat_id)
            self._adopt(record, stored=True, messages=messages)

    def new(
        self,
        model: str,
        params: Mapping[str, Any] | None = None,
        system: str = "",
        chat_id: str = "",
    ) -> Chat:
        """Return a new chat with these settings. It is stored when the user first types."""
        record = ChatRecord(chat_id or new_id(), "", model, system, dict(params or {}))
        return self._adopt(record, stored=False)

    def branch(self, chat: Chat, message_id: str) -> Chat:
        """Return a new chat with a copy of the path to a message."""
        record = branch(self._store, chat.record, chat.transcript, message_id)
        self._chats[record.id] = record
        made = self.open(record.id, record.model)
        made.begin_from(chat)
        self.listed.emit()
        return made

    def mark_unread(self, ids: Iterable[object]) -> None:
        """Mark chats whose replies ended before the program did, and which the user has not seen.

        Unknown ids are ignored.
        """
        for chat_id in ids:
            if isinstance(chat_id, str) and chat_id in self._chats:
                self.unread.add(chat_id)
                if (chat := self._in_use.get(chat_id)) is not None:
                    chat.reply.mark_unread()
                else:
                    self.activity.emit(chat_id)

    def release(self, chat_id: str) -> None:
        """Release a chat that is not shown any more, after its reply has ended."""
        chat = self._in_use.get(chat_id)
        if chat is not None and chat.turn.is_at_work:
            self._leaving.add(chat_id)
        elif chat is not None:
            self._leaving.discard(chat_id)
            del self._in_use[chat_id]
            if chat_id in self._chats:
                self._chats[chat_id] = chat.record  # with text typed since the list changed
            chat.close()
            chat.deleteLater()

    def delete(self, chat_id: str) -> None:
        """Move a chat to the trash. ``restore`` undoes it."""
        chat = self._in_use.get(chat_id)
        if chat is not None:
            chat.give_up()
        else:
            ChatSession(self.loader, chat_id).forget()
        if self._chats.pop(chat_id, None) is not None:
            when = self._store.trash.delete(chat_id)
            if chat is not None:  # else saving it again would restore it
                chat.take_fields({"deleted_at": when})
        self.deleted.emit(chat_id)
        self.listed.emit()
        self.trash_changed.emit()

    def restore(self, chat_id: str) -> None:
        """Restore a deleted chat, unless it was erased."""
        if (stored := self._store.chat(chat_id)) is None:
            return
        self._store.trash.restore(chat_id)
        chat = self._in_use.get(chat_id)
        if chat is not None:
            chat.take_fields({"deleted_at": None})
        record = chat.record if chat is not None else stored
        self._chats[chat_id] = replace(record, deleted_at=None)
        self.listed.emit()
        self.trash_changed.emit()

    def trash(self) -> list[ChatRecord]:
        """Return deleted chats, the most recently deleted first."""
        return self._store.trash.chats()

    def erase(self, ids: Iterable[str]) -> None:
        """Permanently delete chats of the trash: texts, caches, and their contents in backups."""
        gone = [chat_id for chat_id in ids if chat_id not in self._chats]
        for chat_id in gone:
            self._to_forget.add(chat_id)
            if (chat := self._in_use.get(chat_id)) is not None:
                chat.give_up()
        self._store.trash.erase(gone)
        self._forget_caches()
        for chat_id in gone:
            self.toolbox.consents.forget_chat(chat_id)
            self.erased.emit(chat_id)
            self.release(chat_id)
        self.trash_changed.emit()

    def take_in(self, chats: Iterable[ChatRecord]) -> None:
        """List chats that an import has stored."""
        self._chats |= {chat.id: chat for chat in chats}
        self.listed.emit()

    def take_out(self, ids: Iterable[str]) -> None:
        """Remove chats whose import was undone."""
        for chat_id in ids:
            self._chats.pop(chat_id, None)
            chat = self._in_use.get(chat_id)
            if chat is not None:
                chat.give_up()
            self.erased.emit(chat_id)
            self.release(chat_id)
        self.listed.emit()
        self.trash_changed.emit()

    def unscrubbed(self) -> list[str]:
        """Return the names of damaged files set aside that may still contain erased chats."""
        return [file.name for file in self._store.trash.unscrubbed]

    def keep_trash(self) -> None:
        """Start the periodic cleanup of the trash."""
        self._sweeping.start()

    @Slot()
    def sweep(self) -> None:
        """Erase chats after thirty days in the trash, and messages deleted in an earlier run."""
        if self.loader.engine is None:  # its caches could not be deleted
            return
        self._sweeping.setInterval(self.SWEEP_MS[1])
        self._forget_caches()
        if due := self._store.trash.due():
            self.erase(due)
        self._store.trash.erase_messages()
        self._store.texts.forget_unused()

    def _forget_caches(self) -> None:
        while self.loader.engine is not None and self._to_forget:
            ChatSession(self.loader, self._to_forget.pop()).forget()

    def rename(self, chat_id: str, title: str) -> None:
        """Rename a chat, in use or not."""
        if chat_id in self._in_use:
            self._in_use[chat_id].rename(title)
        elif title := " ".join(title.split()):
            self.change({chat_id: {"title": title, "titled_by": "person"}})

    def change(self, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change fields of listed chats, in use or not, in one transaction."""
        with self._store.together():
            for chat_id, fields in changes.items():
                if (known := self._chats.get(chat_id)) is None:
                    continue
                self._chats[chat_id] = replace(known, **fields)
                self._store.update_chat(chat_id, **fields)
                if (chat := self._in_use.get(chat_id)) is not None:
                    chat.take_fields(fields)
        self.listed.emit()

    def tell(self) -> None:
        """Announce that folders have changed."""
        self.listed.emit()

    def cancel_for_close(self) -> None:
        """First step of shutting down: stop all replies. The bridge still delivers their text."""
        for chat in self._in_use.values():
            chat.cancel_for_close()
        self.toolbox.begin_shut_down()

    def close(self, timeout_s: float | None = None) -> None:
        """Last step of shutting down: save everything and close all sessions.

        Args:
            timeout_s: time limit for tools to end. By default that of `Toolbox.shut_down`.
        """
        self._sweeping.stop()
        self.search.cancel()
        for chat in self._in_use.values():
            chat.close()
        self.toolbox.shut_down(timeout_s)

    def _adopt(
        self, record: ChatRecord, *, stored: bool, messages: Sequence[Message] | None = None
    ) -> Chat:
        parts = (self._store, self.bridge, self.loader, self.toolbox)
        chat = Chat(
            record, *parts, stored=stored, in_use=self._in_use, parent=self, messages=messages
        )
        if chat.id in self.unread:
            chat.reply.mark_unread()
        chat.chat_changed.connect(self._on_chat_changed)
        chat.phase_changed.connect(self._on_phase_changed)
        self._in_use[chat.id] = chat
        return chat

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and chat.stored and chat.record.deleted_at is None:
            before = self._chats.get(chat.id)
            self._chats[chat.id] = chat.record
            if before is None or listed_differently(before, chat.record):
                self.listed.emit()
            elif before.shown_title != chat.record.shown_title:
                self.activity.emit(chat.id)  # at every key press, and the order stays the same

    @Slot()
    def _on_phase_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat):
            (self.unread.add if chat.reply.answering.unseen else self.unread.discard)(chat.id)
            self.activity.emit(chat.id)
            if chat.id in self._leaving and not chat.turn.is_at_work:
                QTimer.singleShot(0, self, self._release_ended)

    @Slot()
    def _release_ended(self) -> None:
        for chat_id in list(self._leaving):
            self.release(chat_id)
