"""What the children have found out about a model's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Facts:
    """What a model's folder says, judged.

    Attributes:
        config: of `config.json`.
        generation: of `generation_config.json`, {} without it.
        files: the names of the weights' files.
        size: their bytes.
        rows: of the embedding, None where unknown.
        wide: the weights' bytes with all floating-point numbers in float32.
        largest: bytes of the largest tensor.
    """

    config: dict[str, Any]
    generation: dict[str, Any]
    files: list[str]
    size: int
    rows: int | None
    wide: int = 0
    largest: int = 0


@dataclass(frozen=True)
class AdapterFacts:
    """What an adapter's folder says, judged.

    Attributes:
        kind: "lora" or "dora".
        layers: how many of the last layers it changes; none or fewer means all.
        parameters: "rank", "scale", "dropout" and "keys", as mlx-lm takes them.
        size: bytes of its arrays.
        wide: those with all numbers in float32.
        rebuilt: numbers of the largest layer whose weights a pass computes anew; 0 but for DoRA.
    """

    kind: str
    layers: int
    parameters: dict[str, Any]
    size: int
    wide: int
    rebuilt: int = 0


@dataclass(frozen=True)
class CheckedTokenizer:
    """A tokenizer that was loaded and tried, with what a child needs to use it.

    Attributes:
        key: names it among the children.
        rows: ids from here on are refused in prompts; None where unknown.
        largest_id: that it can produce, special tokens included.
        longest_token: in characters.
        known: its template and special tokens; None where it needs Python code of its own.
        packed: the tokenizer itself.
        table, tokens: for `KnownTokenizer`; None where the tokenizer itself is needed.
    """

    key: str
    folder: str
    rows: int | None
    largest_id: int
    longest_token: int
    eos: list[int] | None
    defaults: Mapping[str, Any] | None = field(repr=False)
    known: dict[str, Any] | None = field(repr=False)
    packed: bytes = field(repr=False)
    table: dict[str, Any] | None = field(default=None, repr=False)
    tokens: bytes = field(default=b"", repr=False)
