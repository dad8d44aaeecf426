"""Whether token ids fit a model's embedding, and which of them end a turn.

MLX does not check them: an id beyond the embedding's last row reads other memory, or crashes the
process. A tokenizer that was not made for the model is enough to cause it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.errors import INVALID_REQUEST, MODEL_LOAD_FAILED, EngineError
from engine.kv.cache_objects import Caches
from engine.model.patches.module_classes import mix_in
from engine.text import pieces

log = logging.getLogger(__name__)


def words(tokenizer: Any) -> int:
    """How many ids a tokenizer has; mlx-lm's wrapper does not tell its length in every version."""
    try:
        return len(tokenizer)
    except TypeError:
        return len(tokenizer._tokenizer)


def check_ids(rows: int, ids: Sequence[int]) -> None:
    """Refuse ids that are not rows of the embedding.

    Args:
        rows: of the embedding, as `embedding_rows` finds them.

    Raises:
        EngineError: `invalid_request`, naming an id that is outside.
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
    """Check a loaded tokenizer's whole vocabulary, added tokens included.

    Returns the ids of added tokens that are outside. They are no reason to refuse the model: the
    tokenizer of a text model is often that of a larger family, with a token for images. A prompt
    with such a token must be refused (`check_ids`).

    Args:
        rows: of the embedding, as `embedding_rows` finds them.
        tokenizer: mlx-lm's `TokenizerWrapper` or the tokenizer in it.
        name: the model's, for people.

    Raises:
        EngineError: `model_load_failed`, an ordinary token is outside.
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
    """The ids that end a turn, from all places where models keep them.

    Configs name ids of the base model, of the chat model, or what a library puts there by itself.
    So the first one counts, and of the others those that are added tokens: no ordinary word ends
    a turn.

    Args:
        tokenizer: mlx-lm's `TokenizerWrapper`, or the tokenizer in it.
        named: by the model's configs, the best first.
        ends: the tokens of its dialect that do.
    """
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    added: dict[str, int] = inner.get_added_vocab()
    special = set(added.values())
    found = {i for place, i in enumerate(named) if place == 0 or i in special}
    found |= {added[end] for end in ends if end in added}
    eos = getattr(inner, "eos_token_id", None)
    return frozenset(found if eos is None else {*found, eos})


def embedding_rows(net: Any, make_cache: Callable[[], Caches]) -> int | None:
    """How many token ids a model knows: the rows of the table that it looks them up in.

    Found by watching which tables are given the ids, in a forward pass of two tokens that is only
    built. None where no `nn.Embedding` is; then nothing can be checked. Engine thread only.
    """
    tables = [m for m in net.modules() if isinstance(m, (nn.Embedding, nn.QuantizedEmbedding))]
    ids = mx.array([[0, 1]])
    watch = _watching.now = _Watch(ids)
    undo = mix_in(_Watched, tables)
    try:
        net(ids, cache=make_cache())
    finally:
        undo()
        del _watching.now
    return min(watch.rows, default=None)


class _Watch:
    """The rows of the tables that were given `ids`."""

    def __init__(self, ids: mx.array) -> None:
        self.ids = ids
        self.rows: list[int] = []


# Not in a closure: see the same in `engine.model.rows`.
_watching = threading.local()


class _Watched:
    """Mixed in before a table's class while it is watched."""

    def __call__(self, ids: Any, *args: Any, **kwargs: Any) -> Any:
        watch: _Watch = _watching.now
        # The same object: what a model has changed before it looks it up, it has made to fit.
        if ids is watch.ids:
            watch.rows.append(int(self["weight"].shape[0]))  # type: ignore[index]
        return super().__call__(ids, *args, **kwargs)  # type: ignore[misc]
