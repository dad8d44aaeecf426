"""Public description of a loaded model. Doesn't use MLX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

LOOKUP = "lookup"  # pass this instead of a draft model's folder to use prompt lookup


class Model(Struct, frozen=True):
    id: str  # fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version
    name: str  # display name
    path: str  # model folder; for a variant, the folder of the base model
    context_length: int  # limit for prompt and reply tokens together
    nbytes: int  # size of the weights in memory; for a variant, of the adapter alone
    dtype: str  # compute dtype, e.g. "float32"
    # "shared", "rows" (attention row by row) or "alone", depending on how sessions can share a
    # decode step.
    step: str
    thinking: bool  # True if the model can reason before it answers
    # Recommended sampling settings (`generation_config.json`).
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # Tool call format (`engine.text.call_notations`), or "".
    tool_format: str = ""
    embeds: bool = False  # True if the model can compute embeddings
    dialect: str = ""  # name of the dialect (`engine.text.dialects`)
    # Supported reasoning efforts in OpenAI's terms, lowest first. Empty if reasoning can only be
    # turned on and off, or isn't supported.
    efforts: tuple[str, ...] = ()
    # Adapter folder if this is a variant, else "".
    adapter: str = ""
    # Id of the base model if this is a variant, else "".
    base: str = ""
    # Folder of the draft model, `LOOKUP`, or "".
    draft: str = ""
    sees: bool = False  # True if messages may contain images
    hears: bool = False  # True if messages may contain audio
    # True if every session is reproducible, i.e. its logits don't depend on other chats or
    # restarts.
    exact: bool = False

    def __hash__(self) -> int:  # `defaults` isn't hashable
        return hash(self.id)
