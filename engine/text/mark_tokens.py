"""Tell marker tokens apart from text that merely looks like a marker."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.text.dialects import Markers


class MarkTokens:
    """Distinguishes markers from lookalike text.

    Tokens that make up markers are mapped to noncharacters, both in the text passed to the splitter
    and in the markers. A marker spelled out with other tokens is then just text.

    Args:
        tokens: the tokenizer's added tokens, with their ids.
    """

    _FIRST = 0xFDD1  # the character after `pieces.GAP`
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
        """Return a token's text for the splitter."""
        return self.of(text) if token in self._ids else text

    def of(self, text: str) -> str:
        """Convert text for the splitter, treating every marker in it as a token."""
        return self._token.sub(lambda found: self._chars[found[0]], text) if self._chars else text

    def plain(self, text: str) -> str:
        """Restore the original text."""
        return text.translate(self._back) if self._back else text

    def has_token(self, marker: str) -> bool:
        """Check whether a marker has an added token in it."""
        return any(ord(char) in self._back for char in marker)
