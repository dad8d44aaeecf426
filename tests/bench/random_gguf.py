"""GGUF files of the llama architecture with random weights: `python -m tests.bench.random_gguf`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from tests.engine.gguf_files import BLOCKS, F32, Q4_0, Q4_1, Q6_K, Entry, Written, byte_level

SHAPES: dict[str, tuple[int, int, int, int, int, int]] = {
    "135m": (576, 30, 1536, 9, 3, 49_152),
    "1b": (2048, 16, 8192, 32, 8, 128_256),
    "3b": (3072, 28, 8192, 24, 8, 128_256),
}
"""Width, layers, MLP width, heads, key heads and tokens."""

KINDS = {"Q4_0": Q4_0, "Q4_1": Q4_1}


def write(path: Path, shape: str, kind: str) -> Path:
    width, layers, inner, heads, key_heads, tokens = SHAPES[shape]
    head = width // heads
    words = byte_level()
    known = len(words["tokenizer.ggml.tokens"])
    words["tokenizer.ggml.tokens"] += [f"Ġword{n}" for n in range(known, tokens)]
    words["tokenizer.ggml.token_type"] += [1] * (tokens - known)
    settings = {
        "context_length": 16_384,
        "embedding_length": width,
        "block_count": layers,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": key_heads,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.freq_base": 10000.0,
        "rope.dimension_count": head,
        "vocab_size": tokens,
    }
    made = Written(
        {
            "general.architecture": "llama",
            "general.name": f"Random {shape} {kind}",
            **{f"llama.{name}": value for name, value in settings.items()},
            **words,
        }
    )
    chosen = np.random.default_rng(1)

    def matrix(name: str, rows: int, columns: int, as_kind: int = KINDS[kind]) -> None:
        data = _blocks(chosen, rows, columns, as_kind)
        made.arrays.append(Entry(f"{name}.weight", (rows, columns), as_kind, data))

    def norm(name: str) -> None:
        made.add(f"{name}.weight", np.ones(width, np.float32), F32)

    matrix("token_embd", tokens, width, Q6_K)
    norm("output_norm")
    for n in range(layers):
        norm(f"blk.{n}.attn_norm")
        norm(f"blk.{n}.ffn_norm")
        matrix(f"blk.{n}.attn_q", width, width)
        matrix(f"blk.{n}.attn_k", key_heads * head, width)
        matrix(f"blk.{n}.attn_v", key_heads * head, width)
        matrix(f"blk.{n}.attn_output", width, width)
        matrix(f"blk.{n}.ffn_gate", inner, width)
        matrix(f"blk.{n}.ffn_up", inner, width)
        matrix(f"blk.{n}.ffn_down", width, inner)
    return made.write(path)


def _blocks(chosen: np.random.Generator, rows: int, columns: int, kind: int) -> bytes:
    numbers, size = BLOCKS[kind]
    blocks = chosen.integers(0, 256, (rows * columns // numbers, size), np.uint8)
    scale = 1 / np.sqrt(columns)
    if kind == Q6_K:  # 256 codes of -32 to 31, 16 scales of 8 bits, and a global scale of 16 bits
        blocks[:, 192:208] = chosen.integers(1, 5, (len(blocks), 16), np.uint8)
        _put(blocks, 208, scale / 45)
    else:  # codes of 0 to 15
        _put(blocks, 0, scale / 4.6)
        if kind == Q4_1:
            _put(blocks, 2, -7.5 * scale / 4.6)
    return blocks.tobytes()


def _put(blocks: np.ndarray[tuple[int, int], np.dtype[np.uint8]], at: int, number: float) -> None:
    blocks[:, at : at + 2] = np.array([number], "<f2").view(np.uint8)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.random_gguf", description=__doc__)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    write(options.out, options.shape, options.kind)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
