"""Speculative decoding benchmark: speed and CPU time of a single chat, with and without drafts.

Drafts come from a small model, or from prompt lookup, for which the model has to repeat files with
one change.
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct, to_builtins

from engine.bench.small_copies import first_layers
from engine.bench.subject import subject
from engine.engine import Engine
from engine.messages import TextDelta
from engine.model.info import LOOKUP, Model
from engine.params import SamplingParams

PROMPTS = (
    "How do I open a new chat?",
    "What can you help me with?",
    "Write a short poem about a fugue.",
    "Explain in a few steps how to compare two models.",
)

FILE = '''import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Shape:
    name: str
    width: float
    height: float

    def area(self) -> float:
        """The area in square metres."""
        return self.width * self.height

    def scaled(self, factor: float) -> "Shape":
        """A shape of the same form, so many times as large."""
        return Shape(self.name, self.width * factor, self.height * factor)


def load(path: Path) -> list[Shape]:
    """Read all shapes of a file."""
    with path.open() as file:
        found = json.load(file)
    return [Shape(one["name"], one["width"], one["height"]) for one in found]


def largest(shapes: list[Shape]) -> Shape:
    """The shape with the largest area."""
    return max(shapes, key=lambda shape: shape.area())


def total(shapes: list[Shape]) -> float:
    """The sum of all areas."""
    return sum(shape.area() for shape in shapes)
'''

CHANGES = (
    "Rename the function `total` to `whole`.",
    "Change `square metres` to `square feet`.",
    "Rename the class `Shape` to `Plate`.",
    "Leave the function `scaled` out.",
)

REWRITING = tuple(
    f"Here is a file:\n\n```python\n{FILE}```\n\n{change} Write the whole file again."
    for change in CHANGES
)


class DecodeSpeed(Struct, frozen=True):
    """Decode speed, excluding the first token of each answer."""

    tokens_per_s: float  # measured in wall-clock time
    cpu_per_token: float  # CPU seconds of the whole process per token


class Gain(Struct, frozen=True):
    """Results for a single chat. Speeds are medians over all rounds."""

    plain: DecodeSpeed  # decoding without drafts
    always: DecodeSpeed  # drafts in every step
    chosen: DecodeSpeed  # drafts when the engine considers them worthwhile
    # Number of tokens drafted and accepted in the `chosen` rounds.
    drafted: int
    held: int


def run(
    path: str, draft: str | None, tokens: int, rounds: int, say: Callable[[str], None]
) -> dict[str, float]:
    """Measure a chat with and without drafts, print a table, and return the results.

    Args:
        path: see `subject`.
        draft: draft model; None to use the first 80% of the model's own layers.
    """
    with tempfile.TemporaryDirectory() as scratch, subject(path) as running:
        folder = Path(running.model.path)
        small = draft or str(Path(scratch) / "first-layers")
        if draft is None:
            layers = json.loads((folder / "config.json").read_text())["num_hidden_layers"]
            first_layers(folder, Path(small), max(1, layers * 4 // 5))
        gain = measure(running.engine, str(folder), small, tokens, rounds)
        print_gain(gain, draft or "the model's own first layers", say)
        figures: dict[str, float] = to_builtins(gain)
        return figures


def measure(engine: Engine, path: str, draft: str, tokens: int, rounds: int) -> Gain:
    rates: dict[str, list[DecodeSpeed]] = {"plain": [], "always": [], "chosen": []}
    from engine.runtime import draft_policy  # this imports MLX

    original_worth, accepted, drafted = draft_policy.WORTH, 0, 0
    engine.load(path)  # keep the model loaded, so that a round only loads the draft model
    try:
        for number in range(rounds + 1):
            for way, speeds in rates.items():
                draft_policy.WORTH = math.inf if way == "always" else original_worth
                model = engine.load(path, draft="" if way == "plain" else draft)
                prompts = REWRITING if draft == LOOKUP else PROMPTS
                rate = _rate(engine, model, tokens, prompts, 0.0 if draft == LOOKUP else 0.7)
                if number:  # the first round is a warm-up
                    speeds.append(rate)
                if number and way == "chosen":
                    figures = engine.stats()["drafts"][model.id]
                    drafted += figures["drafted_tokens"]
                    accepted += figures["accepted_tokens"]
    finally:
        draft_policy.WORTH = original_worth
    plain, always, chosen = (_median(speeds) for speeds in rates.values())
    return Gain(plain, always, chosen, drafted, accepted)


def _median(speeds: Sequence[DecodeSpeed]) -> DecodeSpeed:
    return DecodeSpeed(
        statistics.median(rate.tokens_per_s for rate in speeds),
        statistics.median(rate.cpu_per_token for rate in speeds),
    )


def _rate(
    engine: Engine, model: Model, tokens: int, prompts: Sequence[str], temperature: float
) -> DecodeSpeed:
    generated, seconds, cpu = 0, 0.0, 0.0
    for number, prompt in enumerate(prompts):
        session = engine.open_session(model)
        params = SamplingParams(max_tokens=tokens, temperature=temperature, seed=number)
        reply = session.send(prompt, params)
        started_at = 0.0
        for event in reply:
            if not started_at and isinstance(event, TextDelta):
                started_at = time.process_time()
        cpu += time.process_time() - started_at
        generated += max(0, reply.stats.generated_tokens - 1)
        seconds += reply.stats.decode_s
        session.close()
    return DecodeSpeed(generated / seconds, cpu / generated) if generated else DecodeSpeed(0.0, 0.0)


def print_gain(gain: Gain, name: str, say: Callable[[str], None]) -> None:
    share = gain.held / gain.drafted if gain.drafted else 0.0
    say(f"One chat, {name} drafts; {share:.0%} of {gain.drafted} drafted tokens held as decided\n")
    say("| drafts | tokens/s | against none | ms of processor time a token | none against it |")
    say("|---|---|---|---|---|")
    plain = gain.plain
    for way, rate in (("none", plain), ("always", gain.always), ("as decided", gain.chosen)):
        faster = rate.tokens_per_s / plain.tokens_per_s if plain.tokens_per_s else 0.0
        cheaper = plain.cpu_per_token / rate.cpu_per_token if rate.cpu_per_token else 0.0
        say(
            f"| {way} | {rate.tokens_per_s:.1f} | {faster:.2f}x | "
            f"{1000 * rate.cpu_per_token:.1f} | {cheaper:.2f}x |"
        )
    say("")
