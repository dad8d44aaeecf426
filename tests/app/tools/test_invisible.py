"""Invisible characters."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from app.tools.tool import clean, to_readable_json, to_visible_line
from engine.hub.names import clean_name
from engine.text.invisible import escape_invisible, is_visible

HIDDEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u2800\u3164\uffa0\ufe00\ufe0f\U000e0100"
SMUGGLED = "".join(chr(0xE0100 + byte - 16) for byte in b"my password")


def escaped(character: str) -> str:
    return f"<{ord(character):x}>"


@pytest.mark.parametrize("character", [*HIDDEN, "\U0001d159", "\u200b", "\u200d", "\xad", "\x00"])
def test_invisible_character_is_escaped(character: str) -> None:
    assert not is_visible(f"a{character}")
    assert escape_invisible(f"a{character}b", escaped) == f"a<{ord(character):x}>b"
    assert to_visible_line(f"a{character}b").isascii()


def test_smuggled_text_is_shown_and_cleaned() -> None:
    assert len(to_visible_line(f"hello{SMUGGLED}")) > 100
    assert clean(f"hello{SMUGGLED}\u3164\ufe01") == "hello"
    assert clean_name(f"name{SMUGGLED}\u3164") == "name"
    assert "\\ufe01" in to_readable_json('{"text": "hello\ufe01"}')
    assert "\\u200c" in to_readable_json('{"text": "hello\u200c\u200d"}')


def test_emoji_and_scripts_are_kept() -> None:
    heart, family, persian = "I \u2764\ufe0f it", "\U0001f468\u200d\U0001f469", "می\u200cخواهم"
    assert is_visible(heart)
    assert to_visible_line(heart) == clean(heart) == heart
    assert to_visible_line(f"{heart}\ufe0f") == heart + "\\ufe0f", "only one says nothing"
    for text in (family, persian, "\u2764\ufe0f\u200d\U0001f525"):
        assert escape_invisible(text, escaped, joiners=True) == text
        assert clean(text) == text
    run = "\U0001f468\u200d\u200c\u200d\U0001f469"
    assert "<200c>" in escape_invisible(run, escaped, joiners=True)
    assert escape_invisible("a\u200db", escaped, joiners=True) == "a<200d>b"


def test_table_has_every_variation_selector_and_filler() -> None:
    for code in range(sys.maxunicode):
        name = unicodedata.name(chr(code), "")
        if "VARIATION SELECTOR" in name or (name.endswith("FILLER") and "HANGUL" in name):
            assert not is_visible(chr(code)), name
