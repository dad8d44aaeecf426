from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from msgspec.structs import replace

from app.chats.images import add_thumbnail
from app.chats.importing import chatgpt, claude, lmstudio, webui
from app.chats.importing.import_reader import Reader
from app.chats.importing.import_tree import ImportedChat, get_own_id, replace_foreign_ids
from app.chats.importing.report import Report
from app.chats.referenced_chats import FOLLOWS
from app.settings.language import number, tr
from app.store import FORMAT, VERSION, ChatRecord, Folder, Store, StoreError, chat_from_json
from app.store.attachments import AttachedText, Attachment, images_from_json, texts_from_json
from app.store.portable import folders_from_json
from app.store.records import storable_chat, storable_text

Item = dict[str, Any]
PROGRAMS: tuple[tuple[Callable[[Item], bool], Callable[[Item], ImportedChat]], ...] = (
    (chatgpt.is_mine, chatgpt.read),
    (claude.is_mine, claude.read),
    (webui.is_mine, webui.read),
    (lmstudio.is_mine, lmstudio.read),
)
OURS = "Stretto"
_BATCH_CHATS, _BATCH_CHARACTERS = 200, 4_000_000
_FLUSH_S = 120.0
LONGEST_WRITTEN = 1_000_000
_UNFIT = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)


@dataclass
class Import:
    paths: Sequence[Path]  # JSON files, zip files, or folders
    model: str = ""  # for chats without a known model
    reader: Reader = field(init=False)
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.reader = Reader(self.paths, self.stop)

    def run(self, store: Store) -> Report:
        """Import all readable chats and report errors. If stopped, the chats imported so far are
        kept.
        """
        report = Report()
        trashed_by_id = {c.id: c.deleted_at is not None for c in store.chats(include_deleted=True)}
        batch, folders = _Batch(store, report), _Folders(store, report)
        counts: Counter[str] = Counter()
        try:
            store.flush(_FLUSH_S)  # the check for existing message IDs must see all messages
            for name, head, item in self.reader.items():
                counts[name] += 1
                where = _describe_place(name, counts[name])
                imported_chat = _convert(head, item, name, where, report)
                if imported_chat is None:
                    continue
                if imported_chat.chat.id in trashed_by_id:
                    report.known += 1
                    report.trashed += trashed_by_id[imported_chat.chat.id]
                    continue
                trashed_by_id[imported_chat.chat.id] = False
                if imported_chat.source == OURS:
                    folder_id = folders.local_id(imported_chat.chat.folder_id, head)
                    imported_chat.chat = replace(imported_chat.chat, folder_id=folder_id)
                else:
                    by = "person" if imported_chat.chat.title else ""
                    imported_chat.chat = replace(imported_chat.chat, model=self.model, titled_by=by)
                try:
                    batch.add(imported_chat)
                except _UNFIT:
                    report.add_fault(tr("{where}: can’t be saved.", where=where))
            batch.write()
        except StoreError as error:
            report.add_fault(error.message)
        for fault in self.reader.faults:
            report.add_fault(fault)
        report.stopped = self.stop.is_set()
        return report


class _Folders:
    def __init__(self, store: Store, report: Report) -> None:
        self._store = store
        self._report = report
        self._by_id = {folder.id: folder for folder in store.folders.list_all()}
        self._local_ids: dict[str, str] = {}
        self._head: dict[str, Any] | None = None
        self._listed_folders: dict[str, Folder] = {}

    def local_id(self, folder_id: str | None, head: dict[str, Any]) -> str | None:
        """Return the local ID of a folder in the file, or None if the file doesn't describe it."""
        if head is not self._head:
            self._head, self._local_ids = head, {}
            self._listed_folders = {f.id: f for f in folders_from_json(head.get("folders"))}
        if folder_id is None or folder_id not in self._listed_folders:
            return None
        if folder_id not in self._local_ids:
            self._local_ids[folder_id] = self._find_or_create(self._listed_folders[folder_id])
        return self._local_ids[folder_id]

    def _find_or_create(self, folder: Folder) -> str:
        parent = self.local_id(folder.parent_id, self._head or {})
        if folder.id in self._by_id:
            return folder.id
        for existing in self._by_id.values():
            if (existing.name, existing.parent_id) == (folder.name, parent):
                return existing.id
        folder_id = get_own_id(OURS, "folder", folder.id)
        if folder_id in self._by_id:
            return folder_id
        created = self._by_id[folder_id] = replace(folder, id=folder_id, parent_id=parent)
        self._store.folders.save(created)
        self._report.folders.append(created)
        return created.id


class _Batch:
    def __init__(self, store: Store, report: Report) -> None:
        self._store = store
        self._report = report
        self._chats, self._size = list[ImportedChat](), 0
        self._ids: set[str] = set()

    def add(self, imported_chat: ImportedChat) -> None:
        if not self._ids.isdisjoint(m.id for m in imported_chat.messages):
            self.write()
        messages = self._store.exchange.replace_used_ids(imported_chat.messages)
        if messages != imported_chat.messages:
            ids = dict(
                zip((m.id for m in imported_chat.messages), (m.id for m in messages), strict=True)
            )
            chat = imported_chat.chat
            imported_chat.chat = replace(
                chat, leaf_id=ids.get(chat.leaf_id or ""), edited_id=ids.get(chat.edited_id or "")
            )
            imported_chat.messages = messages
        self._chats.append(imported_chat)
        self._ids.update(m.id for m in messages)
        self._size += imported_chat.character_count
        if len(self._chats) >= _BATCH_CHATS or self._size >= _BATCH_CHARACTERS:
            self.write()

    def write(self) -> None:
        chats, self._chats, self._size = self._chats, [], 0
        self._ids.clear()
        if not chats:
            return
        texts = [text for item in chats for text in item.texts]
        images = [image for item in chats for image in item.images]
        self._store.exchange.add_chats(
            [(item.chat, item.messages) for item in chats], texts, images
        )
        for imported_chat in chats:
            self._report.imported.append(imported_chat.chat)
            self._report.messages += len(imported_chat.messages)
            self._report.sources[imported_chat.source] += 1
            self._report.skipped += imported_chat.skipped
        self._store.flush(_FLUSH_S)  # after a timeout, the writer stores them later


def _describe_place(name: str, position: int) -> str:
    return tr("{file}, chat {number}", file=name, number=number(position))


def _convert(
    head: dict[str, Any], item: Any, name: str, where: str, report: Report
) -> ImportedChat | None:
    """Convert a conversation, or report why that failed and return None."""
    if item is None:
        report.add_fault(tr("{where}: too long.", where=where))
        return None
    if not isinstance(item, dict):
        report.add_fault(tr("{where}: not a chat.", where=where))
        return None
    try:
        if head.get("format") == FORMAT:
            return _read_own_export(head, item, name, report)
        for is_mine, read in PROGRAMS:
            if is_mine(item):
                imported_chat = read(item)
                if imported_chat.messages:
                    return imported_chat
                report.skipped["empty conversations"] += 1
                report.skipped += imported_chat.skipped
                return None
    except _UNFIT as error:
        reason = str(error) if head.get("format") == FORMAT else type(error).__name__
        report.add_fault(tr("{where}: damaged ({why}).", where=where, why=reason[:120]))
        return None
    report.add_fault(tr("{where}: unknown format.", where=where))
    return None


def _read_own_export(
    head: dict[str, Any], item: Item, name: str, report: Report
) -> ImportedChat | None:
    version = head.get("version")
    if not isinstance(version, int) or version > VERSION:
        file = name.partition(",")[0]
        sentence = tr("{file}: saved by a newer version of Stretto.", file=file)
        if sentence not in report.faults:
            report.add_fault(sentence)
        return None
    if item is head:
        report.add_fault(tr("{where}: not a chat.", where=_describe_place(name, 1)))
        return None  # the file contains no chats
    chat, messages = replace_foreign_ids(OURS, *chat_from_json(item))
    chat = replace(chat, params={k: v for k, v in chat.params.items() if k != FOLLOWS})
    texts = [*texts_from_json(item.get("texts")).values()]
    images = [add_thumbnail(image) for image in images_from_json(item.get("images"))]
    return _move_long_texts_to_files(ImportedChat(OURS, chat, messages, texts=texts, images=images))


def _move_long_texts_to_files(imported_chat: ImportedChat) -> ImportedChat:
    """Turn texts that are too long for the composer into attached files."""
    chat = imported_chat.chat
    for text, files in (("draft", "draft_attachments"), ("edited_text", "edited_attachments")):
        if len(written := getattr(chat, text)) > LONGEST_WRITTEN:
            file = _text_to_file(written, imported_chat)
            changes: dict[str, Any] = {text: "", files: (*getattr(chat, files), file)}
            chat = replace(chat, **changes)
    queue = [
        replace(
            item, text="", attachments=(*item.attachments, _text_to_file(item.text, imported_chat))
        )
        if len(item.text) > LONGEST_WRITTEN
        else item
        for item in chat.queued
    ]
    imported_chat.chat = replace(chat, queued=tuple(queue))
    return imported_chat


def _text_to_file(written: str, imported_chat: ImportedChat) -> Attachment:
    content = AttachedText("", (storable_text(written),))
    imported_chat.texts.append(content)
    return Attachment(tr("Pasted text"), "text", content.hash, characters=len(written))


def undo(
    store: Store, imported: Sequence[ChatRecord], stop: Event, folders: Sequence[Folder] = ()
) -> tuple[int, int]:
    """Undo an import. Return the number of erased chats and of chats moved to the trash.

    Chats that were changed since the import are moved to the trash. Folders that the import created
    are deleted if they are empty.
    """
    removed, trashed = 0, 0
    batch: list[str] = []
    for chat in imported:
        if stop.is_set():
            break
        now = store.chat(chat.id)
        if now is None or now.deleted_at is not None:
            continue
        if now != storable_chat(chat):
            store.trash.delete(chat.id)
            trashed += 1
            continue
        batch.append(chat.id)
        removed += 1
        if len(batch) == _BATCH_CHATS:
            store.exchange.remove_chats(batch)
            store.flush(_FLUSH_S)
            batch = []
    store.exchange.remove_chats(batch)
    used = {chat.folder_id for chat in store.chats(include_deleted=True)}
    used |= {folder.parent_id for folder in store.folders.list_all() if folder not in folders}
    for folder in sorted(folders, key=lambda f: f.parent_id is None):  # top-level folders last
        if folder.id not in used:
            store.folders.delete(folder.id)
        else:
            used.add(folder.parent_id)
    return removed, trashed
