"""What callers ask of the engine thread about models. `engine.messages` has the other commands."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Load:
    path: str
    answer: Future[Any]  # of engine.model.info.Model; it may be cancelled
    told: Callable[[float], None] | None = None  # called with the share of the weights that is read
    adapter: str | None = None  # a folder: a variant of the model is wanted


@dataclass(frozen=True)
class Estimate:
    path: str
    context: int | None
    chats: int
    kv_bits: int | None
    answer: Future[Any]  # of engine.kv.fitting.Fit


@dataclass(frozen=True)
class Unload:
    model_id: str
    answer: Future[None]


@dataclass(frozen=True)
class UnloadIdle:
    after: float | None  # seconds; None for never
    told: Callable[[str], None] | None  # called with the model's id


@dataclass(frozen=True)
class Pin:
    model_id: str
    pinned: bool
