"""Models with plain decoder layers, whose steps are one call of the CPU kernels.

Plain layers consist of norms, attention with a rotary embedding that can be tabulated, and a gated
MLP. `install` finds the module that runs all layers (the body), builds a `Decoder` from them, and
compares the outputs. If they match, the decoder replaces the body in all passes, and always gives
the same logits, bit by bit. If the rest of the model is just an output head, `PlainDecoder.logits`
runs the whole model in one call.

The decoder writes new keys and values directly into the sessions' arrays. `_SessionArrays` ensures
that nothing else refers to the memory it writes to.
"""

from __future__ import annotations

import enum
import functools
import inspect
import logging
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.cache.shared_prefix import SharedPrefixKV
from engine.kernels.decoder import Decoder, LayerParts, Rotation
from engine.kernels.library import Library, address_of
from engine.kernels.matrices import Array
from engine.kernels.structs import SEGMENT, SPAN
from engine.model.packed_layers import PackedEmbedding, PackedLinear
from engine.model.patches import mix_in

log = logging.getLogger(__name__)

TOLERANCE = 5e-3
"""Maximum deviation of the decoder's outputs and keys, in units of their standard deviations.

Activations and keys have 16 bits. In small random models, rounding them changes the outputs by up
to 1.7e-3.
"""

ROTATION_TOLERANCE = 1e-3  # maximum deviation of a rotation that uses a table

MAX_KINDS = 4  # maximum number of different kinds of layers in a model

_TRIED_AT = (1, 77, 3000, *(2**n for n in range(10, 23)))
"""Positions at which rotations are compared. Some rotary embeddings change once a chat exceeds the
training context, and can't be replaced with a table.
"""


KV_DTYPE = mx.float16
"""Dtype of keys and values. float32 would take twice the memory and twice the time to read."""

EARLY_TOKENS = 32
"""A layer's cache grows together with full ones if it will be full within this number of tokens."""

MAX_EARLY_BYTES = 16 << 20  # limit for early growth, because copying stalls all sessions


class _PlainBody:
    plain: PlainDecoder
    embed_tokens: Any
    layers: list[Any]

    def __call__(self, inputs: mx.array, cache: Any = None, *embeddings: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        sessions = self.plain.split_sessions(cache, inputs.shape)
        if not any(session.is_plain for session in sessions):
            return inner(inputs, cache, *embeddings, **kwargs)
        arrays = [h for h in (*embeddings, *kwargs.values()) if h is not None]
        if all(session.is_plain for session in sessions):
            h = arrays[0] if arrays else self.plain.embed(self.embed_tokens, inputs)
            return self.plain.hidden_states(h, sessions)
        return _run_separately(self, inner, inputs, arrays, sessions)


class SessionRows(NamedTuple):
    caches: Sequence[Any]
    token_count: int
    is_plain: bool  # the decoder supports these caches
    is_current: bool  # nothing else has changed the caches since the decoder's last write


def _run_separately(
    body: Any, inner: Any, inputs: mx.array, rest: list[mx.array], sessions: Sequence[SessionRows]
) -> mx.array:
    """Run a pass where only some of the sessions can use the decoder.

    The other sessions, e.g. with quantized keys, run the model's own code.

    Args:
        rest: list with the embeddings, or empty.
    """
    starts = list(accumulate((session.token_count for session in sessions), initial=0))
    spans = [slice(*span) for span in pairwise(starts)]
    plain = [n for n, session in enumerate(sessions) if session.is_plain]
    rows = mx.array([row for n in plain for row in range(spans[n].start, spans[n].stop)])
    h = rest[0][rows] if rest else body.embed_tokens(inputs[rows])
    hidden = body.plain.hidden_states(h, [sessions[n] for n in plain])
    parts, first = [], 0
    for span, (caches, count, is_plain, _) in zip(spans, sessions, strict=True):
        if is_plain:
            parts.append(hidden[first : first + count])
            first += count
        else:
            tokens, *embeddings = (array[span].swapaxes(0, 1) for array in (inputs, *rest))
            parts.append(inner(tokens, list(caches), *embeddings).swapaxes(0, 1))
    return mx.concatenate(parts)


class PlainDecoder:
    """Decoder of a body, with the sessions' arrays that it writes to.

    Args:
        shapes: number of key heads and head dimension of each layer.
        has_table: True if the decoder includes the token embeddings.
    """

    def __init__(self, decoder: Decoder, shapes: Sequence[tuple[int, int]], has_table: bool):
        self._decoder = decoder
        self._shapes = tuple(shapes)
        self._has_table = has_table
        # Keyed by the cache of the session's first layer, so that entries are freed along with it.
        self._arrays: weakref.WeakKeyDictionary[Any, _SessionArrays] = weakref.WeakKeyDictionary()

    @property
    def vocabulary(self) -> int:
        """Number of logits of a row, or 0 without an output head."""
        return self._decoder.vocabulary

    def embed(self, table: Any, tokens: mx.array) -> mx.array:
        """Return the tokens' embeddings, or just the tokens if the decoder does the lookup."""
        return tokens if self.has_embeddings(table) else table(tokens)

    def has_embeddings(self, table: Any) -> bool:
        return self._has_table and type(table).__call__ is PackedEmbedding.__call__

    def split_sessions(self, caches: Any, shape: tuple[int, ...]) -> list[SessionRows]:
        """Return the sessions of a pass in row order, or [] if they're unknown.

        Args:
            caches: layer caches of a session, or combined caches from `ragged`.
            shape: shape of the pass, `[batch, tokens]`.
        """
        if caches is None or len(shape) != 2:
            return []
        shared = getattr(caches, "sessions", None)
        if shared is None:
            return [self._session_rows(caches, shape[1])] if shape[0] == 1 else []
        if sum(count for _, count in shared) != shape[0] or shape[1] != 1:
            return []
        return [self._session_rows(rows, count) for rows, count in shared]

    def _session_rows(self, caches: Sequence[Any], count: int) -> SessionRows:
        arrays = self._arrays.get(caches[0])
        is_current = arrays is not None and arrays.is_current(caches)
        return SessionRows(caches, count, is_current or _is_plain(caches), is_current)

    def hidden_states(self, h: mx.array, sessions: Sequence[SessionRows]) -> mx.array:
        """Return the hidden states after the final norm, `[batch, tokens, width]`.

        Args:
            h: token ids `[batch, tokens]`, where one of the dimensions is 1, or embeddings.
        """
        count = sum(session.token_count for session in sessions)
        hidden, _ = self._run(self._input_rows(h), sessions, range(count), has_logits=False)
        return mx.array(hidden).reshape(*h.shape[:2], -1)

    def _input_rows(self, h: mx.array) -> Array:
        rows: Array
        if h.ndim == 2:
            rows = np.array(h, np.int64).reshape(-1)
        else:
            rows = np.array(h.astype(mx.float32), copy=False).reshape(-1, self._decoder.width)
        return rows

    def logits(
        self, inputs: Sequence[tuple[Sequence[Any], list[int]]], output_rows: Sequence[int]
    ) -> Array | None:
        """Return the logits `[output rows, vocabulary]` of some rows of a pass.

        The next pass overwrites them. Returns None if the decoder doesn't support all caches.

        Args:
            inputs: caches and next tokens of each session. The tokens are the rows of the pass.
        """
        sessions = [self._session_rows(caches, len(tokens)) for caches, tokens in inputs]
        if not all(session.is_plain for session in sessions):
            return None
        tokens_fed = np.array([token for _, tokens in inputs for token in tokens], np.int64)
        return self._run(tokens_fed, sessions, output_rows, has_logits=True)[1]

    def _run(
        self,
        rows: Array,
        sessions: Sequence[SessionRows],
        output_rows: Sequence[int],
        has_logits: bool,
    ) -> tuple[Array, Array | None]:
        layers = len(self._shapes)
        if len(sessions[0].caches) > layers:  # the model runs its layers several times
            run, other_sessions = (
                [
                    self._session_rows(session.caches[part], session.token_count)
                    for session in sessions
                ]
                for part in (slice(layers), slice(layers, None))
            )
            rows, _ = self._run(rows, run, range(len(rows)), has_logits=False)
            return self._run(rows, other_sessions, output_rows, has_logits)
        reserved = [self._reserve(session) for session in sessions]
        segments = reserved[0] if len(reserved) == 1 else np.concatenate(reserved, axis=1)
        spans, row, first = [], 0, 0
        for (caches, count, *_), segment in zip(sessions, reserved, strict=True):
            spans.append((row, count, caches[0].offset, first, segment.shape[1]))
            row, first = row + count, first + segment.shape[1]
        outputs = self._decoder.step(
            rows, np.array(spans, SPAN), segments.view(SEGMENT)[..., 0], output_rows, has_logits
        )
        for caches, count, *_ in sessions:
            end = caches[0].offset + count
            for cache in caches:
                cache.offset = end
        return outputs

    def _reserve(self, session: SessionRows) -> Array:
        caches, count, _, is_current = session
        if not is_current:
            for cache in caches:
                _convert_to_float16(cache)
            self._arrays[caches[0]] = _SessionArrays(self._shapes, caches)
        return self._arrays[caches[0]].reserve(caches, count)


class _Field(enum.IntEnum):
    """Fields of a segment, in the order of `SEGMENT`."""

    KEYS, VALUES, HEAD_STRIDE, TOKEN_STRIDE, POSITION, COUNT = range(6)


class _SessionArrays:
    """Addresses of a session's keys and values, and the position of the decoder's last write.

    The decoder only writes to arrays that MLX has copied for an earlier write, and only after the
    positions in use. After a fork, both sessions share the memory, but they only read the
    positions written before the fork. When the fork (or a session that was rolled back) first
    writes, MLX copies the array.
    """

    def __init__(self, shapes: Sequence[tuple[int, int]], caches: Sequence[Any]) -> None:
        self._shapes = shapes
        self._keys: list[mx.array] = []
        self._values: list[mx.array] = []
        count = 1 + isinstance(caches[0], SharedPrefixKV)
        self._segments = np.zeros((len(caches), count, len(_Field)), np.int64)
        # Number of allocated positions in each layer.
        self._capacity = np.zeros(len(caches), np.int64)
        self._full_at = 0  # minimum of `_capacity`
        self._end = -1  # position after the last written token

    def is_current(self, caches: Sequence[Any]) -> bool:
        """Return True if nothing has changed the caches since the decoder's last write.

        Other code writes to all layers in order, so checking the first and last layer is enough.
        """
        first, last = caches[0], caches[-1]
        return (
            len(caches) == len(self._keys)
            and first.offset == last.offset == self._end
            and first.keys is self._keys[0]
            and first.values is self._values[0]
            and last.keys is self._keys[-1]
            and last.values is self._values[-1]
            # MLX moves an array to a new buffer when it writes to it.
            and address_of(first.keys) == self._segments[0, -1, _Field.KEYS]
        )

    def reserve(self, caches: Sequence[Any], count: int) -> Array:
        """Make room for `count` more tokens, and return the segments of all layers."""
        self._end = caches[0].offset + count
        if self._full_at < self._end:
            layers = self._layers_to_grow(caches)
            for layer in layers:
                room = max(self._end, int(self._capacity[layer]) + 1) - caches[layer].offset
                _reserve(caches[layer], room, self._shapes[layer])
            mx.eval([(caches[layer].keys, caches[layer].values) for layer in layers])
            for layer in layers:
                self._segments[layer], self._capacity[layer] = _segments_of(caches[layer])
            self._full_at = int(self._capacity.min())
            self._keys = [cache.keys for cache in caches]
            self._values = [cache.values for cache in caches]
        last = self._segments[:, -1]
        last[:, _Field.COUNT] = self._end - last[0, _Field.POSITION]
        return self._segments

    def _layers_to_grow(self, caches: Sequence[Any]) -> list[int]:
        """Return the layers that are full. Unless the arrays are large, include layers that will
        soon be full.

        Growing each layer separately would wake up MLX's threads every time.
        """
        soon: list[int] = np.nonzero(self._capacity < self._end + EARLY_TOKENS)[0].tolist()
        arrays = [array for layer in soon for array in (caches[layer].keys, caches[layer].values)]
        if sum(array.nbytes for array in arrays if array is not None) <= MAX_EARLY_BYTES:
            return soon
        full: list[int] = np.nonzero(self._capacity < self._end)[0].tolist()
        return full


def _reserve(cache: Any, count: int, shape: tuple[int, int]) -> None:
    heads, width = shape
    start = cache.offset
    # Don't share an array between keys and values: if an array fills the whole cache, MLX uses it
    # without copying it.
    keys, values = (mx.zeros((1, heads, count, width), KV_DTYPE) for _ in range(2))
    cache.update_and_fetch(keys, values)
    cache.offset = start


def _convert_to_float16(cache: Any) -> None:
    if cache.keys is not None and cache.keys.dtype != KV_DTYPE:
        cache.keys, cache.values = cache.keys.astype(KV_DTYPE), cache.values.astype(KV_DTYPE)


def _segments_of(cache: Any) -> tuple[Any, int]:
    """Return a cache's segments (the count of the last segment isn't set) and its capacity."""
    segments, start = [], 0
    if isinstance(cache, SharedPrefixKV):
        start, prefix = cache.base, cache.shared_prefix
        arrays = prefix.keys[cache.layer], prefix.values[cache.layer]
        segments.append((*_pair_layout(*arrays), 0, start))
    segments.append((*_pair_layout(cache.keys, cache.values), start, 0))
    return segments, start + int(cache.keys.shape[2])


def _pair_layout(keys: mx.array, values: mx.array) -> tuple[int, int, int, int]:
    """Return the addresses of keys and values, and their head and token strides in float16
    units.
    """
    (key, *key_strides), (value, *value_strides) = _array_layout(keys), _array_layout(values)
    if key_strides != value_strides:
        raise ValueError("keys and values differ in their strides")
    return key, value, key_strides[0], key_strides[1]


def _array_layout(array: mx.array) -> tuple[int, int, int]:
    """Return an evaluated array's address, and its head and token strides in float16 units."""
    view = np.array(array, copy=False)
    _, heads, tokens, numbers = view.strides
    if numbers != 2:
        raise ValueError(f"keys with strides {view.strides}")
    return address_of(array), heads // 2, tokens // 2


@functools.cache
def _plain_cache_types() -> tuple[type[Any], ...]:
    # Imported here because of `backend.preserved_file_limit`.
    from mlx_lm.models.cache import KVCache

    return KVCache, SharedPrefixKV


def _is_plain(caches: Sequence[Any]) -> bool:
    kinds = {type(cache) for cache in caches}
    if len(kinds) > 1 or not kinds <= set(_plain_cache_types()):
        return False
    return len({cache.offset for cache in caches}) == 1 and all(map(_has_keys, caches))


def _has_keys(cache: Any) -> bool:
    """Return True if a cache has its keys. They are missing while the session is in a slot."""
    if isinstance(cache, SharedPrefixKV) and cache.shared_prefix.keys[0].dtype != KV_DTYPE:
        return False
    return cache.keys is not None or bool(cache.offset == getattr(cache, "base", 0))


# ---------------------------------------------------------------- detection and installation


def install(net: Any, library: Library) -> bool:
    """Replace a model's packed layers with a decoder if possible."""
    for body in list(_find_bodies(net)):
        for owner in (net, None) if _is_owner(net, body) else (None,):
            try:
                if _matches_body(net, body, owner, library):
                    plain = _build_decoder(net, body, owner, library)
                    _replace(body, plain)
                    if owner is not None:
                        vars(owner)["plain"] = plain
                    return True
            except Exception as error:  # unusual models may raise any exception
                log.debug("unsupported layers: %s: %s", type(error).__name__, error)
    return False


def _replace(body: Any, plain: PlainDecoder) -> Callable[[], None]:
    vars(body)["plain"] = plain
    return mix_in(_PlainBody, [body])


def _matches_body(net: Any, body: Any, owner: Any, library: Library) -> bool:
    from mlx_lm.models.cache import make_prompt_cache

    layers = list(body.layers)
    kinds = {_layer_kind(layer): layer for layer in layers}
    # Some models run their layers several times, each time with separate caches. Errors add up.
    runs, rest = divmod(len(make_prompt_cache(net)), len(layers))
    if len(kinds) > MAX_KINDS or rest:
        return False
    body.layers = list(kinds.values())

    def by_model(tokens: list[int], caches: list[Any]) -> Any:
        return (body if owner is None else owner)(mx.array([tokens]), cache=caches)

    def by_decoder(tokens: list[int], caches: list[Any]) -> Any:
        return plain.logits([(caches, tokens)], range(len(tokens)))

    def caches() -> Any:
        return make_prompt_cache(net)[: runs * len(kinds)]

    try:
        expected = _sample_outputs(body, by_model, caches(), rounds=True)
        plain = _build_decoder(net, body, owner, library)
        undo = _replace(body, plain)
        try:
            outputs = _sample_outputs(body, by_model if owner is None else by_decoder, caches())
        finally:
            undo()
    finally:
        body.layers = layers
    deviations = [_difference(a, b) for a, b in zip(outputs, expected, strict=True)]
    log.debug("the decoder is off by %.2g", max(deviations))
    return all(deviation <= runs * TOLERANCE for deviation in deviations)  # False for NaN


def _layer_kind(layer: Any) -> tuple[Any, ...]:
    attention = layer.self_attn
    parts = [layer, layer.mlp, attention, *filter(None, [attention.get("rope")])]
    norms = tuple(float(module.eps) for module in layer.modules() if hasattr(module, "eps"))
    return (*map(_module_settings, parts), norms, *sorted(attention.children()))


def is_installed(net: Any) -> bool:
    return any(isinstance(module, _PlainBody) for module in net.modules())


def full_decoder(net: Any) -> PlainDecoder | None:
    """Return the decoder that computes logits from tokens by itself; None if a model has none."""
    decoder: PlainDecoder | None = vars(net).get("plain")
    if decoder is None or not decoder.vocabulary:
        return None
    return decoder if decoder.has_embeddings(net.model.embed_tokens) else None


def is_exact(net: Any) -> bool:
    """Return True if the logits of a row don't depend on the other rows of a pass, bit by bit."""
    bodies: list[Any] = [part for part in net.modules() if isinstance(part, _PlainBody)]
    inner = {id(part) for body in bodies for layer in body.layers for part in layer.modules()}
    inner |= {id(body.norm) for body in bodies}
    outer = [part for part in net.modules() if id(part) not in inner and _has_arrays(part)]
    heads = {part.matrix.outputs for part in outer if isinstance(part, PackedLinear)}
    return len(bodies) == 1 and all(
        isinstance(part, (PackedLinear, PackedEmbedding))
        or (type(part) is nn.Embedding and part.weight.shape[0] in heads)
        for part in outer
    )


def _has_arrays(module: Any) -> bool:
    items = module.items()
    return any(isinstance(part, mx.array) for name, part in items if not name.startswith("_"))


def uninstall_changed(net: Any) -> None:
    """Undo `install` for modules whose parts have changed, e.g. by an adapter."""
    if full_decoder(net) is not None and _head_of(net) is None:
        del vars(net)["plain"]
    for body in [part for part in net.modules() if isinstance(part, _PlainBody)]:
        if not all(map(_has_usual_parts, body.layers)):
            body.__class__ = type(body).__mro__[2]
            for module in (net, body):
                vars(module).pop("plain", None)


_SIGNATURES = (["inputs", "cache"], ["inputs", "cache", "input_embeddings"])


def _find_bodies(net: Any) -> Iterator[Any]:
    for module in net.modules():
        layers = module.get("layers")
        if (
            isinstance(layers, list)
            and layers
            and _child_names(module) == {"embed_tokens", "layers", "norm"}
            and _parameters(module) in _SIGNATURES
            and all(map(_has_usual_parts, layers))
            and all(map(_is_called_as_usual, layers))
        ):
            yield module


def _is_owner(net: Any, body: Any) -> bool:
    """Return True if a model may consist of only the body and an output head.

    Return False for models with capped logits, because MLX's cap is rounded differently.
    """
    return (
        net.get("model") is body
        and _parameters(net) in _SIGNATURES
        and _child_names(net) <= {"model", "lm_head"}
        and _head_of(net) is not None
        and not getattr(net, "final_logit_softcapping", None)
    )


def _head_of(owner: Any) -> Any:
    head = owner.get("lm_head", owner.model.embed_tokens)
    return head if isinstance(head, (PackedLinear, PackedEmbedding)) else None


def _parameters(module: Any) -> list[str]:
    return list(inspect.signature(module).parameters)


def _child_names(module: Any) -> set[str]:
    parts = module.children().items()
    return {
        name
        for name, part in parts
        if isinstance(part, nn.Module) or any(isinstance(member, nn.Module) for member in part)
    }


class _Norms(NamedTuple):
    attention: str | None
    attention_post: str | None
    mlp: str | None
    mlp_post: str | None


_NORMS = {
    frozenset(filter(None, norms)): norms
    for norms in (
        _Norms("input_layernorm", None, "post_attention_layernorm", None),
        _Norms(
            *("input_layernorm", "post_attention_layernorm"),
            *("pre_feedforward_layernorm", "post_feedforward_layernorm"),
        ),
        _Norms(
            *("input_layernorm", "post_self_attn_layernorm"),
            *("post_attention_layernorm", "post_mlp_layernorm"),
        ),
        _Norms(None, "post_attention_layernorm", None, "post_feedforward_layernorm"),
    )
}

_QUERY_KEY_VALUE = (("q_proj", "k_proj", "v_proj"), ("qkv_proj",))
_GATE_UP = (("gate_proj", "up_proj"), ("gate_up_proj",))
_HEAD_NORMS = {"q_norm", "k_norm"}
_COUNTS = (  # attribute names for the number of heads and key heads
    ("n_heads", "n_kv_heads"),
    ("num_attention_heads", "num_key_value_heads"),
    ("num_heads", "num_key_value_heads"),
)


def _has_usual_parts(layer: Any) -> bool:
    if not isinstance(layer, nn.Module):
        return False
    attention, mlp = layer.get("self_attn"), layer.get("mlp")
    if attention is None or mlp is None:
        return False
    inputs, outputs = (
        _projection_names(attention, _QUERY_KEY_VALUE),
        _projection_names(mlp, _GATE_UP),
    )
    norms = frozenset(layer.children()) - {"self_attn", "mlp"}
    head_norms = set(attention.children()) - {*inputs, "o_proj", "rope"}
    linears = [attention.get(name) for name in (*inputs, "o_proj")]
    linears += [mlp.get(name) for name in (*outputs, "down_proj")]
    return (
        norms in _NORMS
        and set(mlp.children()) == {*outputs, "down_proj"}
        and head_norms in (set(), _HEAD_NORMS)
        and all(isinstance(part, PackedLinear) for part in linears)
    )


def _is_called_as_usual(layer: Any) -> bool:
    """Return True if a layer takes no extra arguments, e.g. a scaling factor for long chats."""
    return {*_parameters(layer), *_parameters(layer.self_attn)} == {"x", "mask", "cache"}


def _projection_names(module: Any, candidates: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return next((names for names in candidates if all(name in module for name in names)), ())


def _build_decoder(net: Any, body: Any, owner: Any, library: Library) -> PlainDecoder:
    rotations: dict[Any, Rotation] = {}
    layers = [_layer_parts(layer, rotations) for layer in body.layers]
    head = None if owner is None else _head_of(owner).matrix
    epsilon = float(body.norm.eps)
    table, scale = body.embed_tokens, _embedding_scale(net, body)
    packed = table.matrix if isinstance(table, PackedEmbedding) else None
    norm = _norm_scale(body.norm)
    decoder = Decoder(library, layers, norm, epsilon, head, packed, scale)
    shapes = [(parts.key_heads, parts.head_width) for parts in layers]
    return PlainDecoder(decoder, shapes, packed is not None)


def _layer_parts(layer: Any, rotations: dict[Any, Rotation]) -> LayerParts:
    attention, mlp = layer.self_attn, layer.mlp
    norms = _NORMS[frozenset(layer.children()) - {"self_attn", "mlp"}]
    heads, key_heads = next(
        (int(vars(attention)[a]), int(vars(attention)[b]))
        for a, b in _COUNTS
        if a in vars(attention)
    )
    width = attention.o_proj.matrix.inputs // heads
    rope = attention.get("rope")
    kind = width, None if rope is None else _module_settings(rope)
    if kind not in rotations:
        rotations[kind] = _build_rotation(rope, width)
    has_norms = "q_norm" in attention
    before, after, mlp_before, mlp_after = (
        None if name is None else _norm_scale(layer[name]) for name in norms
    )
    first_norm = layer[norms.attention or norms.attention_post]
    return LayerParts(
        *(heads, key_heads, width, rotations[kind]),
        *(float(attention.scale), float(first_norm.eps)),
        *(before, mlp_before),
        [attention[name].matrix for name in _projection_names(attention, _QUERY_KEY_VALUE)],
        attention.o_proj.matrix,
        [mlp[name].matrix for name in _projection_names(mlp, _GATE_UP)],
        mlp.down_proj.matrix,
        attention_post_norm=after,
        mlp_post_norm=mlp_after,
        query_norm=_norm_scale(attention.q_norm) if has_norms else None,
        key_norm=_norm_scale(attention.k_norm) if has_norms else None,
        head_epsilon=float(attention.q_norm.eps) if has_norms else 0.0,
        score_cap=float(getattr(attention, "attn_logit_softcapping", None) or 0.0),
        is_gelu=_is_gelu(mlp),
    )


def _norm_scale(norm: Any) -> Array:
    """Return the scale of an RMS norm: its weight, or weight + 1 in some models."""
    if norm.weight.dtype != mx.float32:
        raise ValueError(f"norms in {norm.weight.dtype}")
    x = np.sin(np.arange(norm.weight.size, dtype=np.float32)) + 1  # numpy.random loads slowly
    normed = x / np.sqrt(np.square(x).mean() + norm.eps)
    scaled = np.array(norm(mx.array(x)))
    for weight in (np.array(norm.weight), np.array(norm.weight) + 1):
        if np.allclose(normed * weight, scaled, rtol=1e-4, atol=1e-5):
            return weight
    raise ValueError(f"unsupported norm {type(norm).__name__}")


def _is_gelu(mlp: Any) -> bool:
    """Return True if a gated MLP uses GELU (tanh approximation), and False for SiLU."""
    gate = mx.linspace(-8, 8, 64)[None]
    ones = mx.ones(gate.shape)
    replaced = {
        "gate_proj": lambda x: x,
        "up_proj": lambda _: ones,
        "down_proj": lambda x: x,
        "gate_up_proj": lambda x: mx.concatenate([x, ones], axis=-1),
    }
    vars(mlp).update(replaced)  # attributes take precedence over layers
    try:
        activation = np.array(mlp(gate))
    finally:
        for name in replaced:
            del vars(mlp)[name]
    for is_gelu, function in ((False, nn.silu), (True, nn.gelu_approx)):
        if np.allclose(activation, np.array(function(gate)), atol=1e-5):
            return is_gelu
    raise ValueError("unsupported activation")


class _InputRecorder:
    def __call__(self, x: mx.array, *_: Any, **__: Any) -> mx.array:
        vars(self).setdefault("given", x)
        return x


def _embedding_scale(net: Any, body: Any) -> float:
    """Measure the factor that a body multiplies embeddings by."""
    from mlx_lm.models.cache import make_prompt_cache

    layers, tokens = body.layers, mx.array([[3, 1, 2]])
    first = layers[0]
    body.layers = [first]
    undo = mix_in(_InputRecorder, [first])
    try:
        body(tokens, cache=make_prompt_cache(net))
        embedded = np.array(vars(first).pop("given"))
    finally:
        undo()
        body.layers = layers
    embeddings = np.array(body.embed_tokens(tokens))
    largest = int(np.abs(embeddings).argmax())
    scale = float(embedded.flat[largest] / embeddings.flat[largest])
    if not np.allclose(embeddings * scale, embedded, rtol=1e-4, atol=1e-6):
        raise ValueError("unsupported embeddings")
    return 1.0 if abs(scale - 1) < 1e-5 else scale


def _module_settings(module: Any) -> tuple[Any, ...]:
    both = {**vars(module), **module}
    plain = (str, int, float, bool, type(None))
    settings = {name: value for name, value in both.items() if isinstance(value, plain)}
    arrays = {
        name: repr(array.tolist())
        for name, array in both.items()
        if isinstance(array, mx.array) and array.size <= 1024
    }
    return type(module), tuple(sorted(settings.items(), key=str)), tuple(sorted(arrays.items()))


def _build_rotation(rope: Any, width: int) -> Rotation:
    if rope is None:
        return Rotation(lambda _, count: (np.empty((count, 0)), np.empty((count, 0))), 0)
    rotated = int(getattr(rope, "dims", width))
    is_interleaved = bool(getattr(rope, "traditional", False))
    half = rotated // 2
    first_half = slice(0, rotated, 2) if is_interleaved else slice(0, half)
    second_half = slice(1, rotated, 2) if is_interleaved else slice(half, rotated)

    def part(first: int, count: int) -> tuple[Array, Array]:
        ones = np.zeros((1, 1, count, width), np.float32)
        ones[..., first_half] = 1
        turned = np.array(rope(mx.array(ones), offset=first))[0, 0]
        return turned[:, first_half], turned[:, second_half]

    for tried_position in _TRIED_AT:
        first = max(0, tried_position - 256)
        cosines, sines = part(first, 512)
        for position in (tried_position - 1, tried_position):
            head = np.sin(np.arange(width, dtype=np.float32) + position)[None, None, None]
            expected = np.array(rope(mx.array(head), offset=position))[0, 0, 0]
            actual, at = head[0, 0, 0].copy(), position - first
            a, b = actual[first_half].copy(), actual[second_half].copy()
            actual[first_half] = a * cosines[at] - b * sines[at]
            actual[second_half] = a * sines[at] + b * cosines[at]
            if not np.allclose(actual, expected, atol=ROTATION_TOLERANCE):
                raise ValueError(f"a rotation without a table, at position {position}")
    return Rotation(part, rotated, is_interleaved)


def _sample_outputs(
    body: Any,
    run: Callable[[list[int], list[Any]], Any],
    caches: list[Any],
    rounds: bool = False,
) -> list[Array]:
    """Return the outputs of a short prompt and two decode steps, followed by the keys.

    Args:
        run: called with tokens and caches; returns an output for each token.
        rounds: round keys and values as the decoder does.
    """
    rows = int(body.embed_tokens.weight.shape[0])
    if {type(cache) for cache in caches} != {_plain_cache_types()[0]}:
        raise ValueError("unsupported caches")
    if rounds:
        for cache in caches:
            _round_new_keys(cache)
    outputs = []
    for tokens in ([7, 3, 11, 2, 5], [1], [13]):
        outputs.append(np.array(run([t % rows for t in tokens], caches)))
    return [*outputs, np.array(caches[-1].keys[:, :, :7])]


def _round_new_keys(cache: Any) -> None:
    update = cache.update_and_fetch

    def update_rounded(*arrays: mx.array) -> Any:
        return update(*(array.astype(KV_DTYPE).astype(array.dtype) for array in arrays))

    cache.update_and_fetch = update_rounded


def _difference(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / b.std())
