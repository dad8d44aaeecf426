"""Decoder layers of the usual kind, computed by onnxruntime as a whole.

A decoder layer is two norms, four products, attention and a gate. MLX takes some thirty operations
for it, each of which costs microseconds to dispatch, and every product of few bits waits for the
operations before it: of 11 ms that a step of a 135M model took, 4 were products. Here what lies
between them is in the products' graphs, and attention of the rows that decode is a graph as well.
What is written into caches is MLX's, in the same objects, and is launched and not waited for.

A layer is of the usual kind if it has the usual parts and says the same as it did: `take` tries it.
Everything else, prompts' attention among it, is the model's own code.
"""

from __future__ import annotations

import functools
import inspect
import logging
import math
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
    Format,
    Product,
    Session,
    apart,
    codes_of,
    cut,
    each,
    gated,
    multiplied,
    shapes_of,
)
from engine.model.cpu.layers import (
    TOLERANCE,
    Linear,
    Shared,
    as_mlx,
    hand_over,
    rows_of,
    same,
    taken,
)
from engine.model.cpu.onnx_graph import Graph, Shape
from engine.model.patches import mix_in

log = logging.getLogger(__name__)

_POSITIONS = 512  # for how many positions rotations are made at once

_TRIED_AT = (1, 77, 3000, *(2**n for n in range(10, 23)))
"""Where rotations are tried. Some depend on how long a chat is, once it is longer than the texts
of the training: those have no table."""


class Held(NamedTuple):
    """What a buffer holds of some rows of a step, before the step's own token."""

    # keys, values: `[slots * key heads, room, width]` or the same in four axes
    keys: mx.array
    values: mx.array
    lengths: tuple[int, ...]  # tokens of each row; a row's slot is its place here


class Rotation:
    """What a model's rotary embedding does to the two halves of a head, as a table by position.

    Args:
        rope: the model's module.
        width: of a head.

    Attributes:
        cos, sin: `[positions, width / 2]`.
    """

    def __init__(self, rope: Any, width: int) -> None:
        self._rope, self._half = rope, width // 2
        self.cos = self.sin = np.empty((0, self._half), np.float32)

    def reach(self, position: int) -> None:
        """Have the table as long as is needed for a position."""
        first = len(self.cos)
        if position < first:
            return
        count = -(-(position + 1 - first) // _POSITIONS) * _POSITIONS
        cos, sin = self.part(first, count)
        self.cos = np.concatenate([self.cos, cos])
        self.sin = np.concatenate([self.sin, sin])

    def part(self, first: int, count: int) -> tuple[Array, Array]:
        """Some positions of the table."""
        shape = (1, 1, count, self._half)
        one = mx.concatenate([mx.ones(shape), mx.zeros(shape)], axis=-1)
        turned = np.array(self._rope(one, offset=first))[0, 0]
        return turned[:, : self._half], turned[:, self._half :]


class Attention:
    """Attention of rows that decode, each to what a buffer holds of it and to its own new token.

    Args:
        module: mlx-lm's.
        width: of a head.

    Attributes:
        shared: how many key heads there are.
    """

    def __init__(self, module: Any, rotation: Rotation, width: int) -> None:
        self._rotation = rotation
        self._heads, self.shared = module.n_heads, module.n_kv_heads
        self._width = width
        graph = Graph()
        self._made = self._build(graph, float(module.scale))
        kept = (None, self.shared, None, width)
        inputs: dict[str, Shape] = {
            "x": (None, (self._heads + 2 * self.shared) * width),
            **dict.fromkeys(("keys", "values"), kept),
            **dict.fromkeys(("cos", "sin"), (None, width // 2)),
            "lengths": (None, 1),
            "places": (None,),
        }
        widths = [n * width for n in (self._heads, self.shared, self.shared)]
        outputs = {name: (None, size) for name, size in zip(self._made, widths, strict=True)}
        self._session = Session(graph, inputs, outputs)
        self._places = np.arange(_POSITIONS, dtype=np.float32)

    def _build(self, graph: Graph, scale: float) -> list[str]:
        """Names of what was attended, of new keys and of new values, `[rows, heads * width]`."""

        def sizes(*numbers: int) -> str:
            return graph.keep(np.array(numbers))

        def microsoft(operator: str, *inputs: str, **settings: int | float) -> str:
            return graph.add(operator, *inputs, domain=onnx_graph.MICROSOFT, **settings)

        shared, width, last = self.shared, self._width, sizes(3)
        parts = sizes((self._heads + shared) * width, shared * width)
        turning, values = graph.split("Split", 2, "x", parts, axis=1)
        turning = graph.add("Reshape", turning, sizes(-1, self._heads + shared, 1, width))
        position = graph.add("Cast", "lengths", to=onnx_graph.INT64)
        turned = microsoft("RotaryEmbedding", turning, position, "cos", "sin")
        queries, keys = graph.split("Split", 2, turned, sizes(self._heads, shared), axis=1)
        grouped = graph.add("Reshape", queries, sizes(-1, shared, self._heads // shared, width))
        new_value = graph.add("Reshape", values, sizes(-1, shared, 1, width))

        scores = microsoft("FusedMatMul", grouped, "keys", transB=1, alpha=scale)
        length = graph.add("Reshape", "lengths", sizes(-1, 1, 1, 1))
        nothing = graph.keep(np.array(-np.inf, np.float32))
        scores = graph.add("Where", graph.add("Less", "places", length), scores, nothing)
        own = microsoft("FusedMatMul", grouped, keys, transB=1, alpha=scale)
        chances = graph.add("Softmax", graph.add("Concat", scores, own, axis=3), axis=3)
        room = graph.add("Shape", "keys", start=2, end=3)
        end = graph.add("Shape", chances, start=3, end=4)
        attended = graph.add(
            "Add",
            graph.add("MatMul", graph.add("Slice", chances, sizes(0), room, last), "values"),
            graph.add("Mul", graph.add("Slice", chances, room, end, last), new_value),
        )
        attended = graph.add("Reshape", attended, sizes(-1, self._heads * width))
        return [attended, graph.add("Reshape", keys, sizes(-1, shared * width)), values]

    def __call__(self, x: Array, held: Held) -> list[Array]:
        """What was attended, new keys, and new values.

        Args:
            x: queries, keys and values of the new tokens side by side.
        """
        # The buffers are not written while these views live: see `Block._attend`.
        keys, values = (
            np.array(kept, copy=False).reshape(-1, self.shared, kept.shape[-2], self._width)
            for kept in (held.keys, held.values)
        )
        room, longest = keys.shape[2], max(held.lengths)
        self._rotation.reach(longest)
        if room > len(self._places):
            self._places = np.arange(2 * room, dtype=np.float32)
        found = self._attended(x, held, keys, values)
        if longest < room and not math.isfinite(found[0].sum()):
            # What was taken back stands in the room behind a row, with a weight of 0. Times what is
            # no number, that is none either.
            found = self._attended(x, held, keys[:, :, :longest], values[:, :, :longest])
        return found

    def _attended(self, x: Array, held: Held, keys: Array, values: Array) -> list[Array]:
        return self._session(
            self._made,
            {
                "x": x,
                "keys": keys[: len(x)],
                "values": values[: len(x)],
                "cos": self._rotation.cos,
                "sin": self._rotation.sin,
                "lengths": np.array(held.lengths, np.float32)[:, None],
                "places": self._places[: keys.shape[2]],
            },
        )


class Block:
    """One decoder layer: two graphs, with attention between them.

    Before it a norm and the products to queries, keys and values; after it all the rest. The
    products can also be asked for alone, by who calls a layer's parts: each has an entrance of its
    own into its graph, whose rows come after those of the graph's own.

    Args:
        layer: mlx-lm's, whose linear layers are MLX's, of few bits.
        attention: of a layer of this kind.

    Raises:
        RuntimeError: onnxruntime does not take a matrix.
    """

    def __init__(self, layer: Any, attention: Attention) -> None:
        self.width = int(layer.input_layernorm.weight.size)
        self.attention = attention
        self.given = self._before(layer)
        self.out, self.gate_and_up, self.down = self._after(layer)

    def _before(self, layer: Any) -> Shared:
        graph, attention = Graph(), layer.self_attn
        matrices = _codes(attention, _QUERY_KEY_VALUE)
        widths = [m.outputs for m in matrices]
        normed = _norm(graph, "x", layer.input_layernorm)
        made = multiplied(graph, graph.add("Concat", normed, "given", axis=0), matrices)
        outputs = shapes_of(made, widths)
        ready = made[0]
        if len(made) > 1 or "q_norm" in attention:
            queries, keys, values = each(graph, made, widths)
            if "q_norm" in attention:
                queries = _head_norm(graph, queries, attention["q_norm"])
                keys = _head_norm(graph, keys, attention["k_norm"])
            ready = graph.add("Concat", queries, keys, values, axis=1)
            outputs[ready] = (None, sum(widths))
        inputs: dict[str, Shape] = dict.fromkeys(("x", "given"), (None, self.width))
        self._first, self._made, self._ready = Session(graph, inputs, outputs), made, ready
        self._widths = widths
        return Shared(Product(self._first, "given", made, self.width, widths))

    def _after(self, layer: Any) -> tuple[Shared, ...]:
        graph, attention, mlp = Graph(), layer.self_attn, layer.mlp
        rows, none = graph.add("Shape", "x", start=0, end=1), graph.keep(np.array([0]))
        inputs: dict[str, Shape] = {"x": (None, self.width)}
        outputs: dict[str, Shape] = {}
        entrances: list[tuple[str, list[str], int, list[int]]] = []

        def product(x: str, module: Any, names: Sequence[str]) -> list[str]:
            """Of `x`, and of the rows of an entrance, which are cut off again."""
            matrices = _codes(module, names)
            widths, entrance = [m.outputs for m in matrices], names[0]
            made = multiplied(graph, graph.add("Concat", x, entrance, axis=0), matrices)
            inputs[entrance] = (None, matrices[0].inputs)
            outputs.update(shapes_of(made, widths))
            entrances.append((entrance, made, matrices[0].inputs, widths))
            return each(graph, [cut(graph, name, none, rows) for name in made], widths)

        x = graph.add("Add", "x", *product("attended", attention, ["o_proj"]))
        inputs["attended"] = inputs["o_proj"]
        normed = _norm(graph, x, layer.post_attention_layernorm)
        through = gated(graph, *product(normed, mlp, ["gate_proj", "up_proj"]))
        x = graph.add("Add", x, *product(through, mlp, ["down_proj"]))
        outputs[x] = (None, self.width)
        self._last, self._said = Session(graph, inputs, outputs), x
        return tuple(
            Shared(Product(self._last, entrance, made, width, widths))
            for entrance, made, width, widths in entrances
        )

    def __call__(self, layer: Any, x: mx.array, mask: Any, cache: Any) -> mx.array:
        """What the layer gives for `x`, `[batch, tokens, width]`."""
        rows = rows_of(x, self.width)
        held = _held(cache) if x.shape[1] == 1 and mask is None and cache is not None else []
        if sum(len(part.lengths) for part in held) == len(rows):  # not several rows of one cache
            attended = self._attend(self._first.by_rows([self._ready], {"x": rows})[0], held, cache)
        else:
            self.given.give(x, apart(self._first.by_rows(self._made, {"x": rows}), self._widths))
            self.out.passing = True
            try:
                attended = rows_of(layer.self_attn(x, mask, cache), self.out.product.inputs)
            finally:
                self.out.passing = False
        said = self._last.by_rows([self._said], {"x": rows, "attended": attended})
        return as_mlx(said[0], x)

    def _attend(self, ready: Array, held: Sequence[Held], cache: Any) -> Array:
        """Attention of one query a row, whose key and value are written into the caches."""
        parts, first = [], 0
        for part in held:
            last = first + len(part.lengths)
            parts.append(self.attention(ready[first:last], part))
            first = last
        attended, keys, values = (
            same[0] if len(same) == 1 else np.concatenate(same) for same in zip(*parts, strict=True)
        )
        heads = (first, self.attention.shared, 1, -1)
        cache.update_and_fetch(mx.array(keys.reshape(heads)), mx.array(values.reshape(heads)))
        cpu.launch(_written(cache))
        return attended


_QUERY_KEY_VALUE = ("q_proj", "k_proj", "v_proj")


def _codes(module: Any, names: Sequence[str]) -> list[Codes]:
    """The codes of linear layers that are given the same input.

    Raises:
        RuntimeError: one is in a format that cannot be taken.
    """
    found = [codes_of(module[name], Format.of(module[name])) for name in names]
    if any(codes is None for codes in found):
        raise RuntimeError("a format of few bits that onnxruntime has not")
    return [codes for codes in found if codes is not None]


def _norm(graph: Graph, x: str, module: Any) -> str:
    """Add a root mean square norm."""
    weight = np.array(module.weight.astype(mx.float32))
    return graph.add(
        *("SimplifiedLayerNormalization", x, graph.keep(weight)), axis=-1, epsilon=float(module.eps)
    )


def _head_norm(graph: Graph, x: str, module: Any) -> str:
    """Add a norm of each head of rows `[rows, heads * width]`."""
    width = int(module.weight.size)
    heads = graph.add("Reshape", x, graph.keep(np.array([-1, width])))
    return graph.add("Reshape", _norm(graph, heads, module), graph.add("Shape", x))


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
    from mlx_lm.models.cache import KVCache  # not at the top: see `backend.file_limit_kept`

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
    attentions: dict[Any, Attention | None] = {}
    agreed: dict[Any, bool] = {}
    for _, layer in net.named_modules():
        if taken(layer) or not _has_usual_parts(layer, nn.QuantizedLinear):
            continue  # taken already: it stands at another place in the model, too
        attention = layer.self_attn
        width = attention.q_proj.scales.shape[0] // attention.n_heads
        key = _settings(attention), _settings(attention.rope), width
        if key not in attentions:
            attentions[key] = _attention(attention, width)
        found = attentions[key]
        kind = _settings(layer), _settings(layer.mlp), key
        if found is None or not agreed.get(kind, True):
            continue
        try:
            block = Block(layer, found)
        except RuntimeError as error:
            log.debug("a decoder layer stays as it is: %s", error)
            agreed[kind] = False
            continue
        wanted = None if kind in agreed else _said(layer)
        size = _size(layer)
        undo = _hand_over(layer, block)
        if kind not in agreed:
            by_block = _said(layer)
            agreed[kind] = wanted is not None and by_block is not None and same(wanted, by_block)
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
        linear: the class of its linear layers.
    """
    if set(layer.children()) != _PARTS:
        return False
    # Some models call their layers' parts, and the layers themselves cannot be called.
    if not callable(layer) or list(inspect.signature(layer).parameters) != ["x", "mask", "cache"]:
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


def _settings(module: Any) -> tuple[Any, ...]:
    """What tells two modules of a kind apart, arrays and modules aside."""
    both = {**vars(module), **module}
    plain = (str, int, float, bool, type(None))
    own = {name: value for name, value in both.items() if isinstance(value, plain)}
    arrays = {
        name: repr(array.tolist())
        for name, array in both.items()
        if isinstance(array, mx.array) and array.size <= 1024
    }
    return type(module), tuple(sorted(own.items(), key=str)), tuple(sorted(arrays.items()))


def _attention(module: Any, width: int) -> Attention | None:
    """Attention with a rotary embedding by a table; None where that does something else."""
    rotation = Rotation(module.rope, width)
    try:
        for place in _TRIED_AT:
            first = max(0, place - _POSITIONS // 2)
            table = rotation.part(first, _POSITIONS)
            for position in (place - 1, place):
                head = np.random.default_rng(position).standard_normal((1, 1, 1, width), np.float32)
                wanted = np.array(module.rope(mx.array(head), offset=position))
                left, right = np.split(head[0, 0, 0], 2)
                cos, sin = (part[position - first] for part in table)
                found = np.concatenate([left * cos - right * sin, left * sin + right * cos])
                if not np.allclose(found, wanted[0, 0, 0], atol=TOLERANCE):
                    return None
        return Attention(module, rotation, width)
    except Exception as error:  # whatever a module raises that is called otherwise
        log.debug("a rotary embedding of another kind: %s", error)
        return None


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
