"""Words are found as a person types them, and nothing they type is an operator."""

from dataclasses import replace

import pytest

from app.store import Chat, Message, Store, new_id
from app.store.search import match_expression


@pytest.fixture
def chat(store: Store) -> Chat:
    chat = Chat(new_id(), title="Über Fugen")
    store.save_chat(chat)
    return chat


def say(store: Store, chat: Chat, text: str) -> str:
    message = Message(new_id(), chat.id, content=text)
    store.save_message(message)
    return message.id


def test_case_accents_order_and_beginnings_do_not_matter(store: Store, chat: Chat) -> None:
    message = say(store, chat, "The Stretto overlaps its **entries** in a café.")
    for query in ("stretto", "CAFE", "entries stretto", "stret", "café. over", "entr"):
        assert [hit.message_id for hit in store.search(query)] == [message], query
    assert store.search("strettos") == []
    assert store.search("tretto") == []


def test_titles_come_first(store: Store, chat: Chat) -> None:
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
def test_no_query_is_an_error(store: Store, chat: Chat, query: str) -> None:
    say(store, chat, "plain")
    assert store.search(query) == []


def test_words_of_scripts_without_spaces(store: Store, chat: Chat) -> None:
    message = say(store, chat, "今日は良い天気ですね。散歩に行きましょう。" * 9)
    (hit,) = store.search("天気")
    assert hit.message_id == message
    assert "天気" in hit.snippet
    assert hit.snippet.endswith("…")
    assert store.search("雨") == []


def test_an_edited_or_finished_message_is_found_by_its_last_words(store: Store, chat: Chat) -> None:
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


def test_the_expression() -> None:
    assert match_expression("two wor") == '"two" "wor"*'
    assert match_expression("two words ") == '"two" "words"'
    assert match_expression('"x" OR y)') == '"x" "OR" "y"'
