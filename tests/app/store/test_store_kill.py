"""`kill -9` during writes."""

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from app.store import Store

# Streams messages of n words and prints its progress after each flush.
CHILD = """
import sys
from msgspec.structs import replace
from app.store import ChatRecord, Message, Store, new_id
store = Store.open(sys.argv[1])
chat = (store.chats() or [ChatRecord(new_id())])[0]
store.save_chat(chat)
number = len(store.messages(chat.id))
parent = store.path(chat.id)[-1].id if number else None
while True:
    number += 1
    message = Message(new_id(), chat.id, parent, "assistant", "", status="streaming")
    for words in range(1, 120):
        message = replace(message, content=" ".join(f"n{number}" for _ in range(words)))
        store.save_message(message, as_leaf=True)
        if words % 7 == 0:
            store.flush()
            print(number, words, flush=True)
    store.save_message(replace(message, status="complete"))
    parent = message.id
"""


def test_kill_nine_at_random_moments(file: Path) -> None:
    dice = random.Random(7)
    for round_ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(file)], stdout=subprocess.PIPE, text=True
        )
        acknowledged = (0, 0)
        for _ in range(dice.randrange(1, 150)):
            number, words = child.stdout.readline().split()
            acknowledged = (int(number), int(words))
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().splitlines()  # printed before it died
        child.stdout.close()
        child.wait()
        for line in rest:
            if len(line.split()) == 2:
                acknowledged = (int(line.split()[0]), int(line.split()[1]))

        with Store.open(file) as store:
            (chat,) = store.chats()
            path = store.path(chat.id)
            assert path == store.messages(chat.id), "a line of messages, none loose"
            assert chat.leaf_id == path[-1].id
            number, words = acknowledged
            assert len(path) >= number, f"round {round_}: message {number} is gone"
            for place, message in enumerate(path, start=1):
                parts = message.content.split()
                assert set(parts) == {f"n{place}"}
                assert message.status in ("complete", "interrupted")
                assert message.status == "interrupted" or len(parts) == 119
            cut_off = [message for message in path if message.status == "interrupted"]
            assert len(cut_off) <= round_ + 1, "only the message that was being written"
            assert len(path[number - 1].content.split()) >= words
            found = {hit.message_id for hit in store.search(f"n{number}", limit=10)}
            assert path[number - 1].id in found, "the index fits the text"
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            db.execute("INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')")
            db.rollback()


FORGETFUL = """
import sys
from app.store import ChatRecord, Message, Store, new_id
store = Store.open(sys.argv[1])
chat = ChatRecord(new_id()); store.save_chat(chat)
store.save_message(Message(new_id(), chat.id, None, "user", "last words"), as_leaf=True)
store.set_draft(chat.id, "unsent")
raise SystemExit("a fault somewhere else")
"""


def test_exit_without_closing_loses_nothing(file: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORGETFUL, str(file)],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert child.stderr.strip() == "a fault somewhere else"
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert chat.draft == "unsent"
        assert [message.content for message in store.path(chat.id)] == ["last words"]
