"""Letters as a search compares them."""

from functools import lru_cache
from unicodedata import normalize


class _Folding(dict[int, str]):
    """Each letter without case and accent, as one letter: places stay what they are."""

    def __missing__(self, letter: int) -> str:
        folded = normalize("NFD", chr(letter))[0].lower()
        self[letter] = folded if len(folded) == 1 else chr(letter)
        return self[letter]


@lru_cache(1)
def _folding() -> _Folding:
    return _Folding()


def fold(text: str) -> str:
    """The text without case and accents, each letter in its place."""
    return text.lower() if text.isascii() else text.translate(_folding())
