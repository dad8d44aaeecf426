"""Cluster benchmark: connection speed, and tokens/s compared with a single machine."""

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

_WITHIN = 120.0  # timeout in seconds for measuring collectives


class CollectiveSpeed(Struct, frozen=True):
    ranks: int
    latency_s: float  # all-reduce of a single number
    step_s: float  # all-reduce of 16 KB, i.e. one row of activations in a large model
    bytes_per_s: float  # all-reduce of 16 MB
    backend: str  # "ring" or "jaccl"


class Speed(Struct, frozen=True):
    ranks: int
    chats: int
    prefill: float  # total prompt tokens/s of all chats
    decode: float  # total generated tokens/s of all chats


def measure_connection(hosts: Sequence[Host], rounds: int = 500) -> CollectiveSpeed:
    """Measure the collectives of a group, without loading a model.

    Raises:
        RanksLostError: if the group couldn't be started, or a rank failed.
    """
    processes = RankProcesses(hosts)
    try:
        ranks = processes.start()
        differs = version_difference(ranks)
        if differs is not None:
            raise RanksLostError(differs)
        processes.send_setup({"trial": rounds})
        figures = _figures(ranks)
    finally:
        processes.close()
    return CollectiveSpeed(
        len(hosts),
        figures["latency_s"],
        figures["step_s"],
        figures["large_bytes"] / figures["large_s"],
        figures["backend"],
    )


def _figures(ranks: Sequence[Rank]) -> dict[str, Any]:
    deadline = time.monotonic() + _WITHIN
    while time.monotonic() < deadline:
        for rank in ranks:
            try:
                message = rank.link.receive(False) if rank.link.poll(0.05) else {}
            except (OSError, EOFError, ValueError):
                raise RanksLostError(f"{rank.label(len(ranks))} has gone.") from None
            if "fault" in message:
                raise RanksLostError(f"{rank.label(len(ranks))} failed: {message['fault']}")
            if "figures" in message:
                figures: dict[str, Any] = message["figures"]
                return figures
    raise RanksLostError(f"The ranks did not find each other within {_WITHIN:.0f} seconds.")


def measure_speeds(
    ranks: int | Sequence[Host], model: str, chats: Sequence[int], tokens: int
) -> list[Speed]:
    """Measure the throughput for each number of concurrent chats.

    Raises:
        EngineError: if the model couldn't be loaded, or a rank was lost.
    """
    count = ranks if isinstance(ranks, int) else len(ranks)
    speeds = []
    with Engine(ranks=ranks) as engine:
        loaded = engine.load(model)
        _measure_speed(
            engine, loaded, count, 1, 4
        )  # warm up, because the first steps compile kernels
        for number in chats:
            speeds.append(_measure_speed(engine, loaded, count, number, tokens))
    return speeds


def _measure_speed(engine: Engine, model: Any, ranks: int, chats: int, tokens: int) -> Speed:
    replies, sessions = [], []
    started_at = time.perf_counter()
    for number in range(chats):
        session = engine.open_session(model)
        sessions.append(session)
        params = SamplingParams(max_tokens=tokens, temperature=1.0, seed=number)
        # Start each prompt differently, because a common prefix would be prefilled only once.
        replies.append(session.send(f"Chat {number}. {PROMPT}", params))
    firsts, lasts, read, generated = [], [], 0, 0
    for reply in replies:
        reply.text()
        stats = reply.stats
        assert stats is not None
        firsts.append(stats.ttft_s)
        lasts.append(stats.ttft_s + stats.decode_s)
        read += stats.prompt_tokens - stats.reused_tokens
        generated += stats.generated_tokens
    duration = time.perf_counter() - started_at
    for session in sessions:
        session.close()
    return Speed(ranks, chats, read / max(firsts), generated / max(1e-9, duration - min(firsts)))


def run(
    hosts: Sequence[Host],
    model: str,
    chats: Sequence[int],
    tokens: int,
    say: Callable[[str], None],
) -> dict[str, Any]:
    backend.start()  # must precede any import of MLX
    link = measure_connection(hosts)
    say(connection_line(link))
    say("| ranks | chats | read | written |")
    say("|---|---|---|---|")
    speeds = []
    for ranks in (hosts, 1):
        for speed in measure_speeds(ranks, model, chats, tokens):
            speeds.append(speed)
            say(
                f"| {speed.ranks} | {speed.chats} | {speed.prefill:,.0f} tokens/s "
                f"| {speed.decode:,.1f} tokens/s |"
            )
    return {"connection": to_builtins(link), "speeds": [to_builtins(speed) for speed in speeds]}


def connection_line(link: CollectiveSpeed) -> str:
    return (
        f"{link.ranks} ranks by {link.backend}: {link.latency_s * 1e6:,.0f} µs for one number, "
        f"{link.step_s * 1e6:,.0f} µs for a row of 16 KB, {link.bytes_per_s / 1e9:.2f} GB/s"
    )
