"""A real quantized model: equal results alone and in batches, and checks of its numbers.

    python -m tests.torture real [FOLDER]      (SmolLM2-135M-Instruct, as `make model` fetches it)

Each part prints its results. In comparisons token by token, two tokens with nearly equal logits can
be swapped (`engine.bench.alone`), and are counted as ties.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from engine.bench.alone import PATIENCE, TIE, Logits, logit_distance, recorded_logits
from engine.bench.subject import real_model
from engine.engine import Engine
from engine.model.info import Model
from engine.params import SamplingParams
from tests.torture import ROOT

GUIDE = ROOT / "resources" / "guide"
README = ROOT / "README.md"
PERPLEXITY_TOKENS = 1024

QUESTIONS = [
    "What is the capital of France?",
    "Name three animals that live in the sea.",
    "Why is the sky blue?",
    "Write a short poem about rain.",
    "How do I boil an egg?",
    "What is 12 plus 7?",
    "Tell me a story about a fox and a crow.",
    "Explain what a computer program is to a child.",
]


class Found:
    """Counts faults, and prints a line for each part."""

    def __init__(self) -> None:
        self.faults = 0

    def part(self, name: str, right: bool, figures: str) -> None:
        self.faults += not right
        print(f"{'ok   ' if right else 'FAULT'} {name}: {figures}", flush=True)


def together(engine: Engine, model: Model, found: Found) -> None:
    """Ask eight chats eight questions, greedy and sampled, alone and together."""
    ties = tokens = different = 0
    for temperature in (0.0, 0.8):
        params = [SamplingParams(max_tokens=64, temperature=temperature, seed=n) for n in range(8)]
        alone, company, expected = Logits(), Logits(), []
        with recorded_logits(alone):
            for question, own in zip(QUESTIONS, params, strict=True):
                expected.append(engine.open_session(model).send(question, own).tokens(PATIENCE))
        with recorded_logits(company):
            replies = [
                engine.open_session(model).send(question, own)
                for question, own in zip(QUESTIONS, params, strict=True)
            ]
            replied = [reply.tokens(PATIENCE) for reply in replies]
        for seed, (said, wanted) in enumerate(zip(replied, expected, strict=True)):
            tokens += len(said)
            ties += said != wanted
            different += not logit_distance(company[seed], alone[seed], said, wanted) <= TIE
    figures = f"{tokens} tokens of 16 answers, {ties} ties, {different} different"
    found.part("eight chats alone and together", not different, figures)


def code_words(engine: Engine, model: Model, found: Found) -> None:
    """Run twenty turns of two chats, neither of which may see the other's word or lose its
    cache.
    """
    words = {"MARBLE": engine.open_session(model), "WALNUT": engine.open_session(model)}
    mixed = reused = 0
    for turn in range(20):
        replies = {
            word: chat.send(
                f"Turn {turn}. My word is {word}. Repeat my word.",
                SamplingParams(max_tokens=16, temperature=0.0),
            )
            for word, chat in words.items()
        }
        for word, reply in replies.items():
            other = next(w for w in words if w != word)
            mixed += other in reply.text(PATIENCE)
            reused += turn > 0 and reply.stats.reused_tokens > 0
    found.part(
        "code words over 20 turns",
        not mixed and reused == 38,
        f"{mixed} of 40 mixed up, {reused} of 38 reused",
    )


def forms(engine: Engine, model: Model, found: Found) -> None:
    """Constrain replies by JSON schemas and patterns while others stream."""
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
        "additionalProperties": False,
    }
    good = 0
    for seed in range(6):
        as_json = SamplingParams(max_tokens=200, seed=seed, json_schema=json.dumps(schema))
        as_text = SamplingParams(max_tokens=20, seed=seed, regex="(yes|no), [a-z]{3,9}")
        replies = [
            engine.open_session(model).send("Name a city.", as_json),
            engine.open_session(model).send("Is it late?", as_text),
            engine.open_session(model).send(QUESTIONS[seed], SamplingParams(max_tokens=30)),
        ]
        said = [reply.text(PATIENCE) for reply in replies]
        good += isinstance(json.loads(said[0])["city"], str)
        good += re.fullmatch("(yes|no), [a-z]{3,9}", said[1]) is not None
    found.part("forms", good == 12, f"{good} of 12 kept")


def ends(engine: Engine, model: Model, found: Found) -> None:
    params = SamplingParams(max_tokens=80, temperature=0.9, seed=11)
    first = engine.open_session(model).send(QUESTIONS[6], params).tokens(PATIENCE)
    again = engine.open_session(model).send(QUESTIONS[6], params).tokens(PATIENCE)
    other = SamplingParams(max_tokens=80, temperature=0.9, seed=12)
    apart = engine.open_session(model).send(QUESTIONS[6], other).tokens(PATIENCE)
    stopping = SamplingParams(max_tokens=80, temperature=0.0, stop=("Paris",))
    stopped = engine.open_session(model).send(QUESTIONS[0], stopping).text(PATIENCE)
    right = first == again != apart and "Paris" not in stopped and "capital" in stopped
    found.part("stop and seed", right, repr(stopped))


def first_tokens(engine: Engine, model: Model, found: Found, net: Any) -> None:
    """Compare sampled first tokens with the softmax, by Pearson's chi-square test."""
    question, count = "Say a colour, one word only.", 600
    replies = [
        engine.open_session(model).send(
            question, SamplingParams(max_tokens=1, temperature=1.0, seed=seed)
        )
        for seed in range(count)
    ]
    seen = Counter(tuple(reply.tokens(PATIENCE))[:1] for reply in replies)
    wanted = engine.open_session(model).send(
        question, SamplingParams(max_tokens=1, temperature=0.0, logprobs=20)
    )
    wanted.text(PATIENCE)
    prompt = wanted.stats.prompt_tokens
    logits = np.array(net(_tokens(net, model, question, prompt)))[0, -1].astype(np.float64)
    odds = np.exp(logits - logits.max())
    odds /= odds.sum()
    bins = [token for token in np.argsort(-odds) if odds[token] * count >= 5]
    expected = [odds[token] * count for token in bins]
    observed = [seen[(int(token),)] for token in bins]
    expected.append(count - sum(expected))
    observed.append(count - sum(observed))
    square = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True) if e > 0)
    free = len(bins)
    # Wilson and Hilferty: the cube root of chi-square per degree of freedom is nearly normal.
    score = ((square / free) ** (1 / 3) - (1 - 2 / (9 * free))) / (2 / (9 * free)) ** 0.5
    found.part(
        "sampled first tokens",
        score < 3.1,
        f"chi-square {square:.1f}, {free} degrees, z {score:.2f}",
    )


def _tokens(net: Any, model: Model, question: str, count: int) -> mx.array:
    from mlx_lm.utils import load_tokenizer

    tokenizer = load_tokenizer(Path(model.path))
    ids = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], add_generation_prompt=True
    )
    if len(ids) != count:
        raise RuntimeError(f"the engine's prompt has {count} tokens, the template makes {len(ids)}")
    return mx.array([ids])


def perplexity(folder: Path, found: Found, theirs: Any) -> Any:
    """Compare the perplexity of a text with float32's and return the quantized model."""
    from mlx_lm.utils import load_tokenizer

    from engine.model import loader

    net, _ = loader.load_net(folder, lazy=True)
    net.set_dtype(mx.float32)
    for _ in loader.pack_weights(net, folder):
        pass
    text = README.read_text(encoding="utf-8")
    ids = load_tokenizer(folder).encode(text)[:PERPLEXITY_TOKENS]
    both = []
    for which in (net, theirs):
        logits = which(mx.array([ids]))[0, :-1].astype(mx.float32)
        chosen = mx.take_along_axis(logits, mx.array(ids[1:])[:, None], axis=-1)[:, 0]
        both.append(float(mx.exp((mx.logsumexp(logits, axis=-1) - chosen).mean()).item()))
    ours, wanted = both
    figures = f"{ours:.4f}, in float32 {wanted:.4f}: {100 * (ours / wanted - 1):+.4f}%"
    found.part(f"perplexity of {len(ids)} tokens", abs(ours / wanted - 1) < 0.001, figures)
    return net


def greedy(engine: Engine, model: Model, found: Found, theirs: Any, count: int) -> None:
    """Compare replies of 24 tokens with mlx-lm's in float32.

    Prints the gap at each first difference, i.e. how far mlx-lm's logit of its own token exceeds
    that of ours. A small gap means that the best two tokens are nearly equal.
    """
    equal, gaps, margins = 0, list[float](), list[float]()
    for number in range(count):
        question = f"{QUESTIONS[number % 8]} ({number})"
        reply = engine.open_session(model).send(
            question, SamplingParams(max_tokens=24, temperature=0.0)
        )
        said = list(reply.tokens(PATIENCE))
        prompt = _tokens(theirs, model, question, reply.stats.prompt_tokens)
        logits = theirs(mx.concatenate([prompt, mx.array([said])], axis=1))[0]
        logits = logits[prompt.shape[1] - 1 : -1].astype(mx.float32)
        best = np.array(mx.argmax(logits, axis=-1))
        wrong = [place for place, token in enumerate(said) if best[place] != token]
        equal += not wrong
        if wrong:
            row = np.array(logits[wrong[0]])
            gaps.append(float(row.max() - row[said[wrong[0]]]))
            spread = float(row.std())
            margins.append(gaps[-1] / spread)
    worst = max(margins, default=0.0)
    shown = ", ".join(f"{gap:.3f}" for gap in sorted(gaps))
    figures = (
        f"{equal} of {count} are identical; gaps of logits at first differences: {shown or '-'}"
    )
    found.part("greedy replies next to mlx-lm's", worst < 0.01, figures)


def overflow(engine: Engine, model: Model, found: Found) -> None:
    """Let a conversation outgrow its context. It drops its oldest turns and continues."""
    chat = engine.open_session(model, context=512, on_overflow="slide")
    dropped = 0
    for question in QUESTIONS:
        reply = chat.send(question, SamplingParams(max_tokens=96, temperature=0.0))
        reply.text(PATIENCE)
        dropped += reply.stats.dropped_messages
    figures = f"{len(QUESTIONS)} answers, {dropped} messages dropped"
    found.part("a conversation through overflow", dropped > 0, figures)


def drafts(folder: Path, found: Found, scratch: Path) -> None:
    """Use the model's first layers as a draft model, which must not change the replies."""
    import math

    from engine.runtime import draft_policy
    from tests.torture.small_copies import first_layers

    before, draft_policy.MAX_RELATIVE_TIME = draft_policy.MAX_RELATIVE_TIME, math.inf
    try:
        small = first_layers(folder, scratch / "small", 12)
        said = []
        for draft in (None, small):
            with Engine() as engine:
                model = engine.load(folder, draft=draft)
                params = SamplingParams(max_tokens=40, temperature=0.0)
                said.append(
                    [
                        list(engine.open_session(model).send(q, params).tokens(PATIENCE))
                        for q in QUESTIONS[:4]
                    ]
                )
                figures = engine.stats()["drafts"].get(model.id, {})
    finally:
        draft_policy.MAX_RELATIVE_TIME = before
    same = sum(a == b for a, b in zip(*said, strict=True))
    held, drafted = figures.get("accepted_tokens"), figures.get("drafted_tokens")
    told = f"{same} of 4 the same, {held} of {drafted} drafted tokens held"
    found.part("drafts", same == 4, told)


def with_the_guide(engine: Engine, model: Model, found: Found) -> None:
    """Let the Guide reply next to two chats of the real model, which must reply as alone."""
    params = SamplingParams(max_tokens=40, temperature=0.0)
    alone = [
        list(engine.open_session(model).send(q, params).tokens(PATIENCE)) for q in QUESTIONS[:2]
    ]
    guide = engine.load(GUIDE)
    replies = [engine.open_session(model).send(q, params) for q in QUESTIONS[:2]]
    asked = engine.open_session(guide).send("How do I split a pane?", params).text(PATIENCE)
    same = sum(list(r.tokens(PATIENCE)) == wanted for r, wanted in zip(replies, alone, strict=True))
    found.part(
        "the Guide beside it", same == 2 and bool(asked), f"{same} of 2 the same; {asked[:60]!r}"
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture real", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="of another model")
    parser.add_argument("--greedy", type=int, default=100, help="greedy answers to compare (100)")
    options = parser.parse_args(arguments)
    from engine.model import backend

    backend.start()
    from mlx_lm.utils import dequantize_model, load_model

    found, folder = Found(), options.folder or real_model()
    theirs, _ = load_model(folder)
    theirs.set_dtype(mx.float32)
    theirs = dequantize_model(theirs)
    net = perplexity(folder, found, theirs)
    with tempfile.TemporaryDirectory() as scratch, Engine() as engine:
        model = engine.load(folder)
        parts: list[Callable[[Engine, Model, Found], None]] = [
            *(together, code_words, forms, ends, overflow, with_the_guide)
        ]
        for part in parts:
            part(engine, model, found)
        first_tokens(engine, model, found, net)
        greedy(engine, model, found, theirs, options.greedy)
        drafts(folder, found, Path(scratch))
    print(f"{found.faults} faults")
    return 1 if found.faults else 0
