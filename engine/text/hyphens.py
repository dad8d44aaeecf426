"""Joining of words that a PDF hyphenates at line ends.

If a line ends in a hyphen between two letters, pdfium writes U+FFFE and joins the lines. The rest
of the document, or else the two halves, decide if the hyphen belongs to the word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BROKEN = re.compile(r"(\w+)(?:[\ufffe\x02]|[\xad\u2010]\r?\n)(\w+)(-?)")
_LISTED = re.compile(r"-\s(?:and|or|und|oder)\s$")
_SIGNS = re.compile("[\ufffe\x02\xad]")
_WORD = re.compile(r"\w+(?:-\w+)*")
_KEPT_AFTER = {"all", "cross", "ex", "half", "non", "quasi", "self", "well"}
_KEPT_AFTER |= {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
_KEPT_BEFORE = {"based", "by", "driven", "in", "known", "level", "like", "of", "oriented", "scale"}
_KEPT_BEFORE |= {"specific", "term", "the", "to", "up"}
_SUSPENDED = {"and", "bzw", "et", "oder", "or", "ou", "und"}


def rejoin_words(pages: Sequence[str]) -> list[str]:
    if not any(_BROKEN.search(page) or "\xad" in page for page in pages):
        return [*pages]
    words = {word.lower() for page in pages for word in _WORD.findall(page)}

    def join_match(match: re.Match[str]) -> str:
        first, second, tail = match.groups()
        text, start = match.string, match.start()
        words_before = text[max(0, start - 80) : start].rsplit(None, 1)
        before = words_before[-1] if words_before and not text[start - 1 : start].isspace() else ""
        if second in _SUSPENDED and f"{first}{second}".lower() not in words:
            return f"{first}- {second}{tail}"  # "first- and second-"
        is_kept = tail or any(char in "-/@\\_:." for char in before)
        is_kept = is_kept or _LISTED.search(text[max(0, start - 30) : start])
        hyphen = "-" if is_kept or _is_part_of_word(first, second, words) else ""
        return f"{first}{hyphen}{second}{tail}"

    return [
        _SIGNS.sub("-", _BROKEN.sub(join_match, _BROKEN.sub(join_match, page))) for page in pages
    ]


def _is_part_of_word(first: str, second: str, words: set[str]) -> bool:
    low_first, low_second = first.lower(), second.lower()
    if f"{low_first}-{low_second}" in words:
        return True
    if low_first + low_second in words:
        return False
    if not (first.isalpha() and second.isalpha()) or len(first) == 1:
        return True
    if second[0].isupper() and not (first.isupper() and second.isupper()):
        return True
    return low_first in _KEPT_AFTER or low_second in _KEPT_BEFORE
