"""Validation of token ids, and the ids that end a turn.

MLX does not check ids: one beyond the embedding's last row reads other memory or crashes the
process. A tokenizer of another model is enough to cause it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from engine.errors import INVALID_REQUEST, MODEL_LOAD_FAILED, EngineError
from engine.text import pieces

log = logging.getLogger(__name__)


def words(tokenizer: Any) -> int:
    """Return the number of a tokenizer's ids. In some versions, mlx-lm's wrapper has no length."""
    try:
        return len(tokenizer)
    except TypeError:
        return len(tokenizer._tokenizer)


def check_ids(rows: int, ids: Sequence[int]) -> None:
    """Reject ids that are not rows of the embedding.

    Raises:
        EngineError: `invalid_request`, naming the first such id.
    """
    for part in pieces.parts(ids):
        if max(part) < rows and min(part) >= 0:
            continue
        wrong = next(i for i in part if not 0 <= i < rows)
        raise EngineError(
            INVALID_REQUEST,
            f"The prompt has a token that this model does not know: id {wrong:,}, and the model "
            f"knows {rows:,}. Its tokenizer was made for another model.",
        )


def check_tokenizer(rows: int, tokenizer: Any, name: str) -> frozenset[int]:
    """Check a tokenizer's whole vocabulary against the rows of the embedding.

    Return the ids of added tokens that are out of range. They are no reason to reject the model: a
    text model often has the tokenizer of a larger family, with a token for images. Prompts with
    such a token are rejected by `check_ids`.

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
            f"The tokenizer of {name} does not fit the model: it has a token with the id "
            f"{ordinary[0]:,} ({outside[ordinary[0]]!r}), and the model knows {rows:,}. "
            "Download the model again.",
        )
    beyond = frozenset(i for i in {*outside, *added} if not 0 <= i < rows)
    if beyond:
        log.warning("%s has %d added tokens that the model does not know", name, len(beyond))
    return beyond


def end_ids(tokenizer: Any, named: Sequence[int], ends: Sequence[str]) -> frozenset[int]:
    """Return the ids that end a turn, collected from all places where models state them.

    Configs state ids of the base model, of the chat model, or a library's defaults. So the first id
    counts, and of the others those of added tokens, because an ordinary word never ends a turn.

    Args:
        tokenizer: mlx-lm's `TokenizerWrapper`, or the tokenizer in it.
        named: ids from the model's configs, the most reliable first.
        ends: tokens that end a turn in its dialect.
    """
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    added: dict[str, int] = inner.get_added_vocab()
    special = set(added.values())
    found = {i for place, i in enumerate(named) if place == 0 or i in special}
    found |= {added[end] for end in ends if end in added}
    eos = getattr(inner, "eos_token_id", None)
    return frozenset(found if eos is None else {*found, eos})
