"""Answers of the Guide with a small model that drafts, against the same answers without one.

The small model is the Guide's own first layers, so that some of what it drafts holds. Each answer
has a seed, one of several ways of sampling, and an end: its own, its length, a stop string, a form,
or a cancellation in the midst, after which the chat is forked and asked again. Without drafts every
token must be the same, but for two whose logits are within a hair (`engine.bench.alone`).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from engine.bench.alone import PATIENCE, Chat, Turn, distance, first_difference
from engine.bench.small_copies import first_layers
from engine.engine import Engine, Session
from engine.messages import TextDelta
from engine.model.info import Model
from engine.params import SamplingParams
from engine.runtime import drafts as drafting

GUIDE = Path(__file__).resolve().parents[1] / "resources" / "guide"
FORM = {"type": "object", "properties": {"key": {"enum": ["Enter", "Esc", "F1"]}}}
SAMPLED: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {"temperature": 0.0, "repetition_penalty": 1.2},
    {"temperature": 0.7},
    {"temperature": 1.0, "top_p": 0.9},
    {"temperature": 0.8, "min_p": 0.05},
    {"temperature": 0.9, "presence_penalty": 0.6, "frequency_penalty": 0.3, "penalty_window": 20},
    {"temperature": 0.8, "logit_bias": {40: 3.0, 300: -5.0, 301: 4.0}},
    {"temperature": 0.7, "top_k": 30, "xtc_probability": 0.3, "xtc_threshold": 0.1},
    {"temperature": 0.6, "logprobs": 2},
    {"temperature": 0.8, "stop": ["the", "\n"]},
    {"temperature": 0.5, "json_schema": json.dumps(FORM)},
    {"temperature": 0.9, "regex": "(yes|no)( [a-z]{2,9}){3,9}"},
]
FOLLOW_UP = "Say that again, shorter."


def played(
    engine: Engine, model: Model, prompt: str, params: SamplingParams, stop_after: int
) -> list[tuple[str, str, SamplingParams, tuple[int, ...]]]:
    """An answer, a follow-up and that of a fork: what each was, its prompt, its tokens.

    `stop_after`: tokens after which the answer is cancelled; 0 for never.
    """
    session = engine.open_session(model)
    reply = session.send(prompt, params)
    come = 0
    for event in reply:
        come += isinstance(event, TextDelta)
        if stop_after and come >= stop_after:
            reply.cancel()
    said = [("answer", prompt, params, tuple(reply.tokens(PATIENCE)))]
    twin, more = session.fork(), SamplingParams(max_tokens=10, temperature=0.8, seed=params.seed)
    said += [_asked("follow-up", session, more), _asked("fork", twin, more)]
    session.close()
    twin.close()
    return said


def _asked(
    what: str, session: Session, params: SamplingParams
) -> tuple[str, str, SamplingParams, tuple[int, ...]]:
    reply = session.send(FOLLOW_UP, params)
    return what, FOLLOW_UP, params, tuple(reply.tokens(PATIENCE))


def main(arguments: list[str]) -> int:
    """Play all answers; returns 1 where one differs for no known reason."""
    parser = argparse.ArgumentParser(prog="tests.torture drafts", description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=48, help="of an answer, at most (48)")
    parser.add_argument("--layers", type=int, default=4, help="of the Guide's 5 that draft (4)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    drafting.WORTH = math.inf  # also where drafts lose
    chance = random.Random(options.seed)
    asked = [part["ask"] for part in tomllib.loads((GUIDE / "heldout.toml").read_text())["stretto"]]
    faults = ties = tokens = cancelled = 0
    with tempfile.TemporaryDirectory() as scratch, Engine() as engine, Engine() as judge:
        engine.stats()
        small = first_layers(GUIDE, Path(scratch) / "small", options.layers)
        model, alone = engine.load(GUIDE, draft=small), judge.load(GUIDE)
        for number in range(options.answers):
            params = SamplingParams(
                max_tokens=options.tokens, seed=number, **SAMPLED[number % len(SAMPLED)]
            )
            prompt, stop_after = chance.choice(asked), chance.choice((0, 0, 0, 12))
            with_drafts = played(engine, model, prompt, params, stop_after)
            count = len(with_drafts[0][3])
            if stop_after and count:  # where it was cancelled depends on the moment
                cancelled += 1
                params = SamplingParams(**{**_settings(params), "max_tokens": count})
            plain = played(judge, alone, prompt, params, 0)
            before: list[Turn] = []
            for (what, text, given, drafted), (*_, expected) in zip(
                with_drafts, plain, strict=True
            ):
                tokens += len(drafted)
                if drafted != expected:
                    at = first_difference(drafted, expected)
                    turn = Turn(text, given, drafted, "finished")
                    chat = Chat(None, {}, [*before, turn])
                    tie = distance(judge, alone, chat, len(before), at) <= chat.tie
                    ties, faults = ties + tie, faults + (not tie)
                    if not tie:
                        print(f"answer {number}, {what}, token {at}: {given}", flush=True)
                    break  # what follows has other beginnings
                before = before or [Turn(text, params, drafted, "finished")]
            if number % 20 == 19:
                print(
                    f"{number + 1} answers, {tokens} tokens, {ties} ties, {faults} faults",
                    flush=True,
                )
        figures = engine.stats()["drafts"][model.id]
    drafted, accepted = figures["drafted_tokens"], figures["accepted_tokens"]
    print(
        f"{options.answers} answers ({cancelled} cancelled), {tokens} tokens, {ties} ties, "
        f"{faults} faults; {accepted} of {drafted} drafted tokens held"
    )
    return 1 if faults or not 0 < accepted < drafted else 0


def _settings(params: SamplingParams) -> dict[str, Any]:
    return {name: getattr(params, name) for name in params.__dataclass_fields__}
