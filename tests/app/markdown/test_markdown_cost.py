"""Cost per append, which depends only on the open tail."""

import cProfile
import gc
import itertools
import random
from collections.abc import Callable, Iterator
from itertools import repeat

import pytest

from app.markdown import MarkdownDocument
from app.markdown.blocks import LINE_LIMIT, TAIL_LIMIT, BlockSplitter
from app.markdown.rows import Ink, Row, Span, TableRow
from app.markdown.syntax import parser
from tests.bench.samples import mixed


def test_splitter_tail_of_a_long_answer_stays_short() -> None:
    text = mixed(60_000)
    splitter = BlockSplitter()
    longest = 0
    for place in range(0, len(text), 5):
        splitter.feed(text[place : place + 5])
        splitter.advance()
        longest = max(longest, len(splitter.tail))
    assert longest < 500


def test_rows_above_the_tail_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    document = MarkdownDocument()
    document.append(mixed(20_000))
    document.refresh()
    given: list[int] = []
    show = document._writer.show

    def counting(start: int, rows: list[Row]) -> None:
        given.append(len(rows))
        show(start, rows)

    monkeypatch.setattr(document._writer, "show", counting)
    text = mixed(23_000)[20_000:]
    for place in range(0, len(text), 5):
        document.append(text[place : place + 5])
        document.refresh()
    assert max(given) < 30


def test_collector_ignores_rows(qapp: object) -> None:
    document = MarkdownDocument()
    document.set_text(mixed(20_000))
    document.settle()
    gc.collect()  # untracks tuples whose members aren't tracked
    assert not any(map(gc.is_tracked, document._writer.rows))
    assert not any(isinstance(found, Row | Span | Ink) for found in gc.get_objects())


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
    item = "> a line of a quotation that never ends, and that is rather long for a line\n"
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


class Work:
    """Cost of showing a text: Python calls, and characters reported to Qt as changed."""

    def __init__(self, text: str, sizes: Iterator[int]) -> None:
        self.characters = 0
        document = MarkdownDocument()
        document.document.setTextWidth(720)
        document.document.contentsChange.connect(self._on_change)
        with cProfile.Profile() as profile:
            place = 0
            while place < len(text):
                size = next(sizes)
                document.append(text[place : place + size])
                document.refresh()
                place += size
            document.finish()
        self.calls = sum(each.callcount for each in profile.getstats())
        self.blocks = document.document.blockCount()

    def _on_change(self, _place: int, removed: int, added: int) -> None:
        self.characters += removed + added


HOSTILE: dict[str, Callable[[int], str]] = {
    ">": lambda n: ">" * n,
    "> >": lambda n: "> " * (n // 2),
    "[": lambda n: "[" * n,
    "![": lambda n: "![" * (n // 2),
    "[a](": lambda n: "[a](" * (n // 4),
    "*": lambda n: "*" * n,
    "**a *b": lambda n: "**a *b " * (n // 7),
    "~~": lambda n: "~~" * (n // 2),
    "`": lambda n: "`" * n,
    "` a": lambda n: "` a " * (n // 4),
    "$": lambda n: "$a" * (n // 2),
    "<": lambda n: "<" * n,
    "&": lambda n: "&" * n,
    "\\": lambda n: "\\" * n,
    "|": lambda n: "|" * n,
    "#": lambda n: "#" * n,
    "an unclosed fence": lambda n: "```py\n" + "x = 1  # a line of code\n" * (n // 24),
    "a fence of short lines": lambda n: "```\n" + "x\n" * (n // 2),
    "one line of code": lambda n: "```\n" + "x" * n,
    "fences": lambda n: "```\n" * (n // 4),
    "a list": lambda n: "- an item of a list that never ends\n" * (n // 36),
    "a table": lambda n: "| a | b |\n|---|---|\n" + "| cell | another |\n" * (n // 19),
    "many columns": lambda n: "|a" * (n // 4) + "\n" + "|-" * (n // 4),
    "a quotation": lambda n: "> some words in a line\n" * (n // 23),
    "one line": lambda n: "word " * (n // 5),
    "control and bidi": lambda n: "\u202e\x01\u2066 and a word more\n" * (n // 20),
    "bidi": lambda n: "\u202e" * n,
    "tabs": lambda n: "a\t" * (n // 2),
    "no characters": lambda n: "\ufdd0" * n,
    "returns": lambda n: "\r" * n,
    "empty lines": lambda n: "\n" * n,
    "definitions": lambda n: "".join(f"[x{k}]\n\n[x{k}]: /u\n\n" for k in range(n // 18)),
    "a late definition": lambda n: "[a]\n\n" * (n // 5) + "[a]: http://x.y",
}

CALLS, WRITTEN = 150, 4
"""Limits per character of a text that arrives whole. A list item's three characters need most
calls.

The first slice of a very long line is written as a paragraph before it is shown as typed.
"""


@pytest.mark.turns(11)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_linear_work(name: str) -> None:
    text = HOSTILE[name](3 * TAIL_LIMIT)
    work = Work(text, repeat(len(text)))
    assert work.calls < CALLS * len(text)
    assert work.characters < WRITTEN * len(text) + 10
    assert work.blocks <= len(text) + 3


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", ["one line", "one line of code", "[", ">"])
def test_million_characters_in_one_append(name: str) -> None:
    text = HOSTILE[name](1_000_000)
    work = Work(text, repeat(len(text)))
    assert work.calls < len(text)
    assert work.blocks < 600


OVERSIZED: dict[str, str] = {
    "a nested list": "- item\n" + "  - item\n" * 6_000,
    "a table": "|a" * 100 + "\n" + "|-" * 100 + "\n" + ("|c" * 100 + "\n") * 300,
    "a quotation": "> words\n" * 6_000,
    "a paragraph": "words\n" * 6_000,
}


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", OVERSIZED)
def test_parsed_part_of_a_block_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a block over the limits is, the parser sees the same few lines."""
    seen: list[int] = []
    parse = parser().block.parse

    def counting(source: str, *rest: object) -> None:
        seen.append(len(source))
        parse(source, *rest)

    monkeypatch.setattr(parser().block, "parse", counting)
    totals = []
    for text in (OVERSIZED[name], OVERSIZED[name] * 2):
        seen.clear()
        document = MarkdownDocument()
        document.set_text(text)
        totals.append(sum(seen))
        rest = "".join(text.splitlines(keepends=True)[LINE_LIMIT:]) or "|c" * 100
        assert document._writer.rows[-1].kind == "raw"
        assert document.document.toPlainText().endswith(rest.removesuffix("\n"))
    assert totals[0] == totals[1] <= 15 * 5_001


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", OVERSIZED)
def test_after_a_block_over_the_limits_all_is_as_ever(name: str) -> None:
    after = "\n## Heading\n\n- item\n\nend *here*"
    whole, pieces = MarkdownDocument(), BlockSplitter()
    whole.set_text("before\n\n" + OVERSIZED[name] + after)
    rows = list(whole._writer.rows)
    assert [row.kind for row in rows[-3:]] == ["heading2", "paragraph", "paragraph"]
    assert rows[-2].item is not None
    assert rows[0].kind == "paragraph"
    dice = random.Random(name)
    text = "before\n\n" + OVERSIZED[name] + after
    place = 0
    while place < len(text):
        size = dice.choice((1, 700, 4_000))
        pieces.feed(text[place : place + size])
        pieces.advance()
        place += size
    pieces.finish()
    at_once = BlockSplitter()
    at_once.feed(text)
    at_once.finish()
    assert "".join(block.source for block in pieces.finished) == text

    def parts(splitter: BlockSplitter) -> list[tuple[bool, str]]:
        groups = itertools.groupby(splitter.finished, key=lambda block: block.typed)
        return [(typed, "".join(block.source for block in group)) for typed, group in groups]

    assert parts(pieces) == parts(at_once)


def test_long_code_stays_code() -> None:
    code = "x = 1 | 2\n" * 6_000
    document = MarkdownDocument()
    document.set_text(f"a\n\n```py\n{code}```\n\nb")
    assert [row.kind for row in document._writer.rows][-2:] == ["pad", "paragraph"]
    assert [block.source for block in document.code_blocks()] == [code]


def test_huge_table_ends_as_plain_rows() -> None:
    document = MarkdownDocument()
    document.set_text("| a | b |\n|---|---|\n" + "| cell | another |\n" * 10_000)
    table, *rows = document._writer.rows
    assert isinstance(table, TableRow)
    assert 300 < len(table.cells) < 1_000
    assert {row.kind for row in rows} == {"raw"}
    assert len(table.cells) + len(rows) == 10_001


def test_long_list_stays_one_list() -> None:
    document = MarkdownDocument()
    document.set_text("".join(f"{n}. item\n     - *inner*\n" for n in range(1, 1_000)) + "\nend")
    numbers = [row.item.number for row in document._writer.rows if row.item and not row.item.depth]
    assert numbers == list(range(1, 1_000))
    assert len({row.space for row in document._writer.rows[1:-1]}) == 1
    assert document.plain_text().count("inner") == 999


GROWING = (
    "an unclosed fence", "a fence of short lines", "one line of code", "a list", "a table", ">",
    "[", "one line", "control and bidi", "definitions", "a quotation",
)  # fmt: skip


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", GROWING)
def test_twice_the_text_in_pieces_of_any_size_is_twice_the_work(name: str) -> None:
    def sizes() -> Iterator[int]:
        dice = random.Random(name)
        while True:
            yield dice.choice((1, 10, 100, 1_000, 3_000))

    half, whole = (Work(HOSTILE[name](n), sizes()) for n in (20_000, 40_000))
    assert whole.calls < 2.9 * half.calls
    assert whole.characters < 2.9 * half.characters


def test_long_line_is_shown_once_while_it_grows() -> None:
    document = MarkdownDocument()
    for _ in range(10):
        document.append("x" * 4_000)
        document.refresh()
    assert document.plain_text() == "x" * 40_000
