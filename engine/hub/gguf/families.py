"""Mapping of each architecture's arrays and settings from GGUF to MLX.

A file's metadata uses the name of its architecture ("llama.block_count"), and its arrays have
llama.cpp's names ("blk.0.attn_q.weight"). Some values change, too: llama.cpp's converter reorders
the rows of query and key heads, and adds 1 to Gemma's norms, which MLX only does when computing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct, field

from engine.hub.gguf.blocks import BFLOAT16, FLOAT16, FLOAT32, GROUP, FloatType
from engine.hub.gguf.reading import Array, GgufFile
from engine.sandbox.protocol import RefusedError

_MAX_LAYERS = 1000  # the deepest known model has 126
_MAX_WIDTH = 2**20
_MAX_CONTEXT_TOKENS = 2**32

# MLX names (without "model.layers.N.") by GGUF name (without "blk.N.").
_ATTENTION = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
}
_GATED = {"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
_HEAD_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_USUAL = {**_ATTENTION, **_GATED, "ffn_norm": "post_attention_layernorm"}
_FOUR_NORMS = {
    **_USUAL,
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


class Family(Struct, frozen=True):
    mlx: str  # `model_type` in config.json
    layer: dict[str, str]  # MLX names by GGUF name, for the arrays of a layer
    # Arrays with a bias. True means always, and False means only in some models.
    biases: dict[str, bool] = field(default_factory=dict)
    is_interleaved: bool = False  # rows of queries and keys are in llama's order
    adds_one: bool = False  # norms already include the 1 that MLX would add
    # Type of all unpacked arrays in a file with packed weights. For some families, activations
    # don't fit in float16.
    float_type: FloatType = FLOAT16
    has_width: bool = True  # the head dimension is a separate setting
    # Embedding and output are always tied. Otherwise, they are tied if there's no output array.
    is_tied: bool = False
    # RoPE scaling types that MLX supports for this family.
    scalings: tuple[str, ...] = ("linear", "yarn")


_SOMETIMES = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), False)
_FUSED = {
    "attn_norm": "input_layernorm",
    "attn_qkv": "self_attn.qkv_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_up": "mlp.gate_up_proj",
    "ffn_down": "mlp.down_proj",
}

FAMILIES = {
    # Mistral models also identify as llama.
    "llama": Family("llama", _USUAL, _SOMETIMES, is_interleaved=True),
    "qwen2": Family(
        *("qwen2", _USUAL, dict.fromkeys(("attn_q", "attn_k", "attn_v"), True)),
        float_type=BFLOAT16,
        has_width=False,
    ),
    "qwen3": Family("qwen3", {**_USUAL, **_HEAD_NORMS}, float_type=BFLOAT16),
    "gemma": Family("gemma", _USUAL, adds_one=True, float_type=BFLOAT16, is_tied=True, scalings=()),
    "gemma2": Family(
        "gemma2", _FOUR_NORMS, adds_one=True, float_type=BFLOAT16, is_tied=True, scalings=()
    ),
    "gemma3": Family(
        *("gemma3_text", {**_FOUR_NORMS, **_HEAD_NORMS}), adds_one=True, float_type=BFLOAT16
    ),
    "phi3": Family("phi3", _FUSED, has_width=False, scalings=("linear", "longrope")),
}
"""Families by architecture name in GGUF."""

_SHOWN = "Llama, Mistral, Qwen 2, Qwen 2.5, Qwen 3, Gemma, Gemma 2, Gemma 3 and Phi 3"
_FACTORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
_SPARE = ("rope_freqs",)  # older files repeat this array in every layer


class SourceArray(Struct, frozen=True):
    """Array of the file, with instructions for its conversion."""

    name: str  # name in MLX, without ".weight", ".scales" or ".biases"
    part: str  # "weight" or "bias"
    source: Array
    reordered_heads: int = 0  # number of heads whose rows are reordered, or 0
    subtract: float = 0.0  # number to subtract from each value

    @property
    def is_packed(self) -> bool:
        return self.source.type.groups is not None


class ConversionPlan(Struct, frozen=True):
    config: dict[str, Any]  # content of config.json, except what the tokenizer adds
    arrays: list[SourceArray]
    float_type: FloatType  # floating-point type of unpacked arrays


def plan_conversion(file: GgufFile) -> ConversionPlan:
    """Check a file's architecture, settings and arrays, and plan the conversion.

    Raises:
        RefusedError: if the architecture isn't supported, or the file is inconsistent.
    """
    architecture = file.metadata.get("general.architecture")
    family = FAMILIES.get(architecture) if isinstance(architecture, str) else None
    if family is None:
        raise _unsupported_error(file, architecture)
    if (parts := file.metadata.get("split.count", 1)) != 1:
        raise RefusedError(
            f"{file.called} is one of {_abbreviate(parts)} parts of a model. Join them with "
            "llama.cpp's `llama-gguf-split --merge` first, or get the model in one file."
        )
    return _Planner(file, str(architecture), family).plan()


def _unsupported_error(file: GgufFile, architecture: object) -> RefusedError:
    if file.metadata.get("general.type") in ("mmproj", "adapter") or architecture == "clip":
        return RefusedError(
            f"{file.called} is a part for a model and no model. Choose the model's own file."
        )
    return RefusedError(
        f"{file.called} has the architecture {_abbreviate(architecture)}. Only GGUF files of "
        f"{_SHOWN} are supported. Get this one in MLX's format: File > Get a Model."
    )


def _abbreviate(value: object) -> str:
    return repr(value)[:60]


class _Planner:
    def __init__(self, file: GgufFile, architecture: str, family: Family) -> None:
        self._file, self._architecture, self._family = file, architecture, family
        self._hidden = self._integer("embedding_length", _MAX_WIDTH)
        self._layers = self._integer("block_count", _MAX_LAYERS)
        self._inner = self._integer("feed_forward_length", _MAX_WIDTH)
        self._heads = self._integer("attention.head_count", _MAX_WIDTH)
        self._kv_heads = self._integer("attention.head_count_kv", self._heads, self._heads)
        if self._heads % self._kv_heads:
            raise self._error("its number of heads is not a multiple of its number of key heads")
        self._head = self._head_length()
        self._rotated = self._integer("rope.dimension_count", self._head, self._head)
        self._embedding = file.arrays.get("token_embd.weight")
        if self._embedding is None or len(self._embedding.shape) != 2:
            raise self._error("its embedding is missing")
        self._vocabulary_size = self._embedding.shape[0]

    def plan(self) -> ConversionPlan:
        arrays = list(self._arrays())
        used = {array.source.name for array in arrays} | {*_FACTORS}
        for name in self._file.arrays.keys() - used:
            if not name.startswith("blk.") or name.split(".")[2:3] != [*_SPARE]:
                raise RefusedError(
                    f"{self._file.called} cannot be read: it has arrays that "
                    f"{self._architecture} has not ({name[:80]!r}). "
                    + ("Mixture-of-experts models are not supported. " if "exp" in name else "")
                    + "Get this model in MLX's format: File > Get a Model."
                )
        float_type = self._float_type(arrays)
        config = {**self._config(), "torch_dtype": float_type.name, **_quantization(arrays)}
        return ConversionPlan(config, arrays, float_type)

    # Settings.

    def _value(self, name: str) -> Any:
        return self._file.metadata.get(f"{self._architecture}.{name}")

    def _integer(self, name: str, maximum: int, default: int | None = None) -> int:
        value = self._value(name)
        if isinstance(value, np.ndarray) and len(value) and (value == value[0]).all():
            value = value[0].item()  # a value per layer, but all values are equal
        if value is None and default is not None:
            return default
        if value is None:
            raise self._error(f"{self._architecture}.{name} is missing")
        if type(value) is not int or not 1 <= value <= maximum:
            raise self._error(f"{self._architecture}.{name} is {_abbreviate(value)}")
        return value

    def _number(self, name: str, default: float | None = None) -> float:
        value = self._value(name)
        if value is None and default is not None:
            return default
        good = isinstance(value, float | int) and math.isfinite(value) and 0 < value < 1e30
        if not good:
            raise self._error(f"{self._architecture}.{name} is {_abbreviate(value)}")
        return float(f"{value:.7g}")  # written as a decimal, but read as float32

    def _error(self, reason: str) -> RefusedError:
        return self._file.damaged_error(reason)

    def _head_length(self) -> int:
        default_length = self._hidden // self._heads
        length = self._integer("attention.key_length", _MAX_WIDTH, max(1, default_length))
        if length != self._integer("attention.value_length", _MAX_WIDTH, length):
            raise self._error("its keys and values have different lengths")
        if not self._family.has_width and length * self._heads != self._hidden:
            raise self._error("its heads do not match its width")
        if length % 2:
            raise self._error(f"its heads have a width of {length}")
        return length

    def _config(self) -> dict[str, Any]:
        family, context = self._family, self._integer("context_length", _MAX_CONTEXT_TOKENS)
        config: dict[str, Any] = {
            "model_type": family.mlx,
            "hidden_size": self._hidden,
            "num_hidden_layers": self._layers,
            "intermediate_size": self._inner,
            "num_attention_heads": self._heads,
            "num_key_value_heads": self._kv_heads,
            "rms_norm_eps": self._number("attention.layer_norm_rms_epsilon"),
            "vocab_size": self._vocabulary_size,
            "max_position_embeddings": context,
            "rope_theta": self._number("rope.freq_base", 10000.0),
            "tie_word_embeddings": family.is_tied or "output.weight" not in self._file.arrays,
        }
        if family.has_width:
            config["head_dim"] = self._head
        if self._rotated != self._head:
            if self._architecture != "phi3":
                raise self._error("it rotates only a part of each head")
            config["partial_rotary_factor"] = self._rotated / self._head
        if self._architecture == "llama":
            config["attention_bias"] = "blk.0.attn_q.bias" in self._file.arrays
        if self._architecture in ("gemma2", "gemma3"):
            config.update(self._gemma_settings())
        scaling = self._rope_scaling(context)
        if scaling:
            config["rope_scaling"] = scaling
            if self._architecture == "phi3":
                original = self._integer("rope.scaling.original_context_length", context, 4096)
                config["original_max_position_embeddings"] = original
        return config

    def _gemma_settings(self) -> dict[str, Any]:
        """Return the settings that only Gemma has.

        The largest model of each generation has a different attention scale, which isn't in the
        file. llama.cpp also recognizes this model by its number of layers.
        """
        largest = self._layers == (46 if self._architecture == "gemma2" else 62)
        scalar = self._hidden // self._heads if largest else self._head
        config: dict[str, Any] = {"query_pre_attn_scalar": scalar}
        if self._architecture == "gemma2":
            config["attn_logit_softcapping"] = self._number("attn_logit_softcapping", 50.0)
            config["final_logit_softcapping"] = self._number("final_logit_softcapping", 30.0)
        else:
            config["sliding_window"] = self._integer(
                "attention.sliding_window", _MAX_CONTEXT_TOKENS
            )
            pattern = self._integer("attention.sliding_window_pattern", _MAX_LAYERS, 6)
            if pattern > self._layers:
                raise self._error(f"it has {self._layers} layers, and one in {pattern} sees all")
            config["sliding_window_pattern"] = pattern
            config["rope_local_base_freq"] = self._number("rope.freq_base_swa", 10000.0)
        return config

    def _rope_scaling(self, context: int) -> dict[str, Any]:
        arrays = self._file.arrays
        if "rope_freqs.weight" in arrays and self._architecture == "llama":
            return self._llama3_scaling(self._rope_factors("rope_freqs.weight"))
        if self._architecture == "phi3" and "rope_factors_long.weight" in arrays:
            long, short = (
                self._rope_factors(f"rope_factors_{n}.weight") for n in ("long", "short")
            )
            original = self._integer("rope.scaling.original_context_length", context, 4096)
            return {
                "type": "longrope",
                "long_factor": long.tolist(),
                "short_factor": short.tolist(),
                "original_max_position_embeddings": original,
            }
        if any(name in arrays for name in _FACTORS):
            raise self._error("it has position factors, which this type of model does not support")
        kind = self._value("rope.scaling.type")
        if kind in (None, "none"):
            return {}
        if kind not in self._family.scalings or kind == "longrope":
            raise RefusedError(
                f"{self._file.called} cannot be read: its positions are scaled by "
                f"{_abbreviate(kind)}. Get this model in MLX's format: File > Get a Model."
            )
        settings: dict[str, Any] = {"type": kind, "factor": self._number("rope.scaling.factor")}
        if kind == "yarn":
            original = self._integer("rope.scaling.original_context_length", context, context)
            settings["original_max_position_embeddings"] = original
        return settings

    def _rope_factors(self, name: str) -> np.ndarray[Any, Any]:
        array = self._file.arrays.get(name)
        if array is None or array.shape != (self._rotated // 2,) or array.type.floats is None:
            raise self._error(f"{name} has an unexpected value")
        factors: np.ndarray[Any, Any] = array.type.floats(self._file.read_rows(array, 0, 1))[0]
        if not (np.isfinite(factors) & (factors > 0)).all():
            raise self._error(f"{name} has impossible values")
        return factors

    def _llama3_scaling(self, factors: np.ndarray[Any, Any]) -> dict[str, Any]:
        largest = float(factors.max())
        if largest == 1.0:
            return {}
        turn = (
            2
            * math.pi
            * self._number("rope.freq_base", 10000.0)
            ** (np.arange(0, self._rotated, 2) / self._rotated)
        )
        smooth = ((8192 / turn) - 1.0) / 3.0
        between = 1 / ((1 - smooth) / largest + smooth)
        ruled = np.where(turn < 8192 / 4, 1.0, np.where(turn > 8192, largest, between))
        if not np.allclose(ruled, factors, rtol=1e-3):
            raise RefusedError(
                f"{self._file.called} cannot be read: its positions are scaled in an unsupported "
                "way. Get this model in MLX's format: File > Get a Model."
            )
        return {
            "rope_type": "llama3",
            "factor": largest,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        }

    # Arrays.

    def _arrays(self) -> Iterator[SourceArray]:
        for name, called in _TOP.items():
            if name == "output" and (
                "output.weight" not in self._file.arrays or self._family.is_tied
            ):
                continue
            yield self._source_array(f"{name}.weight", called, self._top_shape(name))
        shapes = self._shapes()
        for layer in range(self._layers):
            for name, called in self._family.layer.items():
                full_name = f"model.layers.{layer}.{called}"
                shape = shapes[name]
                yield self._source_array(f"blk.{layer}.{name}.weight", full_name, shape)
                bias = f"blk.{layer}.{name}.bias"
                is_required = self._family.biases.get(name)
                if is_required or (
                    is_required is not None and f"blk.0.{name}.bias" in self._file.arrays
                ):
                    yield self._source_array(bias, full_name, shape[:1])

    def _top_shape(self, name: str) -> tuple[int, ...]:
        return (self._hidden,) if name == "output_norm" else (self._vocabulary_size, self._hidden)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        hidden, inner = self._hidden, self._inner
        queries, keys = self._heads * self._head, self._kv_heads * self._head
        fused = "attn_qkv" in self._family.layer
        norms = ("attn_norm", "ffn_norm", "post_attention_norm", "post_ffw_norm")
        return {
            **dict.fromkeys(norms, (hidden,)),
            **dict.fromkeys(("attn_q_norm", "attn_k_norm"), (self._head,)),
            "attn_q": (queries, hidden),
            "attn_k": (keys, hidden),
            "attn_v": (keys, hidden),
            "attn_qkv": (queries + 2 * keys, hidden),
            "attn_output": (hidden, queries),
            "ffn_gate": (inner, hidden),
            "ffn_up": (2 * inner if fused else inner, hidden),
            "ffn_down": (hidden, inner),
        }

    def _source_array(self, name: str, called: str, shape: tuple[int, ...]) -> SourceArray:
        array = self._file.arrays.get(name)
        if array is None:
            raise self._error(f"the array {name!r} is missing")
        if array.shape != shape:
            raise self._error(f"the array {name!r} has the shape {array.shape}, and not {shape}")
        if len(shape) == 1 and array.type.floats is None:
            raise self._error(f"the array {name!r} is packed, but should not be")
        if len(shape) == 2 and array.type.groups is not None and shape[1] % GROUP:
            raise self._error(f"the rows of {name!r} are not a multiple of the group size")
        family, order = self._family, 0
        kind, part = name.split(".")[-2:]
        if family.is_interleaved and kind in ("attn_q", "attn_k"):
            order = self._heads if kind == "attn_q" else self._kv_heads
        subtracted = 1.0 if family.adds_one and len(shape) == 1 else 0.0
        return SourceArray(called, part, array, order, subtracted)

    def _float_type(self, arrays: list[SourceArray]) -> FloatType:
        if any(array.is_packed for array in arrays):
            return self._family.float_type
        counts = Counter[str]()
        for array in arrays:
            counts[array.source.type.name] += array.source.rows * array.source.shape[-1]
        return {"F16": FLOAT16, "BF16": BFLOAT16}.get(counts.most_common(1)[0][0], FLOAT32)


def _quantization(arrays: list[SourceArray]) -> dict[str, Any]:
    matrices = [array for array in arrays if len(array.source.shape) == 2]
    bits = Counter(array.source.type.bits for array in matrices if array.is_packed)
    if not bits:
        return {}
    usual_bits = bits.most_common(1)[0][0]
    settings: dict[str, Any] = {"group_size": GROUP, "bits": usual_bits}
    for array in matrices:
        if not array.is_packed:
            settings[array.name] = False
        elif array.source.type.bits != usual_bits:
            settings[array.name] = {"group_size": GROUP, "bits": array.source.type.bits}
    return {"quantization": settings}
