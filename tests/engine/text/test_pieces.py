"""Processing of long texts in chunks."""

from __future__ import annotations

from array import array

import pytest

from engine.text import pieces

TEXTS = ["", "a", "äöü日本語👋🏽" * 5, "plain " * 9, "\ufeffmark", "a\0b"]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 3)  # splits characters of two to four bytes
    monkeypatch.setattr(pieces, "TOKENS", 2)


@pytest.mark.parametrize("text", TEXTS)
def test_texts_round_trip(text: str) -> None:
    assert pieces.encode_utf8(text) == text.encode()
    assert pieces.decode_utf8(text.encode()) == text
    assert pieces.is_unicode(text)


@pytest.mark.parametrize("at", [0, 2, 3, 7, 11])
def test_half_a_character_is_found_in_every_piece(at: int) -> None:
    text = "a" * at + "\ud800" + "a" * (11 - at)
    assert not pieces.is_unicode(text)
    with pytest.raises(UnicodeEncodeError):
        pieces.encode_utf8(text)


def test_invalid_text_is_refused_in_every_piece() -> None:
    for blob in (b"abcd\xff", b"abcdef\xe6\x97", b"\x80abcdef"):
        with pytest.raises(UnicodeDecodeError):
            pieces.decode_utf8(blob)


def test_ids_are_listed_in_order() -> None:
    assert pieces.concatenate((1, 2, 3), array("I", range(7)), []) == [1, 2, 3, *range(7)]
    assert pieces.concatenate() == []
