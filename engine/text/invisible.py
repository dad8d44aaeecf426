"""Invisible characters, for code that displays or accepts untrusted text.

`str.isprintable` accepts variation selectors, fillers and blank symbols, but a run of them can hide
a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# Default_Ignorable_Code_Point in Unicode 16 (DerivedCoreProperties.txt), minus the two joiners.
IGNORED = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00016fe4\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Content of a character class in a regular expression, like the next two constants."""
JOINERS = "\u200c\u200d"
BLANKS = "\u2800\U0001d159"
"""Blank braille pattern and musical null notehead, which take up space without ink."""

PRESENTED = (
    "(?<=[\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff])\ufe0f"
)
"""Variation selector after a symbol. Many emoji have it."""

_UNSEEN = re.compile(f"(?!{PRESENTED})[{IGNORED}{JOINERS}{BLANKS}]")
_PRESENTED = re.compile(PRESENTED)
_JOINED = re.compile(
    f"(?<=[^\\x00-\\x7f{IGNORED}{JOINERS}{BLANKS}])\ufe0f?[{JOINERS}]"
    f"(?=[^\\x00-\\x7f{IGNORED}{JOINERS}{BLANKS}])"
)


def is_visible(text: str) -> bool:
    """Return True if every character is visible, or harmless in its position."""
    return text.isprintable() and not _UNSEEN.search(text)


def escape_invisible(
    text: str, escape: Callable[[str], str], keep: str = "", joiners: bool = False
) -> str:
    """Replace invisible characters with the results of ``escape``.

    Args:
        joiners: leave joiners between non-ASCII letters, which Persian and emoji need.
    """
    if is_visible(text):
        return text
    stays = {match.end() - 1 for match in _PRESENTED.finditer(text)}
    if joiners:
        stays |= {match.end() - 1 for match in _JOINED.finditer(text)}
    return "".join(
        c if c in keep or at in stays or is_visible(c) else escape(c) for at, c in enumerate(text)
    )
