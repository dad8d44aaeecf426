"""The order of the list of chats: pinned, folders, days, archive. Plain values, no Qt."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from app.language import mark, tr
from app.store import Chat, Folder

_DAY = 86_400
_DAYS = (
    (mark("Today"), 0),
    (mark("Yesterday"), 1),
    (mark("Earlier this week"), 7),
    (mark("This month"), 30),
)
ARCHIVE = "archive"
"""The id of the entry that holds the archive."""


class Entry(NamedTuple):
    """One line.

    Attributes:
        kind: "heading", "folder", "archive" or "chat".
        id: the chat's, the folder's, or the words of a heading.
        depth: how far it is indented.
    """

    kind: str
    id: str
    depth: int = 0


def entries(
    chats: Iterable[Chat], folders: Sequence[Folder], unfolded: Collection[str]
) -> tuple[list[Entry], dict[str, int]]:
    """The lines of the list, and how many chats are in each folder and in the archive.

    One pass over the chats: with ten thousand of them it is felt.

    Args:
        chats: in the order in which they are to stand, the latest used first.
        folders: by name.
        unfolded: ids of folders, and ARCHIVE, of which the inside is shown.
    """
    pinned: list[tuple[float, str]] = []
    archived: list[str] = []
    days: list[Entry] = []
    inside: dict[str | None, list[str]] = {folder.id: [] for folder in folders}
    headings = iter(day_headings())
    since, inf = float("inf"), float("inf")
    for chat in chats:
        if chat.archived_at is not None:
            archived.append(chat.id)
        elif chat.pinned_at is not None:
            pinned.append((chat.pinned_at, chat.id))
        elif chat.folder_id is not None and chat.folder_id in inside:
            inside[chat.folder_id].append(chat.id)
        else:
            if chat.updated_at < since or since == inf:
                heading, since = next((h, s) for h, s in headings if chat.updated_at >= s)
                days.append(Entry("heading", heading))
            days.append(Entry("chat", chat.id))
    found: list[Entry] = []
    if pinned:
        found.append(Entry("heading", tr("Pinned")))
        found += [Entry("chat", chat_id) for _, chat_id in sorted(pinned)]
    counts = {ARCHIVE: len(archived)}
    if folders:
        found.append(Entry("heading", tr("Folders")))
        for folder in folders:
            within = [f for f in folders if f.parent_id == folder.id]
            counts[folder.id] = sum(len(inside[f.id]) for f in (folder, *within))
            if folder.parent_id is None:
                found += _folder(folder, within, inside, unfolded)
    found += days
    if archived:
        found.append(Entry("archive", ARCHIVE))
        if ARCHIVE in unfolded:
            found += [Entry("chat", chat_id, 1) for chat_id in archived]
    return found, counts


def day_heading(updated_at: float, headings: Sequence[tuple[str, float]]) -> str:
    """The one of `day_headings` that a chat stands under."""
    return next(heading for heading, since in headings if updated_at >= since)


def day_headings() -> list[tuple[str, float]]:
    """Today, Yesterday, and so on to Earlier, each with the time from which on it holds."""
    today = time.localtime()
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    named = [(tr(heading), midnight - days * _DAY) for heading, days in _DAYS]
    return [*named, (tr("Earlier"), float("-inf"))]


def _folder(
    folder: Folder,
    within: Sequence[Folder],
    inside: dict[str | None, list[str]],
    unfolded: Collection[str],
    depth: int = 0,
) -> list[Entry]:
    found = [Entry("folder", folder.id, depth)]
    if folder.id in unfolded:
        for other in within:
            found += _folder(other, (), inside, unfolded, depth + 1)
        found += [Entry("chat", chat_id, depth + 1) for chat_id in inside[folder.id]]
    return found


def listed_differently(before: Chat, after: Chat) -> bool:
    """Whether the list shows the chat in other words, or elsewhere."""
    return before.title != after.title or before.updated_at != after.updated_at
