"""Attached files in prompts, and passages of large files."""

from __future__ import annotations

import pytest

from app.chats import attachment_texts
from app.chats.attachment_texts import with_files
from app.chats.passages import (
    LENGTH,
    Passages,
    beginning_of_text,
    parse_page_numbers,
    split_page,
    whole_pages,
)
from app.chats.transcript import conversation
from app.store import AttachedText, Attachment, Message
from engine import Engine, SamplingParams
from engine.cli.arguments import GUIDE
from engine.messages import text_of

BOOK = AttachedText("page", ("One fox.\nIt is red.", "", "Three owls sleep by day."))
SHEETS = AttachedText("sheet", ("a\tb", "c"), ('Costs "x"', "B"))
NOTE = AttachedText("", ("Only words.",))
TEXTS = {text.hash: text for text in (BOOK, SHEETS, NOTE)}


def of(text: AttachedText, name: str = "a.pdf", **more: object) -> Attachment:
    size = sum(map(len, text.pages))
    made = {"unit": text.unit, "pages": len(text.pages), "characters": size, **more}
    return Attachment(name, "PDF", text.hash, **made)  # type: ignore[arg-type]


def test_file_precedes_question_with_page_marks() -> None:
    told = with_files("Why?", (of(BOOK, 'a "b".pdf'), of(NOTE, "n.txt")), TEXTS.get)
    assert told == (
        "<file name=\"a 'b'.pdf\">\n"
        '<page number="1">\nOne fox.\nIt is red.\n</page>\n'
        '<page number="3">\nThree owls sleep by day.\n</page>\n</file>\n\n'
        '<file name="n.txt">\nOnly words.\n</file>\n\nWhy?'
    )
    assert '<sheet number="1" name="Costs \'x\'">' in with_files("", (of(SHEETS),), TEXTS.get)
    assert "not there any more" in with_files("", (of(NOTE),), lambda _: None)


def test_passage_names_its_pages() -> None:
    part = of(BOOK, use="pages", spans=whole_pages(BOOK, [3]))
    assert with_files("?", (part,), TEXTS.get) == (
        '<file name="a.pdf" shows="chosen pages" of="3">\n'
        '<page number="3">\nThree owls sleep by day.\n</page>\n</file>\n\n?'
    )
    split = of(NOTE, use="passages", spans=((1, 0, 4), (1, 5, 10)))
    assert "Only\n…\nwords" in with_files("?", (split,), TEXTS.get)
    assert attachment_texts.describe_for_export(part) == "a.pdf (PDF, 3 pages; page 3)"
    assert attachment_texts.format_page_numbers("page", [1, 2, 3, 7]) == "pages 1–3, 7"


def test_file_stays_in_later_turns() -> None:
    path = [
        Message("1", "c", role="user", content="q", attachments=(of(NOTE),)),
        Message("2", "c", "1", "assistant", "a"),
        Message("3", "c", "2", "user", "and?"),
    ]
    turns = conversation(path, "", texts=TEXTS.get)
    assert text_of(turns[0]["content"]) == '<file name="a.pdf">\nOnly words.\n</file>\n\nq'
    assert turns[2]["content"] == "and?"


def test_pages_are_chosen_by_numbers() -> None:
    assert parse_page_numbers("3, 1-2", 3) == [1, 2, 3]
    assert parse_page_numbers("2–3;2 1", 3) == [1, 2, 3]
    assert parse_page_numbers("2–3；1、2", 3) == [1, 2, 3]
    for wrong, sentence in (
        ("4", "from 1 to 3"),
        ("3-2", "from 1"),
        ("x", "isn’t a number"),
        ("", "1-3"),
    ):
        with pytest.raises(ValueError, match=sentence):
            parse_page_numbers(wrong, 3)


def test_beginning_is_cut_at_a_line_end() -> None:
    assert beginning_of_text(BOOK, 12) == ((1, 0, 9),)
    assert beginning_of_text(BOOK, 30) == ((1, 0, 19), (3, 0, 11))
    assert beginning_of_text(BOOK, 10_000) == ((1, 0, 19), (3, 0, 24))


def test_passages_match_words_or_named_page() -> None:
    filler = "Nothing of the kind is told here, and again nothing. " * 30
    pages = [f"{filler}\n\n{filler}"] * 9
    pages[6] += "\n\nThe harbour of Piraeus was closed in winter."
    text = AttachedText("page", tuple(pages))
    found = Passages(text)
    (page, begin, end), *_ = found.find("When were the harbours closed?", 1_000)
    assert page == 7
    assert "Piraeus" in pages[6][begin:end]
    named = found.find("What stands on page 3?", 2_000)
    assert {number for number, _, _ in named} == {3}
    assert found.find("¿?", 500) == beginning_of_text(text, 500)
    assert sum(e - b for _, b, e in found.find("nothing told", 5_000)) <= 5_000


def test_passages_with_only_common_words_are_dropped() -> None:
    pages = ["Nothing of the kind is told here. " * 10] * 9
    pages[2] = "The harbour of Piraeus is old."
    pages[6] = "The harbour of Athens was closed in winter."
    found = Passages(AttachedText("page", tuple(pages))).find("When was the harbour closed?", 5_000)
    assert [number for number, _, _ in found] == [3, 7]


def test_passages_cover_the_page_and_are_short() -> None:
    page = ("A sentence. " * 300 + "\n\n" + "x" * 5_000).strip()
    cut = list(split_page(page))
    assert "".join(page[a:b] for a, b in cut) == page
    assert max(b - a for a, b in cut) <= LENGTH


def test_file_in_eight_chats_is_prefilled_once() -> None:
    """The prompts start with the same tokens, so every chat after the first reuses them."""
    text = AttachedText("page", ("All happy families are alike. " * 20,) * 4)
    with Engine() as engine:
        model = engine.load(GUIDE)
        prompts = []
        for number in range(8):
            question = Message("q", "c", content=f"{number}?", attachments=(of(text),))
            turns = conversation([question], "", texts={text.hash: text}.get)
            session = engine.open_session(model)
            reply = session.send(turns, SamplingParams(max_tokens=1, seed=1))
            reply.text(60)
            prompts.append((reply.stats.prompt_tokens, reply.stats.reused_tokens))
        first, reused = prompts[0]
        assert reused == 0
        for length, again in prompts[1:]:
            assert length == first
            assert again > 0.9 * length
