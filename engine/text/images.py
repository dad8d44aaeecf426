"""Images and recordings in prompts: digests in the text, token ids after tokenization.

Templates use the same placeholder for every image, so prompts with different images would look
equal. In the rendered text, a mark with the image's digest replaces each placeholder. For
tokenization, the mark becomes the placeholder again, whose token then expands to the image's ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.errors import TEMPLATE_ERROR, EngineError
from engine.messages import Message, medium_of

_MARK = "\ufdd1"  # a noncharacter reserved for internal use

_MARKED = re.compile(f"{_MARK}([0-9a-f]{{64}}){_MARK}")


class Images(Struct, frozen=True):
    # Placeholders in the template for images and recordings, with their token ids.
    words: Mapping[str, int]
    # By digest: placeholder, and the token ids to insert.
    ids: Mapping[str, tuple[str, Sequence[int]]]

    def insert_marks(self, text: str, digests: Sequence[str]) -> str:
        """Replace placeholders in a rendered text with marks that contain the images' digests.

        Raises:
            EngineError: if the template didn't write all images in order.
        """
        pattern = "|".join(map(re.escape, self.words))
        first, *parts = re.split(f"({pattern})", self.remove_marks(text))
        texts = parts[::2]
        if texts != [self.ids[digest][0] for digest in digests]:
            raise EngineError(
                TEMPLATE_ERROR,
                f"The model's chat template writes {len(texts)} of {len(digests)} images and "
                "recordings, or changes their order.",
            )
        pairs = zip(digests, parts[1::2], strict=True)
        return first + "".join(f"{_MARK}{digest}{_MARK}{text}" for digest, text in pairs)

    def remove_marks(self, text: str) -> str:
        return text.replace(_MARK, "\ufffd")

    def expand_tokens(self, text: str, token_ids: Sequence[int]) -> Sequence[int]:
        """Expand the placeholder tokens of a marked text to the images' ids.

        Raises:
            EngineError: if the tokenizer has no token for the placeholder.
        """
        digests = _MARKED.findall(text)
        if not digests:
            return token_ids
        out: list[int] = []
        id_list, at = list(token_ids), 0
        for digest in digests:
            word, ids = self.ids[digest]
            try:
                position = id_list.index(self.words[word], at)
            except ValueError:
                raise EngineError(
                    TEMPLATE_ERROR, f"The model's tokenizer has no token for {word!r}."
                ) from None
            out += [*id_list[at:position], *ids]
            at = position + 1
        return [*out, *id_list[at:]]

    def restore_placeholders(self, text: str) -> str:
        return _MARKED.sub(lambda mark: self.ids[mark[1]][0], text)


def strip_images(messages: list[Message]) -> list[Message]:
    """Reduce images and recordings to their type, which is all that templates need."""
    return [
        {**m, "content": [_part(part) for part in m["content"]]}
        if isinstance(m.get("content"), (list, tuple))
        else m
        for m in messages
    ]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": part["type"]} if medium_of(part) is not None else dict(part)
