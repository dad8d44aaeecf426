"""What a chat's keys and values cost, told by a model's `config.json` alone. Pure.

The engine measures its own caches once a model is loaded (`engine.kv.memory_estimate`). This is for
models that are not here yet. A config that names its caches in an unknown way gives no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STEP = 256
"""Tokens by which caches grow."""
ELEMENT_BYTES = 2
"""Of one number in a cache: models run in 16 bits."""
COPIES = 2
"""Caches that cannot be cut back are held twice: the second is a snapshot."""
UNLIMITED = 1 << 62
"""The most tokens that a layer without a window keeps."""

_MOST_LAYERS = 4096
_MOST_NUMBER = 1 << 40
_FULL = frozenset({"full_attention", "attention", "full", "global_attention"})
_WINDOW = frozenset({"sliding_attention", "sliding", "local", "local_attention"})
_LENGTHS = (
    *("max_position_embeddings", "max_sequence_length", "n_positions", "seq_length", "n_ctx"),
)


@dataclass(frozen=True)
class KVCost:
    """What one chat costs.

    Attributes:
        layers: for every kind of cache that grows, bytes per token of all its layers together and
            the most tokens that they keep.
    """

    layers: tuple[tuple[int, int], ...]

    def bytes(self, tokens: int) -> int:
        """Bytes for a chat of `tokens` tokens."""
        grown = -(-tokens // STEP) * STEP
        return sum(per * min(grown, most) for per, most in self.layers)


def context_length(config: dict[str, Any]) -> int:
    """The most tokens that the config allows, 0 where it names no limit."""
    return next((n for name in _LENGTHS if (n := _number(config, name))), 0)


def kv_cost(config: dict[str, Any]) -> KVCost | None:
    """The cost that a config tells, None where it does not tell.

    Recurrent states are left out: they do not grow and are a few megabytes.
    """
    count = _number(config, "num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if not 0 < count <= _MOST_LAYERS:
        return None
    full, window = _full_and_window(config, count)
    if full is None:
        return None
    latent = _number(config, "kv_lora_rank")
    if latent:  # MLA keeps one compressed vector and the part that has the position
        wide = narrow = latent + _number(config, "qk_rope_head_dim")
    else:
        heads = _number(
            config, "num_key_value_heads", "num_kv_heads", "multi_query_group_num"
        ) or _number(config, "num_attention_heads", "n_head")
        asking = _number(config, "num_attention_heads", "n_head")
        hidden = _number(config, "hidden_size", "n_embd", "d_model")
        width = _number(config, "head_dim") or (hidden // asking if asking else 0)
        narrow = 2 * heads * width
        wide = (
            2
            * (_number(config, "num_global_key_value_heads") or heads)
            * (_number(config, "global_head_dim") or width)
        )
    if (full and not wide) or (window and not narrow):
        return None
    kept = _number(config, "sliding_window", "sliding_window_size") + STEP
    layers = [
        (full * wide * ELEMENT_BYTES, UNLIMITED),
        (COPIES * window * narrow * ELEMENT_BYTES, kept),
    ]
    return KVCost(tuple(layer for layer in layers if layer[0]))


def _full_and_window(config: dict[str, Any], count: int) -> tuple[int | None, int]:
    """How many layers keep every token, and how many only the latest. None: it does not tell."""
    shared = min(_number(config, "num_kv_shared_layers"), count)
    window = _number(config, "sliding_window", "sliding_window_size")
    kinds = _value(config, "layer_types")
    if isinstance(kinds, list) and len(kinds) >= count:
        names = [str(kind) for kind in kinds[: count - shared]]
        full = sum(name in _FULL for name in names)
        return full, sum(name in _WINDOW for name in names) if window else 0
    pattern = _value(config, "hybrid_override_pattern")
    if isinstance(pattern, str):
        return pattern.count("*"), 0
    every = _number(config, "full_attention_interval", "attn_layer_period")
    if every:
        return count // every, 0
    every = _number(config, "sliding_window_pattern")
    if every and window:
        full = (count - shared) // every
        return full, count - shared - full
    if any(_value(config, name) is not None for name in ("linear_attn_config", "ssm_cfg")):
        return None, 0
    if not _number(config, "num_attention_heads", "n_head"):
        return (0, 0) if _number(config, "state_size", "head_size") else (None, 0)
    return count - shared, 0


def _value(config: dict[str, Any], name: str) -> Any:
    """Of the config or of the part for text in one that reads images too."""
    inner = config.get("text_config")
    for place in (config, inner if isinstance(inner, dict) else {}):
        if place.get(name) is not None:
            return place[name]
    return None


def _number(config: dict[str, Any], *names: str) -> int:
    """The first of these that is there and a sensible count, else 0."""
    for name in names:
        value = _value(config, name)
        if type(value) is int and 0 < value < _MOST_NUMBER:
            return value
    return 0
