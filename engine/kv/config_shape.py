"""What the layers of a model keep of a session, read from its config alone. No MLX.

The numbers are those of mlx-lm's own cache classes: which layers keep keys and values of every
token, which of a window, which a state that does not grow. A test compares them with real caches
of every family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.kv.config_reader import FULL, NOTHING, STATE, WINDOW, ConfigReader
from engine.kv.shape import Layer, Scan, Shape


def shape_of(config: Mapping[str, Any], ranks: int = 1) -> Shape | None:
    """The shape of the model that a `config.json` describes; None where it does not tell.

    A family that is not known is taken to keep what its config names.

    Args:
        ranks: over how many it is spread. It is one rank's shape then: heads, their keys and states
            are divided. What belongs to no head is whole on each: compressed keys, an indexer's.
    """
    try:
        reader = _Reader(config, ranks)
        caches = reader.caches()
        if not caches or not reader.hidden:
            return None
        vocabulary = reader.number("vocab_size", "num_vocab")
        return Shape(
            tuple(caches),
            reader.hidden,
            reader.own(reader.heads),
            reader.head_widths(FULL)[1],
            reader.own(reader.inner),
            vocabulary,
            reader.latent,
            reader.grouped,
            not reader.families & _ROWS,
            reader.scan(),
        )
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError):
        return None


_UNFOLDED = {"deepseek_v2", "minicpm3", "youtu_llm"}
"""Families that keep compressed keys unfolded for each head. Others keep them as they are."""

_ROWS = {
    *("afm7", "deepseek_v32", "deepseek_v41", "gemma2", "glm_moe_dsa", "gpt_bigcode", "llama4"),
    *("minimax_m3_vl", "phi3small", "plamo", "plamo2"),
}
"""Families whose attention is stepped row by row, or alone (`engine/FAMILIES.md`)."""

_LINEAR = {"bailing_hybrid", "bailing_moe_linear"}
"""Families whose state is a square for each head, without a convolution."""


class _Reader(ConfigReader):
    """What each layer keeps, in numbers."""

    def __init__(self, config: Mapping[str, Any], ranks: int = 1) -> None:
        super().__init__(config)
        self._ranks = ranks

    def own(self, count: int) -> int:
        """One rank's of so many that are divided among all."""
        return -(-count // self._ranks)

    @property
    def latent(self) -> bool:
        """Whether keys are kept compressed."""
        return bool(self.number("kv_lora_rank")) and not self.families & _UNFOLDED

    @property
    def grouped(self) -> bool:
        """Whether several heads of the queries share one of the keys."""
        if self.families & _UNFOLDED:
            return False
        full = (at for at in range(self.count) if self.kind(at) == FULL)
        return self.key_heads(next(full, 0), FULL) < self.heads

    def scan(self) -> Scan | None:
        """How recurrent layers read a chunk."""
        kinds = {self.kind(at) for at in range(self.count)}
        if STATE not in kinds and not self.has("falcon_h1"):
            return None
        if self.has("jamba"):
            size = self.number("mamba_d_state")
            return Scan(self.number("mamba_expand") * self.hidden, 0, size)
        heads, each = self.mamba_heads()
        return Scan(heads * each, heads) if heads and each else None

    @property
    def inner(self) -> int:
        """The widest array of a feed-forward layer, in numbers a token."""
        dense = self.number("intermediate_size", "ffn_hidden_size", "n_inner") or 4 * self.hidden
        expert = self.number("moe_intermediate_size", "expert_ffn_hidden_size")
        chosen = self.number("num_experts_per_tok", "moe_topk", "moe_k", "num_experts_per_token")
        if self.number("num_local_experts", "num_experts", "moe_num_experts"):
            expert = expert or dense
        return max(dense, expert * chosen)

    # -- what each layer keeps ----------------------------------------------------------------

    def caches(self) -> list[Layer]:
        """What each layer keeps."""
        kept = self.count
        if self.has("gemma3n", "gemma4"):
            kept -= self.number("num_kv_shared_layers")
        elif self.has("afm7"):
            kept -= self.number("num_kv_reuse_layers")
        found = [c for at in range(kept) for c in self.layer(at, self.kind(at))]
        if self.has("iquestloopcoder"):
            found += [replace(c, window=self.number("loop_window_size") or 64) for c in found]
        if self.has("nanbeige"):
            found *= self.number("num_loops") or 1
        if self.has("longcat_flash_ngram"):
            found.append(Layer(state=3))
        return found

    def layer(self, at: int, kind: str) -> list[Layer]:
        """The caches of one layer."""
        ratios = self.config.get("compress_ratios")
        if kind == NOTHING:
            return []
        if isinstance(ratios, list):
            return self.compressed(at, ratios[at])
        if kind == STATE:
            return [Layer(state=self.own(self.state()))]
        found = [self.attention(at, kind)]
        if self.has("longcat_flash", "longcat_flash_ngram"):
            found *= 2
        elif self.latent and self.number("index_head_dim"):
            # mlx-lm keeps the indexer's keys a second time, as its values.
            found.append(Layer(self.number("index_head_dim"), self.number("index_head_dim")))
        elif self.has("minimax_m3", "minimax_m3_vl"):
            if self.flag("sparse_attention_freq", at):
                found.append(Layer(self.number("index_head_dim")))
            found[0] = replace(found[0], plain=False)
        elif self.has("falcon_h1", "baichuan_m1"):
            state = self.state() if self.has("falcon_h1") else found[0].keys + found[0].values
            found = [replace(found[0], copied=True), Layer(state=state)]
        return [replace(c, plain=False) for c in found] if len(found) > 1 else found

    def compressed(self, at: int, ratio: int) -> list[Layer]:
        """A window, and in layers that others read from too, a part of all tokens."""
        width = self.number("head_dim")
        found = [Layer(width, 0, self.number("sliding_window") or None, plain=False)]
        if ratio and self.config["kv_source_layer_ids"][at] == at:
            found.append(Layer(-(-(width + self.number("index_head_dim")) // ratio), plain=False))
        return found

    def attention(self, at: int, kind: str) -> Layer:
        """Keys and values, of all tokens or of a window."""
        windowed = kind == WINDOW
        ring = self.number("sliding_window", "sliding_window_size", "window_size")
        if windowed and self.has("recurrent_gemma", "llama4"):
            ring = self.number("attention_window_size", "attention_chunk_size")
        window = ring or None if windowed else None
        if self.latent:
            return Layer(self.number("kv_lora_rank"), self.number("qk_rope_head_dim"), window)
        if self.number("kv_lora_rank"):
            wide = self.number("qk_nope_head_dim") + self.number("qk_rope_head_dim")
            width = self.number("v_head_dim") or self.hidden // self.heads
            heads = self.own(self.heads)
            return Layer(heads * wide, heads * width, window)
        keys, values = self.head_widths(kind)
        heads = self.own(self.key_heads(at, kind))
        return Layer(heads * keys, heads * values, window)

    def head_widths(self, kind: str) -> tuple[int, int]:
        """The widths of a head's keys and values."""
        width = self.number("head_dim", "kv_channels", "hidden_size_per_head")
        width = width or self.hidden // self.heads
        value = self.number("v_head_dim") or width
        if self.has("mimo_v2_flash") and kind == WINDOW:
            return self.number("swa_head_dim") or width, self.number("swa_v_head_dim") or value
        if self.has("gemma4") and kind == FULL:
            width = value = self.number("global_head_dim") or width
        return width, value

    def key_heads(self, at: int, kind: str) -> int:
        """How many heads keys have in this layer."""
        if kind == WINDOW:
            own = self.number("swa_num_key_value_heads", "num_swa_key_value_heads")
            if own:
                return own
        if kind == FULL and self.has("gemma4") and self.number("num_global_key_value_heads"):
            return self.number("num_global_key_value_heads")
        if self.config.get("multi_query", self.has("gpt_bigcode")) or self.has("recurrent_gemma"):
            return 1
        if self.has("gpt2", "gpt_neox"):
            return self.heads
        if self.has("plamo"):
            return -(-self.heads // (self.number("n_shared_head") or 8))
        blocks, listed = self.config.get("block_configs"), self.config.get("num_kv_heads")
        if isinstance(blocks, list):
            return int(self.heads // blocks[at]["attention"]["n_heads_in_group"])
        if isinstance(listed, list):
            return int(listed[at])
        inner = self.config.get("attn_config")
        if isinstance(inner, dict) and type(inner.get("kv_n_heads")) is int:
            return int(inner["kv_n_heads"])
        found = self.number(
            *("num_key_value_heads", "num_kv_heads", "n_kv_heads", "num_attention_groups")
        )
        return found or self.heads

    def state(self) -> int:
        """The numbers that a recurrent layer keeps."""
        back = max(0, self.number(*_CONVOLUTIONS) - 1)
        if self.number("linear_key_head_dim"):
            keys = self.number("linear_num_key_heads") * self.number("linear_key_head_dim")
            wide = self.number("linear_value_head_dim")
            values = self.number("linear_num_value_heads") * wide
            return back * (2 * keys + values) + values * self.number("linear_key_head_dim")
        linear = self.config.get("linear_attn_config")
        if isinstance(linear, dict):
            return _delta(linear["num_heads"], linear["head_dim"], linear["short_conv_kernel_size"])
        width = self.number("head_dim") or self.hidden // self.heads
        if self.families & _LINEAR:
            return self.heads * width * width
        if self.has("bailing_moe_v3"):
            return _delta(self.heads, width, self.number("short_conv_kernel_size") or 4)
        if self.has("rwkv7"):
            return 2 * self.hidden + self.hidden * (self.number("head_dim") or 64)
        if self.has("recurrent_gemma"):
            lanes = self.number("lru_width") or self.hidden
            return back * lanes + lanes
        if self.number("conv_L_cache"):
            return (self.number("conv_L_cache") - 1) * self.hidden
        return self.mamba(back)

    def mamba_heads(self) -> tuple[int, int]:
        """The heads of a Mamba 2 layer, and the width of each."""
        heads = self.number("mamba_num_heads", "mamba_n_heads")
        heads = heads or (self.number("num_heads") if self.has("mamba2") else 0)
        names = ("hidden_size_per_head", "mamba_head_dim", "mamba_d_head", "head_dim")
        return heads, self.number(*names)

    def mamba(self, back: int) -> int:
        """The numbers of a Mamba layer's state."""
        size = self.number("state_size", "ssm_state_size", "mamba_d_state", "d_state")
        heads, each = self.mamba_heads()
        if self.has("jamba") or not heads:
            wide = self.number("mamba_expand", "expand") * self.hidden
            wide = wide if self.has("jamba") else self.number("intermediate_size") or wide
            return back * wide + wide * size
        wide = self.number("mamba_d_ssm") or heads * each
        groups = self.number("n_groups", "mamba_n_groups") or 1
        mixed = wide if self.has("plamo2") else wide + 2 * groups * size
        return back * mixed + wide * size


_CONVOLUTIONS = (
    *("linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv", "d_conv", "conv1d_width"),
)


def _delta(heads: int, width: int, convolution: int) -> int:
    """A gated delta layer's state: a square for each head, three convolutions."""
    return 3 * (convolution - 1) * heads * width + heads * width * width
