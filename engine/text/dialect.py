"""What a row of the table of dialects is made of (`engine.text.dialects`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.text.markers import Frame, Header

MLX_LM = "mlx-lm"
"""In a row: what mlx-lm finds out about the tokenizer stands."""

THINK = ("<think>", "</think>")
CALL = ("<tool_call>", "</tool_call>")

Pair = tuple[str, str]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Switch:
    """How a model is told to reason, or not to.

    Attributes:
        on, off: arguments of its template.
        efforts: such arguments by how much it is to reason, in OpenAI's words.
        words: for on and off, what stands in the system message.
    """

    on: Arguments = field(default_factory=dict)
    off: Arguments = field(default_factory=dict)
    efforts: Mapping[str, Arguments] = field(default_factory=dict)
    words: Pair = ("", "")


@dataclass(frozen=True, eq=False)
class Row:
    """A dialect, as its makers document it.

    Attributes:
        models: whose it is, for people.
        source: where that is documented.
        needs: added tokens that a tokenizer of it has, all of them.
        says: what its template says, all of it.
        renderer: mlx-lm's module that stands for the template.
        reasoning, tools: the markers, `MLX_LM`, or none where it has none.
        calls: how a tool call is read; of `engine.text.tool_calls` or mlx-lm's parsers.
        ends: the tokens that end a turn, beside those that its files name.
        dates: names that its template has for the date, and how they are written.
        begun: an answer as the model writes it: what stands before the reasoning, between it and
            the answer, and before an answer without any. Empty for lines around the markers.
        said: added tokens that persons are meant to write in their messages.
    """

    name: str
    models: str
    source: str
    needs: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    renderer: str = ""
    reasoning: Pair | str = MLX_LM
    tools: Pair | str = MLX_LM
    calls: str = MLX_LM
    dropped: tuple[str, ...] = ()
    more: tuple[Frame, ...] = ()
    header: Header | None = None
    calls_end_reasoning: bool = False
    ends: tuple[str, ...] = ()
    switch: Switch | None = None
    dates: Arguments = field(default_factory=dict)
    begun: tuple[str, str, str] | None = None
    said: tuple[str, ...] = ()

    def fits(self, tokens: Mapping[str, int], template: str, renderer: str) -> bool:
        """Whether a model with these added tokens and this template speaks it."""
        if self.renderer and self.renderer == renderer:
            return True
        if not self.needs and not self.says:
            return False
        return all(n in tokens for n in self.needs) and all(s in template for s in self.says)
