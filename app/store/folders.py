"""Folders of chats, with one level of nesting."""

import sqlite3
from collections.abc import Iterable, Sequence

from app.store.operations import Operation, View
from app.store.readers import Readers, queued_view
from app.store.records import Folder, storable_text
from app.store.writer import StoreWriter


class SaveFolder(Operation, frozen=True):
    folder: Folder

    def write(self, db: sqlite3.Connection) -> None:
        db.execute(
            "INSERT INTO folders (id, name, parent_id) VALUES (?, ?, ?) ON CONFLICT (id) "
            "DO UPDATE SET name = excluded.name, parent_id = excluded.parent_id",
            (self.folder.id, self.folder.name, self.folder.parent_id),
        )

    def apply_to(self, view: View) -> None:
        view.folders[self.folder.id] = self.folder


class DeleteFolder(Operation, frozen=True):
    folder_id: str

    def write(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM folders WHERE id = ?", (self.folder_id,))

    def apply_to(self, view: View) -> None:
        view.folders[self.folder_id] = None


class Folders:
    def __init__(self, writer: StoreWriter, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def list_all(self) -> list[Folder]:
        """Return all folders by name. Folders with a missing parent move to the top level."""
        waiting = queued_view(self._writer)
        with self._readers.reading() as db:
            rows = db.execute("SELECT id, name, parent_id FROM folders")
            by_id: dict[str, Folder | None] = {row[0]: Folder(*row) for row in rows}
        folders = [f for f in (by_id | waiting.folders).values() if f is not None]
        ids = {f.id for f in folders}
        sound = [f if f.parent_id in ids else Folder(f.id, f.name) for f in folders]
        return sorted(sound, key=lambda f: (f.name.casefold(), f.id))

    def save(self, folder: Folder) -> None:
        name = storable_text(folder.name)
        self._writer.add(SaveFolder(Folder(folder.id, name, folder.parent_id)))

    def delete(self, folder_id: str) -> None:
        self._writer.add(DeleteFolder(folder_id))


def with_parents(folders: Sequence[Folder], ids: Iterable[str | None]) -> list[Folder]:
    """Return the folders with these IDs and their parents."""
    by_id = {folder.id: folder for folder in folders}
    selection: dict[str, Folder] = {}
    for start in ids:
        folder_id = start
        while folder_id is not None and folder_id in by_id and folder_id not in selection:
            selection[folder_id] = by_id[folder_id]
            folder_id = by_id[folder_id].parent_id
    return sorted(selection.values(), key=lambda f: (f.parent_id is not None, f.name, f.id))
