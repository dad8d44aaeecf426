"""All chats: the saved ones that the sidebar lists, and the controllers of those in use."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.bridge import Bridge
from app.chats.branching import branch
from app.chats.controller import ChatController
from app.chats.model_choice import Shelf
from app.chats.session import ChatSession
from app.store import Chat, SearchHit, Store, new_id


class ChatLibrary(QObject):
    """Finds, makes, deletes and restores chats.

    Signals:
        listed(): chats were added, removed, renamed or moved in time.
        activity(id): a chat began, went on or ended answering, or its answer was seen.
        deleted(id): the chat is gone from the list (and can be restored).
        trash_changed(): something came into the trash, or left it.
        erased(id): the chat is gone for good; nothing may show it any more.
        found(query, pairs, done): what a search has found so far, as (chat, hit) pairs.
    """

    SWEEP_MS = (60_000, 3_600_000)
    """The first look for what is overdue in the trash, and the later ones."""

    listed = Signal()
    activity = Signal(str)
    deleted = Signal(str)
    trash_changed = Signal()
    erased = Signal(str)
    found = Signal(str, list, bool)

    def __init__(
        self, store: Store, bridge: Bridge, shelf: Shelf, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._bridge = bridge
        self._shelf = shelf
        self._chats: dict[str, Chat] = {chat.id: chat for chat in store.chats()}
        self._controllers: dict[str, ChatController] = {}
        self._leaving: set[str] = set()
        self._to_forget: set[str] = set()  # erased chats whose caches the engine still keeps
        self._query = 0
        _, self._post_found = bridge.channel(self._on_found)
        self._sweeping = QTimer(self, interval=self.SWEEP_MS[0])
        self._sweeping.timeout.connect(self.sweep)

    @property
    def bridge(self) -> Bridge:
        return self._bridge

    @property
    def shelf(self) -> Shelf:
        return self._shelf

    def chats(self) -> list[Chat]:
        """Saved chats, the latest used first."""
        return sorted(self._chats.values(), key=lambda chat: chat.updated_at, reverse=True)

    def chat(self, chat_id: str) -> Chat | None:
        return self._chats.get(chat_id)

    def deleted_since(self, chat_id: str) -> bool:
        """Whether the chat was saved once and has been taken out of the list."""
        return chat_id not in self._chats and self._store.chat(chat_id) is not None

    def running(self) -> list[ChatController]:
        """The chats that are answering now."""
        return [c for c in self._controllers.values() if c.answering]

    def sessions(self) -> dict[str, tuple[str, str]]:
        """The engine's sessions that belong to chats: session id to (chat id, title)."""
        return {c.session_id: (c.id, c.title) for c in self._controllers.values() if c.session_id}

    def find(self, chat_id: str) -> ChatController | None:
        """The chat's controller if the chat is in use already."""
        return self._controllers.get(chat_id)

    def open(self, chat_id: str, model: str) -> ChatController:
        """The chat's controller; an id that is not stored becomes a new chat with ``model``."""
        self._leaving.discard(chat_id)
        controller = self._controllers.get(chat_id)
        if controller is None:
            stored = self._chats.get(chat_id)
            controller = self._adopt(
                stored or Chat(id=chat_id, model=model), stored=stored is not None
            )
        return controller

    def new(
        self, model: str, params: Mapping[str, Any] | None = None, system: str = ""
    ) -> ChatController:
        """A new chat with these settings. It is stored at its first key press."""
        chat = Chat(id=new_id(), model=model, params=dict(params or {}), system=system)
        return self._adopt(chat, stored=False)

    def branch(self, controller: ChatController, message_id: str) -> ChatController:
        """A new chat that begins as another one up to a message; the other is as it was."""
        chat = branch(self._store, controller.chat, controller.transcript, message_id)
        self._chats[chat.id] = chat
        made = self.open(chat.id, chat.model)
        made.begin_from(controller)
        self.listed.emit()
        return made

    def release(self, chat_id: str) -> None:
        """Let go of a chat that nothing shows any more, once its reply has ended."""
        controller = self._controllers.get(chat_id)
        if controller is not None and controller.answering:
            self._leaving.add(chat_id)
        elif controller is not None:
            self._leaving.discard(chat_id)
            del self._controllers[chat_id]
            controller.close()
            controller.deleteLater()

    def delete(self, chat_id: str) -> None:
        """Move a chat to the trash. ``restore`` brings it back."""
        controller = self._controllers.get(chat_id)
        if controller is not None:
            controller.stop()
            controller.forget_session()
        else:
            ChatSession(self._shelf, chat_id).forget()
        if self._chats.pop(chat_id, None) is not None:
            self._store.delete_chat(chat_id)
        self.deleted.emit(chat_id)
        self.listed.emit()
        self.trash_changed.emit()

    def restore(self, chat_id: str) -> None:
        """Bring a deleted chat back. One that was erased stays away."""
        stored = self._store.chat(chat_id)
        if stored is None:
            return
        self._store.restore_chat(chat_id)
        controller = self._controllers.get(chat_id)
        chat = controller.chat if controller is not None else stored
        self._chats[chat_id] = replace(chat, deleted_at=None)
        self.listed.emit()
        self.trash_changed.emit()

    def trash(self) -> list[Chat]:
        """Deleted chats, the latest deleted first."""
        return self._store.trash()

    def erase(self, ids: Iterable[str]) -> None:
        """Take chats out of the trash for good: texts, caches, and what backups hold of them."""
        gone = [chat_id for chat_id in ids if chat_id not in self._chats]
        for chat_id in gone:
            self._to_forget.add(chat_id)
            controller = self._controllers.get(chat_id)
            if controller is not None:
                controller.stop()
                controller.forget_session()
        self._store.erase_chats(gone)
        self._forget_caches()
        for chat_id in gone:
            self.erased.emit(chat_id)
            self.release(chat_id)
        self.trash_changed.emit()

    def unscrubbed(self) -> list[str]:
        """Names of damaged files that were set aside and may still hold what was erased."""
        return [file.name for file in self._store.unscrubbed]

    def keep_trash(self) -> None:
        """Look now and then for what has been in the trash for too long."""
        self._sweeping.start()

    @Slot()
    def sweep(self) -> None:
        """Erase what is overdue: chats after thirty days, messages that an earlier run deleted."""
        if self._shelf.engine is None:  # it keeps caches of them
            return
        self._sweeping.setInterval(self.SWEEP_MS[1])
        self._forget_caches()
        due = self._store.due()
        if due:
            self.erase(due)
        self._store.erase_messages()

    def _forget_caches(self) -> None:
        if self._shelf.engine is not None:
            while self._to_forget:
                ChatSession(self._shelf, self._to_forget.pop()).forget()

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title, whether it is in use or not."""
        if chat_id in self._controllers:
            self._controllers[chat_id].rename(title)
        elif (chat := self._chats.get(chat_id)) is not None and (title := " ".join(title.split())):
            self._chats[chat_id] = replace(chat, title=title)
            self._store.update_chat(chat_id, title=title)
            self.listed.emit()

    def find_chats(self, query: str, limit: int = 40) -> None:
        """Look for chats whose title or text has the words; ``found`` tells, one place of each.

        It goes on in the background; only the latest query is answered.
        """
        self._query += 1
        number, post = self._query, self._post_found

        def told(hits: list[SearchHit], done: bool) -> None:
            post((number, query, limit, hits, done))

        # A chat may be found twice: by its title and by its text.
        self._store.search_later(query, 2 * limit, told)

    def find_no_more(self) -> None:
        """What is looked for is not wanted any more."""
        self._query += 1
        self._store.cancel_search()

    def _on_found(self, told: tuple[int, str, int, list[SearchHit], bool]) -> None:
        number, query, limit, hits, done = told
        if number != self._query:
            return
        found: dict[str, tuple[Chat, SearchHit]] = {}
        for hit in hits:
            chat = self._chats.get(hit.chat_id)
            if chat is not None and hit.chat_id not in found:
                found[hit.chat_id] = (chat, hit)
        self.found.emit(query, list(found.values())[:limit], done)

    def cancel_for_close(self) -> None:
        """The program ends: stop every reply. Their last text still comes through the bridge."""
        for controller in self._controllers.values():
            controller.cancel_for_close()

    def close(self) -> None:
        """Save what is left and let go of every session."""
        self._sweeping.stop()
        self.find_no_more()
        for controller in self._controllers.values():
            controller.close()

    def _adopt(self, chat: Chat, *, stored: bool) -> ChatController:
        controller = ChatController(
            chat, self._store, self._bridge, self._shelf, stored=stored, parent=self
        )
        controller.chat_changed.connect(self._on_chat_changed)
        controller.phase_changed.connect(self._on_phase_changed)
        self._controllers[chat.id] = controller
        return controller

    @Slot()
    def _on_chat_changed(self) -> None:
        controller = self.sender()
        if isinstance(controller, ChatController) and controller.stored:
            before = self._chats.get(controller.id)
            self._chats[controller.id] = controller.chat
            if before is None or _listed_differently(before, controller.chat):
                self.listed.emit()

    @Slot()
    def _on_phase_changed(self) -> None:
        controller = self.sender()
        if isinstance(controller, ChatController):
            self.activity.emit(controller.id)
            if controller.id in self._leaving and not controller.answering:
                QTimer.singleShot(0, self, self._release_ended)

    @Slot()
    def _release_ended(self) -> None:
        for chat_id in list(self._leaving):
            self.release(chat_id)


def _listed_differently(before: Chat, after: Chat) -> bool:
    return before.title != after.title or before.updated_at != after.updated_at


def day_group(updated_at: float, now: float | None = None) -> str:
    """The heading a chat stands under: Today, Yesterday, and so on to Earlier."""
    today = time.localtime(now)
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if updated_at >= midnight:
        return "Today"
    day = 86_400
    for heading, days in (("Yesterday", 1), ("Earlier this week", 7), ("This month", 30)):
        if updated_at >= midnight - days * day:
            return heading
    return "Earlier"
