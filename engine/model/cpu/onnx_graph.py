"""ONNX models of a few operations, written as bytes.

The `onnx` package that usually makes them is larger than all that is made here: a model is a
protobuf message of nested fields, each a number, a text or a message. Field numbers are those of
onnx.proto (IR version 9).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MICROSOFT = "com.microsoft"  # the domain of onnxruntime's own operators

_OPSETS = {"": 18, MICROSOFT: 1}
_IR_VERSION = 9
FLOAT32, INT64 = 1, 7  # what types are called in a model, for `Cast`

_TYPES = {"float32": FLOAT32, "uint8": 2, "int64": INT64}
_FLOAT, _INT = 1, 2  # AttributeProto.AttributeType


Shape = tuple[int | None, ...]  # of an array; a size that varies is None


class Graph:
    """Operations, one after the other.

    What an operation makes has a name, by which later ones take it.
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def keep(self, array: np.ndarray[Any, Any]) -> str:
        """Add an array that is part of the model: of float32, uint8 or int64."""
        name = f"constant{len(self._constants)}"
        self._constants.append(_constant(name, array))
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **settings: int | float) -> str:
        """Add an operation that makes one thing. An input that is left out is ""."""
        return self.split(operator, 1, *inputs, domain=domain, **settings)[0]

    def split(
        self, operator: str, made: int, *inputs: str, domain: str = "", **settings: int | float
    ) -> list[str]:
        """Add an operation that makes several things."""
        names = [f"made{len(self._nodes)}.{n}" for n in range(made)]
        self._nodes.append(_node(operator, inputs, names, domain, settings))
        return names

    def model(self, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]) -> bytes:
        """A whole model, as onnxruntime reads it.

        Args:
            inputs, outputs: names and shapes, all of float32.
        """
        graph = b"".join(
            [
                *(_bytes(1, part) for part in self._nodes),
                _text(2, "graph"),
                *(_bytes(5, part) for part in self._constants),
                *(_bytes(11, _value(name, shape)) for name, shape in inputs.items()),
                *(_bytes(12, _value(name, shape)) for name, shape in outputs.items()),
            ]
        )
        opsets = [_bytes(8, _text(1, name) + _number(2, n)) for name, n in _OPSETS.items()]
        return b"".join([_number(1, _IR_VERSION), _bytes(7, graph), *opsets])


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


def _node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str,
    settings: Mapping[str, int | float],
) -> bytes:
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts.append(_text(4, operator))
    parts += [_bytes(5, _attribute(name, value)) for name, value in settings.items()]
    parts.append(_text(7, domain))
    return b"".join(parts)


def _constant(name: str, array: np.ndarray[Any, Any]) -> bytes:
    parts = [_number(1, size) for size in array.shape]
    parts += [_number(2, _TYPES[str(array.dtype)]), _text(8, name), _bytes(9, array.tobytes())]
    return b"".join(parts)


def _value(name: str, shape: Shape) -> bytes:
    sizes = [
        _number(1, size) if size is not None else _text(2, f"{name} {axis}")
        for axis, size in enumerate(shape)
    ]
    dims = b"".join(_bytes(1, size) for size in sizes)
    tensor = _number(1, FLOAT32) + _bytes(2, dims)
    return _text(1, name) + _bytes(2, _bytes(1, tensor))
