"""Validation of tokenizers, and detection of EOS tokens.

MLX doesn't check bounds in embedding lookups. An id out of range reads arbitrary memory or crashes
the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import MODEL_LOAD_FAILED, EngineError


def check_tokenizer(rows: int, tokenizer: Any, name: str) -> None:
    """Check that a tokenizer's vocabulary is in the range of the embedding.

    Added tokens may be out of range, because text models often ship the tokenizer of a larger
    family, e.g. with an image token. `bounds.check_ids` rejects prompts with such a token.

    Raises:
        EngineError: `model_load_failed` if an ordinary token is out of range.
    """
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    added = set(inner.get_added_vocab().values())
    outside = {i: token for token, i in inner.get_vocab().items() if not 0 <= i < rows}
    ordinary = sorted(outside.keys() - added)
    if ordinary:
        raise EngineError(
            MODEL_LOAD_FAILED,
            f"The tokenizer of {name} does not match the model: it has token {ordinary[0]:,} "
            f"({outside[ordinary[0]]!r}), but the model has only {rows:,} tokens. Download the "
            "model again.",
        )


def collect_end_ids(tokenizer: Any, ids: Sequence[int], ends: Sequence[str]) -> frozenset[int]:
    """Return the EOS token ids of a model from all the places where they can be set.

    The ids in configs may belong to the base model or the chat model, or may be a library's
    defaults. The first id is trusted, and the others only if they are added tokens, because an
    ordinary word never ends a turn.

    Args:
        ids: ids from the model's configs, most reliable first.
        ends: tokens that end a turn in the model's dialect.
    """
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    added: dict[str, int] = inner.get_added_vocab()
    special = set(added.values())
    end_ids = {i for index, i in enumerate(ids) if index == 0 or i in special}
    end_ids |= {added[end] for end in ends if end in added}
    eos = getattr(inner, "eos_token_id", None)
    return frozenset(end_ids if eos is None else {*end_ids, eos})
