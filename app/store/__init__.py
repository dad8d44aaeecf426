"""Chats on disk: one SQLite file, one writer thread, readers that never wait for it.

No Qt in here. `Store.open(path)` is the way in; everything else is plain frozen records.
"""

from app.store.backups import Backup, backups_of
from app.store.errors import StoreError
from app.store.records import Chat, Message, SearchHit, new_id
from app.store.salvage import Salvaged
from app.store.store import Store

__all__ = [
    "Backup",
    "Chat",
    "Message",
    "Salvaged",
    "SearchHit",
    "Store",
    "StoreError",
    "backups_of",
    "new_id",
]
