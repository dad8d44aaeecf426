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
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.model import cpu
from engine.model.cpu import onnx_graph
from engine.model.cpu.few_bits import (
    Array,
    Codes,
    Product,
    Session,
    apart,
    codes_of,
    cut,
    multiplied,
)
from engine.model.cpu.layers import Linear, Shared, as_mlx, hand_over, rows_of
from engine.model.cpu.onnx_graph import Graph
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
    """One decoder layer: two graphs, with attention between them.

    Before it a norm and the products to queries, keys and values; after it all the rest. The
    products can also be asked for alone, by who calls a layer's parts: each has an entrance of its
    own into its graph, whose rows come after those of the graph's own.

    Args:
        layer: mlx-lm's, whose linear layers are MLX's, of few bits.
        rotation: of its attention's rotary embedding.

    Attributes:
        products: what the linear layers give, those first that share an input.

    Raises:
        RuntimeError: onnxruntime does not take a matrix.
    """

    def __init__(self, layer: Any, rotation: Rotation) -> None:
        attention = layer.self_attn
        self.heads, self.key_heads = attention.n_heads, attention.n_kv_heads
        self.scale = np.float32(attention.scale)
        self.query_norm, self.key_norm = (
            Norm(attention[name]) if name in attention else None for name in ("q_norm", "k_norm")
        )
        self.rotation = rotation
        self.width = int(layer.input_layernorm.weight.size)
        self.given = self._before(layer)
        self.out, self.gate_and_up, self.down = self._after(layer)

    def _before(self, layer: Any) -> Shared:
        graph, matrices = Graph(), _codes(layer.self_attn, _QUERY_KEY_VALUE)
        normed = _norm(graph, "x", layer.input_layernorm)
        made = multiplied(graph, graph.add("Concat", normed, "given", axis=0), matrices)
        widths = [m.outputs for m in matrices]
        inputs = {"x": self.width, "given": self.width}
        self._first = Session(graph, inputs, _outputs(made, widths))
        self._made, self._widths = made, widths
        return Shared(Product(self._first, "given", made, self.width, widths))

    def _after(self, layer: Any) -> tuple[Shared, ...]:
        graph = Graph()
        rows, none = graph.add("Shape", "x", start=0, end=1), graph.keep(np.array([0]))
        inputs, outputs = {"x": self.width}, dict[str, int]()
        entrances: list[tuple[str, list[str], int, list[int]]] = []

        def product(x: str, module: Any, names: Sequence[str]) -> list[str]:
            """Of `x`, and of the rows of an entrance, which are cut off again."""
            matrices = _codes(module, names)
            widths, entrance = [m.outputs for m in matrices], names[0]
            made = multiplied(graph, graph.add("Concat", x, entrance, axis=0), matrices)
            inputs[entrance] = matrices[0].inputs
            outputs.update(_outputs(made, widths))
            entrances.append((entrance, made, matrices[0].inputs, widths))
            own = [cut(graph, name, none, rows) for name in made]
            if len(own) == len(widths):
                return own
            return graph.split("Split", len(widths), own[0], graph.keep(np.array(widths)), axis=1)

        inputs["attended"] = (
            layer.self_attn.o_proj.scales.shape[1] * layer.self_attn.o_proj.group_size
        )
        x = graph.add("Add", "x", *product("attended", layer.self_attn, ["o_proj"]))
        normed = _norm(graph, x, layer.post_attention_layernorm)
        gate, up = product(normed, layer.mlp, ["gate_proj", "up_proj"])
        gate = graph.add("QuickGelu", gate, domain=onnx_graph.MICROSOFT, alpha=1.0)  # SiLU
        x = graph.add("Add", x, *product(graph.add("Mul", gate, up), layer.mlp, ["down_proj"]))
        self._last, self._said = Session(graph, inputs, {**outputs, x: self.width}), x
        return tuple(
            Shared(Product(self._last, entrance, made, width, widths))
            for entrance, made, width, widths in entrances
        )

    def __call__(self, layer: Any, x: mx.array, mask: Any, cache: Any) -> mx.array:
        """What the layer gives for `x`, `[batch, tokens, width]`."""
        rows = rows_of(x, self.width)
        given = apart(self._first(self._made, x=rows), self._widths)
        held = _held(cache) if x.shape[1] == 1 and mask is None and cache is not None else []
        if held:
            attended = self._attend(given, held, cache)
        else:
            self.given.give(x, given)
            self.out.passing = True
            try:
                attended = rows_of(layer.self_attn(x, mask, cache), self.out.product.inputs)
            finally:
                self.out.passing = False
        return as_mlx(self._last([self._said], x=rows, attended=attended)[0], x)

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
        cpu.launch(_written(cache))
        return out.reshape(rows, -1)


_QUERY_KEY_VALUE = ("q_proj", "k_proj", "v_proj")


def _codes(module: Any, names: Sequence[str]) -> list[Codes]:
    """The codes of linear layers that are given the same input.

    Raises:
        RuntimeError: one is in a format that cannot be taken.
    """
    found = [codes for name in names if (codes := codes_of(module[name])) is not None]
    if len(found) < len(names):
        raise RuntimeError("a format of few bits that onnxruntime has not")
    return found


def _norm(graph: Graph, x: str, module: Any) -> str:
    """Add a root mean square norm."""
    weight = np.array(module.weight.astype(mx.float32))
    return graph.add(
        *("SimplifiedLayerNormalization", x, graph.keep(weight)), axis=-1, epsilon=float(module.eps)
    )


def _outputs(made: list[str], widths: list[int]) -> dict[str, int]:
    """The names of matrices' outputs, which may be side by side, and how wide they are."""
    return dict(zip(made, widths if len(made) == len(widths) else [sum(widths)], strict=True))


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
    kept = _kept(cache)
    if kept is None:
        return []
    whole, rows = kept
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


def _kept(cache: Any) -> Any:
    """The buffers of a step's cache, and the caches that are in none; None where it has others."""
    if hasattr(cache, "buffers"):
        return cache.buffers()
    return [], getattr(cache, "rows", [cache])


def _written(cache: Any) -> list[mx.array]:
    """What a layer's cache keeps of a step's rows, which `_held` was about."""
    whole, rows = _kept(cache)
    parts = [*whole, *((row.keys, row.values) for row in rows)]
    return [array for part in parts for array in part[:2]]


# ---------------------------------------------------------------- finding them


class _Usual:
    """Mixed in before the class of a decoder layer."""

    block: Block

    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        return self.block(self, x, mask, cache)


def take(net: Any) -> Iterator[int]:
    """Let decoder layers of the usual kind compute by `Block`. Engine thread only.

    Yields the bytes of weights that were taken, layer by layer.
    """
    rotations: dict[Any, Rotation | None] = {}
    agreed: dict[Any, bool] = {}
    for _, layer in net.named_modules():
        if not _has_usual_parts(layer, nn.QuantizedLinear):
            continue
        attention = layer.self_attn
        key = _settings(attention.rope), attention.q_proj.scales.shape[0] // attention.n_heads
        if key not in rotations:
            rotations[key] = _rotation(attention.rope, key[1])
        rotation = rotations[key]
        kind = _settings(layer), _settings(attention), _settings(layer.mlp), key
        if rotation is None or not agreed.get(kind, True):
            continue
        try:
            block = Block(layer, rotation)
        except RuntimeError as error:
            log.debug("a decoder layer stays as it is: %s", error)
            agreed[kind] = False
            continue
        wanted = None if kind in agreed else _said(layer)
        size = _size(layer)
        undo = _hand_over(layer, block)
        if kind not in agreed:
            agreed[kind] = _same(wanted, _said(layer))
        if agreed[kind]:
            yield size
        else:
            undo()


def _size(layer: Any) -> int:
    """Bytes of a layer's weights of few bits."""
    both = (layer.self_attn, _ATTENTION), (layer.mlp, _MLP)
    return sum(module[name].weight.nbytes for module, names in both for name in names)


def _hand_over(layer: Any, block: Block) -> Callable[[], None]:
    """Let a layer and its linear layers compute by a block; returns a function that undoes it."""
    attention, mlp = layer.self_attn, layer.mlp
    groups = [
        (block.given, [attention[name] for name in _QUERY_KEY_VALUE]),
        (block.out, [attention.o_proj]),
        (block.gate_and_up, [mlp.gate_proj, mlp.up_proj]),
        (block.down, [mlp.down_proj]),
    ]
    before = [(linear, dict(linear)) for _, group in groups for linear in group]
    for shared, group in groups:
        hand_over(group, shared)
    vars(layer)["block"] = block
    give_back = mix_in(_Usual, [layer])

    def undo() -> None:
        give_back()
        del vars(layer)["block"]
        for linear, arrays in before:
            linear.__class__ = nn.QuantizedLinear
            dict.update(linear, arrays)
            del vars(linear)["few_bits"], vars(linear)["place"]

    return undo


def release(net: Any) -> None:
    """Give decoder layers back to the model's own code where their parts were changed since."""
    for _, layer in net.named_modules():
        if isinstance(layer, _Usual) and not _has_usual_parts(layer, Linear):
            layer.__class__ = type(layer).__mro__[2]
            del vars(layer)["block"]


_PARTS = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_ATTENTION = {*_QUERY_KEY_VALUE, "o_proj"}
_NORMS = {"q_norm", "k_norm"}
_MLP = {"gate_proj", "up_proj", "down_proj"}


def _has_usual_parts(layer: Any, linear: type[Any]) -> bool:
    """Whether a module has the parts of a decoder layer, and no others.

    Args:
        linear: what its linear layers are.
    """
    if set(layer.children()) != _PARTS or not _is_called_as_usual(layer):
        return False
    attention, mlp = layer.self_attn, layer.mlp
    norms = set(attention.children()) - _ATTENTION - {"rope"}
    linears = [attention.get(name) for name in _ATTENTION] + [mlp.get(name) for name in _MLP]
    root_mean_squares = [layer.input_layernorm, layer.post_attention_layernorm]
    root_mean_squares += [attention[name] for name in norms & _NORMS]
    return (
        set(mlp.children()) == _MLP
        and norms in (set(), _NORMS)
        and "rope" in attention
        and all(isinstance(part, linear) for part in linears)
        and all(type(norm) is nn.RMSNorm for norm in root_mean_squares)
        and all(hasattr(attention, name) for name in ("n_heads", "n_kv_heads", "scale"))
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


def _said(layer: Any) -> list[Array] | None:
    """What a layer says of a prompt and of two tokens after it, and what it writes of them.

    None where it raises.
    """
    width, random = int(layer.input_layernorm.weight.size), np.random.default_rng(0)
    prompt, token = (
        mx.array(random.standard_normal((1, count, width), np.float32)) for count in (5, 1)
    )
    cache = _plain_cache()()
    try:
        said = [np.array(layer(prompt, "causal", cache))]
        said += [np.array(layer(token, None, cache)) for _ in range(2)]
        return [*said, np.array(cache.keys[:, :, :7])]
    except Exception as error:  # whatever a model raises
        log.debug("a decoder layer of another kind: %s", error)
        return None


def _same(wanted: list[Array] | None, found: list[Array] | None) -> bool:
    """Whether a layer says the same by its block."""
    if wanted is None or found is None:
        return False
    off = max(
        float(np.abs(a - b).max() / a.std()) if a.shape == b.shape else np.inf
        for a, b in zip(wanted, found, strict=True)
    )
    if not off <= TOLERANCE:
        log.debug("a decoder layer of another kind: off by %.2g", off)
    return off <= TOLERANCE
