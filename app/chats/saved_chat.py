from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from app.chats.transcript import RemovedMessages, Transcript
from app.chats.turn import ComposerContent, Draft, MessageEdit
from app.store import AttachedText, Attachments, ChatRecord, Message, Store, StoredImage, StoreError
from engine import Image


class SavedChat:
    """Record and transcript of a chat.

    Methods called ``change_…`` only change it in memory. `add`, `show`, `remove`, `restore` and
    methods called ``save_…`` also store the change.
    """

    _is_temporary = False

    def __init__(
        self,
        record: ChatRecord,
        store: Store,
        *,
        stored: bool,
        messages: Sequence[Message] | None = None,  # the store's messages, if they were just read
        on_rollback: Callable[[], object] = lambda: None,  # called after a failed `transaction`
    ) -> None:
        self.record = record  # may have changes that aren't stored, see ``change_record``
        self.stored = stored  # False for a new chat until the user types something
        self._store, self._on_rollback = store, on_rollback
        self._texts: dict[str, AttachedText] = {}
        if messages is None:
            messages = store.messages(record.id) if stored else ()
        self.transcript = Transcript(messages, record.leaf_id)

    def make_temporary_copy(self, record: ChatRecord, messages: Iterable[Message]) -> SavedChat:
        """Create an unsaved chat with these messages. It can read the files of this chat."""
        copy = SavedChat(record, self._store, stored=False)
        copy.transcript, copy._is_temporary = Transcript(messages), True
        return copy

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store the changes of the ``with`` block in one transaction (see `Store.transaction`).

        On an exception, nothing is stored and the chat in memory returns to its stored state.
        """
        record, stored = self.record, self.stored
        try:
            with self._store.transaction():
                yield
        except BaseException:
            self.record, self.stored = record, stored
            if not self._is_temporary:
                with suppress(StoreError):  # may raise the original exception again
                    messages = self._store.messages(record.id) if stored else []
                    self.transcript.reset(messages, record.leaf_id)
            self._on_rollback()
            raise

    def change_record(self, **fields: Any) -> None:
        self.record = replace(self.record, **fields)

    def save_record(self) -> None:
        """Store the record. The first call adds the chat to the list."""
        self.stored = True
        self.change_record(leaf_id=self.transcript.leaf_id)
        self._store.save_chat(self.record)

    def save_fields(self, **fields: Any) -> None:
        self.change_record(**fields)
        if self.stored:
            self.save_record()

    @property
    def compose(self) -> ComposerContent:
        """Return the composer's content, ignoring the edit of a deleted message."""
        record = self.record
        draft = Draft(record.draft, record.draft_attachments)
        if record.edited_id is None or not self._is_there(record.edited_id):
            return draft
        return MessageEdit(record.edited_id, record.edited_text, draft, record.edited_attachments)

    def _is_there(self, message_id: str) -> bool:
        queued = any(message.id == message_id for message in self.record.queued)
        return queued or message_id in self.transcript

    def parent_of(self, compose: ComposerContent) -> str | None:
        """Return the ID of the message that the composer's message will follow."""
        if isinstance(compose, MessageEdit) and compose.message_id in self.transcript:
            return self.transcript[compose.message_id].parent_id
        return self.transcript.leaf_id

    def change_compose(self, compose: ComposerContent) -> None:
        """Replace the composer's content in memory. `save_compose` stores it."""
        edit = compose if isinstance(compose, MessageEdit) else None
        draft = compose.draft if isinstance(compose, MessageEdit) else compose
        self.change_record(
            draft=draft.text,
            draft_attachments=draft.attachments,
            edited_id=edit.message_id if edit is not None else None,
            edited_text=edit.text if edit is not None else "",
            edited_attachments=edit.attachments if edit is not None else (),
        )

    def save_compose(self) -> None:
        """Store the composer's content. Fast enough for every key press."""
        record = self.record
        if isinstance(self.compose, MessageEdit):
            self._store.set_edited(record.id, record.edited_id, record.edited_text)
        else:
            self._store.set_draft(record.id, record.draft)

    def save_files(self, files: Attachments, *new: AttachedText | StoredImage) -> None:
        """Replace and store the composer's files. ``new`` has contents that aren't stored yet."""
        with self.transaction():
            for item in new:
                if isinstance(item, StoredImage):
                    self._store.images.save(item)
                else:
                    self._texts[self._store.texts.save(item)] = item
            self.change_compose(replace(self.compose, attachments=files))
            self.save_record()

    def text(self, key: str) -> AttachedText | None:
        if key not in self._texts and (stored_text := self._store.texts.get(key)) is not None:
            self._texts[key] = stored_text
        return self._texts.get(key)

    def keep_text_in_memory(self, text: AttachedText) -> None:
        self._texts[text.hash] = text

    def image(self, key: str) -> Image:
        """Return an image by its hash. A worker thread reads the file when needed."""
        return Image(partial(self._store.images.get, key), key)

    def thumbnail(self, key: str, *, read: bool = True) -> bytes | None:
        """Return the small JPEG of an image by its hash, or b"" for an image without a thumbnail.

        With ``read=False``, returns None instead of reading a thumbnail from disk.
        """
        return self._store.images.thumbnail(key) if read else self._store.images.cached(key)

    def add(self, message: Message) -> None:
        """Add a message below its parent, show it, and move the chat to the top of the list."""
        for file in message.attachments:
            if file.chat and (text := self._texts.get(file.hash)) is not None:
                self._store.texts.save(text)
        self.transcript.add(message)
        if not self._is_temporary:
            self._store.save_message(message, as_leaf=True)
        self.change_record(
            leaf_id=message.id, updated_at=max(self.record.updated_at, message.created_at)
        )

    def save_message(self, message_id: str, **changes: Any) -> Message:
        message = self.transcript.update(message_id, **changes)
        if not self._is_temporary:
            self._store.save_message(message)
        return message

    def show(self, message_id: str) -> None:
        self.transcript.show(message_id)
        self.change_record(leaf_id=self.transcript.leaf_id)
        self._store.set_leaf(self.record.id, self.transcript.leaf_id)

    def remove(self, message_id: str) -> RemovedMessages:
        """Remove a message and all messages below it. `restore` takes the result.

        If the user was editing one of the messages, the composer gets the previous draft back.
        """
        leaf, compose = self.transcript.leaf_id, self.compose
        removed = tuple(self.transcript.remove(message_id))
        editing = compose if isinstance(compose, MessageEdit) else None
        edit = editing if editing and not self._is_there(editing.message_id) else None
        removal = RemovedMessages(removed, leaf, edit)
        self._store.delete_messages(self.record.id, removal.ids, self.transcript.leaf_id)
        self.change_record(leaf_id=self.transcript.leaf_id)
        if edit:
            self.change_compose(edit.draft)
            self.save_record()
        return removal

    def restore(self, removal: RemovedMessages) -> None:
        """Restore removed messages, switch to them, and resume the editing of a removed message."""
        self.transcript.restore(removal.messages, removal.leaf_id)
        self._store.restore_messages(self.record.id, removal.ids, removal.leaf_id)
        self.change_record(leaf_id=removal.leaf_id)
        compose = self.compose
        if removal.editing is not None and isinstance(compose, Draft):
            self.change_compose(replace(removal.editing, draft=compose))
            self.save_record()


_Method = TypeVar("_Method", bound=Callable[..., Any])


def in_one_transaction(method: _Method) -> _Method:
    """Decorate a method to store all of its changes or none, see `Store.transaction`."""

    @wraps(method)
    def together(self: Any, *args: Any, **options: Any) -> Any:
        with self._saved.transaction():
            return method(self, *args, **options)

    return cast(_Method, together)
