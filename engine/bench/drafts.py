"""One chat with a small model that drafts for it, and without: tokens a second, and what held."""

from __future__ import annotations

import json
import math
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.bench.small_copies import first_layers
from engine.engine import Engine
from engine.model.info import Model
from engine.params import SamplingParams

PROMPTS = (
    "How do I open a new chat?",
    "What can you help me with?",
    "Write a short poem about a fugue.",
    "Explain in a few steps how to compare two models.",
)


@dataclass(frozen=True)
class Gain:
    """Tokens a second of one chat, medians over the rounds.

    Attributes:
        plain: without drafts.
        always: with drafts in every pass.
        chosen: with drafts as the engine decides.
        drafted, held: tokens drafted in the rounds of `always`, and those that the chat has said.
    """

    plain: float
    always: float
    chosen: float
    drafted: int
    held: int


def run(
    path: str, draft: str | None, tokens: int, rounds: int, say: Callable[[str], None]
) -> dict[str, float]:
    """Measure one chat with and without drafts and print a table; returns the figures.

    Args:
        draft: what drafts; None makes it of the model's own first layers, all but one in five.
    """
    with tempfile.TemporaryDirectory() as scratch, Engine() as engine:
        from engine.runtime.examining import resolve  # brings MLX, before which BLAS must be loaded

        folder = resolve(path)
        small = Path(draft) if draft is not None else Path(scratch) / "first-layers"
        if draft is None:
            layers = json.loads((folder / "config.json").read_text())["num_hidden_layers"]
            first_layers(folder, small, max(1, layers * 4 // 5))
        gain = measure(engine, str(folder), small, tokens, rounds)
        tell(gain, draft or "the model's own first layers", say)
        return asdict(gain)


def measure(engine: Engine, path: str, draft: Path, tokens: int, rounds: int) -> Gain:
    """Measure the three ways in turns, in every round each of them once."""
    rates: dict[str, list[float]] = {"plain": [], "always": [], "chosen": []}
    from engine.runtime import drafts as drafting  # brings MLX

    usual, held, drafted = drafting.WORTH, 0, 0
    engine.load(path)  # so that only what drafts is loaded in each round
    try:
        for number in range(rounds + 1):
            for way, found in rates.items():
                drafting.WORTH = math.inf if way == "always" else usual
                model = engine.load(path, draft="" if way == "plain" else draft)
                rate = _rate(engine, model, tokens)
                if number:  # the first round warms up
                    found.append(rate)
                if number and way == "always":
                    figures = engine.stats()["drafts"][model.id]
                    drafted += figures["drafted_tokens"]
                    held += figures["accepted_tokens"]
    finally:
        drafting.WORTH = usual
    plain, always, chosen = (statistics.median(found) for found in rates.values())
    return Gain(plain, always, chosen, drafted, held)


def _rate(engine: Engine, model: Model, tokens: int) -> float:
    made, seconds = 0, 0.0
    for number, prompt in enumerate(PROMPTS):
        session = engine.open_session(model)
        reply = session.send(
            prompt, SamplingParams(max_tokens=tokens, temperature=0.7, seed=number)
        )
        reply.tokens()
        made += max(0, reply.stats.generated_tokens - 1)
        seconds += reply.stats.decode_s
        session.close()
    return made / seconds if seconds else 0.0


def tell(gain: Gain, name: str, say: Callable[[str], None]) -> None:
    """Print it as a table."""
    share = gain.held / gain.drafted if gain.drafted else 0.0
    say(f"One chat, {name} drafts; {share:.0%} of {gain.drafted} drafted tokens held\n")
    say("| drafts | tokens/s | against none |")
    say("|---|---|---|")
    for way, rate in (("none", gain.plain), ("always", gain.always), ("as decided", gain.chosen)):
        say(f"| {way} | {rate:.1f} | {rate / gain.plain if gain.plain else 0:.2f}x |")
    say("")
