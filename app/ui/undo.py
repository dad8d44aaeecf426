"""What Ctrl+Shift+T takes back, the latest first."""

from __future__ import annotations

from dataclasses import dataclass

from app.chats.transcript import Removal


@dataclass(frozen=True)
class Undo:
    """One thing to take back.

    Attributes:
        chat_id: the chat it concerns.
        deleted: whether the chat itself was deleted.
        was_open: whether the chat was on screen.
        presets: all presets as they were before one was deleted, replaced or renamed.
        removal: messages deleted from the chat, where that is what was done.
    """

    chat_id: str = ""
    deleted: bool = False
    was_open: bool = True
    removal: Removal | None = None
    presets: dict[str, dict[str, object]] | None = None


class Undos:
    """A stack. A chat is closed or deleted at most once in it."""

    LONGEST = 100

    def __init__(self) -> None:
        self._stack: list[Undo] = []

    def push(self, undo: Undo) -> None:
        """Remember something; it replaces an older closing or deleting of the same chat."""
        if undo.removal is None and undo.presets is None:
            self.drop(undo.chat_id)
        self._stack.append(undo)
        del self._stack[: -self.LONGEST]

    def pop(self) -> Undo | None:
        return self._stack.pop() if self._stack else None

    def drop(self, chat_id: str) -> None:
        """The chat was brought back in another way."""
        self._stack = [
            u
            for u in self._stack
            if u.chat_id != chat_id or u.removal is not None or u.presets is not None
        ]
