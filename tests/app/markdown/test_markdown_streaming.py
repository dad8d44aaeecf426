"""Streaming in any chunks, compared with the whole text."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.markdown import MarkdownDocument
from app.markdown.blocks import BlockSplitter, normalize
from app.markdown.syntax import parser
from tests.app.markdown.markdown_dump import dump, in_pieces, rendered
from tests.app.markdown.markdown_samples import FRAGMENTS, SAMPLES
from tests.slices import examples

together = pytest.mark.parametrize("name", SAMPLES)


def cut(text: str, dice: random.Random) -> list[str]:
    pieces = []
    while text:
        size = dice.choice((1, 2, 3, 5, 8, 20, 60))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


@together
@pytest.mark.turns(5)
def test_character_by_character(name: str) -> None:
    text = SAMPLES[name]
    assert dump(in_pieces(list(text)).document) == dump(rendered(text).document)


@together
@pytest.mark.turns(6)
def test_random_pieces_render_as_the_whole_text(name: str) -> None:
    text = SAMPLES[name]
    expected = dump(rendered(text).document)
    for seed in range(examples(3)):
        assert dump(in_pieces(cut(text, random.Random(seed))).document) == expected


def test_joined_samples_in_any_order_match() -> None:
    for seed in range(examples(4)):
        dice = random.Random(seed)
        names = [name for name in SAMPLES if "unclosed" not in name]
        dice.shuffle(names)
        text = "\n\n".join(SAMPLES[name] for name in names[:40])
        assert dump(in_pieces(cut(text, dice)).document) == dump(rendered(text).document)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30), st.randoms(use_true_random=False))
def test_any_mix(fragments: list[str], dice: random.Random) -> None:
    text = "".join(fragments)
    streamed = in_pieces(cut(text, dice))
    assert dump(streamed.document) == dump(rendered(text).document)
    assert streamed.source == text


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40), st.randoms(use_true_random=False))
def test_splitter_finds_the_blocks_of_the_whole_text(
    fragments: list[str], dice: random.Random
) -> None:
    text = "".join(fragments)
    splitter = BlockSplitter()
    taken: list[object] = []
    for piece in cut(text, dice):
        splitter.feed(piece)
        splitter.advance()
        assert splitter.finished[: len(taken)] == taken, "a finished block has changed"
        taken = list(splitter.finished)
    splitter.finish()
    assert "".join(block.source for block in splitter.finished) == normalize(text)
    references: dict[str, object] = {}
    tokens: list[object] = []
    parser().block.parse(normalize(text), parser(), {"references": references}, tokens)

    def plain(tokens: list) -> list:
        return [(t.type, t.tag, t.content, t.markup, t.info, t.hidden, t.attrs) for t in tokens]

    assert plain([t for b in splitter.finished for t in b.tokens]) == plain(tokens)
    assert {k: v["href"] for k, v in splitter.references.items()} == {
        k: v["href"] for k, v in references.items()
    }


@pytest.mark.parametrize("first", ["\ufeff", "a **\ufeffb**", "`\ufeff`", "| \ufeff |\n|---|\n"])
def test_byte_order_mark_is_an_ordinary_character(first: str) -> None:
    pieces = [first, "क", "\ufeff\ufeffक **क**", "\n\n\ufeff"]
    grown, whole = MarkdownDocument(), MarkdownDocument()
    for piece in pieces:
        grown.append(piece)
        grown.refresh()
    grown.finish()
    whole.set_text("".join(pieces))
    assert dump(grown.document) == dump(whole.document)
    assert len(grown.document.toRawText()) == grown.document.characterCount() - 1
