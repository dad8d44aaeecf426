"""Examples of the specifications, streamed and whole."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.app.markdown.markdown_dump import dump, in_pieces, rendered
from tests.slices import examples

LINES = (Path(__file__).parent / "spec" / "examples.jsonl").read_text("utf-8").splitlines()
EXAMPLES = [json.loads(line) for line in LINES]
SECTIONS = sorted({example["section"] for example in EXAMPLES})


def test_spec_examples_are_complete() -> None:
    assert Counter(example["spec"] for example in EXAMPLES) == {
        "CommonMark 0.31.2": 652,
        "GFM 0.29": 46,
    }


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.turns(6)
def test_character_by_character(section: str) -> None:
    for example in EXAMPLES:
        if example["section"] == section:
            text = example["markdown"]
            assert dump(in_pieces(list(text)).document) == dump(rendered(text).document), text


@pytest.mark.parametrize("seed", range(examples(3)))
def test_joined_examples_in_any_order_match(seed: int) -> None:
    dice = random.Random(seed)
    texts = [example["markdown"] for example in dice.sample(EXAMPLES, 120)]
    text = "\n".join(texts)
    pieces = []
    place = 0
    while place < len(text):
        size = dice.choice((1, 2, 3, 8, 30, 100))
        pieces.append(text[place : place + size])
        place += size
    assert dump(in_pieces(pieces).document) == dump(rendered(text).document)
