"""Experts of few bits by onnxruntime, on a Linux CPU.

A model of experts has many small layers side by side, of which each row is given to a few. MLX
multiplies there by the same plain loop as elsewhere. Here each expert is one graph: gate and up,
the activation between them, and down. Its weights are read from the model's file one expert at a
time, so that a model that nearly fills the memory is never held twice.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import mlx.core as mx
import numpy as np

from engine.model.cpu.few_bits import Format, Session, codes_of, each, gated, multiplied, shapes_of
from engine.model.cpu.layers import rows_of, same, stand_in
from engine.model.cpu.onnx_graph import Graph
from engine.model.patches import mix_in
from engine.sandbox.folders import header
from engine.sandbox.protocol import RefusedError

log = logging.getLogger(__name__)

_PARTS = ("gate_proj", "up_proj", "down_proj")
_ARRAYS = ("weight", "scales", "biases", "bias")


class Tensors:
    """The tensors of a folder's safetensors files, to be read piece by piece; open until closed.

    Raises:
        OSError, RefusedError: of a file that cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._places: dict[str, tuple[BinaryIO, dict[str, Any], int]] = {}
        with contextlib.ExitStack() as files:
            for path in sorted(folder.glob("model*.safetensors")):
                tensors, head = header(path)
                file = files.enter_context(path.open("rb", buffering=0))
                for name, entry in tensors.items():
                    self._places[name] = file, entry, len(head) + entry["data_offsets"][0]
            self.close = files.pop_all().close

    def has(self, name: str, array: mx.array) -> bool:
        """Whether a tensor of that name lies there as it is in the model."""
        _, entry, _ = self._places.get(name, (None, {}, 0))
        return entry.get("shape") == list(array.shape) and entry.get("dtype") in _TYPES

    def piece(self, name: str, place: int) -> mx.array:
        """What lies at a place of a tensor's first axis.

        Raises:
            OSError: it cannot be read, or the file has become shorter.
        """
        file, entry, offset = self._places[name]
        kind, dtype = _TYPES[entry["dtype"]]
        shape = entry["shape"][1:]
        nbytes = int(np.prod(shape)) * np.dtype(kind).itemsize
        file.seek(offset + place * nbytes)
        data = file.read(nbytes)
        if len(data) < nbytes:
            raise OSError(f"{file.name} has become shorter.")
        found = mx.array(np.frombuffer(data, kind).reshape(shape))
        return found if dtype is None else found.view(dtype)


_TYPES: dict[str, tuple[type, mx.Dtype | None]] = {
    "U32": (np.uint32, None),
    "U8": (np.uint8, None),
    "F32": (np.float32, None),
    "F16": (np.float16, None),
    "BF16": (np.uint16, mx.bfloat16),
}


class Experts:
    """The experts of one layer: of each a graph, and what its output is called."""

    def __init__(self, sessions: Sequence[tuple[Session, str]], width: int) -> None:
        self._sessions, self._width = sessions, width

    def __call__(self, x: mx.array, chosen: mx.array) -> mx.array:
        """What the `chosen` experts `[..., k]` give for `x` `[..., width]`: `[..., k, width]`."""
        asked = np.array(chosen).reshape(-1, chosen.shape[-1])
        rows = rows_of(x, self._width)
        out = np.empty((*asked.shape, self._width), np.float32)
        for expert in np.unique(asked):
            which, place = np.nonzero(asked == expert)
            session, said = self._sessions[expert]
            out[which, place] = session.by_rows([said], {"x": rows[which]})[0]
        made = mx.array(out.reshape(*chosen.shape, self._width))
        return made if x.dtype == mx.float32 else made.astype(x.dtype)


class _Expert:
    """Mixed in before mlx-lm's `SwitchGLU`."""

    experts: Experts

    def __call__(self, x: mx.array, indices: mx.array) -> mx.array:
        return self.experts(x, indices)


def take(net: Any, folder: Path) -> Iterator[int]:
    """Let experts compute by onnxruntime. Engine thread only.

    Yields bytes of weights that were taken, expert by expert. Layers whose weights are not in the
    folder as they are in the model stay MLX's.
    """
    switch = sys.modules.get("mlx_lm.models.switch_layers")  # which a model of experts has imported
    found = [
        (name, module)
        for name, module in net.named_modules()
        if switch is not None
        and type(module) is switch.SwitchGLU
        and type(module.activation) is switch.SwiGLU
        and all(type(module[part]) is switch.QuantizedSwitchLinear for part in _PARTS)
    ]
    if not found:
        return
    try:
        tensors = Tensors(folder)
    except (OSError, RefusedError) as error:
        log.warning("Experts stay slow: %s", error)
        return
    with contextlib.closing(tensors):
        yield from _take(found, tensors)


def _take(found: Sequence[tuple[str, Any]], tensors: Tensors) -> Iterator[int]:
    agreed: dict[Any, bool] = {}
    for name, module in found:
        forms = tuple((Format.of(module[part]), *module[part].weight.shape) for part in _PARTS)
        if _lie_there(module, name, tensors) and agreed.get(forms, True):
            sessions, width = [], module.down_proj.output_dims
            count = module.gate_proj.num_experts
            nbytes = sum(module[part].weight.nbytes for part in _PARTS)
            for expert in range(count):
                made = _session(module, name, expert, tensors)
                if made is None:
                    agreed[forms] = False
                    break
                sessions.append(made)
                yield nbytes // count
            else:
                experts = Experts(sessions, width)
                if forms not in agreed:
                    agreed[forms] = _agrees(module, experts)
                if agreed[forms]:
                    _hand_over(module, experts)


def taken(net: Any) -> bool:
    """Whether experts of a model compute by onnxruntime."""
    return any(isinstance(module, _Expert) for module in net.modules())


def _lie_there(module: Any, name: str, tensors: Tensors) -> bool:
    return all(
        tensors.has(f"{name}.{part}.{array}", module[part][array])
        for part in _PARTS
        for array in _ARRAYS
        if isinstance(module[part].get(array), mx.array)
    )


def _session(module: Any, name: str, expert: int, tensors: Tensors) -> tuple[Session, str] | None:
    """One expert's graph, and what it makes; None where its format cannot be taken."""
    codes = []
    for part in _PARTS:
        layer = module[part]
        arrays = {
            array: tensors.piece(f"{name}.{part}.{array}", expert)
            for array in _ARRAYS
            if isinstance(layer.get(array), mx.array)
        }
        found = codes_of(arrays, Format.of(layer))
        if found is None:
            return None
        codes.append(found)
    gate_and_up, down = codes[:2], codes[2]
    graph, widths = Graph(), [m.outputs for m in gate_and_up]
    gate, up = each(graph, multiplied(graph, "x", gate_and_up), widths)
    said = multiplied(graph, gated(graph, gate, up), [down])
    try:
        session = Session(
            graph, {"x": (None, gate_and_up[0].inputs)}, shapes_of(said, [down.outputs])
        )
    except RuntimeError as error:
        log.warning("%s", error)
        return None
    return session, said[0]


def _hand_over(module: Any, experts: Experts) -> None:
    for part in _PARTS:
        for array in _ARRAYS:
            if isinstance(module[part].get(array), mx.array):
                module[part][array] = stand_in(module[part][array])
    vars(module)["experts"] = experts
    mix_in(_Expert, [module])


def _agrees(module: Any, experts: Experts) -> bool:
    """Whether a layer says the same by MLX, for two rows that ask for two experts each."""
    random, last = np.random.default_rng(0), module.gate_proj.num_experts - 1
    width = module.gate_proj.input_dims
    x = mx.array(random.standard_normal((1, 2, width), np.float32))
    chosen = mx.array([[[0, last], [last, last // 2]]])
    try:
        return same([np.array(module(x, chosen))], [np.array(experts(x, chosen))])
    except Exception as error:  # whatever a model raises
        log.debug("experts of another kind: %s", error)
        return False
