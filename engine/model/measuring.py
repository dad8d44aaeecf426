"""What a model was found to be by running it, just after its weights have been read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from engine.kv.cache_objects import Caches
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.slot_policy import policy_for
from engine.kv.slots import Slots
from engine.model import chunk_invariance, hidden, output_rows, probe, vocabulary
from engine.model.backend import device_here


@dataclass(frozen=True)
class Measured:
    """What was found. The attributes are `LoadedModel`'s."""

    make_cache: Callable[[], Caches]
    estimate: MemoryEstimate
    ways: probe.Ways
    token_by_token: bool
    rows: int | None
    body: Any

    def slots(self) -> Slots | None:
        """Where its chats sit together, if they can."""
        return Slots(policy_for(device_here())) if self.ways.slots else None


def measure(net: Any, words: int) -> Generator[None, None, Measured]:
    """All passes that find out what a model can do. Engine thread only.

    Args:
        words: token ids below this are fed.
    """
    from mlx_lm.models.cache import make_prompt_cache

    make_cache = chunk_invariance.wide_enough(net, lambda: make_prompt_cache(net))
    output_rows.install(net, make_cache)
    yield
    estimate, ways = yield from probe.explore(net, make_cache, words)
    token_by_token = yield from chunk_invariance.sees_ahead(net, make_cache, words)
    rows = vocabulary.embedding_rows(net, make_cache)
    yield
    body = hidden.body(net, make_cache)
    yield
    return Measured(make_cache, estimate, ways, token_by_token, rows, body)
