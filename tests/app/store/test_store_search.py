"""Full-text search."""

import queue
import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.markdown.blocks import BlockSplitter
from app.markdown.inline import InlineParser
from app.markdown.layout import block_rows
from app.markdown.rows import CodeKey, TableRow
from app.store import ChatRecord, Message, SearchHit, Store, new_id, search
from app.store.database import open_writer
from app.store.index import displayed_text
from app.store.search import Searcher, terms_of
from tests.app.store.conftest import make_version_3
from tests.app.store.test_store_trash import settle
from tests.bench import samples
from tests.waiting import until


@pytest.fixture
def chat(store: Store) -> ChatRecord:
    chat = ChatRecord(new_id(), title="Über Fugen")
    store.save_chat(chat)
    return chat


def say(store: Store, chat: ChatRecord, text: str) -> str:
    message = Message(new_id(), chat.id, content=text)
    store.save_message(message)
    return message.id


def test_case_accents_order_and_beginnings_do_not_matter(store: Store, chat: ChatRecord) -> None:
    message = say(store, chat, "The Stretto overlaps its **entries** in a café.")
    for query in ("stretto", "CAFE", "entries stretto", "stret", "café. over", "entr"):
        assert [hit.message_id for hit in store.search(query)] == [message], query
    assert store.search("strettos") == []
    assert store.search("tretto") == []


def test_titles_come_first(store: Store, chat: ChatRecord) -> None:
    message = say(store, chat, "fugen, fugen")
    hits = store.search("fugen")
    assert [(hit.message_id, hit.snippet) for hit in hits] == [
        (None, "Über Fugen"),
        (message, "fugen, fugen"),
    ]
    assert len(store.search("fugen", limit=1)) == 1
    assert store.search("fugen", limit=0) == []


@pytest.mark.parametrize(
    "query",
    ['"', "*", "a AND", "NEAR(", "title:x", "-x", "^", "'", "%", "\\", "\0", "", "  ", "(" * 99],
)
def test_search_accepts_any_query(store: Store, chat: ChatRecord, query: str) -> None:
    say(store, chat, "plain")
    assert store.search(query) == []


def test_words_of_scripts_without_spaces(store: Store, chat: ChatRecord) -> None:
    message = say(store, chat, "今日は良い天気ですね。散歩に行きましょう。" * 9)
    (hit,) = store.search("天気")
    assert hit.message_id == message
    assert "天気" in hit.snippet
    assert hit.snippet.endswith("…")
    assert store.search("雨") == []


def test_search_finds_latest_text_of_message(store: Store, chat: ChatRecord) -> None:
    message = Message(new_id(), chat.id, content="alpha", status="streaming")
    store.save_message(message)
    store.flush()
    store.save_message(replace(message, content="alpha beta"))
    store.flush()
    assert store.search("alpha") == []
    store.save_message(replace(message, content="alpha beta gamma", status="complete"))
    assert [hit.message_id for hit in store.search("gamma")] == [message.id]
    store.save_message(replace(message, content="delta", status="complete"))
    assert store.search("gamma") == []
    assert [hit.message_id for hit in store.search("delta")] == [message.id]
    store.update_chat(chat.id, title="Kanon")
    assert store.search("fugen") == []
    assert [hit.message_id for hit in store.search("kanon")] == [None]


def test_search_terms_become_match_expressions() -> None:
    assert [term.match for term in terms_of("two wor")] == ['"two"', '"wor"*']
    assert [term.match for term in terms_of("two words ")] == ['"two"', '"words"']
    assert [term.match for term in terms_of('"x" OR y)')] == ['"x"', '"OR"', '"y"']


def test_many_hits_in_one_chat_do_not_hide_others(store: Store, chat: ChatRecord) -> None:
    for number in range(300):
        say(store, chat, f"apple number {number}")
    others = []
    for number in range(5):
        other = ChatRecord(new_id(), title=f"Other {number}", updated_at=float(number))
        others.append(other.id)
        store.save_chat(other)
        store.save_message(
            Message(new_id(), other.id, content="an apple too", created_at=float(number))
        )
    hits = store.search("apple", limit=40)
    assert [hit.chat_id for hit in hits] == [chat.id, *reversed(others)]


def test_hit_in_reply_matches_shown_text(store: Store, chat: ChatRecord) -> None:
    text = (
        "Some words before it. " * 30
        + "The **bold** words of [a link](https://hidden.example/bold) and `co*de*`.\n\n"
        + "after it " * 30
    )
    message = Message(new_id(), chat.id, role="assistant", content=text)
    store.save_message(message)
    (hit,) = store.search("bold words")
    assert hit.message_id == message.id
    assert "The bold words of a link and co*de*." in hit.snippet
    assert hit.snippet.startswith("…")
    marked = [hit.snippet[a:b] for a, b in hit.marks]
    assert "bold" in marked
    assert "words" in marked
    assert hit.snippet.index("bold") < 40, "the hit stands near the beginning of what is shown"
    assert store.search("hidden") == []
    assert store.search("https") == []


def test_typed_text_is_found_literally(store: Store, chat: ChatRecord) -> None:
    say(store, chat, "see [this](https://typed.example)")
    (hit,) = store.search("typed")
    assert hit.snippet == "see [this](https://typed.example)"


def test_highlights_are_at_the_words(store: Store, chat: ChatRecord) -> None:
    say(store, chat, "Éclairs and ÉCLAIR, déjà vu: eclairage")
    (hit,) = store.search("eclair")
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["Éclairs", "ÉCLAIR", "eclairage"]
    (hit,) = store.search("eclair deja ")
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["ÉCLAIR", "déjà"]
    (title,) = store.search("fug")
    assert [title.snippet[a:b] for a, b in title.marks] == ["Fugen"]


def test_words_far_apart_in_a_long_message_are_found_together(
    store: Store, chat: ChatRecord
) -> None:
    message = say(store, chat, "beginning " + "filler words " * 8_000 + "ending")
    settle(store)
    assert [hit.message_id for hit in store.search("beginning ending")] == [message]
    assert store.search("beginning nowhere") == []


def test_megabytes_of_text_are_searchable(store: Store, chat: ChatRecord) -> None:
    message = say(store, chat, "line of words\n" * 100_000 + "zanzibar")
    store.save_message(Message(new_id(), chat.id, content="said while it is being indexed"))
    store.flush()
    settle(store)
    (hit,) = store.search("zanzibar")
    assert hit.message_id == message
    assert len(hit.snippet) < 200
    assert store.search("while indexed")


def test_deleted_message_is_hidden_from_search(store: Store, chat: ChatRecord) -> None:
    message = say(store, chat, "nightingale")
    store.delete_messages(chat.id, [message], None)
    assert store.search("nightingale") == []
    store.restore_messages(chat.id, [message], message)
    assert [hit.message_id for hit in store.search("nightingale")] == [message]
    store.trash.delete(chat.id)
    assert store.search("nightingale") == []


def test_new_search_replaces_the_previous(store: Store, chat: ChatRecord) -> None:
    say(store, chat, "apple pear")
    told: list[tuple[str, list[str | None], bool]] = []
    done = threading.Event()

    def ask(query: str) -> None:
        def hear(hits: list[SearchHit], all_of_them: bool) -> None:
            told.append((query, [hit.message_id for hit in hits], all_of_them))
            if query == "fugen" and all_of_them:
                done.set()

        store.searcher.ask(query, 40, hear)

    for query in ("a", "ap", "app", "pear", "fugen"):
        ask(query)
    assert done.wait(20)
    assert ("fugen", [None], False) in told, "titles are told first"
    assert told[-1] == ("fugen", [None], True)
    last = [query for query, _, _ in told]
    assert last == sorted(last, key=["a", "ap", "app", "pear", "fugen"].index)


def test_old_index_is_rebuilt_after_start(file: Path) -> None:
    make_version_3(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN")
        for number in range(400):
            db.execute(
                "INSERT INTO messages (id, chat_id, role, content, reasoning, status, error, "
                "model, stats, created_at) "
                "VALUES (?, 'c', 'assistant', ?, '', 'complete', '', '', '{}', 1)",
                (f"m{number:03}", f"**word{number}** " + "and more text " * 100),
            )
        db.execute("COMMIT")
    with Store.open(file) as store:
        assert [hit.message_id for hit in store.search("word399 ")] == ["m399"], "the newest"
        assert store.search("word7 ") == [], "not yet"
        settle(store)
        assert [hit.message_id for hit in store.search("word7 ")] == ["m007"]


def test_index_matches_displayed_text() -> None:
    """The app's own renderer is slower and needs Qt, but yields the same words."""
    for source in (samples.MATHS, samples.CODE, samples.mixed(4_000)):
        splitter = BlockSplitter()
        splitter.feed(source)
        splitter.finish()
        inline = InlineParser()
        inline.begin(splitter.references, steady=True)
        shown: list[str] = []
        codes: dict[CodeKey, str] = {}
        for number, block in enumerate(splitter.finished):
            for row in block_rows(block, number, inline, None, codes):
                cells = row.cells if isinstance(row, TableRow) else ((row.spans,),)
                shown += ["".join(s.text for s in cell) for line in cells for cell in line]
        words = re.findall(r"[^\W_]+", " ".join([*shown, *codes.values()]))
        plain = set(re.findall(r"[^\W_]+", displayed_text(source)))
        assert len(words) > 20
        assert [word for word in words if word not in plain] == []


def test_index_skips_hidden_html() -> None:
    shown = displayed_text(
        "H<sub>2</sub>O<br>x<SUP>2</SUP> <kbd>Ctrl</kbd>+<b>C</b> <br/>end\n\n"
        "<details open>\n<summary>More</summary>\n\nInside\n</details>\n\n"
        "`<br>` <div> a < b"
    )
    assert " ".join(shown.split()) == "H2O x2 Ctrl+C end More Inside <br> <div> a < b"


def test_unindexed_rest_costs_start_one_commit(store: Store, chat: ChatRecord, file: Path) -> None:
    for number in range(100):
        say(store, chat, f"Word number {number}")
    settle(store)
    store.close()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM passages")
        db.execute("INSERT INTO unindexed (seq) SELECT seq FROM messages")
    with closing(open_writer(file)) as db:
        assert db.execute("SELECT count(*) FROM unindexed").fetchone() == (0,)
        assert commits(file.with_name(file.name + "-wal")) == 1


def commits(wal: Path) -> int:
    data = wal.read_bytes()
    page = int.from_bytes(data[8:12], "big")
    frames = range(32, len(data), 24 + page)
    return sum(int.from_bytes(data[at + 4 : at + 8], "big") != 0 for at in frames)


def test_search_closed_during_preparation_runs_no_query(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[object] = []
    monkeypatch.setattr(search, "find", lambda *query: queries.append(query) or [])
    preparing, go_on = threading.Event(), threading.Event()

    def prepare() -> None:
        preparing.set()
        go_on.wait(20)

    searcher = Searcher(file, prepare)
    searcher.ask("words", 5, lambda hits, done: None)
    assert preparing.wait(20)
    closing = threading.Thread(target=searcher.close)
    closing.start()
    until(lambda: searcher._closing)
    go_on.set()
    closing.join(20)
    assert not closing.is_alive()
    assert queries == []


def test_search_works_after_a_failed_search(store: Store, file: Path) -> None:
    faults = [RuntimeError("no thread"), None]

    def prepare() -> None:
        if (fault := faults.pop(0)) is not None:
            raise fault

    searcher, told = Searcher(file, prepare), queue.Queue[bool]()
    for _ in range(2):
        searcher.ask("words", 5, lambda hits, done: told.put(done))
        assert told.get(timeout=20)
    searcher.close()
