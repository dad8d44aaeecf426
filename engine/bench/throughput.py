"""Decode throughput of Stretto's shared steps, of sequential chats, and of `BatchGenerator`.

A rate is the total number of tokens per second of all N chats while all are decoding. Contenders
take turns in the same process. Results are medians over all rounds.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from msgspec import Struct

from engine.bench.contenders import batch_generator, one_after_another
from engine.bench.subject import Subject, send_timed
from engine.bench.traffic import Arrival
from engine.params import SamplingParams

# With other prompts, real models end most answers early.
_LONG_ANSWER = "Write a long story about this, at least 2,000 words."


class ThroughputRow(Struct, frozen=True):
    """Rates in tokens/s for `chats` chats with the given prompt lengths."""

    chats: int
    lengths: str
    stretto: float
    alone: float
    batch: float

    @property
    def over_alone(self) -> float:
        return self.stretto / self.alone

    @property
    def over_batch(self) -> float:
        return self.stretto / self.batch


def compare(
    subject: Subject,
    chats: Sequence[int],
    tokens: int,
    rounds: int,
    short: int,
    long: int,
) -> Iterator[ThroughputRow]:
    """Measure each number of chats with equal prompts, and (if several) with one long prompt."""
    for n in chats:
        cases = {"equal": [short] * n}
        if n > 1:
            cases["one long"] = [long] + [short] * (n - 1)
        for name, lengths in cases.items():
            prompts = [subject.text(k, salt=i) for i, k in enumerate(lengths)]
            rates: dict[str, list[float]] = {"stretto": [], "alone": [], "batch": []}
            for _ in range(rounds):
                rates["stretto"].append(stretto_rate(subject, prompts, tokens))
                rates["alone"].append(alone_rate(subject, prompts, tokens))
                rates["batch"].append(batch_rate(subject, prompts, tokens))
            yield ThroughputRow(n, name, **{k: statistics.median(v) for k, v in rates.items()})


def stretto_rate(subject: Subject, prompts: Sequence[str], tokens: int) -> float:
    """Return the rate of Stretto's engine, which prefills all prompts and then decodes all chats
    together.

    Replies run until every chat has `tokens` tokens. Otherwise, the first of many chats would end
    before the last one starts.
    """
    sessions = [subject.engine.open_session(subject.model) for _ in prompts]
    greedy = SamplingParams(temperature=0.0)
    single_token = SamplingParams(max_tokens=1, temperature=0.0)
    for session, prompt in zip(sessions, prompts, strict=True):
        session.send(prompt, single_token).tokens()
    streams = [send_timed(session, _LONG_ANSWER, greedy, awaited=tokens) for session in sessions]
    for stream in streams:
        stream.arrived.wait()
    for stream in streams:
        stream.cancel()
    times = [stream.times() for stream in streams]
    for session in sessions:
        session.close()
    return _rate(times)


def alone_rate(subject: Subject, prompts: Sequence[str], tokens: int) -> float:
    turns = one_after_another(subject)([Arrival(0.0, prompt) for prompt in prompts], tokens)
    seconds = sum(turn.moments[-1] - turn.moments[0] for turn in turns)
    return sum(turn.tokens - 1 for turn in turns) / seconds


def batch_rate(subject: Subject, prompts: Sequence[str], tokens: int) -> float:
    contender = batch_generator(subject, prefill_batch_size=len(prompts))
    turns = contender([Arrival(0.0, prompt) for prompt in prompts], tokens)
    return _rate([turn.moments for turn in turns])


def _rate(times: Sequence[Sequence[float]]) -> float:
    """Return the tokens/s over the time when all chats are decoding."""
    begin, end = max(t[0] for t in times), min(t[-1] for t in times)
    if end <= begin:
        raise ValueError("the chats never decoded all at once")
    token_count = sum(sum(begin < moment <= end for moment in t) for t in times)
    return token_count / (end - begin)
