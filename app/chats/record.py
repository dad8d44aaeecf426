"""What is kept of one chat: its record and its messages, in memory and in the store."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from app.chats.transcript import Removal, Transcript
from app.store import Chat, Message, Store


class ChatRecord:
    """One chat's own state. Every change of its history goes through here, once to each place.

    Attributes:
        chat: the record as it is now; the store may lag behind by what ``change`` did.
        transcript: its messages.
        stored: False for a new chat in which no key was pressed yet.
    """

    def __init__(self, chat: Chat, store: Store, *, stored: bool) -> None:
        self.chat = chat
        self.stored = stored
        self._store = store
        self.transcript = (
            Transcript(store.messages(chat.id), chat.leaf_id) if stored else Transcript()
        )

    def together(self) -> AbstractContextManager[None]:
        """What is stored within reaches the file all at once: see `Store.together`."""
        return self._store.together()

    # The chat.

    def change(self, **fields: Any) -> None:
        """Change the record in memory; ``keep`` stores it."""
        self.chat = replace(self.chat, **fields)

    def keep(self) -> None:
        """Store the record; from the first time on it is in the list of chats."""
        self.stored = True
        self.change(leaf_id=self.transcript.leaf_id)
        self._store.save_chat(self.chat)

    def keep_draft(self) -> None:
        """Store the draft alone."""
        self._store.set_draft(self.chat.id, self.chat.draft)

    # Its messages.

    def add(self, message: Message) -> None:
        """Put a message at the end of its parent's path and show it."""
        self.transcript.add(message)
        self._store.save_message(message, as_leaf=True)

    def save(self, message: Message) -> None:
        """Store a message as it is now."""
        self._store.save_message(message)

    def show(self, message_id: str) -> None:
        """Show another branch, the one through this message."""
        self.transcript.show(message_id)
        self._store.set_leaf(self.chat.id, self.transcript.leaf_id)

    def remove(self, message_id: str) -> Removal:
        """Take out a message and what follows it; ``restore`` needs what comes back."""
        leaf = self.transcript.leaf_id
        removal = Removal(tuple(self.transcript.remove(message_id)), leaf)
        self._store.delete_messages(self.chat.id, removal.ids, self.transcript.leaf_id)
        self.change(leaf_id=self.transcript.leaf_id)
        return removal

    def restore(self, removal: Removal) -> None:
        """Put removed messages back and show them."""
        self.transcript.restore(removal.messages, removal.leaf_id)
        self._store.restore_messages(self.chat.id, removal.ids, removal.leaf_id)
        self.change(leaf_id=removal.leaf_id)
