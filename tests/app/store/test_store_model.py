"""Random operations read the same before and after they are written.

The results are also compared with a store made of two dictionaries.
"""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.store import ChatRecord, Message, Store, new_id


class Plain:
    def __init__(self) -> None:
        self.chats: dict[str, ChatRecord] = {}
        self.messages: dict[str, Message] = {}

    def update(self, chat_id: str, **changes: object) -> None:
        if chat_id in self.chats:
            self.chats[chat_id] = replace(self.chats[chat_id], **changes)

    def save(self, message: Message) -> None:
        self.messages[message.id] = message
        chat = self.chats[message.chat_id]
        if chat.updated_at < message.created_at:
            self.update(chat.id, updated_at=message.created_at)


@pytest.mark.turns(6)
@pytest.mark.parametrize("seed", range(12))
def test_any_order_of_writes(file: Path, seed: int) -> None:
    dice = random.Random(seed)
    plain = Plain()

    def agree(store: Store) -> None:
        newest = sorted(plain.chats.values(), key=lambda c: (c.updated_at, c.id), reverse=True)
        assert store.chats(include_deleted=True) == newest
        assert store.chats() == [chat for chat in newest if chat.deleted_at is None]
        for chat in newest:
            mine = [m for m in plain.messages.values() if m.chat_id == chat.id]
            assert store.messages(chat.id) == mine
            assert store.chat(chat.id) == chat

    def step(store: Store) -> None:
        known = list(plain.chats)
        match dice.randrange(9) if known else 0:
            case 0:
                chat = ChatRecord(new_id(), title=f"{dice.random()}", updated_at=dice.random())
                plain.chats[chat.id] = chat
                store.save_chat(chat)
            case 1:
                chat = replace(plain.chats[dice.choice(known)], draft=f"{dice.random()}")
                plain.chats[chat.id] = chat
                store.save_chat(chat)
            case 2 | 3:
                chat_id = dice.choice(known)
                tree = [m.id for m in plain.messages.values() if m.chat_id == chat_id]
                message = Message(
                    new_id(), chat_id, dice.choice([*tree, None]), created_at=dice.random(),
                    status=dice.choice(["complete", "streaming"]),
                )  # fmt: skip
                plain.save(message)
                leaf = dice.random() < 0.5
                if leaf:
                    plain.update(chat_id, leaf_id=message.id)
                store.save_message(message, as_leaf=leaf)
            case 4 if plain.messages:
                message = dice.choice(list(plain.messages.values()))
                message = replace(message, content=f"{dice.random()}", status="complete")
                plain.save(message)
                store.save_message(message)
            case 5:
                chat_id = dice.choice(known)
                text = f"{dice.random()}"
                plain.update(chat_id, draft=text)
                store.set_draft(chat_id, text)
            case 6:
                chat_id = dice.choice(known)
                plain.update(chat_id, title="new", draft="old")
                store.update_chat(chat_id, title="new", draft="old")
            case 7:
                chat_id = dice.choice(known)
                plain.update(chat_id, deleted_at=None)
                store.trash.restore(chat_id)
                store.update_chat("unknown", title="x")
            case 8:
                chat_id, message_id = dice.choice(known), dice.choice(["m", None])
                text = f"{dice.random()}"
                plain.update(chat_id, edited_id=message_id, edited_text=text)
                store.set_edited(chat_id, message_id, text)

    for _ in range(4):
        with Store.open(file) as store:
            agree(store)
            for _ in range(60):
                step(store)
                if dice.random() < 0.2:
                    agree(store)
                if dice.random() < 0.1:
                    store.flush()
            agree(store)
            store.flush()
            agree(store)
        for message in list(plain.messages.values()):
            if message.status == "streaming":
                plain.messages[message.id] = replace(message, status="interrupted")
