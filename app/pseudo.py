"""Languages that nobody speaks, made from the English: to see what a translation does to a window.

``STRETTO_LANGUAGE=xx`` gives longer texts with accents between brackets. What shows without them
has not gone through `app.language`; what ends without its bracket is cut off.
``STRETTO_LANGUAGE=ar-xx`` gives texts that run from right to left, in a mirrored window.
"""

from __future__ import annotations

import re

from app.language import Translate

_ACCENTED = str.maketrans("aceinouyACEINOUY", "âçéîñôûýÂÇÉÎÑÔÛÝ")

_KEPT = re.compile(r"\{[^{}]*\}|%L?n|%\d|&(?:#?\w+;|.)|<[^<>]+>|https?://\S+")
"""What a translation must leave as it is: places for values, mnemonics, marks of HTML, links."""

_LONGER = 0.35
"""How much longer than the English the texts are, which is much for German."""


def _accented(text: str) -> str:
    kept = _KEPT.findall(text)
    changed = [part.translate(_ACCENTED) for part in _KEPT.split(text)]
    rest = "".join(between + own for between, own in zip(changed, [*kept, ""], strict=True))
    return f"[{rest}{' ·' * round(len(text) * _LONGER / 2)}]"


def _mirrored(text: str) -> str:
    # The first letter makes it a text from right to left, the last one closes it on its left.
    return f"ش{text}ش"


def _by_number(text: str, comment: str, n: int) -> str:
    return text if n in (-1, 1) else comment


TRANSLATIONS: dict[str, Translate] = {
    "xx": lambda text, comment, n: _accented(_by_number(text, comment, n)),
    "ar-xx": lambda text, comment, n: _mirrored(_by_number(text, comment, n)),
}
MIRRORED = {"ar-xx"}
"""Those in which the window is mirrored."""
