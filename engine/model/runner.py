"""The only caller of the model: reads chunks of prompts, decodes one token for many sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, islice
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from msgspec import Struct

from engine.cache.cache_objects import Caches, leaves
from engine.cache.session_kv import SessionKV
from engine.model import output_rows, ragged
from engine.model.constraint import Constraint
from engine.model.eyes import FIRST, Fed, Placed
from engine.model.loaded import LoadedModel
from engine.model.lookup import Places
from engine.model.patches import dense
from engine.model.probe import ALONE
from engine.model.sampling import Odds, Sampler, sample_rows
from engine.params import SamplingParams


class Answer(Protocol):
    """What a pass must know of a request.

    Attributes:
        kv: the caches of its session.
        tokens: the prompt and everything generated and read so far.
        pending: the lazy id after them, sampled but not read yet; None where there is none.
        images: where they stand among the tokens; looked at only where the model sees.
        places: where its latest tokens stood before; looked at only where a draft is looked up.
        index: which token of the answer is chosen next.
        odds: None where nobody asked.
        next_is_nan: whether the logit of the token chosen last is NaN, `[1]`, lazy; None if that is
            not known.
    """

    tokens: list[int]
    images: Sequence[Placed]
    pending: mx.array | None
    params: SamplingParams
    sampler: Sampler
    constraint: Constraint | None
    odds: Odds | None
    next_is_nan: mx.array | None
    kv: SessionKV

    @property
    def index(self) -> int: ...

    @property
    def places(self) -> Places: ...


class Reading(Struct, frozen=True):
    """The next tokens of a session's prompt."""

    kv: SessionKV
    tokens: list[int]
    ends: bool = False  # the last of them is the prompt's last, and what follows it is wanted
    images: Sequence[Placed] = ()  # of the whole prompt


class Unsampled(Struct, frozen=True):
    """Logits `[1, vocab]` from which a token can be chosen once the one before it is known."""

    logits: mx.array


Table = np.ndarray[Any, Any]

Following = mx.array | Unsampled | Exception
"""The token after the one that was fed: lazy, still to be chosen, or its sampler's error."""


def prefill(
    model: LoadedModel, kv: SessionKV, tokens: list[int], images: Sequence[Placed] = ()
) -> None:
    """Feed tokens of a prompt to a session's caches, and wait until that is done.

    Logits are not computed for them: what nobody evaluates, MLX does not run. A layer of few bits
    does not wait to be evaluated, so that it is given one row.
    """
    caches, start = kv.take_out(), kv.length
    for piece in _pieces(model, tokens):
        ids = mx.array([piece if model.eyes is None else model.eyes.plain(piece)])
        given = _given(model, ids, [Fed(images, start, len(piece))])
        with dense.engaged(), output_rows.only([0], are_read=False):
            model.net(ids, cache=caches, **given)
            mx.eval(list(leaves(caches)))
        start += len(piece)
    kv.note_read(tokens)


def prefill_together(model: LoadedModel, readings: Sequence[Reading]) -> None:
    """As `prefill` for several prompts in one pass: the weights are read once for all of them."""
    for reading in readings:
        reading.kv.leave_slots()
    with dense.engaged(), output_rows.only([0], are_read=False):
        shared = ragged.share_caches((), reading=_reading_caches(readings))
        ids = _rows_of(model, readings)
        model.net(ids, cache=shared, **_given(model, ids, (), readings))
        _note_read(readings)


def decode(
    model: LoadedModel, rows: Sequence[Answer], shared: bool, readings: Sequence[Reading] = ()
) -> list[Following]:
    """Feed the pending token of every row; returns what follows each.

    Where an answer has a form its token is still to be chosen, by `choose`.

    The rows take part in one forward pass if `shared` is set and the model can; else each has a
    pass of its own. With `readings` there is one pass, and it is waited for. Rows whose prompts end
    with them are fed in it after the rest of their prompts.

    The pass is launched before Python knows the id that it feeds, so the device works while
    Python handles the token before. A reply that turns out to have ended with that token has
    wasted one row of one pass.
    """
    ending = [id(reading.kv) for reading in readings if reading.ends]
    turn = [r for r in rows if id(r.kv) not in ending]
    kvs = [r.kv for r in turn]
    lost = [(r.kv, again) for r in turn if (again := _lost(r))]
    alone = bool(lost) or _apart(model, kvs, shared)
    if model.slots is not None:
        order = model.slots.assign(kvs, alone)
        turn = [turn[row] for row in order] or turn
    feeds: Sequence[mx.array] = [fed_next(r) for r in turn]
    caches = [r.kv.layers for r in turn]
    if model.feed is not None:
        feeds = model.feed(feeds, [r.kv for r in turn])
    fed = [Fed(r.images, r.kv.length) for r in turn] if model.eyes is not None else []
    if readings:
        logits = forward_mixed(model, feeds, caches, readings, fed)
    else:
        logits = forward(model, feeds, caches, alone, fed)
    for kv, tokens in lost:
        for one in tokens:
            kv.note_fed(one)
    if model.ranks > 1:  # whatever is chosen from them, all ranks evaluate the same
        mx.async_eval(logits)  # type: ignore[no-untyped-call]
    last = [r for r in rows if id(r.kv) in ending]
    turn = [*turn, *sorted(last, key=lambda r: ending.index(id(r.kv)))]
    out, lazy = _following(logits, [(a, a.index, recent(a)) for a in turn], len(turn))
    mx.async_eval(lazy)  # type: ignore[no-untyped-call]
    _note_read(readings)
    places = {id(r): number for number, r in enumerate(turn)}
    return [out[places[id(r)]] for r in rows]


def _following(
    logits: mx.array, places: Sequence[tuple[Answer, int, mx.array | None]], steps: int = 0
) -> tuple[list[Following], list[mx.array]]:
    """What answers say after each row of logits.

    Args:
        places: of each row the answer, which of its tokens is chosen, and its `recent` ones.
        steps: of so many rows, the first ones, the token is the answer's next in any case.

    Returns:
        That, and what is to be evaluated of these rows, odds with it.
    """
    free = [row for row, (answer, *_) in enumerate(places) if answer.constraint is None]
    out: list[Following] = [Unsampled(logits[row : row + 1]) for row in range(len(places))]
    if free:
        answers, indices, known = zip(*(places[row] for row in free), strict=True)
        some = logits if len(free) == len(places) else logits[mx.array(free)]
        sampled = sample_rows(some, [a.sampler for a in answers], indices, known)
        for row, token in zip(free, sampled, strict=True):
            out[row] = token
    lazy = [t for t in out[:steps] if isinstance(t, mx.array)]
    if rows := [row for row, token in enumerate(out[:steps]) if isinstance(token, mx.array)]:
        some = logits if len(rows) == len(places) else logits[mx.array(rows)]
        flags = _is_nan(some, mx.concatenate(lazy))
        lazy.append(flags)
        for row, is_nan in zip(rows, mx.split(flags, len(rows)), strict=True):
            places[row][0].next_is_nan = is_nan
    lazy += [t.logits for t in out[:steps] if isinstance(t, Unsampled)]
    for row, chosen in enumerate(out[:steps]):
        odds = places[row][0].odds
        if odds is not None and isinstance(chosen, mx.array):
            lazy += odds.note(logits[row : row + 1], chosen)
    return out, lazy


def decode_with_drafts(
    model: LoadedModel, rows: Sequence[Answer], drafts: Sequence[tuple[Answer, list[int]]]
) -> tuple[list[Following], list[Ahead]]:
    """As `decode` for some answers and `read_ahead` for others, in one pass.

    Args:
        drafts: these others, each with the tokens that are fed to it: a row for each token.
    """
    readings = [Reading(answer.kv, fed) for answer, fed in drafts]
    turn = list(rows)
    if model.slots is not None:
        order = model.slots.assign([r.kv for r in turn], len(turn) < 2)
        turn = [turn[row] for row in order] or turn
    read = _rows_of(model, readings)
    feeds = [fed_next(r).astype(read.dtype) for r in turn]
    caches = [r.kv.layers for r in turn]
    shared = ragged.share_caches(caches, model.slots, _reading_caches(readings))
    ids = mx.concatenate([*feeds, read])
    fed = [Fed(r.images, r.kv.length) for r in turn] if model.eyes is not None else []
    with dense.engaged():
        given = _given(model, ids, fed, readings)
        logits: mx.array = model.net(ids, cache=shared, **given)[:, -1]
    places = [(a, a.index, recent(a)) for a in turn]
    for answer, tokens in drafts:
        known = mx.array(tokens, mx.uint32)
        places += [
            (answer, answer.index + n, recent(answer, known[: n + 1])) for n in range(len(tokens))
        ]
    said, lazy = _following(logits, places, len(turn))
    first, found = len(turn), []
    for answer, tokens in drafts:
        end = first + len(tokens)
        found.append(_ahead(answer, logits[first:end], said[first:end]))
        first = end
    lazy += [chosen for _, chosen in found if chosen is not None]
    if any(a.constraint is not None or a.odds is not None for a, _ in drafts):
        lazy.append(logits)
    mx.async_eval(lazy)  # type: ignore[no-untyped-call]
    out = dict(zip(map(id, turn), said, strict=False))
    return [out[id(r)] for r in rows], found


def follow(
    model: LoadedModel,
    kvs: Sequence[SessionKV],
    shared: bool,
    fed: Callable[[int], mx.array],
    readings: Sequence[Reading] = (),
) -> tuple[list[int], mx.array]:
    """As `decode` on the rank that leads: the same pass with this rank's part of the model.

    Args:
        kvs: of the rows, in the order in which `decode` was given them.
        fed: gives what is fed to so many rows, and one number more.

    Returns:
        The order in which the rows were stepped, as indices into `kvs`, and what `fed` gave.
    """
    alone = _apart(model, kvs, shared)
    order = [] if model.slots is None else model.slots.assign(kvs, alone)
    order = order or list(range(len(kvs)))
    given, caches = fed(len(kvs)), [kvs[row].layers for row in order]
    feeds = list(mx.split(given[: len(kvs), None], len(kvs)))
    if readings:
        logits = forward_mixed(model, feeds, caches, readings)
    else:
        logits = forward(model, feeds, caches, alone)
    mx.async_eval(logits)  # type: ignore[no-untyped-call]
    _note_read(readings)
    return order, given


def _apart(model: LoadedModel, kvs: Sequence[SessionKV], shared: bool) -> bool:
    """Whether each row of a step has a pass of its own.

    A prompt of one token has no state yet, and recurrent models may treat a first token otherwise.
    """
    several = shared and len(kvs) > 1 and model.info.step != ALONE
    return not several or not all(kv.length for kv in kvs)


def choose(answer: Answer, unsampled: Unsampled, mask: np.ndarray | None = None) -> mx.array:
    """The lazy token of an answer that has a form; the one before it has been accepted.

    Args:
        mask: of its constraint; taken from it here if None.
    """
    assert answer.constraint is not None
    logits = unsampled.logits
    if mask is None:
        mask = answer.constraint.mask(logits.shape[-1])
    allowed = None if mask is None else mx.array(mask)
    token = answer.sampler(logits, answer.index, recent(answer), allowed)
    answer.next_is_nan = _is_nan(logits, token)
    noted = [] if answer.odds is None else answer.odds.note(logits, token)
    mx.async_eval([token, answer.next_is_nan, *noted])  # type: ignore[no-untyped-call]
    return token


def _is_nan(logits: mx.array, tokens: mx.array) -> mx.array:
    """Return for each row of `logits` `[rows, vocab]` if its token's logit is NaN, `[rows]`."""
    chosen = mx.take_along_axis(logits, tokens[:, None].astype(mx.uint32), axis=-1)
    return mx.isnan(chosen[:, 0])


def forward(
    model: LoadedModel,
    feeds: Sequence[mx.array],
    caches: Sequence[Caches],
    alone: bool,
    fed: Sequence[Fed] = (),
) -> mx.array:
    """The lazy logits `[N, vocab]` after one token `[1, 1]` for each of N sessions' caches.

    Args:
        fed: what `feeds` are among their sessions' tokens, where the model sees.
    """
    if alone or model.info.step == ALONE or len(feeds) == 1:
        with dense.engaged():
            rows = []
            for row, (feed, own) in enumerate(zip(feeds, caches, strict=True)):
                given = _given(model, feed, fed[row : row + 1])
                rows.append(model.net(feed, cache=own, **given)[:, -1])
                if model.ranks > 1:  # the collectives of several passes keep one order
                    mx.async_eval(rows[-1])  # type: ignore[no-untyped-call]
        return rows[0] if len(rows) == 1 else mx.concatenate(rows)
    shared = ragged.share_caches(caches, model.slots)
    ids = mx.concatenate(list(feeds))
    with dense.engaged():
        logits: mx.array = model.net(ids, cache=shared, **_given(model, ids, fed))[:, -1]
    return logits


def forward_mixed(
    model: LoadedModel,
    feeds: Sequence[mx.array],
    caches: Sequence[Caches],
    readings: Sequence[Reading],
    fed: Sequence[Fed] = (),
) -> mx.array:
    """As `forward`, in one pass with chunks of prompts: the weights are read once for all.

    After the logits of `feeds` come those of the prompts that end.
    """
    if not feeds and len(readings) == 1:
        return _forward_last(model, readings[0])
    shared = ragged.share_caches(caches, model.slots, _reading_caches(readings))
    read = _rows_of(model, readings)
    ids = mx.concatenate([*feeds, read.astype(feeds[0].dtype)]) if feeds else read
    given = _given(model, ids, fed, readings)
    wanted = [*range(len(feeds)), *_ends_of(readings, len(feeds))]
    with dense.engaged(), output_rows.only(wanted):
        return output_rows.of(model.net(ids, cache=shared, **given), wanted)


def _forward_last(model: LoadedModel, reading: Reading) -> mx.array:
    """The lazy logits `[1, vocab]` after a prompt that ends and that nobody else is read with."""
    wanted = [len(reading.tokens) - 1]
    tokens = reading.tokens
    ids = mx.array([tokens if model.eyes is None else model.eyes.plain(tokens)])
    given = _given(model, ids, (), [reading])
    with dense.engaged(), output_rows.only(wanted):
        logits = model.net(ids, cache=reading.kv.layers, **given)
    return output_rows.of(logits, wanted)


Ahead = tuple[mx.array, mx.array | None]
"""The logits after each token that was fed, `[tokens, vocab]`, and what the answer would say after
each, `[tokens]`: None where it has a form, and the tokens are to be chosen one by one."""


def read_ahead(model: LoadedModel, answer: Answer, fed: mx.array) -> Ahead:
    """Feed several tokens of one answer in one pass, as if each had followed the one before.

    Args:
        fed: their ids, `[tokens]`, lazy; the first is the pending one.

    Raises:
        Exception: its sampler's.
    """
    if model.slots is not None:
        model.slots.assign([])
    with dense.engaged():
        logits: mx.array = model.net(fed[None], cache=answer.kv.layers)[0]
    places = [(answer, answer.index + n, recent(answer, fed[: n + 1])) for n in range(fed.shape[0])]
    said, _ = _following(logits, places)
    _, chosen = found = _ahead(answer, logits, said)
    # Only a form, and who asked for odds, reads the logits again.
    again = [logits] if chosen is None or answer.odds is not None else []
    mx.async_eval([fed, *again, *([] if chosen is None else [chosen])])  # type: ignore[no-untyped-call]
    return found


def _ahead(answer: Answer, logits: mx.array, said: Sequence[Following]) -> Ahead:
    chosen = []
    for token in said:
        if isinstance(token, Exception):
            raise token
        if isinstance(token, mx.array):
            chosen.append(token.astype(mx.uint32))
    return logits, mx.concatenate(chosen) if answer.constraint is None else None


def fed_next(answer: Answer) -> mx.array:
    """What is fed next, `[1, tokens]`: the pending token, still lazy, or the last one known.

    Before it comes what the caches have lost to a draft (`SessionKV.go_back`).
    """
    if answer.pending is None:
        return mx.array([[answer.tokens[-1]]], mx.uint32)
    pending, lost = answer.pending.reshape(1, 1), _lost(answer)
    if not lost:
        return pending
    return mx.concatenate([mx.array([lost], mx.uint32), pending.astype(mx.uint32)], axis=1)


def _lost(answer: Answer) -> list[int]:
    """The tokens before the pending one that the caches do not hold."""
    return answer.tokens[answer.kv.length :] if answer.pending is not None else []


def recent(answer: Answer, fed: mx.array | None = None) -> mx.array | None:
    """The latest token ids, the pending one included, for a sampler with penalties.

    Args:
        fed: the pending token and what follows it, where more than that has been fed.
    """
    if not answer.params.uses_history:
        return None
    window = answer.params.penalty_window
    said = answer.tokens[-window:]
    if max(said, default=0) >= FIRST:  # what stands for an image is no token that could be said
        said = [token for token in said if token < FIRST]
    known = mx.array(said, mx.uint32)
    if fed is None and answer.pending is not None:
        fed = answer.pending.astype(mx.uint32).reshape(1)
    return known if fed is None else mx.concatenate([known, fed])[-window:]


def _rows_of(model: LoadedModel, readings: Sequence[Reading]) -> mx.array:
    """The tokens of all of them, as rows of one token each: `[tokens, 1]`."""
    tokens = [token for r in readings for token in r.tokens]
    if model.eyes is not None:
        tokens = model.eyes.plain(tokens)
    return mx.array(tokens, mx.uint32)[:, None]


def _given(
    model: LoadedModel, ids: mx.array, fed: Sequence[Fed], readings: Sequence[Reading] = ()
) -> dict[str, Any]:
    """What the model is called with beside the ids of all that is fed, in its order."""
    if model.eyes is None:
        return {}
    read = [Fed(r.images, r.kv.length, len(r.tokens)) for r in readings]
    return model.eyes.given(ids, [*fed, *read])


def _reading_caches(readings: Sequence[Reading]) -> list[tuple[Caches, int]]:
    return [(r.kv.layers, len(r.tokens)) for r in readings]


def _ends_of(readings: Sequence[Reading], first: int) -> list[int]:
    """Which rows of a pass are the last of a prompt that ends; the prompts' begin at `first`."""
    ends = accumulate((len(r.tokens) for r in readings), initial=first)
    return [end - 1 for r, end in zip(readings, islice(ends, 1, None), strict=True) if r.ends]


def _note_read(readings: Sequence[Reading]) -> None:
    """Wait until they have been read, and note it."""
    if readings:
        mx.eval([list(leaves(r.kv.layers)) for r in readings])
    for reading in readings:
        reading.kv.note_read(reading.tokens, alone=False)


def add_hidden_states(
    model: LoadedModel, caches: Caches, tokens: list[int], before: Table | None
) -> Table:
    """Return the sum of the hidden states of the next `tokens` and of `before`, in float64.

    States are added token by token, so the sum does not depend on how a text is cut.
    """
    assert model.can.body is not None
    total = before
    for piece in _pieces(model, tokens):
        with dense.engaged():
            states = model.can.body(mx.array([piece]), cache=caches)[0].astype(mx.float32)
            mx.eval([states, *leaves(caches)])
        rows = np.array(states, np.float64)
        if total is not None:
            rows = np.concatenate([total[None], rows])
        total = rows.sum(axis=0)
    assert total is not None
    return total


def embedding_vector(total: Table) -> bytes:
    """The mean's direction, of length 1, as little-endian float32."""
    length = float(np.sqrt((total * total).sum()))
    return (total / (length or 1.0)).astype("<f4").tobytes()


def _pieces(model: LoadedModel, tokens: list[int]) -> list[list[int]]:
    """The tokens of a prompt that are fed at a time."""
    return [[t] for t in tokens] if model.can.token_by_token else [tokens]
