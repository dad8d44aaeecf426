"""Counters of launches, bytes read and bytes copied in a lazy MLX graph.

`mx.export_function` lists all primitives with the shapes of their inputs and outputs. Evaluated
arrays become constants, so only the work added by the step is counted. `graph_marks` combines
operations that are a single kernel on a GPU into one node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from engine.bench.graph_marks import VIEWS, mark_of, nodes, waits

IN_PLACE = frozenset({"SliceUpdate", "DynamicSliceUpdate", "Scatter", "ScatterAxis"})
"""Primitives that write to their first input if nothing else references it."""

MOVES = frozenset(
    ("Concatenate", "Pad", "Contiguous", "Gather", "GatherAxis", "DynamicSlice", "AsType", "Full")
)
"""Primitives that only move data, not counting in-place primitives."""

# These only read part of the first input.
_PICKS = frozenset({"Gather", "GatherAxis", "DynamicSlice"})


class Count(Struct):
    launches: int = 0  # number of kernel launches
    read: int = 0  # bytes of all inputs, except arrays written in place
    copied: int = 0  # bytes written by primitives that only move data
    waits: int = 0  # number of times that Python waits for the device
    kinds: dict[str, int] = field(default_factory=dict)  # launches by primitive

    def add(self, kind: str, launches: int = 1) -> None:
        self.launches += launches
        self.kinds[kind] = self.kinds.get(kind, 0) + launches


def count(outputs: Sequence[Any]) -> Count:
    """Return the cost of evaluating `outputs`, which must come from `capture`."""
    result = Count(waits=waits())
    graph_nodes, constants = nodes(outputs)
    size = dict(_sizes(graph_nodes))
    for name, value in constants.items():
        size[name] = value.nbytes
    for node in graph_nodes:
        name, inputs = node["name"], {n: s for n, *s in node["inputs"]}
        if name in VIEWS:
            if name in ("Broadcast", "BroadcastAxes"):  # broadcasts read a single element
                size[node["outputs"][0][0]] = size[node["inputs"][0][0]]
            continue
        written = sum(size[n] for n, _, _ in node["outputs"])
        if name == "Depends":
            outs = len(node["outputs"])
            inputs_given = [n for n, _, _ in node["inputs"]][outs:]
            mark = mark_of(constants.get(inputs_given[0])) if inputs_given else None
            if mark is not None:
                result.add(mark.kind, mark.launches)
                input_bytes = sum(size[n] for n in set(inputs_given[1:]))
                result.read += input_bytes if mark.read is None else mark.read
                result.copied += written if mark.kind == "contiguous" else 0
            continue
        result.add(name)
        first = node["inputs"][0][0] if node["inputs"] else ""
        if name in IN_PLACE:
            moved = sum(size[n] for n in inputs if n != first)
            result.read += moved
            result.copied += moved
            continue
        skipped = size[first] - min(size[first], written) if name in _PICKS else 0
        result.read += sum(size[n] for n in inputs) - skipped
        if name in MOVES:
            result.copied += written
    return result


def _sizes(graph_nodes: Iterable[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    for node in graph_nodes:
        for name, shape, dtype in (*node["inputs"], *node["outputs"]):
            yield name, math.prod(shape) * dtype.size
