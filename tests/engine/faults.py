"""Injected faults, and replies and loads that are stopped on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from engine import Reply, TextDelta
from engine.model import loader, ragged


class Panic(BaseException):
    """Exception that isn't an `Exception`, like a panic in a native library."""


def first_text(reply: Reply) -> None:
    next(event for event in reply if isinstance(event, TextDelta))


def raise_next(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, error: BaseException, times: int = 1
) -> list[BaseException]:
    usual, left = getattr(where, name), [error] * times

    def sometimes(*args: Any, **options: Any) -> Any:
        if left:
            raise left.pop()
        return usual(*args, **options)

    monkeypatch.setattr(where, name, sometimes)
    return left


class HeldLoads:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        read = loader.read_weights

        def held(net: Any, *_: Any) -> Iterator[None]:
            yield from read(net)
            self.begun.set()
            while not self.may_go_on.is_set():
                yield

        monkeypatch.setattr(loader, "read_weights", held)


def fail_at(monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    """Raise in the pass that decodes the token at `position`, whether or not the chat is in a
    slot.
    """
    from mlx_lm.models import cache

    alone, in_slots = cache.KVCache.update_and_fetch, ragged.SlotKV.update_and_fetch

    def faulty(self: Any, keys: Any, values: Any) -> Any:
        if self.offset == position and keys.shape[2] == 1:
            raise RuntimeError("injected into the forward pass")
        return alone(self, keys, values)

    def faulty_slot(self: Any, keys: Any, values: Any) -> Any:
        if any(row.offset == position for row in self.rows):
            raise RuntimeError("injected into a shared step")
        return in_slots(self, keys, values)

    monkeypatch.setattr(cache.KVCache, "update_and_fetch", faulty)
    monkeypatch.setattr(ragged.SlotKV, "update_and_fetch", faulty_slot)
