"""Gaps between the tokens of three streaming chats while another chat sends hostile input.

The longest gap should exceed the median by at most two gap budgets. Only an unexpected result of an
input counts as a failure, because gaps depend on the machine's load.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.bench.subject import Stream, Subject, gaps, send_timed, subject
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.runtime.pacing import GAP_BUDGET
from tests.engine.hostile import INPUTS, Ask, Input
from tests.engine.hostile_images import IMAGES

PATIENCE = 120.0  # timeout per input in seconds
AFTERWARDS = 1.0  # seconds to keep measuring after an input has ended
NEIGHBORS = 3
PROMPT = 64  # prompt length of the streaming chats in tokens
STEADY = 24  # tokens that each chat must have streamed before the input is sent


def main(arguments: list[str]) -> int:
    unexpected = 0
    print(f"{'another chat':<40} {'median':>7} {'longest':>8} {'bar':>6}  ms, {'s':>5}")
    with (
        subject(*arguments or ["random:tiny"]) as running,
        tempfile.TemporaryDirectory() as scratch,
    ):
        for number, given in enumerate((*INPUTS, *IMAGES)):
            root = Path(scratch) / str(number)
            root.mkdir()
            # Writing and loading models isn't part of the measurement.
            unexpected += not send_hostile(running, given, given.prepare(root, running.engine))
    return 1 if unexpected else 0


def send_hostile(running: Subject, given: Input, ask: Ask) -> bool:
    """Print the gaps and the result of an input. Return True if it is the expected result."""
    with _streaming(running) as streams:
        started_at = time.perf_counter()
        code = message = ""
        outcome = ask(running.engine, running.model)
        try:
            outcome(PATIENCE)
        except EngineError as error:
            code, message = error.code, error.message
        took = time.perf_counter() - started_at
        time.sleep(AFTERWARDS)
        watched = time.perf_counter()
        if any(s.reply is not None and s.reply.done for s in streams):
            raise RuntimeError(f"a neighbor's reply ended while another chat {given.name}")
    all_gaps: list[float] = []
    for stream in streams:
        # Include the delay during which the input was sent, and a delay that hasn't ended yet.
        moments = [m for m in stream.times() if m <= watched]
        before = [m for m in moments if m <= started_at][-1:]
        all_gaps += gaps([*before, *(m for m in moments if m > started_at), watched])
    median, longest = statistics.median(all_gaps), max(all_gaps)
    bar = median + 2 * GAP_BUDGET
    print(
        f"{given.name:<40} {median * 1e3:>7.1f} {longest * 1e3:>8.1f} "
        f"{bar * 1e3:>6.0f} {'held' if longest <= bar else 'MISSED':<6} {took:>5.2f} | "
        f"{code or 'an answer'}{'' if code == given.code else ' (UNEXPECTED)'}: {message[:120]}",
        flush=True,
    )
    return code == given.code


@contextmanager
def _streaming(it: Subject) -> Iterator[list[Stream]]:
    endless = SamplingParams(max_tokens=1_000_000, temperature=0.0, logit_bias={2: -1e9})
    sessions = [it.engine.open_session(it.model) for _ in range(NEIGHBORS)]
    streams = [send_timed(s, it.text(PROMPT, salt), endless) for salt, s in enumerate(sessions)]
    try:
        while min(len(s.moments) for s in streams) < STEADY:
            if any(s.reply is not None and s.reply.done for s in streams):
                raise RuntimeError("a neighbor's reply has ended before anything came")
            time.sleep(0.01)
        yield streams
    finally:
        for stream in streams:
            stream.cancel()
        for session in sessions:
            session.close()
