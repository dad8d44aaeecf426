"""A new chat that begins with a part of another one."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from app.chats.transcript import Transcript
from app.language import mark, tr
from app.store import UNTITLED, Message, Store, new_id
from app.store import Chat as ChatRecord


def branch(store: Store, chat: ChatRecord, transcript: Transcript, message_id: str) -> ChatRecord:
    """Store a copy of the chat up to a message and return it.

    From an answer it goes on after that answer. From a person's message it ends before it, and the
    message stands in the composer, to be asked in other words.
    """
    last = transcript[message_id]
    copied = transcript.path_to(message_id)
    if last.role == "user":
        copied = copied[:-1]
    now = time.time()
    made = replace(
        chat,
        id=new_id(),
        title=_title(chat.title),
        draft=last.content if last.role == "user" else "",
        created_at=now,
        updated_at=now,
        leaf_id=None,
        edited_id=None,
        edited_text="",
        draft_attachments=last.attachments if last.role == "user" else (),
        edited_attachments=(),
    )
    with store.together():  # a crash leaves no half of a copy
        store.save_chat(made)
        parent: Message | None = None
        for message in copied:
            parent = replace(
                message,
                id=new_id(),
                chat_id=made.id,
                parent_id=parent.id if parent is not None else None,
            )
            store.save_message(parent)
        leaf = parent.id if parent is not None else None
        store.set_leaf(made.id, leaf)
    return replace(made, leaf_id=leaf)


def _title(title: str) -> str:
    """What the copy is called: "Trees (branch)", then "Trees (branch 2)", and so on."""
    first, later = mark("{title} (branch)"), mark("{title} (branch {number})")
    for text in (later, first):
        pattern = re.escape(tr(text)).replace(r"\{title\}", "(?P<title>.*)")
        found = re.fullmatch(pattern.replace(r"\{number\}", r"(?P<number>\d+)"), title)
        if found is not None:
            past = int(found.groupdict().get("number") or 1)
            return tr(later, title=found["title"], number=past + 1)
    return tr(first, title=title or tr(UNTITLED))
