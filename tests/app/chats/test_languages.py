"""What a chat says in a language that is not English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.chats.importing import Report
from app.chats.transcript import _title
from app.models.errors import explained, meaning
from app.settings import language
from app.store import ChatRecord
from engine.errors import OUT_OF_MEMORY


@pytest.fixture
def _in_brackets() -> Iterator[None]:
    """A language in which each text stands in brackets."""
    language.install(lambda text, comment, n: f"[{text}]")
    yield
    language.install(None)


def test_english_readers_get_the_engines_sentence_alone() -> None:
    sentence = "There is not enough memory to load Amber-1B."
    assert meaning(OUT_OF_MEMORY, sentence) == sentence
    assert explained("“{name}” cannot be read.", sentence, name="a.pdf") == sentence


@pytest.mark.usefixtures("_in_brackets")
def test_others_get_what_it_means_and_the_engines_sentence_behind_it() -> None:
    sentence = "There is not enough memory to load {Amber-1B}."
    assert meaning(OUT_OF_MEMORY, sentence) == f"[Not enough memory.] ({sentence})"
    assert meaning("of_a_later_engine", sentence) == sentence
    told = explained("“{name}” cannot be read.", "It is empty.", name="a.pdf")
    assert told == "[“a.pdf” cannot be read.] (It is empty.)"


@pytest.mark.usefixtures("_in_brackets")
def test_a_branch_of_a_branch_counts_on_in_every_language() -> None:
    first = _title("Trees")
    assert first == "[Trees (branch)]"
    assert _title(first) == "[Trees (branch 2)]"
    assert _title(_title(first)) == "[Trees (branch 3)]"


def test_an_import_says_how_many_in_the_singular_and_in_the_plural() -> None:
    report = Report(taken=[ChatRecord("a")], messages=1, known=1)
    report.sources["Claude"] = 1
    report.left.update({"pictures": 1, "entries of the kind toys": 2_000})
    assert report.summary() == "1 chat imported from Claude, with 1 message."
    assert report.details() == [
        "1 chat already exists and was not changed.",
        "Not imported: 2,000 items of type “toys”.",
        "Not imported: 1 image.",
    ]
