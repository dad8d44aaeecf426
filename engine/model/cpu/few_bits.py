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
import itertools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from engine.model.cpu import onnx_graph
from engine.model.cpu.onnx_graph import Graph, Shape

log = logging.getLogger(__name__)

Array = np.ndarray[Any, Any]

GROUPS = (16, 32, 64, 128, 256)  # weights that may share a scale

ROWS_AT_ONCE = 4096  # rows of a matrix that are unpacked at a time

ONE_BY_ONE = 2
"""Up to so many rows are multiplied one by one, since for more the operator unpacks the codes into
float32 first. Of a matrix 3,072 x 576 one row takes 117 microseconds of one core, two in one call
380, eight 540."""

_SMALLEST = 1e-30  # no scale of rounded activations is smaller, so that none is 0

_FLOAT32, _INT8 = 1, 4  # the operator's `accuracy_level`: in what activations are multiplied


class Codes(Struct, frozen=True):
    """A matrix `[outputs, inputs]` in whole codes."""

    # `[outputs, groups, group * bits / 8]`, bytes; of two codes the first is the low half
    words: Array
    scales: Array  # `[outputs, groups]`, float32
    # what is to be added for each unit of a group's sum where the code in the middle, 8 or 128,
    # stands for 0: `[groups, outputs]`; None where that is nothing
    rest: Array | None
    bits: int  # 4 or 8
    bias: Array | None = None  # added to the outputs; None where there is none

    @property
    def outputs(self) -> int:
        return int(self.words.shape[0])

    @property
    def group(self) -> int:
        return int(self.words.shape[2]) * 8 // self.bits

    @property
    def inputs(self) -> int:
        return int(self.words.shape[1]) * self.group


class Format(Struct, frozen=True):
    """How MLX keeps weights in few bits: the settings of a quantised layer."""

    mode: str
    bits: int
    group: int

    @classmethod
    def of(cls, layer: Any) -> Format:
        return cls(layer.mode, layer.bits, layer.group_size)


def codes_of(arrays: Mapping[str, mx.array], form: Format) -> Codes | None:
    """The codes of a quantised matrix; None where its format cannot be taken.

    Args:
        arrays: "weight", "scales" and what else its format has, as a quantised layer has them.
    """
    if form.group not in GROUPS or arrays.get("global_scale") is not None:
        return None
    bias = _numpy(arrays["bias"]) if "bias" in arrays else None
    weight, scales, group = arrays["weight"], arrays["scales"], form.group
    if form.mode == "affine":
        return _affine(weight, scales, arrays["biases"], group, form.bits, bias)
    if form.mode in _SCALES:
        return _floating(weight, scales, form, bias)
    if form.mode == "mxfp8":  # 240 values of unlike distances: rounded to 256 of like ones
        wide = mx.dequantize(weight, scales, None, group, form.bits, mode=form.mode)
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


def _floating(weight: mx.array, scales: mx.array, form: Format, bias: Array | None) -> Codes:
    """Of 0, 0.5, 1, 1.5, 2, 3, 4 and 6 of both signs, which are whole in halves."""
    units = _SCALES[form.mode](scales)

    def halves(rows: slice) -> mx.array:
        wide = mx.dequantize(
            *(weight[rows], scales[rows], None, form.group, form.bits),
            mode=form.mode,
            dtype=mx.float32,
        )
        unit = mx.repeat(units[rows], form.group, axis=1)
        return mx.where(unit == 0, 0, wide / unit) * 2 + 128

    scale = _numpy(units) / 2
    words = _packed(halves, weight.shape[0], 8).reshape(*scale.shape, form.group)
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


class Session:
    """A graph that is ready to run; inputs and outputs are names and shapes, all of float32.

    Raises:
        RuntimeError: onnxruntime does not take it.
    """

    def __init__(
        self, graph: Graph, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
    ) -> None:
        made = graph.model(inputs, outputs)
        try:
            session = _runtime().InferenceSession(made, _options(), ["CPUExecutionProvider"])
        except Exception as error:  # classes of its own, which have no common one
            raise RuntimeError(f"onnxruntime refuses a matrix: {error}") from None
        session._model_bytes = None  # it would hold all weights once more, to begin again with
        self._run = session.run
        self._nothing = {
            name: np.empty([size or 0 for size in shape], np.float32)
            for name, shape in inputs.items()
        }

    def __call__(self, wanted: Sequence[str], given: Mapping[str, Array]) -> list[Array]:
        """Outputs of some names; inputs that are not given are empty."""
        found: list[Array] = self._run(wanted, {**self._nothing, **given})
        return found

    def by_rows(self, wanted: Sequence[str], given: Mapping[str, Array]) -> list[Array]:
        """The same where all inputs have as many rows, few of which are computed one by one."""
        rows = len(next(iter(given.values())))
        if not 1 < rows <= ONE_BY_ONE:
            return self(wanted, given)
        each = [
            self(wanted, {name: x[row : row + 1] for name, x in given.items()})
            for row in range(rows)
        ]
        return [np.concatenate(same) for same in zip(*each, strict=True)]


class Product:
    """Products of one input with one or several matrices, which a session computes.

    Args:
        entrance: the input's name.
        made: the outputs' names: of each matrix one, or one of all side by side.
        inputs, outputs: of the matrices.
    """

    def __init__(
        self,
        session: Session,
        entrance: str,
        made: Sequence[str],
        inputs: int,
        outputs: Sequence[int],
    ) -> None:
        self.inputs, self.outputs = inputs, tuple(outputs)
        self._session, self._entrance, self._made = session, entrance, made

    def __call__(self, x: Array) -> list[Array]:
        """`x @ matrix.T` `[rows, outputs]` for each matrix; `x` is `[rows, inputs]`, float32."""
        return apart(self._session.by_rows(self._made, {self._entrance: x}), self.outputs)


def product(matrices: Sequence[Codes], rounded: bool = False) -> Product:
    """A session of products only.

    Args:
        matrices: of the same number of inputs.
        rounded: activations are rounded to twice 8 bits, each row and group by scales of its own,
            which is faster up to some sixteen rows.

    Raises:
        RuntimeError: onnxruntime does not take them.
    """
    graph, inputs = Graph(), matrices[0].inputs
    if rounded:
        made = [_in_two(graph, "x", codes) for codes in matrices]
    else:
        made = multiplied(graph, "x", matrices)
    widths = [m.outputs for m in matrices]
    session = Session(graph, {"x": (None, inputs)}, shapes_of(made, widths))
    return Product(session, "x", made, inputs, widths)


def shapes_of(made: Sequence[str], widths: Sequence[int]) -> dict[str, Shape]:
    """The shapes of matrices' outputs, which may be side by side in one, by name."""
    whole = widths if len(made) == len(widths) else [sum(widths)]
    return {name: (None, width) for name, width in zip(made, whole, strict=True)}


def apart(found: list[Array], widths: Sequence[int]) -> list[Array]:
    """Several matrices' outputs, which may be side by side in one."""
    if len(found) == len(widths):
        return found
    ends = list(itertools.accumulate(widths))
    return [found[0][:, end - width : end] for end, width in zip(ends, widths, strict=True)]


def multiplied(graph: Graph, x: str, matrices: Sequence[Codes]) -> list[str]:
    """Add the products of `x` with several matrices: one name each, or one of all side by side.

    Each operation takes some microseconds to begin, so one matrix is better than three.
    """
    return [_times(graph, x, codes, _FLOAT32) for codes in _joined(matrices)]


def each(graph: Graph, made: list[str], widths: Sequence[int]) -> list[str]:
    """Add the parting of what `multiplied` made, where that is side by side: one name each."""
    if len(made) == len(widths):
        return made
    return graph.split("Split", len(widths), made[0], graph.keep(np.array(widths)), axis=1)


def gated(graph: Graph, gate: str, up: str) -> str:
    """Add `silu(gate) * up`."""
    silu = graph.add("QuickGelu", gate, domain=onnx_graph.MICROSOFT, alpha=1.0)
    return graph.add("Mul", silu, up)


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


def _in_two(graph: Graph, x: str, codes: Codes) -> str:
    """Add the product of rows that are rounded to 8 bits, and of what they then lack.

    The first half of the operator's rows have whole numbers times a scale in each group.
    """
    groups = codes.inputs // codes.group
    last = graph.keep(np.array([2]))
    grouped = graph.add("Reshape", x, graph.keep(np.array([-1, groups, codes.group])))
    largest = graph.add("ReduceMax", graph.add("Abs", grouped), last)
    scale = graph.add("Div", largest, graph.keep(np.array([127], np.float32)))
    scale = graph.add("Max", scale, graph.keep(np.array([_SMALLEST], np.float32)))
    whole = graph.add("Mul", graph.add("Round", graph.add("Div", grouped, scale)), scale)
    first = graph.add("Reshape", whole, graph.keep(np.array([-1, codes.inputs])))
    both = graph.add("Concat", first, graph.add("Sub", x, first), axis=0)
    halves = _times(graph, both, replace(codes, bias=None), _INT8)
    rows, all_rows = (graph.add("Shape", of, start=0, end=1) for of in (x, halves))
    out = graph.add(
        "Add",
        cut(graph, halves, graph.keep(np.array([0])), rows),
        cut(graph, halves, rows, all_rows),
    )
    return out if codes.bias is None else graph.add("Add", out, graph.keep(codes.bias))


def cut(graph: Graph, x: str, first: str, end: str) -> str:
    """Add the choice of some rows."""
    return graph.add("Slice", x, first, end, graph.keep(np.array([0])))


def _times(graph: Graph, x: str, codes: Codes, level: int) -> str:
    """Add a product of `x` with one matrix."""
    if codes.bits == 8 and level == _FLOAT32:
        return _times_halves(graph, x, codes)
    bias = () if codes.bias is None else ("", "", graph.keep(codes.bias))
    made = graph.add(
        "MatMulNBits",
        *(x, graph.keep(codes.words), graph.keep(codes.scales.reshape(-1))),
        *bias,
        domain=onnx_graph.MICROSOFT,
        K=codes.inputs,
        N=codes.outputs,
        bits=codes.bits,
        block_size=codes.group,
        accuracy_level=level,
    )
    if codes.rest is None:
        return made
    groups = np.array([-1, codes.rest.shape[0], codes.group])
    grouped = graph.add("Reshape", x, graph.keep(groups))
    sums = graph.add("ReduceSum", grouped, graph.keep(np.array([2])), keepdims=0)
    return graph.add("Add", made, graph.add("MatMul", sums, graph.keep(codes.rest)))


def _times_halves(graph: Graph, x: str, codes: Codes) -> str:
    """As `_times`, codes of 8 bits as two of 4."""
    # 16 (high - 8) + (low - 8) is 8 less than the code without the one in the middle.
    rest = np.ascontiguousarray(8 * codes.scales.T)
    if codes.rest is not None:
        rest += codes.rest
    high, low = _nibbles(codes.words >> 4), _nibbles(codes.words & 15)
    halves = (
        Codes(high, codes.scales * 16, rest, 4, codes.bias),
        Codes(low, codes.scales, None, 4),
    )
    return graph.add("Add", *(_times(graph, x, half, _FLOAT32) for half in halves))


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
