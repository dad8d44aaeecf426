"""What the palette can find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from app.language import mark, tr


class Kind(IntEnum):
    """What an entry is. Of equally good ones a smaller kind stands first."""

    COMMAND = 0
    CHAT = 1
    MODEL = 2
    SETTING = 3
    PROMPT = 4
    RESOURCE = 5


NAMES = {
    Kind.COMMAND: mark("Command"),
    Kind.CHAT: mark("Chat"),
    Kind.MODEL: mark("Model"),
    Kind.SETTING: mark("Setting"),
    Kind.PROMPT: mark("Prompt"),
    Kind.RESOURCE: mark("Resource"),
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
        english: the text in English, looked through too: manuals and habits name it so.
    """

    kind: Kind
    key: str
    text: str
    choose: Callable[[], object]
    beside: str = ""
    keys: str = ""
    why_not: str = ""
    choose_beside: Callable[[], object] | None = None
    english: str = ""

    @property
    def spoken(self) -> str:
        """The row for a screen reader."""
        parts = [self.text, tr(NAMES[self.kind]), self.beside, self.keys]
        if self.why_not:
            parts.append(tr("Not possible now: {why}", why=self.why_not))
        return ", ".join(filter(None, parts))
