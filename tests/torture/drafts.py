"""Replies with drafts against the same replies without, for all types of caches.

The Guide uses its own first layers as a draft model, and tiny models (plain, windows, sinks,
recurrent, both) use slightly changed copies, so that some drafts are accepted. Each is also tried
with prompt lookup. Each reply has a seed, one of several sampling settings, and an end: its own, a
length limit, a stop string, a grammar, or a cancellation in the middle, after which the chat is
forked and asked again. One to three other chats sometimes reply at the same time. All tokens must
be equal to those without drafts, except for two tokens with nearly equal logits
(`engine.bench.alone`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.bench.alone import (
    PATIENCE,
    TIE,
    Logits,
    first_difference,
    logit_distance,
    recorded_logits,
)
from engine.bench.random_models import write_model
from engine.engine import Engine, Session
from engine.messages import TextDelta
from engine.model import prompt_lookup
from engine.model.info import LOOKUP, Model
from engine.params import SamplingParams
from engine.reply import Reply
from engine.runtime import draft_policy
from tests.engine.families import FAMILIES
from tests.torture import ROOT
from tests.torture.small_copies import first_layers, perturb

GUIDE = ROOT / "resources" / "guide"
FORM = {"type": "object", "properties": {"key": {"enum": ["Enter", "Esc", "F1"]}}}
SAMPLED: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {"temperature": 0.0, "repetition_penalty": 1.2},
    {"temperature": 0.7},
    {"temperature": 1.0, "top_p": 0.9},
    {"temperature": 0.8, "min_p": 0.05},
    {"temperature": 0.9, "presence_penalty": 0.6, "frequency_penalty": 0.3, "penalty_window": 20},
    {"temperature": 0.8, "logit_bias": {40: 3.0, 298: -5.0, 299: 4.0}},
    {"temperature": 0.7, "top_k": 30, "xtc_probability": 0.3, "xtc_threshold": 0.1},
    {"temperature": 0.6, "logprobs": 2},
    {"temperature": 1.0, "logit_bias": {70: 100.0, 71: 100.0, 72: 100.0}},
    {"temperature": 0.8, "stop": ["the", "\n"]},
    {"temperature": 0.5, "json_schema": json.dumps(FORM)},
    {"temperature": 0.9, "regex": "(yes|no)( [a-z]{2,9}){3,9}"},
]
TINY = ("plain", "sliding window", "attention sinks", "hybrid recurrent", "pure recurrent")
FOLLOW_UP = "Say that again, shorter."


Said = tuple[str, SamplingParams, tuple[int, ...]]
"""Kind, sampling parameters and tokens of a reply."""


def played(
    engine: Engine, model: Model, prompt: str, params: SamplingParams, stop_after: int, beside: int
) -> list[Said]:
    """Return a reply, a follow-up, a fork's reply, and other chats' replies.

    Each has a seed of its own.

    Args:
        stop_after: tokens after which the reply is cancelled, 0 for never.
        beside: number of other chats.
    """
    session, others = (
        engine.open_session(model),
        [engine.open_session(model) for _ in range(beside)],
    )
    seeds = itertools.count(1000 * (1 + (params.seed or 0)))

    def sampled(tokens: int) -> SamplingParams:
        return SamplingParams(max_tokens=tokens, temperature=0.8, seed=next(seeds))

    more, of_fork, longer = sampled(10), sampled(10), [sampled(24) for _ in others]
    reply = session.send(prompt, params)
    come = 0
    came: list[Reply] = []
    for event in reply:
        come += isinstance(event, TextDelta)
        if come >= 9 and not came:
            came = [o.send(FOLLOW_UP, own) for o, own in zip(others, longer, strict=True)]
        if stop_after and come >= stop_after:
            reply.cancel()
    said = [("answer", params, tuple(reply.tokens(PATIENCE)))]
    twin = session.fork()
    said += [_asked("follow-up", session, more), _asked("fork", twin, of_fork)]
    said += [
        ("beside", own, tuple(r.tokens(PATIENCE))) for r, own in zip(came, longer, strict=False)
    ]
    for one in (session, twin, *others):
        one.close()
    return said


def _asked(what: str, session: Session, params: SamplingParams) -> Said:
    reply = session.send(FOLLOW_UP, params)
    return what, params, tuple(reply.tokens(PATIENCE))


def fields(scratch: Path, layers: int) -> Iterator[tuple[str, Path, str]]:
    """Return the models and their draft models as name, folder and draft."""
    small = first_layers(GUIDE, scratch / "guide", layers)
    yield "guide", GUIDE, str(small)
    yield "guide, lookup", GUIDE, LOOKUP
    for family in TINY:
        folder = write_model(scratch / family, FAMILIES[family], scale=3.0)
        yield family, folder, str(perturb(folder, scratch / f"{family}, off", 0.15))
        yield f"{family}, lookup", folder, LOOKUP


class Tally:
    def __init__(self) -> None:
        self.answers = self.tokens = self.cancelled = self.ties = self.faults = 0
        self.drafted = self.accepted = 0


def torment(
    engines: tuple[Engine, Engine],
    field: tuple[str, Path, str],
    options: argparse.Namespace,
    asked: list[str],
) -> Tally:
    engine, judge = engines
    name, folder, draft = field
    chance, found = random.Random(f"{options.seed} {name}"), Tally()
    model, alone = engine.load(folder, draft=draft), judge.load(folder)
    for number in range(options.answers):
        params = SamplingParams(
            max_tokens=options.tokens, seed=number, **SAMPLED[number % len(SAMPLED)]
        )
        prompt, stop_after = chance.choice(asked), chance.choice((0, 0, 0, 12))
        beside = chance.choice((0, 0, 0, 1, 2, 3))
        company, plain = Logits(), Logits()
        with recorded_logits(company):
            with_drafts = played(engine, model, prompt, params, stop_after, beside)
        count = len(with_drafts[0][2])
        if stop_after and count:  # the position of a cancellation depends on timing
            found.cancelled += 1
            params = SamplingParams(**{**_settings(params), "max_tokens": count})
        with recorded_logits(plain):
            expected = played(judge, alone, prompt, params, 0, beside)
        found.answers += 1
        for (what, given, drafted), (*_, tokens) in zip(with_drafts, expected, strict=False):
            found.tokens += len(drafted)
            seed = given.seed or 0
            apart = logit_distance(company[seed], plain[seed], drafted, tokens)
            if not apart <= TIE:
                found.faults += 1
                at = first_difference(drafted, tokens)
                print(f"{name}, answer {number}, {what}, token {at}, {apart:.2g} apart: {given}")
            found.ties += drafted != tokens
            if drafted != tokens or not apart <= TIE:
                break  # later replies would have different prompts
    figures = engine.stats()["drafts"][model.id]
    found.drafted, found.accepted = figures["drafted_tokens"], figures["accepted_tokens"]
    engine.unload(model)
    judge.unload(alone)
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture drafts", description=__doc__)
    parser.add_argument("--answers", type=int, default=40, help="of each model and draft (40)")
    parser.add_argument("--tokens", type=int, default=48, help="of an answer, at most (48)")
    parser.add_argument("--layers", type=int, default=4, help="of the Guide's 5 that draft (4)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="models whose names have this in them")
    options = parser.parse_args(arguments)
    # Draft even if it is slower.
    draft_policy.MAX_RELATIVE_TIME, draft_policy.MIN_EXPECTED = math.inf, 0.0
    prompt_lookup.MIN_MATCH = 1  # and after short matches
    asked = [part["ask"] for part in tomllib.loads((GUIDE / "heldout.toml").read_text())["stretto"]]
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory() as scratch, Engine() as engine, Engine() as judge:
        engine.stats()
        for field in fields(Path(scratch), options.layers):
            if options.only not in field[0]:
                continue
            found = torment((engine, judge), field, options, asked)
            tallies.append(found)
            print(
                f"{field[0]}: {found.answers} answers ({found.cancelled} cancelled), "
                f"{found.tokens} tokens, {found.ties} ties, {found.faults} faults; "
                f"{found.accepted} of {found.drafted} drafted tokens held",
                flush=True,
            )
    faults = sum(found.faults for found in tallies)
    print(f"{sum(found.answers for found in tallies)} answers, {faults} faults")
    return 1 if faults or not all(0 < f.accepted < f.drafted for f in tallies) else 0


def _settings(params: SamplingParams) -> dict[str, Any]:
    return {name: getattr(params, name) for name in params.__struct_fields__}
