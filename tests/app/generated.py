"""Random chats with branches, versions, options and statistics, for round trips."""

from __future__ import annotations

import dataclasses
import random
from typing import Any, get_args

from msgspec.structs import replace

from app.store import (
    AttachedText,
    Attachment,
    ChatRecord,
    Folder,
    Message,
    Queued,
    Store,
    new_id,
)
from app.store.portable import collect_attachments
from app.store.records import Status

TEXTS = (
    "",
    "Hello",
    "# Heading\n\n- a\n- b\n\n| a | b |\n|-|-|\n| 1 | **2** |",
    "```python\nprint('x')\n```",
    'quotes " and \\ and \0 and \x1f and \u2028 end',
    "Größe \U0001f3bb 日本語 مرحبا\r\nline",
    "$x^2$ and $5 and <script>alert(1)</script>",
    "word " * 300,
)
TITLES = ("", "Trees", "a/b\\c:*?", "日本語", "CON", "x" * 300, "...", "\U0001f3bb & <b>")
_OUTER = new_id()
FOLDERS = (Folder(_OUTER, "Work"), Folder(new_id(), "Reports", _OUTER), Folder(new_id(), "日本"))
FILES = (
    AttachedText("page", ("One \U0001f3bb", "", "Three \x1f\0")),
    AttachedText("", ("größer\n" * 40,)),
    AttachedText("sheet", ("a\tb", "c"), ("Costs", "日本")),
)
STATUSES = tuple(each for each in get_args(Status) if each != "streaming")


MARKS: tuple[dict[str, Any], ...] = (
    {},
    {"branch": "Größer 日"},
    {"panel": {"id": "p", "letter": "B", "name": "Ändern", "system": "Doubt it.", "seed": 7}},
    {"panel": {"id": "p", "kind": "merge", "of": {"A": "Optimist", "B": "日"}}, "branch": "x"},
)
"""Branch name and panel of a message."""


def chats(count: int, seed: int = 1) -> list[tuple[ChatRecord, list[Message]]]:
    chance = random.Random(seed)
    return [_chat(chance) for _ in range(count)]


def _chat(chance: random.Random) -> tuple[ChatRecord, list[Message]]:
    chat = ChatRecord(
        new_id(),
        title=chance.choice(TITLES),
        model=chance.choice(("", "/models/one", "org/name")),
        system=chance.choice(TEXTS),
        params=_options(chance),
        draft=chance.choice(TEXTS),
        created_at=chance.uniform(0, 2e9),
        updated_at=chance.uniform(0, 2e9),
        folder_id=chance.choice((None, *(folder.id for folder in FOLDERS))),
        pinned_at=chance.choice((None, None, 1.5e9)),
        archived_at=chance.choice((None, None, 1.25e9)),
        tags=chance.choice(((), ("a", "größer"))),
        titled_by=chance.choice(("", "person", "model")),
        draft_attachments=_files(chance),
        queued=tuple(
            Queued(new_id(), chance.choice(TEXTS), _files(chance))
            for _ in range(chance.choice((0, 0, 1, 3)))
        ),
    )
    messages: list[Message] = []
    for _ in range(chance.randrange(12)):
        parent = chance.choice([None, *messages, *messages[-1:] * 6])
        answers = parent is not None and parent.role == "user"
        if parent is not None and parent.role == "assistant" and chance.random() < 0.3:
            messages.append(_result(chance, chat.id, parent.id))
            continue
        messages.append(
            Message(
                new_id(),
                chat.id,
                parent.id if parent is not None else None,
                "assistant" if answers else "user",
                chance.choice(TEXTS),
                chance.choice(TEXTS) if answers else "",
                chance.choice(STATUSES) if answers else "complete",
                chance.choice(("", "It did not fit.")),
                "guide" if answers else "",
                {**(_options(chance) if answers else {}), **chance.choice(MARKS)},
                chance.uniform(0, 2e9),
                attachments=() if answers else _files(chance),
            )
        )
    if messages:
        chat = replace(chat, leaf_id=chance.choice(messages).id)
        if chance.random() < 0.2:
            chat = replace(chat, edited_id=chance.choice(messages).id, edited_text="other words")
            chat = replace(chat, edited_attachments=_files(chance))
    return chat, messages


def _result(chance: random.Random, chat_id: str, parent_id: str) -> Message:
    told = {"call": "c1", "name": "web__get", "server": "web", "tool": "get", "size": 10**6}
    told |= {"arguments": '{"text": "`````"}', "decision": "once", "seconds": 0.25}
    status = chance.choice(STATUSES)
    text = chance.choice(TEXTS)
    return Message(new_id(), chat_id, parent_id, "tool", text, status=status, stats=told)


def _files(chance: random.Random) -> tuple[Attachment, ...]:
    text = chance.choice((None, None, None, *FILES))
    if text is None:
        return ()
    size = sum(map(len, text.pages))
    whole = Attachment("é “x”.pdf", "PDF", text.hash, text.unit, len(text.pages), size)
    return (chance.choice((whole, dataclasses.replace(whole, use="pages", spans=((1, 0, 2),)))),)


def _options(chance: random.Random) -> dict[str, Any]:
    return {
        "temperature": chance.random() * 2,
        "seed": chance.randrange(2**64),
        "stop": ["\n\n", "é"],
        "nested": {"a": [1, None, True, -1.5e-7], "": {}},
    }


def keep(store: Store, made: list[tuple[ChatRecord, list[Message]]]) -> None:
    for folder in FOLDERS:
        store.folders.save(folder)
    for chat, messages in made:
        with store.transaction():
            for text in FILES:
                store.texts.save(text)
            store.save_chat(chat)
            for message in messages:
                store.save_message(message)
            store.save_chat(chat)  # restores the time, which saving a message has changed


def everything(store: Store) -> dict[str, tuple[ChatRecord, list[Message]]]:
    found = {chat.id: (chat, store.messages(chat.id)) for chat in store.chats()}
    attached = [files for made in found.values() for files in collect_attachments(*made)]
    wanted = {file.hash for files in attached for file in files}
    assert store.texts.get_all(attached) == {t.hash: t for t in FILES if t.hash in wanted}
    return found
