"""Gaps in rendered texts: where contents have what would be a special token (`text.contents`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

GAP = "\ufdd0"
"""Unicode keeps it for a program's own use. Twice, it stands for itself."""

_ANCHOR = "\n"

Encode = Callable[[str], Sequence[int]]


def tokens(encode: Encode, text: str) -> list[int]:
    """The tokens of a rendered text; no special token is found across a gap.

    Args:
        encode: gives those of a text without gaps.
    """
    if GAP not in text:
        return list(encode(text)) if text else []
    begun = list(encode(_ANCHOR))
    known: dict[str, Sequence[int]] = {"": ()}

    def within(piece: str) -> Sequence[int]:
        # Some tokenizers put a blank before every text, where none is in the middle of one.
        ids = list(encode(_ANCHOR + piece))
        return ids[len(begun) :] if ids[: len(begun)] == begun else encode(piece)

    first, *others = _divided(text)
    found = list(encode(first)) if first else []
    for piece in others:
        if piece not in known:
            known[piece] = within(piece)
        found += known[piece]
    return found


def shown(text: str) -> str:
    """A rendered text without its gaps."""
    return "".join(_divided(text)) if GAP in text else text


def itself(text: str) -> str:
    """A text that is encoded as it stands, with the special tokens in it."""
    return text.replace(GAP, GAP * 2) if GAP in text else text


def _divided(text: str) -> Iterator[str]:
    """What stands between the gaps."""
    piece: list[str] = []
    for number, part in enumerate(text.split(GAP * 2)):
        first, *others = part.split(GAP)
        piece += [GAP, first] if number else [first]
        for other in others:
            yield "".join(piece)
            piece = [other]
    yield "".join(piece)
