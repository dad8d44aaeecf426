"""Artificially tight limits for random schedules: short prefixes, short context, little memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.engine import Engine
from engine.errors import CAPACITY_EXHAUSTED, EngineError
from engine.model import folder
from engine.params import SamplingParams


@contextmanager
def short_prefixes(tokens: int) -> Iterator[None]:
    # Imported here because this imports MLX, which the engine has to import first.
    from engine.cache import shared_prefix

    original = shared_prefix.MIN_TOKENS
    shared_prefix.MIN_TOKENS = tokens
    try:
        yield
    finally:
        shared_prefix.MIN_TOKENS = original


@contextmanager
def short_context(tokens: int) -> Iterator[None]:
    original = folder.context_length
    folder.context_length = lambda *_: tokens
    try:
        yield
    finally:
        folder.context_length = original


def tight_budget(engine: Engine, folder: Path, chats: int, tokens: int, ranks: int = 1) -> int:
    """Return a memory budget for a model and about `chats` chats of `tokens` tokens.

    The budget grows until at least one chat of that length is admitted.

    Args:
        ranks: number of local ranks of `engine`. The budget is for all ranks together.
    """
    model = engine.load(folder)
    chat = engine.open_session(model)
    chat.send("la " * (tokens // 4), SamplingParams(max_tokens=4, seed=1)).tokens()
    size = ranks * int(engine.stats()["sessions"][chat.id]["kv_bytes"])
    engine.unload(model)
    budget = ranks * model.nbytes + chats * size
    while not _holds(budget, folder, tokens, ranks):
        budget += chats * size
    return budget


def _holds(budget: int, folder: Path, tokens: int, ranks: int) -> bool:
    with Engine(budget, ranks=ranks) as engine:
        reply = engine.open_session(engine.load(folder)).send(
            "la", SamplingParams(max_tokens=tokens, seed=1)
        )
        try:
            reply.tokens()
        except EngineError as error:
            if error.code == CAPACITY_EXHAUSTED:
                return False
            raise
    return True
