"""Which layers of a model keep what of a session, read from its config alone. No MLX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WINDOW, FULL, STATE, NOTHING = "window", "full", "state", "nothing"
_KINDS = {
    **dict.fromkeys(("full_attention", "attention", "*", "G"), FULL),
    **dict.fromkeys(("sliding_attention", "chunked_attention", "L"), WINDOW),
    **dict.fromkeys(("mamba", "M", "linear_attention", "conv", "recurrent"), STATE),
    **dict.fromkeys(("-", "E", "mlp", "moe"), NOTHING),
}
"""The names of layers in configs."""

_LISTS = ("layer_types", "layers_block_type", "hybrid_override_pattern", "block_types")
"""The fields in which configs list their layers."""

_WINDOWS = {
    *("afmoe", "baichuan_m1", "cohere2", "exaone4", "exaone_moe", "gear", "gemma3", "gemma3_text"),
    *("gemma3n", "gemma4", "gemma4_text", "gpt_oss", "laguna", "llama", "llama4", "mellum"),
    *("mimo_v2_flash", "ministral3", "mistral", "muse_glimmer", "muse_spark", "olmo3"),
    *("plamo3", "recurrent_gemma", "spark2_5", "step3p5"),
}
"""Families that keep a window of some layers. With others a window in the config changes what is
attended to, or nothing, but not what is kept."""

_ALTERNATING = {
    **dict.fromkeys(("gemma3", "gemma3_text"), ("sliding_window_pattern", 6)),
    **dict.fromkeys(("gemma4", "gemma4_text"), ("sliding_window_pattern", 5)),
    "cohere2": ("sliding_window_pattern", 4),
    "plamo3": ("sliding_window_pattern", 8),
    **dict.fromkeys(("llama4", "olmo3", "muse_glimmer", "spark2_5", "muse_spark"), ("", 4)),
    **dict.fromkeys(("gpt_oss", "step3p5"), ("", 2)),
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_moe"), ("full_attention_interval", 4)),
    "olmo_hybrid": ("", 4),
    **dict.fromkeys(
        ("bailing_hybrid", "bailing_moe_linear", "bailing_moe_v3"), ("layer_group_size", 1)
    ),
}
"""Families that keep all tokens in every nth layer: the field that says n, and n without it."""

_BY_PATTERN = {"gemma3", "gemma3_text", "cohere2", "plamo3", "llama4"}
"""Those of them that go by n although newer configs list the layers, too."""

_ALL_STATES = {"mamba", "falcon_mamba", "mamba2", "rwkv7"}


_WRAPPERS = {"mistral3", "llava", "pixtral"}
"""Families that wrap a text model and keep all tokens of every layer, whatever that does alone."""

_MOST_LAYERS = 10_000  # beyond that a config is no model's, and a list of so many takes long


class ConfigReader:
    """Reads one config, of which anything may be missing."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        text = config.get("text_config")
        inner = text if isinstance(text, dict) else {}
        self.config: dict[str, Any] = {**config, **inner}
        names = (str(c.get("model_type")).removesuffix("_text") for c in (config, inner))
        self.families = {n for name in names for n in (name, f"{name}_text")}
        self.hidden = self.number("hidden_size", "n_embd", "d_model", "model_dim", "hidden_dim")
        self.heads = self.number("num_attention_heads", "n_head", "n_heads", "num_heads") or 1
        self.count = self.number(
            *("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers")
        )
        if self.count > _MOST_LAYERS:
            raise ValueError("too many layers")

    def number(self, *names: str) -> int:
        """The first of these fields that is a positive whole number; 0 where there is none."""
        values = (self.config.get(name) for name in names)
        return next((v for v in values if type(v) is int and v > 0), 0)

    def has(self, *families: str) -> bool:
        return bool(self.families & set(families))

    def kind(self, at: int) -> str:
        """Whether a layer keeps all tokens, a window of them, a state, or nothing."""
        kind = self.named(at)
        if kind == WINDOW and (not self.families & _WINDOWS or self.families & _WRAPPERS):
            return FULL
        return kind

    def named(self, at: int) -> str:
        """As the config says it, or the family without it."""
        own = self.by_fields(at)
        if own is not None:
            return own
        given = next((g for n in _LISTS if isinstance(g := self.config.get(n), (list, str))), None)
        every = next((_ALTERNATING[n] for n in self.families if n in _ALTERNATING), None)
        if given and not (every and self.families & _BY_PATTERN):
            return _KINDS.get(str(given[at % len(given)]), FULL)
        if self.families & _ALL_STATES:
            return STATE
        if every is None:
            return FULL
        count = self.number(every[0]) or every[1]
        last = every[0] == "layer_group_size" and at >= self.count // count * count
        other = WINDOW if self.families & _WINDOWS else STATE
        return FULL if (at + 1) % count == 0 or last else other

    def by_fields(self, at: int) -> str | None:
        """What fields that only a few families have say."""
        config, pattern = self.config, self.config.get("sliding_window_pattern")
        if self.has("exaone4") and isinstance(pattern, str) and pattern:
            return _KINDS.get(pattern[at % len(pattern)], FULL)
        if "hybrid_layer_pattern" in config:
            return WINDOW if self.flag("hybrid_layer_pattern", at) else FULL
        if "sliding_window_layers" in config:
            return WINDOW if at in config["sliding_window_layers"] else FULL
        if isinstance(config.get("linear_attn_config"), dict):
            return STATE if at + 1 in config["linear_attn_config"]["kda_layers"] else FULL
        if isinstance(config.get("full_attn_idxs"), list):
            return FULL if at in config["full_attn_idxs"] else STATE
        if isinstance(config.get("block_configs"), list):
            attention = config["block_configs"][at]["attention"]
            kept = not (attention.get("no_op") or attention.get("replace_with_linear"))
            return FULL if kept else NOTHING
        if self.has("recurrent_gemma"):
            blocks = config.get("block_types") or ["recurrent", "recurrent", "attention"]
            return STATE if blocks[at % len(blocks)] == "recurrent" else WINDOW
        if self.has("jamba") and "layers_block_type" not in config:
            at_period = at % config["attn_layer_period"] == config["attn_layer_offset"]
            return FULL if at_period else STATE
        if self.has("plamo2"):
            step = self.number("mamba_step") or 2
            if self.count <= step // 2:
                return FULL if at == self.count - 1 else STATE
            return FULL if at % step == step // 2 else STATE
        return None

    def flag(self, name: str, at: int) -> bool:
        flags = self.config.get(name)
        return isinstance(flags, Sequence) and at < len(flags) and flags[at] == 1
