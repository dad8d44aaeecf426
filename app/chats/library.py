"""All chats: the saved ones that the sidebar lists, those in use, and what a search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.bridge import Bridge
from app.chats.chat import Chat
from app.chats.organising import Organising, listed_differently
from app.chats.session import ChatSession
from app.chats.transcript import branch
from app.models.loading import ModelLoader
from app.store import ChatRecord, Message, SearchHit, Store, new_id
from app.tools.host import Toolbox, ToolHost


class ChatSearch(QObject):
    """Looks for one query at a time: a new one takes the place of the one before."""

    # (query, pairs, done): what has been found so far, as (chat, hit) pairs
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


class ChatLibrary(QObject):
    """Finds, makes, deletes and restores chats."""

    SWEEP_MS = (60_000, 3_600_000)
    """The first look for what is overdue in the trash, and the later ones."""

    LONG = 1_000  # messages: reading 10,000 took 0.135 s

    listed = Signal()  # chats were added, removed, renamed or moved in time
    # (id): a chat began, went on or ended answering, or its answer was seen; or it is called by
    # another draft
    activity = Signal(str)
    deleted = Signal(str)  # (id): the chat is gone from the list (and can be restored)
    trash_changed = Signal()  # something came into the trash, or left it
    erased = Signal(str)  # (id): the chat is gone for good; nothing may show it any more

    def __init__(
        self,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        parent: QObject | None = None,
        chats: Iterable[ChatRecord] = (),  # the store's, if somebody has just read them
    ) -> None:
        super().__init__(parent)
        self.toolbox = Toolbox(ToolHost(), store.tool_rows)  # the tools that models may call
        # bridge, loader: as handed to every chat
        self.bridge, self.loader = bridge, loader
        self._store = store
        self._chats: dict[str, ChatRecord] = {c.id: c for c in chats or store.chats()}
        self._in_use: dict[str, Chat] = {}
        self._leaving: set[str] = set()
        # ids of chats with a reply that nobody has looked at, in use or not
        self.unread: set[str] = set()
        self._to_forget: set[str] = set()  # erased chats whose caches the engine still keeps
        self.order = Organising(self, store)  # folders, what is pinned, tagged and archived
        self.search = ChatSearch(store, bridge, self.chat, self)  # looks for words in all chats
        self._sweeping = QTimer(self, interval=self.SWEEP_MS[0])
        self._sweeping.timeout.connect(self.sweep)

    def chats(self) -> list[ChatRecord]:
        """Saved chats, the latest used first."""
        return sorted(self._chats.values(), key=attrgetter("updated_at", "id"), reverse=True)

    def chat(self, chat_id: str) -> ChatRecord | None:
        return self._chats.get(chat_id)

    def deleted_since(self, chat_id: str) -> bool:
        """Whether the chat was saved once and has been taken out of the list."""
        return chat_id not in self._chats and self._store.chat(chat_id) is not None

    def running(self) -> list[Chat]:
        """The chats that are answering now."""
        return [c for c in self._in_use.values() if c.reply.is_active]

    def in_use(self) -> list[Chat]:
        """The chats that are shown, or answering."""
        return list(self._in_use.values())

    def sessions(self) -> dict[str, tuple[str, str]]:
        """The engine's sessions that belong to chats: session id to (chat id, title)."""
        return {s: (c.id, c.title) for c in self._in_use.values() for s in c.reply.session_ids}

    def find(self, chat_id: str) -> Chat | None:
        """The chat if it is in use already."""
        return self._in_use.get(chat_id)

    def open(self, chat_id: str, model: str) -> Chat:
        """Take a chat into use; an id that is not stored becomes a new chat with ``model``."""
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
        """Take a stored chat into use, reading its messages in a worker."""
        store = self._store
        messages = await flows.aside(lambda _: store.messages(chat_id))
        record = self._chats.get(chat_id)
        if record is not None and chat_id not in self._in_use:  # it may have changed
            self._leaving.discard(chat_id)
            self._adopt(record, stored=True, messages=messages)

    def new(
        self,
        model: str,
        params: Mapping[str, Any] | None = None,
        system: str = "",
        chat_id: str = "",
    ) -> Chat:
        """A new chat with these settings. It is stored at its first key press."""
        record = ChatRecord(chat_id or new_id(), "", model, system, dict(params or {}))
        return self._adopt(record, stored=False)

    def branch(self, chat: Chat, message_id: str) -> Chat:
        """A new chat that begins as another one up to a message; the other is as it was."""
        record = branch(self._store, chat.record, chat.transcript, message_id)
        self._chats[record.id] = record
        made = self.open(record.id, record.model)
        made.begin_from(chat)
        self.listed.emit()
        return made

    def mark_unread(self, ids: Iterable[object]) -> None:
        """Replies of these chats had ended before the program did, and nobody has looked at them.

        What is no listed chat's id is passed over.
        """
        for chat_id in ids:
            if isinstance(chat_id, str) and chat_id in self._chats:
                self.unread.add(chat_id)
                if (chat := self._in_use.get(chat_id)) is not None:
                    chat.reply.mark_unread()
                else:
                    self.activity.emit(chat_id)

    def release(self, chat_id: str) -> None:
        """Let go of a chat that nothing shows any more, once its reply has ended."""
        chat = self._in_use.get(chat_id)
        if chat is not None and chat.turn.is_at_work:
            self._leaving.add(chat_id)
        elif chat is not None:
            self._leaving.discard(chat_id)
            del self._in_use[chat_id]
            if chat_id in self._chats:
                self._chats[chat_id] = chat.record  # with what was typed since the list changed
            chat.close()
            chat.deleteLater()

    def delete(self, chat_id: str) -> None:
        """Move a chat to the trash. ``restore`` brings it back."""
        chat = self._in_use.get(chat_id)
        if chat is not None:
            chat.give_up()
        else:
            ChatSession(self.loader, chat_id).forget()
        if self._chats.pop(chat_id, None) is not None:
            when = self._store.trash.delete(chat_id)
            if chat is not None:  # or what is saved of it next would bring it back
                chat.take_fields({"deleted_at": when})
        self.deleted.emit(chat_id)
        self.listed.emit()
        self.trash_changed.emit()

    def restore(self, chat_id: str) -> None:
        """Bring a deleted chat back. One that was erased stays away."""
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
        """Deleted chats, the latest deleted first."""
        return self._store.trash.chats()

    def erase(self, ids: Iterable[str]) -> None:
        """Take chats out of the trash for good: texts, caches, and what backups hold of them."""
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
        """An import is undone: list these no more, and let go of them."""
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
        """Names of damaged files that were set aside and may still hold what was erased."""
        return [file.name for file in self._store.trash.unscrubbed]

    def keep_trash(self) -> None:
        """Look now and then for what has been in the trash for too long."""
        self._sweeping.start()

    @Slot()
    def sweep(self) -> None:
        """Erase what is overdue: chats after thirty days, messages that an earlier run deleted."""
        if self.loader.engine is None:  # it keeps caches of them
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
        """Give a chat another title, whether it is in use or not."""
        if chat_id in self._in_use:
            self._in_use[chat_id].rename(title)
        elif title := " ".join(title.split()):
            self.change({chat_id: {"title": title, "titled_by": "person"}})

    def change(self, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change fields of listed chats, in use or not, all at once."""
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
        """The list is another: folders have changed."""
        self.listed.emit()

    def cancel_for_close(self) -> None:
        """The program ends: stop every reply. Their last text still comes through the bridge."""
        for chat in self._in_use.values():
            chat.cancel_for_close()
        self.toolbox.begin_shut_down()

    def close(self, timeout_s: float | None = None) -> None:
        """Save what is left and let go of every session.

        Args:
            timeout_s: wait at most this long for tools to end; by default as `Toolbox.shut_down`.
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
                self.activity.emit(chat.id)  # with every key: the others stay where they are

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
