"""Library of chats: the list, the open chats, the trash, and the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.bridge import Bridge
from app.chats.chat import Chat
from app.chats.chat_organizer import ChatOrganizer, is_listed_differently
from app.chats.session import ChatSession
from app.chats.transcript import branch
from app.models.loading import ModelLoader
from app.store import ChatRecord, Message, SearchHit, Store, new_id
from app.tools.host import ToolHost
from app.tools.toolbox import Toolbox


class ChatSearch(QObject):
    """Searches for one query at a time. A new query replaces the previous one."""

    # (query, (chat, hit) pairs found so far, True if done)
    results_found = Signal(str, list, bool)

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        chat: Callable[[str], ChatRecord | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._chat = chat
        self._query = 0
        _, self._post = bridge.channel(self._on_found)

    def find(self, query: str, limit: int = 40) -> None:
        """Search titles and messages in the background and emit ``results_found``.

        A new search cancels the previous one. A chat has at most one hit.
        """
        self._query += 1
        number, post = self._query, self._post

        def report(hits: list[SearchHit], is_complete: bool) -> None:
            post((number, query, limit, hits, is_complete))

        # twice as many, because a chat's title and text may both match
        self._store.searcher.ask(query, 2 * limit, report)

    def cancel(self) -> None:
        self._query += 1
        self._store.searcher.cancel()

    def _on_found(self, result: tuple[int, str, int, list[SearchHit], bool]) -> None:
        number, query, limit, hits, is_complete = result
        if number != self._query:
            return
        results_by_chat: dict[str, tuple[ChatRecord, SearchHit]] = {}
        for hit in hits:
            chat = self._chat(hit.chat_id)
            if chat is None:
                continue
            before = results_by_chat.get(hit.chat_id)
            if before is None:
                results_by_chat[hit.chat_id] = (chat, hit)
            elif before[1].message_id is None:
                # show the message with the marks of the title
                results_by_chat[hit.chat_id] = (chat, replace(hit, title_marks=before[1].marks))
        self.results_found.emit(query, list(results_by_chat.values())[:limit], is_complete)


class ChatLibrary(QObject):
    SWEEP_MS = (60_000, 3_600_000)
    """Delay before the first cleanup of the trash, and interval after that."""

    LONG = 1_000  # messages; reading 10,000 messages took 0.135 s

    list_changed = Signal()
    # (chat ID): activity, unread mark or displayed name changed
    activity = Signal(str)
    chat_deleted = Signal(str)  # (chat ID): left the list, but can be restored
    trash_changed = Signal()
    chat_erased = Signal(str)  # (chat ID): permanently deleted

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        parent: QObject | None = None,
        chats: Iterable[ChatRecord] = (),  # chats of the store, if the caller has just read them
    ) -> None:
        super().__init__(parent)
        self.toolbox = Toolbox(ToolHost(), store.tool_rows)
        self.bridge, self.loader = bridge, loader
        self._store = store
        self._chats: dict[str, ChatRecord] = {c.id: c for c in chats or store.chats()}
        self._in_use: dict[str, Chat] = {}  # chats read each other's messages through this mapping
        self._to_close: set[str] = set()
        # includes open chats
        self.unread: set[str] = set()
        # erased chats whose KV caches the engine has to delete
        self._to_forget: set[str] = set()
        self.order = ChatOrganizer(self, store)
        self.search = ChatSearch(store, bridge, self.chat, self)
        self._sweeping = QTimer(self, interval=self.SWEEP_MS[0])
        self._sweeping.timeout.connect(self.sweep)

    def chats(self) -> list[ChatRecord]:
        return sorted(self._chats.values(), key=attrgetter("updated_at", "id"), reverse=True)

    def chat(self, chat_id: str) -> ChatRecord | None:
        return self._chats.get(chat_id)

    def is_deleted(self, chat_id: str) -> bool:
        return chat_id not in self._chats and self._store.chat(chat_id) is not None

    def replying_chats(self) -> list[Chat]:
        return [c for c in self._in_use.values() if c.reply.is_active]

    def open_chats(self) -> list[Chat]:
        return list(self._in_use.values())

    def sessions(self) -> dict[str, tuple[str, str]]:
        return {s: (c.id, c.title) for c in self._in_use.values() for s in c.reply.session_ids}

    def find(self, chat_id: str) -> Chat | None:
        return self._in_use.get(chat_id)

    def open(self, chat_id: str, model: str) -> Chat:
        """Open a chat. An unknown ID creates a new chat with ``model``."""
        self._to_close.discard(chat_id)
        chat = self._in_use.get(chat_id)
        if chat is None:
            stored = self._chats.get(chat_id)
            record = stored or ChatRecord(id=chat_id, model=model)
            chat = self._adopt(record, stored=stored is not None)
        return chat

    def is_long(self, chat_id: str) -> bool:
        """Return True if reading the chat would block the GUI thread. Then use `open_long`."""
        listed = chat_id in self._chats and chat_id not in self._in_use
        return listed and self._store.has_messages(chat_id, self.LONG)

    async def open_long(self, chat_id: str) -> None:
        store = self._store
        messages = await flows.run_in_thread(lambda _: store.messages(chat_id))
        record = self._chats.get(chat_id)
        if record is not None and chat_id not in self._in_use:  # the list may have changed
            self._to_close.discard(chat_id)
            self._adopt(record, stored=True, messages=messages)

    def new(
        self,
        model: str,
        params: Mapping[str, Any] | None = None,
        system: str = "",
        chat_id: str = "",
    ) -> Chat:
        """Create a chat with these settings. It is stored when the user starts typing."""
        record = ChatRecord(chat_id or new_id(), "", model, system, dict(params or {}))
        return self._adopt(record, stored=False)

    def branch(self, chat: Chat, message_id: str) -> Chat:
        record = branch(self._store, chat.record, chat.transcript, message_id)
        self._chats[record.id] = record
        copy = self.open(record.id, record.model)
        copy.begin_from(chat)
        self.list_changed.emit()
        return copy

    def mark_unread(self, ids: Iterable[object]) -> None:
        """Mark chats with unseen replies from an earlier run. Unknown IDs are ignored."""
        for chat_id in ids:
            if isinstance(chat_id, str) and chat_id in self._chats:
                self.unread.add(chat_id)
                if (chat := self._in_use.get(chat_id)) is not None:
                    chat.reply.mark_unread()
                else:
                    self.activity.emit(chat_id)

    def release(self, chat_id: str) -> None:
        """Close a chat that is no longer displayed, after its reply ends and its files are read."""
        chat = self._in_use.get(chat_id)
        if chat is not None and chat.is_at_work:
            self._to_close.add(chat_id)
        elif chat is not None:
            self._to_close.discard(chat_id)
            del self._in_use[chat_id]
            if chat_id in self._chats:
                self._chats[chat_id] = chat.record  # includes recently typed text
            chat.close()
            chat.deleteLater()

    def delete(self, chat_id: str) -> None:
        """Move a chat to the trash."""
        chat = self._in_use.get(chat_id)
        if chat is not None:
            chat.abandon()
        else:
            ChatSession(self.loader, chat_id).forget()
        if self._chats.pop(chat_id, None) is not None:
            when = self._store.trash.delete(chat_id)
            if chat is not None:  # saving the open chat would restore it
                chat.apply_changes({"deleted_at": when})
        self.chat_deleted.emit(chat_id)
        self.list_changed.emit()
        self.trash_changed.emit()

    def restore(self, chat_id: str) -> None:
        if (stored := self._store.chat(chat_id)) is None:
            return
        self._store.trash.restore(chat_id)
        chat = self._in_use.get(chat_id)
        if chat is not None:
            chat.apply_changes({"deleted_at": None})
        record = chat.record if chat is not None else stored
        self._chats[chat_id] = replace(record, deleted_at=None)
        self.list_changed.emit()
        self.trash_changed.emit()

    def trash(self) -> list[ChatRecord]:
        return self._store.trash.chats()

    def erase(self, ids: Iterable[str]) -> None:
        """Permanently delete chats from the trash, including their caches and their text in
        backups.
        """
        in_trash = [chat_id for chat_id in ids if chat_id not in self._chats]
        for chat_id in in_trash:
            self._to_forget.add(chat_id)
            if (chat := self._in_use.get(chat_id)) is not None:
                chat.abandon()
        self._store.trash.erase(in_trash)
        self._forget_caches()
        for chat_id in in_trash:
            self.toolbox.consents.forget_chat(chat_id)
            self.chat_erased.emit(chat_id)
            self.release(chat_id)
        self.trash_changed.emit()

    def add_imported(self, chats: Iterable[ChatRecord]) -> None:
        self._chats |= {chat.id: chat for chat in chats}
        self.list_changed.emit()

    def remove_imported(self, ids: Iterable[str]) -> None:
        for chat_id in ids:
            self._chats.pop(chat_id, None)
            chat = self._in_use.get(chat_id)
            if chat is not None:
                chat.abandon()
            self.chat_erased.emit(chat_id)
            self.release(chat_id)
        self.list_changed.emit()
        self.trash_changed.emit()

    def unscrubbed_files(self) -> list[str]:
        return [file.name for file in self._store.trash.unscrubbed]

    def start_sweeping(self) -> None:
        self._sweeping.start()

    @Slot()
    def sweep(self) -> None:
        """Erase chats after 30 days in the trash, and messages that were deleted in an earlier
        run.
        """
        if self.loader.engine is None:  # only the engine can delete the chats' caches
            return
        self._sweeping.setInterval(self.SWEEP_MS[1])
        self._forget_caches()
        if due := self._store.trash.chats_to_erase():
            self.erase(due)
        self._store.trash.erase_messages()
        self._store.texts.forget_unused()

    def _forget_caches(self) -> None:
        while self.loader.engine is not None and self._to_forget:
            ChatSession(self.loader, self._to_forget.pop()).forget()

    def rename(self, chat_id: str, title: str) -> None:
        if chat_id in self._in_use:
            self._in_use[chat_id].rename(title)
        elif title := " ".join(title.split()):
            self.change({chat_id: {"title": title, "titled_by": "person"}})

    def change(self, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change fields of listed chats in one transaction."""
        with self._store.transaction():
            for chat_id, fields in changes.items():
                if (record := self._chats.get(chat_id)) is None:
                    continue
                self._chats[chat_id] = replace(record, **fields)
                self._store.update_chat(chat_id, **fields)
                if (chat := self._in_use.get(chat_id)) is not None:
                    chat.apply_changes(fields)
        self.list_changed.emit()

    def notify_listed(self) -> None:
        self.list_changed.emit()

    def cancel_for_close(self) -> None:
        """First step of shutdown: stop all replies. The bridge still delivers their text."""
        for chat in self._in_use.values():
            chat.cancel_for_close()
        self.toolbox.host.begin_shut_down()

    def close(self, timeout_s: float | None = None) -> None:
        """Last step of shutdown: save everything and close all sessions.

        ``timeout_s`` limits the wait for tools (default: that of `Toolbox.shut_down`).
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
        chat.turn_changed.connect(self._on_turn_changed)
        self._in_use[chat.id] = chat
        return chat

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and chat.is_stored and chat.record.deleted_at is None:
            before = self._chats.get(chat.id)
            self._chats[chat.id] = chat.record
            if before is None or is_listed_differently(before, chat.record):
                self.list_changed.emit()
            elif before.display_title != chat.record.display_title:
                self.activity.emit(chat.id)  # on every key press, without changing the order

    @Slot()
    def _on_phase_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat):
            if chat.reply.is_unread:
                self.unread.add(chat.id)
            else:
                self.unread.discard(chat.id)
            self.activity.emit(chat.id)

    @Slot()
    def _on_turn_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and chat.id in self._to_close and not chat.is_at_work:
            QTimer.singleShot(0, self, self._release_ended)

    @Slot()
    def _release_ended(self) -> None:
        for chat_id in list(self._to_close):
            self.release(chat_id)
