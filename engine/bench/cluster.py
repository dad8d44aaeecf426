"""What a model gains on several machines: the connection's figures, and tokens/s beside one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from engine.cluster.hosts import Host
from engine.cluster.processes import Rank, RankProcesses
from engine.cluster.relay import version_difference
from engine.engine import Engine
from engine.errors import RanksLostError
from engine.model import backend
from engine.params import SamplingParams

PROMPT = "Tell of a river, of those who live beside it, and of what it carries to the sea. " * 8

_WITHIN = 120.0  # seconds for the collectives


class Connection(Struct, frozen=True):
    """What the collectives of a group give."""

    ranks: int
    latency_s: float  # of a sum over all ranks of one number
    step_s: float  # of one of 16 KB, a row's activations in a large model
    bytes_per_s: float  # of an array of 16 MB that is summed over all ranks
    backend: str  # "ring" or "jaccl"


class Speed(Struct, frozen=True):
    """How fast so many chats of a model are answered."""

    ranks: int
    chats: int
    prefill: float  # tokens of prompts read a second, all chats together
    decode: float  # tokens written a second, all chats together


def connection(hosts: Sequence[Host], rounds: int = 500) -> Connection:
    """Measure the collectives of a group, without a model.

    Raises:
        RanksLostError: the group could not be started, or broke down.
    """
    processes = RankProcesses(hosts)
    try:
        ranks = processes.start()
        differs = version_difference(ranks)
        if differs is not None:
            raise RanksLostError(differs)
        processes.send_setup({"trial": rounds})
        found = _figures(ranks)
    finally:
        processes.close()
    return Connection(
        len(hosts),
        found["latency_s"],
        found["step_s"],
        found["large_bytes"] / found["large_s"],
        found["backend"],
    )


def _figures(ranks: Sequence[Rank]) -> dict[str, Any]:
    deadline = time.monotonic() + _WITHIN
    while time.monotonic() < deadline:
        for rank in ranks:
            try:
                told = rank.link.receive(False) if rank.link.poll(0.05) else {}
            except (OSError, EOFError, ValueError):
                raise RanksLostError(f"{rank.label(len(ranks))} has gone.") from None
            if "fault" in told:
                raise RanksLostError(f"{rank.label(len(ranks))} failed: {told['fault']}")
            if "figures" in told:
                figures: dict[str, Any] = told["figures"]
                return figures
    raise RanksLostError(f"The ranks did not find each other within {_WITHIN:.0f} seconds.")


def speeds(
    ranks: int | Sequence[Host], model: str, chats: Sequence[int], tokens: int
) -> list[Speed]:
    """Answer in so many chats at the same time, on an engine of these ranks.

    Args:
        model: a folder or hub id.
        tokens: of each answer, at most.

    Raises:
        EngineError: the model could not be loaded there, or a rank was lost.
    """
    count = ranks if isinstance(ranks, int) else len(ranks)
    found = []
    with Engine(ranks=ranks) as engine:
        loaded = engine.load(model)
        _speed(engine, loaded, count, 1, 4)  # the first steps make kernels
        for number in chats:
            found.append(_speed(engine, loaded, count, number, tokens))
    return found


def _speed(engine: Engine, model: Any, ranks: int, chats: int, tokens: int) -> Speed:
    replies, sessions = [], []
    began = time.perf_counter()
    for number in range(chats):
        session = engine.open_session(model)
        sessions.append(session)
        params = SamplingParams(max_tokens=tokens, temperature=1.0, seed=number)
        # Each its own prompt: what they share would be read once.
        replies.append(session.send(f"Chat {number}. {PROMPT}", params))
    firsts, lasts, read, written = [], [], 0, 0
    for reply in replies:
        reply.text()
        stats = reply.stats
        assert stats is not None
        firsts.append(stats.ttft_s)
        lasts.append(stats.ttft_s + stats.decode_s)
        read += stats.prompt_tokens - stats.reused_tokens
        written += stats.generated_tokens
    whole = time.perf_counter() - began
    for session in sessions:
        session.close()
    return Speed(ranks, chats, read / max(firsts), written / max(1e-9, whole - min(firsts)))


def run(
    hosts: Sequence[Host],
    model: str,
    chats: Sequence[int],
    tokens: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Measure all of it and say it; returns the figures for programs.

    Raises:
        EngineError: it could not be done on these hosts.
    """
    backend.start()  # before anything imports MLX
    link = connection(hosts)
    say(connection_line(link))
    say("| ranks | chats | read | written |")
    say("|---|---|---|---|")
    found = []
    for ranks in (hosts, 1):
        for speed in speeds(ranks, model, chats, tokens):
            found.append(speed)
            say(
                f"| {speed.ranks} | {speed.chats} | {speed.prefill:,.0f} tokens/s "
                f"| {speed.decode:,.1f} tokens/s |"
            )
    return {"connection": to_builtins(link), "speeds": [to_builtins(speed) for speed in found]}


def connection_line(link: Connection) -> str:
    """The connection's figures in one line."""
    return (
        f"{link.ranks} ranks by {link.backend}: {link.latency_s * 1e6:,.0f} µs for one number, "
        f"{link.step_s * 1e6:,.0f} µs for a row of 16 KB, {link.bytes_per_s / 1e9:.2f} GB/s"
    )
