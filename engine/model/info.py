"""A loaded model as everyone outside the engine thread sees it. Imports no MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

LOOKUP = "lookup"
"""Names prompt lookup where a folder would name a model that drafts."""

_QWEN = ("qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text", "qwen3_next")
HEADS: Mapping[str, tuple[str, ...]] = {"qwen3_5_mtp": _QWEN}
"""The types of prediction heads (MTP) in folders of their own, and of the models that have them."""

ONLY_DRAFTS = "only drafts for the model that it was made for. Choose it as that model's draft."
"""What there is to say of a head that is to answer, after its name."""


class Model(Struct, frozen=True):
    """A loaded model, as everyone outside the engine thread sees it.

    Attributes:
        id: fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version.
        name: what to show people.
        path: the folder it came from. Of a variant, its base's.
        context_length: most tokens a prompt and its reply may have together.
        nbytes: bytes of weights in memory. Of a variant, those of its adapter alone.
        dtype: what the weights compute in, e.g. "float32".
        step: how sessions share a decode step: "shared", "rows" (attention row by row) or "alone".
        thinking: whether the model can reason before it answers.
        defaults: the sampling settings its maker recommends (`generation_config.json`).
        tool_format: the notation of its tool calls (`engine.text.call_notations`); empty where it
            makes none.
        embeds: whether it gives hidden states for embeddings.
        dialect: the row of the table of dialects that it speaks (`engine.text.dialects`).
        efforts: how much it can be asked to reason, in OpenAI's words, the least first; empty where
            it can at most be asked whether to.
        adapter: the folder of the adapter that makes it a variant; empty for a model of its own.
        base: the id of the model whose weights a variant shares; empty for a model of its own.
        draft: the folder of the model that drafts for its chats, or `LOOKUP`; empty for neither.
        sees: whether its messages may have images.
        hears: whether they may have recordings.
    """

    id: str
    name: str
    path: str
    context_length: int
    nbytes: int
    dtype: str
    step: str
    thinking: bool
    defaults: Mapping[str, Any] = field(default_factory=dict)
    tool_format: str = ""
    embeds: bool = False
    dialect: str = ""
    efforts: tuple[str, ...] = ()
    adapter: str = ""
    base: str = ""
    draft: str = ""
    sees: bool = False
    hears: bool = False

    def __hash__(self) -> int:  # `defaults` has none
        return hash(self.id)
