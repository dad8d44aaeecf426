"""File texts: stored once, kept while referenced, then erased."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest
from msgspec.structs import replace

from app.store import (
    AttachedText,
    Attachment,
    ChatRecord,
    Message,
    Store,
    StoredImage,
    attachments,
    file_index,
    new_id,
)
from app.store.attachments import attachments_from_json, text_from_json
from app.store.file_index import MOST
from app.store.index import PASSAGE, PIECE
from app.store.migrations import STEPS, migrate
from app.store.salvage import salvage
from tests.app.store.test_store_trash import settle

TEXT = AttachedText("page", ("Zanzibar", "Two"))
OTHER = AttachedText("", ("Xylophone",))


def of(text: AttachedText) -> Attachment:
    return Attachment("a.pdf", "PDF", text.hash, text.unit, len(text.pages), 11)


def say(store: Store, *texts: AttachedText) -> Message:
    chat = ChatRecord(new_id())
    message = Message(new_id(), chat.id, attachments=tuple(map(of, texts)))
    with store.transaction():
        store.save_chat(chat)
        for text in texts:
            store.texts.save(text)
        store.save_message(message, as_leaf=True)
    return message


def kept(file: Path) -> int:
    with closing(connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM attached").fetchone()[0])


def test_text_is_stored_once_for_all_chats(store: Store, file: Path) -> None:
    one, two = say(store, TEXT), say(store, TEXT, OTHER)
    assert store.texts.get(TEXT.hash) == TEXT  # not on disk yet
    store.flush()
    assert kept(file) == 2
    assert store.messages(one.chat_id) == [one]
    assert store.texts.get_all([two.attachments]) == {TEXT.hash: TEXT, OTHER.hash: OTHER}
    assert store.texts.get("0" * 64) is None


def test_stored_text_without_unit_is_read() -> None:
    assert text_from_json({"pages": ["Xylophone"]}) == OTHER


def test_text_is_deleted_with_its_last_chat(store: Store, file: Path) -> None:
    one, two = say(store, TEXT), say(store, TEXT)
    store.trash.erase([one.chat_id])
    assert store.texts.get(TEXT.hash) == TEXT
    store.trash.delete(two.chat_id)
    store.flush()
    assert store.texts.get(TEXT.hash) == TEXT  # the trash can still restore it
    store.trash.erase([two.chat_id])
    store.flush()
    assert store.texts.get(TEXT.hash) is None
    assert kept(file) == 0


def test_erased_text_is_not_left_in_the_file(file: Path) -> None:
    with Store.open(file) as store:
        say(store, OTHER)
        message = say(store, TEXT)
        settle(store)
        assert [hit.message_id for hit in store.search("zanzibar")] == [message.id]
        assert any(b"Zanzibar" in each.read_bytes() for each in file.parent.glob("chats.db*"))
        store.trash.erase([message.chat_id])
        store.flush()
    with Store.open(file) as store:
        settle(store)
    left = b"".join(f.read_bytes() for f in file.parent.rglob("*") if f.is_file())
    assert b"Zanzibar" not in left
    assert b"zanzibar" not in left, "nor in the index"
    assert b"Xylophone" in left


def test_draft_file_is_kept_until_removed(store: Store) -> None:
    chat = ChatRecord(new_id(), draft_attachments=(of(TEXT),), edited_attachments=(of(OTHER),))
    with store.transaction():
        store.texts.save(TEXT)
        store.texts.save(OTHER)
        store.save_chat(chat)
    store.texts.forget_unused()
    store.flush()
    assert store.chat(chat.id) == chat
    assert store.texts.get(TEXT.hash) == TEXT
    store.save_chat(replace(chat, draft_attachments=()))
    store.flush()
    store.texts.forget_unused()
    assert store.texts.get(OTHER.hash) == OTHER
    store.flush()
    assert store.texts.get(TEXT.hash) is None


def test_older_database_has_no_attachments(file: Path) -> None:
    with closing(connect(file, isolation_level=None)) as db:
        for number, step in enumerate(STEPS[: STEPS.index(attachments.create)], 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(
            "INSERT INTO chats (id, title, model, system, params, draft, created_at, "
            "updated_at) VALUES ('c', '', '', '', '{}', '', 1.0, 1.0)"
        )
        migrate(db)
    with Store.open(file) as store:
        assert store.chats() == [
            ChatRecord("c", created_at=1.0, updated_at=1.0, titled_by="person")
        ]


def test_salvage_keeps_attachments(file: Path) -> None:
    with Store.open(file) as store:
        message = say(store, TEXT)
    salvage(file)
    with Store.open(file) as store:
        assert store.messages(message.chat_id) == [message]
        assert store.texts.get(TEXT.hash) == TEXT


def test_search_finds_file_text_with_its_page(store: Store) -> None:
    pages = AttachedText("page", ("The cover", "", "An Ünusual **narwhal** swims"))
    one, two = say(store, pages), say(store, pages, OTHER)
    settle(store)
    hits = store.search("narwhal unusual")
    assert [hit.message_id for hit in hits] == [two.id, one.id], "the chat used last first"
    assert {(hit.file, hit.unit, hit.page) for hit in hits} == {("a.pdf", "page", 3)}
    assert [hits[0].snippet[a:b] for a, b in hits[0].marks] == ["Ünusual", "narwhal"]
    assert [hit.chat_id for hit in store.search("xylo")] == [two.chat_id]
    assert store.search("cover narwhal") == [], "words stand together on a page"
    said = Message(new_id(), one.chat_id, content="a narwhal, said aloud")
    store.save_message(said)
    (first,) = [hit for hit in store.search("narwhal") if hit.chat_id == one.chat_id]
    assert (first.message_id, first.file) == (said.id, ""), "what was said goes before files"
    assert store.search("narwhal from:assistant") == []
    store.delete_messages(two.chat_id, [two.id], None)
    assert two.chat_id not in {hit.chat_id for hit in store.search("narwhal")}


def test_large_file_is_indexed_in_pieces_up_to_a_limit(store: Store, file: Path) -> None:
    whole = "filling words " * (PIECE // 14 + 10) + " narwhal " + "filling words " * (MOST // 14)
    message = say(store, AttachedText("", (whole + " quokka",)))
    other = say(store, AttachedText("page", (*("",) * 2_000, "filling", "the okapi")))
    settle(store)
    assert [hit.message_id for hit in store.search("narwhal")] == [message.id]
    assert [(hit.message_id, hit.page) for hit in store.search("okapi")] == [(other.id, 2_002)]
    assert store.search("quokka") == []
    with closing(connect(file)) as db:
        assert db.execute("SELECT max(length(text)) FROM file_passages").fetchone()[0] <= PASSAGE
        assert db.execute("SELECT sum(length(text)) FROM file_passages").fetchone()[0] < MOST + 99


def test_files_of_an_earlier_version_are_found(file: Path) -> None:
    with closing(connect(file, isolation_level=None)) as db:
        for number, step in enumerate(STEPS[: STEPS.index(file_index.create_files_index)], 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("INSERT INTO attached VALUES (?, ?)", (TEXT.hash, TEXT.to_text()))
        db.execute("INSERT INTO attached VALUES ('damaged', '{')")
        migrate(db)
    with Store.open(file) as store:
        message = say(store, TEXT)
        settle(store)
        assert [hit.message_id for hit in store.search("zanzibar")] == [message.id]


IMAGE = StoredImage(b"\x89PNG of a lake", b"small")


def picture(image: StoredImage, name: str = "lake_2026.png") -> Attachment:
    return Attachment(name, "PNG", image.hash, width=40, height=20)


def show(store: Store, image: StoredImage) -> Message:
    chat = ChatRecord(new_id())
    message = Message(new_id(), chat.id, attachments=(picture(image),))
    with store.transaction():
        store.save_chat(chat)
        store.images.save(image)
        store.save_message(message, as_leaf=True)
    return message


def images_in(file: Path) -> int:
    with closing(connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM images").fetchone()[0])


def test_image_is_stored_once_until_its_last_message(store: Store, file: Path) -> None:
    one, two = show(store, IMAGE), show(store, StoredImage(IMAGE.data, b"another"))
    assert store.images.thumbnail(IMAGE.hash) is not None, "before it is on the disk"
    store.flush()
    assert images_in(file) == 1
    store.images._recent.clear()
    assert store.images.get(IMAGE.hash) == IMAGE.data
    assert store.images.thumbnail(IMAGE.hash) == b"small"
    assert store.images.get_all([one.attachments]) == {IMAGE.hash: IMAGE.data}
    assert store.messages(one.chat_id) == [one]
    store.trash.erase([one.chat_id])
    store.trash.delete(two.chat_id)
    store.flush()
    assert images_in(file) == 1, "from the trash it can come back"
    store.trash.erase([two.chat_id])
    store.flush()
    assert images_in(file) == 0


def test_draft_image_is_kept_until_removed(store: Store, file: Path) -> None:
    chat = ChatRecord(new_id(), draft_attachments=(picture(IMAGE),))
    with store.transaction():
        store.images.save(IMAGE)
        store.save_chat(chat)
    store.texts.forget_unused()
    store.flush()
    assert (images_in(file), store.chat(chat.id)) == (1, chat)
    store.save_chat(replace(chat, draft_attachments=()))
    store.flush()
    store.texts.forget_unused()
    store.flush()
    assert images_in(file) == 0


def test_salvage_keeps_images(file: Path) -> None:
    with Store.open(file) as store:
        message = show(store, IMAGE)
    salvage(file)
    with Store.open(file) as store:
        assert store.messages(message.chat_id) == [message]
        assert store.images.get(IMAGE.hash) == IMAGE.data


def test_older_database_accepts_images(file: Path) -> None:
    with closing(connect(file, isolation_level=None)) as db:
        for number, step in enumerate(STEPS[: STEPS.index(attachments.create_images)], 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
    with Store.open(file) as store:
        message = show(store, IMAGE)
        store.flush()
        assert store.messages(message.chat_id) == [message]


def test_impossible_image_sizes_count_as_damage() -> None:
    assert attachments_from_json([{"width": 12_000, "height": 9_000}])[0].is_image
    for side in (10**12, -1, 1.5, True):
        with pytest.raises(ValueError, match="width"):
            attachments_from_json([{"width": side, "height": 1}])


def test_search_finds_images_by_file_name(store: Store) -> None:
    one = show(store, IMAGE)
    say(store, OTHER)
    settle(store)
    (hit,) = store.search("LAKE 2026")
    assert (hit.chat_id, hit.message_id, hit.file) == (one.chat_id, one.id, "lake_2026.png")
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["lake", "2026"]
    assert store.search("lak 2026") == []
    assert [hit.file for hit in store.search("2026 lak")] == ["lake_2026.png"], "as it is typed"
    store.delete_messages(one.chat_id, [one.id], None)
    assert store.search("lake") == []
