"""Folders and order of chats, also after a migration."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from app.store import ChatRecord, Folder, Store, new_id
from app.store.migrations import STEPS
from tests.waiting import until


def test_migration_to_folders_marks_titles_as_typed(file: Path):
    db = sqlite3.connect(file, isolation_level=None)
    for number, step in enumerate(STEPS[:6], start=1):
        step(db)
        db.execute(f"PRAGMA user_version = {number}")
    db.execute(
        "INSERT INTO chats (id, title, model, system, params, draft, created_at, updated_at) "
        "VALUES ('old', 'Old', '', '', '{}', '', 1.0, 2.0)"
    )
    db.close()
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert (chat.title, chat.titled_by) == ("Old", "person")
        assert (chat.folder_id, chat.pinned_at, chat.archived_at, chat.tags) == (None,) * 3 + ((),)
        until(lambda: store.is_settled)
        assert [backup.before_update for backup in store.backups()] == [True]


def test_folders_and_places_are_kept(file: Path):
    chat = ChatRecord(new_id(), folder_id="b", pinned_at=1.5, tags=("x", "y"), titled_by="model")
    folders = [Folder("a", "Work \ud800"), Folder("b", "In it", "a"), Folder("c", "Lost", "gone")]
    with Store.open(file) as store:
        for folder in folders:
            store.folders.save(folder)
        store.save_chat(chat)
        store.update_chat(chat.id, tags=("x", "\ud800z"), archived_at=2.5)
        before = store.folders.list_all(), store.chats()
        assert before[0] == [Folder("b", "In it", "a"), Folder("c", "Lost"), Folder("a", "Work �")]
    with Store.open(file) as store:
        assert (store.folders.list_all(), store.chats()) == before
        assert store.chats()[0].tags == ("x", "�z")
        store.folders.delete("a")
        assert [f.id for f in store.folders.list_all()] == ["b", "c"]
