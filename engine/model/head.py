"""A model's own prediction head (MTP) drafts: a layer that was trained with it, in its own folder.

From the model's hidden state at one token and the embedding of the next it predicts the one after
that. So it has to be given the hidden states that the model's passes come to (`heard`). The head
itself, its caches and how it is fed are mlx-vlm's drafter; its drafts are checked as others are.

It follows one session at a time, and sees of its text what was read in passes of that session
alone, from the last place on before which a pass was another's too: positions are relative. What
it has not seen costs accepted drafts, never a token.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

from engine.cache.cache_objects import Caches
from engine.cache.estimate import UNLIMITED, MemoryEstimate
from engine.cache.session_kv import SessionKV
from engine.model import cpu
from engine.model.patches import mix_in

KEPT = 1024  # tokens whose hidden states are kept for the head to read once twice as many wait

_state = threading.local()


class Followed:
    """Where a head is in the text of one session.

    It has read pairs of a hidden state and the token after it, up to the place `read`. The hidden
    states of the places from there up to `end` wait.

    Args:
        net: mlx-vlm's drafter.
        target: the model it is of, an `mlx.nn.Module`.
        body: the part of that which gives hidden states.
        caches: the target's, empty.

    Raises:
        Exception: whatever is raised where the two do not fit together.
    """

    def __init__(self, net: Any, target: Any, body: Any, caches: Caches) -> None:
        self._net, self._target = net, target
        self.kv = SessionKV(net.make_cache)  # the head's own caches
        self.drop()
        states = body(mx.array([[0]]), cache=caches)  # never evaluated: shapes are known without
        self._feed(states, [0])
        self.drop()
        self._per_row = int(states.shape[-1]) * states.dtype.size
        mix_in(_Heard, [body])

    def drop(self) -> None:
        """Free all that it has read."""
        self._anew()
        self._of: weakref.ref[SessionKV] | None = None
        self.read = self.end = -1
        self._rows: list[mx.array] = []  # `[1, tokens, width]` each, of the places that wait

    def _anew(self) -> None:
        self.kv.set_caches(self._net.reset(self._target))
        self.kv.tokens = []
        self._own = 0  # of the pairs read, the last ones whose hidden states were the head's own

    @property
    def nbytes(self) -> int:
        """Bytes of the hidden states that wait."""
        return int((self.end - self.read) * self._per_row)

    def behind(self, tokens: Sequence[int]) -> int:
        """How many hidden states of these tokens wait; -1 where they are another text's."""
        return self.end - self.read if self._rows and self.end == len(tokens) else -1

    def hear(self, kv: SessionKV, start: int, states: mx.array) -> None:
        """Take the hidden states of a session's tokens from the place `start` on."""
        if self._of is None or self._of() is not kv or start != self.end:
            self.drop()
            self._of, self.read = weakref.ref(kv), start
        self._rows.append(states)
        self.end = start + states.shape[1]
        if self.end - self.read > 2 * KEPT:
            self._anew()
            self._leave_out(self.end - self.read - KEPT)
        mx.async_eval(self._rows[-1])  # type: ignore[no-untyped-call]  # else it holds the pass

    def take(self, tokens: list[int]) -> None:
        """Read so many of the hidden states that wait, each with the token after it."""
        states = self._rows[0] if len(self._rows) == 1 else mx.concatenate(self._rows, axis=1)
        self._feed(states[:, : len(tokens)], tokens)
        self._leave_out(len(tokens))
        self.kv.tokens += tokens
        self.kv.touched()
        mx.async_eval([cache.state for cache in self.kv.layers])  # type: ignore[no-untyped-call]

    def draft(self, count: int) -> list[mx.array]:
        """The next tokens after those that were read: lazy ids, `[1]` each."""
        with cpu.engaged():
            drafted = self._net.draft_block(0, None, None, count + 1, None, mx.uint32, greedy=True)
        self._own = count - 1
        self.kv.tokens += [0] * self._own
        self.kv.touched()
        return [drafted[0, place : place + 1].astype(mx.uint32) for place in range(count)]

    def keep(self, length: int) -> None:
        """Forget what was drafted and not accepted: the session's caches hold `length` tokens."""
        kept = max(0, min(self._own, length - self.read - 1))
        if self._own:
            self._net.accept_verified_tokens(None, None, kept, [], None)
            del self.kv.tokens[len(self.kv.tokens) - (self._own - kept) :]
            self._own = 0
        while self.end > length and self._rows:
            last = self._rows.pop()
            self.end -= last.shape[1]
            if self.end < length:
                self._rows.append(last[:, : length - self.end])
                self.end = length
        self._leave_out(min(kept, self.end - self.read))

    def _feed(self, states: mx.array, tokens: list[int]) -> None:
        before = mx.array([tokens[:-1]], mx.uint32)
        with cpu.engaged():
            self._net.accept_verified_tokens(
                states, before, len(tokens) - 1, tokens[-1:], None, mx.uint32, greedy=True
            )

    def _leave_out(self, count: int) -> None:
        """Forget the first hidden states that wait."""
        self.read += count
        while count:
            first = self._rows.pop(0)
            if first.shape[1] > count:
                self._rows.insert(0, mx.contiguous(first[:, count:]))
            count -= min(count, int(first.shape[1]))


@contextmanager
def heard(drafter: Any, kv: SessionKV, start: int, again: int = 0) -> Iterator[None]:
    """Within this block a model's pass is one of this session alone: its head is told of it.

    Args:
        drafter: the model's; nothing is told to any but a head.
        start: the place of the first token that is fed.
        again: so many of those fed were fed before.
    """
    followed: Followed | None = getattr(drafter, "followed", None)
    if followed is None:
        yield
        return
    found: list[mx.array] = []
    _state.found = found
    try:
        yield
    finally:
        _state.found = None
    try:
        if len(found) == 1 and found[0].ndim == 3 and found[0].shape[0] == 1:
            followed.hear(kv, start + again, found[0][:, again:])
    except BaseException as error:  # a panic in a native library, too: the pass itself has not
        drafter.fail(error)


class _Heard:
    """Mixed in before the class of the part of a model that gives hidden states."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        states = super().__call__(*given, **named)  # type: ignore[misc]
        found = getattr(_state, "found", None)
        if found is not None:
            found.append(states)
        return states


def cost(config: Any, itemsize: int) -> MemoryEstimate:
    """What a head's caches cost, by the `text_config` that mlx-vlm has made of its config."""
    per_token = 2 * config.num_key_value_heads * config.head_dim * itemsize
    layers = getattr(config, "mtp_num_hidden_layers", 1)
    return MemoryEstimate(0, ((per_token, UNLIMITED),) * layers)
