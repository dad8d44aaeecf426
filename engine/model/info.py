"""A loaded model as everyone outside the engine thread sees it. Imports no MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

LOOKUP = "lookup"  # names prompt lookup where a folder would name a model that drafts

PREDICTION_HEAD = "qwen3_5_mtp"  # model type that earlier versions drafted with


class Model(Struct, frozen=True):
    """A loaded model, as everyone outside the engine thread sees it."""

    id: str  # fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version
    name: str  # what to show people
    path: str  # the folder it came from. Of a variant, its base's.
    context_length: int  # most tokens a prompt and its reply may have together
    nbytes: int  # bytes of weights in memory. Of a variant, those of its adapter alone.
    dtype: str  # what the weights compute in, e.g. "float32".
    # how sessions share a decode step: "shared", "rows" (attention row by row) or "alone"
    step: str
    thinking: bool  # whether the model can reason before it answers
    # the sampling settings its maker recommends (`generation_config.json`)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # the notation of its tool calls (`engine.text.call_notations`); empty where it makes none
    tool_format: str = ""
    embeds: bool = False  # whether it gives hidden states for embeddings
    dialect: str = ""  # the row of the table of dialects that it speaks (`engine.text.dialects`)
    # how much it can be asked to reason, in OpenAI's words, the least first; empty where it can at
    # most be asked whether to
    efforts: tuple[str, ...] = ()
    # the folder of the adapter that makes it a variant; empty for a model of its own
    adapter: str = ""
    # the id of the model whose weights a variant shares; empty for a model of its own
    base: str = ""
    # the folder of the model that drafts for its chats, or `LOOKUP`; empty for neither
    draft: str = ""
    sees: bool = False  # whether its messages may have images
    hears: bool = False  # whether they may have recordings
    # logits are the same bits alone, next to other chats and after a restart, at no cost
    exact: bool = False

    def __hash__(self) -> int:  # `defaults` has none
        return hash(self.id)
