"""Chunks of prompts that are read in one pass: beside a decode step, or several together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.kv.cache_objects import Caches, leaves
from engine.kv.session_kv import SessionKV


@dataclass(frozen=True)
class Reading:
    """The next tokens of a session's prompt.

    Attributes:
        ends: the last of them is the prompt's last, and what follows it is wanted.
    """

    kv: SessionKV
    tokens: list[int]
    ends: bool = False


def rows_of(readings: Sequence[Reading]) -> mx.array:
    """The tokens of all of them, as rows of one token each: `[tokens, 1]`."""
    return mx.array([token for r in readings for token in r.tokens], mx.uint32)[:, None]


def reading_caches(readings: Sequence[Reading]) -> list[tuple[Caches, int]]:
    """What `ragged.share_caches` must know of them."""
    return [(r.kv.layers, len(r.tokens)) for r in readings]


def ends_of(readings: Sequence[Reading], first: int) -> list[int]:
    """Which rows of a pass are the last of a prompt that ends; those of prompts are from `first`.

    In the order of the prompts.
    """
    ends = []
    for reading in readings:
        first += len(reading.tokens)
        if reading.ends:
            ends.append(first - 1)
    return ends


def note_read(readings: Sequence[Reading]) -> None:
    """Wait until they have been read, and note it."""
    if readings:
        mx.eval([list(leaves(r.kv.layers)) for r in readings])
    for reading in readings:
        reading.kv.note_read(reading.tokens, alone=False)
