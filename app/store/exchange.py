"""Import of entire chats."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from app.store import erase
from app.store.attachment_store import SaveImage, SaveText
from app.store.attachments import AttachedText, StoredImage
from app.store.operations import (
    INSERT_CHAT,
    INSERT_MESSAGE,
    Operation,
    View,
    chat_values,
    message_values,
)
from app.store.readers import Readers
from app.store.records import ChatRecord, Message, new_id, storable_chat, storable_message
from app.store.writer import StoreWriter, index_chore


class InsertChat(Operation, frozen=True):
    """Operation to insert a chat with all messages. Existing rows are never overwritten."""

    chat: ChatRecord
    messages: tuple[Message, ...]

    def write(self, db: sqlite3.Connection) -> None:
        if db.execute("SELECT 1 FROM chats WHERE id = ?", (self.chat.id,)).fetchone():
            return
        db.execute(INSERT_CHAT, chat_values(self.chat))
        db.executemany(INSERT_MESSAGE, map(message_values, self.messages))

    def apply_to(self, view: View) -> None:
        view.chats.setdefault(self.chat.id, self.chat)
        for message in self.messages:
            view.messages.setdefault(message.id, message)


class DeleteChats(Operation, frozen=True):
    ids: tuple[str, ...]

    def write(self, db: sqlite3.Connection) -> None:
        erase.erase_ids(db, self.ids)

    def apply_to(self, view: View) -> None:
        erase.Erase(self.ids).apply_to(view)


class Exchange:
    """Imports and removes entire chats.

    ``erased`` has permanently deleted chats. The trash shares and updates it.
    """

    def __init__(self, writer: StoreWriter, readers: Readers, erased: set[str]) -> None:
        self._writer = writer
        self._readers = readers
        self._erased = erased

    def add_chats(
        self,
        chats: Iterable[tuple[ChatRecord, Sequence[Message]]],
        texts: Iterable[AttachedText] = (),
        images: Iterable[StoredImage] = (),
    ) -> None:
        """Add new chats. Each chat is written completely or not at all.

        ``texts`` and ``images`` are the contents of their attachments. Raises TypeError or
        ValueError if options or stats aren't JSON.
        """
        adding = [
            InsertChat(storable_chat(chat), tuple(map(storable_message, messages)))
            for chat, messages in chats
        ]
        for record in adding:
            self._erased.discard(record.chat.id)
        operations = (SaveText(text.hash, text) for text in texts)
        self._writer.add(*operations, *map(SaveImage, images), *adding)
        self._writer.run_when_idle(index_chore)

    def remove_chats(self, ids: Sequence[str]) -> None:
        """Undo `add_chats`, including messages added later."""
        if ids:
            self._erased.update(ids)
            self._writer.add(DeleteChats(tuple(ids)))

    def replace_used_ids(self, messages: Sequence[Message]) -> list[Message]:
        """Replace the IDs of a chat's messages if another chat uses one of them."""
        ids_json = json.dumps([message.id for message in messages])
        with self._readers.reading() as db:
            used = db.execute(
                "SELECT 1 FROM messages WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1",
                (ids_json,),
            ).fetchone()
        if used is None:
            return list(messages)
        ids: dict[str | None, str | None] = {None: None}
        renamed = []
        for message in messages:
            ids[message.id] = own_id = new_id()
            renamed.append(replace(message, id=own_id, parent_id=ids[message.parent_id]))
        return renamed
