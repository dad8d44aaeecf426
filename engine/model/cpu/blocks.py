"""Decoder layers of the usual kind, computed by numpy and `few_bits`.

A decoder layer is two norms, four products, attention and a gate. MLX takes some thirty operations
for it, each of which costs microseconds to dispatch, and every product of few bits waits for the
operations before it: of 11 ms that a step of a 135M model took, 4 were products. Here numpy does
what lies between them, on numbers that are there, and attention of the rows that decode as well.
What is written into caches is MLX's, in the same objects, and is launched and not waited for.

A layer is of the usual kind if it has the usual parts and says the same as it did: `take` tries it.
Everything else, prompts' attention among it, is the model's own code.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.model import cpu
from engine.model.cpu.few_bits import Array
from engine.model.cpu.layers import Linear, as_mlx, rows_of
from engine.model.patches.module_classes import mix_in

log = logging.getLogger(__name__)

TOLERANCE = 1e-3
"""How far a layer may be off what it said before, in its outputs' standard deviation."""

_POSITIONS = 512
"""For how many positions rotations are made at once."""


class Held(NamedTuple):
    """What a buffer holds of some rows of a step, before the step's own token.

    Attributes:
        keys, values: `[slots * key heads, room, width]` or the same in four axes.
        lengths: tokens of each row; a row's slot is its place here.
    """

    keys: mx.array
    values: mx.array
    lengths: tuple[int, ...]


class Rotation:
    """What a model's rotary embedding does to the two halves of a head, as a table by position.

    Args:
        rope: the model's module.
        width: of a head.
    """

    def __init__(self, rope: Any, width: int) -> None:
        self._rope, self._width = rope, width
        self._cos = self._sin = np.empty((0, width // 2), np.float32)

    def table(self, positions: Sequence[int]) -> tuple[Array, Array]:
        """Cosines and sines `[positions, 1, width / 2]`."""
        if max(positions) >= len(self._cos):
            self._grow(max(positions) + 1)
        at = list(positions)
        return self._cos[at, None], self._sin[at, None]

    def _grow(self, wanted: int) -> None:
        first, half = len(self._cos), self._width // 2
        count = -(-(wanted - first) // _POSITIONS) * _POSITIONS
        one = mx.concatenate([mx.ones((1, 1, count, half)), mx.zeros((1, 1, count, half))], axis=-1)
        turned = np.array(self._rope(one, offset=first))[0, 0]
        self._cos = np.concatenate([self._cos, turned[:, :half]])
        self._sin = np.concatenate([self._sin, turned[:, half:]])


def rotated(x: Array, cos: Array, sin: Array) -> Array:
    """Heads `[rows, heads, width]` turned to their rows' positions."""
    half = x.shape[-1] // 2
    left, right = x[..., :half], x[..., half:]
    out = np.empty_like(x)
    np.subtract(left * cos, right * sin, out=out[..., :half])
    np.add(left * sin, right * cos, out=out[..., half:])
    return out


class Norm:
    """A root mean square norm."""

    def __init__(self, module: Any) -> None:
        self._weight = np.array(module.weight.astype(mx.float32))
        self._eps = np.float32(module.eps)

    def __call__(self, x: Array) -> Array:
        scale = np.square(x).sum(-1, keepdims=True)
        scale *= np.float32(1 / x.shape[-1])
        scale += self._eps
        np.sqrt(scale, out=scale)
        out: Array = x / scale
        out *= self._weight
        return out


class Block:
    """The parts of one decoder layer.

    Args:
        layer: mlx-lm's, whose linear layers compute by `few_bits` already.
        rotation: of its attention's rotary embedding.

    Attributes:
        last: nothing is written into caches after it in a pass.
    """

    def __init__(self, layer: Any, rotation: Rotation) -> None:
        attention, mlp = layer.self_attn, layer.mlp
        self.before, self.between = (
            Norm(layer.input_layernorm),
            Norm(layer.post_attention_layernorm),
        )
        self.heads, self.key_heads = attention.n_heads, attention.n_kv_heads
        self.scale = np.float32(attention.scale)
        self.query_norm, self.key_norm = (
            Norm(attention[name]) if name in attention else None for name in ("q_norm", "k_norm")
        )
        self.rotation = rotation
        self.keys_and_queries = attention.q_proj.few_bits
        self.out = attention.o_proj.few_bits
        self.gate_and_up = mlp.gate_proj.few_bits
        self.down = mlp.down_proj.few_bits
        self.last = False

    def __call__(self, layer: Any, x: mx.array, mask: Any, cache: Any) -> mx.array:
        """What the layer gives for `x`, `[batch, tokens, width]`."""
        rows = rows_of(x, self.before_width)
        given = self.keys_and_queries.product(self.before(rows))
        held = _held(cache) if x.shape[1] == 1 and mask is None and cache is not None else []
        if held:
            attended = self._attend(given, held, cache)
        else:
            self.keys_and_queries.give(x, given)
            self.out.passing = True
            try:
                attended = rows_of(layer.self_attn(x, mask, cache), self.out.product.inputs)
            finally:
                self.out.passing = False
        rows = rows + self.out.product(attended)[0]
        gate, up = self.gate_and_up.product(self.between(rows))
        rows += self.down.product(gated(gate, up))[0]
        return as_mlx(rows, x)

    @property
    def before_width(self) -> int:
        return int(self.keys_and_queries.product.inputs)

    def _attend(self, given: list[Array], held: Sequence[Held], cache: Any) -> Array:
        """Attention of one query a row, which is written into the caches too."""
        rows = len(given[0])
        queries, keys, values = (
            array.reshape(rows, heads, -1)
            for array, heads in zip(
                given, (self.heads, self.key_heads, self.key_heads), strict=True
            )
        )
        if self.query_norm is not None and self.key_norm is not None:
            queries, keys = self.query_norm(queries), self.key_norm(keys)
        table = self.rotation.table([length for part in held for length in part.lengths])
        queries, keys = rotated(queries, *table) * self.scale, rotated(keys, *table)
        out, first = np.empty_like(queries), 0
        for part in held:
            last = first + len(part.lengths)
            some = slice(first, last)
            out[some] = attend(queries[some], keys[some], values[some], part)
            first = last
        cache.update_and_fetch(mx.array(keys[:, :, None]), mx.array(values[:, :, None]))
        _launch(cache, self.last)
        return out.reshape(rows, -1)


def gated(gate: Array, up: Array) -> Array:
    """`silu(gate) * up`; what is in `gate` is lost."""
    with np.errstate(over="ignore"):  # for a gate far below zero: divided by infinity it is zero
        sigmoid = np.exp(-gate)
    sigmoid += 1
    np.divide(gate, sigmoid, out=gate)
    gate *= up
    return gate


def attend(queries: Array, keys: Array, values: Array, held: Held) -> Array:
    """Attention of rows to what a buffer holds of each, and to the row's own new token.

    Args:
        queries: `[rows, heads, width]`, scaled.
        keys, values: of the new tokens, `[rows, key heads, width]`.

    Returns:
        `[rows, heads, width]`.
    """
    rows, heads, width = queries.shape
    shared, longest = keys.shape[1], max(held.lengths)
    # The buffers are not written while these views live: see `Block._attend`.
    old_keys, old_values = (
        np.array(a, copy=False).reshape(-1, shared, a.shape[-2], a.shape[-1])[:rows, :, :longest]
        for a in (held.keys, held.values)
    )
    grouped = queries.reshape(rows, shared, heads // shared, width)
    scores = np.empty((rows, shared, heads // shared, longest + 1), np.float32)
    np.matmul(grouped, old_keys.swapaxes(-1, -2), out=scores[..., :longest])
    np.einsum("rhgw,rhw->rhg", grouped, keys, out=scores[..., longest])
    if min(held.lengths) < longest:
        empty = np.arange(longest) >= np.array(held.lengths)[:, None]
        np.copyto(scores[..., :longest], -np.inf, where=empty[:, None, None])
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    out = scores[..., :longest] @ old_values
    out += scores[..., longest:] * values[:, :, None]
    out /= scores.sum(-1, keepdims=True)
    joined: Array = out.reshape(rows, heads, -1)
    return joined


def _held(cache: Any) -> list[Held]:
    """What a step's cache holds of its rows; nothing where it keeps other than plain keys."""
    if hasattr(cache, "buffers"):
        whole, rows = cache.buffers()
    else:
        whole, rows = [], getattr(cache, "rows", [cache])
    if not all(type(row) is _plain_cache() and row.offset for row in rows):
        return []
    found = [Held(*part) for part in whole]
    found += [Held(row.keys, row.values, (row.offset,)) for row in rows]
    return found if all(part.keys.dtype == mx.float32 for part in found) else []


@functools.cache
def _plain_cache() -> type[Any]:
    from mlx_lm.models.cache import KVCache  # not at the top: see `importing.file_limit_kept`

    plain: type[Any] = KVCache
    return plain


def _launch(cache: Any, last: bool) -> None:
    """Have what was written into a layer's cache computed, all layers' at once if that can be."""
    rows = getattr(cache, "rows", [cache])
    written = [a for row in rows if row.keys is not None for a in (row.keys, row.values)]
    if hasattr(cache, "buffers"):
        written += [a for part in cache.buffers()[0] for a in part[:2]]
    memo = cpu.memo()
    waiting = memo.setdefault("written", [])
    waiting += written
    if last or not cpu.engaged_here():
        mx.async_eval(waiting)  # type: ignore[no-untyped-call]
        waiting.clear()


# ---------------------------------------------------------------- finding them


class _Usual:
    """Mixed in before the class of a decoder layer."""

    block: Block

    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        return self.block(self, x, mask, cache)


def take(net: Any) -> Iterator[None]:
    """Let decoder layers of the usual kind compute by `Block`. Engine thread only."""
    layers = [m for _, m in net.named_modules() if _has_usual_parts(m)]
    rotations: dict[Any, Rotation | None] = {}
    tried: dict[Any, bool] = {}
    taken = []
    for layer in layers:
        attention = layer.self_attn
        width = attention.q_proj.few_bits.product.outputs[0] // attention.n_heads
        key = _settings(attention.rope), width
        if key not in rotations:
            rotations[key] = _rotation(attention.rope, width)
        rotation = rotations[key]
        if rotation is None:
            continue
        block = Block(layer, rotation)
        kind = _settings(layer), _settings(attention), _settings(layer.mlp), key
        if kind not in tried:
            tried[kind] = _agrees(layer, block)
            yield
        if tried[kind]:
            vars(layer)["block"] = block
            taken.append(layer)
    if taken:
        taken[-1].block.last = True
    mix_in(_Usual, taken)


def release(net: Any) -> None:
    """Give decoder layers back to the model's own code where their parts were changed since."""
    for _, layer in net.named_modules():
        if isinstance(layer, _Usual) and not _has_usual_parts(layer):
            layer.__class__ = type(layer).__mro__[2]
            del vars(layer)["block"]


_PARTS = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_ATTENTION = {"q_proj", "k_proj", "v_proj", "o_proj", "rope"}
_NORMS = {"q_norm", "k_norm"}
_MLP = {"gate_proj", "up_proj", "down_proj"}


def _has_usual_parts(layer: Any) -> bool:
    """Whether a module has the parts of a decoder layer, and no others."""
    if set(layer.children()) != _PARTS or not _is_called_as_usual(layer):
        return False
    attention, mlp = layer.self_attn, layer.mlp
    norms = set(attention.children()) - _ATTENTION
    linears = [attention.get(name) for name in ("q_proj", "k_proj", "v_proj", "o_proj")]
    linears += [mlp.get(name) for name in _MLP]
    root_mean_squares = [layer.input_layernorm, layer.post_attention_layernorm]
    root_mean_squares += [attention[name] for name in norms & _NORMS]
    return (
        set(mlp.children()) == _MLP
        and norms in (set(), _NORMS)
        and all(isinstance(linear, Linear) for linear in linears)
        and all(type(norm) is nn.RMSNorm for norm in root_mean_squares)
        and all(hasattr(attention, name) for name in ("n_heads", "n_kv_heads", "scale"))
        and attention.q_proj.few_bits is attention.v_proj.few_bits
        and len(attention.q_proj.few_bits.product.outputs) == 3
        and mlp.gate_proj.few_bits is mlp.up_proj.few_bits
    )


def _is_called_as_usual(layer: Any) -> bool:
    call = inspect.signature(layer.__call__).parameters
    return list(call) == ["x", "mask", "cache"]


def _settings(module: Any) -> tuple[Any, ...]:
    """What tells two modules of a kind apart, arrays and modules aside."""
    both = {**vars(module), **module}
    plain = (str, int, float, bool, type(None))
    own = {name: value for name, value in both.items() if isinstance(value, plain)}
    arrays = {n: tuple(a.reshape(-1).tolist()) for n, a in both.items() if _is_small(a)}
    return type(module), tuple(sorted(own.items(), key=str)), tuple(sorted(arrays.items()))


def _is_small(value: Any) -> bool:
    return isinstance(value, mx.array) and value.size <= 1024


def _rotation(rope: Any, width: int) -> Rotation | None:
    """The table of a rotary embedding; None where it does something else."""
    made = Rotation(rope, width)
    try:
        for position in (0, 1, 77, 3000):
            heads = np.random.default_rng(position).standard_normal((1, 2, width), np.float32)
            wanted = np.array(rope(mx.array(heads)[:, :, None], offset=position))[:, :, 0]
            found = rotated(heads, *made.table([position]))
            if not np.allclose(found, wanted, atol=TOLERANCE):
                return None
    except Exception as error:  # whatever a module raises that is called otherwise
        log.debug("a rotary embedding of another kind: %s", error)
        return None
    return made


def _agrees(layer: Any, block: Block) -> bool:
    """Whether a layer says the same by its block: for a prompt, and for a token after it."""
    width = block.before_width
    random = np.random.default_rng(0)
    prompt, token = (
        mx.array(random.standard_normal((1, count, width), np.float32)) for count in (5, 1)
    )
    both: list[list[Array]] = []
    try:
        for call in (layer, lambda *given: block(layer, *given)):
            cache = _plain_cache()()
            said = [np.array(call(prompt, "causal", cache)), np.array(call(token, None, cache))]
            both.append([*said, np.array(call(token, None, cache)), np.array(cache.keys[:, :, :7])])
        pairs = list(zip(*both, strict=True))
        off = max(float(np.abs(a - b).max() / a.std()) for a, b in pairs)
    except Exception as error:  # whatever a model raises
        log.debug("a decoder layer of another kind: %s", error)
        return False
    if off > TOLERANCE:
        log.debug("a decoder layer of another kind: off by %.2g", off)
    return off <= TOLERANCE
