"""Fake engine that writes a given text at a given pace.

There's no model and no MLX, so any delay comes from the window itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import Model
from tests.app.fake_engine import FakeEngine

Piece = str | tuple[str, str]
"""Text, or a tool call given by name and JSON arguments."""


class Drip(FakeEngine):
    """Writes a chunk of text for each reply, ``rate`` times per second.

    Args:
        text: creates a reply's chunks; a reply ends after the last chunk.
        rate: chunks per second and reply.
        on_post: called with each chunk right before it is sent to the window.
    """

    def __init__(
        self,
        text: Callable[[], Iterator[Piece]],
        rate: float,
        on_post: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._text = text
        self._on_post = on_post
        super().__init__(1 / rate)

    def words_of(self, turns: Any) -> Iterator[tuple[str, str]]:
        for piece in self._text():
            if isinstance(piece, str):
                self._on_post(piece)
                yield "answer", piece
            else:
                yield "call", " ".join(piece)

    def model(self, path: str, name: str) -> Model:
        ways = "float32", "shared", True
        return Model(path, "Drip", path, 1_000_000, 0, *ways, {}, tool_format="json")
