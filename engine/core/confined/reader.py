"""A prompt's text and tokens, made by a child."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine.core.confined.checked import CheckedTokenizer
from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Message
from engine.text.rendering import Asked

_MOST_LISTED = 2**17
"""More tokens stay compact: a list of millions takes Python's lock for too long to make and free,
and nobody has a use for it."""


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
        lists: list[list[Message]] = []
        places: dict[int, int] = {}
        for messages, _ in asked:
            if id(messages) not in places:
                places[id(messages)] = len(lists)
                lists.append(messages)
        arguments = {
            "lists": lists,
            "asked": [(places[id(messages)], opening) for messages, opening in asked],
            "reasoning": reasoning,
            "template": dict(template or {}),
        }
        result, blobs = self._confined.use("render", self._checked, arguments)
        errors = result["errors"]
        return [
            blob.decode() if error is None else EngineError(str(error[0]), str(error[1]))
            for blob, error in zip(blobs, errors, strict=True)
        ]

    def encode(self, texts: list[str]) -> list[Sequence[int]]:
        """The tokens of each: a list, or an array where they are many.

        Raises:
            EngineError: `invalid_request`, there is one that the model does not know.
        """
        blobs = tuple(text.encode() for text in texts)
        _, out = self._confined.use("encode", self._checked, {}, blobs)
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
