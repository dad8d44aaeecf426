"""Small GGUF writer based on the format's specification, independent of the reader's code."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

ALIGNMENT = 32
Numbers = np.ndarray[Any, Any]

F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, BF16 = (
    *(0, 1, 2, 3, 6, 7, 8, 12, 13, 14, 30),
)
BLOCKS = {
    Q4_0: (32, 18),
    Q4_1: (32, 20),
    Q5_0: (32, 22),
    Q5_1: (32, 24),
    Q8_0: (32, 34),
    Q4_K: (256, 144),
    Q5_K: (256, 176),
    Q6_K: (256, 210),
}
"""Values and bytes per block."""


@dataclass
class Entry:
    name: str
    shape: tuple[int, ...]
    type: int
    data: bytes
    offset: int | None = None


@dataclass
class Written:
    metadata: dict[str, Any] = field(default_factory=dict)
    arrays: list[Entry] = field(default_factory=list)
    version: int = 3
    entries: int | None = None  # the count in the header
    tensors: int | None = None

    def add(self, name: str, numbers: Numbers, kind: int = F32) -> None:
        if kind == F32:
            data = numbers.astype("<f4").tobytes()
        elif kind == F16:
            data = numbers.astype("<f2").tobytes()
        elif kind == BF16:
            data = (np.ascontiguousarray(numbers, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            assert kind == Q8_0
            data = q8_0(numbers)
        self.arrays.append(Entry(name, numbers.shape, kind, data))

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path

    def bytes(self) -> bytes:
        head = struct.pack("<4sI", b"GGUF", self.version)
        tensors = len(self.arrays) if self.tensors is None else self.tensors
        entries = len(self.metadata) if self.entries is None else self.entries
        head += struct.pack("<QQ", tensors, entries)
        head += b"".join(text(name) + value(content) for name, content in self.metadata.items())
        body, end = [], 0
        for one in self.arrays:
            offset = end if one.offset is None else one.offset
            body += [one.data, bytes(-len(one.data) % ALIGNMENT)]
            end += len(one.data) + len(body[-1])
            lengths = struct.pack(f"<I{len(one.shape)}Q", len(one.shape), *one.shape[::-1])
            head += text(one.name) + lengths + struct.pack("<IQ", one.type, offset)
        return b"".join([head, bytes(-len(head) % ALIGNMENT), *body])


def text(words: str) -> bytes:
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def value(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, bool):
        return struct.pack("<I?", 7, content)
    if isinstance(content, int):
        return struct.pack("<II", 4, content)
    if isinstance(content, float):
        return struct.pack("<If", 6, content)
    if isinstance(content, str):
        return struct.pack("<I", 8) + text(content)
    if content and isinstance(content[0], str):
        return struct.pack("<IIQ", 9, 8, len(content)) + b"".join(map(text, content))
    kind, code = (6, "f") if content and isinstance(content[0], float) else (5, "i")
    return struct.pack(f"<IIQ{len(content)}{code}", 9, kind, len(content), *content)


def q8_0(numbers: Numbers) -> bytes:
    groups = numbers.reshape(-1, 32)
    scales = (np.abs(groups).max(1) / 127).astype("<f2")
    wide = np.where(scales == 0, 1, scales).astype(np.float32)
    whole = np.rint(groups / wide[:, None]).clip(-127, 127).astype(np.int8)
    return b"".join(s.tobytes() + q.tobytes() for s, q in zip(scales, whole, strict=True))


# Tokenizers

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def letters() -> list[str]:
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in shown]
    return [chr(b) if b in shown else chr(256 + rest.index(b)) for b in range(256)]


def byte_level(pre: str = "qwen2") -> dict[str, Any]:
    words = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *letters(), "he", "ll", "hell"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.token_type": [3, 3, 3, *[1] * (len(words) - 3)],
        "tokenizer.ggml.merges": ["h e", "l l", "he ll"],
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": TEMPLATE,
    }


PIECES = {
    "▁": -5.0,
    "h": -6.0,
    "e": -6.1,
    "l": -6.2,
    "o": -6.3,
    "w": -6.4,
    "r": -6.5,
    "d": -6.6,
    "he": -3.0,
    "ll": -2.5,
    "el": -2.4,
    "hell": -2.0,
    "ello": -1.5,
    "hello": -1.0,
    "▁hello": -0.5,
    "or": -2.2,
    "▁w": -2.1,
    "ld": -2.3,
    "▁wor": -1.9,
    "▁world": -1.2,
}


def sentence_piece(prefix: bool = True) -> dict[str, Any]:
    marks = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "  "]
    bytes_ = [f"<0x{n:02X}>" for n in range(256)]
    words = [*marks, *bytes_, *PIECES]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.scores": [*[0.0] * (len(marks) + 256), *PIECES.values()],
        "tokenizer.ggml.token_type": [2, 3, 3, 3, 3, 4, *[6] * 256, *[1] * len(PIECES)],
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.eot_token_id": 4,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.add_space_prefix": prefix,
        "tokenizer.chat_template": TEMPLATE,
    }


# Models: llama.cpp's tensor names mapped to mlx-lm's.

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.qkv_proj": "attn_qkv",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
}
_TWO_NORMS = {"post_attention_layernorm": "ffn_norm"}
_FOUR_NORMS = {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
_SIZES = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 512,
    "rope_theta": 10000.0,
}
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", "head_dim": 16, "tie_word_embeddings": False},
    "mistral": {"model_type": "llama", "head_dim": 32, "attention_bias": True},
    "qwen2": {"model_type": "qwen2"},
    "qwen3": {"model_type": "qwen3", "head_dim": 32, "tie_word_embeddings": True},
    "gemma": {"model_type": "gemma", "head_dim": 32},
    "gemma2": {"model_type": "gemma2", "head_dim": 32, "query_pre_attn_scalar": 32},
    "gemma3": {
        "model_type": "gemma3_text",
        "head_dim": 32,
        "query_pre_attn_scalar": 32,
        "sliding_window": 16,
        "sliding_window_pattern": 2,
        "rope_local_base_freq": 10000.0,
    },
    "phi3": {"model_type": "phi3", "partial_rotary_factor": 0.5},
}
"""Config of a small model per family. Mistral's GGUF files use the llama architecture."""


def net_of(family: str, words: int) -> Any:
    from mlx_lm.utils import _get_classes

    config = {**_SIZES, **CONFIGS[family], "vocab_size": words}
    kind, args = _get_classes(config)
    mx.random.seed(3)
    net = kind(args.from_dict(config))
    net.update(
        _like(net.parameters(), lambda a: mx.random.normal(a.shape) * (0.3 if a.ndim == 2 else 0.1))
    )
    if family.startswith("gemma3"):  # the loader does this for models without an output layer
        net.sanitize({})
    mx.eval(net.parameters())
    return net


def _like(tree: Any, make: Any) -> Any:
    if isinstance(tree, dict):
        return {name: _like(part, make) for name, part in tree.items()}
    return [_like(part, make) for part in tree] if isinstance(tree, list) else make(tree)


def of_net(
    family: str, net: Any, tokenizer: Mapping[str, Any], kind: int = F32, **more: Any
) -> Written:
    """Describe a model file in the layout that llama.cpp's converter writes.

    Args:
        kind: type of the two-dimensional tensors: F32, Q8_0, F16 or BF16.
        more: metadata entries under the architecture's name.
    """
    architecture = "llama" if family == "mistral" else family
    config = {**_SIZES, **CONFIGS[family]}
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    head = config.get("head_dim", config["hidden_size"] // heads)
    settings = {
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "block_count": config["num_hidden_layers"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": heads,
        "attention.head_count_kv": kv,
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "rope.freq_base": config["rope_theta"],
        "attention.key_length": head,
        "attention.value_length": head,
    }
    if family == "gemma3":
        for name in ("sliding_window", "sliding_window_pattern"):
            settings[f"attention.{name}"] = config[name]
    if family == "phi3":
        settings["rope.dimension_count"] = int(head * config["partial_rotary_factor"])
    settings.update(more)
    made = Written(
        {
            "general.architecture": architecture,
            "general.name": "Small",
            "general.license": "apache-2.0",
            **{f"{architecture}.{name}": content for name, content in settings.items()},
            **tokenizer,
        }
    )
    norms = _FOUR_NORMS if family in ("gemma2", "gemma3") else _TWO_NORMS
    tops = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    for name, array in tree_flatten(net.parameters()):
        whole, _, part = name.rpartition(".")
        numbers = np.array(array)
        if whole in tops:
            called = tops[whole]
        else:
            _, _, layer, rest = whole.split(".", 3)
            called = f"blk.{layer}." + {**_NAMES, **norms}[rest]
        if architecture == "llama" and called.endswith(("attn_q", "attn_k")):
            count = heads if called.endswith("attn_q") else kv
            turned = numbers.reshape(count, 2, numbers.shape[0] // count // 2, -1).swapaxes(1, 2)
            numbers = turned.reshape(numbers.shape)
        if family.startswith("gemma") and numbers.ndim == 1:
            numbers = numbers + 1
        made.add(f"{called}.{part}", numbers, kind if numbers.ndim == 2 else F32)
    return made


def small(family: str = "llama", kind: int = F32, pre: str = "llama-bpe") -> Written:
    tokenizer = byte_level(pre)
    net = net_of(family, len(tokenizer["tokenizer.ggml.tokens"]))
    return of_net(family, net, tokenizer, kind)
