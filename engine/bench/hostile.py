"""How long three streaming chats are silent while somebody else sends what is hostile."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from engine.bench.hostile_images import IMAGES
from engine.bench.hostile_inputs import INPUTS, Ask, Input
from engine.bench.hostile_server import Rival, Rivals
from engine.bench.subject import Stream, Subject, gaps, timed
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.runtime.pacing import GAP_BUDGET

PATIENCE = 120.0  # seconds until an input must have ended

AFTERWARDS = 1.0  # seconds in which the neighbours are still watched when an input has ended

_NEIGHBOURS = 3
_PROMPT = 64  # tokens of a neighbour's prompt
_STEADY = 24  # tokens that each neighbour has before the input comes


class Ordeal(Struct, frozen=True):
    """What one input did to its neighbours, and how it ended. All times are in seconds."""

    fault: str  # see `hostile_inputs.Input`
    name: str
    # median, longest: the neighbours' gaps between two tokens from its coming to its end, and for a
    # second after that
    median: float
    longest: float
    code: str  # of the error that it ended with; "" where it ended well
    words: str  # of that error
    took: float  # until it had ended
    expected: bool  # whether that was the code to be expected
    # the same of `mlx_lm.server`; None where it takes no such input, or was not asked
    server: Rival | None = None

    @property
    def bound(self) -> float:
        """The longest gap that is acceptable: two gap budgets beyond the median."""
        return self.median + 2 * GAP_BUDGET

    @property
    def held(self) -> bool:
        """Whether no gap was longer than that."""
        return self.longest <= self.bound


def ordeals(
    it: Subject,
    note: Callable[[str], None],
    rivals: Rivals | None = None,
) -> Iterator[Ordeal]:
    """Give the engine every input in its turn, while three chats of the subject stream.

    After it, and while it has nothing to do, `rivals` get the same.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for number, given in enumerate((*INPUTS, *IMAGES)):
            note(f"another chat {given.name} …")
            root = Path(scratch) / str(number)
            root.mkdir()
            # Writing and loading models takes the machine, too. It is not what is measured.
            ask = given.prepare(root, it.engine)
            ordeal = _ordeal(it, given, ask)
            if rivals is not None:
                note(f"another client of mlx_lm.server {given.name} …")
                ordeal = replace(ordeal, server=rivals(given, root))
            yield ordeal


def _ordeal(it: Subject, given: Input, ask: Ask) -> Ordeal:
    with _streaming(it) as streams:
        began = time.perf_counter()
        error: EngineError | None = None
        outcome = ask(it.engine, it.model)
        try:
            outcome(PATIENCE)
        except EngineError as refusal:
            error = refusal
        ended = time.perf_counter()
        time.sleep(AFTERWARDS)
        watched = time.perf_counter()
        if any(s.reply is not None and s.reply.done for s in streams):
            raise RuntimeError(f"a neighbour's reply ended while another chat {given.name}")
    found: list[float] = []
    for stream in streams:
        # The gap in which it came, and one that has not ended, count too.
        moments = [m for m in stream.times() if m <= watched]
        before = [m for m in moments if m <= began][-1:]
        found += gaps([*before, *(m for m in moments if m > began), watched])
    return Ordeal(
        given.fault,
        given.name,
        statistics.median(found),
        max(found),
        error.code if error is not None else "",
        error.message if error is not None else "",
        ended - began,
        (error.code if error is not None else "") == given.code,
    )


@contextmanager
def _streaming(it: Subject) -> Iterator[list[Stream]]:
    """Three chats, each of which has some tokens already."""
    endless = SamplingParams(max_tokens=1_000_000, temperature=0.0, logit_bias={2: -1e9})
    sessions = [it.engine.open_session(it.model) for _ in range(_NEIGHBOURS)]
    streams = [timed(s, it.text(_PROMPT, salt), endless) for salt, s in enumerate(sessions)]
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
