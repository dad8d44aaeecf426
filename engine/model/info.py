"""Public description of a loaded model. No MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

LOOKUP = "lookup"  # selects prompt lookup in place of the folder of a draft model

PREDICTION_HEAD = "qwen3_5_mtp"  # model type of drafts in earlier versions


class Model(Struct, frozen=True):
    """Description of a loaded model for code outside the engine thread."""

    id: str  # fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version
    name: str  # for display
    path: str  # its folder, or for a variant its base's
    context_length: int  # maximum of prompt and reply tokens together
    nbytes: int  # bytes of weights in memory. Of a variant, those of its adapter alone.
    dtype: str  # of computation, e.g. "float32"
    # how sessions share a decode step: "shared", "rows" (attention row by row) or "alone"
    step: str
    thinking: bool  # True if the model can reason before it answers
    # sampling settings recommended by its developer (`generation_config.json`)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # notation of its tool calls (`engine.text.call_notations`), or ""
    tool_format: str = ""
    embeds: bool = False  # True if it can compute embeddings
    dialect: str = ""  # name of its dialect (`engine.text.dialects`)
    # supported reasoning efforts in OpenAI's terms, lowest first; empty if reasoning can only be
    # switched on and off, or not at all
    efforts: tuple[str, ...] = ()
    # folder of the adapter of a variant, else ""
    adapter: str = ""
    # id of a variant's base model, else ""
    base: str = ""
    # folder of its draft model, `LOOKUP`, or ""
    draft: str = ""
    sees: bool = False  # True if its messages may contain images
    hears: bool = False  # True if its messages may contain recordings
    # True if logits are bitwise equal alone, next to other chats and after a restart, at no cost
    exact: bool = False

    def __hash__(self) -> int:  # `defaults` is not hashable
        return hash(self.id)
