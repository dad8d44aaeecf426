"""The only caller of the model: reads chunks of prompts, decodes one token for many sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.core.session import ReplyState, SessionState
from engine.kv.cache_objects import Caches, leaves
from engine.model import cpu, ragged
from engine.model.models import LoadedModel
from engine.model.probe import ALONE
from engine.model.sampling import sample_rows


def prefill(session: SessionState, count: int) -> None:
    """Feed the next `count` tokens of the reply's prompt and wait until that is done.

    Logits are not computed for them: what nobody evaluates, MLX does not run.
    """
    reply, kv = session.reply, session.kv
    assert reply is not None
    assert kv.caches is not None
    tokens = reply.tokens[kv.length : kv.length + count]
    pieces = [[t] for t in tokens] if session.model.token_by_token else [tokens]
    for piece in pieces:
        with cpu.engaged():
            session.model.net(mx.array([piece]), cache=kv.caches)
            mx.eval(list(leaves(kv.caches)))
    kv.note_read(tokens)


@dataclass(frozen=True)
class Ride:
    """The next `count` tokens of a prompt, to be read with a decode step of others."""

    session: SessionState
    count: int


@dataclass(frozen=True)
class Unsampled:
    """Logits `[1, vocab]` from which a token can be chosen once the one before it is known."""

    logits: mx.array


def decode(
    sessions: Sequence[SessionState], alone: bool, ride: Ride | None = None
) -> list[mx.array | Unsampled | Exception]:
    """Feed every session's pending token; returns the lazy token after it, or its sampler's error.

    For a reply whose answer has a form the token is still to be chosen, by `choose`.

    All sessions are of one model. With `alone` (or where the model cannot share a step) each gets
    a forward pass of its own.

    The pass is launched before Python knows the id that it feeds, so the device works while
    Python handles the token before. A reply that turns out to have ended with that token has
    wasted one row of one pass. With a `ride` the pass is waited for: the chunk has been read then.
    """
    model = sessions[0].model
    alone = alone or model.info.step == ALONE or len(sessions) == 1
    turn = sessions
    if model.slots is not None:
        order = model.slots.assign([] if alone else [s.kv for s in sessions])
        turn = [sessions[row] for row in order] or sessions
    feeds, caches = [_pending(s) for s in turn], [s.kv.layers for s in turn]
    if ride is not None:
        logits = _forward_with(ride, feeds, caches)
    else:
        logits = forward(model, feeds, caches, alone)
    replies = [s.reply for s in turn if s.reply is not None]
    free = [row for row, r in enumerate(replies) if r.constraint is None]
    out: list[mx.array | Unsampled | Exception] = [
        Unsampled(logits[row : row + 1]) for row in range(len(replies))
    ]
    if free:
        unbound = [replies[row] for row in free]
        sampled = sample_rows(
            logits if len(free) == len(replies) else logits[mx.array(free)],
            [r.sampler for r in unbound],
            [r.index for r in unbound],
            [_recent(r) for r in unbound],
        )
        for row, token in zip(free, sampled, strict=True):
            out[row] = token
    lazy = [t for t in out if isinstance(t, mx.array)]
    lazy += [t.logits for t in out if isinstance(t, Unsampled)]
    mx.async_eval(lazy)  # type: ignore[no-untyped-call]
    if ride is not None:
        kv = ride.session.kv
        mx.eval(list(leaves(kv.layers)))
        kv.note_read(_next(ride))
    following = {s.id: token for s, token in zip(turn, out, strict=True)}
    return [following[s.id] for s in sessions]


def choose(reply: ReplyState, unsampled: Unsampled) -> mx.array:
    """The lazy token of a reply whose answer has a form; the one before it has been accepted."""
    assert reply.constraint is not None
    logits = unsampled.logits
    allowed = reply.constraint.allowed(logits.shape[-1])
    token = reply.sampler(logits, reply.index, _recent(reply), allowed)
    mx.async_eval(token)  # type: ignore[no-untyped-call]
    return token


def forward(
    model: LoadedModel, feeds: Sequence[mx.array], caches: Sequence[Caches], alone: bool
) -> mx.array:
    """The lazy logits `[N, vocab]` after one token `[1, 1]` for each of N sessions' caches."""
    if alone or model.info.step == ALONE or len(feeds) == 1:
        with cpu.engaged():
            rows = [model.net(feed, cache=c)[:, -1] for feed, c in zip(feeds, caches, strict=True)]
        return rows[0] if len(rows) == 1 else mx.concatenate(rows)
    shared = ragged.share_caches(caches, model.slots)
    with cpu.engaged():
        logits: mx.array = model.net(mx.concatenate(list(feeds)), cache=shared)[:, -1]
    return logits


def _next(ride: Ride) -> list[int]:
    reply, start = ride.session.reply, ride.session.kv.length
    assert reply is not None
    return reply.tokens[start : start + ride.count]


def _forward_with(ride: Ride, feeds: Sequence[mx.array], caches: Sequence[Caches]) -> mx.array:
    """As `forward`, in one pass with a chunk of a prompt: the weights are read once for both."""
    model = ride.session.model
    reading = ride.session.kv.layers, ride.count
    shared = ragged.share_caches(caches, model.slots, reading)
    chunk = mx.array(_next(ride), feeds[0].dtype).reshape(-1, 1)
    with cpu.engaged(wanted=len(feeds)):
        logits: mx.array = model.net(mx.concatenate([*feeds, chunk]), cache=shared)
    return logits[: len(feeds), -1]


def _pending(session: SessionState) -> mx.array:
    """The pending token as `[1, 1]`: sampled and still lazy, or the last one known."""
    reply = session.reply
    assert reply is not None
    if reply.next is not None:
        pending: mx.array = reply.next.reshape(1, 1)
        return pending
    return mx.array([[reply.tokens[-1]]], mx.uint32)


def _recent(reply: ReplyState) -> mx.array | None:
    """The latest token ids, the pending one included, for a sampler with penalties."""
    if not reply.params.uses_history:
        return None
    window = reply.params.penalty_window
    if reply.next is None:
        return mx.array(reply.tokens[-window:], mx.uint32)
    known = reply.tokens[-(window - 1) :] if window > 1 else []
    return mx.concatenate([mx.array(known, mx.uint32), reply.next.astype(mx.uint32).reshape(1)])
