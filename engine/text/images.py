"""Images and recordings in prompts: marks with digests in the text, and ids in the tokens.

A template writes the same word for every image, so prompts with different images would be equal.
Therefore the rendered text has a mark with the image's digest instead. For tokenization, the mark
becomes the word again, whose token is then replaced by the image's ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.errors import TEMPLATE_ERROR, EngineError
from engine.messages import Message, medium_of

_MARK = "\ufdd1"  # a noncharacter, reserved by Unicode for internal use

_MARKED = re.compile(f"{_MARK}([0-9a-f]{{64}}){_MARK}")


class Images(Struct, frozen=True):
    """Images and recordings of a prompt."""

    # the template's words for an image and for a recording, with their ids
    words: Mapping[str, int]
    # by digest: the word, and the token ids of the image
    ids: Mapping[str, tuple[str, Sequence[int]]]

    def mark(self, text: str, digests: Sequence[str]) -> str:
        """Replace the words for images in a rendered text by marks with their digests.

        Raises:
            EngineError: the template has not written all of them.
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
        """Return a text without the character used for marks."""
        return text.replace(_MARK, "\ufffd")

    def tokens(self, text: str, found: Sequence[int]) -> Sequence[int]:
        """Replace the word tokens of a marked text by the ids of its images.

        Raises:
            EngineError: the tokenizer has no token for the word.
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
        """Return a marked text as it is tokenized."""
        return _MARKED.sub(lambda mark: self.ids[mark[1]][0], text)


def images_as_words(messages: list[Message]) -> list[Message]:
    """Return messages for a template, which needs only the type of images and recordings."""
    return [
        {**m, "content": [_part(part) for part in m["content"]]}
        if isinstance(m.get("content"), (list, tuple))
        else m
        for m in messages
    ]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": part["type"]} if medium_of(part) is not None else dict(part)
