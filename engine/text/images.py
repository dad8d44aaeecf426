"""Images in a prompt's text: a mark with its content's digest, and ids of its own in the tokens.

Sounds are taken as images are. A template writes one word for any image. Were it left so, a later
prompt with another image would be taken for the same. So each stands in the text with its digest.
To be tokenised it is the word again, whose token then gives way to the ids that stand for this
image.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.errors import TEMPLATE_ERROR, EngineError
from engine.messages import Message, medium_of

_MARK = "\ufdd1"  # Unicode keeps it for a program's own use

_MARKED = re.compile(f"{_MARK}([0-9a-f]{{64}}){_MARK}")


class Images(Struct, frozen=True):
    """How a model's prompts have images."""

    # what its template writes for one, and for a sound where it hears; with their ids
    words: Mapping[str, int]
    # by an image's digest, its word and the ids that stand for it
    ids: Mapping[str, tuple[str, Sequence[int]]]

    def mark(self, text: str, digests: Sequence[str]) -> str:
        """A rendered text with the digest of each image in the place of its word.

        Raises:
            EngineError: the template has no place for them all.
        """
        pattern = "|".join(map(re.escape, self.words))
        first, *others = re.split(f"({pattern})", self.unmarked(text))
        written = others[::2]
        if written != [self.ids[digest][0] for digest in digests]:
            raise EngineError(
                TEMPLATE_ERROR,
                f"The model's chat template writes {len(written)} of the {len(digests)} images and "
                "recordings of these messages, or in another order.",
            )
        pairs = zip(digests, others[1::2], strict=True)
        return first + "".join(f"{_MARK}{digest}{_MARK}{text}" for digest, text in pairs)

    def unmarked(self, text: str) -> str:
        """A text that somebody wrote, without what would be a mark in it."""
        return text.replace(_MARK, "\ufffd")

    def tokens(self, text: str, found: Sequence[int]) -> Sequence[int]:
        """The tokens of a marked text, of those that were `found` in it with words for marks.

        Raises:
            EngineError: the tokenizer does not know the word.
        """
        digests = _MARKED.findall(text)
        if not digests:
            return found
        out: list[int] = []
        known, at = list(found), 0
        for digest in digests:
            word, ids = self.ids[digest]
            try:
                place = known.index(self.words[word], at)
            except ValueError:
                raise EngineError(
                    TEMPLATE_ERROR, f"The model's tokenizer has no token for {word!r}."
                ) from None
            out += [*known[at:place], *ids]
            at = place + 1
        return [*out, *known[at:]]

    def as_words(self, text: str) -> str:
        """A marked text as it is tokenised."""
        return _MARKED.sub(lambda mark: self.ids[mark[1]][0], text)


def images_as_words(messages: list[Message]) -> list[Message]:
    """Messages as templates want them: of an image or a sound they are told that it is there."""
    return [
        {**m, "content": [_part(part) for part in m["content"]]}
        if isinstance(m.get("content"), (list, tuple))
        else m
        for m in messages
    ]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": part["type"]} if medium_of(part) is not None else dict(part)
