"""Faults in the forward pass."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model import ragged


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
