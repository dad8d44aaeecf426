"""Products with weights of few bits by onnxruntime, on a Linux CPU.

MLX's own product there is a plain loop: 7 tokens/s of a model of 135M parameters. onnxruntime's
`MatMulNBits` reads codes of 4 bits and multiplies in float32, so it says what MLX says, up to the
rounding of float32.

It could round activations to 8 bits as well, as llama.cpp does, which is two to four times as fast
where rows are few. But then any difference of 1e-7 tips some roundings, the next layer's tip more,
and after 30 layers logits differ by a tenth of their spread: who is asked beside whom would change
answers. Only the output layer does so, in two steps: what the first rounding loses is rounded and
multiplied too, so that it loses a hundred thousandth.

MLX's weights are `scale * code + bias`, a scale and a bias for each group of 16 to 128. Quickest
is the operator's `scale * (code - 8)`; what is missing is another, much smaller product: of the
groups' sums with `bias + 8 * scale`. (Zeros of their own for the groups take half as long again.)
Codes of 2 and 3 bits become 4. Codes of 5, 6 and 8 bits are two of 4, `16 * high + low`, for the
operator's own way with 8 bits is slow in float32. So are the floating-point formats whose values
are whole multiples of a scale. All of that is exact.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx
import numpy as np

from engine.model.cpu import onnx_graph

log = logging.getLogger(__name__)

Array = np.ndarray[Any, Any]

GROUPS = (16, 32, 64, 128, 256)
"""Weights that may share a scale."""

ROWS_AT_ONCE = 4096
"""Rows of a matrix that are unpacked at a time."""

ONE_BY_ONE = 3
"""Up to so many rows are multiplied one by one, since for more the operator unpacks the codes into
float32 first. Of a matrix 3,072 x 576 one row takes 117 microseconds of one core, two in one call
380, eight 540."""

_FLOAT32, _INT8 = 1, 4  # the operator's `accuracy_level`: in what activations are multiplied


@dataclass(frozen=True)
class Codes:
    """A matrix `[outputs, inputs]` in whole codes.

    Attributes:
        words: `[outputs, groups, group * bits / 8]`, bytes; of two codes the first is the low half.
        scales: `[outputs, groups]`, float32.
        rest: what is to be added for each unit of a group's sum where the code in the middle, 8 or
            128, stands for 0: `[groups, outputs]`; None where that is nothing.
        bits: 4 or 8.
        bias: added to the outputs; None where there is none.
    """

    words: Array
    scales: Array
    rest: Array | None
    bits: int
    bias: Array | None = None

    @property
    def outputs(self) -> int:
        return int(self.words.shape[0])

    @property
    def group(self) -> int:
        return int(self.words.shape[2]) * 8 // self.bits

    @property
    def inputs(self) -> int:
        return int(self.words.shape[1]) * self.group


def codes_of(layer: Any) -> Codes | None:
    """The codes of a quantised layer of MLX; None where its format cannot be taken.

    Args:
        layer: an `nn.QuantizedLinear` or `nn.QuantizedEmbedding`, with its weights.
    """
    if layer.group_size not in GROUPS or layer.get("global_scale") is not None:
        return None
    bias = _numpy(layer["bias"]) if "bias" in layer else None
    weight, scales, group = layer["weight"], layer["scales"], layer.group_size
    if layer.mode == "affine":
        return _affine(weight, scales, layer["biases"], group, layer.bits, bias)
    if layer.mode in _SCALES:
        return _floating(weight, _SCALES[layer.mode](scales), layer, bias)
    if layer.mode == "mxfp8":  # 240 values of unlike distances: rounded to 256 of like ones
        wide = mx.dequantize(weight, scales, None, group, layer.bits, mode=layer.mode)
        return _affine(*mx.quantize(wide.astype(mx.float32), group, 8), group, 8, bias)
    return None


def _affine(
    weight: mx.array, scales: mx.array, biases: mx.array, group: int, bits: int, bias: Array | None
) -> Codes:
    scale, offset = _numpy(scales), _numpy(biases)
    held = 4 if bits <= 4 else 8
    # Fewer bits than are held lie around the middle, so that the two products are small.
    below = 2 ** (held - 1) - 2 ** (bits - 1)
    left = offset + scale * 2 ** (bits - 1)
    rest = np.ascontiguousarray(left.T) if left.any() else None
    if bits == held:
        words = _numpy(weight).view(np.uint8)
    else:  # a scale of 1 and a bias of 0 give the codes themselves
        one, none = mx.ones_like(scales), mx.zeros_like(scales)
        words = _packed(
            lambda rows: mx.dequantize(weight[rows], one[rows], none[rows], group, bits) + below,
            weight.shape[0],
            held,
        )
    words = words.reshape(*scale.shape, group * held // 8)
    return Codes(words, scale, rest, held, bias)


def _floating(weight: mx.array, scales: mx.array, layer: Any, bias: Array | None) -> Codes:
    """Of 0, 0.5, 1, 1.5, 2, 3, 4 and 6 of both signs, which are whole in halves."""

    def halves(rows: slice) -> mx.array:
        wide = mx.dequantize(
            *(weight[rows], layer["scales"][rows], None, layer.group_size, layer.bits),
            mode=layer.mode,
            dtype=mx.float32,
        )
        unit = mx.repeat(scales[rows], layer.group_size, axis=1)
        return mx.where(unit == 0, 0, wide / unit) * 2 + 128

    scale = _numpy(scales) / 2
    words = _packed(halves, weight.shape[0], 8).reshape(*scale.shape, layer.group_size)
    return Codes(words, scale, None, 8, bias)


_SCALES: dict[str, Callable[[mx.array], mx.array]] = {
    "mxfp4": lambda scales: mx.power(2.0, scales.astype(mx.float32) - 127),
    "nvfp4": lambda scales: mx.from_fp8(scales, mx.float32),
}
"""How formats of floating-point numbers keep their scales."""


def _packed(codes: Callable[[slice], mx.array], rows: int, bits: int) -> Array:
    """Bytes of the codes that a function gives for some rows, as whole numbers of any type."""
    parts = []
    for begin in range(0, rows, ROWS_AT_ONCE):
        found = np.asarray(mx.round(codes(slice(begin, begin + ROWS_AT_ONCE))).astype(mx.uint8))
        parts.append(_nibbles(found) if bits == 4 else found)
    return np.concatenate(parts)


def _numpy(array: mx.array) -> Array:
    """The numbers of an array; floating-point ones as float32."""
    if mx.issubdtype(array.dtype, mx.floating):
        array = array.astype(mx.float32)
    return np.ascontiguousarray(np.array(array, copy=False))


class Product:
    """Products of one input with one or several matrices, in one call.

    Args:
        matrices: of the same number of inputs.
        rounded: activations are rounded to twice 8 bits, each row and group by scales of its own,
            which is faster up to some sixteen rows.

    Raises:
        RuntimeError: onnxruntime does not take them.
    """

    def __init__(self, matrices: Sequence[Codes], rounded: bool = False) -> None:
        self.inputs = matrices[0].inputs
        self.outputs = tuple(m.outputs for m in matrices)
        self._biases = [m.bias for m in matrices] if rounded else []
        self._group = matrices[0].group
        level = _INT8 if rounded else _FLOAT32
        given = [replace(m, bias=None) if rounded else m for m in matrices]
        joined = _joined(given)
        # Each operation takes some microseconds to begin, so one matrix is better than three.
        self._ends = [] if len(joined) == len(matrices) else list(np.cumsum(self.outputs))[:-1]
        nodes: list[bytes] = []
        constants: list[bytes] = []
        for place, codes in enumerate(joined):
            _add(codes, f"{place}", level, nodes, constants)
        taken = [onnx_graph.value("x", "rows", self.inputs)]
        told = [onnx_graph.value(f"y{n}", "rows", m.outputs) for n, m in enumerate(joined)]
        made = onnx_graph.model(nodes, taken, told, constants)
        try:
            session = _runtime().InferenceSession(made, _options(), ["CPUExecutionProvider"])
        except Exception as error:  # classes of its own, which have no common one
            raise RuntimeError(f"onnxruntime refuses a matrix: {error}") from None
        self._run = functools.partial(session.run, [f"y{n}" for n in range(len(joined))])
        self._rounded = rounded

    def __call__(self, x: Array) -> list[Array]:
        """`x @ matrix.T` for each matrix.

        Args:
            x: `[rows, inputs]`, float32, one row after the other.

        Returns:
            `[rows, outputs]` each.
        """
        rows = x.shape[0]
        if self._rounded:
            out = self._apart(self._run({"x": _in_two(x, self._group)}))
            both = zip(out, self._biases, strict=True)
            return [y[:rows] + y[rows:] + (0 if bias is None else bias) for y, bias in both]
        if 1 < rows <= ONE_BY_ONE:
            each = [self._run({"x": x[row : row + 1]}) for row in range(rows)]
            return self._apart([np.concatenate(same) for same in zip(*each, strict=True)])
        return self._apart(self._run({"x": x}))

    def _apart(self, out: list[Array]) -> list[Array]:
        return np.split(out[0], self._ends, axis=1) if self._ends else out


def _joined(matrices: Sequence[Codes]) -> Sequence[Codes]:
    """The matrices as one, where they are of one form."""
    forms = {(m.bits, m.group, m.rest is None, m.bias is None) for m in matrices}
    if len(matrices) < 2 or len(forms) > 1:
        return matrices
    first = matrices[0]
    rests, biases = [m.rest for m in matrices], [m.bias for m in matrices]
    return [
        Codes(
            np.concatenate([m.words for m in matrices]),
            np.concatenate([m.scales for m in matrices]),
            None if first.rest is None else np.concatenate(rests, axis=1),  # type: ignore[arg-type]
            first.bits,
            None if first.bias is None else np.concatenate(biases),  # type: ignore[arg-type]
        )
    ]


def _in_two(x: Array, group: int) -> Array:
    """Rows that have whole numbers of 8 bits times a scale in each group, then what they lack."""
    grouped = x.reshape(len(x), -1, group)
    scale = np.abs(grouped).max(-1, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1
    first = (np.rint(grouped / scale) * scale).reshape(x.shape)
    return np.concatenate([first, x - first])


def _add(codes: Codes, name: str, level: int, nodes: list[bytes], constants: list[bytes]) -> None:
    """Add one matrix's operations to a graph: of `x` they make `y<name>`."""
    if codes.bits == 8 and level == _FLOAT32:
        return _add_halves(codes, name, nodes, constants)

    def keep(what: str, array: Array) -> str:
        constants.append(onnx_graph.constant(f"{what}{name}", array))
        return f"{what}{name}"

    inputs = [
        *("x", keep("words", codes.words), keep("scales", codes.scales.reshape(-1))),
        *("", "", "" if codes.bias is None else keep("bias", codes.bias)),
    ]
    while not inputs[-1]:
        inputs.pop()
    nodes.append(
        onnx_graph.node(
            *("MatMulNBits", inputs, [f"y{name}" if codes.rest is None else f"codes{name}"]),
            domain=onnx_graph.MICROSOFT,
            K=codes.inputs,
            N=codes.outputs,
            bits=codes.bits,
            block_size=codes.group,
            accuracy_level=level,
        )
    )
    if codes.rest is None:
        return None
    groups, last = np.array([-1, codes.rest.shape[0], codes.group]), np.array([2])
    nodes += [
        onnx_graph.node("Reshape", ["x", keep("groups", groups)], [f"grouped{name}"]),
        onnx_graph.node(
            *("ReduceSum", [f"grouped{name}", keep("last", last)], [f"sums{name}"]), keepdims=0
        ),
        onnx_graph.node("MatMul", [f"sums{name}", keep("rest", codes.rest)], [f"more{name}"]),
        onnx_graph.node("Add", [f"codes{name}", f"more{name}"], [f"y{name}"]),
    ]
    return None


def _add_halves(codes: Codes, name: str, nodes: list[bytes], constants: list[bytes]) -> None:
    """As `_add`, codes of 8 bits as two of 4."""
    # 16 (high - 8) + (low - 8) is 8 less than the code without the one in the middle.
    rest = np.ascontiguousarray(8 * codes.scales.T)
    if codes.rest is not None:
        rest += codes.rest
    high, low = _nibbles(codes.words >> 4), _nibbles(codes.words & 15)
    halves = (
        Codes(high, codes.scales * 16, rest, 4, codes.bias),
        Codes(low, codes.scales, None, 4),
    )
    for half, part in zip(halves, ("high", "low"), strict=True):
        _add(half, part + name, _FLOAT32, nodes, constants)
    nodes.append(onnx_graph.node("Add", [f"yhigh{name}", f"ylow{name}"], [f"y{name}"]))


def _nibbles(codes: Array) -> Array:
    """Codes of 4 bits, two in a byte."""
    pairs: Array = codes[..., ::2] | codes[..., 1::2] << 4
    return pairs


@functools.cache
def _runtime() -> Any:
    """onnxruntime, with one pool of threads for all sessions: each would make its own, which spin.

    Raises:
        ImportError: it is not installed.
    """
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)  # what fails raises
    onnxruntime.set_global_thread_pool_sizes(max(1, len(os.sched_getaffinity(0))), 1)
    return onnxruntime


def available() -> bool:
    """Whether onnxruntime is installed."""
    try:
        _runtime()
    except Exception as error:  # a library of its own may be missing
        log.warning("Models of few bits are slow here: onnxruntime cannot be used (%s).", error)
        return False
    return True


def _options() -> Any:
    options = _runtime().SessionOptions()
    options.use_per_session_threads = False
    # Each session would keep the memory of its largest pass for itself.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return options
