"""How probable the tokens of a reply were, for replies that ask for it.

The probabilities are the model's own: before penalties, biases, the mask of a form, temperature and
filters. They are computed beside the choice of a token and change nothing in it.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import mlx.core as mx
import numpy as np

from engine.messages import TokenOdds


class Odds:
    """The odds of one reply's tokens: noted when a token is chosen, taken when it has been read.

    Args:
        most: how many of the most probable tokens to tell of each.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._noted: deque[tuple[mx.array, mx.array]] = deque()

    def note(self, logits: mx.array, token: mx.array) -> list[mx.array]:
        """Take note of a lazy `token` chosen from `logits` `[1, vocab]`.

        Returns what is to be evaluated with it.
        """
        row = logits[0].astype(mx.float32)
        ids = token.reshape(-1).astype(mx.uint32)
        most = min(self._most, row.shape[-1])
        if most:
            top = mx.argpartition(-row, most - 1)[:most].astype(mx.uint32)
            ids = mx.concatenate([ids, top])
        pair = (ids, row[ids] - mx.logsumexp(row))
        self._noted.append(pair)
        return list(pair)

    def clear(self) -> None:
        """Forget what was chosen and will not be read."""
        self._noted.clear()

    def take(self, token: int, detokenizer: Any) -> TokenOdds:
        """The odds of the token that was read: the first one noted."""
        found, logs = self._noted.popleft()
        ids, values = np.array(found).tolist(), np.array(logs).tolist()
        pairs: list[tuple[int, float]] = list(zip(ids, values, strict=True))
        ranked = sorted(pairs[1:], key=lambda pair: (-pair[1], pair[0]))
        top = tuple(TokenOdds(i, data_of(i, detokenizer), log) for i, log in ranked)
        return TokenOdds(token, data_of(token, detokenizer), pairs[0][1], top)


def data_of(token: int, detokenizer: Any) -> bytes:
    """The bytes that a token stands for, by mlx-lm's detokenizer."""
    from mlx_lm.tokenizer_utils import _byte_decoder

    known = getattr(detokenizer, "tokenmap", None)
    if known is None:
        return str(detokenizer._tokenizer.decode([token])).encode("utf-8", "replace")
    if token >= len(known) or known[token] is None:
        return b""
    piece = known[token]
    if isinstance(piece, bytes):
        return piece.replace("\u2581".encode(), b" ")
    values = _byte_decoder()
    out = bytearray()
    for character in piece:
        value = values.get(character)
        out += bytes([value]) if value is not None else character.encode()
    return bytes(out)
