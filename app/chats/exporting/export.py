from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from threading import Event
from typing import IO, Any

from msgspec import Struct, field

from app.chats.exporting.export_formats import (
    html_page,
    markdown_lines,
    plain_text_lines,
    write_pdf,
)
from app.settings.language import tr
from app.store import FORMAT, VERSION, ChatRecord, Folder, Message, Store, chat_to_json, to_text
from app.store.folders import with_parents
from app.store.portable import collect_attachments, folders_to_json

_LONGEST = 80  # characters of a file name, without extension
_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200b-\u200f\u2028-\u202e\u2066-\u2069]+')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


class ExportFormat(Enum):
    JSON = ".json"
    MARKDOWN = ".md"
    HTML = ".html"
    TEXT = ".txt"
    PDF = ".pdf"


class StoppedError(Exception):
    pass


class ExportError(Exception):
    pass


class Progress(Struct):
    """Progress of an export. The export thread updates it and other threads read it."""

    done: int = 0
    total: int = 0


class Export(Struct):
    ids: Sequence[str]  # chat IDs. JSON has one file for all, other formats have one per chat
    kind: ExportFormat
    target: Path  # file, or new folder for several chats
    # JSON always includes the reasoning.
    thoughts: bool = False
    progress: Progress = field(default_factory=Progress)

    @property
    def folder(self) -> bool:
        return self.kind is not ExportFormat.JSON and len(self.ids) != 1

    def run(self, store: Store, stop: Event) -> Path:
        """Export to a temporary path, then rename it to the target. Return the final path.

        Missing chats are skipped.

        Raises: StoppedError, ExportError if writing fails, StoreError if a chat can't be read.
        """
        self.progress.total = len(self.ids)
        part = self.target.with_name(f".{self.target.name[:80]}.part")
        try:
            _remove(part)
            if self.folder:
                part.mkdir()
                self._write_folder(part, store, stop)
                target = _find_free_name(self.target)
            else:
                self._write_file(part, store, stop)
                target = self.target
            if stop.is_set():
                raise StoppedError
            os.replace(part, target)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            words = tr("“{file}” couldn’t be saved: {why}.", file=self.target.name, why=reason)
            raise ExportError(words) from None
        finally:
            _remove(part)
        return target

    def _chats(self, store: Store, stop: Event) -> Iterator[tuple[ChatRecord, list[Message]]]:
        for chat_id in self.ids:
            if stop.is_set():
                raise StoppedError
            chat = store.chat(chat_id)
            if chat is not None and chat.deleted_at is None:
                yield chat, store.messages(chat_id)
            self.progress.done += 1

    def _write_file(self, part: Path, store: Store, stop: Event) -> None:
        if self.kind is ExportFormat.JSON:
            with part.open("w", encoding="utf-8", newline="\n") as file:
                used = {c.folder_id for c in map(store.chat, self.ids) if c is not None}
                folders = with_parents(store.folders.list_all(), used)
                write_json(file, folders, self._chats(store, stop), store)
                file.flush()
                os.fsync(file.fileno())
            return
        for chat, messages in self._chats(store, stop):
            self._write_one(part, chat, messages_to_export(chat, messages), stop)
        if not part.exists():
            raise ExportError(tr("The chat no longer exists."))

    def _write_folder(self, part: Path, store: Store, stop: Event) -> None:
        used_names: set[str] = set()
        for chat, messages in self._chats(store, stop):
            name = file_name(chat.title and chat.display_title, used_names)
            used_names.add(name.casefold())
            path = part / f"{name}{self.kind.value}"
            self._write_one(path, chat, messages_to_export(chat, messages), stop)

    def _write_one(
        self, path: Path, chat: ChatRecord, messages: list[Message], stop: Event
    ) -> None:
        if self.kind is ExportFormat.PDF:
            if not write_pdf(path, chat, messages, stop, thoughts=self.thoughts):
                raise StoppedError
            return
        write: Callable[..., Iterator[str]] = {
            ExportFormat.MARKDOWN: markdown_lines,
            ExportFormat.HTML: html_page,
            ExportFormat.TEXT: plain_text_lines,
        }[self.kind]
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for piece in write(chat, messages, thoughts=self.thoughts):
                if stop.is_set():
                    raise StoppedError
                file.write(piece)


def write_json(
    file: IO[str],
    folders: Sequence[Folder],
    chats: Iterator[tuple[ChatRecord, list[Message]]],
    store: Store,
) -> None:
    """Write chats in the format of `app/store/FORMAT.md`. ``store`` provides the attached files."""
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "exported_at": time.time()}
    head["folders"] = folders_to_json(folders)
    file.write(to_text(head)[:-1] + ', "chats": [')
    for number, (chat, messages) in enumerate(chats):
        file.write(",\n" if number else "\n")
        files = collect_attachments(chat, messages)
        contents = (store.texts.get_all(files), store.images.get_all(files))
        file.write(to_text(chat_to_json(chat, messages, *contents)))
    file.write("\n]}\n")


def messages_to_export(chat: ChatRecord, messages: list[Message]) -> list[Message]:
    remaining = {m.id: m for m in messages if m.deleted_at is None}
    path: list[Message] = []
    message_id = chat.leaf_id
    while message_id is not None and (message := remaining.pop(message_id, None)) is not None:
        path.append(message)
        message_id = message.parent_id
    return path[::-1]


def file_name(title: str, used_names: set[str] | None = None) -> str:
    """Return an unused file name for a title, valid on all systems and without an extension."""
    name = " ".join(_UNFIT.sub(" ", title).split())[:_LONGEST].strip(". ")
    if not name or _RESERVED.match(name):
        name = tr("Chat {name}", name=name).strip()
    while len(name.encode()) > 200:  # file systems limit the length in bytes
        name = name[:-1]
    number, free = 1, name
    while free.casefold() in (used_names or ()):
        number += 1
        free = f"{name} {number}"
    return free


def _find_free_name(folder: Path) -> Path:
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name} {number}")
    return free


def _remove(part: Path) -> None:
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
