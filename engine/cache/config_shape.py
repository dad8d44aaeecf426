"""Cache layout of a model, derived from its config alone, without MLX.

For each layer, this is the size of the cache that mlx-lm would create: keys and values of all
tokens or of a window, or a state of fixed size. mlx-lm's classes aren't used, because estimates
run in the GUI thread, with untrusted and incomplete configs. A test compares the result with real
caches for every family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace


class Layer(Struct, frozen=True):
    """Size of one cache, counted in array elements."""

    # Elements per token.
    keys: int = 0
    values: int = 0
    window: int | None = None  # sliding window in tokens; None for full attention
    state: int = 0  # size of a recurrent state
    # A top-level mlx-lm `KVCache`, which can be quantized.
    plain: bool = True

    @property
    def elements_per_token(self) -> int:
        return self.keys + self.values


class Shape(Struct, frozen=True):
    """Dimensions that determine the size of a model's caches and activations."""

    caches: tuple[Layer, ...]  # caches in layer order; a layer can have none or several
    hidden: int
    heads: int  # number of query heads
    width: int  # head dimension of values
    inner: int  # widest activation of a feed-forward layer, in elements per token
    latent: bool  # keys are cached in compressed form (MLA)
    grouped: bool  # several query heads share a key head (GQA)
    slots: bool  # sessions that decode together can share a buffer (`engine.cache.slots`)
    # Elements per token computed by a recurrent layer, or 0 if it needs no more than attention.
    scanned: int
    scan_heads: int  # heads that compare all pairs of tokens in a chunk (Mamba 2), else 0


def text_configs(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the config and the nested text config of multimodal models."""
    inner = config.get("text_config")
    return [config, inner] if isinstance(inner, dict) else [config]


def shape_of(config: Mapping[str, Any], ranks: int = 1) -> Shape | None:
    """Return the shape of a model, or None if its `config.json` is incomplete.

    For unknown families, common field names are tried.

    Args:
        ranks: number of ranks the model is split over. Heads, keys and states are divided by it,
            and arrays without heads (compressed keys, an indexer's keys) aren't.
    """
    try:
        return _Reader(config, ranks).shape()
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError):
        return None


# Config fields and values for layer types and sizes, across families.

_WINDOW, _FULL, _STATE, _NOTHING = "window", "full", "state", "nothing"
_KINDS = {
    **dict.fromkeys(("full_attention", "attention", "*", "G"), _FULL),
    **dict.fromkeys(("sliding_attention", "chunked_attention", "L"), _WINDOW),
    **dict.fromkeys(("mamba", "M", "linear_attention", "conv", "recurrent"), _STATE),
    **dict.fromkeys(("-", "E", "mlp", "moe"), _NOTHING),
}
_LISTS = ("layer_types", "layers_block_type", "hybrid_override_pattern", "block_types")
_WIDTHS = ("head_dim", "kv_channels", "hidden_size_per_head")
_CONVOLUTIONS = (
    *("linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv", "d_conv", "conv1d_width"),
)

_WINDOWS = {
    *("afmoe", "baichuan_m1", "cohere2", "exaone4", "exaone_moe", "gear", "gemma3", "gemma3_text"),
    *("gemma3n", "gemma4", "gemma4_text", "gpt_oss", "laguna", "llama", "llama4", "mellum"),
    *("mimo_v2_flash", "ministral3", "mistral", "muse_glimmer", "muse_spark", "olmo3"),
    *("plamo3", "recurrent_gemma", "spark2_5", "step3p5"),
}
"""Families whose caches have a sliding window. mlx-lm caches all tokens for other families, even if
the config has a window."""

_WRAPPERS = {"mistral3", "llava", "pixtral"}

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
"""Families with full attention in every nth layer: the config field of n, and its default."""

_BY_PATTERN = {"gemma3", "gemma3_text", "cohere2", "plamo3", "llama4"}
"""Families in `_ALTERNATING` that ignore a list of layer types in the config."""

_ALL_STATES = {"mamba", "falcon_mamba", "mamba2", "rwkv7"}

_UNFOLDED = {"deepseek_v2", "minicpm3", "youtu_llm"}
"""MLA families whose caches hold decompressed keys for each head."""

_BY_ROWS = {
    *("afm7", "deepseek_v32", "deepseek_v41", "gemma2", "glm_moe_dsa", "gpt_bigcode", "llama4"),
    *("minimax_m3_vl", "phi3small", "plamo", "plamo2"),
}
"""Families whose attention runs row by row, or one session at a time (`engine/FAMILIES.md`)."""

_MAX_LAYERS = 10_000  # reject larger values, which would make the loop very long

# Number of live arrays in a recurrent layer, derived from measured peaks. Jamba's Mamba layers also
# keep a state for each token of a chunk.
_SCAN_ARRAYS = 17
_STATE_ARRAYS, _NARROW_ARRAYS = 12, 10


class _Reader:
    """Parser for one config. Missing or invalid fields raise KeyError, TypeError and others."""

    def __init__(self, config: Mapping[str, Any], ranks: int) -> None:
        places = text_configs(config)
        self.config = {name: value for part in places for name, value in part.items()}
        names = (str(part.get("model_type")).removesuffix("_text") for part in places)
        self.families = {n for name in names for n in (name, f"{name}_text")}
        self.ranks = ranks
        self.hidden = self.number("hidden_size", "n_embd", "d_model", "model_dim", "hidden_dim")
        self.heads = self.number("num_attention_heads", "n_head", "n_heads", "num_heads") or 1
        self.count = self.number(
            *("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers")
        )
        if self.count > _MAX_LAYERS:
            raise ValueError("too many layers")
        self.width = self.number(*_WIDTHS) or self.hidden // self.heads
        self.rank_of_keys = self.number("kv_lora_rank")
        self.latent = bool(self.rank_of_keys) and not self.families & _UNFOLDED
        self.kinds = [self.layer_kind(at) for at in range(self.count)]

    def number(self, *names: str) -> int:
        """Return the first field that is a positive integer, or 0."""
        values = (self.config.get(name) for name in names)
        return next((v for v in values if type(v) is int and v > 0), 0)

    def is_family(self, *families: str) -> bool:
        return bool(self.families & set(families))

    def has_flag(self, name: str, at: int) -> bool:
        flags = self.config.get(name)
        return isinstance(flags, Sequence) and at < len(flags) and flags[at] == 1

    def per_rank(self, count: int) -> int:
        return -(-count // self.ranks)

    def shape(self) -> Shape | None:
        caches = tuple(self.caches())
        if not caches or not self.hidden:
            return None
        full = next((at for at, kind in enumerate(self.kinds) if kind == _FULL), 0)
        return Shape(
            caches,
            self.hidden,
            self.per_rank(self.heads),
            self.head_widths(_FULL)[1],
            self.per_rank(self.feed_forward_width()),
            self.latent,
            not self.families & _UNFOLDED and self.key_heads(full, _FULL) < self.heads,
            not self.families & _BY_ROWS,
            *self.scan_sizes(),
        )

    def layer_kind(self, at: int) -> str:
        """Return the type of a layer: full, window, state or nothing."""
        kind = self.kind_by_fields(at) or self.kind_by_family(at)
        if kind == _WINDOW and (not self.families & _WINDOWS or self.families & _WRAPPERS):
            return _FULL
        return kind

    def kind_by_fields(self, at: int) -> str | None:
        """Return the layer type from fields that are specific to a few families, or None."""
        config, pattern = self.config, self.config.get("sliding_window_pattern")
        if self.is_family("exaone4") and isinstance(pattern, str) and pattern:
            return _KINDS.get(pattern[at % len(pattern)], _FULL)
        if "hybrid_layer_pattern" in config:
            return _WINDOW if self.has_flag("hybrid_layer_pattern", at) else _FULL
        if "sliding_window_layers" in config:
            return _WINDOW if at in config["sliding_window_layers"] else _FULL
        if isinstance(config.get("linear_attn_config"), dict):
            return _STATE if at + 1 in config["linear_attn_config"]["kda_layers"] else _FULL
        if isinstance(config.get("full_attn_idxs"), list):
            return _FULL if at in config["full_attn_idxs"] else _STATE
        if isinstance(config.get("block_configs"), list):
            attention = config["block_configs"][at]["attention"]
            none = attention.get("no_op") or attention.get("replace_with_linear")
            return _NOTHING if none else _FULL
        if self.is_family("recurrent_gemma"):
            blocks = config.get("block_types") or ["recurrent", "recurrent", "attention"]
            return _STATE if blocks[at % len(blocks)] == "recurrent" else _WINDOW
        if self.is_family("jamba") and "layers_block_type" not in config:
            at_period = at % config["attn_layer_period"] == config["attn_layer_offset"]
            return _FULL if at_period else _STATE
        if self.is_family("plamo2"):
            step = self.number("mamba_step") or 2
            if self.count <= step // 2:
                return _FULL if at == self.count - 1 else _STATE
            return _FULL if at % step == step // 2 else _STATE
        return None

    def kind_by_family(self, at: int) -> str:
        listed = next((g for n in _LISTS if isinstance(g := self.config.get(n), (list, str))), None)
        interval = next((_ALTERNATING[n] for n in self.families if n in _ALTERNATING), None)
        if listed and not (interval and self.families & _BY_PATTERN):
            return _KINDS.get(str(listed[at % len(listed)]), _FULL)
        if self.families & _ALL_STATES:
            return _STATE
        if interval is None:
            return _FULL
        count = self.number(interval[0]) or interval[1]
        last = interval[0] == "layer_group_size" and at >= self.count // count * count
        kind = _WINDOW if self.families & _WINDOWS else _STATE
        return _FULL if (at + 1) % count == 0 or last else kind

    def caches(self) -> list[Layer]:
        count = self.count
        if self.is_family("gemma3n", "gemma4"):
            count -= self.number("num_kv_shared_layers")
        elif self.is_family("afm7"):
            count -= self.number("num_kv_reuse_layers")
        layers = [c for at in range(count) for c in self.layer(at, self.kinds[at])]
        if self.is_family("iquestloopcoder"):
            layers += [replace(c, window=self.number("loop_window_size") or 64) for c in layers]
        if self.is_family("nanbeige"):
            layers *= self.number("num_loops") or 1
        if self.is_family("longcat_flash_ngram"):
            layers.append(Layer(state=3))
        return layers

    def layer(self, at: int, kind: str) -> list[Layer]:
        ratios, indexer = self.config.get("compress_ratios"), self.number("index_head_dim")
        if kind == _NOTHING:
            return []
        if isinstance(ratios, list):
            # A sliding window. Layers whose cache is reused by other layers also keep a compressed
            # copy of all tokens.
            width = self.number("head_dim")
            layers = [Layer(width, 0, self.number("sliding_window") or None, plain=False)]
            if ratios[at] and self.config["kv_source_layer_ids"][at] == at:
                layers.append(Layer(-(-(width + indexer) // ratios[at]), plain=False))
            return layers
        if kind == _STATE:
            return [Layer(state=self.per_rank(self.state_size()))]
        layers = [self.attention(at, kind)]
        if self.is_family("longcat_flash", "longcat_flash_ngram"):
            layers *= 2
        elif self.latent and indexer:
            # mlx-lm stores the indexer's keys as values, too.
            layers.append(Layer(indexer, indexer))
        elif self.is_family("minimax_m3", "minimax_m3_vl"):
            layers = [replace(layers[0], plain=False)]
            if self.has_flag("sparse_attention_freq", at):
                layers.append(Layer(indexer))
        elif self.is_family("falcon_h1", "baichuan_m1"):
            state = (
                self.state_size() if self.is_family("falcon_h1") else layers[0].elements_per_token
            )
            layers.append(Layer(state=state))
        return [replace(c, plain=False) for c in layers] if len(layers) > 1 else layers

    def attention(self, at: int, kind: str) -> Layer:
        window = None
        if kind == _WINDOW:
            window = self.number("sliding_window", "sliding_window_size", "window_size") or None
            if self.is_family("recurrent_gemma", "llama4"):
                window = self.number("attention_window_size", "attention_chunk_size") or None
        if self.latent:
            return Layer(self.rank_of_keys, self.number("qk_rope_head_dim"), window)
        if self.rank_of_keys:
            heads = self.per_rank(self.heads)
            keys = self.number("qk_nope_head_dim") + self.number("qk_rope_head_dim")
            values = self.number("v_head_dim") or self.hidden // self.heads
        else:
            heads = self.per_rank(self.key_heads(at, kind))
            keys, values = self.head_widths(kind)
        return Layer(heads * keys, heads * values, window)

    def head_widths(self, kind: str) -> tuple[int, int]:
        value = self.number("v_head_dim") or self.width
        if self.is_family("mimo_v2_flash") and kind == _WINDOW:
            keys, values = self.number("swa_head_dim"), self.number("swa_v_head_dim")
            return keys or self.width, values or value
        if self.is_family("gemma4") and kind == _FULL:
            wide = self.number("global_head_dim") or self.width
            return wide, wide
        return self.width, value

    def key_heads(self, at: int, kind: str) -> int:
        named: tuple[str, ...] = ()
        if kind == _WINDOW:
            named = "swa_num_key_value_heads", "num_swa_key_value_heads"
        elif kind == _FULL and self.is_family("gemma4"):
            named = ("num_global_key_value_heads",)
        if heads := self.number(*named):
            return heads
        if self.config.get("multi_query", self.is_family("gpt_bigcode")) or self.is_family(
            "recurrent_gemma"
        ):
            return 1
        if self.is_family("gpt2", "gpt_neox"):
            return self.heads
        if self.is_family("plamo"):
            return -(-self.heads // (self.number("n_shared_head") or 8))
        blocks, listed = self.config.get("block_configs"), self.config.get("num_kv_heads")
        if isinstance(blocks, list):
            return int(self.heads // blocks[at]["attention"]["n_heads_in_group"])
        if isinstance(listed, list):
            return int(listed[at])
        inner = self.config.get("attn_config")
        if isinstance(inner, dict) and type(inner.get("kv_n_heads")) is int:
            return int(inner["kv_n_heads"])
        named = "num_key_value_heads", "num_kv_heads", "n_kv_heads", "num_attention_groups"
        return self.number(*named) or self.heads

    def state_size(self) -> int:
        back = max(0, self.number(*_CONVOLUTIONS) - 1)
        width = self.number("head_dim") or self.hidden // self.heads
        linear = self.config.get("linear_attn_config")
        if keys := self.number("linear_key_head_dim"):
            values = self.number("linear_num_value_heads") * self.number("linear_value_head_dim")
            return back * (2 * self.number("linear_num_key_heads") * keys + values) + values * keys
        if isinstance(linear, dict):
            return _delta_state_size(
                linear["num_heads"], linear["head_dim"], linear["short_conv_kernel_size"]
            )
        if self.is_family("bailing_hybrid", "bailing_moe_linear"):
            return self.heads * width * width
        if self.is_family("bailing_moe_v3"):
            return _delta_state_size(self.heads, width, self.number("short_conv_kernel_size") or 4)
        if self.is_family("rwkv7"):
            return 2 * self.hidden + self.hidden * (self.number("head_dim") or 64)
        if self.is_family("recurrent_gemma"):
            return (back + 1) * (self.number("lru_width") or self.hidden)
        if self.number("conv_L_cache"):
            return (self.number("conv_L_cache") - 1) * self.hidden
        return self.mamba_state_size(back)

    def mamba_state_size(self, back: int) -> int:
        size = self.number("state_size", "ssm_state_size", "mamba_d_state", "d_state")
        heads, width = self.mamba_heads()
        if self.is_family("jamba") or not heads:
            wide = self.number("mamba_expand", "expand") * self.hidden
            wide = wide if self.is_family("jamba") else self.number("intermediate_size") or wide
            return back * wide + wide * size
        wide = self.number("mamba_d_ssm") or heads * width
        groups = self.number("n_groups", "mamba_n_groups") or 1
        mixed = wide if self.is_family("plamo2") else wide + 2 * groups * size
        return back * mixed + wide * size

    def mamba_heads(self) -> tuple[int, int]:
        heads = self.number("mamba_num_heads", "mamba_n_heads")
        heads = heads or (self.number("num_heads") if self.is_family("mamba2") else 0)
        names = ("hidden_size_per_head", "mamba_head_dim", "mamba_d_head", "head_dim")
        return heads, self.number(*names)

    def scan_sizes(self) -> tuple[int, int]:
        if _STATE not in self.kinds and not self.is_family("falcon_h1"):
            return 0, 0
        if self.is_family("jamba"):
            wide = self.number("mamba_expand") * self.hidden
            return wide * (_STATE_ARRAYS * self.number("mamba_d_state") + _NARROW_ARRAYS), 0
        heads, width = self.mamba_heads()
        return (_SCAN_ARRAYS * heads * width, heads) if heads and width else (0, 0)

    def feed_forward_width(self) -> int:
        """Return the width of the widest feed-forward activation, in elements per token."""
        dense = self.number("intermediate_size", "ffn_hidden_size", "n_inner") or 4 * self.hidden
        expert = self.number("moe_intermediate_size", "expert_ffn_hidden_size")
        experts_per_token = self.number(
            "num_experts_per_tok", "moe_topk", "moe_k", "num_experts_per_token"
        )
        if self.number("num_local_experts", "num_experts", "moe_num_experts"):
            expert = expert or dense
        return max(dense, expert * experts_per_token)


def _delta_state_size(heads: int, width: int, convolution: int) -> int:
    """Return the state size of a gated delta layer: a matrix per head, and three convolutions."""
    return 3 * (convolution - 1) * heads * width + heads * width * width
