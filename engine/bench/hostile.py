"""Robustness benchmark: gaps of three streaming chats while another chat sends hostile input."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from engine.bench.hostile_images import IMAGES
from engine.bench.hostile_inputs import INPUTS, Ask, Input
from engine.bench.subject import Stream, Subject, gaps, send_timed
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.runtime.pacing import GAP_BUDGET

PATIENCE = 120.0  # timeout per input in seconds

AFTERWARDS = 1.0  # seconds to keep measuring after an input has ended

_NEIGHBOURS = 3
_PROMPT = 64  # prompt length of the streaming chats in tokens
_STEADY = 24  # tokens that each chat must have streamed before the input is sent


class Ordeal(Struct, frozen=True):
    """Outcome of an input, and its effect on other chats. Times are in seconds."""

    fault: str  # number of the fault, as in `hostile_inputs.Input`
    name: str
    # Delays between tokens in the other chats, until a second after the input has ended.
    median: float
    longest: float
    code: str  # error code, or "" on success
    words: str  # error message
    took: float  # time taken by the input, in seconds
    expected: bool  # True if the input returned the expected error code

    @property
    def bound(self) -> float:
        """Longest acceptable gap: the median plus two gap budgets."""
        return self.median + 2 * GAP_BUDGET

    @property
    def is_within_bound(self) -> bool:
        return self.longest <= self.bound


def ordeals(running: Subject, note: Callable[[str], None]) -> Iterator[Ordeal]:
    with tempfile.TemporaryDirectory() as scratch:
        for number, hostile in enumerate((*INPUTS, *IMAGES)):
            note(f"another chat {hostile.name} …")
            root = Path(scratch) / str(number)
            root.mkdir()
            # Writing and loading models isn't part of the measurement.
            ask = hostile.prepare(root, running.engine)
            yield _ordeal(running, hostile, ask)


def _ordeal(running: Subject, hostile: Input, ask: Ask) -> Ordeal:
    with _streaming(running) as streams:
        started_at = time.perf_counter()
        error: EngineError | None = None
        outcome = ask(running.engine, running.model)
        try:
            outcome(PATIENCE)
        except EngineError as refusal:
            error = refusal
        ended_at = time.perf_counter()
        time.sleep(AFTERWARDS)
        watched = time.perf_counter()
        if any(s.reply is not None and s.reply.done for s in streams):
            raise RuntimeError(f"a neighbour's reply ended while another chat {hostile.name}")
    all_gaps: list[float] = []
    for stream in streams:
        # Include the delay during which the input was sent, and a delay that hasn't ended yet.
        moments = [m for m in stream.times() if m <= watched]
        before = [m for m in moments if m <= started_at][-1:]
        all_gaps += gaps([*before, *(m for m in moments if m > started_at), watched])
    return Ordeal(
        hostile.fault,
        hostile.name,
        statistics.median(all_gaps),
        max(all_gaps),
        error.code if error is not None else "",
        error.message if error is not None else "",
        ended_at - started_at,
        (error.code if error is not None else "") == hostile.code,
    )


@contextmanager
def _streaming(it: Subject) -> Iterator[list[Stream]]:
    endless = SamplingParams(max_tokens=1_000_000, temperature=0.0, logit_bias={2: -1e9})
    sessions = [it.engine.open_session(it.model) for _ in range(_NEIGHBOURS)]
    streams = [send_timed(s, it.text(_PROMPT, salt), endless) for salt, s in enumerate(sessions)]
    try:
        while min(len(s.moments) for s in streams) < _STEADY:
            if any(s.reply is not None and s.reply.done for s in streams):
                raise RuntimeError("a neighbour's reply has ended before anything came")
            time.sleep(0.01)
        yield streams
    finally:
        for stream in streams:
            if stream.reply is not None:
                stream.reply.cancel()
        for session in sessions:
            session.close()
