"""Markers in MLX's lazy graph for operations that are a single kernel on a GPU but not on a CPU.

`prepare` patches functions of `mx.fast`, `mx.compile` and `mx.eval`, so it must run before mlx-lm
is imported. Inside of `capture`, results have the right shapes but not the right values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


VIEWS = _names(
    "Reshape Transpose Slice Broadcast BroadcastAxes ExpandDims Squeeze Split Flatten Unflatten "
    "AsStrided StopGradient View Copy NumberOfElements"
)
"""Primitives without a kernel launch, because they just create a view. In a decode step, `Reshape`
only merges and splits adjacent axes.
"""

ELEMENTWISE = _names(
    "Abs Add ArcCos Arange AsType BitwiseBinary Ceil Cos Divide Equal Erf ErfInv Exp Expm1 Floor "
    "Greater GreaterEqual Less LessEqual Log Log1p LogAddExp LogicalAnd LogicalNot LogicalOr "
    "Maximum Minimum Multiply Negative NotEqual Power Remainder Round Select Sigmoid Sign Sin Sqrt "
    "Rsqrt Square Subtract Tanh"
)
"""Primitives that `mx.compile` can fuse into one kernel."""


class Mark(Struct, frozen=True):
    """Node that stands for several primitives."""

    kind: str
    launches: int
    read: int | None = None  # bytes read, or None for the size of all inputs


_marks: list[Mark] = []
_MAGIC = 0x6D61726B  # distinguishes our marks from `mx.depends` calls in models
_state: dict[str, Any] = {"marking": False, "compiling": False, "captured": None, "waits": 0}


def prepare() -> None:
    """Patch MLX's functions in this process. Outside of `capture`, they work as usual."""
    import mlx.core as mx

    for name in ("rms_norm", "layer_norm", "rope", "scaled_dot_product_attention"):
        setattr(mx.fast, name, _fast(name, getattr(mx.fast, name)))
    # Replaced because this primitive can't be exported.
    mx.contiguous = _fast("contiguous", mx.contiguous)
    mx.conv1d = _fast("conv1d", mx.conv1d)
    setattr(mx, "compile", _compile)  # noqa: B010 - mypy knows its signature
    for name in ("eval", "async_eval", "synchronize"):
        setattr(mx, name, _watch(name, getattr(mx, name)))


def mark_recurrent() -> None:
    """Count the gated delta rule as one launch, because there is a Metal kernel for it."""
    from mlx_lm.models import gated_delta

    inner = gated_delta.gated_delta_ops

    @functools.wraps(inner)
    def ops(q: Any, k: Any, v: Any, g: Any, beta: Any, state: Any, mask: Any = None) -> Any:
        if not _state["marking"]:
            return inner(q, k, v, g, beta, state, mask)
        arrays = [a for a in (q, k, v, g, beta, state, mask) if a is not None]
        return tuple(_marker("gated_delta", 1, [v, state], arrays))

    gated_delta.gated_delta_ops = ops


def mark_launch(kind: str, like: Any, inputs: Iterable[Any], read: int) -> Any:
    """Return an array like `like` that counts as one launch and reads `read` bytes."""
    return _marker(kind, 1, [like], inputs, read)[0] if _state["marking"] else like


def _marker(
    kind: str, launches: int, like: Sequence[Any], inputs: Iterable[Any], read: int | None = None
) -> list[Any]:
    import mlx.core as mx

    marked = Mark(kind, launches, read)
    if marked not in _marks:
        _marks.append(marked)
    code = mx.array([_MAGIC, _marks.index(marked)], mx.int32)
    empty = [mx.zeros(a.shape, a.dtype) for a in like]
    _real("eval")(code, empty)
    return list(mx.depends(empty, [code, *inputs]))


def _fast(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    import mlx.core as mx

    @functools.wraps(inner)
    def call(*args: Any, **named: Any) -> Any:
        out = inner(*args, **named)
        if not _state["marking"]:
            return out
        arrays = [a for a in (*args, *named.values()) if isinstance(a, mx.array)]
        return _marker(name, 1, [out], arrays)[0]

    return call


def _compile(function: Callable[..., Any], *_: Any, **__: Any) -> Callable[..., Any]:
    """Stand-in for `mx.compile`. Each call becomes a node that counts launches after fusion."""
    import mlx.core as mx
    from mlx.utils import tree_flatten, tree_map, tree_unflatten

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if not _state["marking"] or _state["compiling"]:
            return function(*args, **named)

        def stand_in(value: Any) -> Any:
            if not isinstance(value, mx.array):
                return value
            outputs = mx.zeros(value.shape, value.dtype)
            _real("eval")(outputs)
            return outputs

        _state["compiling"] = True
        try:
            outs = function(*tree_map(stand_in, args), **tree_map(stand_in, named))
        finally:
            _state["compiling"] = False
        flat: Any = tree_flatten(outs)
        arrays = [a for _, a in flat if isinstance(a, mx.array)]
        arrays_given = [a for _, a in tree_flatten([args, named]) if isinstance(a, mx.array)]
        outputs = _marker(function.__name__, _count_fused(nodes(arrays)[0]), arrays, arrays_given)
        if isinstance(outs, mx.array):
            return outputs[0]
        if isinstance(outs, tuple) and len(outs) == len(outputs):
            return tuple(outputs)
        return tree_unflatten([(k, a) for (k, _), a in zip(flat, outputs, strict=True)])

    return call


def _watch(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def call(*args: Any, **named: Any) -> Any:
        if not _state["marking"]:
            return inner(*args, **named)
        _state["waits"] += name != "async_eval"
        if name != "synchronize":
            _state["captured"].extend(_arrays(args))
        return None

    call.__dict__["inner"] = inner
    return call


def _real(name: str) -> Callable[..., Any]:
    import mlx.core as mx

    function = getattr(mx, name)
    real: Callable[..., Any] = function.__dict__.get("inner", function)
    return real


def _arrays(value: Any) -> Iterator[Any]:
    import mlx.core as mx

    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays(part)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))


@contextmanager
def capture() -> Iterator[list[Any]]:
    """Suppress evaluation inside the block. Yield a list that collects the arrays instead."""
    captured: list[Any] = []
    _state.update(marking=True, captured=captured, waits=0)
    try:
        yield captured
    finally:
        _state["marking"] = False


def nodes(outputs: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    import mlx.core as mx

    graph_nodes: list[dict[str, Any]] = []
    constants: dict[str, Any] = {}

    def note(part: dict[str, Any]) -> None:
        if part["type"] == "primitive":
            graph_nodes.append(part)
        elif part["type"] == "constants":
            constants.update(part["constants"])

    mx.export_function(note, lambda: list(outputs))
    return graph_nodes, constants


def mark_of(constant: Any) -> Mark | None:
    """Return the mark of a node by its first dependency, or None if the model created the node."""
    if constant is None or constant.shape != (2,):
        return None
    magic, index = constant.tolist()
    return _marks[index] if magic == _MAGIC else None


def _count_fused(graph_nodes: list[dict[str, Any]]) -> int:
    group: dict[str, int] = {}  # fusion group of each array, by name
    parent: list[int] = []
    launches = 0

    def root(index: int) -> int:
        while parent[index] != index:
            index = parent[index]
        return index

    for node in graph_nodes:
        name = node["name"]
        inputs = [root(group[n]) for n, _, _ in node["inputs"] if n in group]
        if name not in ELEMENTWISE and name not in VIEWS:
            launches += 1
            continue
        if name in VIEWS:
            if not inputs:
                continue
            group_number = inputs[0]
        else:
            group_number = len(parent)
            parent.append(group_number)
            for operand in inputs:
                parent[operand] = group_number
        for out, _, _ in node["outputs"]:
            group[out] = group_number
    return launches + len({root(number) for number in range(len(parent))})


def waits() -> int:
    return int(_state["waits"])
