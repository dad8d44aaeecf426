"""In-process contenders for `traffic`: Stretto, and two ways to use `mlx_lm`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from engine.bench.subject import Stream, Subject, send_timed
from engine.bench.traffic import Arrival, Contender, TimedRequest, wait_until
from engine.params import SamplingParams


def stretto(subject: Subject) -> Contender:
    """Contender with Stretto's engine and a new session for each request."""

    def answer(arrivals: Sequence[Arrival], tokens: int) -> list[TimedRequest]:
        greedy = SamplingParams(max_tokens=tokens, temperature=0.0)
        sessions = [subject.engine.open_session(subject.model) for _ in arrivals]
        subject.engine.stats()  # wait until all sessions are open
        started_at = time.perf_counter()
        streams: list[Stream] = []
        for session, arrival in zip(sessions, arrivals, strict=True):
            wait_until(started_at + arrival.after)
            streams.append(send_timed(session, arrival.prompt, greedy))
        turns = []
        for arrival, stream in zip(arrivals, streams, strict=True):
            moments = stream.times()
            assert stream.reply is not None
            tokens_given = stream.reply.stats.generated_tokens
            # Drop the time of the `Finished` event.
            moments = moments[:tokens_given]
            turns.append(
                TimedRequest(stream.sent, long=arrival.long, moments=moments, tokens=tokens_given)
            )
        for session in sessions:
            session.close()
        subject.engine.stats()  # wait until all sessions are closed
        return turns

    return answer


def one_after_another(subject: Subject) -> Contender:
    """Contender with `mlx_lm.stream_generate`, which handles requests one after another."""

    def answer(arrivals: Sequence[Arrival], tokens: int) -> list[TimedRequest]:
        from mlx_lm import stream_generate

        prompts = subject.prompt_ids([a.prompt for a in arrivals])
        started_at = time.perf_counter()
        turns = []
        for arrival, ids in zip(arrivals, prompts, strict=True):
            turn = TimedRequest(started_at + arrival.after, long=arrival.long)
            wait_until(turn.sent)
            for _ in stream_generate(subject.net, subject.tokenizer, ids, max_tokens=tokens):
                turn.moments.append(time.perf_counter())
            turn.tokens = len(turn.moments)
            turns.append(turn)
        return turns

    return answer


def batch_generator(subject: Subject, **options: Any) -> Contender:
    """Contender with `mlx_lm`'s `BatchGenerator`, i.e. continuous batching with padding."""

    def answer(arrivals: Sequence[Arrival], tokens: int) -> list[TimedRequest]:
        from mlx_lm.generate import BatchGenerator

        prompts = subject.prompt_ids([a.prompt for a in arrivals])
        generator: Any = BatchGenerator(
            subject.net,
            max_tokens=tokens,
            stop_tokens=[[token] for token in subject.tokenizer.eos_token_ids],
            **options,
        )
        started_at = time.perf_counter()
        turns = {}
        waiting = list(zip(arrivals, prompts, strict=True))
        open_ = 0
        while waiting or open_:
            if not open_:
                wait_until(started_at + waiting[0][0].after)
            while waiting and started_at + waiting[0][0].after <= time.perf_counter():
                arrival, ids = waiting.pop(0)
                turn = TimedRequest(started_at + arrival.after, long=arrival.long)
                turns[generator.insert([ids])[0]] = turn
                open_ += 1
            for response in generator.next()[1]:
                turns[response.uid].moments.append(time.perf_counter())
                turns[response.uid].tokens += 1
                open_ -= response.finish_reason is not None
        generator.close()
        return list(turns.values())

    return answer
