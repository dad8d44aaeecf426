"""ONNX models of a few operations, written as bytes.

The `onnx` package that usually makes them is larger than all that is made here: a model is a
protobuf message of nested fields, each a number, a text or a message. Field numbers are those of
onnx.proto (IR version 9).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators."""

_OPSETS = {"": 17, MICROSOFT: 1}
_IR_VERSION = 9
_TYPES = {"float32": 1, "uint8": 2, "int64": 7}
_FLOAT, _INT = 1, 2  # AttributeProto.AttributeType


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # negative numbers are two's complement in 64 bits
    out = bytearray()
    while True:
        low, number = number & 127, number >> 7
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _attribute(name: str, value: int | float) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _INT)


def node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str = "",
    **attributes: int | float,
) -> bytes:
    """One operation. An input that is left out is ""."""
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts.append(_text(4, operator))
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    parts.append(_text(7, domain))
    return b"".join(parts)


def constant(name: str, array: np.ndarray[Any, Any]) -> bytes:
    """An array that is part of the model: of float32, uint8 or int64."""
    parts = [_number(1, size) for size in array.shape]
    parts += [_number(2, _TYPES[str(array.dtype)]), _text(8, name), _bytes(9, array.tobytes())]
    return b"".join(parts)


def value(name: str, *shape: int | str) -> bytes:
    """A float32 input or output of the model; a size that varies has a name."""
    sizes = [_number(1, s) if isinstance(s, int) else _text(2, s) for s in shape]
    dims = b"".join(_bytes(1, size) for size in sizes)
    tensor = _number(1, _TYPES["float32"]) + _bytes(2, dims)
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def model(
    nodes: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    constants: Sequence[bytes],
) -> bytes:
    """A whole model, as onnxruntime reads it."""
    graph = b"".join(
        [
            *(_bytes(1, part) for part in nodes),
            _text(2, "graph"),
            *(_bytes(5, part) for part in constants),
            *(_bytes(11, part) for part in inputs),
            *(_bytes(12, part) for part in outputs),
        ]
    )
    opsets = [_bytes(8, _text(1, name) + _number(2, version)) for name, version in _OPSETS.items()]
    return b"".join([_number(1, _IR_VERSION), _bytes(7, graph), *opsets])
