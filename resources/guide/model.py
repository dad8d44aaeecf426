"""The Guide's network in torch, with the shapes and names of mlx-lm's `llama`.

Only training needs this file. The app loads the exported weights with mlx-lm. All parameter names
are those in `model.safetensors`, so exporting needs no conversion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class GuideConfig:
    vocab_size: int = 4096
    hidden_size: int = 256
    intermediate_size: int = 1216
    num_hidden_layers: int = 5
    num_attention_heads: int = 8
    num_key_value_heads: int = 4
    max_position_embeddings: int = 2048
    rope_theta: float = 10000.0
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    def as_hugging_face(self, bos: int, eos: list[int], pad: int) -> dict[str, object]:
        """Return the contents of `config.json`."""
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "vocab_size": self.vocab_size,
            "hidden_size": self.hidden_size,
            "intermediate_size": self.intermediate_size,
            "num_hidden_layers": self.num_hidden_layers,
            "num_attention_heads": self.num_attention_heads,
            "num_key_value_heads": self.num_key_value_heads,
            "head_dim": self.head_dim,
            "max_position_embeddings": self.max_position_embeddings,
            "rope_theta": self.rope_theta,
            "rms_norm_eps": self.rms_norm_eps,
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": True,
            "bos_token_id": bos,
            "eos_token_id": eos,
            "pad_token_id": pad,
            "torch_dtype": "bfloat16",
        }


PLAIN_ATTENTION = 256  # rows up to this length are faster with plain products


class Attention(nn.Module):
    def __init__(self, config: GuideConfig) -> None:
        super().__init__()
        self.heads = config.num_attention_heads
        self.kv_heads = config.num_key_value_heads
        self.head_dim = config.head_dim
        width = config.hidden_size
        self.q_proj = nn.Linear(width, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q = self.q_proj(x).view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = attend(q, k, v)
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    def __init__(self, config: GuideConfig) -> None:
        super().__init__()
        width, size = config.hidden_size, config.intermediate_size
        self.gate_proj = nn.Linear(width, size, bias=False)
        self.up_proj = nn.Linear(width, size, bias=False)
        self.down_proj = nn.Linear(size, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, config: GuideConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = FeedForward(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, config: GuideConfig) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)


class GuideModel(nn.Module):
    """Causal llama with tied embeddings."""

    def __init__(self, config: GuideConfig) -> None:
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        cos, sin = rope_tables(config)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.reset()

    def reset(self) -> None:
        """Initialize with small normal weights, smaller where they write into the residual
        stream."""
        residual = 0.02 / math.sqrt(2 * self.config.num_hidden_layers)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                small = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(weight, std=residual if small else 0.02)

    def hidden(self, tokens: Tensor) -> Tensor:
        """Return the last hidden states, before the output matrix."""
        length = tokens.shape[1]
        cos, sin = self.cos[:length], self.sin[:length]
        x = self.model.embed_tokens(tokens)
        for layer in self.model.layers:
            x = layer(x, cos, sin)
        return self.model.norm(x)

    def logits(self, hidden: Tensor) -> Tensor:
        return functional.linear(hidden, self.model.embed_tokens.weight)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Compute causal attention over [rows, heads, length, head_dim].

    On a CPU, plain products are faster for short rows, and torch's function for long ones.
    """
    rows, heads, length, dim = q.shape
    groups = heads // k.shape[1]
    if length > PLAIN_ATTENTION or q.device.type != "cpu":
        k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    together = q.reshape(rows, heads // groups, groups * length, dim)
    scores = (together @ k.mT).view(rows, heads, length, length).float() * dim**-0.5
    places = torch.arange(length)
    scores = scores.masked_fill(places[:, None] < places, -math.inf)
    weights = scores.softmax(-1).to(v.dtype)
    return (weights.view(*together.shape[:-1], length) @ v).view(q.shape)


def rope_tables(config: GuideConfig) -> tuple[Tensor, Tensor]:
    """Return cosines and sines for all positions [length, head_dim / 2]."""
    half = torch.arange(0, config.head_dim, 2, dtype=torch.float32)
    frequencies = config.rope_theta ** (-half / config.head_dim)
    positions = torch.arange(config.max_position_embeddings, dtype=torch.float32)
    angles = positions[:, None] * frequencies[None]
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Apply rotary embeddings in the halves layout of Hugging Face checkpoints."""
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)
