"""Folders, tags, pins, the archive, and the order of the chat list."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace
from PySide6.QtCore import QLocale

from app.settings.language import language_code, mark, tr
from app.store import ChatRecord, Folder, Store, new_id

_DAY = 86_400
_DAYS = (
    (mark("Today"), 0),
    (mark("Yesterday"), 1),
    (mark("Previous 7 Days"), 7),
    (mark("Previous 30 Days"), 30),
)
_FIRST_YEAR = 2000
ARCHIVE = "archive"


class ListEntry(NamedTuple):
    kind: str  # "heading", "folder", "archive", "group" or "chat"
    id: str  # ID of the chat or folder (for a group, of its first chat), or the text of a heading
    depth: int = 0  # indentation level
    group: str = ""  # ID of the group's row


class ListEntries(NamedTuple):
    entries: list[ListEntry]
    counts: dict[str, int]  # number of chats per folder ID, and in the archive
    groups: dict[str, list[str]]  # chat IDs per ID of the group's row


def entries(
    chats: Iterable[ChatRecord], folders: Sequence[Folder], unfolded: Collection[str]
) -> ListEntries:
    """Build the rows of the chat list in one pass over the chats.

    Args:
        chats: in list order, most recently used first.
        folders: sorted by name.
        unfolded: IDs of expanded folders and groups, may include ARCHIVE.
    """
    pinned: list[tuple[float, str, ChatRecord]] = []
    archived: list[ChatRecord] = []
    loose: list[ChatRecord] = []
    inside: dict[str | None, list[ChatRecord]] = {folder.id: [] for folder in folders}
    for chat in chats:
        if chat.archived_at is not None:
            archived.append(chat)
        elif chat.pinned_at is not None:
            pinned.append((chat.pinned_at, chat.id, chat))
        elif chat.folder_id is not None and chat.folder_id in inside:
            inside[chat.folder_id].append(chat)
        else:
            loose.append(chat)
    rows: list[ListEntry] = []
    grouping = _ChatGroups(unfolded)
    if pinned:
        rows.append(ListEntry("heading", tr("Pinned")))
        rows += grouping.entries_at(
            [chat for *_, chat in sorted(pinned, key=lambda p: p[:2])], "pinned"
        )
    counts = {ARCHIVE: len(archived)}
    if folders:
        rows.append(ListEntry("heading", tr("Folders")))
        for folder in folders:
            within = [f for f in folders if f.parent_id == folder.id]
            counts[folder.id] = sum(len(inside[f.id]) for f in (folder, *within))
            if folder.parent_id is None:
                rows += _folder_entries(folder, within, inside, grouping)
    headings = iter(day_headings())
    since, inf = float("inf"), float("inf")
    for chat, lines in grouping.entries_by_chat(loose, ""):
        if chat.updated_at < since or since == inf:
            heading, since = next((h, s) for h, s in headings if chat.updated_at >= s)
            rows.append(ListEntry("heading", heading))
        rows += lines
    if archived:
        rows.append(ListEntry("archive", ARCHIVE))
        if ARCHIVE in unfolded:
            rows += grouping.entries_at(archived, ARCHIVE, 1)
    return ListEntries(rows, counts, grouping.groups)


class _ChatGroups:
    def __init__(self, unfolded: Collection[str]) -> None:
        self.unfolded = unfolded
        self.groups: dict[str, list[str]] = {}

    def entries_at(
        self, chats: Sequence[ChatRecord], at_depth: str, depth: int = 0
    ) -> list[ListEntry]:
        return [line for _, lines in self.entries_by_chat(chats, at_depth, depth) for line in lines]

    def entries_by_chat(
        self, chats: Sequence[ChatRecord], at_depth: str, depth: int = 0
    ) -> Iterator[tuple[ChatRecord, list[ListEntry]]]:
        """Yield each chat with its rows. A group of chats is yielded once, with its first chat.

        ``at_depth`` identifies the parent row.
        """
        members: dict[str, list[ChatRecord]] = {}
        for chat in chats:
            if chat.group_id is not None:
                members.setdefault(chat.group_id, []).append(chat)
        for chat in chats:
            several = members.get(chat.group_id) if chat.group_id is not None else None
            if several is None or len(several) < 2:
                yield chat, [ListEntry("chat", chat.id, depth)]
                continue
            key = f"group {chat.group_id} {at_depth}"
            if key in self.groups:
                continue
            ids = [c.id for c in sorted(several, key=lambda c: (c.created_at, c.id))]
            self.groups[key] = ids
            visible_ids = ids if key in self.unfolded else ()
            inside = [ListEntry("chat", chat_id, depth + 1, key) for chat_id in visible_ids]
            yield chat, [ListEntry("group", key, depth), *inside]


def day_heading(updated_at: float, headings: Sequence[tuple[str, float]]) -> str:
    return next(heading for heading, since in headings if updated_at >= since)


def day_headings() -> list[tuple[str, float]]:
    today = time.localtime()
    year = today.tm_year

    def begin(year: int, month: int, day: int) -> float:
        return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))

    midnight = begin(year, today.tm_mon, today.tm_mday)
    headings = [(tr(heading), midnight - days * _DAY) for heading, days in _DAYS]
    for month in range(today.tm_mon, 0, -1):
        name = QLocale(language_code()).standaloneMonthName(month)
        headings.append((name[0].upper() + name[1:], begin(year, month, 1)))
    headings += [(str(past), begin(past, 1, 1)) for past in range(year - 1, _FIRST_YEAR - 1, -1)]
    return [*headings, (tr("Earlier"), float("-inf"))]


def _folder_entries(
    folder: Folder,
    within: Sequence[Folder],
    inside: dict[str | None, list[ChatRecord]],
    grouping: _ChatGroups,
    depth: int = 0,
) -> list[ListEntry]:
    rows = [ListEntry("folder", folder.id, depth)]
    if folder.id in grouping.unfolded:
        for child in within:
            rows += _folder_entries(child, (), inside, grouping, depth + 1)
        rows += grouping.entries_at(inside[folder.id], folder.id, depth + 1)
    return rows


def is_listed_differently(before: ChatRecord, after: ChatRecord) -> bool:
    return before.title != after.title or before.updated_at != after.updated_at


Undo = Callable[[], None]

MOST_TAGS, LONGEST_TAG = 12, 30


class ListedChats(Protocol):
    def chats(self) -> list[ChatRecord]: ...

    def chat(self, chat_id: str) -> ChatRecord | None: ...

    def change(self, changes: Mapping[str, Mapping[str, Any]]) -> None: ...

    def notify_listed(self) -> None: ...


class ChatOrganizer:
    """Changes folders, tags, pins and the archive. Each change is shown before it is stored."""

    def __init__(self, library: ListedChats, store: Store) -> None:
        self._library = library
        self._store = store
        self._folders = {folder.id: folder for folder in store.folders.list_all()}

    def folders(self) -> list[Folder]:
        return sorted(self._folders.values(), key=lambda f: (f.name.casefold(), f.id))

    def folder(self, folder_id: str | None) -> Folder | None:
        return self._folders.get(folder_id or "")

    def path(self, folder_id: str | None) -> str:
        folder = self.folder(folder_id)
        if folder is None:
            return ""
        above = self.folder(folder.parent_id)
        return f"{above.name} / {folder.name}" if above is not None else folder.name

    def pin(self, ids: Iterable[str], on: bool) -> Undo:
        """Pin or unpin chats. Pinned chats leave the archive."""
        changes: dict[str, Any] = {"pinned_at": time.time() if on else None}
        return self._change(ids, **changes, **({"archived_at": None} if on else {}))

    def archive(self, ids: Iterable[str], on: bool) -> Undo:
        changes: dict[str, Any] = {"archived_at": time.time() if on else None}
        return self._change(ids, **changes, **({"pinned_at": None} if on else {}))

    def move(self, ids: Iterable[str], folder_id: str | None) -> Undo:
        """Move chats to a folder, or to no folder. Archived chats leave the archive; pins stay."""
        target_id = folder_id if folder_id in self._folders else None
        return self._change(ids, folder_id=target_id, archived_at=None)

    def group(self, variants: Mapping[str, str]) -> None:
        group_id = new_id()
        self._library.change(
            {i: {"group_id": group_id, "variant": words} for i, words in variants.items()}
        )

    def ungroup(self, ids: Iterable[str]) -> Undo:
        return self._change(ids, group_id=None)

    def tag(self, ids: Iterable[str], tags: Sequence[str]) -> Undo:
        return self._change(ids, tags=tidy_tags(tags))

    def tags(self) -> list[str]:
        return sorted({tag for chat in self._library.chats() for tag in chat.tags})

    def _change(self, ids: Iterable[str], **fields: Any) -> Undo:
        before = {
            chat.id: {name: getattr(chat, name) for name in fields}
            for chat in map(self._library.chat, list(ids))
            if chat is not None
        }
        self._library.change(dict.fromkeys(before, fields))
        return lambda: self._library.change(before)

    def make(self, name: str, parent_id: str | None = None, folder_id: str = "") -> Folder:
        """Create a folder. If its parent is nested, the new folder becomes the parent's sibling."""
        above = self.folder(parent_id)
        if above is not None and above.parent_id is not None:
            above = self.folder(above.parent_id)
        folder = Folder(folder_id or new_id(), name, above.id if above is not None else None)
        self._save_folder(folder)
        return folder

    def rename(self, folder_id: str, name: str) -> None:
        folder = self.folder(folder_id)
        if folder is not None and name:
            self._save_folder(replace(folder, name=name))

    def can_nest(self, folder_id: str, parent_id: str | None) -> bool:
        above = self.folder(parent_id)
        holds = any(f.parent_id == folder_id for f in self._folders.values())
        return parent_id is None or (
            above is not None and above.parent_id is None and above.id != folder_id and not holds
        )

    def move_folder(self, folder_id: str, parent_id: str | None) -> Undo:
        folder = self.folder(folder_id)
        if folder is None or not self.can_nest(folder_id, parent_id):
            return lambda: None
        self._save_folder(replace(folder, parent_id=parent_id))
        return lambda: self._save_folder(folder)

    def delete(self, folder_id: str) -> Undo:
        """Delete a folder and move its contents to the folder's parent."""
        folder = self.folder(folder_id)
        if folder is None:
            return lambda: None
        within = [f for f in self._folders.values() if f.parent_id == folder_id]
        chat_ids = [c.id for c in self._library.chats() if c.folder_id == folder_id]
        with self._store.transaction():
            for child in within:
                self._save_folder(replace(child, parent_id=folder.parent_id), notify=False)
            put_back = self._change(chat_ids, folder_id=folder.parent_id)
            del self._folders[folder_id]
            self._store.folders.delete(folder_id)
        self._library.notify_listed()

        def undo() -> None:
            with self._store.transaction():
                for child in (folder, *within):
                    self._save_folder(child, notify=False)
                put_back()
            self._library.notify_listed()

        return undo

    def refresh(self) -> None:
        self._folders = {folder.id: folder for folder in self._store.folders.list_all()}

    def _save_folder(self, folder: Folder, *, notify: bool = True) -> None:
        self._folders[folder.id] = folder
        self._store.folders.save(folder)
        if notify:
            self._library.notify_listed()


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    tags_by_key: dict[str, str] = {}
    for tag in tags:
        word = " ".join(tag.replace(",", " ").replace("#", " ").split())[:LONGEST_TAG].strip()
        if word:
            tags_by_key.setdefault(word.casefold(), word)
    return tuple(list(tags_by_key.values())[:MOST_TAGS])


def shared_tags(chats: Iterable[ChatRecord]) -> set[str]:
    sets = [set(chat.tags) for chat in chats]
    return set.intersection(*sets) if sets else set()
