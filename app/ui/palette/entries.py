"""What the palette can find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """What an entry is. Of equally good ones a smaller kind stands first."""

    COMMAND = 0
    CHAT = 1
    MODEL = 2
    SETTING = 3
    PROMPT = 4


NAMES = {
    Kind.COMMAND: "Command",
    Kind.CHAT: "Chat",
    Kind.MODEL: "Model",
    Kind.SETTING: "Setting",
    Kind.PROMPT: "Prompt",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row.

    Attributes:
        key: names it from start to start.
        text: what is looked through first, and shown.
        beside: shown muted behind it, and looked through too: a menu, a section, a folder.
        keys: its shortcut as this system writes it.
        why_not: why it cannot be chosen now, "" if it can.
        choose: what choosing it does.
        choose_beside: what choosing it with Ctrl does; the same where there is nothing else.
    """

    kind: Kind
    key: str
    text: str
    choose: Callable[[], object]
    beside: str = ""
    keys: str = ""
    why_not: str = ""
    choose_beside: Callable[[], object] | None = None

    @property
    def spoken(self) -> str:
        """The row for a screen reader."""
        parts = [self.text, NAMES[self.kind], self.beside, self.keys]
        if self.why_not:
            parts.append(f"Not possible now: {self.why_not}")
        return ", ".join(filter(None, parts))
