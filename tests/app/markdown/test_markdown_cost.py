"""The work per append depends on the open tail, never on what came before, and is bounded."""

import time

import pytest
from PySide6.QtWidgets import QApplication

from app.markdown import MarkdownDocument, bench
from app.markdown.blocks import TAIL_LIMIT, BlockSplitter
from app.markdown.rows import Row

SECONDS = 5.0  # each takes below 0.5 s alone on one core; CI machines are busy


def test_the_tail_of_a_long_answer_stays_short() -> None:
    text = bench.answer(60_000)
    splitter = BlockSplitter()
    longest = 0
    for place in range(0, len(text), 5):
        splitter.feed(text[place : place + 5])
        splitter.advance()
        longest = max(longest, len(splitter.tail))
    assert longest < 500


def test_rows_above_the_tail_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    document = MarkdownDocument()
    document.append(bench.answer(20_000))
    document.refresh()
    given: list[int] = []
    show = document._painter.show

    def counting(start: int, rows: list[Row]) -> None:
        given.append(len(rows))
        show(start, rows)

    monkeypatch.setattr(document._painter, "show", counting)
    text = bench.answer(23_000)[20_000:]
    for place in range(0, len(text), 5):
        document.append(text[place : place + 5])
        document.refresh()
    assert max(given) < 30


def test_an_unclosed_fence_is_not_parsed_again() -> None:
    splitter = BlockSplitter()
    splitter.feed("```py\n")
    splitter.advance()
    parses = splitter.parses
    for _ in range(1000):
        splitter.feed("x = 1\n")
        splitter.advance()
    assert splitter.parses == parses
    assert splitter.open_fence is not None


def test_an_oversized_tail_is_parsed_seldom() -> None:
    splitter = BlockSplitter()
    item = "- an item of a list that never ends\n"
    for _ in range(TAIL_LIMIT // len(item) // 10):
        splitter.feed(item * 10)
        splitter.advance()
    before = splitter.parses
    for _ in range(TAIL_LIMIT // len(item)):
        splitter.feed(item)
        splitter.advance()
    assert splitter.parses - before < 12
    splitter.finish()
    assert len(splitter.finished) == 1


@pytest.mark.parametrize("name", bench.HOSTILE)
def test_hostile_text_at_once(name: str, qapp: QApplication) -> None:
    start = time.perf_counter()
    document = MarkdownDocument()
    document.document.setTextWidth(720)
    document.set_text(bench.HOSTILE[name]())
    document.document.size()
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize(
    "text",
    ["`" * 99_999, "*" * 100_000, "![" * 50_000, "[a](" * 25_000, "<" * 100_000, "|" * 100_000,
     "- " * 50_000, "1. " * 30_000, "> " * 50_000, "\\" * 99_999, "&" * 100_000, "#" * 100_000,
     "```\n" * 25_000, "- a\n  " * 10_000, "[a]: b\n" * 15_000, "~~" * 50_000, "=\n" * 50_000,
     "|a" * 20_000 + "\n" + "|-" * 20_000, "\u202e" * 100_000, "\ufdd0" * 100_000, "\r" * 100_000,
     "[a]\n\n" * 5_000 + "[a]: http://x.y", "a\n\n" * 20_000],
    ids=range(23),
)  # fmt: skip
def test_more_hostile_text_at_once(text: str, qapp: QApplication) -> None:
    start = time.perf_counter()
    document = MarkdownDocument()
    document.document.setTextWidth(720)
    document.set_text(text)
    document.document.size()
    assert time.perf_counter() - start < SECONDS
