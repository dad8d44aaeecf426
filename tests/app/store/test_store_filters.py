"""Keywords that narrow a search."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app.store import ChatRecord, Folder, Message, Store, new_id, places_in
from app.store.filters import Filter, split
from tests.waiting import until

YEAR = time.mktime((2026, 1, 1, 0, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("query", "words", "narrowed"),
    [
        ("two words", "two words", None),
        ('boat in:"my folder" tag:x', "boat", Filter(folder="my folder", tag="x")),
        ("from:me", "", Filter(role="user")),
        ("from:mo model:Qwen3", "", Filter(role="assistant", model="qwen3")),
        ("a before:2026 after:2026-01-01 b", "a b", Filter(since=YEAR, until=YEAR)),
        ("is:pin", "", Filter(state="pinned")),
        ("in: boat", "boat", None),
        ("from:nobody before:2026-13 is:odd", "from:nobody before:2026-13 is:odd", None),
        ("https://in:x.org note:in:x C:\\in", "https://in:x.org note:in:x C:\\in", None),
        ("-in:x", "-in:x", None),
    ],
)
def test_filters_are_separated_from_words(query: str, words: str, narrowed: Filter | None):
    assert split(query)[1] == narrowed
    assert split(query)[0].split() == words.split()


def test_filters_are_not_highlighted():
    assert places_in("a boat in me", "boat from:me") == [(2, 6)]


def test_search_is_filtered(tmp_path: Path):
    with Store.open(tmp_path / "chats.db") as store:
        store.folders.save(Folder("w", "Work"))
        store.folders.save(Folder("r", "Reports", "w"))
        ids = {}
        for number, (name, folder) in enumerate((("a", None), ("b", "w"), ("c", "r"))):
            chat = ChatRecord(
                new_id(), f"boat {name}", folder_id=folder, updated_at=YEAR + number,
                tags=("Sea",) if name == "b" else (), pinned_at=1.0 if name == "c" else None,
            )  # fmt: skip
            ids[chat.id] = name
            store.save_chat(chat)
            asked = Message(new_id(), chat.id, None, "user", f"sails {name}", created_at=YEAR - 1)
            told = Message(
                new_id(), chat.id, asked.id, "assistant", "sails in the wind", model=f"Qwen {name}",
                created_at=YEAR + 86_400 * number,
            )  # fmt: skip
            store.save_message(asked)
            store.save_message(told, as_leaf=True)
        store.flush()
        until(lambda: store.is_settled)

        def found(query: str) -> str:
            return "".join(dict.fromkeys(ids[hit.chat_id] for hit in store.search(query)))

        assert found("sails") == "cba"
        assert found("boat in:wor") == "cb"
        assert found("sails in:reports") == "c"
        assert found("in:reports") == "c"
        assert found("tag:sea") == "b"
        assert found("is:pinned") == "c"
        assert found("wind from:me") == ""
        assert found("wind from:model") == "cba"
        assert found('sails model:"qwen b"') == "b"
        assert found("sails before:2026-01-01") == "cba"
        assert found("wind before:2026-01-01") == ""
        assert found("wind after:2026-01-02") == "cb"
        assert found("after:2026-01-03") == "c"
        assert found("in:nothing") == ""
        hits = store.search("sails from:me")
        assert {hit.snippet for hit in hits} == {"sails a", "sails b", "sails c"}
