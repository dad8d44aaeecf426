"""One line of the sidebar, as it is painted and read out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt

from app.chats.attached.words import numbers_of
from app.store import Chat, SearchHit


@dataclass(frozen=True)
class Row:
    """One line of the list.

    Attributes:
        text: the chat's title, the folder's name, or the heading.
        chat_id: empty for what is no chat.
        message_id: where a search found its words.
        snippet: the words around the place found.
        marks, title_marks: where the words looked for stand in the snippet and in the title.
        kind, depth: as in `Entry`.
        folder_id: of a folder, or ARCHIVE.
        count: how many chats are in it.
        unfolded: whether they are shown.
        tags: of a chat.
    """

    text: str
    chat_id: str = ""
    message_id: str | None = None
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    title_marks: tuple[tuple[int, int], ...] = ()
    kind: str = "heading"
    depth: int = 0
    folder_id: str = ""
    count: int = 0
    unfolded: bool = False
    tags: tuple[str, ...] = ()


ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LIVING_ROLE = ROW_ROLE + 1
UNSEEN_ROLE = ROW_ROLE + 2
WAITING_ROLE = ROW_ROLE + 3
"""How many calls of tools wait for the person in what the row stands for."""


def found_row(chat: Chat, hit: SearchHit) -> Row:
    title = chat.shown_title
    found = Row(title, chat.id, hit.message_id, kind="chat", tags=chat.tags)
    if hit.message_id is None or hit.snippet == title:  # the title says it all
        return replace(found, title_marks=hit.marks)
    place = _place(hit)
    marks = tuple((begin + len(place), end + len(place)) for begin, end in hit.marks)
    return replace(found, snippet=place + hit.snippet, marks=marks, title_marks=hit.title_marks)


def _place(hit: SearchHit) -> str:
    """ "report.pdf, page 3: ", where the words were found in a file."""
    if not hit.file:
        return ""
    page = f", {numbers_of(hit.unit, [hit.page])}" if hit.unit else ""
    return f"{hit.file}{page}: "
