"""``python -m tests.bench search``: search times in a large profile."""

from __future__ import annotations

import random
import tempfile
import threading
import time
from pathlib import Path

from app.store import ChatRecord, Message, SearchHit, Store, new_id
from tests.bench.bars import Figure
from tests.bench.samples import settle

BAR_MS = 50.0
_PER_CHAT = 50
_CHARACTERS = 800
_LETTERS = "etaoinshrdlucmfwyp"

QUERIES = {
    "a rare word": "zanzibar",
    "a common word": "the ",
    "a word being typed": "appl",
    "one letter": "t",
    "two words": "apple the",
    "two words far apart": "zanzibar apple",
    "nothing": "nosuchwordanywhere",
}


def measure(messages: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="stretto-search-") as folder:
        file = Path(folder) / "chats.db"
        begun = time.perf_counter()
        with Store.open(file) as store:
            _fill(store, messages)
            settle(store)
            figures = [
                Figure("filled and indexed", time.perf_counter() - begun, "s"),
                Figure("the file", file.stat().st_size / 1e6, "MB"),
            ]
            for words, query in QUERIES.items():
                times = sorted(_ask(store, query) for _ in range(10))
                first, whole = times[len(times) // 2]
                figures.append(Figure(f"{words}, first results", first, "ms", BAR_MS))
                figures.append(Figure(f"{words}, all results", whole, "ms"))
    return figures


def _ask(store: Store, query: str) -> tuple[float, float]:
    told: list[float] = []
    done = threading.Event()

    def hear(hits: list[SearchHit], complete: bool) -> None:
        told.append(time.perf_counter())
        if complete:
            done.set()

    begun = time.perf_counter()
    store.searcher.ask(query, 80, hear)
    done.wait()
    return (told[0] - begun) * 1000, (told[-1] - begun) * 1000


def _fill(store: Store, messages: int) -> None:
    dice = random.Random(1)
    words = ["the", "to", "apple"]
    words += ["".join(dice.choices(_LETTERS, k=dice.randint(2, 9))) for _ in range(20_000)]
    often = [1 / (place + 2) for place in range(len(words))]
    pool = dice.choices(words, often, k=500_000)
    chat = ChatRecord("")
    parent: str | None = None
    for number in range(messages):
        if number % _PER_CHAT == 0:
            chat, parent = ChatRecord(new_id(), title=" ".join(dice.choices(pool, k=4))), None
            store.save_chat(chat)
        at = dice.randrange(len(pool) - 200)
        text = " ".join(pool[at : at + 150])[:_CHARACTERS]
        if number % 20_000 == 77:
            text += " zanzibar"
        message = Message(new_id(), chat.id, parent, "assistant" if number % 2 else "user", text)
        store.save_message(message)
        parent = message.id
        if number % 500 == 499:
            store.flush(None)  # so that searches don't include queued writes
