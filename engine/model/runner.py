"""Forward passes: prefill chunks, and decode steps for many sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, islice
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from msgspec import Struct

from engine.cache.cache_objects import Caches, iterate_arrays
from engine.cache.session_kv import SessionKV
from engine.model import output_rows, ragged
from engine.model.constraint import Constraint
from engine.model.loaded_model import LoadedModel
from engine.model.patches import dense
from engine.model.probe import ALONE
from engine.model.prompt_lookup import MatchSearch
from engine.model.sampling import Odds, Sampler, Token, as_mlx, nan_error, sample_rows
from engine.model.vision import FIRST_IMAGE_ID, InputSpan, PlacedImage
from engine.params import SamplingParams


class DecodeRequest(Protocol):
    """Fields of a request that a forward pass reads or sets.

    Attributes:
        pending: id of the next input token as a lazy array, or None.
        match_search: search for earlier occurrences of the latest tokens, for prompt lookup.
        odds: log-probabilities to report, or None if not requested.
        next_is_nan: lazy `[1]`, True if the logit of the last sampled token is NaN; None if
            unknown.
        index: position in the answer of the next token to sample, for its random key.
    """

    tokens: list[int]
    images: Sequence[PlacedImage]
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
    def match_search(self) -> MatchSearch: ...


class PrefillChunk(Struct, frozen=True):
    """Next tokens of a session's prompt."""

    kv: SessionKV
    tokens: list[int]
    ends: bool = False  # the last token ends the prompt, so the next token must be sampled
    images: Sequence[PlacedImage] = ()  # images of the whole prompt


class PendingLogits(Struct, frozen=True):
    """Logits `[1, vocab]` to sample from once the previous token is known."""

    logits: mx.array


Array = np.ndarray[Any, Any]

NextToken = Token | PendingLogits | Exception
"""Next token of a row: a token, logits that still have to be sampled, or the sampler's error."""


def prefill(
    model: LoadedModel, kv: SessionKV, tokens: list[int], images: Sequence[PlacedImage] = ()
) -> None:
    """Feed tokens of a prompt to a session's caches, and wait until they are computed.

    MLX computes no logits, because they aren't evaluated. Layers that use the CPU kernels run
    immediately, so the output layer is restricted to a single row.
    """
    caches, start = kv.leave_slots(), kv.length
    decoder = model.decoder
    if decoder is None or decoder.logits([(caches, tokens)], ()) is None:
        for piece in _split_tokens(model, tokens):
            ids = mx.array(
                [piece if model.vision is None else model.vision.replace_image_tokens(piece)]
            )
            arguments = _model_arguments(model, ids, [InputSpan(images, start, len(piece))])
            with dense.engage(), output_rows.restrict_rows([0]):
                model.net(ids, cache=caches, **arguments)
                mx.eval(list(iterate_arrays(caches)))
            start += len(piece)
    kv.record_chunk(tokens)


def prefill_together(model: LoadedModel, chunks: Sequence[PrefillChunk]) -> None:
    """Prefill several prompts in one pass. See `prefill`."""
    for chunk in chunks:
        chunk.kv.leave_slots()
    decoder = model.decoder
    inputs = [(chunk.kv.layers, chunk.tokens) for chunk in chunks]
    if decoder is None or decoder.logits(inputs, ()) is None:
        with dense.engage(), output_rows.restrict_rows([0]):
            shared = ragged.combine_caches((), reading=_chunk_caches(chunks))
            ids = _chunk_rows(model, chunks)
            model.net(ids, cache=shared, **_model_arguments(model, ids, (), chunks))
    _record_chunks(chunks)


def decode(
    model: LoadedModel,
    rows: Sequence[DecodeRequest],
    shared: bool,
    chunks: Sequence[PrefillChunk] = (),
) -> list[NextToken]:
    """Feed the pending token of each row, and return the next token of each row.

    For constrained answers, this returns `PendingLogits`, the input of `sample_constrained`.

    If `shared` is set and the model supports it, all rows share one forward pass. Otherwise, each
    row has its own pass. With `chunks`, there is a single pass for everything, and the call
    blocks. If a row's prompt ends in one of the `chunks`, that chunk computes the row's logits.

    MLX launches the pass before Python knows the pending ids, so the device is busy while Python
    handles the previous token. If that token ends a reply, one row of the pass is wasted. With the
    CPU kernels, the pass is finished when this returns, and the result has ids instead of arrays.
    """
    ending = [id(chunk.kv) for chunk in chunks if chunk.ends]
    batch = [r for r in rows if id(r.kv) not in ending]
    lost = [(r.kv, tokens) for r in batch if (tokens := lost_tokens(r))]
    order, alone = _order_rows(model, [r.kv for r in batch], shared and not lost)
    batch = [batch[row] for row in order]
    logits = None if lost else _decode_with_kernels(model, batch, chunks, alone)
    if logits is None:
        logits = _decode_with_mlx(model, batch, chunks, alone)
    for kv, tokens in lost:
        for token in tokens:
            kv.record_token(token)
    if model.ranks > 1:  # all ranks evaluate the same arrays, regardless of sampling
        mx.async_eval(logits)  # type: ignore[no-untyped-call]
    by_kv = {id(r.kv): r for r in rows}
    batch += [by_kv[key] for key in ending]
    tokens_by_row, lazy = _sample_tokens(logits, [(r, r.index, None) for r in batch], len(batch))
    if lazy:
        mx.async_eval(lazy)  # type: ignore[no-untyped-call]
    if chunks:
        _record_chunks(chunks)
    if chunks or lost:  # exclude the chunk or draft from the time of the next step
        mx.synchronize()
    token_of = {id(r): token for r, token in zip(batch, tokens_by_row, strict=True)}
    return [token_of[id(r)] for r in rows]


def _decode_with_kernels(
    model: LoadedModel,
    batch: Sequence[DecodeRequest],
    chunks: Sequence[PrefillChunk],
    alone: bool,
) -> mx.array | Array | None:
    """Return the logits of a pass that the C decoder computed, or None if it can't."""
    if model.decoder is None or (alone and len(batch) > 1):
        return None
    if any(r.pending is not None for r in batch):
        return None
    inputs = [(r.kv.layers, r.tokens[-1:]) for r in batch]
    inputs += [(chunk.kv.layers, chunk.tokens) for chunk in chunks]
    return model.decoder.logits(inputs, [*range(len(batch)), *_end_rows(chunks, len(batch))])


def _decode_with_mlx(
    model: LoadedModel,
    batch: Sequence[DecodeRequest],
    chunks: Sequence[PrefillChunk],
    alone: bool,
) -> mx.array:
    feeds: Sequence[mx.array] = [next_input(r) for r in batch]
    caches = [r.kv.layers for r in batch]
    if model.broadcast_tokens is not None:
        feeds = model.broadcast_tokens(feeds, [r.kv for r in batch])
    has_vision = model.vision is not None
    spans = [InputSpan(r.images, r.kv.length) for r in batch] if has_vision else []
    if chunks:
        return forward_mixed(model, feeds, caches, chunks, spans)
    return forward(model, feeds, caches, alone, spans)


LogitRow = tuple[DecodeRequest, int, mx.array | None]
"""Answer and token index of a row of logits, and the tokens of a draft fed up to this row."""


def _sample_tokens(
    logits: mx.array | Array, rows: Sequence[LogitRow], steps: int = 0
) -> tuple[list[NextToken], list[mx.array]]:
    """Sample a token from each row of logits.

    Args:
        steps: number of leading rows whose tokens are used in any case. The other rows belong to
            drafts.

    Returns:
        The token of each row, and the arrays to evaluate for the leading rows.
    """
    free = [row for row, (answer, *_) in enumerate(rows) if answer.constraint is None]
    tokens: list[NextToken] = [0] * len(rows)
    if free:
        answers, indices, fed_ids = zip(*(rows[row] for row in free), strict=True)
        recent_ids = [
            recent_tokens(a, fed) if a.sampler.uses_history else None
            for a, fed in zip(answers, fed_ids, strict=True)
        ]
        some = logits if len(free) == len(logits) else _select_rows(logits, free)
        sampled = sample_rows(some, [a.sampler for a in answers], indices, recent_ids)
        for row, drawn in zip(free, sampled, strict=True):
            tokens[row] = drawn
    for row in set(range(len(rows))).difference(free):
        tokens[row] = PendingLogits(as_mlx(logits[row : row + 1]))
    lazy = [t for t in tokens[:steps] if isinstance(t, mx.array)]
    if lazy:
        unknown = [row for row, token in enumerate(tokens[:steps]) if isinstance(token, mx.array)]
        some = logits if len(unknown) == len(logits) else _select_rows(logits, unknown)
        flags = _is_nan(as_mlx(some), mx.concatenate(lazy))
        lazy.append(flags)
        for row, is_nan in zip(unknown, mx.split(flags, len(unknown)), strict=True):
            rows[row][0].next_is_nan = is_nan
    lazy += [t.logits for t in tokens[:steps] if isinstance(t, PendingLogits)]
    for row, token in enumerate(tokens[:steps]):
        odds = rows[row][0].odds
        if odds is not None and isinstance(token, (mx.array, int)):
            lazy += odds.record(as_mlx(logits[row : row + 1]), _as_array(token))
    return tokens, lazy


def _select_rows(logits: Any, rows: list[int]) -> Any:
    return logits[mx.array(rows) if isinstance(logits, mx.array) else rows]


def _as_array(token: Token) -> mx.array:
    return mx.array([token], mx.uint32) if isinstance(token, int) else token


def decode_on_follower(
    model: LoadedModel,
    kvs: Sequence[SessionKV],
    shared: bool,
    make_ids: Callable[[int], mx.array],
    chunks: Sequence[PrefillChunk] = (),
) -> tuple[list[int], mx.array]:
    """Run the leading rank's pass of `decode` on another rank.

    Args:
        kvs: caches of the rows, in the same order as in `decode`.
        make_ids: called with the number of rows; receives their fed tokens and one extra number.

    Returns:
        The order of the rows in the pass, as indices into `kvs`, and the result of `make_ids`.
    """
    order, alone = _order_rows(model, kvs, shared)
    ids, caches = make_ids(len(kvs)), [kvs[row].layers for row in order]
    feeds = list(mx.split(ids[: len(kvs), None], len(kvs)))
    if chunks:
        logits = forward_mixed(model, feeds, caches, chunks)
    else:
        logits = forward(model, feeds, caches, alone)
    mx.async_eval(logits)  # type: ignore[no-untyped-call]
    if chunks:
        _record_chunks(chunks)
    return order, ids


def _order_rows(
    model: LoadedModel, kvs: Sequence[SessionKV], shared: bool
) -> tuple[list[int], bool]:
    """Let sessions enter or leave slots.

    Returns:
        The order in which to step the rows, and True if each of them needs its own pass.
    """
    # Recurrent models may treat the first token differently.
    shared = shared and model.info.step != ALONE and all(kv.length for kv in kvs)
    if len(kvs) > 1 and shared:
        return model.slots.assign(kvs) if model.slots is not None else [*range(len(kvs))], False
    for kv in kvs:  # other sessions keep their slots, because they may decode in the same iteration
        kv.leave_slots()
    return [*range(len(kvs))], True


def sample_constrained(
    answer: DecodeRequest, unsampled: PendingLogits, mask: np.ndarray | None = None
) -> Token:
    """Sample a token of a constrained answer, after the previous token has been accepted.

    Args:
        mask: result of `Constraint.mask`, or None to compute it here.

    Raises:
        EngineError: `model_load_failed` if the CPU kernels find that the logits are NaN.
    """
    assert answer.constraint is not None
    logits = unsampled.logits
    if mask is None:
        mask = answer.constraint.mask(logits.shape[-1])
    allowed_tokens = None if mask is None else mx.array(mask)
    recent = recent_tokens(answer) if answer.sampler.uses_history else None
    token = answer.sampler(logits, answer.index, recent, allowed_tokens)
    lazy = _as_array(token)
    answer.next_is_nan = _is_nan(logits, lazy)
    odds_arrays = [] if answer.odds is None else answer.odds.record(logits, lazy)
    mx.async_eval([lazy, answer.next_is_nan, *odds_arrays])  # type: ignore[no-untyped-call]
    if isinstance(token, int) and answer.next_is_nan.item():
        raise nan_error()
    return token


def _is_nan(logits: mx.array, tokens: mx.array) -> mx.array:
    """Return a boolean per row of `logits` `[rows, vocab]`: True if its token's logit is NaN."""
    token_logits = mx.take_along_axis(logits, tokens[:, None].astype(mx.uint32), axis=-1)
    return mx.isnan(token_logits[:, 0])


def forward(
    model: LoadedModel,
    feeds: Sequence[mx.array],
    caches: Sequence[Caches],
    alone: bool,
    spans: Sequence[InputSpan] = (),
) -> mx.array:
    """Feed one token `[1, 1]` for each of N sessions, and return the lazy logits `[N, vocab]`."""
    if alone or model.info.step == ALONE or len(feeds) == 1:
        with dense.engage():
            rows = []
            for row, (feed, session_caches) in enumerate(zip(feeds, caches, strict=True)):
                arguments = _model_arguments(model, feed, spans[row : row + 1])
                rows.append(model.net(feed, cache=session_caches, **arguments)[:, -1])
                if model.ranks > 1:  # keep the order of collectives when running several passes
                    mx.async_eval(rows[-1])  # type: ignore[no-untyped-call]
        return rows[0] if len(rows) == 1 else mx.concatenate(rows)
    shared = ragged.combine_caches(caches, model.slots)
    ids = mx.concatenate(list(feeds))
    with dense.engage():
        logits: mx.array = model.net(ids, cache=shared, **_model_arguments(model, ids, spans))[
            :, -1
        ]
    return logits


def forward_mixed(
    model: LoadedModel,
    feeds: Sequence[mx.array],
    caches: Sequence[Caches],
    chunks: Sequence[PrefillChunk],
    spans: Sequence[InputSpan] = (),
) -> mx.array:
    """Run `forward` with prefill chunks in the same pass.

    Returns the logits of `feeds`, followed by the logits of the chunks that end a prompt.
    """
    if not feeds and len(chunks) == 1:  # the end of a prompt, in a pass with nothing else
        shared, tokens = chunks[0].kv.layers, chunks[0].tokens
        logit_rows = [len(tokens) - 1]
        ids = mx.array(
            [tokens if model.vision is None else model.vision.replace_image_tokens(tokens)]
        )
    else:
        shared = ragged.combine_caches(caches, model.slots, _chunk_caches(chunks))
        logit_rows = [*range(len(feeds)), *_end_rows(chunks, len(feeds))]
        read = _chunk_rows(model, chunks)
        ids = mx.concatenate([*feeds, read.astype(feeds[0].dtype)]) if feeds else read
    arguments = _model_arguments(model, ids, spans, chunks)
    with dense.engage(), output_rows.restrict_rows(logit_rows):
        return output_rows.extract_logits(model.net(ids, cache=shared, **arguments), logit_rows)


Verification = tuple[mx.array, mx.array | None]
"""Logits after each fed token, `[tokens, vocab]`, and the sampled tokens, `[tokens]`. The latter
are None for constrained answers, whose tokens are sampled one by one."""


def verify(model: LoadedModel, answer: DecodeRequest, fed_ids: mx.array) -> Verification:
    """Feed an answer's last token and a draft in one pass.

    Args:
        fed_ids: lazy ids of these tokens, `[tokens]`.
    """
    if model.slots is not None:
        model.slots.assign([])
    with dense.engage():
        logits: mx.array = model.net(fed_ids[None], cache=answer.kv.layers)[0]
    rows = [(answer, answer.index + n, fed_ids[: n + 1]) for n in range(fed_ids.shape[0])]
    sampled, _ = _sample_tokens(logits, rows)
    tokens = []
    for token in sampled:
        if isinstance(token, Exception):
            raise token
        if isinstance(token, (mx.array, int)):
            tokens.append(_as_array(token).astype(mx.uint32))
    sampled_ids = mx.concatenate(tokens) if answer.constraint is None else None
    # Logits are only needed again for constraints and odds.
    logits_again = [logits] if sampled_ids is None or answer.odds is not None else []
    mx.async_eval([fed_ids, *logits_again, *([] if sampled_ids is None else [sampled_ids])])  # type: ignore[no-untyped-call]
    return logits, sampled_ids


def next_input(answer: DecodeRequest) -> mx.array:
    """Return the ids to feed next, `[1, tokens]`: the pending token, or the last known token.

    Tokens that a rollback removed from the caches come first.
    """
    lost_ids = lost_tokens(answer)
    if answer.pending is None:
        return mx.array([[*lost_ids, answer.tokens[-1]]], mx.uint32)
    pending = answer.pending.reshape(1, 1)
    if not lost_ids:
        return pending
    return mx.concatenate([mx.array([lost_ids], mx.uint32), pending.astype(mx.uint32)], axis=1)


def lost_tokens(answer: DecodeRequest) -> list[int]:
    """Return the tokens lost to a rejected draft, which the next step has to feed again."""
    unread = answer.tokens[answer.kv.length :]
    return unread if answer.pending is not None else unread[:-1]


def recent_tokens(answer: DecodeRequest, fed_ids: mx.array | None = None) -> mx.array:
    """Return the latest token ids, including the pending token, for penalties.

    Args:
        fed_ids: when verifying a draft, the tokens fed so far, starting with the last known token.
    """
    window = answer.params.penalty_window
    tokens = answer.tokens[-window:]
    if max(tokens, default=0) >= FIRST_IMAGE_ID:  # image tokens aren't in the vocabulary
        tokens = [token for token in tokens if token < FIRST_IMAGE_ID]
    recent_ids = mx.array(tokens, mx.uint32)
    if fed_ids is not None:
        return mx.concatenate([recent_ids, fed_ids[1:]])[-window:]
    if answer.pending is None:
        return recent_ids
    return mx.concatenate([recent_ids, answer.pending.astype(mx.uint32).reshape(1)])[-window:]


def _chunk_rows(model: LoadedModel, chunks: Sequence[PrefillChunk]) -> mx.array:
    tokens = [token for r in chunks for token in r.tokens]
    if model.vision is not None:
        tokens = model.vision.replace_image_tokens(tokens)
    return mx.array(tokens, mx.uint32)[:, None]


def _model_arguments(
    model: LoadedModel,
    ids: mx.array,
    spans: Sequence[InputSpan],
    chunks: Sequence[PrefillChunk] = (),
) -> dict[str, Any]:
    if model.vision is None:
        return {}
    read = [InputSpan(r.images, r.kv.length, len(r.tokens)) for r in chunks]
    return model.vision.model_arguments(ids, [*spans, *read])


def _chunk_caches(chunks: Sequence[PrefillChunk]) -> list[tuple[Caches, int]]:
    return [(r.kv.layers, len(r.tokens)) for r in chunks]


def _end_rows(chunks: Sequence[PrefillChunk], first: int) -> list[int]:
    ends = accumulate((len(r.tokens) for r in chunks), initial=first)
    return [end - 1 for r, end in zip(chunks, islice(ends, 1, None), strict=True) if r.ends]


def _record_chunks(chunks: Sequence[PrefillChunk]) -> None:
    mx.eval([list(iterate_arrays(r.kv.layers)) for r in chunks])
    for chunk in chunks:
        chunk.kv.record_chunk(chunk.tokens, alone=False)


def add_hidden_states(
    model: LoadedModel, caches: Caches, tokens: list[int], before: Array | None
) -> Array:
    """Return `before` plus the sum of the hidden states of the next `tokens`, in float64.

    States are added one by one, so the sum doesn't depend on how a text is split.
    """
    assert model.abilities.body is not None
    total = before
    for piece in _split_tokens(model, tokens):
        with dense.engage():
            states = model.abilities.body(mx.array([piece]), cache=caches)[0].astype(mx.float32)
            mx.eval([states, *iterate_arrays(caches)])
        rows = np.array(states, np.float64)
        if total is not None:
            rows = np.concatenate([total[None], rows])
        total = rows.sum(axis=0)
    assert total is not None
    return total


def embedding_vector(total: Array) -> bytes:
    """Return a vector scaled to length 1, as little-endian float32."""
    length = float(np.sqrt((total * total).sum()))
    return (total / (length or 1.0)).astype("<f4").tobytes()


def _split_tokens(model: LoadedModel, tokens: list[int]) -> list[list[int]]:
    return [[t] for t in tokens] if model.abilities.token_by_token else [tokens]
