"""The C library's structs as ctypes or NumPy types. Loading the library checks their sizes."""

from __future__ import annotations

import ctypes

import numpy as np


class MatrixStruct(ctypes.Structure):
    """`Matrix` of layout.h."""

    _fields_ = (
        ("outputs", ctypes.c_int32),
        ("inputs", ctypes.c_int32),
        ("group", ctypes.c_int32),
        ("bits", ctypes.c_int32),
        ("scale_kind", ctypes.c_int32),
        ("has_table", ctypes.c_int32),
        ("table", ctypes.c_uint8 * 16),
        ("offset", ctypes.c_float),
        ("codes", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("biases", ctypes.c_void_p),
        ("added", ctypes.c_void_p),
    )


class LayerStruct(ctypes.Structure):
    """`Layer` of decoder.h."""

    _fields_ = (
        ("heads", ctypes.c_int32),
        ("key_heads", ctypes.c_int32),
        ("head_width", ctypes.c_int32),
        ("rotated", ctypes.c_int32),
        ("is_interleaved", ctypes.c_int32),
        ("activation", ctypes.c_int32),
        ("epsilon", ctypes.c_float),
        ("head_epsilon", ctypes.c_float),
        ("score_scale", ctypes.c_float),
        ("score_cap", ctypes.c_float),
        ("cosines", ctypes.c_void_p),
        ("sines", ctypes.c_void_p),
        ("attention_norm", ctypes.c_void_p),
        ("mlp_norm", ctypes.c_void_p),
        ("attention_post_norm", ctypes.c_void_p),
        ("mlp_post_norm", ctypes.c_void_p),
        ("query_norm", ctypes.c_void_p),
        ("key_norm", ctypes.c_void_p),
        ("query_key_value", ctypes.c_void_p * 3),
        ("gate_up", ctypes.c_void_p * 2),
        ("out", ctypes.c_void_p),
        ("down", ctypes.c_void_p),
    )


class DecoderStruct(ctypes.Structure):
    """`Decoder` of decoder.h."""

    _fields_ = (
        ("width", ctypes.c_int32),
        ("layer_count", ctypes.c_int32),
        ("mlp_width", ctypes.c_int32),
        ("epsilon", ctypes.c_float),
        ("layers", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("table_scale", ctypes.c_float),
        ("final_norm", ctypes.c_void_p),
        ("head", ctypes.c_void_p),
    )


class StepStruct(ctypes.Structure):
    """`Step` of decoder.h."""

    _fields_ = (
        ("rows", ctypes.c_int64),
        ("tokens", ctypes.c_void_p),
        ("embeddings", ctypes.c_void_p),
        ("spans", ctypes.c_void_p),
        ("span_count", ctypes.c_int64),
        ("segments", ctypes.c_void_p),
        ("segment_count", ctypes.c_int64),
        ("wanted", ctypes.c_void_p),
        ("wanted_count", ctypes.c_int64),
        ("hidden", ctypes.c_void_p),
        ("logits", ctypes.c_void_p),
    )


class ChoiceStruct(ctypes.Structure):
    """`Choice` of api.h."""

    _fields_ = (
        ("logits", ctypes.c_void_p),
        ("uniform", ctypes.c_double),
        ("token", ctypes.c_int64),
        ("top_k", ctypes.c_int64),
        ("temperature", ctypes.c_float),
        ("min_p", ctypes.c_float),
        ("typical_p", ctypes.c_float),
        ("top_p", ctypes.c_float),
        ("xtc_threshold", ctypes.c_float),
    )


SEGMENT = np.dtype(
    [
        *((name, "u8") for name in ("keys", "values")),
        *((name, "i8") for name in ("head_stride", "token_stride", "position", "count")),
    ]
)
"""`Segment` of decoder.h: one layer's keys and values for a run of positions of a session."""

SPAN = np.dtype(
    [(name, "i8") for name in ("first_row", "rows", "position", "first_segment", "segments")]
)
"""`Span` of decoder.h: a run of rows that are consecutive tokens of the same session."""


def struct_sizes() -> list[int]:
    mirrored = MatrixStruct, LayerStruct, DecoderStruct, StepStruct, ChoiceStruct
    return [*map(ctypes.sizeof, mirrored), SEGMENT.itemsize, SPAN.itemsize]
