"""Chats in one SQLite file, with a writer thread and readers that never wait for it.

Start with `Store.open(path)`. Records are plain frozen values, and nothing here uses Qt.

Imports: app.settings.
"""

from app.store.attachments import (
    AttachedText,
    Attachment,
    Attachments,
    Queued,
    Span,
    StoredImage,
    has_images,
    has_sounds,
)
from app.store.backups import Backup, backups_of
from app.store.errors import StoreError
from app.store.portable import FORMAT, VERSION, chat_from_json, chat_to_json, to_text
from app.store.records import (
    UNTITLED,
    ChatRecord,
    Folder,
    Message,
    SearchHit,
    new_id,
    stored_number,
    title_from,
)
from app.store.salvage import Salvaged
from app.store.search import places_in
from app.store.store import Store

__all__ = [
    "FORMAT",
    "UNTITLED",
    "VERSION",
    "AttachedText",
    "Attachment",
    "Attachments",
    "Backup",
    "ChatRecord",
    "Folder",
    "Message",
    "Queued",
    "Salvaged",
    "SearchHit",
    "Span",
    "Store",
    "StoreError",
    "StoredImage",
    "backups_of",
    "chat_from_json",
    "chat_to_json",
    "has_images",
    "has_sounds",
    "new_id",
    "places_in",
    "stored_number",
    "title_from",
    "to_text",
]
