"""What a screen reader says of a row of the sidebar."""

from __future__ import annotations

from app.language import counted, number, tr
from app.store import Chat
from app.ui.sidebar.row import Row


def name(row: Row, *, living: bool, unseen: bool, waiting: bool = False) -> str:
    """The row with its state: "Trees, answering"."""
    if row.kind == "heading":
        return row.text
    parts = [row.text]
    if row.kind != "chat":
        parts.append(tr("folder") if row.kind == "folder" else tr("archived chats"))
        count = number(row.count)
        parts.append(counted("{count} chat", "{count} chats", row.count, count=count))
        parts.append(tr("unfolded") if row.unfolded else tr("folded"))
    if waiting:
        parts.append(tr("waits for your answer"))
    elif living:
        parts.append(tr("answering"))
    elif unseen:
        parts.append(tr("finished, not read yet"))
    return ", ".join(parts)


def description(row: Row, chat: Chat | None, *, opened: bool) -> str:
    """What else there is to know: where it was found, whether it is open, pinned, tagged."""
    parts = [row.snippet] if row.snippet else []
    if opened:
        parts.append(tr("open", "it stands in a pane"))
    if chat is not None:
        parts += [tr("pinned")] if chat.pinned_at is not None else []
        parts += [tr("in the archive")] if chat.archived_at is not None else []
        parts += [tr("tagged {tags}", tags=", ".join(chat.tags))] if chat.tags else []
    return ", ".join(parts)
