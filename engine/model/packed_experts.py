"""Mixture-of-experts layers on the CPU kernels.

Rows are grouped by expert, so that each expert's weights are read once per step. Packing reads the
model files one expert at a time, so a large model is never in memory twice.
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

from engine.kernels.library import Library
from engine.kernels.matrices import Format, PackedMatrix, can_pack, gated_mlp, pack
from engine.model.packed_layers import as_rows, placeholder
from engine.model.patches import mix_in
from engine.sandbox.folders import read_header
from engine.sandbox.protocol import RefusedError

log = logging.getLogger(__name__)

_PARTS = ("gate_proj", "up_proj", "down_proj")
_ARRAYS = ("weight", "scales", "biases", "bias")


class Tensors:
    """Reader for the tensors in a folder's safetensors files. Must be closed.

    Raises:
        OSError, RefusedError: if a file can't be read.
    """

    def __init__(self, folder: Path) -> None:
        self._index: dict[str, tuple[BinaryIO, dict[str, Any], int]] = {}
        with contextlib.ExitStack() as files:
            for path in sorted(folder.glob("model*.safetensors")):
                tensors, head = read_header(path)
                file = files.enter_context(path.open("rb", buffering=0))
                for name, entry in tensors.items():
                    self._index[name] = file, entry, len(head) + entry["data_offsets"][0]
            self.close = files.pop_all().close

    def has_tensor(self, name: str, array: mx.array) -> bool:
        _, entry, _ = self._index.get(name, (None, {}, 0))
        return entry.get("shape") == list(array.shape) and entry.get("dtype") in _TYPES

    def read_slice(self, name: str, index: int) -> mx.array:
        """Read `tensor[index]`.

        Raises:
            OSError: if the file can't be read or has been truncated.
        """
        file, entry, offset = self._index[name]
        kind, dtype = _TYPES[entry["dtype"]]
        shape = entry["shape"][1:]
        nbytes = int(np.prod(shape)) * np.dtype(kind).itemsize
        file.seek(offset + index * nbytes)
        data = file.read(nbytes)
        if len(data) < nbytes:
            raise OSError(f"{file.name} became shorter.")
        array = mx.array(np.frombuffer(data, kind).reshape(shape))
        return array if dtype is None else array.view(dtype)


_TYPES: dict[str, tuple[type, mx.Dtype | None]] = {
    "U32": (np.uint32, None),
    "U8": (np.uint8, None),
    "F32": (np.float32, None),
    "F16": (np.float16, None),
    "BF16": (np.uint16, mx.bfloat16),
}


class PackedExperts:
    """Experts of one MoE layer.

    Args:
        experts: gate, up and down matrix of each expert.
    """

    def __init__(self, library: Library, experts: Sequence[Sequence[PackedMatrix]]) -> None:
        self._library, self._experts = library, experts
        self._inputs, self._outputs = experts[0][0].inputs, experts[0][2].outputs
        self.nbytes = sum(matrix.nbytes for expert in experts for matrix in expert)

    def __call__(self, x: mx.array, expert_ids: mx.array) -> mx.array:
        """Run the experts `expert_ids` `[..., k]` on `x` `[..., inputs]`, and return `[..., k,
        outputs]`.
        """
        experts = np.array(expert_ids).reshape(-1, expert_ids.shape[-1])
        rows = as_rows(x, self._inputs)
        out = np.empty((*experts.shape, self._outputs), np.float32)
        for expert in np.unique(experts):
            rows_used, choice = np.nonzero(experts == expert)
            *gate_up, down = self._experts[expert]
            out[rows_used, choice] = gated_mlp(self._library, rows[rows_used], gate_up, down)
        result = mx.array(out.reshape(*expert_ids.shape, self._outputs))
        return result if x.dtype == mx.float32 else result.astype(x.dtype)


class PackedSwitch:
    experts: PackedExperts

    @property
    def placeholders(self) -> list[mx.array]:
        layers = [self[part] for part in _PARTS]  # type: ignore[index]
        return [layer[name] for layer in layers for name in _ARRAYS if name in layer]

    def __call__(self, x: mx.array, indices: mx.array) -> mx.array:
        return self.experts(x, indices)


def pack_experts(net: Any, folder: Path, library: Library) -> Iterator[int]:
    """Make a model's MoE layers use the CPU kernels. Yields the packed bytes after each expert.

    Layers are skipped if their tensors on disk don't match the tensors in the model.
    """
    switch = sys.modules.get("mlx_lm.models.switch_layers")  # only MoE models import this module
    moe_layers = [
        (name, module)
        for name, module in net.named_modules()
        if switch is not None
        and type(module) is switch.SwitchGLU
        and type(module.activation) is switch.SwiGLU
        and all(type(module[part]) is switch.QuantizedSwitchLinear for part in _PARTS)
        and all(can_pack(Format.of(module[part])) for part in _PARTS)
    ]
    if not moe_layers:
        return
    try:
        tensors = Tensors(folder)
    except (OSError, RefusedError) as error:
        log.warning("cannot pack experts: %s", error)
        return
    with contextlib.closing(tensors):
        yield from _pack_experts(moe_layers, tensors, library)


def _pack_experts(
    moe_layers: Sequence[tuple[str, Any]], tensors: Tensors, library: Library
) -> Iterator[int]:
    for name, module in moe_layers:
        if not _is_in_files(module, name, tensors):
            continue
        packed = []
        count = module.gate_proj.num_experts
        nbytes = sum(module[part].weight.nbytes for part in _PARTS)
        try:
            for expert in range(count):
                packed.append(_pack_expert(module, name, expert, tensors, library))
                yield nbytes // count
        except ValueError as error:
            log.warning("cannot pack experts: %s", error)
            return
        _replace_arrays(module, PackedExperts(library, packed))


def is_packed(net: Any) -> bool:
    return any(isinstance(module, PackedSwitch) for module in net.modules())


def _is_in_files(module: Any, name: str, tensors: Tensors) -> bool:
    return all(
        tensors.has_tensor(f"{name}.{part}.{array}", module[part][array])
        for part in _PARTS
        for array in _ARRAYS
        if isinstance(module[part].get(array), mx.array)
    )


def _pack_expert(
    module: Any, name: str, expert: int, tensors: Tensors, library: Library
) -> list[PackedMatrix]:
    matrices = []
    for part in _PARTS:
        layer = module[part]
        arrays = {
            array: tensors.read_slice(f"{name}.{part}.{array}", expert)
            for array in _ARRAYS
            if isinstance(layer.get(array), mx.array)
        }
        matrices.append(pack(library, arrays, Format.of(layer)))
    return matrices


def _replace_arrays(module: Any, experts: PackedExperts) -> None:
    for part in _PARTS:
        for array in _ARRAYS:
            if isinstance(module[part].get(array), mx.array):
                module[part][array] = placeholder(module[part][array])
                mx.eval(module[part][array])
    vars(module)["experts"] = experts
    mix_in(PackedSwitch, [module])
