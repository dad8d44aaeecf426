from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.chats.saved_chat import SavedChat
from app.chats.turn import QueueState
from app.settings.language import mark, tr
from app.store import Attachments, Queued, new_id

_ENDS = {
    "cancelled": mark("You stopped the reply."),
    "error": mark("The reply failed."),
    "interrupted": mark("The reply was interrupted."),
}


class MessageQueue:
    """Queued messages of a chat, stored in its record. `TurnController` sends them."""

    def __init__(self, saved: SavedChat, notify: Callable[[], None]) -> None:
        self._saved = saved
        self.notify = notify
        # Messages are also held after a restart, and after a reply was stopped or failed.
        self.state = QueueState.HELD
        self._refused = ""  # why the first message couldn't be sent

    @property
    def messages(self) -> tuple[Queued, ...]:
        return self._saved.record.queued

    def get(self, message_id: str) -> Queued | None:
        return next((message for message in self.messages if message.id == message_id), None)

    @property
    def next(self) -> Queued | None:
        """Return the message to send after this reply, or None if it's on hold or being edited."""
        moves = self.state is not QueueState.HELD and self.messages
        first = self.messages[0] if moves else None
        return first if first is not None and first.id != self._saved.record.edited_id else None

    @property
    def hold_reason(self) -> str:
        """Explain why the queue is on hold, or return "" if it isn't or has no messages."""
        if self.state is not QueueState.HELD or not self.messages:
            return ""
        leaf = self._saved.transcript.leaf
        ended = _ENDS.get(leaf.status, "") if leaf is not None else ""
        if leaf is not None and leaf.role == "tool" and leaf.status in {"complete", "error"}:
            ended = mark("The model hasn’t replied to the tool results.")
        reason = self._refused or (tr(ended) if ended else "")
        return tr("Not sent. {why}", why=reason) if reason else tr("Not sent yet.")

    @property
    def is_last_reply_complete(self) -> bool:
        leaf = self._saved.transcript.leaf
        return leaf is not None and leaf.role == "assistant" and leaf.status == "complete"

    def hold_with_reason(self, reason: str) -> None:
        self._refused = reason
        self.notify()

    def add(self, text: str, files: Attachments, at: int | None = None) -> None:
        position = len(self.messages) if at is None else at
        self.restore(Queued(new_id(), text.strip("\n"), files), position)

    def restore(self, message: Queued, at: int) -> None:
        self._store((*self.messages[:at], message, *self.messages[at:]))

    def edit(self, message_id: str, text: str, files: Attachments) -> None:
        self._store(
            tuple(
                replace(message, text=text.strip("\n"), attachments=files)
                if message.id == message_id
                else message
                for message in self.messages
            )
        )

    def remove(self, message_id: str) -> None:
        self._store(tuple(message for message in self.messages if message.id != message_id))

    def _store(self, messages: tuple[Queued, ...]) -> None:
        self._refused = ""
        self._saved.change_record(queued=messages)
        self._saved.save_record()
        self.notify()
