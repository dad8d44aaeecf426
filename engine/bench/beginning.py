"""Chats that go on from one long beginning: `bench MODEL --parts beginning`.

A chat has read a long text; forks of it ask a short question each, all at once, as the columns of a
panel do. They go on from one shared beginning, from copies of it (as of a model that cannot share,
and as the engine makes of short ones), and in `BatchGenerator`, which has copies as well; and one
fork asks by itself. These take turns, and each begins with the text read already (for
`BatchGenerator` made up: how long a pass takes does not depend on what caches hold).
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import astuple

from engine.bench.graph_steps import filled
from engine.bench.limits import short_prefixes
from engine.bench.subject import Subject, subject, timed
from engine.bench.traffic import Trace
from engine.engine import Session
from engine.params import SamplingParams

Say = Callable[[str], None]

ONE, SHARED, COPIES, BATCH = "one answer", "one beginning", "copies", "BatchGenerator"
QUESTION = 24  # tokens of a question, about


class Play(Struct, frozen=True):
    """What came of the questions, in one of the ways."""

    first: float  # seconds from asking to the last chat's first token, forks or copies included
    rate: float  # tokens/s of all chats together, each from its first token to its last
    cpu: float  # seconds of processor time from asking to the last token
    growth: int  # bytes that MLX holds more than with the beginning alone, once all have answered
    anew: int  # tokens that the chat read that read most: its question, where it read no beginning


def run(
    path: str, length: int, chats: int, tokens: int, rounds: int, say: Say
) -> dict[str, dict[str, float]]:
    """Measure, and print a table; returns the medians.

    Args:
        length: tokens of the beginning, about.
        tokens: of each answer.
    """
    with subject(path) as it:
        import mlx.core as mx
        from mlx_lm.models.cache import make_prompt_cache

        from engine.cache import shared_prefix

        assert it.net is not None  # loaded before anything is counted
        text = it.text(length, 11)
        before = _held(mx)
        # Chats share this beginning, though the engine copies short ones; or they never share.
        least = {SHARED: min(shared_prefix.MIN_TOKENS, length // 2), COPIES: sys.maxsize}
        origins = {way: _origin(it, text, least[way]) for way in least}
        one = (_held(mx) - before) // 2
        # What they hold does not matter here, and MLX reads slowly in few bits on a CPU.
        begun = filled(it.net, make_prompt_cache(it.net), len(it.prompt_ids([text])[0]))
        say(f"{length:,} tokens take {one / 1e6:.0f} MB; {chats} chats, {tokens} tokens each")
        found: dict[str, list[Play]] = {ONE: [], SHARED: [], COPIES: [], BATCH: []}
        for number in range(rounds + 1):
            found[ONE].append(_stretto(it, origins[SHARED], least[SHARED], 1, tokens))
            for way, origin in origins.items():
                found[way].append(_stretto(it, origin, least[way], chats, tokens))
            found[BATCH].append(_batch(it, begun, chats, tokens, found[SHARED][-1].anew))
            if not number:  # it warms up
                found = {way: [] for way in found}
        return _told(found, one, say)


def _held(mx: Any) -> int:
    gc.collect()
    return int(mx.get_active_memory())


def _origin(it: Subject, text: str, least: int) -> Session:
    """A chat that has read the text, with caches that no other way's chats use.

    ``least``: tokens from which on chats share what they begin with.
    """
    with short_prefixes(least):
        session = it.engine.open_session(it.model)
        session.send(text, SamplingParams(max_tokens=1, temperature=0.0)).tokens()
        it.engine.stats()  # answered once the reply has ended
    return session


def _stretto(it: Subject, origin: Session, least: int, chats: int, tokens: int) -> Play:
    import mlx.core as mx

    ends = dict.fromkeys(it.tokenizer.eos_token_ids, -100.0)  # all answers are equally long
    params = SamplingParams(max_tokens=tokens, temperature=0.0, logit_bias=ends)
    traces, anew = [], 0
    before, cpu, asked = _held(mx), time.process_time(), time.perf_counter()
    with short_prefixes(least):
        sessions = [origin.fork() for _ in range(chats)]
        streams = [
            timed(session, it.text(QUESTION, 20 + number), params)
            for number, session in enumerate(sessions)
        ]
        for stream in streams:
            moments = stream.times()
            assert stream.reply is not None
            stats = stream.reply.stats
            anew = max(anew, stats.prompt_tokens - stats.reused_tokens)
            # The last moment is that of `Finished`.
            traces.append(Trace(asked, moments[: stats.generated_tokens], stats.generated_tokens))
        it.engine.stats()  # answered once all have left their slots
        spent, growth = time.process_time() - cpu, _held(mx) - before
        for session in sessions:
            session.close()
        it.engine.stats()
    return _play(traces, spent, growth, anew)


def _batch(it: Subject, begun: list[Any], chats: int, tokens: int, anew: int) -> Play:
    import mlx.core as mx
    from mlx_lm.generate import BatchGenerator

    from engine.cache.cache_objects import clone

    questions = []
    for number in range(chats):
        ids = it.tokenizer.encode(it.text(QUESTION, 20 + number), add_special_tokens=False)
        questions.append([ids[place % len(ids)] for place in range(anew)])
    before, cpu, asked = _held(mx), time.process_time(), time.perf_counter()
    generator: Any = BatchGenerator(it.net, max_tokens=tokens, prefill_batch_size=chats)
    numbers = generator.insert(questions, caches=[clone(begun) for _ in questions])
    traces = {number: Trace(asked) for number in numbers}
    left, most = chats, 0
    while left:
        for response in generator.next()[1]:
            trace = traces[response.uid]
            trace.moments.append(time.perf_counter())
            trace.tokens += 1
            left -= response.finish_reason is not None
        if left == chats:
            most = max(most, int(mx.get_active_memory()) - before)
    spent = time.process_time() - cpu
    generator.close()
    return _play(list(traces.values()), spent, most, anew)


def _play(traces: Sequence[Trace], cpu: float, growth: int, anew: int) -> Play:
    begun = max(trace.moments[0] for trace in traces)
    spans = [max(1e-9, trace.moments[-1] - trace.moments[0]) for trace in traces]
    rate = sum((t.tokens - 1) / span for t, span in zip(traces, spans, strict=True))
    return Play(begun - traces[0].sent, rate, cpu, growth, anew)


def _told(found: dict[str, list[Play]], one: int, say: Say) -> dict[str, dict[str, float]]:
    medians = {way: _median(plays) for way, plays in found.items()}
    ours, figures = medians[SHARED], {}
    say(
        "\n| | last first token | tokens/s | processor time | read anew by each | memory more "
        "| of one chat's |"
    )
    say("|---|---|---|---|---|---|---|")
    for way, play in medians.items():
        of_one = (one + play.growth) / one
        say(
            f"| {way} | {play.first:.2f} s ({play.first / ours.first:.2f}x) | {play.rate:.1f} "
            f"({play.rate / ours.rate:.2f}x) | {play.cpu:.1f} s ({play.cpu / ours.cpu:.2f}x) | "
            f"{play.anew} | {play.growth / 1e6:.1f} MB ({play.growth / ours.growth:.2f}x) | "
            f"{of_one:.2f} |"
        )
        figures[way] = {**to_builtins(play), "of_one": of_one}
    return figures


def _median(plays: Sequence[Play]) -> Play:
    return Play(*(statistics.median(each) for each in zip(*map(astuple, plays), strict=True)))
