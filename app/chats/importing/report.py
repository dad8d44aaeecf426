from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from app.settings.language import counted, number, tr
from app.store import ChatRecord, Folder

_MOST_FAULTS = 200
KIND = "entries of the kind "
"""Prefix of the name that another program uses for an unknown entry."""


class Report(Struct):
    imported: list[ChatRecord] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)
    messages: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    # Number of existing chats, and how many of them are in the trash.
    known: int = 0
    trashed: int = 0
    # Number of dropped parts, by a name from `left_out_text`.
    skipped: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    stopped: bool = False

    def add_fault(self, sentence: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(sentence)
        elif len(self.faults) == _MOST_FAULTS:
            self.faults.append(tr("More items couldn’t be read."))

    def summary(self) -> str:
        if not self.imported:
            return tr("No chats imported.")
        n = self.messages
        return counted(
            "%Ln chat imported from {programs}, with {messages}.",
            "%Ln chats imported from {programs}, with {messages}.",
            len(self.imported),
            programs=", ".join(name for name, _ in self.sources.most_common()),
            messages=counted("%Ln message", "%Ln messages", n),
        )

    def details(self) -> list[str]:
        lines = []
        if self.stopped:
            lines.append(tr("The import was stopped."))
        if self.known:
            lines.append(self._format_left_out())
        lines += [left_out_text(name, count) for name, count in self.skipped.most_common() if count]
        return lines + self.faults

    def _format_left_out(self) -> str:
        count, trashed = number(self.known), number(self.trashed)
        if not self.trashed:
            return counted(
                "{count} chat already exists and wasn’t changed.",
                "{count} chats already exist and weren’t changed.",
                self.known,
                count=count,
            )
        return counted(
            "{count} chat already exists in the Trash and wasn’t changed.",
            "{count} chats already exist ({trashed} in the Trash) and weren’t changed.",
            self.known,
            count=count,
            trashed=trashed,
        )


def left_out_text(name: str, n: int) -> str:
    match name:
        case "attached files":
            return counted(
                "Not imported: %Ln attachment.",
                "Not imported: %Ln attachments.",
                n,
            )
        case "pictures":
            return counted("Not imported: %Ln image.", "Not imported: %Ln images.", n)
        case "recordings and videos":
            return counted(
                "Not imported: %Ln recording or video.",
                "Not imported: %Ln recordings and videos.",
                n,
            )
        case "tool calls and results":
            return counted(
                "Not imported: %Ln tool call or result.",
                "Not imported: %Ln tool calls and results.",
                n,
            )
        case "citations without an address":
            return counted(
                "Not imported: %Ln citation without an address.",
                "Not imported: %Ln citations without an address.",
                n,
            )
        case "changes to a document":
            return counted(
                "Not imported: %Ln change to a canvas or artifact.",
                "Not imported: %Ln changes to a canvas or artifact.",
                n,
            )
        case "custom instructions":
            return counted(
                "Not imported: custom instructions of %Ln chat.",
                "Not imported: custom instructions of %Ln chats.",
                n,
            )
        case "empty conversations":
            return counted(
                "Not imported: %Ln empty chat.",
                "Not imported: %Ln empty chats.",
                n,
            )
        case "instructions in the middle of a chat":
            return counted(
                "Not imported: %Ln instruction within a chat.",
                "Not imported: %Ln instructions within a chat.",
                n,
            )
    return counted(
        "Not imported: %Ln item of type “{kind}”.",
        "Not imported: %Ln items of type “{kind}”.",
        n,
        kind=name.removeprefix(KIND),
    )
