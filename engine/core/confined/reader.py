"""A prompt's text and tokens, made by a child."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine.core.confined import wire
from engine.core.confined.checked import CheckedTokenizer
from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Message
from engine.text import pieces
from engine.text.rendering import Asked, TooLongError

_MOST_LISTED = 2**17
"""More tokens stay compact: a list of millions takes Python's lock for too long to make and free,
and nobody has a use for it."""

_LONG = 2**16  # characters


class Asker(Protocol):
    """Whoever has a child do something with a model's tokenizer (`Confined`)."""

    def use(
        self,
        do: str,
        checked: CheckedTokenizer,
        arguments: dict[str, Any],
        blobs: tuple[bytes, ...] = (),
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Its answer, and the bytes that came with it."""


class ConfinedReader:
    """A model's template and tokenizer in a child, for `engine.text.prompt.build`."""

    def __init__(self, confined: Asker, checked: CheckedTokenizer) -> None:
        self._confined, self._checked = confined, checked

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """The text of each, or why there is none."""
        lists: dict[int, int] = {}
        sent: list[bytes] = []
        texts: list[bytes] = []
        long: list[tuple[int, int, str]] = []
        for messages, _ in asked:
            if id(messages) not in lists:
                lists[id(messages)] = number = len(lists)
                sent.append(_packed(messages, number, long, texts))
        arguments = {
            "asked": [(lists[id(messages)], opening) for messages, opening in asked],
            "long": long,
            "reasoning": reasoning,
            "template": dict(template or {}),
        }
        result, blobs = self._confined.use("render", self._checked, arguments, (*sent, *texts))
        errors = result["errors"]
        return [
            pieces.decoded(blob) if error is None else EngineError(str(error[0]), str(error[1]))
            for blob, error in zip(blobs, errors, strict=True)
        ]

    def encode(self, texts: list[str], most: int | None = None) -> list[Sequence[int]]:
        """The tokens of each: a list, or an array where they are many.

        Raises:
            TooLongError: the first has more than `most`.
            EngineError: `invalid_request`, there is one that the model does not know.
        """
        blobs = tuple(pieces.encoded(text) for text in texts)
        result, out = self._confined.use("encode", self._checked, {"most": most}, blobs)
        if "too_long" in result:
            raise TooLongError(int(result["too_long"]))
        import numpy as np  # not with this module, which a window waits for

        found: list[Sequence[int]] = []
        for blob in out:
            ids = np.frombuffer(blob, np.uint32)
            self._check(int(ids.max(initial=0)))
            found.append(ids.tolist() if len(ids) <= _MOST_LISTED else array("I", blob))
        return found

    def _check(self, largest: int) -> None:
        rows = self._checked.rows
        if rows is not None and largest >= rows:
            raise EngineError(
                INVALID_REQUEST,
                "The text holds a special token of the tokenizer that the model does not know "
                f"({largest:,}; it knows {rows:,}). Leave it out.",
            )


def _packed(
    messages: list[Message], number: int, long: list[tuple[int, int, str]], texts: list[bytes]
) -> bytes:
    """Messages as JSON, but for their long texts: JSON escapes each of them in a single call.

    Args:
        number: of this list.
        long, texts: get what was left out: the list's number, the message's and the key, and the
            text itself.
    """
    packed = []
    for place, message in enumerate(messages):
        kept = message
        for key, value in message.items():
            if isinstance(value, str) and len(value) > _LONG:
                long.append((number, place, key))
                texts.append(pieces.encoded(value))
                kept = {**kept, key: ""}
        packed.append(json.dumps(kept, default=wire.plain).encode())
    return b"[" + b",".join(packed) + b"]"
