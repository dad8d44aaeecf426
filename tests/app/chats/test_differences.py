"""Word-by-word differences between two texts."""

import time

from app.chats.differences import MOST_WORDS, differences


def test_differing_words_are_found_in_both() -> None:
    one, other = "The red house is old.", "The blue house was very old!"
    here, there = differences(one, other)
    assert [one[a:b] for a, b in here] == ["red", "is", "."]
    assert [other[a:b] for a, b in there] == ["blue", "was very", "!"]
    assert differences(one, one) == ([], [])
    assert differences("Hello", "hello") == ([], [])
    assert differences("", "a b") == ([], [(0, 3)])


def test_long_texts_take_bounded_time() -> None:
    begun = time.process_time()
    here, _ = differences("a b " * 50_000, "c d " * 50_000)
    assert here == [(0, 2 * MOST_WORDS - 1)]
    differences(" ".join(map(str, range(9_000))), " ".join(map(str, range(9_000, 0, -1))))
    assert time.process_time() - begun < 10
