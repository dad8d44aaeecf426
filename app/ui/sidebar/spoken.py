"""What a screen reader says of a row of the sidebar."""

from __future__ import annotations

from app.store import Chat
from app.ui.sidebar.row import Row


def name(row: Row, *, living: bool, unseen: bool, waiting: bool = False) -> str:
    """The row with its state: "Trees, answering"."""
    if row.kind == "heading":
        return row.text
    parts = [row.text]
    if row.kind != "chat":
        parts.append("folder" if row.kind == "folder" else "archived chats")
        parts.append("1 chat" if row.count == 1 else f"{row.count:,} chats")
        parts.append("unfolded" if row.unfolded else "folded")
    if waiting:
        parts.append("waits for your answer")
    elif living:
        parts.append("answering")
    elif unseen:
        parts.append("finished, not read yet")
    return ", ".join(parts)


def description(row: Row, chat: Chat | None, *, opened: bool) -> str:
    """What else there is to know: where it was found, whether it is open, pinned, tagged."""
    parts = [row.snippet] if row.snippet else []
    if opened:
        parts.append("open")
    if chat is not None:
        parts += ["pinned"] if chat.pinned_at is not None else []
        parts += ["in the archive"] if chat.archived_at is not None else []
        parts += [f"tagged {', '.join(chat.tags)}"] if chat.tags else []
    return ", ".join(parts)
