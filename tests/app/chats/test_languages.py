"""Texts of a chat in languages other than English."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.chats.importing import Report
from app.chats.tool_call import result_of
from app.chats.transcript import _branch_title
from app.models.engine_errors import explain, with_engine_message
from app.settings import language
from app.store import ChatRecord, Message
from app.tools.tool import Outcome, OutcomeKind
from engine.errors import OUT_OF_MEMORY


@pytest.fixture
def _in_brackets() -> Iterator[None]:
    language.install(lambda text, comment, n: f"[{text}]")
    yield
    language.install(None)


def test_english_readers_get_the_engines_sentence_alone() -> None:
    sentence = "Not enough memory to load Amber-1B."
    assert explain(OUT_OF_MEMORY, sentence) == sentence
    assert with_engine_message("“{name}” can’t be read.", sentence, name="a.pdf") == sentence


@pytest.mark.usefixtures("_in_brackets")
def test_engine_message_follows_translated_explanation() -> None:
    sentence = "Not enough memory to load {Amber-1B}."
    assert explain(OUT_OF_MEMORY, sentence) == f"[Not enough memory.] ({sentence})"
    assert explain("of_a_later_engine", sentence) == sentence
    told = with_engine_message("“{name}” can’t be read.", "It is empty.", name="a.pdf")
    assert told == "[“a.pdf” can’t be read.] (It is empty.)"


@pytest.mark.usefixtures("_in_brackets")
def test_nested_branch_titles_are_numbered_in_every_language() -> None:
    first = _branch_title("Trees")
    assert first == "[Branch: Trees]"
    assert _branch_title(first) == "[Branch 2: Trees]"
    assert _branch_title(_branch_title(first)) == "[Branch 3: Trees]"


def test_import_report_has_singular_and_plural() -> None:
    report = Report(imported=[ChatRecord("a")], messages=1, known=1)
    report.sources["Claude"] = 1
    report.skipped.update({"pictures": 1, "entries of the kind toys": 2_000})
    assert report.summary() == "1 chat imported from Claude, with 1 message."
    assert report.details() == [
        "1 chat already exists and wasn’t changed.",
        "Not imported: 2,000 items of type “toys”.",
        "Not imported: 1 image.",
    ]


def result(
    text: str,
    server: str = "Stretto",
    tool: str = "write_file",
    outcome: Outcome | None = None,
) -> Message:
    stats: dict[str, Any] = {"server": server, "tool": tool}
    if outcome is not None:
        stats["outcome"] = outcome.to_json()
    return Message("m", "c", role="tool", content=text, stats=stats)


@pytest.mark.usefixtures("_in_brackets")
def test_built_in_tool_texts_are_shown_translated() -> None:
    def shown(kind: OutcomeKind, **values: Any) -> str:
        return result_of(result("for the model", outcome=Outcome(kind, "for the model", **values)))

    assert shown(OutcomeKind.NOTHING_FOUND) == "[Nothing found.]"
    assert shown(OutcomeKind.NOTHING_PRINTED) == "[The code printed nothing.]"
    told = shown(OutcomeKind.WRITTEN, size=1024, path="/a/b was.txt")
    assert told == "[1024 byte written to /a/b was.txt]"


@pytest.mark.parametrize("text", ["Nothing was found.", "(empty)", "3 bytes were written to a."])
@pytest.mark.parametrize("server", ["Stretto", "files"])
def test_file_text_is_not_mistaken_for_a_tool_message(text: str, server: str) -> None:
    assert result_of(result(text, server, "read_file")) == text


@pytest.mark.parametrize("outcome", ["written", {"kind": []}, {"kind": "written", "size": "3"}])
def test_result_with_invalid_outcome_shows_its_text(outcome: object) -> None:
    message = result("text")
    message.stats["outcome"] = outcome
    assert result_of(message) == "text"
