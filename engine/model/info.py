"""Public description of a loaded model. Doesn't use MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

LOOKUP = "lookup"  # pass this instead of a draft model's folder to use prompt lookup

PREDICTION_HEAD = "qwen3_5_mtp"  # model type that earlier versions used for drafts


class Model(Struct, frozen=True):
    """Description of a loaded model. Safe to use on any thread."""

    id: str  # fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version
    name: str  # display name
    path: str  # model folder; for a variant, the folder of the base model
    context_length: int  # limit for prompt and reply tokens together
    nbytes: int  # size of the weights in memory; for a variant, only of the adapter
    dtype: str  # compute dtype, e.g. "float32"
    # how sessions share a decode step: "shared", "rows" (attention row by row) or "alone"
    step: str
    thinking: bool  # whether the model can reason before it answers
    # recommended sampling settings (`generation_config.json`)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # tool call format (`engine.text.call_notations`), or ""
    tool_format: str = ""
    embeds: bool = False  # whether the model can compute embeddings
    dialect: str = ""  # name of the dialect (`engine.text.dialects`)
    # supported reasoning efforts in OpenAI's terms, lowest first. Empty if reasoning is just on or
    # off, or not supported.
    efforts: tuple[str, ...] = ()
    # adapter folder if this is a variant, else ""
    adapter: str = ""
    # id of the base model if this is a variant, else ""
    base: str = ""
    # folder of the draft model, `LOOKUP`, or ""
    draft: str = ""
    sees: bool = False  # whether messages may contain images
    hears: bool = False  # whether messages may contain audio
    # True if every session is reproducible: its logits don't depend on other chats or restarts
    exact: bool = False

    def __hash__(self) -> int:  # `defaults` isn't hashable
        return hash(self.id)
