"""Models with random weights for benchmarks and tests, in folders for the normal loader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def _llama(
    width: int, layers: int, inner: int, heads: tuple[int, int], vocab: int
) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "intermediate_size": inner,
        "num_attention_heads": heads[0],
        "num_key_value_heads": heads[1],
        "rms_norm_eps": 1e-5,
        "vocab_size": vocab,
        "max_position_embeddings": 16384,
        "tie_word_embeddings": True,
    }


SHAPES = {
    "tiny": _llama(64, 2, 128, (4, 2), 512),
    "135m": _llama(576, 30, 1536, (9, 3), 49152),
    "1b": _llama(2048, 16, 8192, (32, 8), 128256),
}
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")

_FIRST_WORD = len(SPECIAL) + 256  # special tokens are followed by one token per byte


def write_tokenizer(folder: Path, template: str | None = CHATML, words: int = 0) -> None:
    """Write a byte-level tokenizer with ChatML's special tokens. It has ids 0 to 260 and no merges.

    Ids from 261 up to `words` decode to words, but are never used for encoding.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = SPECIAL
    vocab = {token: i for i, token in enumerate([*special, *alphabet])}
    vocab.update({f"word{i}": i for i in range(len(vocab), words)})
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token in special]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1 << 20,
    }
    if template is not None:
        settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def write_model(
    folder: Path,
    config: Mapping[str, Any],
    seed: int = 0,
    dtype: str = "float32",
    scale: float | None = None,
    template: str | None = CHATML,
    every_id_a_word: bool = False,
) -> Path:
    """Write a model folder with random weights, and return its path.

    Args:
        scale: factor for the weights. Larger weights make logits depend more on the context.
        every_id_a_word: make each id decode to text, so that benchmarks get a `TextDelta` for every
            token.
    """
    import mlx.core as mx
    from mlx.utils import tree_flatten, tree_map
    from mlx_lm.utils import _get_classes

    from engine.model import vlm

    folder.mkdir(parents=True, exist_ok=True)
    # Id 2 is <|im_end|>, which random weights rarely select.
    config = {"eos_token_id": 2, **config}
    (folder / "config.json").write_text(json.dumps(config))
    mx.random.seed(seed)
    if vlm.should_load(config):
        net = vlm.build(config)
    else:
        model_class, args_class = _get_classes(dict(config))
        net = model_class(args_class.from_dict(dict(config)))

    def ready(a: mx.array) -> mx.array:
        if not mx.issubdtype(a.dtype, mx.floating):
            return a  # not a weight, e.g. an index table
        if not mx.any(a).item():
            a = 0.1 * mx.random.normal(a.shape)  # replace zeros, which wouldn't affect the logits
        return (a * scale if scale is not None and a.ndim > 1 else a).astype(getattr(mx, dtype))

    weights = dict(tree_flatten(tree_map(ready, net.parameters())))
    if every_id_a_word:  # avoid special tokens and single bytes, which produce no text
        for name in {"lm_head.weight", "model.embed_tokens.weight"} & weights.keys():
            weights[name][:_FIRST_WORD] *= 0.001
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    write_tokenizer(folder, template, int(config["vocab_size"]) if every_id_a_word else 0)
    return folder
