"""Detection of loops without false alarms on legitimate repetition."""

from __future__ import annotations

import itertools
import random
import re
from functools import partial

import pytest

from engine.text.repetition import MIN_TOKENS, RepetitionDetector, find_period


class _Vocabulary:
    def __init__(self) -> None:
        self._pieces: list[str] = []

    def encode(self, text: str) -> list[int]:
        ids = []
        for piece in re.findall(r" ?\w+|\s|[^\w\s]", text):
            if piece not in self._pieces:
                self._pieces.append(piece)
            ids.append(self._pieces.index(piece))
        return ids

    def decode(self, tokens: list[int]) -> str:
        return "".join(self._pieces[token] for token in tokens)


def _repeated(reply: str, question: str = "Tell me about rivers.") -> int:
    words = _Vocabulary()
    prompt, written = words.encode(question), words.encode(reply)
    detector = RepetitionDetector(words.decode, question)
    tokens, answer = list(prompt), ""
    for token in written:
        tokens.append(token)
        answer += words.decode([token])
        if found := detector.repeated_tokens(tokens, len(prompt), partial(str, answer)):
            return found
    return 0


BEGINNING = "Rivers begin in the hills.\n\n"
_CHOICE = random.Random(1)
LOOPS = (
    "".join(
        f"The river was {_CHOICE.choice(('', 'even ', 'also ', 'indeed '))}said to be the river "
        f"of the gods, and it was {_CHOICE.choice(('', 'even '))}said to be the river.\n\n"
        for _ in range(60)
    ),
    "".join(
        f"and they had to find a way to find {_CHOICE.choice(('Zephyra', 'the dragon', 'a hill'))}"
        "'s true magic, "
        for _ in range(80)
    ),
    '"The water is clear," said the fish. ' * 60,
    "The water is clear and the fish are many. " * 60,
    "A river is a body of water. It flows to the sea, where it ends.\n\n" * 40,
    "the " * 600,
    "- Drink water\n- Sleep well\n" * 60,
    "I'm sorry, but I can't help with that. " * 60,
    "P.S.\n\n" * 200,
    " ".join(f"sentence about {word} and rivers." for word in "abcdefghijklmnop") * 8,
)
ROWS = (
    "[" + "0, " * 900 + "0]",
    "```python\n" + "print('hello world and good morning')\n" * 80 + "```\n",
    "```\n" + "all work and no play makes jack a dull boy\n" * 80 + "```\n",
    "[" + '{"name": "unknown", "city": "unknown"},\n' * 80 + "]",
    "| Monday | free | free |\n" * 80,
    "<li>an item of the list</li>\n" * 80,
    "Monday,closed,closed,closed\n" * 80,
    "days:\n" + "  monday: closed\n" * 80,
    "-" * 2000,
    "1 2 3 4 5 6 7 8 9\n" * 80,
    "x = x + one\n" * 100,
    "A.\nB.\nC.\nD.\n\n" * 80,
    "9:00 a.m.\n5:00 p.m.\n" * 80,
    "\n" * 900,
)
CHORUS = "Row, row, row your boat, gently down the stream. Merrily, merrily, life is a dream.\n\n"
NOUNS = ["sun", "moon", "rain", "snow", "wind", "fog", "hail", "ice", "fire", "dust"]
SONG = "".join(
    f"This is verse {n}, about {noun} and {noun} and the sea.\n{CHORUS}"
    for n, noun in enumerate(NOUNS * 3)
)
BOTTLES = "".join(
    f"{n} bottles of beer on the wall, take one down and pass it around.\n"
    for n in range(99, 0, -1)
)
LITANY = "".join(
    f"Let there be light for the {noun} and for the {other}, we ask of you tonight.\n"
    for noun, other in itertools.permutations(NOUNS, 2)
)


OUTCOMES = "".join(
    f"The first coin shows {a}, the second shows {b}, the third shows {c}, the fourth shows {d}, "
    f"and the fifth shows {e}.\n"
    for a, b, c, d, e in itertools.product(["heads", "tails"], repeat=5)
)
FLIPS = "".join(f"- {_CHOICE.choice(('Heads', 'Tails'))}\n" for _ in range(300))
CASES = "".join(
    f"Suppose that Anna is a {a}, Ben is a {b}, Clara is a {c}, David is a {d}, and Emma is a {e}. "
    "This contradicts what Ben said.\n\n"
    for a, b, c, d, e in itertools.product(["knight", "knave"], repeat=5)
)
PRAYERS = "".join(
    f"Let there be light for the {noun} in the early hours of the morning, and let there be peace "
    f"for the {other} at the end of the day.\n"
    for noun, other in itertools.permutations(NOUNS[:7], 2)
)


@pytest.mark.parametrize("loop", LOOPS)
def test_loop_is_found(loop: str) -> None:
    assert _repeated(BEGINNING + loop) >= MIN_TOKENS


@pytest.mark.parametrize("rows", ROWS)
def test_rows_may_be_equal(rows: str) -> None:
    assert _repeated(BEGINNING + rows) == 0


@pytest.mark.parametrize("song", [SONG, BOTTLES, LITANY, CHORUS * 3, "La la la, hey Jude. " * 16])
def test_songs_may_have_refrains(song: str) -> None:
    assert _repeated(song) == 0


@pytest.mark.parametrize("combinations", [OUTCOMES, FLIPS, CASES, PRAYERS])
def test_combinations_of_the_same_words_are_not_a_loop(combinations: str) -> None:
    assert _repeated(combinations) == 0


def test_requested_repetition_is_allowed() -> None:
    question = "Write 'I will not talk in class' 100 times."
    assert _repeated("I will not talk in class.\n" * 100, question) == 0
    assert _repeated("I will not talk in class.\n" * 100, "Write a story.") > 0


@pytest.mark.parametrize("line", ["I will not talk in class.", "我再也不迟到了。", "Я не опоздаю."])
def test_requested_repetition_may_be_cut_inside_a_word(line: str) -> None:
    detector = RepetitionDetector(lambda tokens: "".join(map(chr, tokens)), f"100 times: {line}")
    tokens = list(map(ord, f"{line}\n" * 40))
    for length in range(len(tokens)):
        assert detector.repeated_tokens(tokens[:length], 0, str) == 0


def test_prompt_does_not_count_as_repetition() -> None:
    words = _Vocabulary()
    tokens = words.encode("The water is clear and cold. " * 100)
    detector = RepetitionDetector(words.decode, "")
    assert detector.repeated_tokens(tokens, len(tokens), str) == 0


def test_text_is_joined_for_repetition_only() -> None:
    """Regression test: all of a long reply was joined for each of its tokens."""
    words, joined = _Vocabulary(), list[int]()

    def answer() -> str:
        joined.append(1)
        return ""

    tokens = words.encode(" ".join(f"word{n}" for n in range(500)))
    detector = RepetitionDetector(words.decode, "")
    for length in range(1, len(tokens)):
        assert detector.repeated_tokens(tokens[:length], 0, answer) == 0
    assert not joined


def test_period_is_the_shortest() -> None:
    assert find_period([1, 2, 3] * 200) == 3
    assert find_period([*range(1000)]) == 0
    assert find_period([1, 2, 3] * 40) == 0  # too short for certainty
    assert find_period([1, 2, 3] * 200 + [9]) == 0
