"""Markers that are tokens, distinguished from text that looks like them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.text.dialects import Markers


class MarkTokens:
    """Recognizer of markers among text that looks like them.

    Each token that is a marker or a part of one is mapped to a private-use character of Unicode,
    both in the text for the splitter and in the markers. Markers spelled with other tokens are
    text.

    Args:
        tokens: ids of the tokenizer's added tokens.
    """

    _FIRST = 0xFDD1  # `pieces.GAP` is before it
    _MOST = 31

    def __init__(self, markers: Markers, tokens: Mapping[str, int]) -> None:
        all_markers = [
            *markers.all,
            *(start for f in markers.frames for start in (f.start, *f.ends)),
        ]
        if markers.header is not None:
            all_markers += markers.header.first
        known = {t for t in tokens if t.strip() and any(t in marker for marker in all_markers)}
        used = sorted(known, key=len, reverse=True)
        self._chars = {token: chr(self._FIRST + n) for n, token in enumerate(used[: self._MOST])}
        self._back = {ord(char): token for token, char in self._chars.items()}
        self._ids = frozenset(tokens.values())
        self._token = re.compile("|".join(map(re.escape, self._chars)) or r"(?!)")
        self.markers = markers.mapped(self.of)

    def of_token(self, token: int, text: str) -> str:
        """Return the text of a token for the splitter."""
        return self.of(text) if token in self._ids else text

    def of(self, text: str) -> str:
        """Return text for the splitter, if each marker in it is a token."""
        return self._token.sub(lambda found: self._chars[found[0]], text) if self._chars else text

    def plain(self, text: str) -> str:
        """Return the original text."""
        return text.translate(self._back) if self._back else text

    def has_token(self, marker: str) -> bool:
        """Return True if a marker contains an added token."""
        return any(ord(char) in self._back for char in marker)
