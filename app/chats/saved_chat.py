"""A chat's record and its messages, in memory and in the store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from app.chats.transcript import Removal, Transcript
from app.chats.turn import Compose, Editing, Writing
from app.store import Chat as ChatRecord
from app.store import Message, Store


class SavedChat:
    """Every change of a chat goes through here, once to each place.

    Attributes:
        record: the chat as it is now; the store may lag behind by what ``change`` did.
        transcript: its messages.
        stored: False for a new chat in which no key was pressed yet.
    """

    def __init__(self, record: ChatRecord, store: Store, *, stored: bool) -> None:
        self.record = record
        self.stored = stored
        self._store = store
        self.transcript = (
            Transcript(store.messages(record.id), record.leaf_id) if stored else Transcript()
        )

    def together(self) -> AbstractContextManager[None]:
        """What is kept within reaches the file all at once, or not at all: `Store.together`."""
        return self._store.together()

    # The record.

    def change(self, **fields: Any) -> None:
        """Change the record in memory; ``keep`` stores it."""
        self.record = replace(self.record, **fields)

    def keep(self) -> None:
        """Store the record; from the first time on it is in the list of chats."""
        self.stored = True
        self.change(leaf_id=self.transcript.leaf_id)
        self._store.save_chat(self.record)

    # What is being composed.

    @property
    def compose(self) -> Compose:
        """What stands in the composer. A message that is gone is not edited any more."""
        record = self.record
        if record.edited_id is not None and record.edited_id in self.transcript:
            return Editing(record.edited_id, record.edited_text, record.draft)
        return Writing(record.draft)

    def change_compose(self, compose: Compose) -> None:
        """Compose something else, in memory; ``keep`` or ``keep_compose`` stores it."""
        if isinstance(compose, Editing):
            edited, text = compose.message, compose.text
        else:
            edited, text = None, ""
        self.change(draft=compose.draft, edited_id=edited, edited_text=text)

    def keep_compose(self) -> None:
        """Store what is being composed. Cheap enough for every key press."""
        record = self.record
        if isinstance(self.compose, Editing):
            self._store.set_edited(record.id, record.edited_id, record.edited_text)
        else:
            self._store.set_draft(record.id, record.draft)

    # The messages.

    def add(self, message: Message) -> None:
        """Put a message at the end of its parent's path and show it.

        The chat comes to the top of the list, in memory as the store does it: `SaveMessage`.
        """
        self.transcript.add(message)
        self._store.save_message(message, as_leaf=True)
        self.change(updated_at=max(self.record.updated_at, message.created_at))

    def save(self, message: Message) -> None:
        """Store a message as it is now."""
        self._store.save_message(message)

    def show(self, message_id: str) -> None:
        """Show another branch, the one through this message."""
        self.transcript.show(message_id)
        self._store.set_leaf(self.record.id, self.transcript.leaf_id)

    def remove(self, message_id: str) -> Removal:
        """Take out a message and what follows it; ``restore`` needs what comes back.

        If one of them was being edited, the draft from before is in the composer again.
        """
        leaf, compose = self.transcript.leaf_id, self.compose
        removed = tuple(self.transcript.remove(message_id))
        gone = isinstance(compose, Editing) and compose.message not in self.transcript
        removal = Removal(removed, leaf, compose if isinstance(compose, Editing) and gone else None)
        self._store.delete_messages(self.record.id, removal.ids, self.transcript.leaf_id)
        self.change(leaf_id=self.transcript.leaf_id)
        if gone:
            self.change_compose(Writing(compose.draft))
            self.keep()
        return removal

    def restore(self, removal: Removal) -> None:
        """Put removed messages back and show them; one that was being edited is so again."""
        self.transcript.restore(removal.messages, removal.leaf_id)
        self._store.restore_messages(self.record.id, removal.ids, removal.leaf_id)
        self.change(leaf_id=removal.leaf_id)
        compose = self.compose
        if removal.editing is not None and isinstance(compose, Writing):
            self.change_compose(replace(removal.editing, draft=compose.draft))
            self.keep()


P = ParamSpec("P")
R = TypeVar("R")


class _Saving(Protocol):
    _saved: SavedChat


S = TypeVar("S", bound=_Saving)


def saved_together(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """All that the method saves reaches the file, or nothing does: see `Store.together`."""

    @wraps(method)
    def together(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        with self._saved.together():
            return method(self, *args, **options)

    return together
