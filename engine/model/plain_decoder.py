"""Models of plain decoder layers, whose step is one call of the CPU kernels.

A layer is plain if it has the usual parts: two norms, attention with a rotary embedding that a
table can replace, and a gated MLP. `install` finds the part of a model that runs all its layers
(its body), builds a `Decoder` from them, and compares their outputs. If they agree, the body
computes by the decoder, for one session, a batch, and prompts next to them: logits are the same
bits in each.

New keys and values are written straight into the sessions' own arrays. `_SessionArrays` makes sure
that nothing else refers to the places that are written.
"""

from __future__ import annotations

import functools
import inspect
import logging
import weakref
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.cache.shared_prefix import SharedPrefixKV
from engine.kernels.decoder import SEGMENT, SPAN, Decoder, LayerParts, Rotation
from engine.kernels.library import Library
from engine.kernels.matrices import Array
from engine.model.packed_layers import PackedLinear
from engine.model.patches import mix_in

log = logging.getLogger(__name__)

TOLERANCE = 1e-3
"""Largest difference between decoder and layers, in the standard deviation of hidden states."""

MAX_KINDS = 4  # of layers in one model

_TRIED_AT = (1, 77, 3000, *(2**n for n in range(10, 23)))
"""Positions at which rotations are compared. Some rotary embeddings change once a chat is longer
than the texts of the training; a table cannot replace those."""


class _PlainBody:
    """Mixed in before the class of a body."""

    plain: PlainDecoder
    embed_tokens: Any
    layers: list[Any]

    def __call__(self, inputs: mx.array, cache: Any = None, *embeddings: Any, **named: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        sessions = _sessions(cache, inputs.shape)
        if not any(session.is_plain for session in sessions):
            return inner(inputs, cache, *embeddings, **named)
        given = [h for h in (*embeddings, *named.values()) if h is not None]
        if all(session.is_plain for session in sessions):
            h = given[0] if given else self.embed_tokens(inputs)
            return self.plain.run(h, sessions)
        return _one_by_one(self, inner, inputs, given, sessions)


class SessionRows(NamedTuple):
    """The caches of one session in a pass, and how many tokens are fed to it."""

    caches: Sequence[Any]
    token_count: int
    is_plain: bool  # the decoder can read and write its caches


def _one_by_one(
    body: Any, inner: Any, inputs: mx.array, given: list[mx.array], sessions: Sequence[SessionRows]
) -> mx.array:
    """Run a pass of some sessions by the decoder, of others by the model's own code.

    The latter, such as those with keys in few bits, do not change the results of the former.

    Args:
        given: the embeddings, or nothing.
    """
    starts = list(accumulate((session.token_count for session in sessions), initial=0))
    spans = [slice(*span) for span in pairwise(starts)]
    own = [n for n, session in enumerate(sessions) if session.is_plain]
    rows = mx.array([row for n in own for row in range(spans[n].start, spans[n].stop)])
    h = given[0][rows] if given else body.embed_tokens(inputs[rows])
    found = body.plain.run(h, [sessions[n] for n in own])
    parts, first = [], 0
    for span, (caches, count, is_plain) in zip(spans, sessions, strict=True):
        if is_plain:
            parts.append(found[first : first + count])
            first += count
        else:
            tokens, *embeddings = (array[span].swapaxes(0, 1) for array in (inputs, *given))
            parts.append(inner(tokens, list(caches), *embeddings).swapaxes(0, 1))
    return mx.concatenate(parts)


class PlainDecoder:
    """A body's decoder, and the arrays of the sessions that it writes to."""

    def __init__(self, decoder: Decoder, shapes: Sequence[tuple[int, int]]) -> None:
        self._decoder = decoder
        self._shapes = tuple(shapes)  # of each layer's keys: heads and their width
        # by the first layer's cache of a session; they end with it
        self._sessions: weakref.WeakKeyDictionary[Any, _SessionArrays] = weakref.WeakKeyDictionary()

    def run(self, h: mx.array, sessions: Sequence[SessionRows]) -> mx.array:
        """Return the hidden states after the last norm, of the shape of `h`.

        Args:
            h: embeddings `[1, tokens, width]` of one session, or `[rows, 1, width]` of several.
        """
        x = np.array(h.astype(mx.float32)).reshape(-1, self._decoder.width)
        spans, segments = np.empty(len(sessions), SPAN), []
        row = first = 0
        for span, (caches, count, _) in zip(spans, sessions, strict=True):
            start = caches[0].offset
            held = self._arrays_of(caches).reserve(caches, count)
            for name, value in (
                *(("first_row", row), ("rows", count), ("position", start)),
                *(("first_segment", first), ("segments", held.shape[1])),
            ):
                span[name] = value
            segments.append(held)
            row, first = row + count, first + held.shape[1]
        joined = segments[0] if len(segments) == 1 else np.concatenate(segments, axis=1)
        hidden, _ = self._decoder.step(x, spans, np.ascontiguousarray(joined), range(len(x)))
        for caches, count, _ in sessions:
            for cache in caches:
                cache.offset += count
        return mx.array(hidden).reshape(*h.shape)

    def _arrays_of(self, caches: Sequence[Any]) -> _SessionArrays:
        found = self._sessions.get(caches[0])
        if found is None:
            found = self._sessions[caches[0]] = _SessionArrays(self._shapes)
        return found


class _SessionArrays:
    """Where the keys and values of one session are, and until where the decoder has written.

    It writes only into arrays that nothing else reads at those places: into copies that MLX made
    for a write of its own, behind what was written before. After a fork both sessions refer to the
    same memory. Both only read what was written by then; when the twin, or a session that was
    taken back, writes for the first time, MLX copies the array.
    """

    def __init__(self, shapes: Sequence[tuple[int, int]]) -> None:
        self._shapes = shapes
        self._arrays: list[tuple[mx.array, mx.array]] = []
        self._segments = np.empty((0, 0), SEGMENT)
        self._capacity = np.empty(0, np.int64)  # positions for which each layer has memory
        self._end = -1  # the position after the last one written

    def reserve(self, caches: Sequence[Any], count: int) -> Array:
        """Return the segments of all layers, with room for `count` more tokens."""
        start = caches[0].offset
        if start != self._end or not self._is_current(caches):
            self._arrays = []
            segments = 1 + isinstance(caches[0], SharedPrefixKV)
            self._segments = np.zeros((len(caches), segments), SEGMENT)
            self._capacity = np.zeros(len(caches), np.int64)
        self._end = start + count
        small = np.nonzero(self._capacity < self._end)[0].tolist()
        if small:
            for layer in small:
                _reserve(caches[layer], count, self._shapes[layer])
            mx.eval([(caches[layer].keys, caches[layer].values) for layer in small])
            for layer in small:
                self._segments[layer], self._capacity[layer] = _segments_of(caches[layer])
            self._arrays = [(cache.keys, cache.values) for cache in caches]
        self._segments["count"][:, -1] = self._end - self._segments["position"][:, -1]
        return self._segments

    def _is_current(self, caches: Sequence[Any]) -> bool:
        """Return True if the caches have the arrays that the decoder wrote last."""
        pairs = zip(caches, self._arrays, strict=False)
        return (
            len(caches) == len(self._arrays)
            and all(
                cache.keys is keys and cache.values is values for cache, (keys, values) in pairs
            )
            # MLX puts another buffer in the place of an array's when it writes into it.
            and _address(caches[0].keys)[0] == self._segments["keys"][0, -1]
        )


def _reserve(cache: Any, count: int, shape: tuple[int, int]) -> None:
    """Have a cache own memory for `count` more tokens, by a write that MLX makes."""
    heads, width = shape
    start, nothing = cache.offset, mx.zeros((1, heads, count, width))
    cache.update_and_fetch(nothing, nothing)
    cache.offset = start


def _segments_of(cache: Any) -> tuple[Any, int]:
    """Return the segments of a cache, the last without its count, and its capacity."""
    found, begun = [], 0
    if isinstance(cache, SharedPrefixKV):
        begun, prefix = cache.base, cache.shared_prefix
        arrays = prefix.keys[cache.layer], prefix.values[cache.layer]
        found.append((*_pair(*arrays), 0, begun))
    found.append((*_pair(cache.keys, cache.values), begun, 0))
    return found, begun + int(cache.keys.shape[2])


def _pair(keys: mx.array, values: mx.array) -> tuple[int, int, int, int]:
    """Return the addresses of keys and values, and their strides by head and by token in floats.

    Raises:
        ValueError: they are stored in another way.
    """
    (key, *strides), (value, *others) = _address(keys), _address(values)
    if strides != others:
        raise ValueError("keys and values differ in their strides")
    return key, value, strides[0], strides[1]


def _address(array: mx.array) -> tuple[int, int, int]:
    """Return an evaluated array's address, and its strides by head and by token in floats."""
    view = np.array(array, copy=False)
    _, heads, tokens, numbers = view.strides
    if numbers != 4:
        raise ValueError(f"keys with strides {view.strides}")
    return int(view.ctypes.data), heads // 4, tokens // 4


@functools.cache
def _plain_caches() -> tuple[type[Any], ...]:
    from mlx_lm.models.cache import KVCache  # not at the top: see `backend.file_limit_kept`

    return KVCache, SharedPrefixKV


def _sessions(caches: Any, shape: tuple[int, ...]) -> list[SessionRows]:
    """Return the sessions of a pass in the order of its rows; none if they cannot be told apart.

    Args:
        caches: of each layer the cache of one session, or what `ragged` makes of several.
        shape: of the pass, `[batch, tokens]`.
    """
    if caches is None or len(shape) != 2:
        return []
    if all(hasattr(cache, "sessions") for cache in caches):
        each = [cache.sessions for cache in caches]
        counts = [count for _, count in each[0]]
        if sum(counts) != shape[0] or shape[1] != 1:
            return []
        by_session = zip(*([cache for cache, _ in rows] for rows in each), strict=True)
        pairs = zip(by_session, counts, strict=True)
        return [SessionRows(own, count, _is_plain(own)) for own, count in pairs]
    return [SessionRows(caches, shape[1], _is_plain(caches))] if shape[0] == 1 else []


def _is_plain(caches: Sequence[Any]) -> bool:
    """Return True if all caches of a session are of the one kind that the decoder knows."""
    kinds = {type(cache) for cache in caches}
    if len(kinds) > 1 or not kinds <= set(_plain_caches()):
        return False
    return len({cache.offset for cache in caches}) == 1 and all(map(_has_keys, caches))


def _has_keys(cache: Any) -> bool:
    """Return True if a cache has its own keys in float32. Those in slots are elsewhere."""
    if cache.keys is not None:
        return bool(cache.keys.dtype == mx.float32)
    return bool(cache.offset == getattr(cache, "base", 0))


# ---------------------------------------------------------------- finding them


def install(net: Any, library: Library) -> bool:
    """Let a model's body compute by a decoder, if it can. Engine thread only.

    Its quantized layers have been packed (`packed_layers.pack_layers`).
    """
    for body in list(_bodies(net)):
        try:
            if _agrees(net, body, library):
                vars(body)["plain"] = _decoder_of(body, library)
                mix_in(_PlainBody, [body])
                return True
        except Exception as error:  # whatever a model has instead of the usual parts
            log.debug("layers of another kind: %s: %s", type(error).__name__, error)
    return False


def _agrees(net: Any, body: Any, library: Library) -> bool:
    """Compare a body with its decoder, both with one layer of each kind only.

    Raises:
        Exception: the model's or the decoder's.
    """
    layers = list(body.layers)
    kinds = {_kind(layer): layer for layer in layers}
    if len(kinds) > MAX_KINDS:
        return False
    body.layers = list(kinds.values())
    try:
        wanted = _sample_outputs(net, body)
        vars(body)["plain"] = _decoder_of(body, library)
        undo = mix_in(_PlainBody, [body])
        try:
            found = _sample_outputs(net, body)
        finally:
            undo()
            del vars(body)["plain"]
    finally:
        body.layers = layers
    off = float(np.max([_difference(a, b) for a, b in zip(found, wanted, strict=True)]))
    log.debug("the decoder is off by %.2g", off)
    return off <= TOLERANCE


def _kind(layer: Any) -> tuple[Any, ...]:
    attention = layer.self_attn
    parts = layer, layer.mlp, attention, attention.rope
    norms = tuple(float(module.eps) for module in layer.modules() if type(module) is nn.RMSNorm)
    return (*map(_settings, parts), norms, "q_norm" in attention)


def is_installed(net: Any) -> bool:
    """Return True if a model computes by a decoder."""
    return any(isinstance(module, _PlainBody) for module in net.modules())


def release(net: Any) -> None:
    """Give bodies back to the model's own code if their parts were changed since."""
    for module in net.modules():
        if isinstance(module, _PlainBody) and not all(map(_has_usual_parts, module.layers)):
            module.__class__ = type(module).__mro__[2]
            del vars(module)["plain"]


_SIGNATURES = (("inputs", "cache"), ("inputs", "cache", "input_embeddings"))


def _bodies(net: Any) -> Iterator[Any]:
    """Modules that run decoder layers with usual parts, and nothing but them."""
    for module in net.modules():
        layers = module.get("layers")
        if (
            isinstance(layers, list)
            and layers
            and _parts(module) == {"embed_tokens", "layers", "norm"}
            and list(inspect.signature(module).parameters)
            == ["inputs", "cache", "input_embeddings"]
            and type(module.norm) is nn.RMSNorm
            and all(map(_has_usual_parts, layers))
        ):
            yield module


def _parts(module: Any) -> set[str]:
    """Return the names of a module's parts that are modules, or lists of them."""
    parts = module.children().items()
    return {
        name
        for name, part in parts
        if isinstance(part, nn.Module) or any(isinstance(one, nn.Module) for one in part)
    }


_PARTS = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_QUERY_KEY_VALUE = ("q_proj", "k_proj", "v_proj")
_ATTENTION = {*_QUERY_KEY_VALUE, "o_proj"}
_HEAD_NORMS = {"q_norm", "k_norm"}
_MLP = {"gate_proj", "up_proj", "down_proj"}


def _has_usual_parts(layer: Any) -> bool:
    """Return True if a module has the parts of a plain decoder layer, packed, and no others."""
    if not isinstance(layer, nn.Module) or set(layer.children()) != _PARTS:
        return False
    attention, mlp = layer.self_attn, layer.mlp
    norms = set(attention.children()) - _ATTENTION - {"rope"}
    linears = [attention.get(name) for name in _ATTENTION] + [mlp.get(name) for name in _MLP]
    root_mean_squares = [layer.input_layernorm, layer.post_attention_layernorm]
    root_mean_squares += [attention[name] for name in norms & _HEAD_NORMS]
    return (
        set(mlp.children()) == _MLP
        and norms in (set(), _HEAD_NORMS)
        and "rope" in attention
        and all(isinstance(part, PackedLinear) for part in linears)
        and all(type(norm) is nn.RMSNorm for norm in root_mean_squares)
        and all(hasattr(attention, name) for name in ("n_heads", "n_kv_heads", "scale"))
    )


def _decoder_of(body: Any, library: Library) -> PlainDecoder:
    """Build the decoder of a body.

    Raises:
        ValueError: a rotary embedding has no table, or the model does not compute in float32.
    """
    rotations: dict[Any, Rotation] = {}
    layers = [_parts_of(layer, rotations) for layer in body.layers]
    decoder = Decoder(library, layers, _weight(body.norm), float(body.norm.eps))
    return PlainDecoder(decoder, [(parts.key_heads, parts.head_width) for parts in layers])


def _parts_of(layer: Any, rotations: dict[Any, Rotation]) -> LayerParts:
    attention, mlp = layer.self_attn, layer.mlp
    query, key, value = (attention[name].packed for name in _QUERY_KEY_VALUE)
    width = query.outputs // attention.n_heads
    kind = width, _settings(attention.rope)
    if kind not in rotations:
        rotations[kind] = _rotation(attention.rope, width)
    has_norms = "q_norm" in attention
    return LayerParts(
        *(int(attention.n_heads), int(attention.n_kv_heads), width, rotations[kind]),
        *(float(attention.scale), float(layer.input_layernorm.eps)),
        *(_weight(layer.input_layernorm), _weight(layer.post_attention_layernorm)),
        [query, key, value],
        attention.o_proj.packed,
        [mlp.gate_proj.packed, mlp.up_proj.packed],
        mlp.down_proj.packed,
        query_norm=_weight(attention.q_norm) if has_norms else None,
        key_norm=_weight(attention.k_norm) if has_norms else None,
        head_epsilon=float(attention.q_norm.eps) if has_norms else 0.0,
    )


def _weight(norm: Any) -> Array:
    if norm.weight.dtype != mx.float32:
        raise ValueError(f"norms in {norm.weight.dtype}")
    return np.array(norm.weight)


def _settings(module: Any) -> tuple[Any, ...]:
    """Return what two modules of one kind differ in, except for large arrays and modules."""
    both = {**vars(module), **module}
    plain = (str, int, float, bool, type(None))
    own = {name: value for name, value in both.items() if isinstance(value, plain)}
    arrays = {
        name: repr(array.tolist())
        for name, array in both.items()
        if isinstance(array, mx.array) and array.size <= 1024
    }
    return type(module), tuple(sorted(own.items(), key=str)), tuple(sorted(arrays.items()))


def _rotation(rope: Any, width: int) -> Rotation:
    """Return the table of a rotary embedding.

    Raises:
        ValueError: it does something that a table cannot replace.
    """
    rotated = int(getattr(rope, "dims", width))
    is_interleaved = bool(getattr(rope, "traditional", False))
    half = rotated // 2
    first_half = slice(0, rotated, 2) if is_interleaved else slice(0, half)
    second_half = slice(1, rotated, 2) if is_interleaved else slice(half, rotated)

    def part(first: int, count: int) -> tuple[Array, Array]:
        one = np.zeros((1, 1, count, width), np.float32)
        one[..., first_half] = 1
        turned = np.array(rope(mx.array(one), offset=first))[0, 0]
        return turned[:, first_half], turned[:, second_half]

    for place in _TRIED_AT:
        first = max(0, place - 256)
        cosines, sines = part(first, 512)
        for position in (place - 1, place):
            head = np.random.default_rng(position).standard_normal((1, 1, 1, width), np.float32)
            wanted = np.array(rope(mx.array(head), offset=position))[0, 0, 0]
            found, at = head[0, 0, 0].copy(), position - first
            a, b = found[first_half].copy(), found[second_half].copy()
            found[first_half] = a * cosines[at] - b * sines[at]
            found[second_half] = a * sines[at] + b * cosines[at]
            if not np.allclose(found, wanted, atol=TOLERANCE):
                raise ValueError(f"a rotation without a table, at position {position}")
    return Rotation(part, rotated, is_interleaved)


def _sample_outputs(net: Any, body: Any) -> list[Array]:
    """Return a body's outputs for a prompt and for two tokens after it, and the keys written.

    Raises:
        ValueError: the model's caches are of another kind.
    """
    from mlx_lm.models.cache import make_prompt_cache

    rows = int(body.embed_tokens.weight.shape[0])
    caches = make_prompt_cache(net)[: len(body.layers)]
    if {type(cache) for cache in caches} != {_plain_caches()[0]}:
        raise ValueError("caches of another kind")
    found = []
    for tokens in ([7, 3, 11, 2, 5], [1], [13]):
        found.append(np.array(body(mx.array([[t % rows for t in tokens]]), cache=caches)))
    return [*found, np.array(caches[-1].keys[:, :, :7])]


def _difference(a: Array, b: Array) -> float:
    """Return the largest difference in the standard deviation of `b`; NaN if one is NaN."""
    return float(np.abs(a - b).max() / b.std())
